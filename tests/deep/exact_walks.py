"""Counterfactual regrets by definition, and things to walk through: what walks are measured against."""

from __future__ import annotations

import numpy as np
import torch

import regretless as rg
from regretless.deep.games.listed_game import ListedGame
from regretless.tree import Tree


def random_strategy(tree: Tree, seed: int) -> rg.Strategy:
    weights = np.random.default_rng(seed).random(tree.sequences) ** 3 + 0.01
    return rg.Strategy.from_plan(tree.labels, weights)


def exact_advantages(tree: Tree, game: ListedGame, strategy: rg.Strategy, walker: int) -> torch.Tensor:
    """[I, A] counterfactual regrets by definition: a recursion over all histories."""
    h, table = tree.listing, game.by_infoset(strategy.probabilities).double()
    out = torch.zeros(tree.infosets, game.heads, dtype=torch.float64)

    def value(history: int, reach: float) -> float:
        """The value to the walking player; reach is that of all others and of chance."""
        mover, first, count = h.mover[history], h.first_child[history], h.children[history]
        if mover == rg.TERMINAL:
            return float(h.payoffs[h.index[history], walker])
        below = range(first, first + count)
        if mover == rg.CHANCE:
            return sum(h.probability[c] * value(c, reach * h.probability[c]) for c in below)
        infoset = h.index[history]
        heads = [int((game.choice[infoset] == a).nonzero()[0]) for a in range(count)]
        probabilities = [float(table[infoset, head]) for head in heads]
        if mover != walker:
            return sum(p * value(c, reach * p) for p, c in zip(probabilities, below, strict=True))
        values = [value(c, reach) for c in below]
        mean = sum(p * v for p, v in zip(probabilities, values, strict=True))
        for head, of_action in zip(heads, values, strict=True):
            out[infoset, head] += reach * (of_action - mean)
        return mean

    value(0, 1.0)
    return out


class BiasedCoin(rg.Game):
    """Chance shows one of three sides, unevenly, to player 0, who says it or lies; player 1 believes it or not."""

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return (rg.CHANCE, 0, 1, rg.TERMINAL)[len(state)]

    def actions(self, state: str) -> str:
        return ("abc", "tl", "ynm")[len(state)]

    def chance(self, state: str) -> list[float]:
        return [0.2, 0.7, 0.1]

    def play(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> str:
        return state if len(state) == 1 else "?" + state[1:]

    def payoffs(self, state: str) -> tuple[float, float]:
        won = {"a": 1.0, "b": -2.0, "c": 5.0}[state[0]] * (1 if state[1] == "t" else -1) * "nmy".index(state[2])
        return won, -won
