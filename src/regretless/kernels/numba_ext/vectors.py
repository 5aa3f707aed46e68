"""Sixteen numbers at once: one vector register of float32 where the processor has them that wide, else two or four.

The compiler turns most loops into vector instructions by itself, but not short ones whose arrays might overlap. There a
kernel says it explicitly: `load(pointer, index)` reads sixteen neighbours, `store` writes them, and `+`, `-` and `*`
work lane by lane. Pointers come from `pointers.pointer`. 16-bit integers become float32 when they are loaded and are
truncated to integers when they are stored. Without compilation the same names work on slices.
"""

from __future__ import annotations

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model

from regretless.kernels.numba_ext.primitives import primitive

__all__ = [
    "WIDTH",
    "divide",
    "floor",
    "gather_columns",
    "load",
    "maximum",
    "minimum",
    "multiply_add",
    "scatter_columns",
    "splat",
    "store",
    "where_at_least",
    "where_positive",
]

WIDTH = 16


def load(pointer, index):
    """The sixteen numbers from `index` on."""
    out = pointer[index : index + WIDTH]
    return out.astype(np.float32) if out.dtype.kind == "i" else out.copy()


def store(pointer, index, vector):
    """Write sixteen numbers from `index` on."""
    pointer[index : index + WIDTH] = vector


def splat(pointer, number):
    """The same number in all lanes, of the type that `load(pointer, …)` returns."""
    return np.full(WIDTH, number, np.float32 if pointer.dtype.kind == "i" else pointer.dtype)


def multiply_add(a, b, c):
    """a · b + c, rounded once where the processor can."""
    return a * b + c


def divide(a, b):
    """a / b, without a check for zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return a / b


def maximum(a, b):
    """The larger of two numbers, lane by lane."""
    return np.where(a > b, a, b)


def minimum(a, b):
    """The smaller of two numbers, lane by lane."""
    return np.where(a < b, a, b)


def floor(a):
    """The largest integer that is not larger, lane by lane."""
    return np.floor(a)


def where_positive(a, yes, no):
    """`yes` in the lanes where a > 0, else `no`."""
    return np.where(a > 0, yes, no)


def where_at_least(a, bound, yes, no):
    """`yes` in the lanes where a ≥ bound, else `no`."""
    return np.where(a >= bound, yes, no)


def gather_columns(source, first, at, target, where):
    """Sixteen rows become columns: target[where + 16·k + j] = source[first[j] + at + k]."""
    block = np.stack([source[first[j] + at : first[j] + at + WIDTH] for j in range(WIDTH)])
    target[where : where + WIDTH * WIDTH] = block.T.ravel()


def scatter_columns(source, where, factor, target, first, at):
    """Sixteen columns become rows: target[first[j] + at + k] = factor[j] · source[where + 16·k + j]."""
    block = source[where : where + WIDTH * WIDTH].reshape(WIDTH, WIDTH).T
    for j in range(WIDTH):
        target[first[j] + at : first[j] + at + WIDTH] = factor[j] * block[j]


class VectorType(types.Type):
    """Sixteen numbers of one type."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(name=f"Vector{WIDTH}({dtype})")


@register_model(VectorType)
class VectorModel(models.PrimitiveModel):
    """A vector of LLVM's."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, ir.VectorType(_number(fe_type.dtype), WIDTH))


def _number(dtype):
    return ir.FloatType() if dtype == types.float32 else ir.DoubleType()


def _loaded_type(pointer):
    """What is read from a pointer: floating-point numbers as they are, integers as float32."""
    return VectorType(types.float32 if isinstance(pointer.dtype, types.Integer) else pointer.dtype)


def _memory_vector(context, pointer):
    return ir.VectorType(context.get_data_type(pointer.dtype), WIDTH)


def _place(context, builder, pointer, where, index):
    """The address of sixteen numbers, and the alignment of one of them."""
    address = builder.bitcast(builder.gep(where, [index]), _memory_vector(context, pointer).as_pointer())
    return address, context.get_abi_sizeof(context.get_data_type(pointer.dtype))


def _read(context, builder, pointer, where, index):
    address, align = _place(context, builder, pointer, where, index)
    return builder.load(address, align=align)


def _write(context, builder, pointer, where, index, vector):
    address, align = _place(context, builder, pointer, where, index)
    builder.store(vector, address, align=align)


def _int(number):
    return ir.Constant(ir.IntType(64), number)


@primitive(load, typed=lambda pointer, index: _loaded_type(pointer)(pointer, types.intp))
def _load(context, builder, signature, arguments):
    pointer = signature.args[0]
    vector = _read(context, builder, pointer, *arguments)
    if isinstance(pointer.dtype, types.Integer):
        return builder.sitofp(vector, context.get_value_type(signature.return_type))
    return vector


@primitive(store, typed=lambda pointer, index, vector: types.none(pointer, types.intp, vector))
def _store(context, builder, signature, arguments):
    pointer, (where, index, vector) = signature.args[0], arguments
    if isinstance(pointer.dtype, types.Integer):
        vector = builder.fptosi(vector, _memory_vector(context, pointer))
    _write(context, builder, pointer, where, index, vector)
    return context.get_dummy_value()


@primitive(splat, typed=lambda pointer, number: _loaded_type(pointer)(pointer, _loaded_type(pointer).dtype))
def _splat(context, builder, signature, arguments):
    vector = context.get_value_type(signature.return_type)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), arguments[1], ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), mask)


def _call(builder, kind, name, arguments):
    """A call of one of LLVM's functions of vectors."""
    vector = ir.VectorType(_number(kind.dtype), WIDTH)
    full = f"llvm.{name}.v{WIDTH}{'f32' if kind.dtype == types.float32 else 'f64'}"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector] * len(arguments)), full)
    return builder.call(function, arguments)


