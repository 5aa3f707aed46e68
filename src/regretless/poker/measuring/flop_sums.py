"""From the values of flops to exploitability: exact from all flops, from a sample an estimate with an interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.poker.measuring.checked_down import CheckedDown
from regretless.poker.measuring.flops import FlopGame
from regretless.poker.measuring.trunk_result import TrunkResult, trunk_result

__all__ = ["MeasuredExploitability", "draw_flops", "exploitability_of"]

Array = npt.NDArray[Any]

TINY = 1e-12
"""Sums of squares below this are rounding: all flops are alike."""


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
    """Flops that were measured, each up to suits; a sample may draw one of them more than once, and counts it so."""
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
        different = len(self.trunk.flops["flop"])
        repeated = f", {different:,} of them different" if different < self.flops else ""
        return f"{unit} ± {wide:.3g} ({100 * self.confidence:g} %, {self.flops:,} flops drawn at random{repeated})"


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
    game: FlopGame,
    numbers: Array,
    rows: Array,
    times: Array,
    exact: bool,
    confidence: float = 0.95,
    control: CheckedDown | None = None,
) -> MeasuredExploitability:
    """The exploitability from the rows [n, kinds, 2, lines, classes] of the flops `numbers` [n].

    times [n]: how often each of them counts. A mean over flops is a ratio: the values of a class of hands are divided
    by how many of the counted flops the class can be dealt with. control: what the luck of a sample is measured by.
    """
    sums = _Sums(game, numbers, rows, None if exact else control)
    found = sums.statistics(times)
    error, half = np.zeros(len(found)), np.zeros(len(found))
    if not exact:
        found, error = _jackknife(sums, times, found)
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
        trunk=trunk_result(game, numbers, rows, sums.over_all(times), best, own, intervals, exact),
    )  # fmt: skip


def _pair(numbers: Any) -> tuple[float, float]:
    return float(numbers[0]), float(numbers[1])


class _Sums:
    """Values of the game from the rows of some flops."""

    def __init__(self, game: FlopGame, numbers: Array, rows: Array, control: CheckedDown | None) -> None:
        self.game, self.rows = game, rows
        self.free = np.stack([game.free_share(game.flops[number]) for number in numbers])  # [n, classes]
        self.every = sum(flop.deals * game.free_share(flop) for flop in game.flops)  # [classes]
        self.luck: Array | None = None  # [n, 2, lines, classes] what is won on each flop if hands are checked down
        if control is not None:
            self.luck = np.stack([control.on(game.flops[number]) for number in numbers])
            self.expected = control.every

    def over_all(self, times: Array) -> Array:
        """[kinds, 2, lines, classes] values over all flops with their probabilities, from the counted ones.

        With a control variate the luck of the sample is subtracted: β × (checked down on these flops − on all).
        """
        free = times @ self.free
        share = self.every / np.where(free > 0, free, np.inf)  # what sums over the counted flops stand for
        total = np.tensordot(times, self.rows, 1) * share
        if self.luck is not None:
            lucky = np.tensordot(times, self.luck, 1) * share - np.where(free > 0, self.expected, 0)
            total = total - self._slopes(times, free)[..., None] * lucky
        return np.asarray(self.game.chance * total)

    def _slopes(self, times: Array, free: Array) -> Array:
        """[kinds, 2, lines] how values follow the luck: β by least squares, over all classes of hands together."""
        assert self.luck is not None
        luck, rows = self._apart(self.luck[:, None], times, free), self._apart(self.rows, times, free)
        weight = times[:, None] * self.game.class_size
        moved = np.einsum("nc,nkplc,nqplc->kpl", weight, rows, luck)
        spread = np.einsum("nc,nqplc,nqplc->qpl", weight, luck, luck)
        return np.asarray(np.divide(moved, spread, out=np.zeros_like(moved), where=spread > TINY))

    def _apart(self, rows: Array, times: Array, free: Array) -> Array:
        """[n, …, classes] by how much the flops differ from the mean of the counted ones."""
        mean = np.tensordot(times, rows, 1) / np.where(free > 0, free, np.inf)
        return np.asarray(rows - mean * self.free.reshape(len(rows), *(1,) * (rows.ndim - 2), -1))

    def statistics(self, times: Array) -> Array:
        """[5] NashConv, both players' values with best responses, and those with their strategies; see `worths`.

        Without rake the strategies win 0 together. Sums over a sample of flops do not: each class of hands is free on
        a share of its own of the sampled flops. Half the difference keeps what both players' sums agree on.
        """
        best, own = self.worths(self.over_all(times))
        if self.game.zero_sum:
            mean = (own[0] - own[1]) / 2
            own = (mean, -mean)
        return np.array([sum(best) - sum(own), *best, *own])

    def worths(self, total: Array) -> tuple[tuple[float, float], tuple[float, float]]:
        """Both players' values with best responses and with their strategies, which are 0 where only sums matter."""
        pairs = [
            tuple(self.game.worth(player, total[kind, player], kind == 0) for player in range(2))
            for kind in range(self.game.kinds)
        ]
        own = pairs[1] if self.game.kinds == 2 else (0.0, 0.0)
        return (pairs[0][0], pairs[0][1]), (own[0], own[1])


def _jackknife(sums: _Sums, times: Array, found: Array) -> tuple[Array, Array]:
    """Estimates [5] without their bias of first order, and the standard errors [5]; each draw is left out once.

    With T from n draws and T₍ᵢ₎ without draw i: n·T − (n − 1)·mean T₍ᵢ₎, and √((n − 1)/n · Σ (T₍ᵢ₎ − mean)²)
    (Efron & Stein 1981).
    """
    draws = int(times.sum())
    if draws < 2:
        return found, np.full(len(found), math.inf)
    without = np.stack([sums.statistics(times - left_out) for left_out in np.eye(len(times), dtype=times.dtype)])
    mean = times @ without / draws
    spread = times @ (without - mean) ** 2
    return draws * found - (draws - 1) * mean, np.sqrt((draws - 1) / draws * spread)
