"""Dice games of rising claims as vectors of hands: what can be won from a strategy, exactly, also where the game is far
too large to list."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from math import factorial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.games.claims import ClaimGame
from regretless.kernels.numba_ext.vectors import WIDTH
from regretless.kernels.recall import claim_tree
from regretless.kernels.recall.claim_response import BY_MEMORY, BY_TABLE, BY_TREE, Opponent
from regretless.kernels.recall.claim_tree import COLLECT, GATHER, WHOLE, Frontier, Scratch, Seat
from regretless.kernels.sampling.infoset_table import InfosetTable
from regretless.threads import run_together

__all__ = ["ClaimWalks", "Replies", "chips_of", "hands_of", "has_claim_rules"]

Array = npt.NDArray[Any]

walk: Any = claim_tree.walk

SHARED_FROM = 14
"""Claims from which on a walk is shared between threads."""

FIRST_CLAIMS = 4
"""A walk is split at the sets of claims among this many of the lowest ones."""

MOST_CLAIMS = 30
"""2^30 sets of claims take some ten minutes to walk."""


def hands_of(dice: int, sides: int) -> tuple[Array, Array]:
    """All different hands: how many dice count for a claim of each face [faces, R], and their probabilities [R].

    Faces in the order of claims, the wild one last: it counts for all.
    """
    rolls = list(combinations_with_replacement(range(sides), dice))
    counts = np.array([[roll.count(face) for face in range(sides)] for roll in rolls])
    ways = np.array([factorial(dice) / np.prod([factorial(n) for n in row]) for row in counts.tolist()])
    wild = counts[:, [-1]]
    matching = np.where(np.arange(sides) == sides - 1, counts, counts + wild)
    return np.ascontiguousarray(matching.T.astype(np.int64)), ways / ways.sum()


def has_claim_rules(game: Any) -> bool:
    """Whether a game is a round of rising claims, with no rule of its own and with perfect recall."""
    return isinstance(game, ClaimGame) and game.perfect_recall and type(game).payoffs is ClaimGame.payoffs


def chips_of(game: ClaimGame) -> Array:
    """[C, dice + 1, 2] what player 0 wins when a claim is challenged, by how many dice count and who challenges."""
    dice = sum(game.hands)
    chips = np.zeros((dice * game.sides, dice + 1, 2))
    for claim, there, challenger in np.ndindex(*chips.shape):
        margin = there - claim // game.sides - 1
        loser = challenger if margin >= 0 else 1 - challenger
        price = game.price(margin, loser)
        chips[claim, there, challenger] = price if loser else -price
    return chips


class ClaimWalks:
    """The walks of both players through all sets of claims, on one thread or on several.

    Rows of hands are filled up to a multiple of sixteen: `width` of each player, of which `hands` are real.
    """

    def __init__(
        self, dice: tuple[int, int], sides: int, chips: Array, *, dtype: str = "float64", threads: int = 1
    ) -> None:
        """chips: see `chips_of`."""
        self.dice, self.sides, self.chips, self.dtype = dice, sides, chips, np.dtype(dtype)
        self.claims = sum(dice) * sides
        if self.claims > MOST_CLAIMS:
            raise OptionError(
                f"{dice[0]} against {dice[1]} dice of {sides} sides make 2^{self.claims} sets of claims, too many to "
                f"walk; 2^{MOST_CLAIMS} are the most"
            )
        self.matching, self.deal_probability = zip(*(hands_of(held, sides) for held in dice), strict=True)
        self.hands = tuple(len(dealt) for dealt in self.deal_probability)
        self.width = tuple(-(-hands // WIDTH) * WIDTH for hands in self.hands)
        self.ahead, self.size = self._places()
        self.seats = tuple(self._seat(who) for who in range(2))
        shared = threads > 1 and self.claims >= SHARED_FROM
        self.threads = threads if shared else 1
        self.scratches = [[self._scratch(who) for who in range(2)] for _ in range(self.threads)]
        self.frontiers = tuple(self._frontier(who) for who in range(2))

    @classmethod
    def of(cls, game: ClaimGame, *, dtype: str = "float64", threads: int = 1) -> ClaimWalks:
        """Those of a game."""
        if not has_claim_rules(game):
            raise OptionError(
                f"rg.games.Dudo or rg.games.LiarsDice is needed here, as it is and without recall=, got {game!r}"
            )
        return cls(game.hands, game.sides, chips_of(game), dtype=dtype, threads=threads)

    def _places(self) -> tuple[Array, int]:
        """How far from the numbers of a set those of the sets lie that follow [C + 1, 2, C], and how many there are.

        The numbers of a set come first, then those of all sets that begin with it. After the highest claim there is
        nothing to choose, so there are no numbers.
        """
        claims = self.claims
        size = np.zeros((claims + 1, 2), np.int64)  # by last claim + 1 and mover: numbers from a set on
        ahead = np.zeros((claims + 1, 2, claims), np.int64)
        for last in range(claims - 2, -2, -1):
            for mover in range(2):
                own = (claims - 1 - last + (last >= 0)) * self.width[mover]
                sizes = size[last + 2 :, 1 - mover]
                ahead[last + 1, mover, last + 1 :] = own + np.cumsum(sizes) - sizes
                size[last + 1, mover] = own + sizes.sum()
        return ahead, int(size[0, 0])

    def _seat(self, who: int) -> Seat:
        other, (faces, dice) = 1 - who, (self.sides, self.dice[1 - who])
        order = np.argsort(self.matching[other], axis=1, kind="stable")
        ends = (self.matching[other][:, :, None] <= np.arange(dice + 1)).sum(axis=1)
        doubted = np.zeros((self.claims, 2, dice + 1, self.width[who]), self.dtype)
        for claim, mover, count in np.ndindex(*doubted.shape[:3]):
            won = self.chips[claim, self.matching[who][claim % faces] + count, mover]
            doubted[claim, mover, count, : self.hands[who]] = won if who == 0 else -won
        dealt = np.zeros(self.width[other], self.dtype)
        dealt[: self.hands[other]] = self.deal_probability[other]
        return Seat(who, self.ahead, order, ends, doubted, dealt)

    def _scratch(self, who: int) -> Scratch:
        deep, wide, (own, other) = self.claims + 2, self.claims + 1, (self.width[who], self.width[1 - who])
        return Scratch(
            np.zeros((deep, other), self.dtype), np.zeros((deep, wide, other), self.dtype),
            np.zeros((deep, wide, own), self.dtype), np.zeros((deep, own), self.dtype), np.zeros((deep, 6), np.int64),
        )  # fmt: skip

    def _frontier(self, who: int) -> Frontier:
        crossings = (self.claims << FIRST_CLAIMS) if self.threads > 1 else 1
        reach, value = (np.zeros((crossings, self.width[player]), self.dtype) for player in (1 - who, who))
        return Frontier(FIRST_CLAIMS, np.zeros((crossings, 5), np.int64), reach, value)

    def walk(
        self, who: int, numbers: tuple[Array, Array], opponent: Opponent, weight: float, learning: bool
    ) -> tuple[float, int]:
        """One walk of a player: what it wins, and how many sets it visited."""
        seat, scratch, frontier = self.seats[who], self.scratches[0][who], self.frontiers[who]
        root, weight = np.array([-1, 0, 0, 0, 0]), self.dtype.type(weight)

        def from_root(phase: int) -> tuple[int, int]:
            scratch.reach[0] = seat.chance
            visited, crossed = walk(seat, numbers, opponent, scratch, root, weight, learning, phase, frontier)
            return int(visited), int(crossed)

        if self.threads == 1:
            visited = from_root(WHOLE)[0]
        else:
            crossings = from_root(GATHER)[1]
            sizes = np.argsort(frontier.start[:crossings, 0], kind="stable")  # the largest first
            waiting = iter(sizes.tolist())

            def work(thread: int) -> int:
                own, done = self.scratches[thread][who], 0
                for number in waiting:
                    own.reach[0] = frontier.reach[number]
                    start = frontier.start[number]
                    done += walk(seat, numbers, opponent, own, start, weight, learning, WHOLE, frontier)[0]
                    frontier.value[number] = own.value[0]
                return done

            visited = sum(run_together(work, self.threads))
            visited += from_root(COLLECT)[0]
        return float(scratch.value[0, : self.hands[who]] @ self.deal_probability[who]), visited

    def by_tree(self) -> Opponent:
        """An opponent who plays by the numbers of the walk."""
        return Opponent(BY_TREE, *_no_memory(), _no_table(), np.zeros(1, np.int64), 0, np.zeros(1, self.dtype))

    def place_of(self, claimed: int) -> int:
        """Where the numbers of a set of claims begin."""
        place, last, mover = 0, -1, 0
        for claim in range(claimed.bit_length()):
            if claimed >> claim & 1:
                place += int(self.ahead[last + 1, mover, claim])
                last, mover = claim, 1 - mover
        return place

    def keys(self, player: int) -> Array:
        """[hands] as the game writes them: a run of bits for each face that counts its dice."""
        bits = sum(self.dice).bit_length()
        hands = combinations_with_replacement(range(self.sides), self.dice[player])
        return np.array([sum(1 << bits * face for face in hand) for hand in hands], np.int64)

    def by_table(self, player: int, table: InfosetTable, numbers: Array, part: int) -> Opponent:
        """An opponent who plays by a table of infosets, and by one run of their numbers."""
        return Opponent(BY_TABLE, *_no_memory(), table, self.keys(player), part, numbers)

    def by_memory(self, player: int, child: Array, first: Array, weights: Array) -> Opponent:
        """An opponent who forgets; see `Opponent`."""
        return Opponent(BY_MEMORY, child, first, _no_table(), self.keys(player), 0, weights.astype(self.dtype))

    def best_replies(self, opponent: Callable[[int], Opponent]) -> Replies:
        """What each player wins at best against `opponent(player)` of the other, remembering all that was claimed."""
        none = np.zeros(0, self.dtype), np.zeros(0, self.dtype)
        return Replies(*(self.walk(who, none, opponent(1 - who), 0.0, False)[0] for who in range(2)))


class Replies(NamedTuple):
    """What a best response of each player wins from the other's strategy; chips."""

    first: float
    second: float

    @property
    def nash_conv(self) -> float:
        """What both could gain together, in a game where one wins what the other loses."""
        return self.first + self.second

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which the value of the game to player 0 lies."""
        return -self.second, self.first


def _no_memory() -> tuple[Array, Array]:
    return np.zeros((1, 1), np.int32), np.zeros(1, np.int64)


def _no_table() -> InfosetTable:
    none, slots = np.zeros(1, np.int64), np.zeros(1, np.uint32)
    return InfosetTable(slots, none, slots, none, none, none, words=2, lead=0, parts=2, mask=0)
