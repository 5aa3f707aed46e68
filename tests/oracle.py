"""The slow and obvious way: every number by walking the histories of a game, with dictionaries and no arrays.

The update rules are written as published (shared FACTS, section 2), each in its own form, so that they share nothing
with the one update of `regretless.variants`. Nothing here may import more of the library than `Game`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from regretless.game import CHANCE, TERMINAL, Game

Infoset = tuple[int, Hashable]
"""Who decides, and what they know."""

Table = dict[Infoset, list[float]]
"""A number for each action at each infoset."""


# -- rules ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """How regret is added, what is played on it, and how iterations are averaged; t counts from 1."""

    add: Callable[[float, float, int], float]
    """(old regret, new regret, t) → regret."""
    hope: Callable[[float, float, int], float]
    """(regret, the last new regret, t of the iteration just done) → what play is proportional to where positive."""
    average: Callable[[float, float, int], float]
    """(average so far, plan of iteration t, t) → average."""


def fade(t: float, exponent: float) -> float:
    """t^e / (t^e + 1); with nothing before, anything will do: 0."""
    return t**exponent / (t**exponent + 1) if t > 0 else 0.0


def decayed(exponent: Callable[[int], float]) -> Callable[[float, float, int], float]:
    """X ← X · ((t − 1)/t)^γ + x."""
    return lambda old, new, t: old * ((t - 1) / t) ** exponent(t) + new


def by_sign(alpha: Callable[[int], float], beta: Callable[[int], float]) -> Callable[[float, float, int], float]:
    """DCFR: the factor goes by the sign of the old regret."""
    return lambda old, new, t: old * fade(t - 1, alpha(t) if old > 0 else beta(t)) + new


def regret_itself(regret: float, _last: float, _t: int) -> float:
    return regret


def rules(horizon: int = 1_000, delay: int = 0) -> dict[str, Rule]:
    """Every variant under its command-line name."""
    return {
        "cfr": Rule(
            add=lambda old, new, t: old + new,
            hope=regret_itself,
            average=lambda old, new, t: old + (new if t > delay else 0.0),
        ),
        "cfr+": Rule(
            add=lambda old, new, t: max(old + new, 0.0),
            hope=regret_itself,
            average=lambda old, new, t: old + max(t - delay, 0) * new,
        ),
        "linear": Rule(
            add=lambda old, new, t: old + t * new,
            hope=regret_itself,
            average=lambda old, new, t: old + t * new,
        ),
        "dcfr": Rule(add=by_sign(lambda t: 1.5, lambda t: 0.0), hope=regret_itself, average=decayed(lambda t: 2)),
        "dcfr+": Rule(
            add=lambda old, new, t: max(old * fade(t - 1, 1.5) + new, 0.0),
            hope=regret_itself,
            average=decayed(lambda t: 4),
        ),
        "pcfr+": Rule(
            add=lambda old, new, t: max(old + new, 0.0),
            hope=lambda regret, last, t: max(regret + last, 0.0),
            average=decayed(lambda t: 2),
        ),
        "pdcfr+": Rule(
            add=lambda old, new, t: max(old * fade(t - 1, 2.3) + new, 0.0),
            hope=lambda regret, last, t: max(regret * fade(t, 2.3) + last, 0.0),
            average=decayed(lambda t: 5),
        ),
        "sapcfr+": Rule(
            add=lambda old, new, t: max(old + new, 0.0),
            hope=lambda regret, last, t: max(regret + last / 3, 0.0),
            average=decayed(lambda t: 2),
        ),
        "hs-dcfr": Rule(
            add=by_sign(lambda t: 1 + 3 * t / horizon, lambda t: -1 - 2 * t / horizon),
            hope=regret_itself,
            average=decayed(lambda t: 30 - 5 * t / horizon),
        ),
        "hs-pcfr+": Rule(
            add=lambda old, new, t: max(old + new, 0.0),
            hope=lambda regret, last, t: max(regret + last, 0.0),
            average=decayed(lambda t: 30 - 5 * t / horizon),
        ),
    }


# -- the walk ---------------------------------------------------------------------------------------------------------


class HistoryWalker:
    """Counterfactual regret minimisation as Zinkevich et al. (2007) wrote it: one recursion through the histories."""

    def __init__(
        self, game: Game, rule: Rule, *, alternating: bool = True, fixed: Mapping[int, Table] | None = None
    ) -> None:
        self.game, self.rule, self.alternating = game, rule, alternating
        self.fixed = fixed or {}
        self.regret: Table = {}
        self.current: Table = {}
        self.total: Table = {}  # weighted sums of own reach × strategy
        for state in histories(game):
            mover = game.player(state)
            if mover >= 0:
                infoset, count = (mover, game.infoset(state)), len(game.actions(state))
                self.regret[infoset] = [0.0] * count
                self.total[infoset] = [0.0] * count
                self.current[infoset] = list(self.fixed[mover][infoset]) if mover in self.fixed else [1 / count] * count

    def run(self, iterations: int) -> HistoryWalker:
        learners = [p for p in range(self.game.players) if p not in self.fixed]
        for t in range(1, iterations + 1):
            if self.alternating:
                for player in learners:
                    self.update(player, *self.instant(player), t)
            else:
                instants = [self.instant(player) for player in learners]
                for player, instant in zip(learners, instants, strict=True):
                    self.update(player, *instant, t)
        return self

    def instant(self, player: int) -> tuple[Table, dict[Infoset, float]]:
        """Instantaneous counterfactual regrets of a player, and its own reach of its infosets."""
        new: Table = {i: [0.0] * len(row) for i, row in self.current.items() if i[0] == player}
        own: dict[Infoset, float] = {}

        def walk(state: Any, own_reach: float, others_reach: float) -> float:
            mover = self.game.player(state)
            if mover == TERMINAL:
                return float(self.game.payoffs(state)[player])
            actions = self.game.actions(state)
            children = [self.game.play(state, action) for action in actions]
            if mover == CHANCE:
                chances = self.game.chance(state)
                return sum(c * walk(s, own_reach, others_reach * c) for c, s in zip(chances, children, strict=True))
            infoset = (mover, self.game.infoset(state))
            strategy = self.current[infoset]
            if mover != player:
                return sum(p * walk(s, own_reach, others_reach * p) for p, s in zip(strategy, children, strict=True))
            own[infoset] = own_reach
            values = [walk(s, own_reach * p, others_reach) for p, s in zip(strategy, children, strict=True)]
            value = sum(p * v for p, v in zip(strategy, values, strict=True))
            for action, v in enumerate(values):
                new[infoset][action] += others_reach * (v - value)
            return value

        walk(self.game.root(), 1.0, 1.0)
        return new, own

    def update(self, player: int, new: Table, own: dict[Infoset, float], t: int) -> None:
        for infoset, row in new.items():
            played, regret, total = self.current[infoset], self.regret[infoset], self.total[infoset]
            for action, r in enumerate(row):
                total[action] = self.rule.average(total[action], own[infoset] * played[action], t)
                regret[action] = self.rule.add(regret[action], r, t)
            hopes = [max(self.rule.hope(R, r, t), 0.0) for R, r in zip(regret, row, strict=True)]
            self.current[infoset] = normalised(hopes)

    @property
    def average(self) -> Table:
        return {
            infoset: list(self.fixed[infoset[0]][infoset]) if infoset[0] in self.fixed else normalised(row)
            for infoset, row in self.total.items()
        }


def normalised(row: list[float]) -> list[float]:
    total = sum(row)
    return [x / total for x in row] if total > 0 else [1 / len(row)] * len(row)


# -- evaluation -------------------------------------------------------------------------------------------------------


def histories(game: Game) -> Iterator[Any]:
    """Every history, parents first."""
    stack = [game.root()]
    while stack:
        state = stack.pop()
        yield state
        if game.player(state) != TERMINAL:
            stack.extend(game.play(state, action) for action in game.actions(state))


def infosets(game: Game, player: int) -> dict[Infoset, int]:
    """A player's infosets and how many actions they offer."""
    found = {}
    for state in histories(game):
        if game.player(state) == player:
            found[player, game.infoset(state)] = len(game.actions(state))
    return found


