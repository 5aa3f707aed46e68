"""One walk of sampled CFR in Python, on the rules of a game.

All walks of a player's turn use the numbers that the turn began with; their updates are collected and then applied.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import GameError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.kernels.constants import DECAY, FLOOR, NEGATIVE, POSITIVE, WEIGHT
from regretless.sampling.in_python.schemes import SamplingScheme, check_followed
from regretless.variants import Variant

__all__ = ["InfosetArrays", "PythonWalks"]

Array = npt.NDArray[Any]
Slot = slice


class InfosetArrays(ABC):
    """Regrets and sums of strategies of all infosets, in two flat arrays."""

    regret: Array
    average: Array

    @abstractmethod
    def slot(self, player: int, infoset: Any, actions: Any) -> Slot:
        """Where the numbers of an infoset lie, one for each action."""


class PythonWalks:
    """Sampled CFR at work on the rules of a game."""

    def __init__(self, game: Game, scheme: SamplingScheme, variant: Variant, traversals: int, seed: int) -> None:
        self.game, self.scheme, self.variant = game, scheme, variant
        self.traversals, self.seed = traversals, seed
        self.done = np.zeros(3)  # histories visited, walks of player 0, the sum of their values in chips
        self._regrets: list[tuple[Slot, Array]] = []
        self._strategies: list[tuple[Slot, Array]] = []
        self._draw = random.Random()

    def iterate(self, iteration: int, arrays: InfosetArrays) -> None:
        """One iteration: `traversals` walks for each player in turn."""
        step = self.variant.steps(iteration, 1)[0]
        _fade(arrays, step)
        for player in range(self.game.players):
            for walk in range(self.traversals):
                self._draw = random.Random(f"{self.seed}, {iteration}, {player}, {walk}")
                value = self._walk(arrays, self.game.root(), player, 1.0)
                if player == 0:
                    self.done[1:] += 1.0, value
            for slot, regret in self._regrets:
                arrays.regret[slot] = np.maximum(arrays.regret[slot] + regret / self.traversals, step[FLOOR])
            for slot, strategy in self._strategies:
                arrays.average[slot] += step[WEIGHT] / self.traversals * strategy
            self._regrets.clear()
            self._strategies.clear()

    def _walk(self, arrays: InfosetArrays, state: Any, player: int, weight: float) -> float:
        """What a state is worth to `player`, times `weight`: one over the probability that own draws led here."""
        game = self.game
        self.done[0] += 1
        mover = game.player(state)
        if mover == TERMINAL:
            return weight * float(game.payoffs(state)[player])
        actions = list(game.actions(state))
        if not actions:
            raise GameError(f"{type(game).__name__}: player {mover} has no action at {state!r:.200}")
        if mover == CHANCE:
            return self._walk(arrays, game.play(state, self._drawn(actions, game.chance(state))), player, weight)
        slot = arrays.slot(mover, game.infoset(state), actions)
        strategy = _matched(arrays.regret[slot])
        if mover != player:
            if mover == (player + 1) % game.players:
                self._strategies.append((slot, weight * strategy))
            return self._walk(arrays, game.play(state, self._drawn(actions, strategy)), player, weight)
        values = np.zeros(len(actions))
        followed = check_followed(self.scheme, strategy, arrays.average[slot])
        for number, (action, chance) in enumerate(zip(actions, followed.tolist(), strict=True)):
            if chance >= 1.0 or self._draw.random() < chance:
                values[number] = self._walk(arrays, game.play(state, action), player, weight / chance)
        value = float(strategy @ values)
        self._regrets.append((slot, values - value))
        return value

    def _drawn(self, actions: list[Any], probabilities: Any) -> Any:
        """One of some actions, by their probabilities."""
        left = self._draw.random() * float(np.sum(probabilities))
        for action, probability in zip(actions, probabilities, strict=True):
            left -= probability
            if left < 0:
                return action
        return actions[int(np.flatnonzero(np.asarray(probabilities) > 0)[-1])]  # rounding


def _matched(regret: Array) -> Array:
    """Regret matching at one infoset."""
    positive = np.maximum(regret, 0.0)
    total = positive.sum()
    return positive / total if total > 0 else np.full(len(regret), 1.0 / len(regret))


def _fade(arrays: InfosetArrays, step: Array) -> None:
    """Discount all regrets and averages before an iteration."""
    if step[POSITIVE] != 1.0 or step[NEGATIVE] != 1.0:
        arrays.regret *= np.where(arrays.regret > 0, step[POSITIVE], step[NEGATIVE])
    if step[DECAY] != 1.0:
        arrays.average *= step[DECAY]
