"""Values of folds and showdowns with sixteen nodes at once, from rows of reach [hands, 16].

With S the sum of the reach of some hands and C that of those with each card, the part of S that shares no card with a
hand of two cards is S − C[low] − C[high] + (its own reach, if it is one of them). A showdown walks the hands from the
weakest on, so S and C hold the weaker hands, and then also the equally strong ones.
"""

from __future__ import annotations

from regretless.kernels.constants import FOLD
from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.vectors import WIDTH, load, multiply_add, splat, store


@inner
def terminal_values(kind, payoff, board, reach, held, value):
    """Write the values of one player's hands. payoff [3, 16]: chips if it wins, ties or loses; reach: of the other."""
    lose = load(payoff, 2 * WIDTH)
    clear_cards(held, board.cards)
    total = add_by_card(board, 0, board.hands, reach, held, splat(reach, 0.0))
    for h in range(board.hands):
        store(value, h * WIDTH, lose * without_cards(board, h, total, held, load(reach, h * WIDTH)))
    if kind != FOLD:
        add_showdown(payoff, board, reach, held, value)


@inner
def add_showdown(payoff, board, reach, held, value):
    """Add what a showdown pays above losing: win − tie for weaker hands, tie − lose for those not stronger."""
    tie = load(payoff, WIDTH)
    beats, ties = load(payoff, 0) - tie, tie - load(payoff, 2 * WIDTH)
    none = splat(reach, 0.0)
    clear_cards(held, board.cards)
    total, begin = none, 0
    while begin < board.hands:
        end = board.group_end[begin]
        for h in range(begin, end):
            weaker = without_cards(board, h, total, held, none)
            store(value, h * WIDTH, multiply_add(beats, weaker, load(value, h * WIDTH)))
        total = add_by_card(board, begin, end, reach, held, total)
        for h in range(begin, end):
            upto = without_cards(board, h, total, held, load(reach, h * WIDTH))
            store(value, h * WIDTH, multiply_add(ties, upto, load(value, h * WIDTH)))
        begin = end


@inner
def clear_cards(held, cards):
    """C ← 0."""
    for card in range(cards):
        store(held, card * WIDTH, splat(held, 0.0))


@inner(forceinline=True)
def add_by_card(board, begin, end, reach, held, total):
    """Add the reach of the hands `begin` to `end` to C, and to the total, which is returned."""
    for h in range(begin, end):
        here = load(reach, h * WIDTH)
        low, high = board.low[h] * WIDTH, board.high[h] * WIDTH
        store(held, low, load(held, low) + here)
        if high != low:
            store(held, high, load(held, high) + here)
        total = total + here
    return total


@inner(forceinline=True)
def without_cards(board, h, total, held, own):
    """Of a total reach, the part whose hands share no card with hand h; own: the part of h itself."""
    low, high = board.low[h] * WIDTH, board.high[h] * WIDTH
    if low == high:
        return total - load(held, low)
    return total - load(held, low) - load(held, high) + own
