"""A part of a game that is closed: it holds what follows its histories, and what players cannot tell from them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.game import TERMINAL
from regretless.kernels.sequence_form.history_sequences import follow_histories, mark_descendants, roots_of
from regretless.strategy import Strategy
from regretless.subgames.public_states import public_states, steps_of
from regretless.tree import Tree

__all__ = ["Subgame", "check_strategy", "closed_subgame", "find_histories", "subgame_at"]

Array = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Subgame:
    """The histories of a subgame and what leads to them; H histories of the whole game, P players, I infosets."""

    tree: Tree
    inside: Flags  # [H]
    root: Array  # [H] the history at which play entered the subgame; −1 outside
    sequence: Array  # [H, P] the sequence of each player
    reach: Array  # [H] of chance
    infosets: Flags  # [I] whether an infoset lies inside; then all its histories do


def subgame_at(tree: Tree, at: Any) -> Subgame:
    """The subgame that begins with the public states of some infosets, or of a history; see `rg.resolve`."""
    return closed_subgame(tree, _public(tree, find_histories(tree, at)))


def closed_subgame(tree: Tree, inside: Flags) -> Subgame:
    """The smallest subgame with the histories `inside` [H]."""
    h, labels, inside = tree.listing, tree.labels, inside.copy()
    infosets = np.zeros(tree.infosets, bool)
    decides = h.mover >= 0
    while True:
        mark_descendants(h.first_child, h.children, inside)
        infosets[h.index[inside & decides]] = True
        torn = decides & ~inside
        torn[torn] = infosets[h.index[torn]]
        if not torn.any():
            break
        inside |= torn  # infosets whose histories have different lengths
    empty = tree.form.sequence_first[:-1]
    sequence, reach = follow_histories(
        h.mover, h.index, h.first_child, h.children, h.probability, labels.first, labels.stride, empty
    )
    return Subgame(tree, inside, roots_of(h.first_child, h.children, inside), sequence, reach, infosets)


def find_histories(tree: Tree, at: Any) -> Array:
    """The histories that `at` names: those of an infoset, of a list of infosets, or one as a tuple of actions."""
    if isinstance(at, list | set | frozenset):
        if not at:
            raise OptionError("at is empty: name an infoset, several in a list, or a history as a tuple of actions")
        return np.concatenate([find_histories(tree, one) for one in at])
    strategy = tree.uniform()
    if isinstance(at, tuple) and at not in strategy:
        return np.array([_walked(tree, at)])
    try:
        infoset = strategy.infoset(at)
    except KeyError as error:
        raise OptionError(str(error.args[0]).replace("in this strategy", "in this game", 1)) from None
    h = tree.listing
    return np.flatnonzero((h.mover >= 0) & (h.index == infoset))


def _walked(tree: Tree, path: tuple[Hashable, ...]) -> int:
    """The number of the history after some actions, each named by its label."""
    game, h = tree.game, tree.listing
    state, number = game.root(), 0
    for step, wanted in enumerate(path):
        if h.mover[number] == TERMINAL:
            raise OptionError(f"the game is over after {_named(path[:step])}: at goes on with {wanted!r}")
        actions = list(game.actions(state))
        names = [game.action_label(action) for action in actions]
        matching = [n for n, name in enumerate(names) if name == wanted or str(name) == str(wanted)]
        if not matching:
            known = ", ".join(str(name) for name in names[:20])
            raise OptionError(f"after {_named(path[:step])} the actions are {known}, not {wanted!r}")
        number = int(h.first_child[number]) + matching[0]
        state = game.play(state, actions[matching[0]])
    if h.mover[number] == TERMINAL:
        raise OptionError(f"the game is over after {_named(path)}: nothing is left to solve")
    return number


def _named(path: tuple[Hashable, ...]) -> str:
    return ", ".join(map(str, path)) or "nothing"


def _public(tree: Tree, histories: Array) -> Flags:
    """[H] the histories that share a public state with one of those given."""
    steps = steps_of(tree)
    state = public_states(tree, steps)
    inside = np.zeros(tree.histories, bool)
    inside[histories] = True
    for level in steps.levels:
        wanted = np.unique(state[level[inside[level]]])
        inside[level] |= np.isin(state[level], wanted[wanted >= 0])
    return inside


def check_strategy(tree: Tree, strategy: Any) -> Strategy:
    """A strategy of the game; anything else is refused."""
    if not isinstance(strategy, Strategy):
        raise OptionError(f"a Strategy is needed here, got {strategy!r}")
    return strategy.laid_out(tree.labels)
