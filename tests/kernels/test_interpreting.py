"""Small trees are laid out by interpreted kernels, with the numbers of compiled ones."""

from __future__ import annotations

import numpy as np
import pytest

import regretless as rg
from regretless.kernels.numba_ext import interpreting


@pytest.mark.parametrize("name", ["kuhn", "kuhn:players=3", "matching_pennies", "goofspiel:cards=3"])
def test_both_ways_lay_out_the_same_tree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trees = []
    for small in (0, 10**9):
        monkeypatch.setattr(interpreting, "SMALL", small)
        trees.append(rg.build(name))
    compiled, plain = trees
    assert compiled.fingerprint == plain.fingerprint
    for one, two in zip(compiled.form, plain.form, strict=True):
        np.testing.assert_array_equal(one, two)


def test_functions_that_a_kernel_calls_are_interpreted_too() -> None:
    from regretless.kernels.sequence_form.payoff_rows import count_entries, gather_row

    plain = interpreting.for_size(count_entries, 0)
    assert interpreting.for_size(count_entries, 10**9) is count_entries
    assert plain.__globals__["gather_row"] is interpreting.interpreted(gather_row)
