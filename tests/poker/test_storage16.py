"""Numbers of 64, 32 and 16 bits: nearly the same exploitability on the way, and half the memory each time."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from conftest import INTERPRETED
from regretless.kernels.public.decision_rows import LARGEST, decode, encode
from regretless.poker import Deck, Limit, PublicGame
from regretless.variants import VARIANTS

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")

MINI = PublicGame(Deck("9TJQKA", "shd"), 2, (3,), Limit(bets=100, caps=(1, 2), blinds=(50, 100)), big_blind=100)
"""Mini flop hold'em: 263,664 infosets up to suits."""


@cache
def solved(variant: str, dtype: str) -> rg.Run:
    return rg.solve(MINI, VARIANTS[variant], iterations=60, dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "int16"])
@pytest.mark.parametrize("variant", ["cfr+", "dcfr", "pcfr+", "linear"])
def test_nearly_the_same(variant: str, dtype: str) -> None:
    """Exploitability on the way, beside that of float64.

    Rounding decides what is played at ties, and then runs take different ways for a while. Measured on this game and on
    one with three times its infosets, after 20 … 1,000 iterations: both within 16 %, either way, and in most rows
    within 5 %, down to 0.03 mbb/g. Linear CFR lets negative regrets grow, which take the bits: in 16 bits it has up to
    twice the exploitability, from 100 iterations on.
    """
    exact, short = solved(variant, "float64"), solved(variant, dtype)
    late = exact.history.iteration >= 20
    ratio = short.history.mbb_total[late] / exact.history.mbb_total[late]
    assert np.abs(ratio - 1).max() < (0.5 if (variant, dtype) == ("linear", "int16") else 0.25)
    assert short.value == pytest.approx(exact.value, abs=exact.nash_conv)


def test_exploitability_is_that_of_the_strategy() -> None:
    """Measured in 32 bits, the 16-bit strategy has the exploitability that it has in 64 bits."""
    run = solved("cfr+", "int16")
    learner = rg.CFR_PLUS.learner(MINI.problem(), rg.Settings(dtype="float64"))
    best = learner.values(run.arrays["average"].astype(np.float64))
    assert run.nash_conv == pytest.approx(sum(response - own for response, own in best), rel=1e-3)
    assert run.value == pytest.approx(best[0][1], abs=1e-4)


@pytest.mark.parametrize("variant", ["cfr+", "pcfr+"])
def test_memory(variant: str) -> None:
    """Each step halves what is kept; 16 bits have a scale for each block of a board besides."""
    kept = {}
    for dtype in ("float64", "float32", "int16"):
        arrays = solved(variant, dtype).arrays
        kept[dtype] = sum(array.nbytes for name, array in arrays.items() if name != "scale")
        assert {array.dtype.name for name, array in arrays.items() if name != "scale"} == {dtype}
    assert kept["float64"] == 2 * kept["float32"] == 4 * kept["int16"]
    assert solved(variant, "int16").arrays["scale"].nbytes < 0.06 * kept["int16"]
    tree = MINI.public_tree()
    predictive = variant == "pcfr+"
    needed = [tree.bytes_needed(dtype, predictive) for dtype in ("float64", "float32", "int16")]
    assert needed[0] - needed[1] == kept["float64"] - kept["float32"]
    assert needed[1] - needed[2] == kept["float32"] - kept["int16"]


BLOCKS = st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=40)


def rounded(numbers: list[float], iteration: int = 1) -> tuple[np.ndarray, np.ndarray, float]:
    """(numbers as float32, what is left of them after 16 bits, the scale), by the kernels as Python."""
    size = -(-len(numbers) // 16) * 16
    plain, coded, out = np.zeros(size, np.float32), np.zeros(size, np.int16), np.zeros(size, np.float32)
    plain[: len(numbers)] = numbers
    phase = np.zeros(32, np.float32)
    phase[:16] = (np.arange(1, 17) * 0.7548776662466927 + iteration * 0.5698402909980532) % 1.0
    scale = encode.py_func(plain, coded, 0, size, phase)
    decode.py_func(coded, 0, size, np.float32(scale), out)
    return plain, out, float(scale)


@given(numbers=BLOCKS, iteration=st.integers(1, 10_000))
def test_rounding(numbers: list[float], iteration: int) -> None:
    """No number moves by more than a step, zeros stay zeros and no sign changes."""
    plain, out, scale = rounded(numbers, iteration)
    assert np.abs(out - plain).max() <= scale * 1.01 + 1e-30
    assert np.all(out[plain == 0] == 0) and np.all(out * plain >= 0)
    assert scale == pytest.approx(np.abs(plain).max() / LARGEST, rel=1e-6) or np.abs(plain).max() < 1e-30


def test_rounding_is_fair() -> None:
    """Over many iterations a number is rounded up as often as its fraction says."""
    numbers = [1.0, *np.linspace(-1, 1, 31)]
    mean = np.mean([rounded(numbers, t)[1].astype(np.float64) for t in range(1, 401)], axis=0)
    plain, _, scale = rounded(numbers)
    assert np.abs(mean - plain).max() < 0.05 * scale


@pytest.mark.parametrize("tiny", [1e-31, 1e-38, 1e-44])
def test_next_to_nothing_is_nothing(tiny: float) -> None:
    """A block of numbers that float32 can hardly hold is zeros: their scale could not be written."""
    _, out, scale = rounded([tiny, 0.0, tiny / 2])
    assert scale == 0.0 and not out.any()
