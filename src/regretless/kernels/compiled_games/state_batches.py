"""Steps of many plays of a compiled game at once; a state is a row of words (see `state_words`).

Functions that ask for actions have room for them in `moves`; where a state offers more, they return what is needed, as
a number below 0, and have to be called again with more room.
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
    root,
)
from regretless.kernels.compiled_games.state_words import get_words, put_words, word_count
from regretless.kernels.sampling.infoset_rules import pick
from regretless.kernels.sampling.infoset_table import insert


@njit(cache=True, nogil=True)
def words(rules):
    """How many words a state takes; −1 where it holds arrays."""
    return word_count(root(rules))


@njit(cache=True, nogil=True)
def begin(rules, states, width):
    """Fill the rows with the state before anything has happened. states [n · width]."""
    state = root(rules)
    for at in range(0, states.shape[0], width):
        put_words(state, states, at)


@njit(cache=True, nogil=True)
def movers(rules, states, width, out):
    """Who moves in each state. out [n] int8."""
    like = root(rules)
    for row in range(out.shape[0]):
        out[row] = player(rules, get_words(like, states, row * width))


@njit(cache=True, nogil=True)
def meet(rules, states, width, first, table, values, numbers, moves, out):
    """Give every infoset a number, in the order in which they are met; returns the first row that found no room.

    states [n · width] of decisions; numbers [as many as values] of the infosets by place; out [n].
    """
    like = root(rules)
    for row in range(first, out.shape[0]):
        state = get_words(like, states, row * width)
        count = actions(rules, state, moves, np.int64(0))
        if count > moves.shape[0]:
            return -count
        one, two = infoset_key(rules, state)
        before = table.used[0]
        place = insert(table, values, one, two, player(rules, state), count, moves, np.int64(0), np.int64(0))
        if place < 0:
            return row
        if table.used[0] > before:
            numbers[place] = before
        out[row] = numbers[place]
    return out.shape[0]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def after_chance(rules, states, width, draws, moves, odds, out):
    """The states after a move of chance, drawn by draws [n] in [0, 1). odds has the room of moves. out [n · width]."""
    like = root(rules)
    for row in range(draws.shape[0]):
        state = get_words(like, states, row * width)
        count = actions(rules, state, moves, np.int64(0))
        if count > moves.shape[0]:
            return -count
        if EVENLY:
            choice = np.int64(draws[row] * count)
        else:
            chance(rules, state, odds, np.int64(0))
            choice = pick(odds, np.int64(0), count, draws[row])
        put_words(play(rules, state, moves[choice]), out, row * width)
    return np.int64(0)


@njit(cache=True, nogil=True)
def won(rules, states, width, purse, out):
    """What every player has won at the end. purse [P]; out [n · P] chips."""
    like = root(rules)
    players = purse.shape[0]
    for row in range(out.shape[0] // players):
        payoffs(rules, get_words(like, states, row * width), purse, np.int64(0))
        for who in range(players):
            out[row * players + who] = purse[who]
