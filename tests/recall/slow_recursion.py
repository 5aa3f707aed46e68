"""CFR as the textbook writes it, in plain Python, on whatever a game's `infoset` says, to check the graph against.

Every history is visited, with dictionaries for regrets and strategies. It knows nothing of positions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

from regretless.game import CHANCE, TERMINAL, Game
from regretless.variants import Variant

Table = dict[Hashable, dict[Hashable, float]]


class SlowRecursion:
    """Regrets and averages by infoset; `turns` lists the players who update together, in the order of their turns."""

    def __init__(self, game: Game, variant: Variant, turns: Sequence[Sequence[int]]) -> None:
        self.game, self.variant, self.turns = game, variant, turns
        self.regret: Table = {}
        self.guess: Table = {}
        self.average: Table = {}
        self.visits = 0

    def key(self, state: Any, mover: int) -> Hashable:
        seen = self.game.infoset(state)
        return (mover, seen) if self.game.perfect_recall else seen

    def strategy(self, state: Any, mover: int) -> dict[Hashable, float]:
        source = self.guess if self.variant.predictive else self.regret
        actions = list(self.game.actions(state))
        weights = [max(source.get(self.key(state, mover), {}).get(a, 0.0), 0.0) for a in actions]
        total = sum(weights)
        return {a: w / total if total > 0 else 1 / len(actions) for a, w in zip(actions, weights, strict=True)}

    def run(self, iterations: int, reset: int | None = None) -> Table:
        """The average strategy after some iterations."""
        for t in range(1, iterations + 1):
            for players in self.turns:
                self.gain: Table = defaultdict(lambda: defaultdict(float))
                self.played: Table = defaultdict(lambda: defaultdict(float))
                for player in players:
                    self.walk(self.game.root(), player, 1.0, 1.0)
                self.update(t)
            if t == reset:
                self.average = {}
        return {key: self.normal(row) for key, row in self.average.items()}

    def walk(self, state: Any, player: int, others: float, own: float) -> float:
        """What a history is worth to `player`; notes its regrets and its strategy, weighted by own reach."""
        self.visits += 1
        game, mover = self.game, self.game.player(state)
        if mover == TERMINAL:
            return float(game.payoffs(state)[player])
        if mover == CHANCE:
            dealt = list(zip(game.actions(state), game.chance(state), strict=True))
            return sum(p * self.walk(game.play(state, a), player, others * p, own) for a, p in dealt if p > 0)
        strategy = self.strategy(state, mover)
        if mover != player:
            return sum(p * self.walk(game.play(state, a), player, others * p, own) for a, p in strategy.items())
        worth = {a: self.walk(game.play(state, a), player, others, own * p) for a, p in strategy.items()}
        mean = sum(strategy[a] * worth[a] for a in worth)
        key = self.key(state, mover)
        for a in worth:
            self.gain[key][a] += others * (worth[a] - mean)
            self.played[key][a] += own * strategy[a]
        return mean

    def update(self, t: int) -> None:
        w = self.variant.weights(t)
        for key, gains in self.gain.items():
            regret = self.regret.setdefault(key, {})
            average = self.average.setdefault(key, {})
            for a, gain in gains.items():
                old = regret.get(a, 0.0)
                regret[a] = max(old * (w.positive if old > 0 else w.negative) + gain, w.floor)
                faded = regret[a] * (w.next_positive if regret[a] > 0 else w.next_negative)
                self.guess.setdefault(key, {})[a] = faded + w.prediction * gain
                average[a] = average.get(a, 0.0) * w.decay + w.weight * self.played[key][a]

    @staticmethod
    def normal(row: dict[Hashable, float]) -> dict[Hashable, float]:
        total = sum(row.values())
        return {a: x / total if total > 0 else 1 / len(row) for a, x in row.items()}
