"""The kernel that runs phases one after the other, for any number of iterations, with barriers between them.

All blocks of a launch run at the same time and stay until the last iteration is done. Between two phases they wait for
each other at a barrier in device memory, which takes a few µs; launching a kernel for each phase would take longer,
and a tiny tree fits into one block, whose barrier takes a fraction of that. The host launches it cooperatively, so
that it is refused, instead of waiting for ever, where the blocks do not fit on the GPU at once.

**Latency.** Most phases have little work and wait for memory. So loads that do not depend on each other are issued
together: four contributions of a sequence, the record of the next phase before the barrier. Where a thread has one
action at most, which is the rule (see `MOST_GROUPS`), its numbers stay in registers.

**Cost of an iteration** of a two-player game, in bytes: for each payoff entry 4 (packed) and one gathered number; for
each sequence, in float64, 8 for every contribution written and read, 44 on the way up (first contribution, gradient,
regret, strategy) and 44 on the way down (parent, strategy, plan, average). Barriers: for each player one after the
products, one for each level on the way up, and one for every `LEVELS_OF_PLANS` levels on the way down.

Device functions that use `cuda` are in this file, because the simulator replaces that name in the kernel's file only.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.cuda_target import (
    at_least,
    cuda,
    divided,
    embedded,
    expectation,
    field,
    int32,
    kernel,
    like,
    load,
    load_relaxed,
    predicted,
    probability,
    smaller,
    store,
    updated,
)
from regretless.kernels.tree_cuda.payoff_products import add_products
from regretless.kernels.tree_cuda.phase_layout import (
    BEST,
    CHUNKS,
    FIRST_PLANS,
    LANES,
    PHASE_AFTER,
    PHASE_BLOCKS,
    PHASE_FIRST,
    PHASE_KIND,
    PHASE_LAST,
    PLANS,
    PRODUCTS,
    TILE_ACTIONS,
    TILE_GROUPS,
    TILE_INFOSET,
    TILE_INFOSETS,
    TILE_RECORD,
    TILE_SEQUENCE,
    TILE_STRIDE,
    TOTALS,
    UPDATE,
    WAIT_FOR_BLOCK,
    WAIT_FOR_GRID,
    Place,
    Step,
)

REGISTERS = 64
"""Registers of a thread: two blocks of 512 threads run on a multiprocessor at once."""


@embedded
def wait_for_grid(barrier, number):
    """Wait until all blocks have come here for the number-th time, and see what they have written.

    barrier[0] counts arrivals. A block adds 1 without waiting for the sum, and then reads it until all have arrived.
    """
    cuda.syncthreads()
    if cuda.gridDim.x > 1:
        if cuda.threadIdx.x == 0:
            cuda.threadfence()
            cuda.atomic.add(barrier, 0, 1)
            while load_relaxed(barrier, 0) < number * cuda.gridDim.x:
                pass
            cuda.threadfence()
        cuda.syncthreads()


@embedded
def place_of(tiles, tile):
    """The infoset and the actions of this thread in a tile."""
    record = tile * TILE_RECORD
    groups, actions = field(tiles, record, TILE_GROUPS), field(tiles, record, TILE_ACTIONS)
    infosets, stride = field(tiles, record, TILE_INFOSETS), field(tiles, record, TILE_STRIDE)
    lanes = divided(cuda.blockDim.x, groups)
    group = divided(cuda.threadIdx.x, lanes)
    lane = int32(cuda.threadIdx.x - group * lanes)
    mine = divided(actions - group + groups - 1, groups) if lane < infosets and group < actions else int32(0)
    first = int32(field(tiles, record, TILE_SEQUENCE) + lane + group * stride)
    infoset = int32(field(tiles, record, TILE_INFOSET) + lane) if group == 0 and lane < infosets else int32(-1)
    return Place(lane, lanes, groups, actions, mine, first, int32(groups * stride), infoset)


@embedded
def gradient_of(treeplexes, contribution, sequence):
    """The sum of the contributions of a sequence, in their order; four are loaded at a time."""
    total = 0.0
    index, end = load(treeplexes.contribution_first, sequence), load(treeplexes.contribution_first, sequence + 1)
    while index < end:
        one = load(contribution, index)
        two = load(contribution, index + 1) if index + 1 < end else 0.0
        three = load(contribution, index + 2) if index + 2 < end else 0.0
        four = load(contribution, index + 3) if index + 3 < end else 0.0
        total = total + one + two + three + four
        index += 4
    return total


@embedded
def over_groups(shared, section, place):
    """The sum over groups of what each thread of a lane has left in a section of shared memory, in their order."""
    total, lanes = 0.0, place.lanes
    index, groups = section * cuda.blockDim.x + place.lane, place.groups
    while groups >= 4:
        one, two = shared[index], shared[index + lanes]
        three, four = shared[index + 2 * lanes], shared[index + 3 * lanes]
        total = total + one + two + three + four
        index += 4 * lanes
        groups -= 4
    while groups > 0:
        total += shared[index]
        index += lanes
        groups -= 1
    return total


@embedded
def expected_value(place, rules, shared, value, total, plain):
    """The value of a thread's infoset, from its part of Σ R⁺(a) · v(a), Σ R⁺(a) and Σ v(a)."""
    thread, size = cuda.threadIdx.x, cuda.blockDim.x
    if place.groups > 1:
        shared[thread], shared[thread + size], shared[thread + 2 * size] = value, total, plain
        cuda.syncthreads()
        value, total = over_groups(shared, 0, place), over_groups(shared, 1, place)
        plain = over_groups(shared, 2, place)
    return expectation(value, plain, total, place.actions, rules.smallest)


