"""Tables of infosets: a group of lines for each, with a line for each action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from regretless.apps.explorer.pages.blocks import Column, head_row, patch, share_cell, wide_table
from regretless.apps.explorer.web.drawing import action_class, draw_sight
from regretless.apps.explorer.web.markup import Child, Markup, join, query, tag
from regretless.apps.views.infoset_measures import ActionRow, InfosetRow
from regretless.apps.views.infoset_views import sight_of
from regretless.apps.views.number_format import chips, percent, short

if TYPE_CHECKING:
    from regretless.apps.views.loaded_run import Opened

__all__ = ["infoset_cell", "infoset_table", "link_to_infoset"]

VALUED: list[Column] = [
    ("worth", "number", "Chips that the action is worth here"),
    ("gain", "number", "Chips more than the strategy gets here: its regret"),
    ("v(I, a)", "number extra", "Counterfactual value: worth times how likely chance and the others come here"),
]


def infoset_cell(opened: Opened, label: str, player: int, href: str | None = None) -> Markup:
    """An infoset by what its player holds, and by its label."""
    name = tag("a", label, href=href) if href else label
    whose = f"player {player}" if player >= 0 else "all players"
    drawn = draw_sight(sight_of(opened.game, label), small=True)
    return join(drawn, tag("span", name, css="label"), tag("small", whose))


def link_to_infoset(opened: Opened, infoset: int, which: str = "average") -> str | None:
    """Where an infoset stands in the outline of its game; None where there is none."""
    outline = opened.outline
    if outline is None:
        return None
    node = outline.address(int(outline.node_of_infoset[infoset]))
    chosen = which if which != "average" else None
    return query("/strategy", run=opened.entry.number, which=chosen, node=node) + f"#i{infoset}"


def infoset_table(
    rows: Sequence[InfosetRow], opened: Opened, place: Callable[[int], str | None] | None = None
) -> Markup:
    """Some infosets; `place` says where each is to be found."""
    valued = any(row.value is not None for row in rows)
    regrets = any(action.regret is not None for row in rows for action in row.actions)
    columns: list[Column] = ["infoset"]
    if valued:
        columns += [("reach", "number", "How often games come here"), ("value", "number", "Chips the mover expects")]
    columns += ["action", "probability", *(VALUED if valued else [])]
    columns += [("R(I, a)", "number extra", "Regret that the solve has summed up")] if regrets else []
    bodies = [_body(row, opened, valued, regrets, place) for row in rows]
    return wide_table(head_row(*columns), bodies, css="infosets")


def _body(
    row: InfosetRow, opened: Opened, valued: bool, regrets: bool, place: Callable[[int], str | None] | None
) -> Markup:
    span = len(row.actions)
    name = infoset_cell(opened, row.label, row.player, place(row.number) if place else None)
    before: list[Child] = [tag("th", name, rowspan=span, scope="rowgroup")]
    if valued:
        before.append(tag("td", percent(row.reach), rowspan=span, css="number"))
        before.append(tag("td", chips(row.value), rowspan=span, css="number"))
    lines = [
        tag("tr", before if number == 0 else None, _cells(number, action, valued, regrets))
        for number, action in enumerate(row.actions)
    ]
    return tag("tbody", lines, id=f"i{row.number}", data_infoset=row.label)


def _cells(number: int, action: ActionRow, valued: bool, regrets: bool) -> list[Child]:
    colour = action_class(number)
    cells: list[Child] = [
        tag("td", patch(colour), action.label, css="action"),
        share_cell(action.probability, colour, exact=True),
    ]
    if valued:
        better = action.gain is not None and action.gain > 1e-9
        cells += [
            tag("td", chips(action.value), css="number"),
            tag("td", chips(action.gain), css="number gain" if better else "number"),
            tag("td", short(action.counterfactual), css="number extra"),
        ]
    if regrets:
        cells.append(tag("td", short(action.regret), css="number extra"))
    return cells
