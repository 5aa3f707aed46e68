"""Walks side by side against the same walks one after the other: the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regretless as rg
from compare_tables import random_strategy
from conftest import INTERPRETED, built
from regretless.method import Settings
from regretless.sampling.block_buffers import MOST_ACTIONS, MOST_BYTES, walks_in_blocks
from regretless.sampling.listed_learner import ListedLearner

pytestmark = pytest.mark.full  # compiles the walks of all variants


def learner_of(name: str, method: rg.MCCFR, *, in_blocks: bool = True, **settings: Any) -> ListedLearner:
    learner = ListedLearner(built(name), method, Settings(seed=5, **settings))
    assert learner.walks.blocks is not None
    if not in_blocks:
        learner.walks.blocks = None
    return learner


def assert_same_walks(name: str, method: rg.MCCFR, iterations: int, **settings: Any) -> None:
    alone = learner_of(name, method, in_blocks=False, **settings)
    alone.advance(iterations)
    for threads in (1, 3):
        together = learner_of(name, method, threads=threads, **settings)
        together.advance(iterations)
        assert together.walks.nodes == alone.walks.nodes
        assert together.store.values.tobytes() == alone.store.values.tobytes(), threads


@pytest.mark.parametrize("dtype", ["float64"] if INTERPRETED else ["float64", "float32"])
@pytest.mark.parametrize("variant", [rg.CFR, rg.LINEAR_CFR, rg.DCFR], ids=lambda v: v.name)
@pytest.mark.parametrize(("name", "traversals"), [("leduc", 70), ("liars_dice:sides=3", 33)])
def test_the_bits_are_those_of_walks_one_after_the_other(
    name: str, traversals: int, variant: rg.Variant, dtype: str
) -> None:
    """Leduc has two or three actions, liar's dice up to seven: rows in one and in two parts.

    In Python, NumPy keeps some steps of float32 in single precision.
    """
    method = rg.MCCFR("outcome", variant, traversals=traversals)
    assert_same_walks(name, method, 3 if INTERPRETED else 40, dtype=dtype)


@pytest.mark.parametrize("epsilon", [0.001, 1.0])
def test_little_exploration_and_nothing_else(epsilon: float) -> None:
    assert_same_walks("kuhn", rg.MCCFR("outcome", epsilon=epsilon, traversals=5), 5 if INTERPRETED else 100)


def test_fixed_players() -> None:
    """A fixed player walks only for the sake of averages: its regrets do not change."""
    fixed = {1: random_strategy(built("kuhn"), 8)}
    assert_same_walks("kuhn", rg.MCCFR("outcome", traversals=5), 5 if INTERPRETED else 100, fixed=fixed)


@pytest.mark.parametrize("traversals", [2, 5])
def test_a_part_of_the_walks_of_a_turn(traversals: int) -> None:
    """As a cluster divides them: the walks of a turn in two calls, whose updates are added up elsewhere."""
    method = rg.MCCFR("outcome", traversals=traversals)
    one, other = (learner_of("kuhn", method, in_blocks=in_blocks) for in_blocks in (True, False))
    for learner in (one, other):
        for player in (0, 1):
            learner.walks.walk_turn(1, player, range(1, traversals))
    assert one.store.values.any() and one.store.values.tobytes() == other.store.values.tobytes()


def test_which_walks_are_made_in_blocks() -> None:
    few, method = np.array([2, 3]), rg.MCCFR("outcome", traversals=64)
    assert walks_in_blocks(method, few, deepest=10, threads=2)
    assert not walks_in_blocks(method.replace(traversals=1), few, deepest=10, threads=1), "the textbook's single walk"
    assert not walks_in_blocks(method.replace(baseline="infoset"), few, deepest=10, threads=1)
    assert not walks_in_blocks(method.replace(sampling="external"), few, deepest=10, threads=1)
    assert not walks_in_blocks(method, np.array([MOST_ACTIONS + 1]), deepest=10, threads=1)
    assert not walks_in_blocks(method.replace(traversals=MOST_BYTES), few, deepest=10, threads=1)