@primitive(multiply_add, typed=lambda a, b, c: a(a, b, c))
def _multiply_add(context, builder, signature, arguments):
    return _call(builder, signature.return_type, "fma", arguments)


@primitive(floor, typed=lambda a: a(a))
def _floor(context, builder, signature, arguments):
    return _call(builder, signature.return_type, "floor", arguments)


@primitive(divide, typed=lambda a, b: a(a, b))
def _divide(context, builder, signature, arguments):
    return builder.fdiv(*arguments)


@primitive(maximum, typed=lambda a, b: a(a, b))
def _maximum(context, builder, signature, arguments):
    return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)


@primitive(minimum, typed=lambda a, b: a(a, b))
def _minimum(context, builder, signature, arguments):
    return builder.select(builder.fcmp_ordered("<", *arguments), *arguments)


@primitive(where_positive, typed=lambda a, yes, no: yes(a, yes, no))
def _where_positive(context, builder, signature, arguments):
    a, yes, no = arguments
    return builder.select(builder.fcmp_ordered(">", a, ir.Constant(a.type, [0.0] * WIDTH)), yes, no)


@primitive(where_at_least, typed=lambda a, bound, yes, no: yes(a, bound, yes, no))
def _where_at_least(context, builder, signature, arguments):
    a, bound, yes, no = arguments
    return builder.select(builder.fcmp_ordered(">=", a, bound), yes, no)


def _transposed(builder, rows):
    """Sixteen vectors, rows and columns exchanged: four rounds of interleaving two halves."""
    half = WIDTH // 2
    mask = [[(i // 2) + (WIDTH if i % 2 else 0) + offset for i in range(WIDTH)] for offset in (0, half)]
    low, high = (ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), m) for m in mask)
    for _ in range(4):
        rows = [builder.shuffle_vector(rows[i // 2], rows[i // 2 + half], high if i % 2 else low) for i in range(WIDTH)]
    return rows


def _typed_gather(source, first, at, target, where):
    return types.none(source, first, types.intp, target, types.intp)


@primitive(gather_columns, typed=_typed_gather)
def _gather_columns(context, builder, signature, arguments):
    source, _, _, target, _ = signature.args
    origin, offsets, index, goal, place = arguments
    rows = []
    for j in range(WIDTH):
        offset = builder.load(builder.gep(offsets, [_int(j)]))
        rows.append(_read(context, builder, source, origin, builder.add(offset, index)))
    for k, vector in enumerate(_transposed(builder, rows)):
        _write(context, builder, target, goal, builder.add(place, _int(k * WIDTH)), vector)
    return context.get_dummy_value()


def _typed_scatter(source, where, factor, target, first, at):
    return types.none(source, types.intp, factor, target, first, types.intp)


@primitive(scatter_columns, typed=_typed_scatter)
def _scatter_columns(context, builder, signature, arguments):
    source, _, _, target, _, _ = signature.args
    origin, place, factor, goal, offsets, index = arguments
    rows = []
    for k in range(WIDTH):
        vector = _read(context, builder, source, origin, builder.add(place, _int(k * WIDTH)))
        rows.append(builder.fmul(vector, factor))
    for j, vector in enumerate(_transposed(builder, rows)):
        offset = builder.load(builder.gep(offsets, [_int(j)]))
        _write(context, builder, target, goal, builder.add(offset, index), vector)
    return context.get_dummy_value()


def _both_vectors(a, b):
    return a(a, b) if isinstance(a, VectorType) and isinstance(b, VectorType) else None


@primitive(operator.add, VectorType, VectorType, typed=_both_vectors)
def _add(context, builder, signature, arguments):
    return builder.fadd(*arguments)


@primitive(operator.sub, VectorType, VectorType, typed=_both_vectors)
def _subtract(context, builder, signature, arguments):
    return builder.fsub(*arguments)


@primitive(operator.mul, VectorType, VectorType, typed=_both_vectors)
def _multiply(context, builder, signature, arguments):
    return builder.fmul(*arguments)
