"""External sampling as one batched frontier: all walks advance level by level, then values come back up in one pass.

Lanctot et al. 2009, §3.2, as Deep CFR uses it (Brown et al. 2019, algorithm 2): the walker follows all its actions,
chance and the other players are drawn. What a level holds depends on nothing but the one above, so the strategies of
all states of a level are asked for at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch

from regretless.deep.games.batched_game import GameOnArrays, States, drawn_heads
from regretless.deep.walks.baselines import Baseline
from regretless.game import CHANCE, TERMINAL

__all__ = ["Found", "Places", "StrategyAt", "Walked", "traverse"]

StrategyAt = Callable[[int, torch.Tensor], torch.Tensor]
"""The probabilities [n, A] with which a player acts at infosets [n, …]."""


class Places(NamedTuple):
    """Some places among all that walks of whole boards come by."""

    where: torch.Tensor  # [n] int64 numbers of a decision with a hand on a board
    often: torch.Tensor  # [n] how often walks come there


class Found(NamedTuple):
    """What walks found at decisions: infosets [n, …], and a number for each head [n, A]; 0 where it is no action."""

    infosets: torch.Tensor
    numbers: torch.Tensor
    places: Places | None = None


@dataclass(frozen=True)
class Walked:
    """What came of some walks of one player."""

    advantages: Found
    """At the walker's decisions: how much better an action was than the walker's strategy there, chips."""
    strategies: dict[int, Found]
    """At the decisions of each other player: the probabilities from which its action was drawn."""
    nodes: int
    """Histories touched."""


class Draw(NamedTuple):
    """Moves that were drawn at some states of a level."""

    which: torch.Tensor  # [m] numbers of the states
    children: States  # [m] what they lead to
    luck: torch.Tensor | None  # [m] what a baseline adds to what comes of it, chips


@dataclass(frozen=True)
class Level:
    """One level of the frontier, as the way back needs it. The next level holds first the children of `moved`, then
    those of `own`: of each one after the other, in the order of heads."""

    size: int
    ended: torch.Tensor  # [e] numbers of terminal states …
    payoff: torch.Tensor  # [e] … and what the walker has won there, chips
    moved: torch.Tensor  # [m] numbers of states where somebody else, or chance, was drawn
    drawn: States  # [m] what was drawn there; None without a baseline
    luck: list[torch.Tensor]  # [m] in parts: what a baseline adds to what came of it, chips; none without one
    own: torch.Tensor  # [w] numbers of the walker's decisions
    infosets: torch.Tensor  # [w, …]
    legal: torch.Tensor  # [w, A]
    strategy: torch.Tensor  # [w, A]


def traverse(
    game: GameOnArrays,
    walker: int,
    count: int,
    strategy_at: StrategyAt,
    generator: torch.Generator,
    baseline: Baseline | None = None,
) -> Walked:
    """Walk `count` times from the root. A baseline takes luck out of what is found, and then learns from it."""
    others: dict[int, list[Found]] = {player: [] for player in range(game.players) if player != walker}
    frontier = Frontier(game, walker, strategy_at, generator, baseline, others)
    states, levels, nodes = game.begin(count), [], 0
    while len(states):
        nodes += len(states)
        states, level = frontier.advanced(states)
        levels.append(level)
    empty = _nothing(game)
    drawn = {player: _joined(found or [empty]) for player, found in others.items()}
    return Walked(_joined(_values_back_up(levels, game, baseline) or [empty]), drawn, nodes)


@dataclass(frozen=True)
class Frontier:
    """All walks of one player on their way down."""

    game: GameOnArrays
    walker: int
    strategy_at: StrategyAt
    generator: torch.Generator
    baseline: Baseline | None
    others: dict[int, list[Found]]
    """What each other player does, as it is met."""

    def advanced(self, states: States) -> tuple[States, Level]:
        """The next level, and this one as the way back needs it."""
        game, movers = self.game, self.game.movers(states)
        none = torch.zeros(0, dtype=torch.int64, device=game.device)
        draws = [draw for mover in (CHANCE, *self.others) if (draw := self.drawn(mover, states, movers)) is not None]
        children = [draw.children for draw in draws]
        drawn = game.joined(children) if self.baseline and children else None
        ended = (movers == TERMINAL).nonzero()[:, 0]
        payoff = game.payoffs(game.at(states, ended), self.walker)
        own = (movers == self.walker).nonzero()[:, 0]
        infosets, strategy, _ = _nothing(game)
        legal = strategy > 0
        if len(own):
            here = game.at(states, own)
            infosets = game.infosets(here)
            legal, strategy = game.legal(infosets), self.strategy_at(self.walker, infosets)
            decision, head = legal.nonzero(as_tuple=True)
            children.append(game.after(game.at(here, decision), head))
        moved = torch.cat([none, *(draw.which for draw in draws)])
        luck = [draw.luck for draw in draws if draw.luck is not None]
        level = Level(len(states), ended, payoff, moved, drawn, luck, own, infosets, legal, strategy)
        return game.joined(children or [game.at(states, none)]), level

    def drawn(self, mover: int, states: States, movers: torch.Tensor) -> Draw | None:
        """A move of chance, or of another player, wherever it is to move."""
        game, baseline = self.game, self.baseline
        which = (movers == mover).nonzero()[:, 0]
        if not len(which):
            return None
        here = game.at(states, which)
        if mover == CHANCE:
            children = game.after_chance(here, self.generator)
            return Draw(which, children, baseline.at_chance(here, children) if baseline else None)
        infosets = game.infosets(here)
        strategy = self.strategy_at(mover, infosets)
        self.others[mover].append(Found(infosets, strategy))
        children = game.after(here, drawn_heads(strategy, self.generator))
        return Draw(which, children, baseline.at_decisions(here, strategy, children) if baseline else None)


def _values_back_up(levels: list[Level], game: GameOnArrays, baseline: Baseline | None) -> list[Found]:
    """From the last level to the first: what each state is worth to the walker, and what actions gain there."""
    found, seen = [], []
    below = torch.zeros(0, device=game.device)  # [size of the level below] chips
    for level in reversed(levels):
        worth = torch.empty(level.size, device=game.device)
        worth[level.ended] = level.payoff
        of_drawn = below[: len(level.moved)]
        worth[level.moved] = of_drawn + torch.cat(level.luck) if level.luck else of_drawn
        if level.luck:
            seen.append((level.drawn, of_drawn))
        if len(level.own):
            of_action = torch.zeros(level.legal.shape, device=game.device)
            of_action[level.legal] = below[len(level.moved) :]
            of_strategy = (level.strategy * of_action).sum(1)
            worth[level.own] = of_strategy
            found.append(Found(level.infosets, (of_action - of_strategy[:, None]) * level.legal))
        below = worth
    if baseline and seen:
        baseline.learn(game.joined([drawn for drawn, _ in seen]), torch.cat([of_drawn for _, of_drawn in seen]))
    return found


def _nothing(game: GameOnArrays) -> Found:
    infosets = torch.zeros((0, *game.infoset_shape), dtype=game.infoset_dtype, device=game.device)
    return Found(infosets, torch.zeros((0, game.heads), device=game.device))


def _joined(found: list[Found]) -> Found:
    return Found(torch.cat([f.infosets for f in found]), torch.cat([f.numbers for f in found]))
