"""Public states of a listed game, computed from its infosets.

A game defines what its mover knows, but not what is public. Two histories of the same length are joined if

1. they lie in one infoset; or
2. their successors are joined (then they could not be distinguished before, either); or
3. a player who does not move again has last moved from the same infoset by the same action, and has seen the same
   moves of the others since: no later infoset shows what this player knows.

Public states are the connected components (common knowledge; Kovařík, Schmid, Burch, Bowling & Lisý 2022, §3). They
form a tree, since by rule 2 the predecessors of joined histories are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.game import TERMINAL
from regretless.tree import Tree

__all__ = ["Steps", "public_states", "steps_of"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Steps:
    """The histories of a game by their length, and the last action of each."""

    levels: Sequence[Ints]  # histories of length 0, 1, 2, …
    parent: Ints  # [H] the history before, −1 at the root
    choice: Ints  # [H] the number of the action that led here
    word: Ints  # [H] a number for the name of the player's action that led here; −1 after chance and at the root


def steps_of(tree: Tree) -> Steps:
    """The last action of each history of a game."""
    h = tree.listing
    parent, choice = (np.full(tree.histories, -1, np.int64) for _ in range(2))
    levels, here = [], np.zeros(1, np.int64)
    while len(here):
        levels.append(here)
        count = h.children[here].astype(np.int64)
        nth = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        child = np.repeat(h.first_child[here].astype(np.int64), count) + nth
        parent[child], choice[child] = np.repeat(here, count), nth
        here = np.sort(child)
    return Steps(levels, parent, choice, _words(tree, parent, choice))


def _words(tree: Tree, parent: Ints, choice: Ints) -> Ints:
    """[H] a number for the name of the player's action that led to each history."""
    h = tree.listing
    number: dict[Any, int] = {}
    rows = [[number.setdefault(action, len(number)) for action in actions] for actions in tree.labels.actions]
    first = np.cumsum([0, *(len(row) for row in rows)])[:-1]
    flat = np.array([entry for row in rows for entry in row], np.int64)
    out = np.full(len(parent), -1, np.int64)
    moved = (parent >= 0) & (h.mover[parent] >= 0)
    out[moved] = flat[first[h.index[parent[moved]]] + choice[moved]]
    return out


def public_states(tree: Tree, steps: Steps) -> Ints:
    """[H] the public state of each history, numbered anew for each length; −1 where the game is over."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    h, parent = tree.listing, steps.parent
    known = [_knowledge(tree, steps, player) for player in range(tree.players)]
    position = np.zeros(tree.histories, np.int64)
    state = np.full(tree.histories, -1, np.int64)
    after = np.zeros(0, np.int64)
    for level in reversed(steps.levels):
        position[level] = np.arange(len(level))
        decides = level[h.mover[level] >= 0]
        goes_on = after[state[after] >= 0]
        groups = [(decides, h.index[decides].astype(np.int64)), (parent[goes_on], state[goes_on])]
        groups += [(some, of[some]) for of in known for some in [level[of[level] >= 0]]]
        rows, hubs, size = [], [], len(level)
        for members, key in groups:  # histories with the same key are joined to one hub
            _, hub = np.unique(key, return_inverse=True)
            rows.append(position[members])
            hubs.append(size + hub.ravel())
            size += int(hub.max(initial=-1)) + 1
        edges = np.concatenate(rows), np.concatenate(hubs)
        graph = coo_array((np.ones(len(edges[0]), np.int8), edges), shape=(size, size))
        found = connected_components(graph, directed=False)[1][: len(level)]
        state[level] = np.where(h.mover[level] == TERMINAL, -1, found)
        after = level
    return state


def _knowledge(tree: Tree, steps: Steps, player: int) -> Ints:
    """[H] what a player who does not move again has seen since the last own move, as a number; −1 if unknown.

    Numbers can be compared within one length only. Chance moves end it: it is not known who sees them.
    """
    h, parent = tree.listing, steps.parent
    moves_later = np.zeros(tree.histories, np.bool_)
    for level in reversed(steps.levels[1:]):
        moving = moves_later[level] | (h.mover[level] == player)
        moves_later[parent[level[moving]]] = True
    known = np.full(tree.histories, -1, np.int64)
    for level in steps.levels[1:]:
        before = parent[level]
        own, theirs = h.mover[before] == player, (h.mover[before] >= 0) & (h.mover[before] != player)
        key = np.full(len(level), -1, np.int64)
        key[own] = h.index[before[own]]
        follows = theirs & (known[before] >= 0)
        key[follows] = tree.infosets + known[before[follows]]
        step = np.where(own, steps.choice[level], steps.word[level])
        _, number = np.unique(key * (int(step.max(initial=0)) + 2) + step, return_inverse=True)
        known[level] = np.where(key >= 0, number.ravel(), -1)
    known[moves_later | (h.mover == player) | (h.mover == TERMINAL)] = -1
    return known
