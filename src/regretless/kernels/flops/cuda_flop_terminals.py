"""Sums of reach by card, and values of folds and showdowns from them; see `cuda_flop_walks`."""

from __future__ import annotations

from regretless.kernels.cuda_target import device, divided, field, int32, like, load, store
from regretless.kernels.flops.cuda_flop_layout import (
    ADD_AFTER,
    ADD_BEFORE,
    ALL_SUM,
    EVERY,
    FOLD,
    FOLDED,
    HIGH_SHIFT,
    LANE_END,
    LANE_FIRST,
    LANE_RECORD,
    LANE_ROW,
    NET,
    PAYOFF,
    PAYOFFS,
    RAKED,
    SHOW,
    SHOW_SUM,
    TIES_SHIFT,
    VALUES,
)

BYTE, ENTRY = 255, 4095
"""Masks of a card in a hand, and of a number in a step."""


@device
def clear(shared, count, thread, threads):
    """Set the first numbers of shared memory to 0."""
    at = thread
    while at < count:
        store(shared, at, like(shared, 0))
        at = int32(at + threads)


@device
def sum_at(number, lane, street):
    """Where the sums of a lane's line begin: those of card c are at + c · W, and of all hands behind them."""
    return int32(number * (street.cards + 1) * street.wide + lane)


@device
def total_reach(lines, street, boards, spot, begin, count, shared, plan, thread, threads):
    """Part 2 of the first pass: add some hands to the sums of all lanes."""
    wide, hand = street.wide, spot.board * street.hands + begin
    first, end = field(lines.group, spot.group, LANE_FIRST), field(lines.group, spot.group, LANE_END)
    job, jobs = thread, int32((end - first) * wide)
    while job < jobs:
        nth = divided(job, wide)
        lane, record = int32(job - nth * wide), int32((first + nth) * LANE_RECORD)
        number = field(lines.lane, record, SHOW_SUM)
        if number < 0:
            number = field(lines.lane, record, ALL_SUM)
        at = sum_at(number, lane, street)
        row = int32(plan.reach + field(lines.lane, record, LANE_ROW) * plan.width + lane)
        every = int32(at + street.cards * wide)
        total, k = load(shared, every), int32(0)
        while k < count:
            cards, here = load(boards.hand, hand + k), load(shared, row + k * wide)
            total += here
            low, high = int32(at + (cards & BYTE) * wide), int32(at + (cards >> HIGH_SHIFT & BYTE) * wide)
            if street.two:
                of_low, of_high = load(shared, low) + here, load(shared, high) + here
                store(shared, low, of_low)
                store(shared, high, of_high)
            else:
                store(shared, low, load(shared, low) + here)
            k = int32(k + 1)
        store(shared, every, total)
        job = int32(job + threads)


@device
def keep_totals(lines, street, spot, shared, thread, threads):
    """Where a lane has two sums, both begin with the totals."""
    wide = street.wide
    first, end = field(lines.group, spot.group, LANE_FIRST), field(lines.group, spot.group, LANE_END)
    job, jobs = thread, int32((end - first) * wide)
    while job < jobs:
        nth = divided(job, wide)
        lane, record = int32(job - nth * wide), int32((first + nth) * LANE_RECORD)
        show, every = field(lines.lane, record, SHOW_SUM), field(lines.lane, record, ALL_SUM)
        if show >= 0 and every >= 0:
            source, target, card = sum_at(show, lane, street), sum_at(every, lane, street), int32(0)
            while card <= street.cards:
                store(shared, target + card * wide, load(shared, source + card * wide))
                card = int32(card + 1)
        job = int32(job + threads)


@device
def without_cards(street, at, cards, shared):
    """X − C(low) − C(high), or X − C(card)."""
    wide = street.wide
    left = load(shared, at + street.cards * wide) - load(shared, at + (cards & BYTE) * wide)
    if street.two:
        left -= load(shared, at + (cards >> HIGH_SHIFT & BYTE) * wide)
    return left


