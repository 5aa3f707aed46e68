"""Integers in compiled games: bit operations, states of one type, keys of infosets, rows of tables."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, overload_method

from regretless.kernels.numba_ext.compiling import inner


@overload_method(types.Integer, "bit_length")
def _bit_length(number):
    def count(number):
        rest = abs(number)
        bits = 0
        for step in (32, 16, 8, 4, 2, 1):
            if rest >> step:
                bits += step
                rest >>= step
        return bits + rest

    return count


@overload_method(types.Integer, "bit_count")
def _bit_count(number):
    def count(number):
        rest = np.uint64(abs(number))
        rest = rest - ((rest >> np.uint64(1)) & np.uint64(0x5555555555555555))
        rest = (rest & np.uint64(0x3333333333333333)) + ((rest >> np.uint64(2)) & np.uint64(0x3333333333333333))
        rest = (rest + (rest >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        return np.int64((rest * np.uint64(0x0101010101010101)) >> np.uint64(56))

    return count


def _settled_type(kind):
    """The type in which a state is kept: integers and floating-point numbers of 64 bits, whatever was inferred."""
    if isinstance(kind, types.BaseTuple):
        parts = [_settled_type(part) for part in getattr(kind, "types")]
        return types.BaseTuple.from_types(parts, getattr(kind, "instance_class", None))
    if isinstance(kind, types.Integer | types.Boolean):
        return types.int64
    if isinstance(kind, types.Float):
        return types.float64
    return kind


def _settle(context, builder, value, kind, settled):
    if isinstance(kind, types.BaseTuple):
        parts = [
            _settle(context, builder, part, inner, outer)
            for part, inner, outer in zip(
                cgutils.unpack_tuple(builder, value), getattr(kind, "types"), settled, strict=True
            )
        ]
        return context.make_tuple(builder, settled, parts)
    return value if kind == settled else context.cast(builder, value, kind, settled)


@intrinsic
def settled(typing_context, value):
    """A state, or an infoset, with all its numbers as 64 bits, so that it has the same type everywhere."""
    kind = _settled_type(value)

    def generate(context, builder, signature, arguments):
        result = _settle(context, builder, arguments[0], signature.args[0], kind)
        if context.enable_nrt:
            context.nrt.incref(builder, kind, result)
        return result

    return kind(value), generate


@inner
def row(flat, begin, index):
    """Row `index` of a table whose rows differ in length; negative indices count from the end."""
    if index < 0:
        index += begin.shape[0] - 1
    if index < 0 or index >= begin.shape[0] - 1:
        raise IndexError("table index out of range")
    return flat[begin[index] : begin[index + 1]]


@inner
def mixed(first, second, number):
    """Two independent 64-bit hashes, updated by one number (the finaliser of SplitMix64, twice)."""
    one = (np.uint64(first) ^ np.uint64(number)) * np.uint64(0xBF58476D1CE4E5B9)
    one = (one ^ (one >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
    two = (np.uint64(second) + np.uint64(number)) * np.uint64(0x9E3779B97F4A7C15)
    two = (two ^ (two >> np.uint64(29))) * np.uint64(0xFF51AFD7ED558CCD)
    return np.int64(one ^ (one >> np.uint64(32))), np.int64(two ^ (two >> np.uint64(33)))


def key_of(value):
    """An infoset as two integers: itself and 0, or itself if it is a pair, or two hashes of it."""


def hashed_with(value, first, second):
    """Two hashes updated by every number of a value, which may be a tuple or an array."""


@overload(hashed_with)
def _hashed_with(value, first, second):
    if isinstance(value, types.Integer | types.Boolean):
        return lambda value, first, second: mixed(first, second, np.int64(value))
    if isinstance(value, types.BaseTuple):
        lines = [f"    first, second = hashed_with(value[{i}], first, second)" for i in range(len(value))]
        return _made("hashed", "value, first, second", [*lines, "    return first, second"])
    if isinstance(value, types.Array):

        def hashed(value, first, second):
            for number in value.flat:
                first, second = mixed(first, second, np.int64(number))
            return first, second

        return hashed
    return None


@overload(key_of)
def _key_of(value):
    if isinstance(value, types.Integer | types.Boolean):
        return lambda value: (np.int64(value), np.int64(0))
    if isinstance(value, types.BaseTuple) and len(value) == 2 and _all_whole(value):
        return lambda value: (np.int64(value[0]), np.int64(value[1]))
    if isinstance(value, types.BaseTuple | types.Array):
        return lambda value: hashed_with(value, np.int64(0), np.int64(0))
    return None


def _all_whole(kind):
    return all(isinstance(part, types.Integer) for part in kind)


def _made(name, arguments, lines):
    namespace = {"hashed_with": hashed_with}
    exec("\n".join([f"def {name}({arguments}):", *lines]), namespace)
    return namespace[name]
