"""States of compiled games as rows of 64-bit words, so that a batch of them is one array."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.core import cgutils

__all__ = ["get_words", "put_words", "word_count"]

WORD = ir.IntType(64)

intrinsic: Any = extending.intrinsic  # their return types depend on their arguments


def _count(kind):
    """Number of words of a state of some type; −1 if a part of it is not a number."""
    if isinstance(kind, types.BaseTuple):
        parts = [_count(part) for part in getattr(kind, "types")]
        return -1 if -1 in parts else sum(parts)
    return 1 if kind in (types.int64, types.float64) else -1


def _leaves(builder, value, kind):
    """The numbers of a state, in order."""
    if isinstance(kind, types.BaseTuple):
        for part, inner in zip(cgutils.unpack_tuple(builder, value), getattr(kind, "types"), strict=True):
            yield from _leaves(builder, part, inner)
    else:
        yield builder.bitcast(value, WORD)


def _built(context, builder, words, kind):
    """A state from an iterator over its numbers."""
    if isinstance(kind, types.BaseTuple):
        parts = [_built(context, builder, words, inner) for inner in getattr(kind, "types")]
        return context.make_tuple(builder, kind, parts)
    return builder.bitcast(next(words), context.get_value_type(kind))


def _place(context, builder, signature, arguments, number):
    """A pointer to a word of the row that begins at argument 2 of the array that is argument 1."""
    data = context.make_array(signature.args[1])(context, builder, arguments[1]).data
    return builder.gep(data, [builder.add(arguments[2], ir.Constant(WORD, number))])


@intrinsic
def word_count(typing_context, state):
    """Number of words of a state; −1 if it holds arrays."""
    count = _count(state)

    def generate(context, builder, signature, arguments):
        return ir.Constant(WORD, count)

    return types.int64(state), generate


@intrinsic
def put_words(typing_context, state, words, at):
    """Write a state to words[at …] (int64); returns the number of words."""
    count = _count(state)

    def generate(context, builder, signature, arguments):
        for number, leaf in enumerate(_leaves(builder, arguments[0], signature.args[0])):
            builder.store(leaf, _place(context, builder, signature, arguments, number))
        return ir.Constant(WORD, count)

    return types.int64(state, words, types.int64), generate


@intrinsic
def get_words(typing_context, like, words, at):
    """Read a state from words[at …] (int64); `like` is any state of the same type."""
    count = _count(like)

    def generate(context, builder, signature, arguments):
        loaded = iter([builder.load(_place(context, builder, signature, arguments, n)) for n in range(count)])
        return _built(context, builder, loaded, signature.args[0])

    return like(like, words, types.int64), generate
