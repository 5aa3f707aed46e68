"""Folds and showdowns of a line on a board, worked out by a block of threads: the sums of `terminal_lanes`.

A few lanes at a time, as many as fit on the chip, go through four steps, between which all threads meet. (1) The other
player's reach is brought to the chip, [lane, class]. (2) Each thread takes a list and four lanes and writes the running
sums to the places of the list. (3) Segments are joined: each adds what all segments before it hold. (4) Each thread
takes a class and reads, for all hands and for each of its blockers, the sum below its strength, up to it, and of
everything.

    chip, for each lane:  reach [classes]  ·  places [places]  ·  what segments carry over [segments]

Per class and lane, for two cards, step 2 adds three numbers and step 4 reads ten; banks of the chip's memory collide
about three times in step 4, since hands of neighbouring strength hold unrelated cards.
"""

from __future__ import annotations

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
from regretless.kernels.public.cuda_target import as_number, device, divided, field, put, short, take


@device
def number_of(hands, unit, number):
    """A small number of a unit's record."""
    return short(field(hands.unit, unit, number))


@device
def numbers_per_lane(hands, other):
    """How far lanes are apart on the chip."""
    segments = number_of(hands, other, LISTS) - number_of(hands, other, BLOCKERS)
    return short(number_of(hands, other, COUNT) + number_of(hands, other, PLACES) + segments)


@device
def bring_reach(chip, apart, lines, first, lanes, rooms, room, width, classes, thread, threads):
    """Step 1: the rows of reach of some lanes, from the room onto the chip."""
    lane = short(0)
    while lane < lanes:
        target = short(lane * apart)
        number = short(room + field(lines.lane, (first + lane) * LANE_RECORD, LANE_ROW) * width)
        k = thread
        while k < classes:
            put(chip, target + k, take(rooms, number + k))
            k = short(k + threads)
        lane = short(lane + 1)


@device
def add_lists(chip, apart, hands, other, lanes, thread, threads):
    """Step 2: running sums along each list, for four lanes at once; the last is repeated where there are fewer."""
    none, first = as_number(chip, 0), number_of(hands, other, LIST_FIRST)
    base, fours = number_of(hands, other, COUNT), short(short(lanes + 3) >> 2)
    jobs = short(number_of(hands, other, LISTS) * fours)
    job = thread
    while job < jobs:
        nth = divided(job, fours)
        lane = short(4 * (job - nth * fours))
        a, b = short(lane * apart), short(min(lane + 1, lanes - 1) * apart)
        c, d = short(min(lane + 2, lanes - 1) * apart), short(min(lane + 3, lanes - 1) * apart)
        place = short(base + take(hands.list_place, first + nth))
        entry, end = take(hands.list_entries, first + nth), take(hands.list_entries, first + nth + 1)
        of_a, of_b, of_c, of_d = none, none, none, none
        write_four(chip, place, a, b, c, d, none, none, none, none)
        while entry < end:
            which, weight = take(hands.entry_class, entry), take(hands.entry_weight, entry)
            here = short(which if which >= 0 else ~which)
            of_a += weight * take(chip, a + here)
            of_b += weight * take(chip, b + here)
            of_c += weight * take(chip, c + here)
            of_d += weight * take(chip, d + here)
            if which < 0:
                place = short(place + 1)
                write_four(chip, place, a, b, c, d, of_a, of_b, of_c, of_d)
            entry = short(entry + 1)
        job = short(job + threads)
    job = thread
    while job < lanes:
        put(chip, job * apart + base, none)
        job = short(job + threads)


@device
def write_four(chip, place, a, b, c, d, of_a, of_b, of_c, of_d):
    """The sums of four lanes at a place."""
    put(chip, a + place, of_a)
    put(chip, b + place, of_b)
    put(chip, c + place, of_c)
    put(chip, d + place, of_d)


@device
def carry_over(chip, apart, hands, other, lanes, thread, threads):
    """Step 3, first half: what the segments before each segment hold, written behind the places."""
    blockers, base = number_of(hands, other, BLOCKERS), number_of(hands, other, COUNT)
    first, segments = (
        short(number_of(hands, other, LIST_FIRST) + blockers),
        short(number_of(hands, other, LISTS) - blockers),
    )
    carried = short(base + number_of(hands, other, PLACES))
    job = thread
    while job < segments * lanes:
        lane = divided(job, segments)
        nth, at, earlier = short(job - lane * segments), short(lane * apart), short(0)
        before = as_number(chip, 0)
        while earlier < nth:
            earlier = short(earlier + 1)
            before += take(chip, at + base + take(hands.list_place, first + earlier) - 1)
        put(chip, at + carried + nth, before)
        job = short(job + threads)


@device
def join_segments(chip, apart, hands, other, lanes, thread, threads):
    """Step 3, second half: the same, added to the segments' places."""
    blockers, base = number_of(hands, other, BLOCKERS), number_of(hands, other, COUNT)
    first, segments = (
        short(number_of(hands, other, LIST_FIRST) + blockers),
        short(number_of(hands, other, LISTS) - blockers),
    )
    carried = short(base + number_of(hands, other, PLACES))
    job = thread
    while job < segments * lanes:
        lane = divided(job, segments)
        nth, at = short(job - lane * segments), short(lane * apart)
        before = take(chip, at + carried + nth)
        place = short(at + base + take(hands.list_place, first + nth))
        end = short(at + base + take(hands.list_place, first + nth + 1))
        while place < end:
            put(chip, place, take(chip, place) + before)
            place = short(place + 1)
        job = short(job + threads)


