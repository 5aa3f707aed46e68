"""Walks over public trees against figures that are known exactly; small enough to be followed without the compiler."""

from __future__ import annotations

import numpy as np
import pytest
from numba import typeof

import regretless as rg
from conftest import INTERPRETED
from regretless.method import Settings
from regretless.poker import KUHN, LEDUC, Deck, Limit, PublicGame
from regretless.poker.solving.cpu_walker import kernel_state
from regretless.poker.solving.vector_cfr import VectorLearner

ONE_BET = Limit(bets=(2, 4), caps=1, blinds=(0, 0), ante=1)
GAMES = {
    "kuhn": PublicGame(Deck("JQK", "s"), 1, (), KUHN),
    "leduc": PublicGame(Deck("JQK", "sh"), 1, (1,), LEDUC),
    "pairs": PublicGame(Deck("TJQK", "sh"), 2, (1,), ONE_BET),
    "triples": PublicGame(Deck("TJQK", "sh"), 3, (1,), ONE_BET),
}
UNIFORM = {"kuhn": 11 / 12, "leduc": 4.7472222222}
"""NashConv of uniform play."""

ITERATIONS = 4 if INTERPRETED else 40


def learner(game: PublicGame, variant: rg.Variant = rg.CFR_PLUS, dtype: str = "float64") -> VectorLearner:
    return VectorLearner(game.public_tree(), variant, Settings(dtype=dtype))


@pytest.mark.parametrize("name", UNIFORM)
def test_uniform_play_is_as_exploitable_as_published(name: str) -> None:
    assert learner(GAMES[name]).measure()["nash_conv"] == pytest.approx(UNIFORM[name], abs=1e-9)


@pytest.mark.parametrize("name", UNIFORM)
def test_some_iterations_come_nearer(name: str) -> None:
    made = learner(GAMES[name])
    made.advance(8)
    row = made.measure()
    assert 0 < row["nash_conv"] < UNIFORM[name] / 2
    assert row["value_least"] <= row["value"] <= row["value_most"]


@pytest.mark.parametrize("name", GAMES)
def test_zero_sum(name: str) -> None:
    """What one player wins the other loses, and no strategy does better than a best response."""
    made = learner(GAMES[name])
    made.advance(ITERATIONS)
    (best, own), (other_best, other_own) = made.values(made.numbers.average)
    assert own == pytest.approx(-other_own, abs=1e-12)
    assert best >= own - 1e-12 and other_best >= other_own - 1e-12


@pytest.mark.full
@pytest.mark.parametrize("variant", [rg.CFR_PLUS, rg.PCFR_PLUS], ids=["cfr+", "pcfr+"])
def test_precisions_agree(variant: rg.Variant) -> None:
    """After two iterations, before ties are decided by rounding."""
    rows = []
    for dtype in ("float64", "float32", "int16"):
        made = learner(GAMES["leduc"], variant, dtype)
        assert made.numbers.regret.dtype == dtype
        made.advance(2)
        rows.append(made.measure()["nash_conv"])
    assert rows[1] == pytest.approx(rows[0], abs=1e-4) and rows[2] == pytest.approx(rows[0], abs=1e-2)


@pytest.mark.full
def test_sixteen_bits_follow_thirty_two() -> None:
    plain, short = (learner(GAMES["leduc"], dtype=dtype) for dtype in ("float32", "int16"))
    plain.advance(4)
    short.advance(4)
    assert short.measure()["nash_conv"] == pytest.approx(plain.measure()["nash_conv"], rel=0.02)


def test_locked_nodes_stay() -> None:
    made = learner(GAMES["leduc"].lock("", {"check": 0.25, "bet": 0.75}))
    made.advance(ITERATIONS)
    strategy = made.average_strategy()
    assert np.abs(strategy.block(0, 0) - [[0.25], [0.75]]).max() < 1e-15
    assert made.measure()["nash_conv"] >= 0
    assert strategy.at("bet").probabilities.shape == (6, 3)


def test_looking_at_a_node() -> None:
    made = learner(GAMES["leduc"])
    made.advance(ITERATIONS)
    for line, board in (("", None), ("check bet", None), ("check check / bet", "Ks")):
        seen = made.average_strategy().at(line, board)
        met = seen.opposing > 0
        expected = (seen.probabilities * seen.action_ev).sum(axis=1)
        assert np.abs(seen.ev[met] - expected[met]).max() < 1e-12


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_walks_are_compiled_once_for_a_precision(dtype: str) -> None:
    """However many streets a game has, with locks or without, whatever the variant."""
    made = [learner(game, variant, dtype) for game in GAMES.values() for variant in (rg.CFR_PLUS, rg.PCFR_PLUS)]
    made.append(learner(GAMES["leduc"].lock("", {"check": 0.25, "bet": 0.75}), dtype=dtype))
    types = {
        typeof((one.walker.betting, one.public.book.arrays, kernel_state(one.numbers), one.walker.scratch[0]))
        for one in made
    }
    assert len(types) == 1
