"""Sixteen numbers at once: one vector register of float32 where the processor has them that wide, else two or four.

The compiler turns most loops into vector instructions by itself, but not short ones whose arrays might overlap. Where
that matters, a kernel says it: `take(pointer, index)` reads sixteen neighbours, `put` writes them, `+`, `-` and `*`
work number by number, and `fused(a, b, c)` is a·b + c. Pointers come from `memory.bare`. Without compilation the same
names work on slices of arrays.
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
    return pointer[index : index + WIDTH].copy()


def put(pointer, index, vector):
    """Write sixteen numbers from `index` on."""
    pointer[index : index + WIDTH] = vector


def spread(pointer, number):
    """Sixteen times the same number, of the kind that `pointer` points to."""
    return np.full(WIDTH, number, pointer.dtype)


def fused(a, b, c):
    """a · b + c, rounded once where the processor can."""
    return a * b + c


class VectorType(types.Type):
    """Sixteen numbers of one kind."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(name=f"Vector{WIDTH}({dtype})")


@register_model(VectorType)
class VectorModel(models.PrimitiveModel):
    """A vector of the compiler's own."""

    def __init__(self, dmm, fe_type):
        number = ir.FloatType() if fe_type.dtype == types.float32 else ir.DoubleType()
        super().__init__(dmm, fe_type, ir.VectorType(number, WIDTH))


def _vector_of(context, kind):
    return context.get_value_type(kind)


def _address_of(context, builder, pointer, index, kind):
    address = builder.gep(pointer, [index])
    return builder.bitcast(address, _vector_of(context, kind).as_pointer())


@intrinsic
def _take(typing_context, pointer, index):
    kind = VectorType(pointer.dtype)

    def generate(context, builder, signature, arguments):
        address = _address_of(context, builder, *arguments, kind)
        return builder.load(address, align=context.get_abi_sizeof(context.get_value_type(kind.dtype)))

    return kind(pointer, types.intp), generate


@intrinsic
def _put(typing_context, pointer, index, vector):
    def generate(context, builder, signature, arguments):
        where, at, what = arguments
        address = _address_of(context, builder, where, at, signature.args[2])
        builder.store(what, address, align=context.get_abi_sizeof(context.get_value_type(signature.args[2].dtype)))
        return context.get_dummy_value()

    return types.none(pointer, types.intp, vector), generate


@intrinsic
def _spread(typing_context, pointer, number):
    kind = VectorType(pointer.dtype)

    def generate(context, builder, signature, arguments):
        vector = _vector_of(context, kind)
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), arguments[1], ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), mask)

    return kind(pointer, pointer.dtype), generate


@intrinsic
def _fused(typing_context, a, b, c):
    def generate(context, builder, signature, arguments):
        vector = _vector_of(context, signature.return_type)
        name = f"llvm.fma.v{WIDTH}{'f32' if signature.return_type.dtype == types.float32 else 'f64'}"
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector, vector, vector]), name
        )
        return builder.call(function, arguments)

    return a(a, b, c), generate


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