@device
def write_fold(lines, number, k, available, rooms, room, width):
    """What a lane's fold, if it has one, is worth to a class: over the row of reach."""
    if field(lines.lane, number * LANE_RECORD, LANE_FOLD) >= 0:
        row = field(lines.lane, number * LANE_RECORD, LANE_ROW)
        put(rooms, room + row * width + k, field(lines.payoff, number * LANE_PAYOFFS, FOLDED) * available)


@device
def write_showdown(lines, number, k, available, below, upto, rooms, row):
    """What a lane's showdown is worth to a class."""
    worth = field(lines.payoff, number * LANE_PAYOFFS, LOSE) * available
    worth += field(lines.payoff, number * LANE_PAYOFFS, WIN) * below
    put(rooms, row + k, worth + field(lines.payoff, number * LANE_PAYOFFS, TIE) * upto)


@device
def worth_of_lanes(chip, apart, hands, unit, other, lines, first, lanes, rooms, room, width, shown, thread, threads):
    """Step 4: values of the folds and showdowns of some lanes. `shown` is where the rows of their showdowns begin."""
    subsets, every = short(hands.sign.size - 1), short(hands.twin.size)
    base, whole = number_of(hands, other, COUNT), take(hands.sign, subsets)
    last = short(base + number_of(hands, other, PLACES) - 1)
    begin, classes = number_of(hands, unit, BEGIN), number_of(hands, unit, COUNT)
    k = thread
    while k < classes:
        twin, all_hands = take(hands.twin, begin + k), take(hands.place, begin + k)
        same = short(twin if twin >= 0 else base)  # nothing is held at the first place
        below_all, upto_all = short(base + (all_hands & 0xFFFF)), short(base + (all_hands >> 16 & 0xFFFF))
        lane, at = short(0), short(0)
        while lane < lanes:
            shared = whole * take(chip, at + same)
            available = take(chip, at + last) + shared
            below, upto = take(chip, at + below_all), take(chip, at + upto_all) + shared
            j, holding = short(0), short(begin + k)
            while j < subsets:
                holding = short(holding + every)
                sign, places = take(hands.sign, j), take(hands.place, holding)
                available += sign * take(chip, at + base + short(places >> 32))
                below += sign * take(chip, at + base + short(places & 0xFFFF))
                upto += sign * take(chip, at + base + short(places >> 16 & 0xFFFF))
                j = short(j + 1)
            number = short(first + lane)
            write_fold(lines, number, k, available, rooms, room, width)
            if field(lines.lane, number * LANE_RECORD, LANE_SHOW) >= 0:
                write_showdown(lines, number, k, available, below, upto, rooms, short(shown + lane * width))
            lane, at = short(lane + 1), short(at + apart)
        k = short(k + threads)


@device
def worth_of_lanes_for_two_cards(
    chip, apart, hands, unit, other, lines, first, lanes, rooms, room, width, shown, thread, threads
):
    """`worth_of_lanes` where both blockers of a hand count −1, without looking their places up for each lane again."""
    every, base = short(hands.twin.size), number_of(hands, other, COUNT)
    last = short(base + number_of(hands, other, PLACES) - 1)
    begin, classes = number_of(hands, unit, BEGIN), number_of(hands, unit, COUNT)
    k = thread
    while k < classes:
        twin, all_hands = take(hands.twin, begin + k), take(hands.place, begin + k)
        one, two = take(hands.place, every + begin + k), take(hands.place, 2 * every + begin + k)
        same = short(twin if twin >= 0 else base)
        below_all, upto_all = short(base + (all_hands & 0xFFFF)), short(base + (all_hands >> 16 & 0xFFFF))
        below_one, upto_one = short(base + (one & 0xFFFF)), short(base + (one >> 16 & 0xFFFF))
        below_two, upto_two = short(base + (two & 0xFFFF)), short(base + (two >> 16 & 0xFFFF))
        all_one, all_two = short(base + (one >> 32)), short(base + (two >> 32))
        lane, at = short(0), short(0)
        while lane < lanes:
            shared = take(chip, at + same)
            available = take(chip, at + last) - take(chip, at + all_one) - take(chip, at + all_two) + shared
            number = short(first + lane)
            write_fold(lines, number, k, available, rooms, room, width)
            if field(lines.lane, number * LANE_RECORD, LANE_SHOW) >= 0:
                below = take(chip, at + below_all) - take(chip, at + below_one) - take(chip, at + below_two)
                upto = take(chip, at + upto_all) - take(chip, at + upto_one) - take(chip, at + upto_two) + shared
                write_showdown(lines, number, k, available, below, upto, rooms, short(shown + lane * width))
            lane, at = short(lane + 1), short(at + apart)
        k = short(k + threads)
