"""Averages of long solves in 32 bits: later iterations count in groups, so that rounding does not add up."""

from __future__ import annotations

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.kernels.constants import DECAY, WEIGHT
from regretless.poker.solving.averaged_steps import EVERY, steps_in_storage
from regretless.variants import VARIANTS


@pytest.mark.parametrize("variant", [rg.DCFR, rg.CFR_PLUS.replace(delay=20_000), rg.HS_DCFR], ids=lambda v: v.name)
def test_groups_have_the_weight_of_their_iterations(variant: rg.Variant) -> None:
    """What all iterations together weigh is what it was, after each iteration that counts."""
    count = 10 * EVERY
    every, some = variant.steps(1, count), steps_in_storage(variant, 1, count, "float32")
    apart = [column for column in range(every.shape[1]) if column not in (DECAY, WEIGHT)]
    np.testing.assert_array_equal(some[:, apart], every[:, apart])
    counted = (some[:, WEIGHT] != 0) | (some[:, DECAY] != 1)
    weighs = together = 0.0
    for t in range(count):
        weighs = weighs * every[t, DECAY] + every[t, WEIGHT]
        together = together * some[t, DECAY] + some[t, WEIGHT]
        if counted[t]:
            assert together == pytest.approx(weighs, rel=1e-9)
    assert counted[: 2 * EVERY].all() or variant.delay
    times = np.flatnonzero(counted) + 1
    late = times > max(2 * EVERY, variant.delay + 2)
    assert (times[late] % 2 == 0).all() and (times[times > 4 * EVERY] % 4 == 0).all()
    assert counted[variant.delay]  # so that the average is known at once
    for t in (3 * EVERY, 4 * EVERY, 5 * EVERY):  # later than the delay
        assert ((times > t) & (times <= 2 * t)).sum() == EVERY


@pytest.mark.parametrize("variant", list(VARIANTS.values()), ids=lambda v: v.name)
def test_steps_do_not_depend_on_how_a_solve_is_cut(variant: rg.Variant) -> None:
    whole = steps_in_storage(variant, 1, 5 * EVERY, "float32")
    for first, count in ((1, 100), (2 * EVERY - 3, 10), (2 * EVERY, 7), (4 * EVERY - 5, 999), (5 * EVERY, 1)):
        found = steps_in_storage(variant, first, count, "float32")
        np.testing.assert_allclose(found, whole[first - 1 : first - 1 + count], rtol=0, atol=0)


def test_64_bits_take_the_steps_of_the_variant() -> None:
    np.testing.assert_array_equal(steps_in_storage(rg.DCFR, 1, 3 * EVERY, "float64"), rg.DCFR.steps(1, 3 * EVERY))


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize("variant", [rg.DCFR, rg.CFR_PLUS], ids=lambda v: v.name)
def test_more_iterations_do_no_harm(variant: rg.Variant) -> None:
    """When all iterations counted, exploitability rose from 0.00007 to 0.001 chips."""
    ranges = ("AA,KK,AQs:0.5,T9s", "TT+,AJs+,KQs,AQo+,87s")
    spot = rg.poker.Spot("Qs Jh 2h 7c 3d", ranges, pot=100, stack=120, sizes="bet 33% 75%, raise 60%")
    run = rg.solve(spot, variant, iterations=250_000, threads=1, measure=4.0)
    best = float(run.history.exploitability.min())
    assert run.exploitability < 3 * best < 0.001