@device
def subtract(street, boards, hand, k, end, row, at, shared):
    """Subtract the reach of hands k … end − 1 of a step from a sum."""
    wide = street.wide
    every = int32(at + street.cards * wide)
    total = load(shared, every)
    while k < end:
        cards, here = load(boards.hand, hand + k), load(shared, row + k * wide)
        total -= here
        low, high = int32(at + (cards & BYTE) * wide), int32(at + (cards >> HIGH_SHIFT & BYTE) * wide)
        if street.two:
            of_low, of_high = load(shared, low) - here, load(shared, high) - here
            store(shared, low, of_low)
            store(shared, high, of_high)
        else:
            store(shared, low, load(shared, low) - here)
        k = int32(k + 1)
    store(shared, every, total)


@device
def pass_alone(street, cards, here, at, shared):
    """Stronger − weaker of a hand that ties with no other, which then is one of the weaker ones."""
    wide, twice = street.wide, here + here
    every, low = int32(at + street.cards * wide), int32(at + (cards & BYTE) * wide)
    total, of_low = load(shared, every), load(shared, low)
    net = total - of_low
    if street.two:
        high = int32(at + (cards >> HIGH_SHIFT & BYTE) * wide)
        of_high = load(shared, high)
        net += here - of_high
        store(shared, high, of_high - twice)
    store(shared, every, total - twice)
    store(shared, low, of_low - twice)
    return net


@device
def show_hands(street, boards, hand, count, what, row, at, target, net, shared):
    """Part 2 of a showdown: values of the hands of a step, as far as they depend on who is stronger."""
    wide, k = street.wide, int32(0)
    while k < count:
        cards = load(boards.hand, hand + k)
        ties = int32(cards >> TIES_SHIFT)
        if ties == 1 and what == ADD_BEFORE + VALUES + ADD_AFTER:
            stronger = pass_alone(street, cards, load(shared, row + k * wide), at, shared)
            store(shared, target + k * wide, -net * stronger)
            k = int32(k + 1)
            continue
        end = int32(k + ties)
        if what & ADD_BEFORE:
            subtract(street, boards, hand, k, end, row, at, shared)
        if what & VALUES:
            member = k
            while member < end:
                stronger = without_cards(street, at, load(boards.hand, hand + member), shared)
                store(shared, target + member * wide, -net * stronger)
                member = int32(member + 1)
        if what & ADD_AFTER:
            subtract(street, boards, hand, k, end, row, at, shared)
        k = end


@device
def available(street, boards, number, here, at, shared):
    """The reach of all hands that share no card with a hand [boards · hands]; here: its own reach."""
    left = without_cards(street, at, load(boards.hand, number), shared)
    return left + here if street.two else left


@device
def value_lanes(lines, street, boards, spot, begin, count, what, shared, plan, thread, threads):
    """Part 2 of the second pass: values of folds and showdowns for the hands of a step."""
    wide, hand = street.wide, int32(spot.board * street.hands + begin)
    first, end = field(lines.group, spot.group, LANE_FIRST), field(lines.group, spot.group, LANE_END)
    job, jobs = thread, int32((end - first) * wide)
    while job < jobs:
        nth = divided(job, wide)
        lane, record = int32(job - nth * wide), int32((first + nth) * LANE_RECORD)
        row = int32(plan.reach + field(lines.lane, record, LANE_ROW) * plan.width + lane)
        payoff = int32(field(lines.group, spot.group, PAYOFF) + nth * PAYOFFS * wide + lane)
        show, fold = field(lines.lane, record, SHOW), field(lines.lane, record, FOLD)
        every = sum_at(field(lines.lane, record, ALL_SUM), lane, street)
        if show >= 0:
            at, target = sum_at(field(lines.lane, record, SHOW_SUM), lane, street), plan.values + show * plan.width
            net = load(lines.payoff, payoff + NET * wide)
            show_hands(street, boards, hand, count, what, row, at, int32(target + lane), net, shared)
        k = int32(0)
        while k < count and what & VALUES:
            if fold >= 0:
                here = available(street, boards, hand + k, load(shared, row + k * wide), every, shared)
                worth = load(lines.payoff, payoff + FOLDED * wide) * here
                store(shared, plan.values + fold * plan.width + k * wide + lane, worth)
            if field(lines.lane, record, RAKED):
                here = available(street, boards, hand + k, load(shared, row + k * wide), every, shared)
                target = int32(plan.values + show * plan.width + k * wide + lane)
                worth = load(lines.payoff, payoff + EVERY * wide) * here
                store(shared, target, load(shared, target) + worth)
            k = int32(k + 1)
        job = int32(job + threads)
