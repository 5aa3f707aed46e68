"""Strategy: the outline of the game, and at a node every infoset with its probabilities, reach, values and regrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regretless.apps.explorer.pages.blocks import choice_field, text_field, which_field
from regretless.apps.explorer.pages.infosets import infoset_table, link_to_infoset
from regretless.apps.explorer.pages.layout import frame, message, pager, run_form
from regretless.apps.explorer.web.drawing import legend
from regretless.apps.explorer.web.markup import Child, Markup, join, link, query, tag
from regretless.apps.explorer.web.requests import Request, Response
from regretless.apps.views.infoset_measures import matching, rows_of, shares_at
from regretless.apps.views.infoset_views import sight_of
from regretless.apps.views.number_format import percent
from regretless.apps.views.outline import HIDDEN, Outline
from regretless.game import CHANCE

if TYPE_CHECKING:
    from regretless.apps.explorer.web.app import Explorer
    from regretless.apps.views.loaded_run import Opened

__all__ = ["strategy_page", "which_of"]

PAGE = 50
"""Infosets on a page."""

MOST_CHILDREN = 60
"""Nodes that the outline lists below one of its nodes."""


def which_of(request: Request) -> str:
    """The average strategy, or the last iterate."""
    return request.choice("which", ("average", "current"))


def strategy_page(explorer: Explorer, request: Request) -> Response:
    """The page of a node, or of what a search has found."""
    number = explorer.chosen_run(request)
    opened = explorer.opened(number)
    if opened.is_holdem:
        from regretless.apps.explorer.pages.holdem_strategy import holdem_page

        return holdem_page(explorer, request, opened)
    view = _View(request, opened)
    search = request.text("search").strip()[:200]
    choices = run_form(request, explorer.library.entries(), number, *view.fields(search))
    outline = opened.outline
    if outline is None or search or view.player is not None:
        note = tag("p", opened.why_no_tree, css="note") if outline is None else None
        content = join(note, view.found(search))
    else:
        node = outline.find(request.text("node"))
        if node is None:
            back = link("Go to the beginning of the game", "/strategy", run=number)
            return message(explorer, request, "Strategy", "There is no such node in this game", 404, tag("p", back))
        content = tag("div", view.outline_pane(outline, node), view.node(outline, node), css="with-outline")
    return frame(explorer, request, f"Strategy of {opened.entry.name}", tag("h1", "Strategy"), choices, content)


class _View:
    """One run, looked at in one way."""

    def __init__(self, request: Request, opened: Opened) -> None:
        self.request, self.opened = request, opened
        self.which, self.player = which_of(request), request.number("player")
        self.kept = {"run": opened.entry.number, "which": self.which if self.which != "average" else None}

    def fields(self, search: str) -> list[Child]:
        """Besides the run: which strategy, and the search."""
        which = which_field(self.which) if self.opened.run is not None else None
        seats = [("", "all"), *((str(seat), f"player {seat}") for seat in range(self.opened.glance.players))]
        whose = choice_field("Whose", "player", seats, "" if self.player is None else str(self.player))
        box = text_field("Find infosets", "search", search, type="search", placeholder="Qpb or Q*", data_key="/")
        return [which, whose, box]

    # -- the outline --------------------------------------------------------------------------------------------------

    def outline_pane(self, outline: Outline, node: int) -> Markup:
        """The tree, open along the path to the node."""
        path = set(outline.path(node))

        def item(at: int) -> Markup:
            label = join(outline.name(at), tag("small", f" {outline.below[at]:,}"))
            here = tag("a", label, href=self.address(outline, at), aria_current="true" if at == node else None)
            return tag("li", here, branch(at) if at in path else None)

        def branch(at: int) -> Markup | None:
            children = outline.children[at]
            shown = [child for place, child in enumerate(children) if place < MOST_CHILDREN or child in path]
            more = len(children) - len(shown)
            rest = tag("li", f"and {more} more", css="note") if more else None
            return tag("ul", [item(child) for child in shown], rest) if children else None

        note = tag("p", "Small numbers: infosets from there on.", css="note")
        tree = tag("ul", item(0), css="tree")
        folded = tag("details", tag("summary", "Outline of the game"), tree, note, open=True, data_narrow="closed")
        return tag("nav", folded, css="outline", aria_label="Outline")

    def address(self, outline: Outline, node: int) -> str:
        """The address of a node."""
        return query("/strategy", **self.kept, node=outline.address(node))

    # -- a node -------------------------------------------------------------------------------------------------------

    def node(self, outline: Outline, node: int) -> Markup:
        """Everything about one node."""
        opened = self.opened
        infosets = sorted(outline.infosets(node), key=self._order)
        first = self._first(len(infosets))
        measures = opened.measures(self.which)
        rows = rows_of(measures.strategy, infosets[first : first + PAGE], measures, opened.regret)
        shares = shares_at(measures, infosets)
        return tag(
            "div",
            self._crumbs(outline, node),
            tag("p", self._facts(outline, node, infosets), css="facts"),
            legend(list(shares), list(shares.values())) if shares else None,
            pager("/strategy", len(infosets), first, PAGE, **self.kept, node=outline.address(node)),
            infoset_table(rows, opened) if rows else None,
            self._onwards(outline, node),
            css="node",
            id="node",
        )

    def _order(self, infoset: int) -> tuple[Any, ...]:
        label = str(self.opened.strategy().labels.names[infoset])
        return sight_of(self.opened.game, label).order

    def _first(self, total: int) -> int:
        return min(self.request.number("first", 0) or 0, max(total - 1, 0))

    def _crumbs(self, outline: Outline, node: int) -> Markup:
        steps = outline.path(node)
        items = [tag("li", tag("a", outline.name(step), href=self.address(outline, step))) for step in steps[:-1]]
        items.append(tag("li", tag("b", outline.name(node), aria_current="page")))
        return tag("nav", tag("ol", items), css="crumbs", aria_label="Moves so far")

    def _facts(self, outline: Outline, node: int, infosets: Sequence[int]) -> str:
        mover = int(outline.mover[node])
        words = {CHANCE: "Chance moves.", HIDDEN: "Who moves depends on what is hidden."}
        said = words.get(mover, f"Player {mover} to move.")
        if not infosets:
            return said
        reach = float(self.opened.measures(self.which).reach[list(infosets)].sum())
        return f"{said} Games come here {percent(reach)} of the time."

    def _onwards(self, outline: Outline, node: int) -> Markup | None:
        children = outline.children[node][:MOST_CHILDREN]
        if not children:
            return tag("p", "Every move ends the game here.", css="note") if outline.ends[node] else None
        items = [tag("li", tag("a", outline.name(child), href=self.address(outline, child))) for child in children]
        return tag("nav", tag("span", "Next: "), tag("ul", items), css="onwards", aria_label="Next moves")

    # -- lists --------------------------------------------------------------------------------------------------------

    def found(self, search: str) -> Markup:
        """The infosets that a search finds; all of them without one."""
        opened, strategy = self.opened, self.opened.strategy(self.which)
        if not hasattr(strategy, "probabilities"):
            from regretless.apps.explorer.pages.unlisted_infosets import met_list

            return met_list(opened, strategy, search, self.request, self.kept)
        chosen = matching(strategy.labels, opened.names, search, self.player)
        first = self._first(len(chosen))
        measures = opened.measures(self.which) if opened.tree is not None else None
        rows = rows_of(strategy, chosen[first : first + PAGE], measures, opened.regret)
        said = f"{len(chosen):,} infosets" + (f" with “{search}”" if search else "")
        kept = {**self.kept, "player": self.player, "search": search}
        hint = tag("p", "A star stands for anything: Q*.", css="note")
        return tag(
            "div",
            tag("p", said, css="facts"),
            pager("/strategy", len(chosen), first, PAGE, **kept),
            infoset_table(rows, opened, lambda infoset: link_to_infoset(opened, infoset, self.which)) if rows else hint,
            id="found",
        )
