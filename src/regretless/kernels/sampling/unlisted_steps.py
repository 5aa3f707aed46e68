"""The steps of a walk through a compiled game that is never listed; the counterpart of `listed_steps`.

The functions of the game itself (root, player, actions, play, infoset_key, payoffs, chance, public) come from the
module that is generated for the game.
"""

from __future__ import annotations

import numpy as np

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
from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.sampling.infoset_rules import pick
from regretless.kernels.sampling.infoset_table import find, fits_all_new, insert_logged
from regretless.kernels.sampling.update_log import ALL, NEW, OLD, apply_entries, thread_log
from regretless.kernels.sampling.walk_records import LISTS_FULL, TABLE_FULL
from regretless.kernels.thread_team import barrier, barrier_min

__all__ = [
    "draw_chance",
    "first_state",
    "history_number",
    "insert_new_infosets",
    "is_public",
    "key_words",
    "list_actions",
    "path_states",
    "payoff_of",
    "play_action",
    "player",
    "prefetch_children",
    "rules_pointers",
    "slot_of",
    "write_chance",
]


@inner(forceinline=True)
def rules_pointers(rules):
    """The rules as a walk uses them: as they are, since the game's functions take arrays."""
    return rules


@inner(forceinline=True)
def path_states(rules, scratch):
    """A buffer for the states on the path of a walk."""
    return [root(rules)] * scratch.deepest


@inner(forceinline=True)
def first_state(rules):
    """The state at the root."""
    return root(rules)


@inner(forceinline=True)
def list_actions(rules, state, moves, at):
    """Write the actions to moves[at …] as far as they fit; returns their number."""
    return actions(rules, state, moves, at)


@inner(forceinline=True)
def prefetch_children(rules, state):
    """Nothing to prefetch: the next state is computed."""


@inner(forceinline=True)
def play_action(rules, state, moves, at, choice):
    """The state after the choice-th of the actions that `list_actions` wrote."""
    return play(rules, state, moves[at + choice])


@inner(forceinline=True)
def draw_chance(rules, state, draw, buffers, at):
    """The state after a chance move, drawn with `draw` in [0, 1)."""
    moves, probabilities = buffers.moves, buffers.chance
    count = actions(rules, state, moves, at)
    if at + count > len(moves):
        moves, probabilities, at = np.empty(count, np.int64), np.empty(count), np.int64(0)
        actions(rules, state, moves, at)
    if EVENLY:
        return play(rules, state, moves[at + np.int64(draw * count)])
    chance(rules, state, probabilities, at)
    return play(rules, state, moves[at + pick(probabilities, at, count, draw)])


@inner(forceinline=True)
def write_chance(rules, state, probabilities, at):
    """Write the probabilities of a chance move to probabilities[at …]; returns their number."""
    return chance(rules, state, probabilities, at)


@inner(forceinline=True)
def is_public(rules, state):
    """Whether all players see the chance move made here."""
    return public(rules, state)


@inner(forceinline=True)
def payoff_of(rules, state, who, out):
    """What `who` wins at a terminal; `out` is scratch."""
    payoffs(rules, state, out, np.int64(0))
    return out[who]


@inner(forceinline=True)
def slot_of(rules, table, state, mover):
    """The slot of the mover's infoset; −1 for an infoset without one."""
    first, second = infoset_key(rules, state)
    return find(table, first, second, mover)


@inner(forceinline=True)
def key_words(rules, state):
    """The two words of the key of the mover's infoset."""
    return infoset_key(rules, state)


@inner(forceinline=True)
def history_number(rules, state):
    """Histories of a game that is not listed have no numbers."""
    return np.int64(-1)


@inner
def insert_new_infosets(store, logs, team, target, window, step, by_sign):
    """Give a slot to every new infoset, and wait; returns 0 or what must grow, and which entries are left to apply.

    One thread inserts all, in the order of the walks. If all surely fit, the other threads meanwhile apply the entries
    of infosets that had a slot before; if not, nothing may be done that cannot be repeated.
    """
    barrier(team)  # before the next report
    certain = team.number > 0 or (team.size > 1 and fits_all_new(store.table, store.values, logs, team.size))
    left, status = np.int64(NEW if barrier_min(team, np.int64(certain)) else ALL), np.int64(0)
    if team.number == 0:
        for other in range(team.size):
            if status == 0 and not insert_logged(store.table, store.values, thread_log(logs, other), step):
                status = np.int64(TABLE_FULL if left == ALL else LISTS_FULL)
    elif left == NEW:
        for other in range(team.size):
            log = thread_log(logs, other)
            apply_entries(log, target, window, step, by_sign, team.number - 1, team.size - 1, OLD)
    barrier(team)  # before the next report
    return barrier_min(team, status), left
