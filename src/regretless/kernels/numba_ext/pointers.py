"""Pointers to the numbers of arrays, indexed like the flattened array.

Compiled code counts the references to an array whenever a function receives it. A walk through a game passes arrays on
so often that the counting costs several times the work. Where the caller keeps an array alive, a pointer is enough.
"""

from __future__ import annotations

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from regretless.kernels.numba_ext.primitives import primitive

__all__ = ["address", "offset", "pointer", "pointers", "prefetch", "smallest_normal"]


def pointer(array):
    """A pointer to the first number of a contiguous array; the caller keeps the array alive."""
    return array.reshape(-1)


def pointers(record):
    """A record (or tuple) with a pointer in place of each contiguous array, also inside records that it holds."""
    if isinstance(record, tuple):
        parts = map(pointers, record)
        return type(record)(*parts) if hasattr(record, "_fields") else tuple(parts)
    return record.reshape(-1) if isinstance(record, np.ndarray) else record


def offset(pointer, count):
    """The pointer `count` numbers further on."""
    return pointer[count:]


def prefetch(pointer, index):
    """Ask the processor to load a number into its cache."""


def smallest_normal(numbers):
    """The smallest normal number of the type that an array or a pointer holds; integers are read as float32."""
    return np.finfo(numbers.dtype if numbers.dtype.kind == "f" else np.float32).tiny


def address(context, builder, kind, value, index):
    """Code for the address of one number of a pointer, or of a contiguous array."""
    first = value if isinstance(kind, types.CPointer) else _first(context, builder, kind, value)
    return builder.gep(first, [index])


def _first(context, builder, kind, array):
    return context.make_array(kind)(context, builder, array).data


def _is_array(kind):
    return isinstance(kind, types.Array) and kind.layout == "C"


def _pointer_type(kind):
    if isinstance(kind, types.BaseTuple):
        parts = [_pointer_type(part) for part in getattr(kind, "types")]
        return types.BaseTuple.from_types(parts, getattr(kind, "instance_class", None))
    return types.CPointer(kind.dtype) if _is_array(kind) else kind


def _as_pointers(context, builder, kind, target, value):
    if isinstance(kind, types.BaseTuple):
        parts = [
            _as_pointers(context, builder, one, other, part)
            for one, other, part in zip(
                getattr(kind, "types"), getattr(target, "types"), cgutils.unpack_tuple(builder, value), strict=True
            )
        ]
        return context.make_tuple(builder, target, parts)
    if _is_array(kind):
        return _first(context, builder, kind, value)
    if context.enable_nrt:
        context.nrt.incref(builder, kind, value)
    return value


@primitive(pointer, typed=lambda array: types.CPointer(array.dtype)(array))
def _pointer(context, builder, signature, arguments):
    return _first(context, builder, signature.args[0], arguments[0])


@primitive(pointers, typed=lambda record: _pointer_type(record)(record))
def _pointers(context, builder, signature, arguments):
    return _as_pointers(context, builder, signature.args[0], signature.return_type, arguments[0])


@primitive(offset, typed=lambda pointer, count: pointer(pointer, types.intp))
def _offset(context, builder, signature, arguments):
    return builder.gep(arguments[0], [arguments[1]])


@primitive(prefetch, typed=lambda pointer, index: types.none(pointer, types.intp))
def _prefetch(context, builder, signature, arguments):
    byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    place = builder.bitcast(address(context, builder, signature.args[0], *arguments), byte)
    kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    builder.call(function, [place, word(0), word(3), word(1)])  # to read, to keep, data
    return context.get_dummy_value()


@primitive(smallest_normal, typed=lambda numbers: _float_type(numbers)(numbers))
def _smallest_normal(context, builder, signature, arguments):
    tiny = np.finfo(np.float32 if signature.return_type == types.float32 else np.float64).tiny
    return context.get_constant(signature.return_type, float(tiny))


def _float_type(numbers):
    return types.float64 if numbers.dtype == types.float64 else types.float32


def _typed_getitem(pointer, index):
    if isinstance(pointer, types.CPointer) and isinstance(index, types.Integer):
        return pointer.dtype(pointer, types.intp)
    return None


def _typed_setitem(pointer, index, value):
    if isinstance(pointer, types.CPointer) and isinstance(index, types.Integer):
        return types.none(pointer, types.intp, pointer.dtype)
    return None


@primitive(operator.getitem, types.CPointer, types.Integer, typed=_typed_getitem)
def _getitem(context, builder, signature, arguments):
    place = builder.gep(arguments[0], [arguments[1]])
    return context.unpack_value(builder, signature.args[0].dtype, place)


@primitive(operator.setitem, types.CPointer, types.Integer, types.Any, typed=_typed_setitem)
def _setitem(context, builder, signature, arguments):
    place = builder.gep(arguments[0], [arguments[1]])
    context.pack_value(builder, signature.args[0].dtype, arguments[2], place)
    return context.get_dummy_value()
