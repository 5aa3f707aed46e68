"""Tables of infosets: a group of rows for each infoset, with a row for each action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import htpy as h

from regretless.apps.explorer.pages.action_colours import numbered_colours
from regretless.apps.explorer.pages.blocks import Column, head_row, share_cell, wide_table
from regretless.apps.explorer.pages.drawing import colour_patch, draw_view
from regretless.apps.explorer.pages.layout import url
from regretless.apps.views.infoset_measures import ActionRow, InfosetRow
from regretless.apps.views.infoset_views import infoset_view
from regretless.apps.views.number_format import chips, percent, short

if TYPE_CHECKING:
    from regretless.apps.views.loaded_run import LoadedRun

__all__ = ["infoset_cell", "infoset_table", "link_to_infoset"]

REACH: list[Column] = [
    ("reach", "number", "How often games come here"),
    ("EV", "number", "Chips that the player to move expects here"),
]
VALUES: list[Column] = [
    ("EV", "number", "Chips that the player expects after this action"),
    ("gain", "number", "Chips more than the strategy expects here: its regret"),
    ("v(I, a)", "number extra", "Counterfactual value: EV times the probability that chance and the others lead here"),
]
REGRET: Column = ("R(I, a)", "number extra", "Regret that the solve has summed up")
SHOWN_GAIN = 5e-5
"""Smaller gains are shown as zero."""

NEVER = "Play never comes here: what is shown is not part of the solution"


def infoset_cell(loaded: LoadedRun, label: str, player: int, href: str | None = None) -> h.Fragment:
    """An infoset: what its player holds, and its label."""
    name = h.a(href=href)[label] if href else label
    owner = f"player {player}" if player >= 0 else "all players"
    drawn = draw_view(infoset_view(loaded.game, label), small=True)
    return h.fragment[drawn, h.span(".label")[name], h.small[owner]]


def link_to_infoset(loaded: LoadedRun, infoset: int, which: str = "average") -> str | None:
    """The address of an infoset in the outline of its game; None if there is no outline."""
    outline = loaded.outline
    if outline is None:
        return None
    node = outline.address(int(outline.node_of_infoset[infoset]))
    chosen = which if which != "average" else None
    return url("/strategy", run=loaded.entry.number, which=chosen, node=node) + f"#i{infoset}"


def infoset_table(
    rows: Sequence[InfosetRow], loaded: LoadedRun, address: Callable[[int], str | None] | None = None
) -> h.Element:
    """Some infosets; `address` gives the link of each."""
    valued = any(row.reach is not None for row in rows)
    regrets = any(action.regret is not None for row in rows for action in row.actions)
    columns: list[Column] = ["infoset", *(REACH if valued else []), "action", "probability"]
    columns += [*(VALUES if valued else []), *([REGRET] if regrets else [])]
    bodies = [_body(row, loaded, valued, regrets, address) for row in rows]
    return wide_table(head_row(*columns), bodies, css="infosets")


def _body(
    row: InfosetRow, loaded: LoadedRun, valued: bool, regrets: bool, address: Callable[[int], str | None] | None
) -> h.Element:
    span, never = len(row.actions), row.reach == 0
    name = infoset_cell(loaded, row.label, row.player, address(row.number) if address else None)
    mark = h.small(".problem", title=NEVER)["never reached"] if never else None
    first: list[h.Node] = [h.th(rowspan=span, scope="rowgroup")[name, mark]]
    if valued:
        first.append(h.td(".number", rowspan=span)[percent(row.reach)])
        first.append(h.td(".number", rowspan=span)[chips(row.value)])
    colours = numbered_colours(loaded.action_numbers, [action.label for action in row.actions])
    lines = [
        h.tr[first if number == 0 else None, _cells(colours[number], action, valued, regrets)]
        for number, action in enumerate(row.actions)
    ]
    return h.tbody(f"#i{row.number}", class_="unreached" if never else None, data_infoset=row.label)[lines]


def _cells(colour: str, action: ActionRow, valued: bool, regrets: bool) -> list[h.Element]:
    cells = [
        h.td(".action")[colour_patch(colour), action.label],
        share_cell(action.probability, colour, exact=True),
    ]
    if valued:
        better = action.gain is not None and action.gain >= SHOWN_GAIN
        cells += [
            h.td(".number")[chips(action.value)],
            h.td(class_="number gain" if better else "number")[chips(action.gain)],
            h.td(".number.extra")[short(action.counterfactual)],
        ]
    if regrets:
        cells.append(h.td(".number.extra")[short(action.regret)])
    return cells