def expected(game: Game, strategy: Mapping[Infoset, list[float]], state: Any = None) -> list[float]:
    """What everybody wins on average from a state on."""
    state = game.root() if state is None else state
    mover = game.player(state)
    if mover == TERMINAL:
        return [float(x) for x in game.payoffs(state)]
    weights = game.chance(state) if mover == CHANCE else strategy[mover, game.infoset(state)]
    totals = [0.0] * game.players
    for weight, action in zip(weights, game.actions(state), strict=True):
        if weight:
            for player, won in enumerate(expected(game, strategy, game.play(state, action))):
                totals[player] += weight * won
    return totals


def pure_strategies(game: Game, player: int) -> Iterator[Table]:
    """Every way for a player to choose one action at each infoset."""
    own = infosets(game, player)
    for choices in product(*(range(count) for count in own.values())):
        yield {
            infoset: [float(action == choice) for action in range(count)]
            for (infoset, count), choice in zip(own.items(), choices, strict=True)
        }


def best_value(game: Game, strategy: Mapping[Infoset, list[float]], player: int) -> float:
    """What a player can win against the others' strategies, by trying everything."""
    return max(expected(game, {**strategy, **pure})[player] for pure in pure_strategies(game, player))


def count_pure(game: Game, player: int) -> int:
    total = 1
    for count in infosets(game, player).values():
        total *= count
    return total
