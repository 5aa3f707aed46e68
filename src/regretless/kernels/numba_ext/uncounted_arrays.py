"""Arrays that nobody counts: they behave like any array, but whoever calls must keep them alive.

Compiled code counts the holders of every array, also of those that hide in the tuple of a game's rules, each time a
function takes the tuple in hand. That costs more than the rules of most games. A `Borrowed` array has the same parts
as an array, is passed on without counting, and can be read, written, sliced and measured like one.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.boxing import unbox_array
from numba.core.datamodel.models import ArrayModel
from numba.extending import NativeValue, intrinsic, lower_cast, overload, register_model, typeof_impl, unbox
from numba.np.numpy_support import from_dtype


class BorrowedArray(np.ndarray):
    """A NumPy array that compiled functions take as borrowed; made by `lend`."""

    __numba_array_subtype_dispatch__ = True


def lend(array):
    """A view of a contiguous array that compiled functions do not count."""
    return np.ascontiguousarray(array).view(BorrowedArray)


class Borrowed(types.Array):
    """The type of a borrowed array."""

    def __init__(self, dtype, ndim):
        super().__init__(dtype, ndim, "C", name=f"borrowed({dtype}, {ndim}d)")


@register_model(Borrowed)
class BorrowedModel(ArrayModel):
    """An array without anything to count."""

    def traverse(self, builder):
        """Nothing inside is counted."""
        return []

    def traverse_models(self):
        """Nothing inside is counted."""
        return []

    def has_nrt_meminfo(self):
        """No holder is noted."""
        return False

    def get_nrt_meminfo(self, builder, value):
        """No holder is noted."""
        return


@typeof_impl.register(BorrowedArray)
def _type_of(array, context):
    return Borrowed(from_dtype(array.dtype), array.ndim)


@unbox(Borrowed)
def _unbox(kind, value, c):
    counted = types.Array(kind.dtype, kind.ndim, "C")
    native = unbox_array(counted, value, c)
    if c.context.enable_nrt:
        c.context.nrt.decref(c.builder, counted, native.value)  # the caller holds it
    return NativeValue(_without_holder(c.context, c.builder, kind, native.value), is_error=native.is_error)


@lower_cast(Borrowed, types.Array)
def _as_array(context, builder, borrowed, counted, value):
    return value  # with no holder noted, counting does nothing


def _without_holder(context, builder, kind, value):
    array = context.make_array(kind)(context, builder, value)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()


def _borrowed_type(kind):
    if isinstance(kind, types.BaseTuple):
        parts = [_borrowed_type(part) for part in getattr(kind, "types")]
        return types.BaseTuple.from_types(parts, getattr(kind, "instance_class", None))
    if isinstance(kind, types.Array) and kind.layout == "C" and kind.mutable:
        return Borrowed(kind.dtype, kind.ndim)
    return kind


def _borrow(context, builder, kind, target, value):
    if isinstance(kind, types.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value)
        borrowed = [
            _borrow(context, builder, k, t, v) for k, t, v in zip(getattr(kind, "types"), target, parts, strict=True)
        ]
        return context.make_tuple(builder, target, borrowed)
    return value if kind == target else _without_holder(context, builder, target, value)


@intrinsic
def _borrowed(typing_context, value):
    target = _borrowed_type(value)

    def generate(context, builder, signature, arguments):
        return _borrow(context, builder, signature.args[0], target, arguments[0])

    return target(value), generate


def borrowed(value):
    """An array, or a tuple of arrays, uncounted from here on; the function that calls this must hold the original."""
    return value


@overload(borrowed, inline="always")
def _borrowed_overload(value):
    return lambda value: _borrowed(value)  # Numba gives the first argument
