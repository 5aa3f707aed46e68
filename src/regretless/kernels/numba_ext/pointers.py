"""Arrays without their bookkeeping: `bare(array)` is where its numbers lie, to be indexed like the flattened array.

Compiled code counts who holds an array; a walk through a game takes arrays in hand so often that the counting costs
several times the work. Where a function holds the array itself for as long as it works, the bare numbers are enough.
"""

from __future__ import annotations

import operator

from numba import types
from numba.extending import intrinsic, overload


def bare(array):
    """The numbers of a contiguous array, as a flat sequence; the caller keeps the array alive."""
    return array.reshape(-1)


@intrinsic
def _address(typing_context, array):
    def generate(context, builder, signature, arguments):
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def _load(typing_context, pointer, index):
    def generate(context, builder, signature, arguments):
        address = builder.gep(arguments[0], [arguments[1]])
        return context.unpack_value(builder, signature.args[0].dtype, address)

    return pointer.dtype(pointer, types.intp), generate


@intrinsic
def _store(typing_context, pointer, index, value):
    def generate(context, builder, signature, arguments):
        address = builder.gep(arguments[0], [arguments[1]])
        context.pack_value(builder, signature.args[0].dtype, arguments[2], address)
        return context.get_dummy_value()

    return types.none(pointer, types.intp, pointer.dtype), generate


@overload(bare, inline="always")
def _bare(array):
    return lambda array: _address(array)


@overload(operator.getitem, inline="always")
def _get(pointer, index):
    if isinstance(pointer, types.CPointer) and isinstance(index, types.Integer):
        return lambda pointer, index: _load(pointer, index)
    return None


@overload(operator.setitem, inline="always")
def _set(pointer, index, value):
    if isinstance(pointer, types.CPointer) and isinstance(index, types.Integer):
        return lambda pointer, index, value: _store(pointer, index, value)
    return None
