"""Two solutions of one tree of hold'em: where they differ, and what each player gains or loses.

At a node on a board, the difference of a hand is half the sum over actions of the differences of its probabilities: the
probability that the two solutions act differently. Hands are weighted by how often they come there, averaged over both
solutions. Solutions with locks, other methods or other ranges can be compared as long as boards and betting are the
same; hands that only one of the ranges holds are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.cards.deck import CardText
from regretless.poker.quoting import quoted
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.results.waiting_ev import waiting_ev
from regretless.poker.studying.board_sweeps import SweptBoard, swept_boards
from regretless.poker.studying.checks import check_count, solved_strategy
from regretless.poker.tree.board_lookup import find_board

__all__ = [
    "HandDifference",
    "HoldemDifferences",
    "NodeDifference",
    "check_same_tree",
    "differences",
    "factors_of",
    "node_difference",
]

Array = npt.NDArray[Any]
Pair = tuple[float, float]

ORDERS = ("difference", "gain 0", "gain 1")


@dataclass(frozen=True)
class HandDifference:
    """A hand that plays differently."""

    name: str
    reach: float
    """The probability that a game comes to the node with this hand, averaged over both solutions."""
    difference: float
    one: tuple[float, ...]
    other: tuple[float, ...]
    ev: Pair
    """Expected chips from the node on, in the first and the second solution."""


@dataclass(frozen=True, eq=False)
class NodeDifference:
    """A node on a board in two solutions."""

    line: str
    board: str
    player: int
    pot: float
    reach: Pair
    """The probability that a game comes here, in the first and the second solution."""
    difference: float
    """Expected number of different choices here in a game: the differences of hands, weighted by reach."""
    actions: tuple[str, ...]
    one: tuple[float, ...]
    other: tuple[float, ...]
    """Frequencies of the actions."""
    ev: tuple[Pair, Pair]
    """By player and solution: expected chips from the node on, over all hands that come there; nan if none comes."""
    hands: tuple[HandDifference, ...]
    """The hands that differ most, weighted by reach."""

    def gain(self, player: int) -> float:
        """Chips that a player expects more from the node on in the second solution; nan if one never comes here."""
        first, second = self.ev[player]
        return second - first


@dataclass(frozen=True, eq=False)
class HoldemDifferences:
    """Two solutions of one tree."""

    values: tuple[Pair, Pair]
    """By player and solution: chips per game."""
    pot: float
    nodes: tuple[NodeDifference, ...]
    """Those that differ, the largest difference first."""

    def gain(self, player: int) -> float:
        """Chips per game that a player wins more in the second solution."""
        return self.values[player][1] - self.values[player][0]

    def sorted(self, by: str = "difference") -> HoldemDifferences:
        """The nodes by "difference", or by what player 0 or 1 gains or loses there: "gain 0", "gain 1"."""
        if by not in ORDERS:
            raise OptionError(f"nodes are sorted by {', '.join(ORDERS)}, got {quoted(by)}")

        def key(node: NodeDifference) -> float:
            if by == "difference":
                return node.difference
            gained = node.gain(int(by[-1]))
            return 0.0 if np.isnan(gained) else abs(gained) * (node.reach[0] + node.reach[1])

        nodes = sorted(self.nodes, key=key, reverse=True)
        return HoldemDifferences(self.values, self.pot, tuple(nodes))

    def columns(self) -> dict[str, Array]:
        """The table by columns: a row for each node."""
        names = ("player", "line", "board", "difference", "pot")
        columns = {name: np.array([getattr(node, name) for node in self.nodes]) for name in names}
        columns |= {f"reach {n}": np.array([node.reach[n - 1] for node in self.nodes]) for n in (1, 2)}
        return columns | {f"gain of player {p}": np.array([node.gain(p) for node in self.nodes]) for p in (0, 1)}

    def frame(self) -> Any:
        """A row for each node, as a pandas data frame; a dictionary of columns if pandas is not installed."""
        from regretless.poker.formats.exports import as_frame

        return as_frame(self.columns())

    def __repr__(self) -> str:
        return f"<HoldemDifferences: player 0 gains {self.gain(0):+.4g} chips per game, {len(self.nodes):,} nodes>"


def differences(
    one: Any,
    other: Any,
    board: CardText | None = None,
    *,
    streets: int | None = None,
    most_hands: int = 8,
    values: bool = True,
) -> HoldemDifferences:
    """Where two runs of hold'em (or their strategies) differ, and what each player gains from the first to the second.

    `board` reads one board, with all nodes of its street; without it all boards of the first `streets` streets are
    read, by default of all. `values=False` leaves out the values of the whole game, which need all boards.

    >>> import regretless as rg
    >>> spot = rg.poker.Spot("Qs Jh 2h 7c 3d", ("QQ,AK", "AQ,KJ"), pot=100, stack=100, sizes="bet 50%")
    >>> free, locked = (rg.solve(game, rg.DCFR, iterations=50) for game in (spot, spot.lock("bet 50", {"fold": 1})))
    >>> found = rg.poker.differences(free, locked)
    >>> "bet 50" in [node.line for node in found.nodes], found.gain(0) > 0
    (True, True)
    """
    first, second = (solved_strategy(solved, "differences takes two runs") for solved in (one, other))
    check_count("most_hands", most_hands, least=0)
    check_same_tree(first, second)
    finer = first if first.tree.boards >= second.tree.boards else second
    nodes = []
    for swept in swept_boards(finer.tree, board, streets):
        factors = factors_of(swept, first, second)
        mine, theirs = (_nodes_of(solved, swept) for solved in (first, second))
        for (one_node, one_rest), (other_node, other_rest) in zip(mine, theirs, strict=True):
            found = node_difference((one_node, other_node), (one_rest, other_rest), factors, most_hands)
            if found.difference > 0:
                nodes.append(found)
    worth = [strategy.game_values() if values else np.full(2, np.nan) for strategy in (first, second)]
    by_player = [(float(worth[0][player]), float(worth[1][player])) for player in range(2)]
    return HoldemDifferences((by_player[0], by_player[1]), first.tree.game.pot, tuple(nodes)).sorted()


def check_same_tree(one: PublicStrategy, other: PublicStrategy) -> None:
    """Refuse solutions whose decks, boards or betting differ; ranges and locks may differ."""
    first, second = one.tree.game, other.tree.game
    if (first.deck, first.hand_size) != (second.deck, second.hand_size):
        raise OptionError("the two runs are of games with different decks or hands")
    if set(first.first_board) != set(second.first_board) or first.board_cards != second.board_cards:
        boards = [game.deck.names(game.first_board) or "no cards" for game in (first, second)]
        raise OptionError(f"the two runs begin with different boards: {boards[0]} and {boards[1]}")
    for name, ours, theirs in (
        ("pot", first.pot, second.pot),
        ("stack", getattr(first.betting, "stack", 0), getattr(second.betting, "stack", 0)),
    ):
        if ours != theirs:
            raise OptionError(f"the two runs have different trees: a {name} of {ours:g} and of {theirs:g} chips")
    rakes = [(getattr(game.betting, "rake", 0), getattr(game.betting, "rake_cap", None)) for game in (first, second)]
    if rakes[0] != rakes[1]:
        raise OptionError("the two runs have different payoffs: their rake or its cap is not the same")
    trees = one.tree.betting_tree, other.tree.betting_tree
    same = trees[0].actions == trees[1].actions and np.array_equal(trees[0].parent, trees[1].parent)
    if not same or not np.allclose(trees[0].paid, trees[1].paid):
        raise OptionError("the two runs have different trees: their bet sizes are not the same")


def _nodes_of(strategy: PublicStrategy, swept: SweptBoard) -> list[tuple[NodeStrategy, float]]:
    """The nodes of a board, each with the expected chips of the player who waits there."""
    tree = strategy.tree
    board = swept.found if swept.found.tree is tree else find_board(tree, len(swept.found.path) - 1, swept.found.cards)
    nodes = strategy.at_board(swept.nodes, board)
    return list(zip(nodes, waiting_ev(strategy, swept.nodes, nodes, board), strict=True))


def factors_of(swept: SweptBoard, one: PublicStrategy, other: PublicStrategy) -> Pair:
    """The factor of a pair of hands in each solution, see `SweptBoard`: ranges may have different weights in all."""
    whole = swept.factor * swept.found.tree.normaliser
    return whole / one.tree.normaliser, whole / other.tree.normaliser


def node_difference(
    pair: tuple[NodeStrategy, NodeStrategy], rest: Pair, factors: Pair, most_hands: int = 8
) -> NodeDifference:
    """One node on one board in two solutions; rest: the expected chips of the player who waits, in each of them."""
    one, other = pair
    held = sorted(set(one.names) & set(other.names))
    rows = [np.array([at[name] for name in held], np.int64) for at in map(_positions, pair)]
    masses = [node.mass[row] * factor for node, row, factor in zip(pair, rows, factors, strict=True)]
    reach = 0.5 * (masses[0] + masses[1])
    played = [node.probabilities[row] for node, row in zip(pair, rows, strict=True)]
    apart = 0.5 * np.abs(played[0] - played[1]).sum(axis=1)
    evs = [node.ev[row] for node, row in zip(pair, rows, strict=True)]
    matter = reach * apart
    hands = tuple(
        HandDifference(
            name=held[at],
            reach=float(reach[at]),
            difference=float(apart[at]),
            one=tuple(played[0][at].tolist()),
            other=tuple(played[1][at].tolist()),
            ev=(float(evs[0][at]), float(evs[1][at])),
        )
        for at in np.argsort(-matter, kind="stable")[:most_hands].tolist()
        if matter[at] > 0
    )
    means = (one.mean_ev, other.mean_ev)
    return NodeDifference(
        line=one.line,
        board=one.board,
        player=one.player,
        pot=one.pot,
        reach=(float(one.mass.sum() * factors[0]), float(other.mass.sum() * factors[1])),
        difference=float(matter.sum()),
        actions=one.actions,
        one=tuple(one.frequencies.values()),
        other=tuple(other.frequencies.values()),
        ev=(means, rest) if one.player == 0 else (rest, means),
        hands=hands,
    )


def _positions(node: NodeStrategy) -> dict[str, int]:
    return {name: at for at, name in enumerate(node.names)}
