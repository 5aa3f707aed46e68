"""The steps of a walk through a compiled game that is never listed; the twin of `listed_steps`.

The functions of the game itself (root, player, actions, play, infoset_key, payoffs, chance, public) stand before this
text in the module that is generated for the game.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from regretless.kernels.compiled_games.game_steps import (
    EVENLY,
    actions,
    chance,
    infoset_key,
    payoffs,
    play,
    player,
    public,
    root,
)
from regretless.kernels.sampling.infoset_rules import MENUS_FULL, TABLE_FULL, pick
from regretless.kernels.sampling.infoset_table import bare_infosets, find, place_newcomers, room_for_all
from regretless.kernels.sampling.thread_team import agree, meet
from regretless.kernels.sampling.update_log import ALL, NEW, OLD, carry_out, log_of

__all__ = [
    "bare_rules",
    "bare_table",
    "begin",
    "deal",
    "echo",
    "foresee",
    "in_public",
    "locate",
    "name",
    "odds_of",
    "offer",
    "player",
    "settle",
    "take",
    "worth",
]


@njit(nogil=True)
def bare_rules(rules):
    """The rules as a walk holds them."""
    return rules


@njit(nogil=True)
def bare_table(table):
    """The table as a walk holds it."""
    return bare_infosets(table)


@njit(nogil=True, forceinline=True)
def begin(rules):
    """The state before anything has happened."""
    return root(rules)


@njit(nogil=True, forceinline=True)
def offer(rules, state, moves, at):
    """Write the actions to `moves` from `at` on, as far as there is room; returns how many there are."""
    return actions(rules, state, moves, at)


@njit(nogil=True, forceinline=True)
def foresee(rules, state):
    """Nothing lies in memory that could be fetched ahead: what comes next is computed."""


@njit(nogil=True, forceinline=True)
def take(rules, state, moves, at, choice):
    """The state after the choice-th of the actions that `offer` wrote."""
    return play(rules, state, moves[at + choice])


@njit(nogil=True, forceinline=True)
def deal(rules, state, draw, moves, odds, at):
    """The state after a chance move, drawn with `draw` in [0, 1)."""
    count = actions(rules, state, moves, at)
    if at + count > len(moves):
        moves, odds, at = np.empty(count, np.int64), np.empty(count), np.int64(0)
        actions(rules, state, moves, at)
    if EVENLY:
        return play(rules, state, moves[at + np.int64(draw * count)])
    chance(rules, state, odds, at)
    return play(rules, state, moves[at + pick(odds, at, count, draw)])


@njit(nogil=True, forceinline=True)
def odds_of(rules, state, odds, at):
    """Write the probabilities of a chance move to `odds` from `at` on; returns how many there are."""
    return chance(rules, state, odds, at)


@njit(nogil=True, forceinline=True)
def in_public(rules, state):
    """Whether everybody sees the chance move made here."""
    return public(rules, state)


@njit(nogil=True, forceinline=True)
def worth(rules, state, who, purse):
    """What `who` has won at the end."""
    payoffs(rules, state, purse, np.int64(0))
    return purse[who]


@njit(nogil=True, forceinline=True)
def locate(rules, table, state, mover):
    """The place of the mover's infoset among the values; −1 for one that has none yet."""
    first, second = infoset_key(rules, state)
    return find(table, first, second, mover)


@njit(nogil=True, forceinline=True)
def name(rules, state):
    """The words by which an infoset without a place is known."""
    return infoset_key(rules, state)


@njit(nogil=True, forceinline=True)
def echo(rules, state):
    """Histories of a game that is not listed have no numbers."""
    return np.int64(-1)


@njit(nogil=True)
def settle(table, values, logs, team, numbers, memory, window, step, fades, blend):
    """Give a place to every infoset that has none, and meet; 0 or what must grow, and which entries are left to do.

    One thread gives all places, in the order of the walks. If there surely is room for all, the others carry out
    meanwhile what is for infosets that had a place before; if not, nothing may be done that cannot be done again.
    """
    meet(team)  # before anybody reports again
    certain = team.number > 0 or (team.size > 1 and room_for_all(table, values, logs, team.size))
    left = NEW if agree(team, np.int64(certain)) else ALL
    status = 0
    if team.number == 0:
        for other in range(team.size):
            if status == 0 and not place_newcomers(table, values, log_of(logs, other), step):
                status = TABLE_FULL if left == ALL else MENUS_FULL
    elif left == NEW:
        for other in range(team.size):
            log = log_of(logs, other)
            carry_out(log, numbers, memory, window, step, fades, blend, team.number - 1, team.size - 1, OLD)
    meet(team)  # before anybody reports again
    return agree(team, status), left
