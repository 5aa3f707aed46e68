"""Sampled CFR the slow and obvious way: recursions over the states of a game, dictionaries, and every regret faded at
every iteration. The draws are those of the compiled walks, so the numbers are the same to rounding.

Each scheme is written as published: Lanctot et al. 2009 (external, outcome), Zinkevich et al. 2007 (chance), Johanson
et al. 2012 (public chance), Gibson et al. 2012, algorithm 1 (average strategy), Davis et al. 2020 (baselines). The
update rules are the oracle's, in their published form. Chance must be uniform.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from oracle import Infoset, Rule, Table, histories, normalised
from regretless.game import CHANCE, TERMINAL, Game

WORD = (1 << 64) - 1
STEP, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(word: int) -> int:
    """SplitMix64's finaliser (Steele, Lea & Flood 2014)."""
    word = (word ^ word >> 30) * FIRST & WORD
    word = (word ^ word >> 27) * SECOND & WORD
    return word ^ word >> 31


def uniform(word: int) -> float:
    return (mixed(word) >> 11) / (1 << 53)


def stream(seed: int, iteration: int, player: int, walk: int) -> int:
    return mixed(mixed(seed + STEP * iteration & WORD) + FIRST * walk + SECOND * player & WORD)


def pick(weights: Sequence[float], draw: float) -> int:
    """The number of the weight that a draw in [0, their sum) falls on."""
    for number, weight in enumerate(weights):
        draw -= weight
        if draw < 0:
            return number
    return max(number for number, weight in enumerate(weights) if weight)