@embedded
def new_total(place, shared, total):
    """Σ R⁺(a) of a thread's infoset after the update, from its part of it."""
    if place.groups > 1:
        shared[cuda.threadIdx.x + 3 * cuda.blockDim.x] = total
        cuda.syncthreads()
        total = over_groups(shared, 3, place)
    return total


@embedded
def update_regrets(state, rules, step, value, sequence, actions, jump):
    """Regrets (and guesses of them) of every action of one thread; returns the sum of the positive ones."""
    total = 0.0
    for _ in range(actions):
        gain = load(state.gradient, sequence) - value
        regret = updated(load(state.regret, sequence), gain, step.positive, step.negative, step.floor)
        store(state.regret, sequence, regret)
        if rules.predictive:
            regret = load(state.regret, sequence)  # as it is stored: in float32 it has been rounded
            regret = predicted(regret, gain, step.next_positive, step.next_negative, step.prediction)
            store(state.guess, sequence, regret)
        total += at_least(regret, 0.0)
        sequence += jump
    return total


@embedded
def update_many(place, treeplexes, state, rules, step, shared):
    """The update of a tile whose threads have several actions; returns the value of the thread's infoset."""
    source = state.guess if rules.predictive else state.regret
    value = total = plain = 0.0
    sequence = place.first
    for _ in range(place.mine):
        worth = gradient_of(treeplexes, state.contribution, sequence)
        store(state.gradient, sequence, worth)
        positive = at_least(load(source, sequence), 0.0)
        value += positive * worth
        total += positive
        plain += worth
        sequence += place.jump
    value = expected_value(place, rules, shared, value, total, plain)
    total = new_total(place, shared, update_regrets(state, rules, step, value, place.first, place.mine, place.jump))
    sequence = place.first
    for _ in range(place.mine):
        positive = at_least(load(source, sequence), 0.0)
        store(state.strategy, sequence, probability(positive, total, place.actions, rules.smallest))
        sequence += place.jump
    return value


@embedded
def update_single(place, treeplexes, state, rules, step, shared):
    """The update of a tile whose threads have one action at most, with the same arithmetic."""
    sequence, busy = place.first, place.mine > 0
    regret = worth = positive = total = 0.0
    if busy:
        regret = np.float64(load(state.regret, sequence))
        positive = at_least(np.float64(load(state.guess, sequence)) if rules.predictive else regret, 0.0)
        worth = gradient_of(treeplexes, state.contribution, sequence)
    value = expected_value(place, rules, shared, positive * worth, positive, worth)
    if busy:
        regret = updated(regret, worth - value, step.positive, step.negative, step.floor)
        stored = like(state.regret, regret)
        store(state.regret, sequence, stored)
        if rules.predictive:
            regret = predicted(stored, worth - value, step.next_positive, step.next_negative, step.prediction)
            stored = like(state.regret, regret)
            store(state.guess, sequence, stored)
        total, positive = at_least(regret, 0.0), at_least(np.float64(stored), 0.0)
    total = new_total(place, shared, total)
    if busy:
        store(state.strategy, sequence, probability(positive, total, place.actions, rules.smallest))
    return value


@embedded
def update_tile(tile, treeplexes, state, rules, step, shared):
    """Regret update at the infosets of a tile, see `sequence_form.treeplex`; leaves values and next probabilities."""
    place = place_of(treeplexes.tile, tile)
    if place.actions <= place.groups:
        value = update_single(place, treeplexes, state, rules, step, shared)
    else:
        value = update_many(place, treeplexes, state, rules, step, shared)
    if place.infoset >= 0:
        store(state.contribution, load(treeplexes.infoset_slot, place.infoset), value)


@embedded
def best_tile(tile, treeplexes, state, shared):
    """The best value at the infosets of a tile; gradients are kept, because they tell the best action."""
    place = place_of(treeplexes.tile, tile)
    best, sequence = -np.inf, place.first
    for _ in range(place.mine):
        worth = gradient_of(treeplexes, state.contribution, sequence)
        store(state.gradient, sequence, worth)
        best = at_least(worth, best)
        sequence += place.jump
    if place.groups > 1:
        cuda.syncthreads()
        shared[cuda.threadIdx.x] = best
        cuda.syncthreads()
        for index in range(place.lane, cuda.blockDim.x, place.lanes):
            best = at_least(shared[index], best)
    if place.infoset >= 0:
        store(state.contribution, load(treeplexes.infoset_slot, place.infoset), best)


