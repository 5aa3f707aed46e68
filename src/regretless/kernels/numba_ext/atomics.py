"""Numbers that one thread leaves for another, and waiting for them.

Compiled code may keep a number in a register and reorder its loads and stores. `load_acquire` and `store_release` have
the memory order of their names: what a thread wrote before it stored a number is visible to a thread that has loaded
that number.
"""

from __future__ import annotations

import platform
import sys
import time

from llvmlite import ir
from numba import types
from numba.core import cgutils

from regretless.kernels.numba_ext.pointers import address
from regretless.kernels.numba_ext.primitives import primitive

__all__ = ["load_acquire", "spin_pause", "store_release", "yield_thread"]

SYSTEM_YIELD = "SwitchToThread" if sys.platform == "win32" else "sched_yield"
"""The function of the operating system that `yield_thread` calls."""


def load_acquire(array, index):
    """Load a number that another thread may store. array: a contiguous array of int64, or a pointer to one."""
    return array[index]


def store_release(array, index, value):
    """Store a number that another thread may load, after everything that this thread has written before."""
    array[index] = value


def yield_thread():
    """Let another thread run on this processor."""
    time.sleep(0)


def spin_pause():
    """Tell the processor that this loop only waits, so that the other thread of its core runs faster."""


@primitive(load_acquire, typed=lambda array, index: types.int64(array, types.intp))
def _load_acquire(context, builder, signature, arguments):
    return builder.load_atomic(address(context, builder, signature.args[0], *arguments), "acquire", 8)


@primitive(store_release, typed=lambda array, index, value: types.none(array, types.intp, types.int64))
def _store_release(context, builder, signature, arguments):
    place = address(context, builder, signature.args[0], *arguments[:2])
    builder.store_atomic(arguments[2], place, "release", 8)
    return context.get_dummy_value()


@primitive(yield_thread, typed=lambda: types.none())
def _yield_thread(context, builder, signature, arguments):
    kind = ir.FunctionType(ir.IntType(32), [])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, SYSTEM_YIELD), [])
    return context.get_dummy_value()


@primitive(spin_pause, typed=lambda: types.none())
def _spin_pause(context, builder, signature, arguments):
    if platform.machine().lower() in ("x86_64", "amd64"):
        kind = ir.FunctionType(ir.VoidType(), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
    return context.get_dummy_value()
