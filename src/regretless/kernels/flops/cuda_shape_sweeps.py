"""Sums of reach by card and showdowns from them, for lines of one shape: compiled for its sizes."""

from __future__ import annotations

from typing import Any, NamedTuple

from regretless.kernels.cuda_target import device, field, int32, load, put, store
from regretless.kernels.flops.cuda_flop_layout import ADD_AFTER, ADD_BEFORE, HIGH_SHIFT, TIES_SHIFT, VALUES
from regretless.kernels.flops.cuda_flop_terminals import BYTE

__all__ = ["ShapeSizes", "shape_sweeps"]

ALL_PARTS = ADD_BEFORE + VALUES + ADD_AFTER


class ShapeSizes(NamedTuple):
    """What is compiled into the kernel of a shape."""

    lanes: int
    """Those with two sums first, those with a fold only last."""
    shows: int
    """Lanes with a showdown."""
    boths: int
    """Lanes with two sums."""
    sums: int
    cards: int
    """Of the deck."""
    wide: int
    """Lines side by side."""
    width: int
    """From row to row in shared memory."""
    two: bool
    """Whether hands have two cards."""
    rows: int
    """Where the lanes' rows of reach begin in shared memory, behind the sums."""
    values: int
    """Where the values of showdowns begin."""
    numbers: int
    """Numbers in shared memory."""


def shape_sweeps(sizes: ShapeSizes) -> tuple[Any, Any]:
    """Functions for a thread that has a lane: `add_up` and `show`."""
    cards, wide, two = sizes.cards, sizes.wide, sizes.two
    every = cards * wide

    @device
    def add_up(boards, hand, count, at, row, shared):
        """Add the hands of a step to the sum of a lane."""
        total, k = field(shared, at, every), int32(0)
        while k < count:
            packed, here = load(boards.hand, hand + k), field(shared, row, 0)
            low = int32(at + (packed & BYTE) * wide)
            total += here
            if two:
                high = int32(at + (packed >> HIGH_SHIFT & BYTE) * wide)
                of_low, of_high = load(shared, low) + here, load(shared, high) + here
                store(shared, low, of_low)
                store(shared, high, of_high)
            else:
                store(shared, low, load(shared, low) + here)
            k, row = int32(k + 1), int32(row + wide)
        put(shared, at, every, total)

    @device
    def take_out(boards, hand, k, end, at, row, total, shared):
        """Subtract hands k … end − 1 of a step from a sum whose total is given; returns what is left of the total."""
        while k < end:
            packed, here = load(boards.hand, hand + k), load(shared, row + k * wide)
            low = int32(at + (packed & BYTE) * wide)
            total -= here
            if two:
                high = int32(at + (packed >> HIGH_SHIFT & BYTE) * wide)
                of_low, of_high = load(shared, low) - here, load(shared, high) - here
                store(shared, low, of_low)
                store(shared, high, of_high)
            else:
                store(shared, low, load(shared, low) - here)
            k = int32(k + 1)
        return total

    @device
    def show(boards, hand, count, what, at, row, value, net, shared):
        """The showdown of a lane for the hands of a step: see `show_hands` of `cuda_flop_walks`."""
        total, k = field(shared, at, every), int32(0)
        while k < count:
            packed = load(boards.hand, hand + k)
            ties = int32(packed >> TIES_SHIFT)
            if ties == 1 and what == ALL_PARTS:  # a hand that ties with no other
                here, low = load(shared, row + k * wide), int32(at + (packed & BYTE) * wide)
                of_low, twice = load(shared, low), here + here
                stronger = total - of_low
                if two:
                    high = int32(at + (packed >> HIGH_SHIFT & BYTE) * wide)
                    of_high = load(shared, high)
                    stronger += here - of_high
                    store(shared, high, of_high - twice)
                store(shared, low, of_low - twice)
                total -= twice
                store(shared, value + k * wide, -net * stronger)
                k = int32(k + 1)
                continue
            end = int32(k + ties)
            if what & ADD_BEFORE:
                total = take_out(boards, hand, k, end, at, row, total, shared)
            if what & VALUES:
                member = k
                while member < end:
                    packed = load(boards.hand, hand + member)
                    stronger = total - load(shared, at + (packed & BYTE) * wide)
                    if two:
                        stronger -= load(shared, at + (packed >> HIGH_SHIFT & BYTE) * wide)
                    store(shared, value + member * wide, -net * stronger)
                    member = int32(member + 1)
            if what & ADD_AFTER:
                total = take_out(boards, hand, k, end, at, row, total, shared)
            k = end
        put(shared, at, every, total)

    return add_up, show
