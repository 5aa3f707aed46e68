"""Equilibria of two-player games as Gambit computes them, through pygambit (an extra)."""

from __future__ import annotations

import tempfile
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from regretless.errors import OptionError, RegretlessError
from regretless.formats.gambit_writer import write_efg
from regretless.game import Game, State
from regretless.strategy import Strategy, uniform_probabilities
from regretless.tree import Tree

__all__ = ["gambit_nash"]


class _Numbered(Game):
    """A game whose infosets are labelled by their numbers in the tree, which notes them in the order of the file."""

    def __init__(self, tree: Tree) -> None:
        self.game, self.players = tree.game, tree.players
        self.by_player = tree.labels.by_player
        self.order: list[list[int]] = [[] for _ in range(tree.players)]

    def root(self) -> State:
        return self.game.root()

    def player(self, state: State) -> int:
        return self.game.player(state)

    def actions(self, state: State) -> Sequence[Hashable]:
        return self.game.actions(state)

    def play(self, state: State, action: Any) -> State:
        return self.game.play(state, action)

    def infoset(self, state: State) -> Hashable:
        return (self.game.player(state), self.game.infoset(state))

    def payoffs(self, state: State) -> Sequence[float]:
        return self.game.payoffs(state)

    def chance(self, state: State) -> Sequence[float]:
        return self.game.chance(state)

    def infoset_label(self, infoset: Any) -> Hashable:
        number = self.by_player[infoset[0], self.game.infoset_label(infoset[1])]
        self.order[infoset[0]].append(number)
        return str(number)

    def action_label(self, action: Any) -> Hashable:
        return self.game.action_label(action)


def gambit_nash(tree: Tree) -> Strategy:
    """The equilibrium that Gambit's solver of linear complementarity problems finds, in floating point."""
    try:
        import pygambit
    except ImportError:
        raise OptionError("pygambit is not installed; pip install 'regretless[gambit]'") from None
    numbered = _Numbered(tree)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.efg"
        write_efg(numbered, path)
        game = pygambit.read_efg(str(path))
    try:
        result = pygambit.nash.lcp_solve(game, rational=False)
        profile = result.equilibria[0] if hasattr(result, "equilibria") else result.equilibrium
    except (IndexError, RuntimeError) as error:
        raise RegretlessError(f"Gambit found no equilibrium of this game: {error}") from None
    probabilities = uniform_probabilities(tree.labels)
    for player in range(tree.players):
        behaviour = (mixed for _, mixed in profile[f"player {player}"])  # Gambit keeps the order of the file
        for infoset, mixed in zip(numbered.order[player], behaviour, strict=True):
            numbers = np.maximum([float(probability) for _, probability in mixed], 0.0)
            probabilities[tree.labels.sequences_of(infoset)] = numbers / numbers.sum()
    return Strategy(tree.labels, probabilities)
