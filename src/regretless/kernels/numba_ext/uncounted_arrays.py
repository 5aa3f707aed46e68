"""Array views without reference counting: they behave like arrays, but the caller must keep the array alive.

Compiled code counts the references to every array, also of those inside the tuple of a game's rules, each time a
function receives the tuple. That costs more than the rules of most games. An uncounted view has the same fields as an
array, is passed on without counting, and can be read, written, sliced and measured like one.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.boxing import unbox_array
from numba.core.datamodel.models import ArrayModel
from numba.extending import NativeValue, lower_cast, register_model, typeof_impl, unbox
from numba.np.numpy_support import from_dtype

__all__ = ["UncountedArray", "UncountedType", "uncounted_view"]


class UncountedArray(np.ndarray):
    """A NumPy array whose references compiled functions do not count; made by `uncounted_view`."""

    __numba_array_subtype_dispatch__ = True


def uncounted_view(array):
    """A view of a contiguous array whose references compiled functions do not count."""
    return np.ascontiguousarray(array).view(UncountedArray)


class UncountedType(types.Array):
    """The compiler's type of an uncounted view."""

    def __init__(self, dtype, ndim):
        super().__init__(dtype, ndim, "C", name=f"uncounted({dtype}, {ndim}d)")


@register_model(UncountedType)
class UncountedModel(ArrayModel):
    """The fields of an array, with no reference to count."""

    def traverse(self, builder):
        """Nothing inside is counted."""
        return []

    def traverse_models(self):
        """Nothing inside is counted."""
        return []

    def has_nrt_meminfo(self):
        """No reference is kept."""
        return False

    def get_nrt_meminfo(self, builder, value):
        """No reference is kept."""
        return


@typeof_impl.register(UncountedArray)
def _type_of(array, context):
    return UncountedType(from_dtype(array.dtype), array.ndim)


@unbox(UncountedType)
def _unbox(kind, value, c):
    counted = types.Array(kind.dtype, kind.ndim, "C")
    native = unbox_array(counted, value, c)
    if c.context.enable_nrt:
        c.context.nrt.decref(c.builder, counted, native.value)  # the caller keeps the array alive
    return NativeValue(_without_reference(c.context, c.builder, kind, native.value), is_error=native.is_error)


@lower_cast(UncountedType, types.Array)
def _as_array(context, builder, uncounted, counted, value):
    return value  # its reference is null, so counting does nothing


def _without_reference(context, builder, kind, value):
    array = context.make_array(kind)(context, builder, value)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()
