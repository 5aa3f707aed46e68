"""What a match knows of its strategies: where one keeps an infoset, and what histories are worth between two."""

from __future__ import annotations

from numba import njit

from regretless.kernels.compiled_games.integers import key_of
from regretless.kernels.constants import CHANCE, TERMINAL
from regretless.kernels.sampling.infoset_table import find


@njit(cache=True, nogil=True)
def history_values(listing, place, mine, theirs, seat, worth):
    """Write to worth [H] what `seat` wins on average from every history on, children before their parents.

    listing: mover, index, first_child, children, probability [H] and payoffs [T, P], as in `Histories`. The seat plays
    by `mine` and all others by `theirs`: probabilities of the actions of an infoset from its place [I] on.
    """
    mover, index, first_child, children, probability, payoffs = listing
    for h in range(mover.shape[0] - 1, -1, -1):
        first, count = first_child[h], children[h]
        total = 0.0
        if mover[h] == TERMINAL:
            total = payoffs[index[h], seat]
        elif mover[h] == CHANCE:
            for child in range(first, first + count):
                total += probability[child] * worth[child]
        else:
            values = mine if mover[h] == seat else theirs
            for a in range(count):
                total += values[place[index[h]] + a] * worth[first + a]
        worth[h] = total


@njit(cache=True, nogil=True)
def place_of(table, infoset, owner):
    """The place of what `Game.infoset` returned in a table of infosets, or −1."""
    first, second = key_of(infoset)
    return find(table, first, second, owner)
