"""Compare: two strategies of one game side by side, differences first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regretless.apps.explorer.pages.blocks import figures, head_row, share_cell, wide_table
from regretless.apps.explorer.pages.infosets import infoset_cell, link_to_infoset
from regretless.apps.explorer.pages.layout import frame, pager, run_field
from regretless.apps.explorer.web.drawing import action_bar, action_class, legend
from regretless.apps.explorer.web.markup import Child, Markup, join, tag
from regretless.apps.explorer.web.requests import Request, Response
from regretless.apps.views.differences import Difference, Differences, compare_strategies
from regretless.apps.views.number_format import chips, percent, short
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.app import Explorer
    from regretless.apps.views.loaded_run import Opened

__all__ = ["compare_page"]

PAGE = 50


def compare_page(explorer: Explorer, request: Request) -> Response:
    """Two runs; or one run's average and its last iterate."""
    entries = explorer.library.entries()
    number = explorer.chosen_run(request)
    asked = request.number("other")
    other = _alike(explorer, number) if asked is None else asked
    one, two = explorer.opened(number), explorer.opened(other)
    choices = tag(
        "form",
        run_field(entries, number, "run", "One"),
        run_field(entries, other, "other", "Other"),
        tag("button", "Compare", type="submit", css="quiet"),
        method="get",
        action="/compare",
        css="choices",
    )
    try:
        content = _compared(request, one, two)
    except OptionError as error:
        content = tag("p", f"They cannot be compared: {error}.", css="problem")
    return frame(explorer, request, "Compare", tag("h1", "Compare"), choices, content)


def _alike(explorer: Explorer, number: int) -> int:
    """Another run of the same game, if there is one; else the run itself, against its own last iterate."""
    game = explorer.library.entry(number).look().game
    others = [entry for entry in explorer.library.entries() if entry.number != number]
    return next((entry.number for entry in others if game and entry.look().game == game), number)


def _compared(request: Request, one: Opened, two: Opened) -> Markup:
    if one.is_holdem or two.is_holdem:
        raise OptionError("runs of hold'em are looked at board by board, on the Strategy page")
    same = one is two
    strategies = one.strategy("average"), two.strategy("current" if same else "average")
    if not all(hasattr(strategy, "probabilities") for strategy in strategies):
        raise OptionError("a strategy of a game that was not listed has no common list of infosets")
    strategies[0].check_same_game(strategies[1].labels)
    both = one.tree is not None and two.tree is not None
    measures = (one.measures("average"), two.measures("current" if same else "average")) if both else None
    found = compare_strategies(*strategies, measures)
    names = (one.entry.name, f"{two.entry.name}, last iterate" if same else two.entry.name)
    first = min(request.number("first", 0) or 0, max(len(found.order) - 1, 0))
    return join(
        _summary(one.tree if both else None, found, names, strategies),
        pager("/compare", len(found.order), first, PAGE, run=one.entry.number, other=two.entry.number),
        _table(found.page(first, PAGE), one, names),
    )


def _summary(tree: Any, found: Differences, names: tuple[str, str], strategies: tuple[Any, Any]) -> Markup:
    numbers = [("infosets that differ", f"{len(found.order):,} of {len(found.distance):,}")]
    order = "how often they act differently"
    if tree is not None:
        from regretless.evaluation.responses import exploitability, head_to_head

        order += ", times how often games come there"
        for name, strategy in zip(names, strategies, strict=True):
            numbers.append((f"exploitability of {name}", short(exploitability(tree, strategy))))
        if tree.players == 2:
            won = chips(head_to_head(tree, *strategies))
            numbers.append((f"{names[0]} wins from the other, chips a game", won))
    return join(figures(numbers), tag("p", f"Sorted by {order}.", css="note"))


def _table(shown: Sequence[Difference], opened: Opened, names: tuple[str, str]) -> Markup:
    if not shown:
        return tag("p", "The two strategies are the same.", css="facts")
    actions = list(dict.fromkeys(action for row in shown for action in row.actions))
    head = head_row("infoset", "differ", ("reach", "number"), "strategies", "probabilities")
    rows = [_row(row, actions, opened, names) for row in shown]
    return join(legend(actions), wide_table(head, rows, css="differences"))


def _row(row: Difference, actions: list[str], opened: Opened, names: tuple[str, str]) -> Markup:
    classes = [action_class(actions.index(action)) for action in row.actions]
    name = infoset_cell(opened, row.label, row.player, link_to_infoset(opened, row.infoset))
    before: list[Child] = [
        tag("th", name, rowspan=2, scope="rowgroup"),
        share_cell(row.distance, "cost", span=2),
        tag("td", percent(row.weight), rowspan=2, css="number"),
    ]
    lines = []
    for place, (whose, chances) in enumerate(zip(names, (row.one, row.other), strict=True)):
        said = ", ".join(f"{action} {percent(chance)}" for action, chance in zip(row.actions, chances, strict=True))
        bar = tag("td", tag("small", whose), action_bar(chances, row.actions, classes), css="whole")
        lines.append(tag("tr", before if place == 0 else None, bar, tag("td", said, css="words")))
    return tag("tbody", lines, data_infoset=row.label)
