"""A game on a public tree, expanded history by history: the slow and obvious version that vector CFR must agree with.

`ExpandedGame` deals every pair of hands and every board, one card set after the other, and compares hands by looking at
every five cards (`slow_poker`). It shares nothing with the vector solver but the betting tree, which has an oracle of
its own (`betting_dealer`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import numpy.typing as npt
from slow_poker import score

import regretless as rg
from regretless.kernels.constants import DEAL, FOLD
from regretless.method import Settings
from regretless.poker import PublicGame
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.solving.vector_cfr import VectorLearner
from regretless.poker.tree.board_lookup import find_board
from regretless.poker.tree.public_tree import PublicTree

Cards = tuple[int, ...]
State = tuple[int, Cards, Cards, Cards]
"""A node of the betting tree (−1 before the deal), the hands of both players, and the board."""

NOTHING = 1e-12
"""Sums of regrets, and of plans, below which rounding might have made them."""

Table = dict[tuple[int, Any], npt.NDArray[np.float64]]
"""Numbers by (player, (node, hand, board)), one for each action."""


class ExpandedGame(rg.Game):
    """The same game, as a tree of histories.

    `locked` is {node of the betting tree: hand → probabilities}: there chance plays instead of the player. With
    `canonical` only one of the deals that differ by suits is dealt, with the weight of all of them; the deck, the board
    and the ranges must then be the same in all suits.
    """

    def __init__(
        self,
        game: PublicGame,
        locked: Mapping[int, Callable[[Cards], Sequence[float]]] | None = None,
        canonical: bool = False,
    ) -> None:
        self.game, self.betting, self.locked = game, game.betting_tree(), locked or {}
        self.kind, self.first_child = self.betting.kind.tolist(), self.betting.first_child.tolist()
        self.begin = [len(game.first_board)]  # where the cards of each street begin on the board
        for count in game.board_cards:
            self.begin.append(self.begin[-1] + count)
        suits = len(game.deck.suits)
        orders = list(permutations(range(suits))) if canonical else [tuple(range(suits))]
        self.moves = [
            [card // suits * suits + order[card % suits] for card in range(game.deck.size)] for order in orders
        ]
        self.score = cache(lambda cards: score(game.deck, cards))
        self.deal = cache(self._deal)
        self.seen = cache(self._seen)

    def root(self) -> State:
        return (-1, (), (), self.game.first_board)

    def player(self, state: State) -> int:
        node = state[0]
        if node < 0 or self.kind[node] == DEAL or node in self.locked:
            return rg.CHANCE
        return self.kind[node] if self.kind[node] < DEAL else rg.TERMINAL

    def actions(self, state: State) -> Sequence[Any]:
        node = state[0]
        if node < 0 or self.kind[node] == DEAL:
            return list(self.deal(state))
        return self.betting.actions[node]

    def chance(self, state: State) -> Sequence[float]:
        if state[0] in self.locked:
            return self.locked[state[0]](state[1:3][self.kind[state[0]]])
        weights = np.array(list(self.deal(state).values()))
        return [float(weight) for weight in weights / weights.sum()]

    def play(self, state: State, action: Any) -> State:
        node, mine, theirs, board = state
        if node < 0:
            return (0, *action)
        if self.kind[node] == DEAL:
            return (self.first_child[node], *action)
        return (self.first_child[node] + self.betting.actions[node].index(action), mine, theirs, board)

    def infoset(self, state: State) -> tuple[int, Cards, Cards]:
        hand, board = self.seen(state[1:3][self.kind[state[0]]], state[3])
        return (state[0], hand, board)

    def payoffs(self, state: State) -> list[float]:
        node, *hands, board = state
        tree = self.betting
        if self.kind[node] == FOLD:
            return [float(chips) for chips in tree.win[node]]
        mine, theirs = (self.score(tuple(sorted(hand + board))) for hand in hands)
        outcome = (
            (tree.tie, tree.tie)
            if mine == theirs
            else (tree.win, tree.lose)
            if mine > theirs
            else (tree.lose, tree.win)
        )
        return [float(of[node, player]) for player, of in enumerate(outcome)]

    def _deal(self, state: State) -> dict[tuple[Cards, Cards, Cards], float]:
        """What chance can make of a state, with weights."""
        out: dict[tuple[Cards, Cards, Cards], float] = {}
        for hands_and_board, weight in self._deals(state):
            lowest = min(self._moved(hands_and_board, move) for move in self.moves)
            out[lowest] = out.get(lowest, 0.0) + weight
        return out

    def _deals(self, state: State) -> list[tuple[tuple[Cards, Cards, Cards], float]]:
        node, mine, theirs, board = state
        if node >= 0:
            count = self.game.board_cards[int(self.betting.street[node])]
            left = [card for card in range(self.game.deck.size) if card not in {*mine, *theirs, *board}]
            return [((mine, theirs, board + dealt), 1.0) for dealt in combinations(left, count)]
        hands = [tuple(hand) for hand in self.game.deck.hands(self.game.hand_size).tolist()]
        first, second = self.game.hand_weights()
        return [
            ((a, b, board), float(first[i] * second[j]))
            for i, a in enumerate(hands) if first[i] > 0
            for j, b in enumerate(hands) if second[j] > 0 and not {*a} & {*b}
        ]  # fmt: skip

    def _moved(self, sets: tuple[Cards, Cards, Cards], move: list[int]) -> tuple[Cards, Cards, Cards]:
        """Hands and board in other suits; the cards of each street in ascending order."""
        mine, theirs, board = sets
        moved = [move[card] for card in board]
        streets = zip(self.begin, self.begin[1:], strict=False)
        return (
            tuple(sorted([move[card] for card in mine])),
            tuple(sorted([move[card] for card in theirs])),
            (*board[: self.begin[0]], *(card for i, j in streets for card in sorted(moved[i:j]))),
        )

    def _seen(self, hand: Cards, board: Cards) -> tuple[Cards, Cards]:
        """What a player sees, in the suits that make it the lowest."""
        return min((moved[0], moved[2]) for moved in (self._moved((hand, (), board), move) for move in self.moves))


def tree_table(tree: rg.Tree, numbers: npt.NDArray[Any]) -> Table:
    """Numbers by sequence, as a table by infoset."""
    labels = tree.labels
    return {key: np.asarray(numbers[labels.sequences_of(i)]) for key, i in labels.by_player.items()}


def public_table(strategy: PublicStrategy, keys: Sequence[tuple[int, Any]]) -> Table:
    """What a strategy of a public tree plays at infosets (player, (node, hand, board))."""
    tree: PublicTree = strategy.tree
    places: dict[tuple[int, Cards], tuple[int, dict[Cards, int]]] = {}
    blocks: dict[tuple[int, int], npt.NDArray[np.float64]] = {}
    out: Table = {}
    for player, (node, hand, board) in keys:
        if (player, board) not in places:
            found = find_board(tree, int(tree.betting_tree.street[node]), board)
            hands, classes = found.hands(player)
            named = {tuple(h): k for h, k in zip(hands.tolist(), classes.tolist(), strict=True)}
            places[player, board] = (found.number, named)
        number, named = places[player, board]
        if (node, number) not in blocks:
            blocks[node, number] = strategy.block(node, number)
        out[player, (node, hand, board)] = blocks[node, number][:, named[hand]]
    return out


def furthest(one: Table, other: Table, where: Table | None = None) -> float:
    """The largest difference between two tables, where the numbers of a third do not sum to nothing."""
    assert one.keys() == other.keys() and one
    chosen = [key for key in one if where is None or np.maximum(where[key], 0.0).sum() > NOTHING]
    return max(float(np.abs(one[key] - other[key]).max()) for key in chosen)


def calm_learner(game: PublicGame, variant: rg.Variant) -> VectorLearner:
    """A learner whose path can be compared with another's, number by number.

    Where no opponent comes, or where two actions are worth exactly the same, what is zero on paper is what rounding
    leaves of a sum over subsets, and regret matching would play in proportion to it: two correct programs go different
    ways. So regrets that sum to less than `NOTHING` are taken for none.
    """
    learner: VectorLearner = variant.learner(game.problem(), Settings(dtype="float64"))
    learner.walker.works = [work._replace(smallest=NOTHING) for work in learner.walker.works]
    return learner


class SideBySide:
    """The same variant on a public tree and on the tree of histories, iteration by iteration.

    Infosets that are hardly ever reached are not compared.
    """

    def __init__(self, game: PublicGame, tree: rg.Tree, variant: rg.Variant) -> None:
        self.tree, self.infosets = tree, list(tree.labels.by_player)
        self.slow = variant.learner(tree, Settings())
        self.fast = calm_learner(game, variant)
        self.slow.smallest = NOTHING  # type: ignore[attr-defined]

    def advance(self) -> None:
        self.slow.advance(1)
        self.fast.advance(1)

    def difference(self) -> float:
        """The largest difference in values and exploitability."""
        rows = self.slow.measure(), self.fast.measure()
        return max(abs(rows[0][name] - rows[1][name]) for name in ("value", "nash_conv", "exploitability"))

    def strategies_differ(self) -> float:
        """The largest difference in the last iterate and in the average."""
        slow, fast, tree = self.slow, self.fast, self.tree
        arrays = slow.arrays()
        regret = arrays["guess"] if len(arrays["guess"]) else arrays["regret"]
        current, average = (
            public_table(strategy, self.infosets) for strategy in (fast.current_strategy(), fast.average_strategy())
        )
        plays = tree_table(tree, slow.average_strategy().probabilities)
        return max(
            furthest(current, tree_table(tree, slow.current()), tree_table(tree, regret)),
            furthest(average, plays, tree_table(tree, arrays["average"])),
        )
