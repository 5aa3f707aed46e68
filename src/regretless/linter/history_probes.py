"""Random descents that estimate how many histories a game has.

Knuth (1975, "Estimating the efficiency of backtrack programs") descends to one random child after another; the product
of the branching factors on the way is an unbiased estimate of the nodes at that depth. Chen (1992, "Heterogeneous
sampling") keeps one random representative of each stratum of like nodes instead of one node in all. Here nodes are
alike when depth, mover and number of actions are equal. Both are unbiased; strata cut the variance by orders of
magnitude where branching is uneven (liar's dice 1×6: none is left).

Deviations from Chen: of a node with very many children only `MOST_CHILDREN` random ones are visited, fewer where a
level has many strata; and when time runs short, all nodes of a level are one stratum. Both stay unbiased.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from regretless.errors import GameError
from regretless.game import CHANCE, TERMINAL, Game, State, shortened
from regretless.linter.deadline import Deadline

__all__ = ["DEEPEST", "LARGEST_COUNT", "Probe", "Stratum", "next_depth"]

DEEPEST = 1_000
"""Moves after which a play is taken to be endless; a game that deep could not be listed anyway."""

MOST_CHILDREN = 24
"""Children of one representative that are visited."""

CHILDREN_PER_LEVEL = 256
"""Children that all representatives of a level share: some games have hundreds of strata."""

SHARE_FOR_STRATA = 0.5
"""The share of the time after which a probe keeps one representative of a level instead of one of each stratum."""


LARGEST_COUNT = 1e280
"""Where counting ends: chess has more histories than a float can hold."""


class Stratum(NamedTuple):
    """Decisions that are alike."""

    depth: int
    player: int
    actions: int


class _Representative:
    """One random node of a stratum that a probe visited, and how many histories it stands for."""

    __slots__ = ("actions", "state", "weight")

    def __init__(self, state: State, actions: Sequence[Any]) -> None:
        self.state, self.actions, self.weight = state, actions, 0.0


Level = dict[tuple[int, int], _Representative]


class Probe:
    """One descent, level by level."""

    def __init__(self, game: Game, rng: random.Random, deadline: Deadline) -> None:
        self.game, self.rng, self.deadline = game, rng, deadline
        self.histories = self.terminals = 0.0
        self.visited = self.depth = 0
        self.infosets: dict[tuple[Stratum, Hashable], float] = defaultdict(float)  # histories each stands for
        self.narrow = False

    def descend(self) -> bool:
        """Follow the game down to its end; False where the time ran out before."""
        level: Level = {}
        self.visit(self.game.root(), 1.0, level)
        while level:
            self.depth = next_depth(self.game, self.depth)
            below: Level = {}
            share = max(1, CHILDREN_PER_LEVEL // len(level))
            for node in level.values():
                if self.deadline.passed():
                    return False
                self.narrow = self.narrow or self.deadline.passed(SHARE_FOR_STRATA)
                self.expand(node, 1 if self.narrow else min(MOST_CHILDREN, share), below)
            level = below
        return True

    def expand(self, node: _Representative, most: int, below: Level) -> None:
        """Visit at most `most` random children of a representative."""
        count = len(node.actions)
        chosen: Sequence[int] = range(count) if count <= most else self.rng.sample(range(count), most)
        for choice in chosen:
            child = self.game.play(node.state, node.actions[choice])
            self.visit(child, min(node.weight * count / len(chosen), LARGEST_COUNT), below)

    def visit(self, state: State, weight: float, level: Level) -> None:
        """Count a node that stands for `weight` histories, and let it compete to represent its stratum."""
        self.visited += 1
        self.histories += weight
        mover = self.game.player(state)
        if mover == TERMINAL:
            self.terminals += weight
            return
        actions = self.game.actions(state)
        if mover != CHANCE:
            self.infosets[Stratum(self.depth, mover, len(actions)), self.game.infoset(state)] += weight
        key = (0, 0) if self.narrow else (mover, len(actions))
        rival = level.setdefault(key, _Representative(state, actions))
        rival.weight += weight
        if self.rng.random() * rival.weight < weight:
            rival.state, rival.actions = state, actions


def next_depth(game: Game, depth: int) -> int:
    """One move deeper; GameError where the play seems to be endless."""
    if depth >= DEEPEST:
        raise GameError(f"{shortened(game)}: a play did not end within {DEEPEST:,} moves")
    return depth + 1
