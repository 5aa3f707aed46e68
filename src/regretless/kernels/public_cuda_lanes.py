"""Folds and showdowns of a line on a board, worked out by a block of threads: the sums of `public_lanes`, another way.

A few lanes at a time, as many as fit on the chip, go through four steps, between which all threads meet. (1) The other
player's reach is brought to the chip, [class, lane]. (2) Each thread takes a list and a lane and writes the running sums
to the places of the list. (3) Segments are joined: each adds what all segments before it hold. (4) Each thread takes a
class and reads, for all hands and for each of its blockers, the sum below its strength, up to it, and of everything.

    chip:  reach [classes · lanes]  ·  places [places · lanes]  ·  what segments carry over [segments · lanes]

Per class and lane, for two cards, step 2 adds three numbers and step 4 reads ten; banks of the chip's memory collide
about three times in step 4, since hands of neighbouring strength hold unrelated cards.
"""

from __future__ import annotations

from regretless.kernels.public_cuda_layout import (
    BEGIN,
    BLOCKERS,
    COUNT,
    LANE_FOLD,
    LANE_PAYOFFS,
    LANE_RECORD,
    LANE_SHOW,
    LIST_FIRST,
    LISTS,
    LOSE,
    PLACES,
    TIE,
    WIN,
)
from regretless.kernels.public_cuda_target import as_number, device, divided, put, short, take


@device
def number_of(hands, unit, field):
    """A small number of a unit's record."""
    return short(take(hands.unit, unit + field))


@device
def lanes_that_fit(hands, other, numbers):
    """How many lanes so many numbers on the chip are enough for."""
    segments = number_of(hands, other, LISTS) - number_of(hands, other, BLOCKERS)
    return divided(numbers, number_of(hands, other, COUNT) + number_of(hands, other, PLACES) + segments)


@device
def bring_reach(chip, room, at, width, classes, lanes, thread, threads):
    """Step 1: rows of reach, one for each lane and `width` apart, from `at` in the room onto the chip."""
    k = thread
    while k < classes:
        number, target = short(at + k), short(k * lanes)
        end = short(target + lanes)
        while target < end:
            put(chip, target, take(room, number))
            number, target = short(number + width), short(target + 1)
        k = short(k + threads)


@device
def add_lists(chip, base, hands, other, lanes, thread, threads):
    """Step 2: running sums along each list; places begin at `base`."""
    first = number_of(hands, other, LIST_FIRST)
    jobs = short(number_of(hands, other, LISTS) * lanes)
    none = as_number(chip, 0)
    if thread < lanes:
        put(chip, base + thread, none)
    job = thread
    while job < jobs:
        nth = divided(job, lanes)
        number, lane = short(first + nth), short(job - nth * lanes)
        place = short(base + take(hands.list_place, number) * lanes + lane)
        entry, end = take(hands.list_entries, number), take(hands.list_entries, number + 1)
        total = none
        put(chip, place, total)
        while entry < end:
            which = take(hands.entry_class, entry)
            here = short(which if which >= 0 else ~which)
            total += take(hands.entry_weight, entry) * take(chip, here * lanes + lane)
            if which < 0:
                place = short(place + lanes)
                put(chip, place, total)
            entry = short(entry + 1)
        job = short(job + threads)


@device
def carry_over(chip, base, hands, other, lanes, thread, threads):
    """Step 3, first half: what the segments before each segment hold, written behind the places."""
    blockers = number_of(hands, other, BLOCKERS)
    first = short(number_of(hands, other, LIST_FIRST) + blockers)
    jobs = short((number_of(hands, other, LISTS) - blockers) * lanes)
    carried = short(base + number_of(hands, other, PLACES) * lanes)
    job = thread
    while job < jobs:
        nth = divided(job, lanes)
        number, lane, earlier = short(first + nth), short(job - nth * lanes), first
        before = as_number(chip, 0)
        while earlier < number:
            earlier = short(earlier + 1)
            before += take(chip, base + (take(hands.list_place, earlier) - 1) * lanes + lane)
        put(chip, carried + job, before)
        job = short(job + threads)


@device
def join_segments(chip, base, hands, other, lanes, thread, threads):
    """Step 3, second half: the same, added to the segments' places."""
    blockers = number_of(hands, other, BLOCKERS)
    first = short(number_of(hands, other, LIST_FIRST) + blockers)
    jobs = short((number_of(hands, other, LISTS) - blockers) * lanes)
    carried = short(base + number_of(hands, other, PLACES) * lanes)
    job = thread
    while job < jobs:
        nth = divided(job, lanes)
        number, lane = short(first + nth), short(job - nth * lanes)
        before = take(chip, carried + job)
        place = short(base + take(hands.list_place, number) * lanes + lane)
        end = short(base + take(hands.list_place, number + 1) * lanes)
        while place < end:
            put(chip, place, take(chip, place) + before)
            place = short(place + lanes)
        job = short(job + threads)


@device
def worth_of_lane(chip, sums, hands, unit, lines, number, lane, lanes, last, room, free, shown, thread, threads):
    """Step 4, for one lane: free ← reach that shares no card with each class, where somebody folds; shown ← the worth of
    the showdown, where there is one.

    `number` is the lane's own; `sums` is where its places begin, `last` the place where the sum of everything stands;
    free and shown are where its rows begin in the room.
    """
    subsets, every = short(hands.sign.size - 1), short(hands.twin.size)
    shows = take(lines.lane, number * LANE_RECORD + LANE_SHOW) >= 0
    folds = take(lines.lane, number * LANE_RECORD + LANE_FOLD) >= 0
    win = take(lines.payoff, number * LANE_PAYOFFS + WIN)
    tie = take(lines.payoff, number * LANE_PAYOFFS + TIE)
    lose = take(lines.payoff, number * LANE_PAYOFFS + LOSE)
    everything, whole = take(chip, sums + last * lanes), take(hands.sign, subsets)
    begin, classes = number_of(hands, unit, BEGIN), number_of(hands, unit, COUNT)
    k = thread
    while k < classes:
        twin, places = take(hands.twin, begin + k), take(hands.place, begin + k)
        same = as_number(chip, 0)
        if twin >= 0:
            same = whole * take(chip, twin * lanes + lane)
        available = everything + same
        below = take(chip, sums + short(places & 0xFFFF) * lanes)
        upto = same + take(chip, sums + short(places >> 16 & 0xFFFF) * lanes)
        j, at = short(0), short(begin + k)
        while j < subsets:
            at = short(at + every)
            sign, places = take(hands.sign, j), take(hands.place, at)
            available += sign * take(chip, sums + short(places >> 32) * lanes)
            if shows:
                below += sign * take(chip, sums + short(places & 0xFFFF) * lanes)
                upto += sign * take(chip, sums + short(places >> 16 & 0xFFFF) * lanes)
            j = short(j + 1)
        if folds:
            put(room, free + k, available)
        if shows:
            put(room, shown + k, win * below + tie * upto + lose * available)
        k = short(k + threads)
