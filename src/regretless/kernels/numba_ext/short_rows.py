"""Rows of up to four numbers in one vector register, without a loop and so without a branch that depends on the data.

A short loop ends at a branch that the processor often predicts wrongly, and then everything that it has begun behind
the branch is lost: about 15 cycles, more than the loop itself takes. Here a row of `count` numbers is loaded with zeros
behind its end and written back without touching what lies there. Longer rows are processed in parts of four. Sums and
differences go through the lanes in order, so the bits are those of a loop. Pointers come from `pointers.pointer`;
numbers are float32 or float64 in memory and float64 in a register.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model

from regretless.kernels.numba_ext.primitives import primitive

__all__ = [
    "LANES",
    "add_numbers",
    "add_row",
    "add_to_row",
    "highest_bit",
    "positive_bits",
    "positive_row",
    "subtract_in_order",
    "sum_in_order",
]

LANES = 4


def positive_row(pointer, index, count):
    """max(x, 0) of the `count` numbers from `index` on, or of the first four; 0 in lanes behind them."""
    row, numbers = np.zeros(LANES), pointer[index : index + min(count, LANES)]
    row[: len(numbers)] = np.where(numbers > 0.0, numbers, 0.0)
    return row


def sum_in_order(start, row):
    """start + row[0] + row[1] + …, one after the other."""
    for number in row:
        start += number
    return start


def subtract_in_order(start, row):
    """start − row[0] − row[1] − …, and after how many of these differences at least 0 was left."""
    passed = 0
    for number in row:
        start -= number
        passed += int(start >= 0.0)
    return start, passed


def positive_bits(row):
    """A word in which bit k is set where row[k] > 0."""
    return sum(1 << k for k in range(len(row)) if row[k] > 0.0)


def highest_bit(word):
    """The number of the highest bit of a word that is set; the word is above 0."""
    return int(word).bit_length() - 1


def add_numbers(pointer, index, count, source, at):
    """Add the `count` numbers of `source` from `at` on to those from `index` on, or the first four."""
    count = min(count, LANES)
    pointer[index : index + count] += source[at : at + count]


def add_row(pointer, index, count, scale, row):
    """Add scale · row to the `count` numbers from `index` on, or to the first four."""
    count = min(count, LANES)
    pointer[index : index + count] += scale * row[:count]


def add_to_row(pointer, index, count, number, lane, other):
    """Add `number` to each of the `count` numbers from `index` on, or of the first four; but `other` in one lane."""
    added = np.full(min(count, LANES), number)
    if 0 <= lane < len(added):
        added[lane] = other
    pointer[index : index + len(added)] += added


class RowType(types.Type):
    """Four numbers."""

    def __init__(self):
        super().__init__(name=f"Row{LANES}")


ROW = RowType()
DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
WORDS = ir.VectorType(ir.IntType(64), LANES)
BITS = ir.VectorType(ir.IntType(1), LANES)
ZEROS = ir.Constant(DOUBLES, [0.0] * LANES)
NUMBERS = ir.Constant(WORDS, list(range(LANES)))


@register_model(RowType)
class RowModel(models.PrimitiveModel):
    """A vector of LLVM's."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, DOUBLES)


def _splat(builder, number, kind):
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), mask)


def _lanes_before(builder, count):
    return builder.icmp_signed("<", NUMBERS, _splat(builder, count, WORDS))


def _place(context, builder, pointer, where, index):
    """The type of a row in memory, its name in LLVM's functions, its address, and the alignment of a number."""
    number = context.get_data_type(pointer.dtype)
    vector = ir.VectorType(number, LANES)
    name = f"v{LANES}{'f32' if pointer.dtype == types.float32 else 'f64'}.p0"
    address = builder.bitcast(builder.gep(where, [index]), vector.as_pointer())
    return vector, name, address, ir.Constant(ir.IntType(32), context.get_abi_sizeof(number))


def _load(context, builder, pointer, where, index, lanes):
    vector, name, address, align = _place(context, builder, pointer, where, index)
    kind = ir.FunctionType(vector, [address.type, align.type, BITS, vector])
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.masked.load.{name}")
    row = builder.call(function, [address, align, lanes, ir.Constant(vector, [0.0] * LANES)])
    return row if vector == DOUBLES else builder.fpext(row, DOUBLES)


