"""exp and log in arithmetic alone, against the library's."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from regretless.kernels.first_order.exponentials import exp_below, log_above

EPS = np.finfo(np.float64).eps


@given(st.floats(-100.0, 0.0))
def test_exp(x: float) -> None:
    assert abs(exp_below(np.float64(x)) - np.exp(x)) <= 4 * EPS * np.exp(x)


@given(st.floats(1.0, 1e300))
def test_log(y: float) -> None:
    assert abs(log_above(np.float64(y)) - np.log(y)) <= 4 * EPS * max(np.log(y), EPS)


def test_exact_where_it_matters() -> None:
    assert exp_below(np.float64(0.0)) == 1.0 and log_above(np.float64(1.0)) == 0.0
    assert exp_below(np.float64(-1e9)) == exp_below(np.float64(-100.0)) > 0.0
    assert log_above(np.float64(2.0)) == np.log(2.0)
