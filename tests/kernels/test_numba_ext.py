"""Our extensions of the compiler: kernels and inner functions, pointers, and the cache of machine code."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from conftest import INTERPRETED
from regretless.kernels.numba_ext.caching import KERNELS, kernel_file, kernels_imported_by
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.numba_ext.pointers import offset, pointer, pointers, prefetch, smallest_normal
from regretless.kernels.numba_ext.uncounted_arrays import UncountedArray, uncounted_view

compiled_only = pytest.mark.skipif(INTERPRETED, reason="there is nothing to compile")


class Inside(NamedTuple):
    factors: Any
    power: int


class Record(NamedTuple):
    numbers: Any
    inside: Inside
    nothing: None


@inner
def term(record, k):  # type: ignore[no-untyped-def]
    return record.numbers[k] * record.inside.factors[k] ** record.inside.power


@inner(forceinline=True)
def total_of(record, count):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(count):
        total += term(record, k)
    return total


@inner(optimise=True)
def scaled(numbers, count, factor):  # type: ignore[no-untyped-def]
    if factor < 0:
        raise ValueError("a negative factor")
    for k in range(count):
        numbers[k] *= factor


@kernel
def every_pointer(record, factor):  # type: ignore[no-untyped-def]
    held, count = pointers(record), record.numbers.size
    prefetch(held.numbers, 0)
    scaled(held.numbers, count, factor)
    scaled(offset(held.numbers, 1), 1, 10.0)
    pointer(record.inside.factors)[0] = 3.0
    return total_of(held, count)


def record() -> Record:
    return Record(np.arange(6.0).reshape(2, 3), Inside(np.array([1.0, 2, 1, 1, 1, 1]), 2), None)


@pytest.mark.parametrize("view", [np.asarray, uncounted_view])
def test_pointers_reach_the_numbers_of_a_record(view: Any) -> None:
    given = record()
    assert every_pointer(given._replace(numbers=view(given.numbers)), 2.0) == 2 * 10 * 4 + 2 * (2 + 3 + 4 + 5)
    assert given.numbers.tolist() == [[0, 20, 4], [6, 8, 10]]
    assert given.inside.factors[0] == 3.0


def test_an_error_of_an_inner_function_reaches_the_caller() -> None:
    with pytest.raises(ValueError, match="a negative factor"):
        every_pointer(record(), -1.0)


@compiled_only
def test_python_cannot_call_an_inner_function() -> None:
    every_pointer(record(), 1.0)
    with pytest.raises(TypeError):
        term(record(), 0)


@kernel
def tiny(numbers):  # type: ignore[no-untyped-def]
    return smallest_normal(numbers), smallest_normal(pointer(numbers))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_smallest_normal_numbers(dtype: str) -> None:
    expected = np.finfo("float32" if dtype == "int16" else dtype).tiny
    assert tiny(np.zeros(3, dtype)) == (expected, expected)


def test_uncounted_views_are_arrays() -> None:
    view = uncounted_view(np.arange(6).reshape(2, 3)[:, ::2])
    assert isinstance(view, UncountedArray) and view.flags.c_contiguous and view.tolist() == [[0, 2], [3, 5]]


def test_the_files_that_a_kernel_is_compiled_from() -> None:
    text = kernel_file("sequence_form.iterations").read_text()
    found = kernels_imported_by(text)
    assert {"sequence_form.treeplex", "regret_rules", "numba_ext.compiling", "numba_ext.caching"} <= found
    assert "sampling.walk_external" not in found
    for file in KERNELS.rglob("*.py"):
        kernels_imported_by(file.read_text())  # every import names a file that is there


@compiled_only
def test_an_index_that_names_a_class_of_an_older_version_counts_as_old(tmp_path: Path) -> None:
    file = IndexDataCacheFile(str(tmp_path), "kernel", "stamp")
    data = pickle.dumps(("stamp", {"key": "data"})).replace(b"stamp", b"stamp", 1)
    stale = b"cregretless.kernels.numba_ext.uncounted_arrays\nNoSuchClass\n."
    for content, expected in ((data, {"key": "data"}), (stale, {})):
        Path(file._index_path).write_bytes(pickle.dumps(file._version, protocol=-1) + content)
        assert file._load_index() == expected


SOLVE = "import regretless as rg; print(rg.solve(rg.games.Kuhn(), rg.{}, iterations=5).exploitability)"


@compiled_only
@pytest.mark.full
@pytest.mark.parametrize("method", ["CFR_PLUS", "MCCFR()", "FSICFR(listed=False)"])
def test_machine_code_is_loaded_again(method: str, tmp_path: Path) -> None:
    """A second process finds all kernels in the cache, and computes the same."""
    printed = []
    for count in range(2):
        code = SOLVE.format(method) + (
            "\nfrom numba.core.dispatcher import Dispatcher"
            "\nimport gc"
            "\nkernels = [k for k in gc.get_objects() if isinstance(k, Dispatcher)]"
            "\nprint(sum(sum(k.stats.cache_misses.values()) for k in kernels))"
        )
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "REGRETLESS_CACHE": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        value, misses = done.stdout.split()
        printed.append(value)
        assert (int(misses) > 0) == (count == 0)
    assert printed[0] == printed[1]
