"""The functions of a compiled game, as kernels that walk one import them.

A kernel written against these names is a template: `CompiledGame.kernels` reads its text, and there the game's own
functions take the place of those below, which only say what they do. Rules are what a game's parameters have become,
states and their types are the game's own. Arguments that are plain numbers are best written np.int64(0): Numba compiles
a function anew for every literal it is given.
"""

from __future__ import annotations

EVENLY = False
"""Whether all moves of chance are equally likely wherever it moves."""


def root(rules):
    """The state before anything has happened."""
    raise NotImplementedError


def player(rules, state):
    """Who moves: a player, −1 for chance, −2 where the game is over."""
    raise NotImplementedError


def actions(rules, state, out, at):
    """Write the actions to out [int64] from `at` on, as far as there is room; returns how many there are."""
    raise NotImplementedError


def play(rules, state, action):
    """The state after an action."""
    raise NotImplementedError


def infoset_key(rules, state):
    """What the mover knows as two int64: a number and 0, a pair of numbers, or for anything longer two hashes."""
    raise NotImplementedError


def payoffs(rules, state, out, at):
    """Write what each player has won to out [float64] from `at` on; returns how many numbers there are."""
    raise NotImplementedError


def chance(rules, state, out, at):
    """Write the probabilities of chance's actions to out [float64] from `at` on; returns how many there are."""
    raise NotImplementedError


def public(rules, state):
    """Whether all players see the chance move made here."""
    raise NotImplementedError
