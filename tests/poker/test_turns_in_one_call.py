"""Iterations of a game of one street run in one call of the kernel, with the same bits as one walk after the other."""

from __future__ import annotations

import numpy as np
import pytest

import regretless as rg
from regretless.method import Settings
from regretless.poker.solving.cpu_walker import kernel_state
from regretless.poker.solving.vector_cfr import VectorLearner


@pytest.mark.parametrize("variant", [rg.DCFR, rg.PCFR_PLUS])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_turns_have_the_bits_of_single_walks(variant: rg.Variant, dtype: str) -> None:
    spot = rg.poker.Spot("Qs Jh 2h 7c 3d", ("QQ,AK,JTs", "77,AQ,T9s:0.5,KTs"), pot=100, stack=100, sizes="bet 75%")
    tree = spot.public_tree()
    many, single = (VectorLearner(tree, variant, Settings(dtype=dtype, threads=1)) for _ in range(2))
    many.advance(3)
    many.advance(4)
    for step in variant.steps(1, 7):
        for player in range(2):
            single.walker.walk(player, kernel_state(single.numbers), single.source, True, step)
    assert many.iteration == 7
    for name, numbers in many.arrays().items():
        assert np.array_equal(numbers, single.arrays()[name]), name
    assert many.arrays()["regret"].any()
