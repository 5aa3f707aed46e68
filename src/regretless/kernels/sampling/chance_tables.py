"""Tables of chance for walks on listed games: alias tables to draw from, and which moves of chance everybody sees."""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.random_streams import STEP, mixed


@njit(cache=True, nogil=True)
def alias_tables(mover, first_child, children, probability):
    """stay [H] and other [H]: a child is drawn by choosing a place and then keeping it or not (Vose 1991).

    mover, first_child, children [H]; probability [H] of chance's move into a history.
    """
    histories = mover.shape[0]
    stay, other = np.ones(histories), np.arange(histories).astype(np.int32)
    widest = 1
    for h in range(histories):
        if mover[h] == -1:
            widest = max(widest, children[h])
    share = np.empty(widest)
    small, large = np.empty(widest, np.int64), np.empty(widest, np.int64)
    for h in range(histories):
        if mover[h] != -1:
            continue
        first, count = first_child[h], children[h]
        few, many = 0, 0
        for a in range(count):
            share[a] = probability[first + a] * count
            if share[a] < 1.0:
                small[few] = a
                few += 1
            else:
                large[many] = a
                many += 1
        while few > 0 and many > 0:
            few -= 1
            poor, rich = small[few], large[many - 1]
            stay[first + poor] = share[poor]
            other[first + poor] = first + rich
            share[rich] -= 1.0 - share[poor]
            if share[rich] < 1.0:
                many -= 1
                small[few] = rich
                few += 1
    return stay, other


@njit(cache=True, nogil=True)
def distinct_rows(rows, most):
    """Which rows [N, P] of numbers are the first of their kind, and which of those each row equals: [distinct], [N].

    Ends of a game have few different payoffs, and few rows stay in the nearest cache. With more than `most` different
    ones every row stands for itself.
    """
    count, wide = rows.shape
    first, which = np.empty(most, np.int64), np.empty(count, np.int64)
    slots, found = np.full(4 * most, -1, np.int64), 0
    bits = rows.view(np.uint64)
    for row in range(count):
        word = np.uint64(0)
        for column in range(wide):
            word = mixed(word + bits[row, column] + STEP)
        slot = np.int64(word % np.uint64(4 * most))
        while slots[slot] >= 0:
            same = True
            for column in range(wide):
                same &= bits[first[slots[slot]], column] == bits[row, column]
            if same:
                break
            slot = (slot + 1) % (4 * most)
        if slots[slot] < 0:
            if found == most:
                return np.arange(count), np.arange(count)
            slots[slot], first[found] = found, row
            found += 1
        which[row] = slots[slot]
    return first[:found].copy(), which


@njit(cache=True, nogil=True)
def seen_by_all(mover, index, first_child, children, infosets):
    """[H] whether no infoset below a chance node holds histories from two of its outcomes: everybody can tell."""
    histories = mover.shape[0]
    seen = np.zeros(histories, np.bool_)
    met_under, met_outcome = np.full(infosets, -1, np.int64), np.zeros(infosets, np.int64)
    stack = np.empty(histories, np.int64)
    for h in range(histories):
        if mover[h] != -1:
            continue
        seen[h] = True
        for outcome in range(children[h]):
            stack[0] = first_child[h] + outcome
            top = 1
            while top > 0 and seen[h]:
                top -= 1
                below = stack[top]
                if mover[below] >= 0:
                    infoset = index[below]
                    if met_under[infoset] == h and met_outcome[infoset] != outcome:
                        seen[h] = False
                    met_under[infoset] = h
                    met_outcome[infoset] = outcome
                for a in range(children[below]):
                    stack[top] = first_child[below] + a
                    top += 1
    return seen


@njit(cache=True, nogil=True)
def room_needed(mover, first_child, children):
    """The most moves on the way to an end, and the most actions that all of these together have on offer."""
    histories = mover.shape[0]
    depth, width = np.zeros(histories, np.int32), np.zeros(histories, np.int32)
    deepest, widest = 1, 1
    for h in range(histories):
        below, offered = depth[h] + 1, width[h] + children[h]
        for child in range(first_child[h], first_child[h] + children[h]):
            depth[child], width[child] = below, offered
        deepest, widest = max(deepest, below), max(widest, offered)
    return deepest, widest


@njit(cache=True, nogil=True)
def sweep(values, place, count, lead, window, step, regret_scale, average_scale):
    """Bring every infoset to the scale of the next window. place, count [I]; step the last of the window that ends."""
    for i in range(place.shape[0]):
        p, n = place[i], count[i]
        if lead:
            before = int(values[p - 1])
            positive = np.exp(window.positive[step] - window.positive[before])
            negative = np.exp(window.negative[step] - window.negative[before])
            for a in range(n):
                values[p + a] *= positive if values[p + a] > 0 else negative
            values[p - 1] = 0.0
        else:
            for a in range(n):
                values[p + a] *= regret_scale
        for a in range(n, 2 * n):
            values[p + a] *= average_scale