@embedded
def next_plans(treeplexes, state, step, begin, end, thread, threads):
    """Average what was played, and lay the next plans of the sequences begin … end − 1: levels that follow each other.

    A thread multiplies the probabilities on the way up to the first sequence before `begin`, whose plan is known.
    """
    sequence = int32(begin + thread)
    while sequence < end:
        played = load(state.plan, sequence)
        store(state.average, sequence, load(state.average, sequence) * step.decay + step.weight * played)
        product, above = np.float64(load(state.strategy, sequence)), load(treeplexes.parent, sequence)
        while above >= begin:
            product *= load(state.strategy, above)
            above = load(treeplexes.parent, above)
        store(state.plan, sequence, product * load(state.plan, above))
        sequence = int32(sequence + threads)


@embedded
def add_chunk(chunk, slices, state, shared):
    """One partial sum of plan times gradient: over the segments of a range of slices. chunk: of all players."""
    thread, place = cuda.threadIdx.x, chunk // CHUNKS * (CHUNKS + 1) + chunk % CHUNKS
    total = 0.0
    item, end = slices.chunk[place] * LANES + thread, slices.chunk[place + 1] * LANES
    while item < end:
        slot = slices.slot[item]
        if slot >= 0:
            total += state.contribution[slot] * state.plan[slices.sequence[item]]
        item += cuda.blockDim.x
    cuda.syncthreads()
    shared[thread] = total
    cuda.syncthreads()
    if thread == 0:
        total = 0.0
        for index in range(cuda.blockDim.x):
            total += shared[index]
        state.total[chunk] = total


@embedded
def step_of(steps, t):
    """The step weights of the t-th iteration of a launch."""
    return Step(
        steps[t, 0], steps[t, 1], steps[t, 2], steps[t, 3], steps[t, 4], steps[t, 5], steps[t, 6], steps[t, 7]
    )  # fmt: skip


@embedded
def run_phase(kind, first, last, blocks, slices, treeplexes, state, rules, steps, t, shared):
    """One phase, as one of `blocks` blocks."""
    block = cuda.blockIdx.x
    thread, threads = int32(block * cuda.blockDim.x + cuda.threadIdx.x), int32(blocks * cuda.blockDim.x)
    if kind == PRODUCTS:
        add_products(slices, state.plan, state.contribution, rules, first, last, thread, threads)
    elif kind == UPDATE:
        step = step_of(steps, t)
        tile = int32(first + block)
        while tile < last:
            update_tile(tile, treeplexes, state, rules, step, shared)
            tile = int32(tile + blocks)
    elif kind == PLANS or kind == FIRST_PLANS:
        step = step_of(steps, t)
        if kind == FIRST_PLANS and thread == 0:
            state.average[first - 1] = state.average[first - 1] * step.decay + step.weight
        next_plans(treeplexes, state, step, first, last, thread, threads)
    elif kind == BEST:
        for number in range(first + block, last, blocks):
            best_tile(number, treeplexes, state, shared)
    elif kind == TOTALS:
        for chunk in range(first + block, last, blocks):
            add_chunk(chunk, slices, state, shared)


@embedded
def phase_of(phases, number):
    """The record of a phase: kind, range, most blocks, and what to wait for after it."""
    return (
        phases[number, PHASE_KIND], phases[number, PHASE_FIRST], phases[number, PHASE_LAST],
        phases[number, PHASE_BLOCKS], phases[number, PHASE_AFTER],
    )  # fmt: skip


@kernel(registers=REGISTERS)
def run_phases(slices, treeplexes, state, rules, steps, phases, barrier):
    """Run all `phases` [n, PHASE_RECORD] once for each row of `steps` [iterations, 8]. barrier: zeros."""
    shared = cuda.shared.array(0, state.total.dtype)
    reached, count = 0, phases.shape[0]
    kind, first, last, most, after = phase_of(phases, 0)
    for t in range(steps.shape[0]):
        for phase in range(count):
            blocks = smaller(most, cuda.gridDim.x) if most > 0 else cuda.gridDim.x
            if cuda.blockIdx.x < blocks:
                run_phase(kind, first, last, blocks, slices, treeplexes, state, rules, steps, t, shared)
                if after == WAIT_FOR_BLOCK:
                    cuda.syncthreads()
            wait = after == WAIT_FOR_GRID and (phase + 1 < count or t + 1 < steps.shape[0])
            kind, first, last, most, after = phase_of(phases, phase + 1 if phase + 1 < count else 0)
            if wait:
                reached += 1
                wait_for_grid(barrier, reached)
