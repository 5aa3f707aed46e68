"""Folds and showdowns of a line on a board, computed by a block of threads: the sums of `terminal_lanes`.

A group of lanes, as many as fit into shared memory, goes through four steps, with a barrier of all threads after each.
(1) The other player's reach is copied to shared memory, [lane, class]. (2) Each thread takes a list and four lanes and
writes the running sums to the places of the list. (3) Segments are joined: each adds the sums of all segments before
it. (4) Each thread takes a class and reads, for all hands and for each of its blockers, the sum below its strength, up
to it, and of everything.

    shared memory, for each lane:  reach [classes]  ·  places [places]  ·  carries of segments [segments]

Per class and lane, for two cards, step 2 adds three numbers and step 4 reads ten; there are about three bank conflicts
in step 4, since hands of neighbouring strength hold unrelated cards.
"""

from __future__ import annotations

from regretless.kernels.cuda_target import device, divided, field, int32, like, load, smaller, store
from regretless.kernels.public.cuda_layout import (
    BEGIN,
    BLOCKERS,
    COUNT,
    FOLDED,
    LANE_FOLD,
    LANE_PAYOFFS,
    LANE_RECORD,
    LANE_ROW,
    LANE_SHOW,
    LIST_FIRST,
    LISTS,
    LOSE,
    PLACES,
    TIE,
    WIN,
)


@device
def number_of(hands, unit, number):
    """A number of a unit's record that fits 32 bits."""
    return int32(field(hands.unit, unit, number))


@device
def numbers_per_lane(hands, other):
    """The distance of lanes in shared memory."""
    segments = number_of(hands, other, LISTS) - number_of(hands, other, BLOCKERS)
    return int32(number_of(hands, other, COUNT) + number_of(hands, other, PLACES) + segments)


@device
def copy_reach(group, lines, block, classes, thread, threads):
    """Step 1: the rows of reach of a group of lanes, from the block's buffer to shared memory."""
    lane = int32(0)
    while lane < group.count:
        target = int32(lane * group.apart)
        row = field(lines.lane, (group.first + lane) * LANE_RECORD, LANE_ROW)
        number = int32(block.first + row * block.width)
        k = thread
        while k < classes:
            store(group.shared, target + k, load(block.numbers, number + k))
            k = int32(k + threads)
        lane = int32(lane + 1)


@device
def add_lists(group, hands, other, thread, threads):
    """Step 2: running sums along each list, for four lanes at once; the last is repeated where there are fewer."""
    shared, apart, lanes = group.shared, group.apart, group.count
    none, first = like(shared, 0), number_of(hands, other, LIST_FIRST)
    base, fours = number_of(hands, other, COUNT), int32(int32(lanes + 3) >> 2)
    jobs = int32(number_of(hands, other, LISTS) * fours)
    job = thread
    while job < jobs:
        nth = divided(job, fours)
        lane = int32(4 * (job - nth * fours))
        a, b = int32(lane * apart), int32(smaller(lane + 1, lanes - 1) * apart)
        c, d = int32(smaller(lane + 2, lanes - 1) * apart), int32(smaller(lane + 3, lanes - 1) * apart)
        place = int32(base + load(hands.list_place, first + nth))
        entry, end = load(hands.list_entries, first + nth), load(hands.list_entries, first + nth + 1)
        of_a, of_b, of_c, of_d = none, none, none, none
        write_four(shared, place, a, b, c, d, none, none, none, none)
        while entry < end:
            which, weight = load(hands.entry_class, entry), load(hands.entry_weight, entry)
            here = int32(which if which >= 0 else ~which)
            of_a += weight * load(shared, a + here)
            of_b += weight * load(shared, b + here)
            of_c += weight * load(shared, c + here)
            of_d += weight * load(shared, d + here)
            if which < 0:
                place = int32(place + 1)
                write_four(shared, place, a, b, c, d, of_a, of_b, of_c, of_d)
            entry = int32(entry + 1)
        job = int32(job + threads)
    job = thread
    while job < lanes:
        store(shared, job * apart + base, none)
        job = int32(job + threads)


@device
def write_four(shared, place, a, b, c, d, of_a, of_b, of_c, of_d):
    """The sums of four lanes at a place."""
    store(shared, a + place, of_a)
    store(shared, b + place, of_b)
    store(shared, c + place, of_c)
    store(shared, d + place, of_d)


@device
def segments_of(hands, other):
    """The first segment of a unit, their number, and the index of their carries in shared memory."""
    blockers = number_of(hands, other, BLOCKERS)
    first = int32(number_of(hands, other, LIST_FIRST) + blockers)
    carries = int32(number_of(hands, other, COUNT) + number_of(hands, other, PLACES))
    return first, int32(number_of(hands, other, LISTS) - blockers), carries


@device
def carry_over(group, hands, other, thread, threads):
    """Step 3, first half: the sums of the segments before each segment, written behind the places."""
    shared, base = group.shared, number_of(hands, other, COUNT)
    first, segments, carries = segments_of(hands, other)
    job = thread
    while job < segments * group.count:
        lane = divided(job, segments)
        nth, at, earlier = int32(job - lane * segments), int32(lane * group.apart), int32(0)
        before = like(shared, 0)
        while earlier < nth:
            earlier = int32(earlier + 1)
            before += load(shared, at + base + load(hands.list_place, first + earlier) - 1)
        store(shared, at + carries + nth, before)
        job = int32(job + threads)


