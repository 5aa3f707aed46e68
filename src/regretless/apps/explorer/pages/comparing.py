"""Compare: two strategies of one game side by side, the largest differences first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.action_colours import numbered_colours
from regretless.apps.explorer.pages.blocks import choice_field, figures, head_row, share_cell, text_field, wide_table
from regretless.apps.explorer.pages.drawing import action_bar, legend
from regretless.apps.explorer.pages.infosets import infoset_cell, link_to_infoset
from regretless.apps.explorer.pages.layout import frame, pager, run_field
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.differences import Difference, Differences, compare_strategies
from regretless.apps.views.number_format import chips, percent, short
from regretless.errors import OptionError
from regretless.strategy import Strategy

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.apps.views.loaded_run import LoadedRun

__all__ = ["compare_page"]

PAGE = 50


def compare_page(explorer: Explorer, request: PageRequest) -> Response:
    """Two runs; or the average strategy and the last iterate of one run."""
    entries = explorer.library.entries()
    number = explorer.chosen_run(request)
    asked = request.number("other")
    other = _run_of_same_game(explorer, number) if asked is None else asked
    one, two = explorer.load_studied(number), explorer.load_studied(other)
    choices = h.form(".choices", method="get", action="/compare")[
        run_field(entries, number, "run", "First run"),
        run_field(entries, other, "other", "Second run"),
        _spot_fields(request) if one.header.kind == two.header.kind == "holdem" else None,
        h.button(".quiet", type="submit")["Compare"],
    ]
    content: h.Node
    try:
        content = _comparison(request, one, two)
    except OptionError as error:
        content = h.p(".problem")[f"They cannot be compared: {error}."]
    return frame(explorer, request, "Compare", h.h1["Compare"], choices, content)


def _spot_fields(request: PageRequest) -> list[h.Node]:
    """Besides the runs, of hold'em: the order of nodes, and a board of a later street."""
    from regretless.apps.explorer.pages.studio.compare_spots import ORDERS

    board = request.text("board")[:40]
    return [
        choice_field("Sort by", "by", ORDERS, request.choice("by", [name for name, _ in ORDERS])),
        text_field("Board", "board", board, size=12, placeholder="first street", data_key="/"),
    ]


def _run_of_same_game(explorer: Explorer, number: int) -> int:
    """Another run of the same game; without one the run itself, which is compared with its own last iterate."""
    game = explorer.library.entry(number).header().game
    others = [entry for entry in explorer.library.entries() if entry.number != number]
    return next((entry.number for entry in others if game and entry.header().game == game), number)


def _comparison(request: PageRequest, one: LoadedRun, two: LoadedRun) -> list[h.Node]:
    if one.is_holdem and two.is_holdem:
        from regretless.apps.explorer.pages.studio.compare_spots import compare_spots

        return compare_spots(request, one, two)
    if one.is_holdem or two.is_holdem:
        raise OptionError("only one of them is a run of hold'em")
    same = one is two
    strategies = one.strategy("average"), two.strategy("current" if same else "average")
    if not all(isinstance(strategy, Strategy) for strategy in strategies):
        raise OptionError("the strategy of a game that was not listed has no full list of infosets")
    strategies[0].check_same_game(strategies[1].labels)
    both = one.tree is not None and two.tree is not None
    measures = (one.measures("average"), two.measures("current" if same else "average")) if both else None
    found = compare_strategies(*strategies, measures)
    names = (one.entry.name, f"{two.entry.name}, last iterate" if same else two.entry.name)
    first = min(request.number("first", 0) or 0, max(len(found.order) - 1, 0))
    return [
        _summary(one.tree if both else None, found, names, strategies),
        pager("/compare", len(found.order), first, PAGE, run=one.entry.number, other=two.entry.number),
        _table(found.page(first, PAGE), one, names),
    ]


def _summary(tree: Any, found: Differences, names: tuple[str, str], strategies: tuple[Any, Any]) -> list[h.Node]:
    numbers = [("different infosets", f"{len(found.order):,} of {len(found.distance):,}")]
    order = "the probability that they act differently"
    if tree is not None:
        from regretless.evaluation.responses import exploitability, head_to_head

        order += ", times how often games come there"
        for name, strategy in zip(names, strategies, strict=True):
            numbers.append((f"exploitability of {name}", short(exploitability(tree, strategy))))
        if tree.players == 2:
            won = chips(head_to_head(tree, *strategies))
            numbers.append((f"{names[0]} wins against the other, chips per game", won))
    return [figures(numbers), h.p(".note")[f"Sorted by {order}."]]


def _table(shown: Sequence[Difference], loaded: LoadedRun, names: tuple[str, str]) -> list[h.Node]:
    if not shown:
        return [h.p(".facts")["The two strategies are the same."]]
    actions = list(dict.fromkeys(action for row in shown for action in row.actions))
    head = head_row("infoset", "difference", ("reach", "number"), "strategies", "probabilities")
    rows = [_row(row, loaded, names) for row in shown]
    colours = numbered_colours(loaded.action_numbers, actions)
    return [legend(actions, None, colours), wide_table(head, rows, css="differences")]


def _row(row: Difference, loaded: LoadedRun, names: tuple[str, str]) -> h.Element:
    colours = numbered_colours(loaded.action_numbers, row.actions)
    first: list[h.Node] = [
        h.th(rowspan=2, scope="rowgroup")[
            infoset_cell(loaded, row.label, row.player, link_to_infoset(loaded, row.infoset))
        ],
        share_cell(row.distance, "cost", span=2),
        h.td(".number", rowspan=2)[percent(row.weight)],
    ]
    lines = []
    for number, (name, probabilities) in enumerate(zip(names, (row.one, row.other), strict=True)):
        text = ", ".join(f"{action} {percent(share)}" for action, share in zip(row.actions, probabilities, strict=True))
        bar = h.td(".whole")[h.small[name], action_bar(probabilities, row.actions, colours)]
        lines.append(h.tr[first if number == 0 else None, bar, h.td(".words")[text]])
    return h.tbody(data_infoset=row.label)[lines]
