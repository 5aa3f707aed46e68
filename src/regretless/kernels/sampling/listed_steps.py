"""The steps of a walk on a listed game, where a state is the number of a history.

`unlisted_steps` has the same functions for compiled games that are never listed; the walks are written once against
these names. All integers are 64 bits, so that each function is compiled once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import pointer, pointers, prefetch
from regretless.kernels.sampling.update_log import ALL

MOVER, INDEX, FIRST_CHILD, CHILDREN = range(4)


class ListedRules(NamedTuple):
    """A listed game; H histories, T terminals, P players."""

    node: npt.NDArray[np.int32]  # [H, 4] columns MOVER … CHILDREN; INDEX is a slot, or a row of `payoff` at a terminal
    keep: npt.NDArray[np.float64]  # [H] alias tables of chance: the probability with which a drawn child is kept …
    alias: npt.NDArray[np.int32]  # [H] … and the sibling that replaces it otherwise (Walker 1977)
    chance: npt.NDArray[np.float64]  # [H] probability of chance's move into a history
    public: npt.NDArray[np.bool_]  # [H] whether all players see the chance move made here
    payoff: npt.NDArray[np.float64]  # [T, P] chips
    players: int


class ListedTable(NamedTuple):
    """The slots of all infosets; the rules hold them as well, since every infoset has one from the start."""

    slot: npt.NDArray[np.int64]  # [I]


@inner(forceinline=True)
def rules_pointers(rules):
    """The rules as a walk uses them."""
    return pointers(rules)


@inner(forceinline=True)
def path_states(rules, scratch):
    """A buffer for the states on the path of a walk."""
    return pointer(scratch.states)


@inner(forceinline=True)
def first_state(rules):
    """The state at the root."""
    return np.int64(0)


@inner(forceinline=True)
def player(rules, state):
    """Who moves."""
    return np.int64(rules.node[4 * state + MOVER])


@inner(forceinline=True)
def list_actions(rules, state, moves, at):
    """The number of actions; games that are not listed write the actions to moves[at …]."""
    return np.int64(rules.node[4 * state + CHILDREN])


@inner(forceinline=True)
def prefetch_children(rules, state):
    """Begin to load the children into the cache while the choice is still being made: 16 histories, four cache lines.

    Loading the child that was chosen is what a walk waits for most of its time.
    """
    first = 4 * np.int64(rules.node[4 * state + FIRST_CHILD])
    prefetch(rules.node, first)
    prefetch(rules.node, first + 16)
    prefetch(rules.node, first + 32)
    prefetch(rules.node, first + 48)


@inner(forceinline=True)
def play_action(rules, state, moves, at, choice):
    """The state after the choice-th of the actions that `list_actions` found."""
    return np.int64(rules.node[4 * state + FIRST_CHILD]) + choice


@inner(forceinline=True)
def draw_chance(rules, state, draw, buffers, at):
    """The state after a chance move, drawn with `draw` in [0, 1)."""
    scaled = draw * rules.node[4 * state + CHILDREN]
    child = int(scaled)
    left = scaled - child
    child += rules.node[4 * state + FIRST_CHILD]
    return np.int64(child if left < rules.keep[child] else rules.alias[child])


@inner(forceinline=True)
def write_chance(rules, state, chance, at):
    """Write the probabilities of a chance move to chance[at …]; returns their number."""
    first = np.int64(rules.node[4 * state + FIRST_CHILD])
    count = np.int64(rules.node[4 * state + CHILDREN])
    for a in range(count):
        chance[at + a] = rules.chance[first + a]
    return count


@inner(forceinline=True)
def is_public(rules, state):
    """Whether all players see the chance move made here."""
    return rules.public[state]


@inner(forceinline=True)
def payoff_of(rules, state, who, payoffs):
    """What `who` wins at a terminal; `payoffs` is scratch of games that are not listed."""
    return rules.payoff[rules.players * rules.node[4 * state + INDEX] + who]


@inner(forceinline=True)
def slot_of(rules, table, state, mover):
    """The slot of the mover's infoset; −1 for an infoset without one."""
    return np.int64(rules.node[4 * state + INDEX])


@inner(forceinline=True)
def key_words(rules, state):
    """The two words of the key of the mover's infoset."""
    return np.int64(0), np.int64(0)


@inner(forceinline=True)
def history_number(rules, state):
    """The number of a history, for baselines by history; −1 where histories have none."""
    return state


@inner(forceinline=True)
def insert_new_infosets(store, logs, team, target, window, step, by_sign):
    """Give a slot to every new infoset: on a listed game there are none. Returns a status and what is left to apply."""
    return np.int64(0), np.int64(ALL)
