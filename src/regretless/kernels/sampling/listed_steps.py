"""The steps of a walk on a listed game, where a state is the number of a history.

`unlisted_steps` has the same functions for compiled games that are never listed; the walks are written
once against these names.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from regretless.kernels.numba_ext.atomics import fetch
from regretless.kernels.numba_ext.pointers import bare

MOVER, INDEX, FIRST_CHILD, CHILDREN = range(4)


class ListedRules(NamedTuple):
    """A listed game; H histories, T terminals, P players."""

    node: npt.NDArray[np.int32]  # [H, 4] columns MOVER … CHILDREN; INDEX is a place, or a row of `payoff` at the end
    stay: npt.NDArray[np.float64]  # [H] alias tables of chance: the share of its place that a child keeps …
    other: npt.NDArray[np.int32]  # [H] … and the sibling that has the rest (Walker 1977)
    odds: npt.NDArray[np.float64]  # [H] of chance's move into a history
    seen: npt.NDArray[np.bool_]  # [H] whether all players see the chance move made here
    payoff: npt.NDArray[np.float64]  # [T, P] chips
    players: int


class ListedTable(NamedTuple):
    """Where the numbers of each infoset lie: the rules know it too, since every infoset has a place from the start."""

    place: npt.NDArray[np.int64]  # [I]


@njit(nogil=True)
def bare_rules(rules):
    """The rules as a walk holds them."""
    return ListedRules(
        bare(rules.node), bare(rules.stay), bare(rules.other), bare(rules.odds), bare(rules.seen), bare(rules.payoff),
        rules.players,
    )  # fmt: skip


@njit(nogil=True)
def bare_table(table):
    """The table as a walk holds it."""
    return ListedTable(bare(table.place))


@njit(nogil=True, forceinline=True)
def begin(rules):
    """The state before anything has happened."""
    return 0


@njit(nogil=True, forceinline=True)
def player(rules, state):
    """Who moves."""
    return rules.node[4 * state + MOVER]


@njit(nogil=True, forceinline=True)
def offer(rules, state, moves, at):
    """How many actions there are; games that are not listed write them to `moves` from `at` on."""
    return rules.node[4 * state + CHILDREN]


@njit(nogil=True, forceinline=True)
def foresee(rules, state):
    """Begin to bring what comes next into the cache, while the choice is still being made: 16 histories, on four cache
    lines. Whoever draws one of them has no time to lose, since everything else waits for it."""
    first = 4 * rules.node[4 * state + FIRST_CHILD]
    fetch(rules.node, first)
    fetch(rules.node, first + 16)
    fetch(rules.node, first + 32)
    fetch(rules.node, first + 48)


@njit(nogil=True, forceinline=True)
def take(rules, state, moves, at, choice):
    """The state after the choice-th of the actions that `offer` wrote."""
    return rules.node[4 * state + FIRST_CHILD] + choice


@njit(nogil=True, forceinline=True)
def deal(rules, state, draw, moves, odds, at):
    """The state after a chance move, drawn with `draw` in [0, 1)."""
    scaled = draw * rules.node[4 * state + CHILDREN]
    child = int(scaled)
    left = scaled - child
    child += rules.node[4 * state + FIRST_CHILD]
    return child if left < rules.stay[child] else rules.other[child]


@njit(nogil=True, forceinline=True)
def odds_of(rules, state, odds, at):
    """Write the probabilities of a chance move to `odds` from `at` on; returns how many there are."""
    first, count = rules.node[4 * state + FIRST_CHILD], rules.node[4 * state + CHILDREN]
    for a in range(count):
        odds[at + a] = rules.odds[first + a]
    return count


@njit(nogil=True, forceinline=True)
def in_public(rules, state):
    """Whether everybody sees the chance move made here."""
    return rules.seen[state]


@njit(nogil=True, forceinline=True)
def worth(rules, state, who, purse):
    """What `who` has won at the end."""
    return rules.payoff[rules.players * rules.node[4 * state + INDEX] + who]


@njit(nogil=True, forceinline=True)
def locate(rules, table, state, mover):
    """The place of the mover's infoset among the values; −1 for one that has none yet."""
    return rules.node[4 * state + INDEX]


@njit(nogil=True, forceinline=True)
def name(rules, state):
    """The words by which an infoset without a place is known."""
    return 0, 0


@njit(nogil=True, forceinline=True)
def echo(rules, state):
    """The number of a history, for numbers that are kept by history; −1 where histories have none."""
    return state


@njit(nogil=True, forceinline=True)
def settle(table, values, logs, team, numbers, memory, window, step, fades, blend):
    """Give a place to every infoset that has none: on a listed game everybody has one, and all entries are left."""
    return 0, 0
