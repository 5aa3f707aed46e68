"""Terminals sorted by their sequences and merged into rows of payoff entries, with little memory beside the result.

Sorting is a stable counting sort, one pass for each player. Equal terminals are then neighbours; their chance-weighted
payoffs are added up in the order of the terminals, once to count the entries of each row and once to write them.
"""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner, kernel


@kernel
def rename_sequences(ends, final):
    """ends[t, p] ← final[ends[t, p]]. ends [T, P], final [S]."""
    for t in range(ends.shape[0]):
        for p in range(ends.shape[1]):
            ends[t, p] = final[ends[t, p]]


@kernel
def sort_by_player(ends, player, order, begin, out):
    """Write the terminals `order` to `out`, sorted by their sequences of `player`; terminals with equal ones keep their
    order. ends [T, P]; order, out [T]; begin [S + 1] zeros, used up."""
    for i in range(order.shape[0]):
        begin[ends[order[i], player] + 1] += 1
    for s in range(1, begin.shape[0]):
        begin[s] += begin[s - 1]
    for i in range(order.shape[0]):
        key = ends[order[i], player]
        out[begin[key]] = order[i]
        begin[key] += 1


@inner
def gather_row(ends, order, begin, reach, reaches, code, table, worth):
    """Add up the payoffs of the terminals that end the same sequences as the begin-th of `order`; returns their end.

    reaches[reach[t]] is the reach of chance, table[code[t]] are the payoffs: reach, code [T], table [K, P].
    worth [P] receives the sums.
    """
    head, end = order[begin], begin
    for p in range(worth.shape[0]):
        worth[p] = 0.0
    while end < order.shape[0]:
        terminal = order[end]
        for p in range(worth.shape[0]):
            if ends[terminal, p] != ends[head, p]:
                return end
        for p in range(worth.shape[0]):
            worth[p] += reaches[reach[terminal]] * table[code[terminal], p]
        end += 1
    return end


@kernel
def count_entries(ends, order, reach, reaches, code, table, worth, count):
    """count[s] ← entries of sequence s that are not zero. count [S] zeros."""
    i = 0
    while i < order.shape[0]:
        head = order[i]
        i = gather_row(ends, order, i, reach, reaches, code, table, worth)
        for p in range(worth.shape[0]):
            if worth[p] != 0:
                count[ends[head, p]] += 1


@kernel
def write_entries(ends, order, reach, reaches, code, table, worth, position, column, payoff):
    """Write the entries of all rows. position [S]: where each row begins, used up; column [P − 1, E], payoff [E]."""
    i = 0
    while i < order.shape[0]:
        head = order[i]
        i = gather_row(ends, order, i, reach, reaches, code, table, worth)
        for p in range(worth.shape[0]):
            if worth[p] != 0:
                entry = position[ends[head, p]]
                position[ends[head, p]] += 1
                payoff[entry] = worth[p]
                other = 0
                for q in range(worth.shape[0]):
                    if q != p:
                        column[other, entry] = ends[head, q]
                        other += 1
