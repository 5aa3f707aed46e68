"""Walks over public trees, compiled or not, against figures that are known exactly."""

from __future__ import annotations

import numpy as np
import pytest

import regretless as rg
from regretless.methods.learner import Settings
from regretless.poker import KUHN, LEDUC, Deck, PublicGame
from regretless.poker.learner import VectorLearner

GAMES = {"kuhn": PublicGame(Deck("JQK", "s"), 1, (), KUHN), "leduc": PublicGame(Deck("JQK", "sh"), 1, (1,), LEDUC)}
UNIFORM = {"kuhn": 11 / 12, "leduc": 4.7472222222}
"""NashConv of uniform play."""


def learner(name: str, variant: rg.Variant = rg.CFR_PLUS, dtype: str = "float64") -> VectorLearner:
    return VectorLearner(GAMES[name].public_tree(), variant, Settings(dtype=dtype))


@pytest.mark.parametrize("name", GAMES)
def test_uniform_play_is_as_exploitable_as_published(name):
    assert learner(name).measure()["nash_conv"] == pytest.approx(UNIFORM[name], abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_some_iterations_come_nearer(name):
    made = learner(name)
    made.advance(8)
    row = made.measure()
    assert 0 < row["nash_conv"] < UNIFORM[name] / 2
    assert row["value_least"] <= row["value"] <= row["value_most"]


def test_sixteen_bits_follow_thirty_two():
    plain, short = (learner("leduc", dtype=dtype) for dtype in ("float32", "int16"))
    plain.advance(4)
    short.advance(4)
    assert short.numbers.regret.dtype == np.int16
    assert short.measure()["nash_conv"] == pytest.approx(plain.measure()["nash_conv"], rel=0.02)
