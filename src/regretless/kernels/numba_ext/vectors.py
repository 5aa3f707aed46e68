"""Sixteen numbers at once: one vector register of float32 where the processor has them that wide, else two or four.

The compiler turns most loops into vector instructions by itself, but not short ones whose arrays might overlap. Where
that matters, a kernel says it: `take(pointer, index)` reads sixteen neighbours, `put` writes them, `+`, `-` and `*`
work number by number, `fused(a, b, c)` is a·b + c. Pointers come from `memory.bare`; 16-bit integers become float32
when they are taken and are cut off to integers when they are put. Without compilation the same names work on slices.
"""

from __future__ import annotations

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

WIDTH = 16


def take(pointer, index):
    """The sixteen numbers from `index` on."""
    out = pointer[index : index + WIDTH]
    return out.astype(np.float32) if out.dtype.kind == "i" else out.copy()


def put(pointer, index, vector):
    """Write sixteen numbers from `index` on."""
    pointer[index : index + WIDTH] = vector


def spread(pointer, number):
    """Sixteen times the same number, of the kind that `pointer` points to."""
    return np.full(WIDTH, number, np.float32 if pointer.dtype.kind == "i" else pointer.dtype)


def fused(a, b, c):
    """a · b + c, rounded once where the processor can."""
    return a * b + c


def larger(a, b):
    """The larger of two numbers, sixteen times."""
    return np.where(a > b, a, b)


def smaller(a, b):
    """The smaller of two numbers, sixteen times."""
    return np.where(a < b, a, b)


def by_sign(number, positive, negative):
    """`positive` where a number is above zero, else `negative`."""
    return np.where(number > 0, positive, negative)


def ratio(above, below, least):
    """above / below where below ≥ least, else 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below >= least, above / below, above.dtype.type(0))


def otherwise(number, below, least):
    """A number where below < least, else 0: the other half of `ratio`."""
    return np.where(below >= least, number.dtype.type(0), number)


def rounded_down(a):
    """The largest whole number that is not larger."""
    return np.floor(a)


def turn_in(source, first, at, target, where):
    """Sixteen rows become columns: target[where + 16·k + j] = source[first[j] + at + k]."""
    block = np.stack([source[first[j] + at : first[j] + at + WIDTH] for j in range(WIDTH)])
    target[where : where + WIDTH * WIDTH] = block.T.ravel()


def turn_out(source, where, factor, target, first, at):
    """Sixteen columns become rows: target[first[j] + at + k] = factor[j] · source[where + 16·k + j]."""
    block = source[where : where + WIDTH * WIDTH].reshape(WIDTH, WIDTH).T
    for j in range(WIDTH):
        target[first[j] + at : first[j] + at + WIDTH] = factor[j] * block[j]


class VectorType(types.Type):
    """Sixteen numbers of one kind."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(name=f"Vector{WIDTH}({dtype})")


@register_model(VectorType)
class VectorModel(models.PrimitiveModel):
    """A vector of the compiler's own."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, ir.VectorType(_number(fe_type.dtype), WIDTH))


def _number(dtype):
    return ir.FloatType() if dtype == types.float32 else ir.DoubleType()


def _kind(pointer):
    """What is read from a pointer: floating-point numbers as they are, integers as float32."""
    return VectorType(types.float32 if isinstance(pointer.dtype, types.Integer) else pointer.dtype)


def _memory_vector(context, pointer):
    return ir.VectorType(context.get_data_type(pointer.dtype), WIDTH)


def _bytes(context, pointer):
    return context.get_abi_sizeof(context.get_data_type(pointer.dtype))


def _load(context, builder, pointer, where, index):
    """The sixteen numbers behind an address, as they lie in memory."""
    address = builder.gep(where, [index])
    address = builder.bitcast(address, _memory_vector(context, pointer).as_pointer())
    return builder.load(address, align=_bytes(context, pointer))


def _store(context, builder, pointer, where, index, vector):
    address = builder.gep(where, [index])
    address = builder.bitcast(address, _memory_vector(context, pointer).as_pointer())
    builder.store(vector, address, align=_bytes(context, pointer))


@intrinsic
def _take(typing_context, pointer, index):
    kind = _kind(pointer)

    def generate(context, builder, signature, arguments):
        vector = _load(context, builder, pointer, *arguments)
        if isinstance(pointer.dtype, types.Integer):
            return builder.sitofp(vector, context.get_value_type(kind))
        return vector

    return kind(pointer, types.intp), generate


@intrinsic
def _put(typing_context, pointer, index, vector):
    def generate(context, builder, signature, arguments):
        where, at, what = arguments
        if isinstance(pointer.dtype, types.Integer):
            what = builder.fptosi(what, _memory_vector(context, pointer))
        _store(context, builder, pointer, where, at, what)
        return context.get_dummy_value()

    return types.none(pointer, types.intp, vector), generate


@intrinsic
def _spread(typing_context, pointer, number):
    kind = _kind(pointer)

    def generate(context, builder, signature, arguments):
        return _splat(builder, context.get_value_type(kind), arguments[1])

    return kind(pointer, kind.dtype), generate


def _splat(builder, vector, number):
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), mask)


def _called(builder, kind, name, arguments):
    """A function of the compiler's own that works on vectors."""
    vector = ir.VectorType(_number(kind.dtype), WIDTH)
    full = f"llvm.{name}.v{WIDTH}{'f32' if kind.dtype == types.float32 else 'f64'}"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector] * len(arguments)), full)
    return builder.call(function, arguments)


@intrinsic
def _fused(typing_context, a, b, c):
    return a(a, b, c), lambda context, builder, signature, arguments: _called(builder, a, "fma", arguments)


