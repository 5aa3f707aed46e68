"""The size of a spot, counted without laying it out: quick enough to follow what a user types.

Boards and hand classes are orbits of the suit permutations that keep the first board and both ranges. Burnside's lemma
counts them: the number of orbits is the mean number of (deal, hand) pairs that a permutation keeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import perm
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public.layout import LANE_WIDTH
from regretless.poker.betting.tree_building import count_actions, count_decisions, counted_situations
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.games import PublicGame
from regretless.poker.tree.memory_estimate import LEAST_BYTES

__all__ = ["SpotSize", "spot_size"]

MOST_NODES = 2_000_000
"""Nodes of the largest betting tree that is counted."""

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class SpotSize:
    """How large the public tree of a spot is."""

    nodes: int
    """Nodes of the betting tree."""
    decisions: tuple[int, ...]
    """Decision nodes of the betting tree on each street."""
    boards: int
    infoset_actions: int
    numbers: int
    """Infoset-actions with rows padded to whole vectors, estimated from the mean row."""
    classes: int
    """Hand classes over all boards."""

    def bytes_needed(self, dtype: str, predictive: bool = False) -> int:
        """Memory of a solve, estimated; compare `PublicTree.bytes_needed`, which is exact."""
        each = {"float64": 8, "float32": 4, "int16": 2}[dtype]
        return self.numbers * each * (3 if predictive else 2) + self.classes * LEAST_BYTES["class"]


def spot_size(game: PublicGame, most_nodes: int = MOST_NODES) -> SpotSize:
    """The size of a game whose later streets deal one card each.

    >>> from regretless.poker.games import Spot
    >>> spot = Spot("Qs Jh 2h 7c", ("QQ+,AK", "JJ-99,AQs"), pot=100, stack=200)
    >>> spot_size(spot).infoset_actions == spot.public_tree().infoset_actions
    True
    """
    if any(cards != 1 for cards in game.board_cards):
        raise OptionError(f"the size is counted for games whose later streets deal one card, got {game.board_cards}")
    situations, nodes = counted_situations(game.betting, most_nodes)
    streets = len(game.board_cards) + 1
    actions = count_actions(situations, streets)
    boards, classes = orbits(game)
    numbers = infoset_actions = 0
    for player in range(2):
        for street in range(streets):
            mean = -(-classes[player][street] // boards[street])
            padded = -(-mean // LANE_WIDTH) * LANE_WIDTH
            infoset_actions += actions[player][street] * classes[player][street]
            numbers += actions[player][street] * boards[street] * padded
    weights = game.hand_weights()
    alike = np.array_equal(weights[0] > 0, weights[1] > 0)
    return SpotSize(
        nodes=nodes,
        decisions=tuple(count_decisions(situations, streets)),
        boards=sum(boards),
        infoset_actions=infoset_actions,
        numbers=numbers,
        classes=sum(classes[0]) if alike else sum(classes[0]) + sum(classes[1]),
    )


def orbits(game: PublicGame) -> tuple[list[int], list[list[int]]]:
    """([streets] boards, [2][streets] hand classes of each player), up to suits."""
    symmetry = Symmetry(game.deck, game.hand_size)
    weights = game.hand_weights()
    kept = symmetry.keeping(game.first_board, weights) if game.isomorphism else np.array([0])
    free = np.setdiff1d(np.arange(game.deck.size), game.first_board)
    hands = game.deck.hands(game.hand_size)
    streets = len(game.board_cards) + 1
    boards, classes = [0] * streets, [[0] * streets for _ in range(2)]
    for permutation in kept:
        moved = symmetry.cards[permutation]
        fixed_cards = int(np.count_nonzero(moved[free] == free))
        fixed_hands = symmetry.sets(game.hand_size)[permutation] == np.arange(len(hands))
        held = (moved[hands] == hands).sum(axis=1)  # [hands] cards of the hand that the permutation keeps
        for street in range(streets):
            boards[street] += perm(fixed_cards, street)
            for player in range(2):
                counts = np.bincount(held[fixed_hands & (weights[player] > 0)], minlength=1)
                classes[player][street] += sum(
                    int(count) * perm(fixed_cards - cards, street) for cards, count in enumerate(counts) if count
                )
    return [count // len(kept) for count in boards], [[count // len(kept) for count in row] for row in classes]
