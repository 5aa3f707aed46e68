"""What threads and caches ask of memory: numbers that one thread leaves for another, and numbers that are wanted soon.

Compiled code may keep a number in a register and do its loads and stores in another order. `seen` and `shown` are a
load and a store that other threads can rely on: what a thread wrote before it showed a number is there for whoever has
seen it.
"""

from __future__ import annotations

import platform
import sys
import time

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

GIVE_WAY = "SwitchToThread" if sys.platform == "win32" else "sched_yield"
"""What the operating system calls it."""


def seen(array, index):
    """A number as another thread has shown it. array: a contiguous array of int64."""
    return array[index]


def shown(array, index, value):
    """Write a number, and with it all that was written before, for other threads to see."""
    array[index] = value


def give_way():
    """Let another thread have the processor."""
    time.sleep(0)


def pause():
    """Leave a moment to whoever shares this processor's core: for loops that only wait."""


def beyond(numbers, count):
    """The numbers of `bare(array)` from a later one on."""
    return numbers[count:]


def fetch(numbers, index):
    """Begin to bring a number of `bare(array)` into the cache."""


def _address(context, builder, kind, value, index):
    data = value if isinstance(kind, types.CPointer) else context.make_array(kind)(context, builder, value).data
    return builder.gep(data, [index])


@intrinsic
def _load_acquired(typing_context, array, index):
    def generate(context, builder, signature, arguments):
        return builder.load_atomic(_address(context, builder, signature.args[0], *arguments), "acquire", 8)

    return types.int64(array, types.intp), generate


@intrinsic
def _store_released(typing_context, array, index, value):
    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], *arguments[:2])
        builder.store_atomic(arguments[2], address, "release", 8)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.int64), generate


@intrinsic
def _give_way(typing_context):
    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, GIVE_WAY), [])
        return context.get_dummy_value()

    return types.none(), generate


@intrinsic
def _pause(typing_context):
    def generate(context, builder, signature, arguments):
        if platform.machine().lower() in ("x86_64", "amd64"):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.none(), generate


@intrinsic
def _beyond(typing_context, pointer, count):
    def generate(context, builder, signature, arguments):
        return builder.gep(arguments[0], [arguments[1]])

    return pointer(pointer, types.intp), generate


@intrinsic
def _fetch(typing_context, numbers, index):
    def generate(context, builder, signature, arguments):
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.bitcast(_address(context, builder, signature.args[0], *arguments), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(prefetch, [address, word(0), word(3), word(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.none(numbers, types.intp), generate


@overload(seen, inline="always")
def _seen(array, index):
    return lambda array, index: _load_acquired(array, index)


@overload(shown, inline="always")
def _shown(array, index, value):
    return lambda array, index, value: _store_released(array, index, value)


@overload(give_way, inline="always")
def _give_way_overload():
    return lambda: _give_way()


@overload(pause, inline="always")
def _pause_overload():
    return lambda: _pause()


@overload(beyond, inline="always")
def _beyond_overload(numbers, count):
    return lambda numbers, count: _beyond(numbers, count)


@overload(fetch, inline="always")
def _fetch_overload(numbers, index):
    return lambda numbers, index: _fetch(numbers, index)
