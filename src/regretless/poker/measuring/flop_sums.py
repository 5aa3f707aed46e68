"""From the values of flops to exploitability: exact from all flops, from a sample an estimate with an interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.poker.measuring.flops import FlopGame
from regretless.poker.measuring.trunk_result import TrunkResult, trunk_result

__all__ = ["MeasuredExploitability", "draw_flops", "exploitability_of"]

Array = npt.NDArray[Any]


class MeasuredExploitability(float):
    """An exploitability in chips per game, with what is known about it. It is a number like any other.

    From a sample of flops it is an estimate. A best response chooses its actions before the flop by values summed over
    flops, so with sampled sums it adapts to the sample and its value is biased upwards. The jackknife removes the bias
    to first order and gives the standard error; `low` and `high` are the ends of the confidence interval.
    """

    best_responses: tuple[float, float]
    """What each player wins with a best response against the strategy, chips; estimates from a sample of flops."""
    values: tuple[float, float] | None
    """What each player wins with the strategy itself, an estimate from a sample of flops; None where it was not
    computed: without rake, `values=True` asks for it."""
    value_intervals: tuple[tuple[float, float], tuple[float, float]] | None
    """The ends of the confidence interval of each of `values`; both are the value itself where all flops were
    measured."""
    low: float
    high: float
    standard_error: float
    confidence: float
    flops: int
    """Flops that were measured, each up to suits; a sample may draw one of them more than once."""
    exact: bool
    """Whether all flops were measured."""
    mbb: float | None
    """In thousandths of a big blind per game; None without a big blind."""
    trunk: TrunkResult
    """Values by flop and by line, bounds on the value of the game, and both players' ranges before the flop."""

    def __new__(cls, chips: float, **known: Any) -> MeasuredExploitability:
        """A number with attributes."""
        made = super().__new__(cls, chips)
        for name, value in known.items():
            object.__setattr__(made, name, value)
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[float], dict[str, Any]]:
        return (float(self),), dict(self.__dict__)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a measured exploitability cannot be changed: {name}")

    def __str__(self) -> str:
        unit = f"{self.mbb:.6g} mbb/g" if self.mbb is not None else f"{float(self):.6g} chips a game"
        if self.exact:
            return f"{unit} (exact, {self.flops:,} flop{'s' * (self.flops != 1)})"
        half = (self.high - self.low) / 2
        wide = half * self.mbb / float(self) if self.mbb is not None and float(self) else half
        return f"{unit} ± {wide:.3g} ({100 * self.confidence:g} %, {self.flops:,} flops drawn at random)"


def draw_flops(game: FlopGame, count: int | None, seed: int) -> npt.NDArray[np.int64]:
    """[flops] how often each flop counts: its number of deals, or how often it was drawn.

    The sample is plain: every deal is equally likely in each of `count` draws, with replacement.
    """
    deals = np.array([flop.deals for flop in game.flops], np.int64)
    if count is None or count >= len(deals):
        return deals
    drawn = np.random.default_rng(seed).choice(len(deals), count, p=deals / deals.sum())
    return np.bincount(drawn, minlength=len(deals))


def exploitability_of(
    game: FlopGame, numbers: Array, rows: Array, times: Array, exact: bool, confidence: float = 0.95
) -> MeasuredExploitability:
    """The exploitability from the rows [n, kinds, 2, lines, classes] of the flops `numbers` [n].

    times [n]: how often each of them counts. A mean over flops is a ratio: the values of a class of hands are divided
    by how many of the counted flops the class can be dealt with.
    """
    sums = _Sums(game, numbers)
    total, free = np.tensordot(times, rows, 1), times @ sums.free
    found = sums.statistics(total, free)
    error, half = np.zeros(len(found)), np.zeros(len(found))
    if not exact:
        found, error = _jackknife(sums, rows, times, found)
        draws = int(times.sum())
        from scipy.special import stdtrit

        half = float(stdtrit(draws - 1, (1 + confidence) / 2)) * error if draws > 1 else error
    low, high = found - half, found + half
    best, own, intervals = _pair(found[1:3]), None, None
    if game.kinds == 2:
        own, intervals = _pair(found[3:]), (_pair([low[3], high[3]]), _pair([low[4], high[4]]))
    chips, blind = max(float(found[0]), 0.0) / 2, game.game.big_blind
    return MeasuredExploitability(
        chips, best_responses=best, values=own, value_intervals=intervals, low=float(low[0]) / 2,
        high=float(high[0]) / 2, standard_error=float(error[0]) / 2, confidence=confidence,
        flops=int(times.sum()) if not exact else len(numbers), exact=exact,
        mbb=None if not blind else 1_000 * chips / blind,
        trunk=trunk_result(game, numbers, rows, total * sums.scale(free), best, own, intervals, exact),
    )  # fmt: skip


def _pair(numbers: Any) -> tuple[float, float]:
    return float(numbers[0]), float(numbers[1])


class _Sums:
    """Values of the game from sums over flops."""

    def __init__(self, game: FlopGame, numbers: Array) -> None:
        self.game = game
        self.free = np.stack([game.free_share(game.flops[number]) for number in numbers])  # [n, classes]
        self.every = sum(flop.deals * game.free_share(flop) for flop in game.flops)  # [classes]

    def scale(self, free: Array) -> Array:
        """[classes] what sums over the counted flops are multiplied by; free [classes]: see `worths`."""
        return np.asarray(self.game.chance * self.every / np.where(free > 0, free, np.inf))

    def statistics(self, total: Array, free: Array) -> Array:
        """[5] NashConv, both players' values with best responses, and those with their strategies; see `worths`.

        Without rake the strategies win 0 together. Sums over a sample of flops do not: each class of hands is free on
        a share of its own of the sampled flops. Half the difference keeps what both players' sums agree on.
        """
        best, own = self.worths(total, free)
        if self.game.zero_sum:
            mean = (own[0] - own[1]) / 2
            own = (mean, -mean)
        return np.array([sum(best) - sum(own), *best, *own])

    def worths(self, total: Array, free: Array) -> tuple[tuple[float, float], tuple[float, float]]:
        """Both players' values with best responses and with their strategies, which are 0 where only sums matter.

        total [kinds, 2, lines, classes] and free [classes]: sums over the counted flops.
        """
        game, scale = self.game, self.scale(free)
        pairs = [
            tuple(game.worth(player, total[kind, player] * scale, kind == 0) for player in range(2))
            for kind in range(game.kinds)
        ]
        own = pairs[1] if game.kinds == 2 else (0.0, 0.0)
        return (pairs[0][0], pairs[0][1]), (own[0], own[1])


def _jackknife(sums: _Sums, rows: Array, times: Array, found: Array) -> tuple[Array, Array]:
    """Estimates [5] without their bias of first order, and the standard errors [5]; each draw is left out once.

    With T from n draws and T₍ᵢ₎ without draw i: n·T − (n − 1)·mean T₍ᵢ₎, and √((n − 1)/n · Σ (T₍ᵢ₎ − mean)²)
    (Efron & Stein 1981).
    """
    draws = int(times.sum())
    if draws < 2:
        return found, np.full(len(found), math.inf)
    total, free = np.tensordot(times, rows, 1), times @ sums.free
    without = np.stack([sums.statistics(total - row, free - share) for row, share in zip(rows, sums.free, strict=True)])
    mean = times @ without / draws
    spread = times @ (without - mean) ** 2
    return draws * found - (draws - 1) * mean, np.sqrt((draws - 1) / draws * spread)