@intrinsic
def _rounded_down(typing_context, a):
    return a(a), lambda context, builder, signature, arguments: _called(builder, a, "floor", arguments)


def _comparing(condition):
    @intrinsic
    def apply(typing_context, a, b):
        def generate(context, builder, signature, arguments):
            return builder.select(builder.fcmp_ordered(condition, *arguments), *arguments)

        return a(a, b), generate

    return apply


_larger, _smaller = _comparing(">"), _comparing("<")


@intrinsic
def _by_sign(typing_context, number, positive, negative):
    def generate(context, builder, signature, arguments):
        nothing = ir.Constant(arguments[0].type, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", arguments[0], nothing), arguments[1], arguments[2])

    return number(number, positive, negative), generate


@intrinsic
def _ratio(typing_context, above, below, least):
    def generate(context, builder, signature, arguments):
        over, under, smallest = arguments
        nothing = ir.Constant(over.type, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered(">=", under, smallest), builder.fdiv(over, under), nothing)

    return above(above, below, least), generate


@intrinsic
def _otherwise(typing_context, number, below, least):
    def generate(context, builder, signature, arguments):
        what, under, smallest = arguments
        nothing = ir.Constant(what.type, [0.0] * WIDTH)
        return builder.select(builder.fcmp_ordered(">=", under, smallest), nothing, what)

    return number(number, below, least), generate


def _transposed(builder, rows):
    """Sixteen vectors, rows and columns exchanged: four rounds of dealing two halves into each other."""
    half = WIDTH // 2
    mask = [[(i // 2) + (WIDTH if i % 2 else 0) + offset for i in range(WIDTH)] for offset in (0, half)]
    low, high = (ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), m) for m in mask)
    for _ in range(4):
        rows = [builder.shuffle_vector(rows[i // 2], rows[i // 2 + half], high if i % 2 else low) for i in range(WIDTH)]
    return rows


def _int(number):
    return ir.Constant(ir.IntType(64), number)


@intrinsic
def _turn_in(typing_context, source, first, at, target, where):
    def generate(context, builder, signature, arguments):
        origin, offsets, index, goal, place = arguments
        rows = []
        for j in range(WIDTH):
            offset = builder.load(builder.gep(offsets, [_int(j)]))
            rows.append(_load(context, builder, source, origin, builder.add(offset, index)))
        for k, vector in enumerate(_transposed(builder, rows)):
            _store(context, builder, target, goal, builder.add(place, _int(k * WIDTH)), vector)
        return context.get_dummy_value()

    return types.none(source, first, types.intp, target, types.intp), generate


@intrinsic
def _turn_out(typing_context, source, where, factor, target, first, at):
    def generate(context, builder, signature, arguments):
        origin, place, times, goal, offsets, index = arguments
        rows = []
        for k in range(WIDTH):
            vector = _load(context, builder, source, origin, builder.add(place, _int(k * WIDTH)))
            rows.append(builder.fmul(vector, times))
        for j, vector in enumerate(_transposed(builder, rows)):
            offset = builder.load(builder.gep(offsets, [_int(j)]))
            _store(context, builder, target, goal, builder.add(offset, index), vector)
        return context.get_dummy_value()

    return types.none(source, types.intp, factor, target, first, types.intp), generate


def _arithmetic(instruction):
    @intrinsic
    def apply(typing_context, a, b):
        def generate(context, builder, signature, arguments):
            return getattr(builder, instruction)(*arguments)

        return a(a, b), generate

    return apply


_add, _subtract, _multiply = _arithmetic("fadd"), _arithmetic("fsub"), _arithmetic("fmul")


@overload(take, inline="always")
def _take_of(pointer, index):
    return lambda pointer, index: _take(pointer, index)


@overload(put, inline="always")
def _put_of(pointer, index, vector):
    return lambda pointer, index, vector: _put(pointer, index, vector)


@overload(spread, inline="always")
def _spread_of(pointer, number):
    return lambda pointer, number: _spread(pointer, number)


@overload(fused, inline="always")
def _fused_of(a, b, c):
    return lambda a, b, c: _fused(a, b, c)


@overload(larger, inline="always")
def _larger_of(a, b):
    return lambda a, b: _larger(a, b)


@overload(smaller, inline="always")
def _smaller_of(a, b):
    return lambda a, b: _smaller(a, b)


@overload(by_sign, inline="always")
def _by_sign_of(number, positive, negative):
    return lambda number, positive, negative: _by_sign(number, positive, negative)


@overload(ratio, inline="always")
def _ratio_of(above, below, least):
    return lambda above, below, least: _ratio(above, below, least)


@overload(otherwise, inline="always")
def _otherwise_of(number, below, least):
    return lambda number, below, least: _otherwise(number, below, least)


@overload(rounded_down, inline="always")
def _rounded_down_of(a):
    return lambda a: _rounded_down(a)


@overload(turn_in, inline="always")
def _turn_in_of(source, first, at, target, where):
    return lambda source, first, at, target, where: _turn_in(source, first, at, target, where)


@overload(turn_out, inline="always")
def _turn_out_of(source, where, factor, target, first, at):
    return lambda source, where, factor, target, first, at: _turn_out(source, where, factor, target, first, at)


@overload(operator.add, inline="always")
def _sum_of(a, b):
    if isinstance(a, VectorType) and isinstance(b, VectorType):
        return lambda a, b: _add(a, b)
    return None


@overload(operator.sub, inline="always")
def _difference_of(a, b):
    if isinstance(a, VectorType) and isinstance(b, VectorType):
        return lambda a, b: _subtract(a, b)
    return None


@overload(operator.mul, inline="always")
def _product_of(a, b):
    if isinstance(a, VectorType) and isinstance(b, VectorType):
        return lambda a, b: _multiply(a, b)
    return None
