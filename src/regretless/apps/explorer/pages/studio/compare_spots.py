"""Compare two solutions of one tree of hold'em: differences first, then a node side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import htpy as h

from regretless.apps.explorer.pages.action_colours import node_colours
from regretless.apps.explorer.pages.blocks import figures, head_row, share_cell, wide_table
from regretless.apps.explorer.pages.drawing import action_bar, draw_cards, legend
from regretless.apps.explorer.pages.hand_grid import hand_grid
from regretless.apps.explorer.pages.layout import pager, url
from regretless.apps.explorer.pages.studio.studied_boards import boards_read
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.number_format import chips, percent, plain_chips
from regretless.apps.views.studio.studies import NodePair, differences_of_runs, may_read_all, node_pair, study_board
from regretless.errors import OptionError
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.studying.differences import HoldemDifferences, NodeDifference, check_same_tree

if TYPE_CHECKING:
    from regretless.apps.views.loaded_run import LoadedRun

__all__ = ["ORDERS", "compare_spots"]

PAGE = 40
MOST_HANDS = 40
ORDERS = [
    ("difference", "different choices"),
    ("gain 0", "what player 0 gains or loses"),
    ("gain 1", "what player 1 gains or loses"),
]


def compare_spots(request: PageRequest, one: LoadedRun, two: LoadedRun) -> list[h.Node]:
    """The list of nodes, or with `node` one of them side by side."""
    which = ("average", "current" if one is two else "average")
    strategies = one.stored_strategy(which[0]), two.stored_strategy(which[1])
    if not all(isinstance(strategy, PublicStrategy) for strategy in strategies):
        raise OptionError("both must be runs of hold'em hand by hand, neither of buckets nor of networks")
    check_same_tree(*strategies)
    names = (one.entry.name, f"{two.entry.name}, last iterate" if one is two else two.entry.name)
    here = {"run": one.entry.number, "other": two.entry.number}
    text = request.text("board")[:40]
    if request.all("line"):
        return _side_by_side(node_pair(strategies, request.text("line")[:400], text), names, here)
    board, everything = study_board(strategies[0], text), bool(request.text("all"))
    by = request.choice("by", [name for name, _ in ORDERS])
    found = differences_of_runs(one, two, which, board, everything).sorted(by)
    first = min(request.number("first", 0) or 0, max(len(found.nodes) - 1, 0))
    where = {**here, "by": by, "board": board, "all": 1 if everything else None}
    return [
        _values(found, names),
        boards_read("/compare", may_read_all(strategies[0]), everything, board, {**here, "by": by}),
        pager("/compare", len(found.nodes), first, PAGE, **where),
        _table(found, found.nodes[first : first + PAGE], names, here, strategies[0].tree.game),
    ]


def _gain(value: float, pot: float) -> str:
    """Chips gained or lost, and their share of the pot."""
    if value != value:
        return "–"
    sign = "+" if value > 0 else "−" if value < 0 else ""
    share = percent(abs(value) / pot)
    return f"{chips(value)} ({'' if share == '0%' else sign}{share})"


def _values(found: HoldemDifferences, names: tuple[str, str]) -> list[h.Node]:
    rows = [
        h.tr(data_player=player)[
            h.th(scope="row")[f"player {player}"],
            h.td(".number")[chips(found.values[player][0])],
            h.td(".number")[chips(found.values[player][1])],
            h.td(".number")[_gain(found.gain(player), found.pot)],
        ]
        for player in range(2)
    ]
    head = head_row("chips per game", (names[0], "number"), (names[1], "number"), ("gained (of the pot)", "number"))
    text = (
        "A node counts the choices that differ, times how often games come there. EV gained is what a player expects "
        "from the node on in the second run, less the same in the first."
    )
    return [wide_table(head, h.tbody[rows], css="players"), h.p(".note")[text]]


def _table(
    found: HoldemDifferences,
    shown: Sequence[NodeDifference],
    names: tuple[str, str],
    here: dict[str, Any],
    game: Any,
) -> list[h.Node]:
    if not shown:
        return [h.p(".facts")["The two strategies are the same here."]]
    most = max(node.difference for node in found.nodes)
    head = head_row(
        "node",
        ("different choices", "", "Expected number of different choices here in a game"),
        ("reach", "number", "How often games come here, in the first and the second run"),
        "strategies",
        ("player 0 gains", "number"),
        ("player 1 gains", "number"),
    )
    rows = [_row(node, most, names, here, game) for node in shown]
    return [wide_table(head, h.tbody[rows], css="leaks")]


def _row(node: NodeDifference, most: float, names: tuple[str, str], here: dict[str, Any], game: Any) -> h.Element:
    address = url("/compare", **here, board=node.board) + f"&{_line(node.line)}"
    colours = node_colours(game, node)
    bars = [
        h.div[h.small[name], action_bar(shares, node.actions, colours)]
        for name, shares in zip(names, (node.one, node.other), strict=True)
    ]
    return h.tr(data_line=node.line, data_board=node.board)[
        h.th(scope="row")[h.a(href=address)[node.line or "start"], h.small[f"player {node.player}, {node.board}"]],
        share_cell(node.difference / most if most > 0 else 0.0, "cost", percent(node.difference)),
        h.td(".number")[percent(node.reach[0]), h.br, percent(node.reach[1])],
        h.td(".whole")[bars],
        [h.td(".number")[_gain(node.gain(player), node.pot)] for player in range(2)],
    ]


def _line(line: str) -> str:
    """A line of play in an address; the beginning is an empty text, which must not be left out."""
    return url("", line=line)[1:] or "line="


def _side_by_side(pair: NodePair, names: tuple[str, str], here: dict[str, Any]) -> list[h.Node]:
    node = pair.difference
    colours = node_colours(pair.views[0].node.game, node)

    def address(run: int) -> Any:
        return lambda label: url("/strategy", run=run, line=node.line, board=node.board, hand=label) + "#combos"

    grids = [
        h.div[h.h2[name], legend(node.actions, shares, colours), hand_grid(view, address(run), "")]
        for name, view, shares, run in zip(names, pair.views, (node.one, node.other), here.values(), strict=True)
    ]
    numbers = [(f"player {player} gains from here on", _gain(node.gain(player), node.pot)) for player in range(2)]
    numbers += [("reach", " → ".join(percent(reach) for reach in node.reach))]
    return [
        h.p[h.a(href=url("/compare", **here, board=node.board), data_key="Backspace")["All differences"]],
        h.p(".facts")[h.b[node.line or "start"], f": {pair.views[0].summary}"],
        h.p(".board-cards")[draw_cards(node.board)],
        [
            h.p(".problem")[h.b[name], " ", h.span[text]]
            for name, view in zip(names, pair.views, strict=True)
            for text in view.warnings
        ],
        figures(numbers),
        h.div(".three-grids")[
            grids,
            h.div[
                h.h2["EV gained by each class, chips"],
                h.p(".note")["The second run less the first."],
                hand_grid(pair.gains, address(here["other"]), ""),
            ],
        ],
        _hands(node, names, colours),
    ]


def _hands(node: NodeDifference, names: tuple[str, str], colours: Sequence[str]) -> h.Element:
    head = head_row(
        "hand", ("comes here", "number"), "difference", "strategies", (f"EV {names[0]}", "number"),
        (f"EV {names[1]}", "number"), ("gained", "number"),
    )  # fmt: skip
    rows = [
        h.tr(data_hand=hand.name)[
            h.th(scope="row")[draw_cards(hand.name, small=True)],
            h.td(".number")[percent(hand.reach)],
            share_cell(hand.difference, "cost"),
            h.td(".whole")[[action_bar(shares, node.actions, colours) for shares in (hand.one, hand.other)]],
            [h.td(".number")[plain_chips(value) if value >= 0 else chips(value)] for value in hand.ev],
            h.td(".number")[chips(hand.ev[1] - hand.ev[0])],
        ]
        for hand in node.hands[:MOST_HANDS]
    ]
    return h.section[h.h2["Hands that differ most"], wide_table(head, h.tbody[rows], css="combos")]
