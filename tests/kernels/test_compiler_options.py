"""Options of the compiler compare as Numba compares them, only faster."""

from __future__ import annotations

from numba.core.compiler import Flags
from numba.core.targetconfig import Option, TargetConfig

from regretless.kernels.numba_ext import compiler_options

compiler_options.compare_options_quickly()  # as the first kernel does


def test_hash_and_equality_are_those_of_the_listed_values() -> None:
    one, other = Flags(), Flags()
    assert one == other and hash(one) == hash(other) == hash(tuple(sorted(one.values())))
    one.nrt = True
    assert one != other and hash(one) == hash(other)
    other.nrt = True
    assert one == other
    one.debuginfo = other.debuginfo  # stored, and the same as the default
    assert one._values != other._values and one == other
    assert one != "options"


def test_options_of_two_kinds_are_compared_by_their_values() -> None:
    class First(TargetConfig):
        width = Option(type=int, default=1, doc="")

    class Second(TargetConfig):
        width = Option(type=int, default=2, doc="")

    assert First() != Second()
    second = Second()
    second.width = 1
    assert First() == second and hash(First()) == hash(second)


def test_it_is_done_once() -> None:
    before = TargetConfig.__eq__
    compiler_options.compare_options_quickly()
    assert TargetConfig.__eq__ is before
