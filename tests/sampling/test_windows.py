"""The numbers of a window of iterations against products of a variant's own factors."""

from __future__ import annotations

import numpy as np
import pytest

import regretless as rg
from regretless.kernels.constants import DECAY, NEGATIVE, POSITIVE, WEIGHT
from regretless.sampling.iteration_windows import LONGEST, fades_by_sign, window_of

VARIANTS = {
    "cfr": rg.CFR,
    "cfr+": rg.CFR_PLUS,
    "linear": rg.LINEAR_CFR,
    "dcfr": rg.DCFR,
    "dcfr+": rg.DCFR_PLUS,
    "hs-dcfr": rg.HS_DCFR,
    "delayed": rg.DCFR.replace(delay=100),
    "steep": rg.Variant(discount=rg.Discounted(0, 0)),
}


def test_windows_follow_each_other_and_double() -> None:
    iteration, lengths = 1, []
    while iteration < 3 * LONGEST:
        window = window_of(rg.CFR, iteration)
        assert window.origin == iteration - 1
        assert window_of(rg.CFR, window.last) == window
        lengths.append(window.last - window.origin)
        iteration = window.last + 1
    assert lengths == [1, *(2**k for k in range(21)), *[LONGEST] * (len(lengths) - 22)]


@pytest.mark.parametrize("iteration", [1, 2, 700, 1_024, 1_025, 2_049, 3_000_000])
def test_an_iteration_lies_in_its_window(iteration: int) -> None:
    window = window_of(rg.CFR, iteration)
    assert window.origin < iteration <= window.last
    assert len(window.weights.gain) == window.last - window.origin + 1


@pytest.mark.parametrize("name", VARIANTS)
def test_averages_weigh_as_products_of_decays(name: str) -> None:
    """X ← decay · X + weight · x over thousands of iterations, against weights that are never multiplied out."""
    variant, last = VARIANTS[name], 3_000
    steps = variant.steps(1, last)
    eager = np.zeros(last)  # what a strategy of each iteration counts at the end
    for t in range(last):
        eager[:t] *= steps[t, DECAY]
        eager[t] = steps[t, WEIGHT]
    lazy = np.zeros(last)
    t = 1
    while t <= last:
        window = window_of(variant, t)
        for iteration in range(t, min(window.last, last) + 1):
            lazy[iteration - 1] = window.weights.weight[iteration - window.origin]
        if window.last <= last:
            lazy[: window.last] *= window.average_scale
        t = window.last + 1
    some = eager > 1e-200
    assert (lazy[~some] / lazy.max()).max(initial=0.0) < 1e-190
    assert np.allclose(lazy[some] / lazy.max(), eager[some] / eager.max(), rtol=1e-9)
    if name == "linear":
        assert np.allclose(eager / eager[0], np.arange(1, last + 1))  # the published weights
    if name == "dcfr":
        assert np.allclose(eager / eager[0], np.arange(1, last + 1) ** 2.0)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("sign", [1, -1])
def test_regret_fades_as_products_of_factors(name: str, sign: int) -> None:
    """One regret of each iteration, carried to the end by the window's numbers and by the variant's factors."""
    variant, last = VARIANTS[name], 1_500
    steps = variant.steps(1, last)
    factors = steps[:, POSITIVE if sign > 0 else NEGATIVE].copy()
    if variant.floor and sign < 0:
        factors[:] = 0.0
    for first in (1, 2, 3, 60, 1_024, 1_025, 1_400):
        eager = np.prod(factors[first:])
        lazy, since = 1.0, first
        while True:
            window = window_of(variant, since)
            end, weights = min(window.last, last), window.weights
            if fades_by_sign(variant):
                fading = weights.positive if sign > 0 else weights.negative
                origin = window.origin
                before = 0 if since > first else first - origin
                lazy *= np.exp(fading[end - origin] - fading[before])
            else:
                if since == first:
                    lazy *= weights.gain[first - window.origin]
                if window.last <= last:
                    lazy *= window.regret_scale
                else:
                    lazy /= weights.gain[last - window.origin]
            if end == last:
                break
            since = end + 1
        assert lazy == pytest.approx(eager, rel=1e-9, abs=1e-300)


def test_which_variants_note_when_they_were_last_brought_up_to_date() -> None:
    assert {name for name, variant in VARIANTS.items() if not fades_by_sign(variant)} == {"cfr", "linear"}
    assert not fades_by_sign(rg.Variant(discount=rg.Discounted(2, 2)))
    assert fades_by_sign(rg.Variant(discount=rg.Discounted(0.9, 0.9)))
    assert fades_by_sign(rg.Variant(discount=rg.Discounted(rg.Ramp(2, 0.5), rg.Ramp(2, 0.5))))


@pytest.mark.parametrize("name", VARIANTS)
def test_numbers_have_room_in_single_precision(name: str) -> None:
    for iteration in (1, 2, 1_500, 3_000_000):
        window = window_of(VARIANTS[name], iteration).weights
        for numbers in (window.gain, window.weight):
            assert np.isfinite(numbers).all() and numbers.max() < 1e12