class SlowMCCFR:
    """One walk of each player in turn, on what `traversals` walks began with."""

    def __init__(
        self,
        game: Game,
        rule: Rule,
        sampling: str,
        *,
        seed: int = 0,
        traversals: int = 1,
        epsilon: float = 0.6,
        beta: float = 1e6,
        tau: float = 1e3,
        baseline: str | None = None,
        blend: float = 0.5,
    ) -> None:
        self.game, self.rule, self.sampling, self.seed, self.traversals = game, rule, sampling, seed, traversals
        self.epsilon, self.beta, self.tau, self.baseline, self.blend = epsilon, beta, tau, baseline, blend
        self.regret: Table = {}
        self.total: Table = {}
        for state in histories(game):
            mover = game.player(state)
            if mover >= 0:
                count = len(game.actions(state))
                self.regret[mover, game.infoset(state)] = [0.0] * count
                self.total[mover, game.infoset(state)] = [0.0] * count
        self.memory: dict[Any, float] = defaultdict(float)
        self.iteration = self.nodes = self.word = 0

    # -- iterations ---------------------------------------------------------------------------------------------------

    def run(self, iterations: int) -> SlowMCCFR:
        walk = {"outcome": self.outcome, "chance": self.every, "public-chance": self.every}
        for _ in range(iterations):
            self.iteration += 1
            self.plans = {infoset: [0.0] * len(row) for infoset, row in self.total.items()}
            for who in range(self.game.players):
                self.news = {i: [0.0] * len(row) for i, row in self.regret.items() if i[0] == who}
                self.seen: list[tuple[Any, float]] = []
                for number in range(self.traversals):
                    self.word = stream(self.seed, self.iteration, who, number)
                    walk.get(self.sampling, self.external)(self.game.root(), who, 1.0, 1.0)
                for infoset, row in self.news.items():
                    self.regret[infoset] = [
                        self.rule.add(old, new, self.iteration)
                        for old, new in zip(self.regret[infoset], row, strict=True)
                    ]
                for key, value in self.seen:
                    self.memory[key] += self.blend * (value - self.memory[key])
            for infoset, row in self.plans.items():
                self.total[infoset] = [
                    self.rule.average(old, new, self.iteration)
                    for old, new in zip(self.total[infoset], row, strict=True)
                ]
        return self

    @property
    def average(self) -> Table:
        return {infoset: normalised(row) for infoset, row in self.total.items()}

    @property
    def current(self) -> Table:
        return {infoset: self.strategy(infoset) for infoset in self.regret}

    def strategy(self, infoset: Infoset) -> list[float]:
        return normalised([max(regret, 0.0) for regret in self.regret[infoset]])

    def draw(self) -> float:
        self.word = self.word + STEP & WORD
        return uniform(self.word)

    def opened(self, state: Any) -> tuple[int, Infoset, list[Any]]:
        """Who moves, what they know, and the states after each action."""
        self.nodes += 1
        mover = self.game.player(state)
        if mover == TERMINAL:
            return mover, (mover, None), []
        infoset = (mover, self.game.infoset(state)) if mover >= 0 else (mover, None)
        return mover, infoset, [self.game.play(state, action) for action in self.game.actions(state)]

    def count_plan(self, infoset: Infoset, strategy: list[float], weight: float) -> None:
        for action, chance in enumerate(strategy):
            self.plans[infoset][action] += weight * chance

    def count_regret(self, infoset: Infoset, worth: list[float], mean: float, weight: float) -> None:
        for action, value in enumerate(worth):
            self.news[infoset][action] += weight * (value - mean)

    # -- walks --------------------------------------------------------------------------------------------------------

    def external(self, state: Any, who: int, q: float, _: float) -> float:
        """Gibson et al. 2012, algorithm 1; external sampling is the case in which every own action is walked.

        q is the chance of all own actions on the way to have been walked; what is returned is divided by it. The sums
        of averages are those of plain CFR.
        """
        mover, infoset, below = self.opened(state)
        if mover == TERMINAL:
            return float(self.game.payoffs(state)[who]) / q
        if mover == CHANCE:
            return self.external(below[int(self.draw() * len(below))], who, q, 1.0)
        strategy = self.strategy(infoset)
        if mover != who:
            self.count_plan(infoset, strategy, 1 / q)
            return self.external(below[pick(strategy, self.draw())], who, q, 1.0)
        walked = [1.0] * len(below)
        if self.sampling == "average-strategy":
            sums = [old + new for old, new in zip(self.total[infoset], self.plans[infoset], strict=True)]
            walked = [self.beta + self.tau * s for s in sums]
            walked = [min(1.0, max(self.epsilon, x / (self.beta + sum(sums)))) for x in walked]
            walked = [p if self.draw() < p else 0.0 for p in walked]
        worth = [self.external(s, who, q * p, 1.0) if p else 0.0 for s, p in zip(below, walked, strict=True)]
        mean = sum(p * v for p, v in zip(strategy, worth, strict=True))
        self.count_regret(infoset, worth, mean, 1.0)
        return mean

    def outcome(self, state: Any, who: int, q: float, _: float) -> float:
        """Lanctot et al. 2009, §4.1 with the baselines of Davis et al. 2020, equations 8 and 9."""
        mover, infoset, below = self.opened(state)
        if mover == TERMINAL:
            return float(self.game.payoffs(state)[who])
        draw = self.draw()
        if mover == CHANCE:
            strategy = drawn_with = [1 / len(below)] * len(below)
            choice = int(draw * len(below))
        elif mover == who:
            strategy, explored = self.strategy(infoset), self.epsilon
            drawn_with = [explored / len(below) + (1 - explored) * p for p in strategy]
            if draw < explored:
                choice = int(draw / explored * len(below))
            else:
                choice = pick(strategy, (draw - explored) / (1 - explored))
        else:
            strategy = drawn_with = self.strategy(infoset)
            choice = pick(strategy, draw)
            self.count_plan(infoset, strategy, 1 / q)
        own = drawn_with[choice] if mover == who else 1.0
        won = self.outcome(below[choice], who, q * own, 1.0)
        keys: list[Any] = [(who, repr(s)) for s in below]
        if self.baseline == "infoset":
            keys = [(who, infoset, action) for action in range(len(below))]
        keeps = self.baseline == "history" or (self.baseline == "infoset" and mover != CHANCE)
        worth = [self.memory[key] if keeps else 0.0 for key in keys]
        if mover == CHANCE and not keeps:
            return won
        worth[choice] += (won - worth[choice]) / drawn_with[choice]
        mean = sum(p * v for p, v in zip(strategy, worth, strict=True))
        if mover == who:
            self.count_regret(infoset, worth, mean, 1 / q)
        if keeps:
            self.seen.append((keys[choice], won))
        return mean

    def every(self, state: Any, who: int, own: float, rest: float, dealt: int = 0) -> float:
        """All actions of everybody; the n-th drawn move of chance has the same draw wherever a walk is."""
        mover, infoset, below = self.opened(state)
        if mover == TERMINAL:
            return float(self.game.payoffs(state)[who])
        if mover == CHANCE:
            if self.sampling == "public-chance" and not self.game.public(state):
                return sum(self.every(s, who, own, rest / len(below), dealt) for s in below) / len(below)
            draw = uniform(mixed(self.word + STEP * (dealt + 1) & WORD))
            return self.every(below[int(draw * len(below))], who, own, rest, dealt + 1)
        strategy = self.strategy(infoset)
        if mover != who:
            pairs = zip(strategy, below, strict=True)
            return sum(p * self.every(s, who, own, rest * p, dealt) for p, s in pairs if p or own)
        self.count_plan(infoset, strategy, own)
        worth = [
            self.every(s, who, own * p, rest, dealt) if p or rest else 0.0 for p, s in zip(strategy, below, strict=True)
        ]
        mean = sum(p * v for p, v in zip(strategy, worth, strict=True))
        self.count_regret(infoset, worth, mean, rest)
        return mean
