"""The functions of a compiled game, as kernels that walk one import them.

A kernel written against these names is a template: `CompiledGame.kernels` reads its text and replaces the functions
below, which only document the interface, by the game's own. Rules hold the parameters of the game; states and their
types are the game's own. Write arguments that are plain numbers as np.int64(0): Numba compiles a function anew for
every literal that it is called with.
"""

from __future__ import annotations

EVENLY = False
"""Whether all moves of chance are equally likely wherever it moves."""


def root(rules):
    """The state before anything has happened."""
    raise NotImplementedError


def player(rules, state):
    """Who moves: a player, CHANCE or TERMINAL."""
    raise NotImplementedError


def actions(rules, state, out, at):
    """Write the actions to out[at …] (int64) as far as they fit; returns their number."""
    raise NotImplementedError


def play(rules, state, action):
    """The state after an action."""
    raise NotImplementedError


def infoset_key(rules, state):
    """The infoset of the mover as two int64: a number and 0, a pair of numbers, or for anything longer two hashes."""
    raise NotImplementedError


def payoffs(rules, state, out, at):
    """Write the payoffs of all players to out[at …] (float64); returns their number."""
    raise NotImplementedError


def chance(rules, state, out, at):
    """Write the probabilities of chance's actions to out[at …] (float64); returns their number."""
    raise NotImplementedError


def public(rules, state):
    """Whether all players see the chance move made here."""
    raise NotImplementedError
