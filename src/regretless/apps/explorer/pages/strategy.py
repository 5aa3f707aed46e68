"""Strategy: the outline of the game, and at a node every infoset with its probabilities, reach, values and regrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.action_colours import numbered_colours
from regretless.apps.explorer.pages.blocks import choice_field, text_field, which_field
from regretless.apps.explorer.pages.drawing import legend
from regretless.apps.explorer.pages.infosets import infoset_table, link_to_infoset
from regretless.apps.explorer.pages.layout import frame, link, message, pager, run_form, url
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.infoset_measures import matching, rows_of, shares_at
from regretless.apps.views.infoset_views import infoset_view
from regretless.apps.views.number_format import percent
from regretless.apps.views.outline import HIDDEN, Outline
from regretless.game import CHANCE
from regretless.strategy import Strategy

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.apps.views.loaded_run import LoadedRun

__all__ = ["strategy_page", "which_of"]

PAGE = 50
"""Infosets on a page."""

MOST_CHILDREN = 60
"""Children of a node that the outline lists."""


def which_of(request: PageRequest) -> str:
    """The average strategy, or the last iterate."""
    return request.choice("which", ("average", "current"))


def strategy_page(explorer: Explorer, request: PageRequest) -> Response:
    """The page of a node, or the result of a search."""
    number = explorer.chosen_run(request)
    loaded = explorer.load(number)
    if loaded.is_holdem:
        from regretless.apps.explorer.pages.holdem_strategy import holdem_page

        return holdem_page(explorer, request, loaded)
    view = _View(request, loaded)
    search = request.text("search").strip()[:200]
    choices = run_form(request, explorer.library.entries(), number, *view.fields(search))
    outline = loaded.outline
    content: h.Node
    if outline is None or search or view.player is not None:
        content = [h.p(".note")[loaded.why_no_tree] if outline is None else None, view.found(search)]
    else:
        node = outline.find(request.text("node"))
        if node is None:
            back = h.p[link("Go to the beginning of the game", "/strategy", run=number)]
            return message(explorer, request, "Strategy", "there is no such node in this game", 404, back)
        content = h.div(".with-outline")[view.outline_pane(outline, node), view.node(outline, node)]
    return frame(explorer, request, f"Strategy of {loaded.entry.name}", h.h1["Strategy"], choices, content)


class _View:
    """One run on the page, the average strategy or the last iterate."""

    def __init__(self, request: PageRequest, loaded: LoadedRun) -> None:
        self.request, self.loaded = request, loaded
        self.which, self.player = which_of(request), request.number("player")
        self.values = {"run": loaded.entry.number, "which": self.which if self.which != "average" else None}

    def fields(self, search: str) -> list[h.Node]:
        """Besides the run: which strategy, which player, and the search."""
        which = which_field(self.which) if self.loaded.run is not None else None
        players = [("", "all"), *((str(seat), f"player {seat}") for seat in range(self.loaded.header.players))]
        whose = choice_field("Player", "player", players, "" if self.player is None else str(self.player))
        box = text_field("Find infosets", "search", search, type="search", placeholder="Qpb or Q*", data_key="/")
        return [which, whose, box]

    # -- the outline --------------------------------------------------------------------------------------------------

    def outline_pane(self, outline: Outline, node: int) -> h.Element:
        """The tree, open along the path to the node."""
        path = set(outline.path(node))

        def item(at: int) -> h.Element:
            here = h.a(href=self.address(outline, at), aria_current="true" if at == node else None)[
                outline.name(at), h.small[f" {outline.below[at]:,}"]
            ]
            return h.li[here, branch(at) if at in path else None]

        def branch(at: int) -> h.Element | None:
            children = outline.children[at]
            shown = [child for number, child in enumerate(children) if number < MOST_CHILDREN or child in path]
            more = len(children) - len(shown)
            rest = h.li(".note")[f"and {more} more"] if more else None
            return h.ul[[item(child) for child in shown], rest] if children else None

        return h.nav(".outline", aria_label="Outline")[
            h.details(open=True, data_narrow="closed")[
                h.summary["Outline of the game"],
                h.ul(".tree")[item(0)],
                h.p(".note")["Small numbers: infosets from there on."],
            ]
        ]

    def address(self, outline: Outline, node: int) -> str:
        """The address of a node."""
        return url("/strategy", **self.values, node=outline.address(node))

    # -- a node -------------------------------------------------------------------------------------------------------

    def node(self, outline: Outline, node: int) -> h.Element:
        """Everything about one node."""
        loaded = self.loaded
        infosets = sorted(outline.infosets(node), key=self._order)
        first = self._first(len(infosets))
        measures = loaded.measures(self.which)
        rows = rows_of(measures.strategy, infosets[first : first + PAGE], measures, loaded.regret)
        shares = shares_at(measures, infosets)
        colours = numbered_colours(loaded.action_numbers, list(shares))
        return h.div("#node.node")[
            self._crumbs(outline, node),
            h.p(".facts")[self._facts(outline, node, infosets)],
            legend(list(shares), list(shares.values()) if any(shares.values()) else None, colours) if shares else None,
            pager("/strategy", len(infosets), first, PAGE, **self.values, node=outline.address(node)),
            infoset_table(rows, loaded) if rows else None,
            self._next_moves(outline, node),
        ]

    def _order(self, infoset: int) -> tuple[Any, ...]:
        label = str(self.loaded.strategy().labels.names[infoset])
        return infoset_view(self.loaded.game, label).order

    def _first(self, total: int) -> int:
        return min(self.request.number("first", 0) or 0, max(total - 1, 0))

    def _crumbs(self, outline: Outline, node: int) -> h.Element:
        steps = outline.path(node)
        items = [h.li[h.a(href=self.address(outline, step))[outline.name(step)]] for step in steps[:-1]]
        items.append(h.li[h.b(aria_current="page")[outline.name(node)]])
        return h.nav(".crumbs", aria_label="Moves so far")[h.ol[items]]

    def _facts(self, outline: Outline, node: int, infosets: Sequence[int]) -> str:
        mover = int(outline.mover[node])
        words = {CHANCE: "Chance moves.", HIDDEN: "Who moves depends on hidden cards or moves."}
        who = words.get(mover, f"Player {mover} to move.")
        if not infosets:
            return who
        reach = float(self.loaded.measures(self.which).reach[list(infosets)].sum())
        return f"{who} {f'{percent(reach)} of the games come here.' if reach > 0 else 'Play never comes here.'}"

    def _next_moves(self, outline: Outline, node: int) -> h.Element | None:
        children = outline.children[node][:MOST_CHILDREN]
        if not children:
            return h.p(".note")["Every move ends the game here."] if outline.ends[node] else None
        items = [h.li[h.a(href=self.address(outline, child))[outline.name(child)]] for child in children]
        return h.nav(".next-moves", aria_label="Next moves")[h.span["Next: "], h.ul[items]]

    # -- lists --------------------------------------------------------------------------------------------------------

    def found(self, search: str) -> h.Element:
        """The infosets that match a search; all of them without one."""
        loaded, strategy = self.loaded, self.loaded.strategy(self.which)
        if not isinstance(strategy, Strategy):
            from regretless.apps.explorer.pages.unlisted_infosets import visited_list

            return visited_list(loaded, strategy, search, self.request, self.values)
        chosen = matching(strategy.labels, loaded.names, search, self.player)
        first = self._first(len(chosen))
        measures = loaded.measures(self.which) if loaded.tree is not None else None
        rows = rows_of(strategy, chosen[first : first + PAGE], measures, loaded.regret)
        count = f"{len(chosen):,} infoset{'' if len(chosen) == 1 else 's'}"
        table = infoset_table(rows, loaded, lambda infoset: link_to_infoset(loaded, infoset, self.which))
        return h.div("#found")[
            h.p(".facts")[f"{count} with “{search}”" if search else count],
            pager("/strategy", len(chosen), first, PAGE, **self.values, player=self.player, search=search),
            table if rows else h.p(".note")["A star stands for any text: Q*."],
        ]
