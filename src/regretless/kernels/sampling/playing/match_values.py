"""Strategies of a match: the slot of an infoset in a table, and the values of histories between two strategies."""

from __future__ import annotations

from regretless.kernels.compiled_games.integers import key_of
from regretless.kernels.constants import CHANCE, TERMINAL
from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.sampling.infoset_table import find


@kernel
def history_values(listing, slots, mine, theirs, seat, values):
    """Write the expected payoff of `seat` from every history on to values [H], children before their parents.

    listing: mover, index, first_child, children, probability [H] and payoffs [T, P], as in `Histories`. The seat plays
    by `mine` and all others by `theirs`: probabilities of the actions of an infoset from its slot [I] on.
    """
    mover, index, first_child, children, probability, payoffs = listing
    for h in range(mover.shape[0] - 1, -1, -1):
        first, count = first_child[h], children[h]
        total = 0.0
        if mover[h] == TERMINAL:
            total = payoffs[index[h], seat]
        elif mover[h] == CHANCE:
            for child in range(first, first + count):
                total += probability[child] * values[child]
        else:
            strategy = mine if mover[h] == seat else theirs
            for a in range(count):
                total += strategy[slots[index[h]] + a] * values[first + a]
        values[h] = total


@kernel
def infoset_slot(table, infoset, owner):
    """The slot of what `Game.infoset` returned in a table of infosets, or −1."""
    first, second = key_of(infoset)
    return find(table, first, second, owner)