def _add(context, builder, pointer, where, index, count, added):
    """Add a vector to the numbers of a row."""
    lanes = _lanes_before(builder, count)
    new = builder.fadd(_load(context, builder, pointer, where, index, lanes), added)
    vector, name, address, align = _place(context, builder, pointer, where, index)
    kind = ir.FunctionType(ir.VoidType(), [vector, address.type, align.type, BITS])
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.masked.store.{name}")
    builder.call(function, [new if vector == DOUBLES else builder.fptrunc(new, vector), address, align, lanes])
    return context.get_dummy_value()


def _lane(builder, row, k):
    return builder.extract_element(row, ir.Constant(ir.IntType(32), k))


@primitive(positive_row, typed=lambda pointer, index, count: ROW(pointer, types.intp, types.intp))
def _positive_row(context, builder, signature, arguments):
    where, index, count = arguments
    row = _load(context, builder, signature.args[0], where, index, _lanes_before(builder, count))
    return builder.select(builder.fcmp_ordered(">", row, ZEROS), row, ZEROS)


@primitive(sum_in_order, typed=lambda start, row: types.float64(types.float64, row))
def _sum_in_order(context, builder, signature, arguments):
    total, row = arguments
    for k in range(LANES):
        total = builder.fadd(total, _lane(builder, row, k))
    return total


def _typed_subtract(start, row):
    return types.Tuple((types.float64, types.int64))(types.float64, row)


@primitive(subtract_in_order, typed=_typed_subtract)
def _subtract_in_order(context, builder, signature, arguments):
    left, row = arguments
    passed = ir.Constant(ir.IntType(64), 0)
    for k in range(LANES):
        left = builder.fsub(left, _lane(builder, row, k))
        still = builder.fcmp_ordered(">=", left, ir.Constant(ir.DoubleType(), 0.0))
        passed = builder.add(passed, builder.zext(still, ir.IntType(64)))
    return context.make_tuple(builder, signature.return_type, [left, passed])


@primitive(positive_bits, typed=lambda row: types.int64(row))
def _positive_bits(context, builder, signature, arguments):
    bits = builder.fcmp_ordered(">", arguments[0], ZEROS)
    return builder.zext(builder.bitcast(bits, ir.IntType(LANES)), ir.IntType(64))


@primitive(highest_bit, typed=lambda word: types.int64(types.int64))
def _highest_bit(context, builder, signature, arguments):
    return builder.sub(ir.Constant(ir.IntType(64), 63), builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1)))


def _typed_add_numbers(pointer, index, count, source, at):
    return types.none(pointer, types.intp, types.intp, source, types.intp)


@primitive(add_numbers, typed=_typed_add_numbers)
def _add_numbers(context, builder, signature, arguments):
    where, index, count, source, at = arguments
    added = _load(context, builder, signature.args[3], source, at, _lanes_before(builder, count))
    return _add(context, builder, signature.args[0], where, index, count, added)


def _typed_add_row(pointer, index, count, scale, row):
    return types.none(pointer, types.intp, types.intp, types.float64, row)


@primitive(add_row, typed=_typed_add_row)
def _add_row(context, builder, signature, arguments):
    where, index, count, scale, row = arguments
    added = builder.fmul(_splat(builder, scale, DOUBLES), row)
    return _add(context, builder, signature.args[0], where, index, count, added)


def _typed_add_to_row(pointer, index, count, number, lane, other):
    return types.none(pointer, types.intp, types.intp, types.float64, types.intp, types.float64)


@primitive(add_to_row, typed=_typed_add_to_row)
def _add_to_row(context, builder, signature, arguments):
    where, index, count, number, lane, other = arguments
    chosen = builder.icmp_signed("==", NUMBERS, _splat(builder, lane, WORDS))
    added = builder.select(chosen, _splat(builder, other, DOUBLES), _splat(builder, number, DOUBLES))
    return _add(context, builder, signature.args[0], where, index, count, added)
