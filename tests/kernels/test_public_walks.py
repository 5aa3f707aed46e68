"""Walks over public trees, small enough to be followed without the compiler as well."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.poker import Deck, Limit, PublicGame

KUHN = PublicGame(Deck("JQK", "s"), 1, (), Limit(streets=1, bets=1, caps=1, blinds=(0, 0), ante=1))
LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
PAIRS = PublicGame(Deck("TJQK", "sh"), 2, (1,), Limit(bets=(2, 4), caps=1, blinds=(0, 0), ante=1))
TRIPLES = PublicGame(Deck("TJQK", "sh"), 3, (1,), Limit(bets=(2, 4), caps=1, blinds=(0, 0), ante=1))
ITERATIONS = 4 if INTERPRETED else 40


def learner(game: PublicGame, variant: rg.Variant = rg.CFR_PLUS, dtype: str = "float64") -> Any:
    return game.public_tree().learner(variant, rg.methods.Settings(dtype=dtype))


@pytest.mark.parametrize(("game", "nash_conv"), [(KUHN, 11 / 12), (LEDUC, 4.747222)])
def test_uniform_play(game: PublicGame, nash_conv: float) -> None:
    assert learner(game).measure()["nash_conv"] == pytest.approx(nash_conv, abs=1e-6)


@pytest.mark.parametrize("game", [KUHN, LEDUC, PAIRS, TRIPLES], ids=["kuhn", "leduc", "pairs", "triples"])
def test_zero_sum(game: PublicGame) -> None:
    """What one player wins the other loses, and nobody does better than with a best response."""
    solver = learner(game)
    solver.advance(ITERATIONS)
    (best, own), (other_best, other_own) = solver.values(solver.numbers.average)
    assert own == pytest.approx(-other_own, abs=1e-12)
    assert best >= own - 1e-12 and other_best >= other_own - 1e-12


@pytest.mark.parametrize("variant", [rg.CFR_PLUS, rg.PCFR_PLUS], ids=["cfr+", "pcfr+"])
def test_precisions_agree(variant: rg.Variant) -> None:
    """After two iterations, before ties are decided by rounding."""
    rows = []
    for dtype in ("float64", "float32", "int16"):
        solver = learner(LEDUC, variant, dtype)
        solver.advance(2)
        rows.append(solver.measure()["nash_conv"])
    assert rows[1] == pytest.approx(rows[0], abs=1e-4) and rows[2] == pytest.approx(rows[0], abs=1e-2)


def test_locked_nodes_stay() -> None:
    game = LEDUC.lock("", {"check": 0.25, "bet": 0.75})
    solver = learner(game)
    solver.advance(ITERATIONS)
    strategy = solver.average_strategy()
    assert np.abs(strategy.block(0, 0) - [[0.25], [0.75]]).max() < 1e-15
    assert solver.measure()["nash_conv"] >= 0
    assert strategy.at("bet").probabilities.shape == (6, 3)


def test_looking_at_a_node() -> None:
    solver = learner(LEDUC)
    solver.advance(ITERATIONS)
    for line, board in (("", None), ("check bet", None), ("check check / bet", "Ks")):
        seen = solver.average_strategy().at(line, board)
        met = seen.opposing > 0
        expected = (seen.probabilities * seen.action_ev).sum(axis=1)
        assert np.abs(seen.ev[met] - expected[met]).max() < 1e-12
