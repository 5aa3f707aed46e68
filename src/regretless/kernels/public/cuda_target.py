"""Where `numba.cuda` comes in: decorators, single numbers of arrays, and the regret rules as device functions.

The rules are those of `rules`, the very same source compiled for the other processor. In Numba's simulator, which tests
use, device functions are plain functions; only kernels themselves go through the simulator.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from regretless.kernels import regret_rules as rules

if not hasattr(np, "row_stack"):  # numba-cuda 0.30 asks for this name when it is imported; numpy 2.5 has dropped it
    np.row_stack = np.vstack  # noqa: NPY201

from numba import cuda as numba_cuda

__all__ = [
    "SIMULATED",
    "as_number",
    "at_least",
    "cuda",
    "device",
    "discounted",
    "divided",
    "field",
    "kernel",
    "put",
    "short",
    "take",
]

cuda: Any = numba_cuda
config: Any = numba.config
SIMULATED = bool(config.ENABLE_CUDASIM)

REGISTERS = 56
"""Registers of a thread: with so many, four blocks of 256 threads are at work on a multiprocessor at once (best of six
that were measured)."""


def kernel(function):
    """A function that runs on the device, started from the host."""
    return cuda.jit(function) if SIMULATED else cuda.jit(cache=True, max_registers=REGISTERS)(function)


def device(function):
    """A function that runs on the device, called by kernels."""
    return function if SIMULATED else cuda.jit(device=True)(function)


def inlined(function):
    """A device function that is written out where it is called: the compiler then sees how wide its arguments are."""
    return function if SIMULATED else cuda.jit(device=True, inline="always")(function)


short = np.int32
"""Numba adds 32-bit integers to 64-bit ones, which a GPU must put together from halves: this cuts indices back."""


@inlined
def take(array, index):
    """One number; indices count from the front, which spares the check for negative ones."""
    return array[np.uint32(index)]


@inlined
def put(array, index, number):
    """Write one number."""
    array[np.uint32(index)] = number


@inlined
def field(array, record, number):
    """One number of a record; the sum is taken in 64 bits, so that a record's address is worked out only once."""
    return array[np.uint64(np.uint32(record)) + np.uint64(number)]


@device
def divided(number, by):
    """number // by, for numbers that are not negative."""
    return short(np.uint32(number) // np.uint32(by))


@device
def as_number(array, number):
    """A number of the kind that an array holds: arithmetic with any other would be done in double precision."""
    return array.dtype.type(number)


discounted = device(getattr(rules.discounted, "py_func", rules.discounted))
at_least = device(getattr(rules.at_least, "py_func", rules.at_least))
