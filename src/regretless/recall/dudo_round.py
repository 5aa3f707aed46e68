"""One round of Dudo for any dice, as part of a match: its memories, its hands, and what a challenge is worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.evaluation.claim_games import ClaimWalks, Replies, hands_of
from regretless.kernels.random_streams import first_draw
from regretless.kernels.recall import claim_rounds
from regretless.kernels.recall.claim_rounds import Memories, Side, Sweep
from regretless.variants import Variant

__all__ = ["Round", "memories_of"]

update: Any = claim_rounds.update
average_values: Any = claim_rounds.average_values

Array = npt.NDArray[Any]


def memories_of(claims: int, recall: int) -> Memories:
    """All memories of up to `recall` rising claims, each after those that lead to it."""
    found = [kept for size in range(recall + 1) for kept in combinations(range(claims), size)]
    found.sort(key=lambda kept: (kept[-1] if kept else -1, len(kept), kept))
    number = {kept: i for i, kept in enumerate(found)}
    child = np.full((len(found), claims), -1, np.int32)
    for i, kept in enumerate(found):
        for claim in range(kept[-1] + 1 if kept else 0, claims):
            child[i, claim] = number[(*kept, claim)[-recall:]]
    sizes = np.array([len(kept) for kept in found])
    last = np.array([kept[-1] if kept else -1 for kept in found], np.int32)
    return Memories(last, child, sizes == recall, (sizes % 2).astype(np.int8))


@dataclass
class Round:
    """A round at work: player 0 has dice[0] and begins; `worth(lost)` is what ends it."""

    dice: tuple[int, int]
    sides: int
    recall: int
    worth: Callable[[int, int], float]
    """The value of the match to player 0 after a player (second argument) has lost a number of dice (first)."""
    variant: Variant
    seed: int = 0
    iteration: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.claims = sum(self.dice) * self.sides
        self.memories = memories_of(self.claims, self.recall)
        self.matching, self.deal_probability = zip(*(hands_of(dice, self.sides) for dice in self.dice), strict=True)
        self.hands = tuple(len(dealt) for dealt in self.deal_probability)
        self.shared = self.dice[0] == self.dice[1]
        sides = [self._side(hands) for hands in self.hands[: 1 if self.shared else 2]]
        self.strategies = (sides[0], sides[-1])
        self.challenge = self._challenge()
        self.sweeps = tuple(self._sweep(hands) for hands in self.hands)

    def _side(self, hands: int) -> Side:
        last = self.memories.last.astype(np.int64)
        width = (self.claims - 1 - last + (last >= 0)) * hands
        size = int(width.sum())
        return Side(np.cumsum(width) - width, np.zeros(size, np.float32), np.zeros(size, np.float32))

    def _sweep(self, hands: int) -> Sweep:
        positions = 2 * len(self.memories.last)
        return Sweep(
            np.zeros(positions), np.zeros(positions * hands), np.zeros(positions * hands),
            np.zeros((self.claims + 1) * hands), np.zeros(hands), np.zeros(hands),
        )  # fmt: skip

    def _challenge(self) -> tuple[Array, Array]:
        """[C, dice + 1, 2] chips to each player when a claim is challenged, by how many dice count and who
        challenges."""
        total = sum(self.dice)
        chips = np.zeros((self.claims, total + 1, 2))
        for claim in range(self.claims):
            quantity = claim // self.sides + 1
            for there in range(total + 1):
                for challenger in range(2):
                    margin = there - quantity
                    loser = challenger if margin >= 0 else 1 - challenger
                    lost = min(abs(margin) or 1, self.dice[loser])
                    chips[claim, there, challenger] = self.worth(lost, loser)
        return chips, -chips

    @property
    def infosets(self) -> int:
        """Infosets of both players together; one set where they hold equally many dice and share it."""
        memories = self.memories
        if self.shared:
            return len(memories.last) * self.hands[0]
        asked = [int(np.sum(memories.full | (memories.mover == player))) for player in range(2)]
        return asked[0] * self.hands[0] + asked[1] * self.hands[1]

    @property
    def nbytes(self) -> int:
        """Bytes of regrets, averages and scratch."""
        sides = self.strategies[:1] if self.shared else self.strategies
        return sum(array.nbytes for side in sides for array in side) + sum(a.nbytes for s in self.sweeps for a in s)

    def advance(self, iterations: int) -> None:
        """Run `iterations` more: each player in turn, all own hands against a drawn hand of the other."""
        turns = 2 if self.shared else 1  # of a strategy in an iteration
        steps = self.variant.steps(turns * self.iteration + 1, turns * iterations)
        for number in range(iterations):
            self.iteration += 1
            for who in range(2):
                draw = first_draw(np.uint64(self.seed), self.iteration, who, 0)
                hand = int(np.searchsorted(np.cumsum(self.deal_probability[1 - who])[:-1], draw, side="right"))
                step = steps[2 * number + who] if self.shared else steps[number]
                update(*self._seen_by(who, hand), step)

    def _seen_by(self, who: int, hand: int) -> tuple[Any, ...]:
        mine, theirs = ((self.strategies[p], self.hands[p]) for p in (who, 1 - who))
        matches = (self.matching[who], np.ascontiguousarray(self.matching[1 - who][:, hand]))
        return self.memories, mine, theirs, who, hand, matches, self.challenge[who], self.sweeps[who]

    def value(self) -> float:
        """What player 0 wins by the average strategies, exactly: over all pairs of hands."""
        step = np.zeros(8)
        dealt = self.deal_probability
        worth = [float(average_values(*self._seen_by(0, h), step) @ dealt[0]) for h in range(self.hands[1])]
        return float(np.dot(worth, dealt[1]))

    def best_replies(self, threads: int = 1) -> Replies:
        """What each player wins at best against the other's average, remembering all claims, which that one does not.

        Takes 2^C steps for C claims, however few are remembered: seconds for two dice each, which have 24.
        """
        walks = ClaimWalks(self.dice, self.sides, self.challenge[0], threads=threads)
        child, sides = self.memories.child, self.strategies
        return walks.best_replies(lambda who: walks.by_memory(who, child, sides[who].first, sides[who].average))
