"""Steps of many plays of a compiled game at once; a state is a row of words (see `state_words`).

Functions that need the actions of a state write them to `moves`. If a state has more actions than fit, they return the
number of them with a negative sign and must be called again with a longer buffer.
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
    root,
)
from regretless.kernels.compiled_games.state_words import get_words, put_words, word_count
from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.sampling.infoset_rules import pick
from regretless.kernels.sampling.infoset_table import insert


@kernel
def words(rules):
    """Number of words of a state; −1 if it holds arrays."""
    return word_count(root(rules))


@kernel
def begin(rules, states, width):
    """Fill the rows with the state at the root. states [n · width]."""
    state = root(rules)
    for at in range(0, states.shape[0], width):
        put_words(state, states, at)


@kernel
def movers(rules, states, width, out):
    """Who moves in each state. out [n] int8."""
    like = root(rules)
    for row in range(out.shape[0]):
        out[row] = player(rules, get_words(like, states, row * width))


@kernel
def number_infosets(rules, states, width, first, table, values, numbers, moves, out):
    """Number the infosets in the order of their first visit; returns the first row for which the table is too small.

    states [n · width] of decisions; numbers [as long as values] of the infosets by slot; out [n].
    """
    like = root(rules)
    for row in range(first, out.shape[0]):
        state = get_words(like, states, row * width)
        count = actions(rules, state, moves, np.int64(0))
        if count > moves.shape[0]:
            return -count
        one, two = infoset_key(rules, state)
        before = table.used[0]
        slot = insert(table, values, one, two, player(rules, state), count, moves, np.int64(0), np.int64(0))
        if slot < 0:
            return row
        if table.used[0] > before:
            numbers[slot] = before
        out[row] = numbers[slot]
    return out.shape[0]


@kernel
def after(rules, states, width, choices, moves, out):
    """The states after the given choices [n] among the actions. out [n · width]."""
    like = root(rules)
    for row in range(choices.shape[0]):
        state = get_words(like, states, row * width)
        count = actions(rules, state, moves, np.int64(0))
        if count > moves.shape[0]:
            return -count
        put_words(play(rules, state, moves[choices[row]]), out, row * width)
    return np.int64(0)


@kernel
def after_chance(rules, states, width, draws, moves, probabilities, out):
    """The states after a chance move, drawn by draws [n] in [0, 1). probabilities: long as moves. out [n · width]."""
    like = root(rules)
    for row in range(draws.shape[0]):
        state = get_words(like, states, row * width)
        count = actions(rules, state, moves, np.int64(0))
        if count > moves.shape[0]:
            return -count
        if EVENLY:
            choice = np.int64(draws[row] * count)
        else:
            chance(rules, state, probabilities, np.int64(0))
            choice = pick(probabilities, np.int64(0), count, draws[row])
        put_words(play(rules, state, moves[choice]), out, row * width)
    return np.int64(0)


@kernel
def terminal_payoffs(rules, states, width, scratch, out):
    """The payoffs of all players at terminals. scratch [P]; out [n · P] chips."""
    like = root(rules)
    players = scratch.shape[0]
    for row in range(out.shape[0] // players):
        payoffs(rules, get_words(like, states, row * width), scratch, np.int64(0))
        for who in range(players):
            out[row * players + who] = scratch[who]
