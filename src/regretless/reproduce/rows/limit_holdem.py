"""Rows about limit hold'em: best responses to strategies that look at no cards."""

from __future__ import annotations

import regretless as rg
from regretless.reproduce.claims import Claim, Expected, Job, Measured
from regretless.reproduce.sources import JOHANSON

__all__ = ["ROWS"]

BLIND = {
    "always fold": (1, 0, 0),
    "always call": (0, 1, 0),
    "always raise": (0, 0, 1),
    "half call, half raise": (0, 1, 1),
}
"""Probabilities to fold, call and raise; they are renormalised where an action is not legal."""

BIG_BLIND = 100
"""Chips."""

SAMPLE = 40
"""Flops of the small version."""


def calibration(job: Job) -> Measured:
    """The mean of both seats' best-response values in mbb/g.

    What the strategy itself wins sums to zero over both seats, so this mean is the exploitability.
    """
    game, numbers = rg.poker.LimitHoldem(), {}
    for name in job.each(BLIND):
        fold, call, raise_ = BLIND[name]
        strategy = rg.poker.card_blind(game, fold=fold, call=call, raise_=raise_)
        flops = job.choose(SAMPLE, None)
        numbers[name] = 1_000 / BIG_BLIND * rg.exploitability(game, strategy, flops=flops, progress=False)
    return Measured(numbers)


ROWS = (
    Claim(
        "limit-holdem-calibration", JOHANSON, "table 1, mbb/g", "Best responses to strategies that look at no cards",
        "rg.exploitability(rg.poker.LimitHoldem(), rg.poker.card_blind(game, fold=…, call=…, raise_=…))",
        (
            Expected("always fold", 750, tolerance=0.01, printed="750"),
            Expected("always call", 1163.48, tolerance=0.01, quick_tolerance=40, printed="1163.48"),
            Expected("always raise", 3697.69, tolerance=0.01, quick_tolerance=120, printed="3697.69"),
            Expected("half call, half raise", 2406.55, tolerance=0.01, quick_tolerance=80, printed="2406.55"),
        ),
        calibration, minutes=2, page="hulh.md",
    ),
)  # fmt: skip
