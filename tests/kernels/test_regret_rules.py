"""Regret matching and the regret update: the same numbers by the scalar rule, by its vector form and on the host."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.kernels import regret_rules, regret_vectors
from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.numba_ext.pointers import pointer, smallest_normal
from regretless.kernels.numba_ext.vectors import WIDTH, load, maximum, multiply_add, splat, store
from regretless.kernels.numpy_matching import matched, matched_groups
from regretless.kernels.regret_rules import (
    at_least,
    discounted,
    expectation,
    is_matched,
    predicted,
    probability,
    share,
    updated,
)

TYPES = (np.float32, np.float64)
Array = npt.NDArray[np.floating]


@kernel
def by_rule(regret, value, reach, strategy, passed):  # type: ignore[no-untyped-def]
    """strategy ← σ, passed ← reach · σ; returns Σ σ · value."""
    smallest, actions = smallest_normal(regret), len(regret)
    total = weighted = plain = 0.0
    for a in range(actions):
        positive = at_least(regret[a], 0.0)
        total += positive
        weighted += positive * value[a]
        plain += value[a]
    part = share(reach, total, actions, smallest)
    for a in range(actions):
        positive = at_least(regret[a], 0.0)
        strategy[a] = probability(positive, total, actions, smallest)
        passed[a] = positive * part if is_matched(total, smallest) else part
    return expectation(weighted, plain, total, actions, smallest)


@kernel
def by_vectors(regret, value, reach, passed, expected):  # type: ignore[no-untyped-def]
    """The last two of these for sixteen infosets: regret, value, passed [actions, 16], reach and expected [16]."""
    numbers, worth, rows, out = pointer(regret), pointer(value), pointer(passed), pointer(expected)
    actions = regret.shape[0]
    none, smallest = splat(numbers, 0.0), splat(numbers, smallest_normal(numbers))
    even = splat(numbers, 1.0 / actions)
    total, weighted, plain = none, none, none
    for a in range(actions):
        positive, here = maximum(load(numbers, a * WIDTH), none), load(worth, a * WIDTH)
        total, plain = total + positive, plain + here
        weighted = multiply_add(positive, here, weighted)
    factor = regret_vectors.share_factor(load(pointer(reach), 0), total, smallest, none)
    constant = regret_vectors.share_constant(load(pointer(reach), 0), total, even, smallest, none)
    for a in range(actions):
        store(rows, a * WIDTH, multiply_add(maximum(load(numbers, a * WIDTH), none), factor, constant))
    store(out, 0, regret_vectors.expectation(weighted, plain, total, even, smallest))


def regrets(dtype: type) -> st.SearchStrategy[list[float]]:
    tiny = float(np.finfo(dtype).tiny)
    width = np.finfo(dtype).bits
    numbers = st.one_of(st.floats(-1e3, 1e3, width=width), st.sampled_from([0.0, tiny, tiny / 4, -tiny, 1.0]))
    return st.lists(numbers, min_size=1, max_size=6)


@pytest.mark.parametrize("dtype", TYPES)
@given(data=st.data())
def test_every_form_of_the_rule_agrees_with_the_host(dtype: type, data: st.DataObject) -> None:
    rows: Array = np.array(data.draw(regrets(dtype)), dtype)
    value = np.linspace(-1, 2, len(rows)).astype(dtype)
    strategy, passed = np.empty(len(rows)), np.empty(len(rows))
    worth = by_rule(rows, value, 0.75, strategy, passed)
    expected = matched(rows)
    close = {"rtol": 1e-6 if dtype is np.float32 else 1e-14, "atol": 1e-30}
    np.testing.assert_allclose(strategy, expected, **close)
    np.testing.assert_allclose(passed, 0.75 * expected, **close)
    assert worth == pytest.approx(float(expected @ value), abs=1e-5)
    lanes = np.repeat(rows[:, None], WIDTH, axis=1)
    wide, mean = np.empty_like(lanes), np.empty(WIDTH, dtype)
    by_vectors(lanes, np.repeat(value[:, None], WIDTH, axis=1), np.full(WIDTH, 0.75, dtype), wide, mean)
    np.testing.assert_allclose(wide, 0.75 * np.repeat(expected[:, None], WIDTH, axis=1), rtol=1e-5, atol=1e-30)
    np.testing.assert_allclose(mean, worth, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", TYPES)
def test_a_sum_below_the_smallest_normal_number_counts_as_none(dtype: type) -> None:
    tiny = np.finfo(dtype).tiny
    for scale, expected in ((tiny / 2, [0.5, 0.5]), (tiny, [1.0, 0.0]), (0.0, [0.5, 0.5]), (-1.0, [0.5, 0.5])):
        rows = np.array([scale, -1.0], dtype)
        strategy, passed = np.empty(2), np.empty(2)
        by_rule(rows, np.zeros(2, dtype), 1.0, strategy, passed)
        assert strategy.tolist() == passed.tolist() == matched(rows).tolist() == expected


def test_groups_on_the_host() -> None:
    numbers, group = np.array([1.0, 0.0, 3.0, -2.0, 1e-320]), np.array([0, 1, 0, 1, 2])
    assert matched_groups(numbers, group, np.full(5, 0.5)).tolist() == [0.25, 0.5, 0.75, 0.5, 0.5]
    assert matched_groups(np.zeros(0), np.zeros(0, np.int64), np.zeros(0)).tolist() == []


def test_an_axis_on_the_host() -> None:
    rows = np.array([[1.0, 3.0], [-1.0, -1.0]])
    assert matched(rows, axis=1).tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert matched(rows).tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert matched(rows.astype(np.float32)).dtype == np.float32


@kernel
def scalar_updates(regret, gain, step, out):  # type: ignore[no-untyped-def]
    for i in range(len(regret)):
        out[0, i] = updated(regret[i], gain[i], step[0], step[1], step[2])
        out[1, i] = predicted(regret[i], gain[i], step[0], step[1], step[3])
        out[2, i] = discounted(regret[i], step[0], step[1])
        out[3, i] = at_least(regret[i], step[2])


@kernel
def vector_updates(regret, gain, step, out):  # type: ignore[no-untyped-def]
    numbers, rows = pointer(regret), pointer(out)
    old, new = load(numbers, 0), load(pointer(gain), 0)
    positive, negative = splat(numbers, step[0]), splat(numbers, step[1])
    floor, prediction = splat(numbers, step[2]), splat(numbers, step[3])
    store(rows, 0, regret_vectors.updated(old, new, positive, negative, floor))
    store(rows, WIDTH, regret_vectors.predicted(old, new, positive, negative, prediction))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("floor", [0.0, -np.inf, -0.5])
def test_updates(dtype: type, floor: float) -> None:
    dice = np.random.default_rng(1)
    regret, gain = dice.normal(size=(2, WIDTH)).astype(dtype)
    regret[0] = 0.0
    step = np.array([0.5, 0.25, floor, 1 / 3])
    scalar, vector = np.empty((4, WIDTH), dtype), np.empty((2, WIDTH), dtype)
    scalar_updates(regret, gain, step, scalar)
    vector_updates(regret, gain, step, vector)
    faded = regret * np.where(regret > 0, 0.5, 0.25)
    expected = [np.maximum(faded + gain, floor), faded + gain / 3, faded, np.maximum(regret, floor)]
    np.testing.assert_allclose(scalar, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(vector, expected[:2], rtol=1e-5, atol=1e-6)


def test_the_rules_are_plain_python_too() -> None:
    """The CUDA target and the simulator compile the same functions."""
    rule = getattr(regret_rules.probability, "py_func", regret_rules.probability)
    assert rule.__doc__ and rule.__code__.co_argcount == 4
