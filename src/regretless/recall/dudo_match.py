"""A whole match of Dudo: the value of every pair of numbers of dice, from the fewest dice up.

A round ends when a player loses dice, and the next round has fewer: once the values of all smaller rounds are known,
the payoff of a challenge is known, and a round is a game of its own (Neller & Hnath 2011, §4).
"""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError, OptionError
from regretless.games.parameters import need_whole
from regretless.linter.memory import available_memory, in_units
from regretless.recall.dudo_round import Round
from regretless.storage import needed, read_arrays, while_locked, write_arrays
from regretless.variants import CFR_PLUS, Variant

__all__ = ["DudoMatch", "solve_dudo_match"]

Array = npt.NDArray[Any]

FORMAT, VERSION = "regretless.dudo_match", 1

SECONDS_PER_CALL = 5.0
"""Seconds of one call of `Round.advance`; progress is reported between calls."""


@dataclass
class DudoMatch:
    """The values of a match: `value[a, b]` to the player who begins a round with a dice against b, from −1 to 1."""

    dice: int
    sides: int
    recall: int
    value: Array = field(repr=False)  # [dice + 1, dice + 1]; NaN where not solved yet
    iterations: Array = field(repr=False)  # [dice + 1, dice + 1]
    seconds: Array = field(repr=False)  # [dice + 1, dice + 1]
    infosets: Array = field(repr=False)  # [dice + 1, dice + 1]

    @classmethod
    def fresh(cls, dice: int, sides: int, recall: int) -> DudoMatch:
        """A match in which only the rounds that are over have a value."""
        size = (dice + 1, dice + 1)
        value = np.full(size, np.nan)
        value[0, 1:], value[1:, 0] = -1.0, 1.0
        return cls(dice, sides, recall, value, np.zeros(size, np.int64), np.zeros(size), np.zeros(size, np.int64))

    def rounds(self) -> Iterator[tuple[int, int]]:
        """All rounds (dice of who begins, dice of the other), fewest dice first."""
        pairs = [(a, b) for a in range(1, self.dice + 1) for b in range(1, self.dice + 1)]
        return iter(sorted(pairs, key=lambda pair: (sum(pair), pair)))

    def worth(self, dice: tuple[int, int]) -> Callable[[int, int], float]:
        """The value of the match to the player who began a round, as a function of dice lost and who lost them."""

        def after(lost: int, loser: int) -> float:
            left = [dice[0], dice[1]]
            left[loser] -= lost
            if 0 in left:
                return -1.0 if left[0] == 0 else 1.0
            winner = 1 - loser  # who won the challenge begins
            return float(self.value[left[0], left[1]] if winner == 0 else -self.value[left[1], left[0]])

        return after

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what is solved so far, atomically."""
        arrays = {name: getattr(self, name) for name in ("value", "iterations", "seconds", "infosets")}
        meta = {"format": FORMAT, "version": VERSION, "dice": self.dice, "sides": self.sides, "recall": self.recall}
        write_arrays(path, arrays, meta)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DudoMatch:
        """Read what `save` wrote."""
        arrays, meta = read_arrays(path, FORMAT, VERSION)
        try:
            dice, sides, recall = (operator.index(meta[name]) for name in ("dice", "sides", "recall"))
        except (KeyError, TypeError):
            raise FileError(f"{os.fspath(path)}: the header is damaged") from None
        columns = [needed(path, arrays, name) for name in ("value", "iterations", "seconds", "infosets")]
        if any(column.shape != (dice + 1, dice + 1) for column in columns):
            raise FileError(f"{os.fspath(path)}: the tables do not fit {dice} dice")
        return cls(dice, sides, recall, *columns)

    def __str__(self) -> str:
        head = "value to who begins, by own dice (rows) and the other's (columns)"
        lines = [head, "     " + "".join(f"{b:>8}" for b in range(1, self.dice + 1))]
        for a in range(1, self.dice + 1):
            row = ("       –" if np.isnan(v) else f"{v:8.4f}" for v in self.value[a, 1:])
            lines.append(f"{a:>5}" + "".join(row))
        return "\n".join(lines)


def solve_dudo_match(
    dice: int = 5,
    *,
    sides: int = 6,
    recall: int = 3,
    iterations: int = 2_000,
    variant: Variant = CFR_PLUS,
    seed: int = 0,
    most: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Callable[[DudoMatch, tuple[int, int], Round], object] | None = None,
) -> DudoMatch:
    """Solve every round of a match with up to `dice` dice a side, from the fewest dice on.

    Each round gets `iterations` iterations; rounds with more than `most` dice in all are left out. With `checkpoint`
    every finished round is saved, and the next call goes on after the last one. `progress` is called every few
    seconds.
    """
    need_whole("A Dudo match", "dice", dice, least=1, most=5)
    need_whole("A Dudo match", "sides", sides, least=2)
    need_whole("A Dudo match", "last claims", recall, least=1, name="recall")
    need_whole("A Dudo match", "iterations", iterations, least=1)
    with while_locked(checkpoint):
        return _solve_rounds(
            DudoMatch.fresh(dice, sides, recall), iterations, variant, seed, most, checkpoint, progress
        )


def _solve_rounds(
    match: DudoMatch,
    iterations: int,
    variant: Variant,
    seed: int,
    most: int | None,
    checkpoint: str | os.PathLike[str] | None,
    progress: Any,
) -> DudoMatch:
    """Solve the rounds that the checkpoint does not hold yet."""
    dice, sides, recall = match.dice, match.sides, match.recall
    if checkpoint is not None and Path(checkpoint).exists():
        match = DudoMatch.load(checkpoint)
        if (match.dice, match.sides, match.recall) != (dice, sides, recall):
            raise OptionError(
                f"{os.fspath(checkpoint)} is a match with {match.dice} dice of {match.sides} sides and recall "
                f"{match.recall}, not {dice}, {sides} and {recall}: name another file"
            )
    for pair in match.rounds():
        if np.isnan(match.value[pair]) and (most is None or sum(pair) <= most):
            _solve_round(match, pair, iterations, variant, seed, progress)
            if checkpoint is not None:
                match.save(checkpoint)
    return match


def _solve_round(
    match: DudoMatch, pair: tuple[int, int], iterations: int, variant: Variant, seed: int, progress: Any
) -> None:
    began = time.perf_counter()
    free = available_memory()
    played = Round(pair, match.sides, match.recall, match.worth(pair), variant, seed)
    if free is not None and played.nbytes > free:
        raise OptionError(
            f"a round of {pair[0]} against {pair[1]} dice takes {in_units(played.nbytes)} "
            f"where {in_units(free)} are free"
        )
    rate = 0.0
    while played.iteration < iterations:
        count = min(iterations - played.iteration, max(1, int(rate * SECONDS_PER_CALL)))
        start = time.perf_counter()
        played.advance(count)
        rate = count / max(time.perf_counter() - start, 1e-9)
        if progress is not None:
            progress(match, pair, played)
    match.value[pair] = played.value()
    match.iterations[pair], match.infosets[pair] = played.iteration, played.infosets
    match.seconds[pair] = time.perf_counter() - began
