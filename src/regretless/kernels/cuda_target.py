"""The CUDA target: decorators, access to single numbers of arrays, and the regret rules as device functions.

The rules are those of `regret_rules`, the same source compiled for the GPU. In Numba's simulator, which tests use,
device functions are plain functions; only kernels themselves go through the simulator.
"""

from __future__ import annotations

import sys
from inspect import signature
from types import FunctionType
from typing import Any

import numba
import numpy as np

from regretless.kernels import regret_rules

if not hasattr(np, "row_stack"):  # numba-cuda 0.30 uses this name when it is imported; numpy 2.5 has dropped it
    np.row_stack = np.vstack  # noqa: NPY201

from numba import cuda as numba_cuda

__all__ = [
    "SIMULATED",
    "added_difference",
    "at_least",
    "cuda",
    "device",
    "divided",
    "embedded",
    "expectation",
    "field",
    "int32",
    "is_matched",
    "kernel",
    "like",
    "load",
    "load_relaxed",
    "predicted",
    "probability",
    "put",
    "share",
    "smaller",
    "store",
    "updated",
]

config: Any = numba.config
SIMULATED = bool(config.ENABLE_CUDASIM)


def _shared_array(self: Any, shape: Any, dtype: Any) -> Any:
    """The shared array of a line, one for all threads of a block.

    The simulator's own looks one up, and makes one if it finds none, in two steps. Its threads are threads of Python,
    so two of them could each make an array, and the block then computed with both.
    """
    caller = sys._getframe(1)
    if shape == 0:  # of a size that is given at the launch
        return _allocate(self, shape, dtype)
    kind = numba.np.numpy_support.as_dtype(dtype) if isinstance(dtype, numba.types.Type) else np.dtype(dtype)
    place = caller.f_code.co_filename, caller.f_lineno
    return self._allocations.setdefault(place, np.empty(shape, kind))


if SIMULATED:
    from numba.cuda.simulator.kernelapi import FakeCUDAShared

    _allocate = FakeCUDAShared.array
    FakeCUDAShared.array = _shared_array  # type: ignore[method-assign]


class SimulatedCuda:
    """Numba's `cuda` in its simulator, for device functions of any module.

    While a kernel runs, the simulator replaces `cuda` in the kernel's own module alone. This object asks for what the
    simulator has there, and outside of kernels for `numba.cuda`.
    """

    def __getattr__(self, name: str) -> Any:
        from numba.cuda.simulator import kernel as simulator

        running = simulator._kernel_context
        return getattr(numba_cuda if running is None or not hasattr(running, name) else running, name)


cuda: Any = SimulatedCuda() if SIMULATED else numba_cuda

REGISTERS = 56
"""Registers of a thread that walks a public tree: with 56, four blocks of 256 threads run on a multiprocessor at once
(the best of six measured values)."""


def kernel(function=None, *, registers=REGISTERS, cache=True):
    """A function that runs on the device, started from the host. Functions of generated source cannot be cached."""
    if function is None:
        return lambda later: kernel(later, registers=registers, cache=cache)
    return cuda.jit(function) if SIMULATED else cuda.jit(cache=cache, max_registers=registers)(function)


def device(function):
    """A function that runs on the device, called by kernels."""
    return function if SIMULATED else cuda.jit(device=True)(function)


def inlined(function):
    """A device function that is inlined where it is called: the compiler then knows the types of its arguments."""
    return function if SIMULATED else cuda.jit(device=True, inline="always")(function)


EMBEDDED: dict[str, bool] = {"forceinline": True} if "forceinline" in signature(cuda.jit).parameters else {}
"""Options of functions that are embedded; without numba-cuda the compiler decides about them."""


def embedded(function):
    """A device function whose machine code becomes a part of its caller's: calls would copy all fields of records."""
    return function if SIMULATED else cuda.jit(device=True, **EMBEDDED)(function)


int32 = np.int32
"""Numba adds 32-bit integers to 64-bit ones, for which a GPU needs several instructions: this cuts indices back."""


@inlined
def load(array, index):
    """One number; indices are unsigned, which saves the check for negative ones."""
    return array[np.uint32(index)]


@inlined
def store(array, index, number):
    """Write one number."""
    array[np.uint32(index)] = number


@inlined
def field(array, record, number):
    """One number of a record; the sum has 64 bits, so that the address of a record is computed only once."""
    return array[np.uint64(np.uint32(record)) + np.uint64(number)]


@inlined
def put(array, record, number, value):
    """Write one number of a record."""
    array[np.uint64(np.uint32(record)) + np.uint64(number)] = value


def _intrinsic_load_relaxed():
    """The device function `load_relaxed`; inline assembly, because Numba has no load that the compiler must repeat."""
    from llvmlite import ir
    from numba import types
    from numba.cuda.extending import intrinsic

    @intrinsic
    def load_relaxed(typing_context, array, index):
        """One int32 as all blocks see it now: past the multiprocessor's own cache, and anew each time."""

        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, value=arguments[0]).data
            pointer = builder.gep(data, [context.cast(builder, arguments[1], signature.args[1], types.int64)])
            loads = ir.FunctionType(ir.IntType(32), [pointer.type])
            text = "ld.relaxed.gpu.global.s32 $0, [$1];"
            return builder.call(ir.InlineAsm(loads, text, "=r,l,~{memory}", side_effect=True), [pointer])

        return types.int32(array, index), generate

    return load_relaxed


load_relaxed = load if SIMULATED else _intrinsic_load_relaxed()
"""One int32 of an array that other blocks change meanwhile."""


def _intrinsic_added_difference():
    """The device function `added_difference`: one instruction, where `abs` takes several."""
    from numba.cuda import libdevice

    def added_difference(one, other, total):
        return libdevice.sad(int32(one), int32(other), np.uint32(total))

    return inlined(added_difference)


def _added_difference(one, other, total):
    return total + abs(int(one) - int(other))


added_difference = _added_difference if SIMULATED else _intrinsic_added_difference()
"""total + |one − other|, of 32 bits."""


@device
def divided(number, by):
    """number // by, for numbers that are not negative."""
    return int32(np.uint32(number) // np.uint32(by))


@inlined
def smaller(one, other):
    """min(one, other): from 0.66 on, Numba's own CUDA target cannot compile `min` (numba issue 10753)."""
    return one if one < other else other


@device
def like(array, number):
    """A number of the type of an array: arithmetic with any other type would be in double precision."""
    return array.dtype.type(number)


RULES: dict[str, Any] = {}
"""The device functions of `regret_rules`, and the names by which they find each other."""

for _name in ("at_least", "is_matched", "probability", "expectation", "share", "discounted", "updated", "predicted"):
    _rule = getattr(regret_rules, _name)
    _code = getattr(_rule, "py_func", _rule).__code__
    RULES[_name] = device(FunctionType(_code, RULES, _name))

at_least, is_matched, expectation = RULES["at_least"], RULES["is_matched"], RULES["expectation"]
share, updated, predicted, probability = RULES["share"], RULES["updated"], RULES["predicted"], RULES["probability"]
