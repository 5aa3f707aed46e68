"""Gradients: what each sequence of a player is worth before its own later choices, given everybody else's plans.

For two players this is the sparse product A·y. Cost per payoff entry: 12 bytes read and one number gathered from the
other's plan (4 bytes and one gather more for each further player). Indices are unsigned, because the compiler guards
signed ones against wrapping around.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange


@njit(cache=True, nogil=True, error_model="numpy")
def row_product(begin, end, column, payoff, plan):
    """Σ payoff · plan over the entries begin…end of a two-player game."""
    total = 0.0
    for entry in range(begin, end):
        total += payoff[entry] * plan[column[entry]]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def row_product_many(begin, end, column, payoff, plan):
    """Σ payoff · Π plans over the entries begin…end, one factor for each of the other players."""
    total = 0.0
    for entry in range(begin, end):
        product = np.float64(payoff[entry])
        for other in range(column.shape[0]):
            product *= plan[column[other, entry]]
        total += product
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def player_gradient(form, player, plan, gradient):
    """gradient[s] ← Σ over the terminals that end s: payoff · Π others' plans, for every sequence s of `player`."""
    gradient[form.sequence_first[player] : form.sequence_first[player + 1]] = 0.0
    row_entry, row_sequence, column, payoff = form.row_entry, form.row_sequence, form.column, form.payoff
    first, last = np.uint64(form.row_first[player]), np.uint64(form.row_first[player + 1])
    if column.shape[0] == 1:
        for row in range(first, last):
            worth = row_product(row_entry[row], row_entry[row + np.uint64(1)], column[0], payoff, plan)
            gradient[np.uint32(row_sequence[row])] = worth
    else:
        for row in range(first, last):
            worth = row_product_many(row_entry[row], row_entry[row + np.uint64(1)], column, payoff, plan)
            gradient[np.uint32(row_sequence[row])] = worth


@njit(cache=True, nogil=True, error_model="numpy", parallel=True)
def player_gradient_threads(form, player, plan, gradient):
    """`player_gradient`, the rows shared among threads; a row is summed by one of them, so the bits are the same."""
    gradient[form.sequence_first[player] : form.sequence_first[player + 1]] = 0.0
    row_entry, row_sequence, column, payoff = form.row_entry, form.row_sequence, form.column, form.payoff
    two = column.shape[0] == 1
    for row in prange(form.row_first[player], form.row_first[player + 1]):
        if two:
            worth = row_product(row_entry[row], row_entry[row + 1], column[0], payoff, plan)
        else:
            worth = row_product_many(row_entry[row], row_entry[row + 1], column, payoff, plan)
        gradient[row_sequence[row]] = worth
