"""Complementary pivoting on a dense table (Lemke 1965): a path from basis to basis that ends at an equilibrium."""

from __future__ import annotations

import numpy as np
from numba import njit

SOLVED, STUCK, TOO_LONG = 0, 1, 2
"""How a path ends: at a solution, in a column without a bound, or at the limit of pivots."""

TIE = 1e-9
"""Ratios that differ by less, relative to their size, count as equal; then the larger pivot is taken."""


@njit(cache=True, nogil=True, error_model="numpy")
def pivot(table, row, column):
    """Exchange a basic and a nonbasic variable. table [R, C]: basic = last columns (constants) + Σ table · nonbasic."""
    inverse = 1.0 / table[row, column]
    for j in range(table.shape[1]):
        table[row, j] *= -inverse
    table[row, column] = inverse
    for i in range(table.shape[0]):
        factor = table[i, column]
        if i != row and factor != 0.0:
            table[i, column] = 0.0
            for j in range(table.shape[1]):
                table[i, j] += factor * table[row, j]


@njit(cache=True, nogil=True, error_model="numpy")
def leaving_row(table, column, smallest):
    """The basic variable that falls to zero first when the one of `column` grows; −1 if none does.

    The last column of the table holds constants that were moved a little at random, so that no two rows tie.
    """
    constants = table.shape[1] - 1
    best, row = np.inf, -1
    for i in range(table.shape[0]):
        slope = table[i, column]
        if slope < -smallest:
            ratio = max(table[i, constants], 0.0) / -slope
            margin = TIE * max(abs(ratio), abs(best)) if best < np.inf else 0.0
            if ratio < best - margin or (ratio <= best + margin and slope < table[row, column]):
                best, row = ratio, i
    return row


@njit(cache=True, nogil=True, error_model="numpy")
def complementary_path(table, basic, nonbasic, pairs, entering, last, most, smallest):
    """Pivot from an almost complementary basis until the variable `last` leaves; returns how it ended and the pivots.

    basic [R], nonbasic [C − 2] numbers of variables; v and v + pairs complement each other for v < pairs.
    """
    for step in range(most):
        column = 0
        while nonbasic[column] != entering:
            column += 1
        row = leaving_row(table, column, smallest)
        if row < 0:
            return STUCK, step
        left = basic[row]
        pivot(table, row, column)
        basic[row], nonbasic[column] = entering, left
        if left == last:
            return SOLVED, step + 1
        entering = left - pairs if left >= pairs else left + pairs
    return TOO_LONG, most
