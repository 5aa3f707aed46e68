"""Flop hold'em against figures that others published, and the same bits on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.poker import Deck, FlopHoldem, Limit, PublicGame

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")

MINI = PublicGame(Deck("9TJQKA", "shd"), 2, (3,), Limit(bets=100, caps=(1, 1), blinds=(50, 100)), big_blind=100)


@pytest.mark.full
def test_flop_holdem() -> None:
    """Uniform play is exploitable by 3,045 mbb/g in total; linear CFR reaches 115 and 64.7 after 20 and 30 iterations.

    The figures are those by which codes for the best response in flop hold'em are calibrated, with at most three raises
    before the flop and a bet with three raises on it.
    """
    tree = FlopHoldem().public_tree()
    learner = rg.LINEAR_CFR.learner(tree, rg.Settings(dtype="float32", threads=tree.default_threads))
    assert learner.measure()["mbb_total"] == pytest.approx(3_045, rel=5e-4)
    learner.advance(20)
    row = learner.measure()
    assert row["mbb_total"] == pytest.approx(115, rel=0.02) and row["mbb_average"] == row["mbb_total"] / 2
    learner.advance(10)
    row = learner.measure()
    assert row["mbb_total"] == pytest.approx(64.7, rel=0.02)
    assert row["value_least"] <= row["value"] <= row["value_most"]


@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_threads_give_the_same_bits(dtype: str) -> None:
    runs = [rg.solve(MINI, rg.CFR_PLUS, iterations=4, dtype=dtype, threads=threads) for threads in (1, 2, 3)]
    for other in runs[1:]:
        assert all(np.array_equal(runs[0].arrays[name], other.arrays[name]) for name in other.arrays)
        assert other.history.nash_conv.tolist() == runs[0].history.nash_conv.tolist()


def test_more_threads_than_boards() -> None:
    """Leduc has three flops up to suits, and one-street games none at all."""
    leduc = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
    kuhn = PublicGame(Deck("JQK", "s"), 1, (), Limit(streets=1, bets=1, caps=1, blinds=(0, 0), ante=1))
    for game, dtype in ((leduc, "float32"), (kuhn, "float64")):
        one, many = (rg.solve(game, rg.CFR_PLUS, iterations=5, dtype=dtype, threads=threads) for threads in (1, 16))
        assert all(np.array_equal(one.arrays[name], many.arrays[name]) for name in one.arrays)


def test_small_games_take_one_thread() -> None:
    leduc = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
    assert leduc.public_tree().numbers < 200_000 and leduc.public_tree().default_threads == 1
    assert rg.solve(leduc, rg.CFR_PLUS, iterations=1, dtype="float32").settings["threads"] == 1
    assert MINI.public_tree().numbers > 200_000