@device
def join_segments(group, hands, other, thread, threads):
    """Step 3, second half: the same, added to the segments' places."""
    shared, base = group.shared, number_of(hands, other, COUNT)
    first, segments, carries = segments_of(hands, other)
    job = thread
    while job < segments * group.count:
        lane = divided(job, segments)
        nth, at = int32(job - lane * segments), int32(lane * group.apart)
        before = load(shared, at + carries + nth)
        place = int32(at + base + load(hands.list_place, first + nth))
        end = int32(at + base + load(hands.list_place, first + nth + 1))
        while place < end:
            store(shared, place, load(shared, place) + before)
            place = int32(place + 1)
        job = int32(job + threads)


@device
def write_fold(lines, number, k, available, block):
    """The value of a lane's fold, if it has one, for a class: over the row of reach."""
    if field(lines.lane, number * LANE_RECORD, LANE_FOLD) >= 0:
        row = field(lines.lane, number * LANE_RECORD, LANE_ROW)
        value = field(lines.payoff, number * LANE_PAYOFFS, FOLDED) * available
        store(block.numbers, block.first + row * block.width + k, value)


@device
def write_showdown(lines, number, available, below, upto, buffer, at):
    """The value of a lane's showdown for a class."""
    worth = field(lines.payoff, number * LANE_PAYOFFS, LOSE) * available
    worth += field(lines.payoff, number * LANE_PAYOFFS, WIN) * below
    store(buffer, at, worth + field(lines.payoff, number * LANE_PAYOFFS, TIE) * upto)


@device
def values_of_lanes(group, hands, unit, other, lines, block, thread, threads):
    """Step 4: values of the folds and showdowns of a group of lanes."""
    shared, subsets, every = group.shared, int32(hands.sign.size - 1), int32(hands.twin.size)
    base, whole = number_of(hands, other, COUNT), load(hands.sign, subsets)
    last = int32(base + number_of(hands, other, PLACES) - 1)
    begin, classes = number_of(hands, unit, BEGIN), number_of(hands, unit, COUNT)
    k = thread
    while k < classes:
        twin, all_hands = load(hands.twin, begin + k), load(hands.place, begin + k)
        same = int32(twin if twin >= 0 else base)  # the sum at the first place is zero
        below_all, upto_all = int32(base + (all_hands & 0xFFFF)), int32(base + (all_hands >> 16 & 0xFFFF))
        lane, at = int32(0), int32(0)
        while lane < group.count:
            own = whole * load(shared, at + same)
            available = load(shared, at + last) + own
            below, upto = load(shared, at + below_all), load(shared, at + upto_all) + own
            j, holding = int32(0), int32(begin + k)
            while j < subsets:
                holding = int32(holding + every)
                sign, places = load(hands.sign, j), load(hands.place, holding)
                available += sign * load(shared, at + base + int32(places >> 32))
                below += sign * load(shared, at + base + int32(places & 0xFFFF))
                upto += sign * load(shared, at + base + int32(places >> 16 & 0xFFFF))
                j = int32(j + 1)
            number = int32(group.first + lane)
            write_fold(lines, number, k, available, block)
            if field(lines.lane, number * LANE_RECORD, LANE_SHOW) >= 0:
                row = int32(group.shown + lane * block.width)
                write_showdown(lines, number, available, below, upto, block.numbers, row + k)
            lane, at = int32(lane + 1), int32(at + group.apart)
        k = int32(k + threads)


@device
def values_of_lanes_for_two_cards(group, hands, unit, other, lines, block, thread, threads):
    """`values_of_lanes` where both blockers of a hand count −1: their places are looked up once for all lanes."""
    shared, every, base = group.shared, int32(hands.twin.size), number_of(hands, other, COUNT)
    last = int32(base + number_of(hands, other, PLACES) - 1)
    begin, classes = number_of(hands, unit, BEGIN), number_of(hands, unit, COUNT)
    k = thread
    while k < classes:
        twin, all_hands = load(hands.twin, begin + k), load(hands.place, begin + k)
        one, two = load(hands.place, every + begin + k), load(hands.place, 2 * every + begin + k)
        same = int32(twin if twin >= 0 else base)
        below_all, upto_all = int32(base + (all_hands & 0xFFFF)), int32(base + (all_hands >> 16 & 0xFFFF))
        below_one, upto_one = int32(base + (one & 0xFFFF)), int32(base + (one >> 16 & 0xFFFF))
        below_two, upto_two = int32(base + (two & 0xFFFF)), int32(base + (two >> 16 & 0xFFFF))
        all_one, all_two = int32(base + (one >> 32)), int32(base + (two >> 32))
        lane, at = int32(0), int32(0)
        while lane < group.count:
            own = load(shared, at + same)
            available = load(shared, at + last) - load(shared, at + all_one) - load(shared, at + all_two) + own
            number = int32(group.first + lane)
            write_fold(lines, number, k, available, block)
            if field(lines.lane, number * LANE_RECORD, LANE_SHOW) >= 0:
                below = load(shared, at + below_all) - load(shared, at + below_one) - load(shared, at + below_two)
                upto = load(shared, at + upto_all) - load(shared, at + upto_one) - load(shared, at + upto_two) + own
                row = int32(group.shown + lane * block.width)
                write_showdown(lines, number, available, below, upto, block.numbers, row + k)
            lane, at = int32(lane + 1), int32(at + group.apart)
        k = int32(k + threads)
