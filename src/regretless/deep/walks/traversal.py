"""External sampling as one batched frontier: all walks advance level by level, then values propagate back up.

Lanctot et al. 2009, §3.2, as Deep CFR uses it (Brown et al. 2019, algorithm 2): the walking player's actions are all
followed; chance and the other players are sampled. A level depends only on the level above, so the strategies at all
states of a level are computed in one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch

from regretless.deep.games.batched_game import BatchedGame, States, sample_heads
from regretless.deep.walks.baselines import Baseline
from regretless.game import CHANCE, TERMINAL

__all__ = ["Positions", "Samples", "StrategyFunction", "WalkResult", "joined", "traverse"]

StrategyFunction = Callable[[int, torch.Tensor], torch.Tensor]
"""(player, infosets [n, …]) → probabilities [n, A] of the player's actions."""


class Positions(NamedTuple):
    """Positions in a walk over all boards: a decision with a hand on a board."""

    indices: torch.Tensor  # [n] int64
    reach: torch.Tensor  # [n] how often the walk comes there


class Samples(NamedTuple):
    """Samples from decisions: infosets [n, …], and a value for each head [n, A], 0 where it is no action."""

    infosets: torch.Tensor
    values: torch.Tensor
    positions: Positions | None = None
    weights: torch.Tensor | None = None
    """[n] float64 factors of the iteration's weight, where samples were not drawn alike; None for 1."""


@dataclass(frozen=True)
class WalkResult:
    """The samples of one player's walks."""

    advantages: Samples
    """At the walking player's decisions: the value of each action minus that of the player's strategy, chips."""
    strategies: dict[int, Samples]
    """At the decisions of each other player: the probabilities that its action was drawn from."""
    nodes: int
    """Histories visited."""


class Draw(NamedTuple):
    """Sampled moves at some states of a level."""

    which: torch.Tensor  # [m] indices of the states
    children: States  # [m] the states after the moves
    correction: torch.Tensor | None  # [m] what a baseline adds to the child's value, chips


@dataclass(frozen=True)
class Level:
    """One level of the frontier, as the way back up needs it.

    The next level holds the children of `moved` first, then those of `own`: state by state, in the order of heads.
    """

    size: int
    ended: torch.Tensor  # [e] indices of terminal states …
    payoff: torch.Tensor  # [e] … and the walking player's payoff there, chips
    moved: torch.Tensor  # [m] indices of states where chance or another player was sampled
    drawn: States  # [m] the sampled children; None without a baseline
    corrections: list[torch.Tensor]  # [m] in parts: what a baseline adds to their values, chips; empty without one
    own: torch.Tensor  # [w] indices of the walking player's decisions
    infosets: torch.Tensor  # [w, …]
    legal: torch.Tensor  # [w, A]
    strategy: torch.Tensor  # [w, A]


def traverse(
    game: BatchedGame,
    walker: int,
    count: int,
    strategy_at: StrategyFunction,
    generator: torch.Generator,
    baseline: Baseline | None = None,
) -> WalkResult:
    """Walk `count` times from the root for player `walker`.

    A baseline reduces the variance of the samples, and then learns from them.
    """
    others: dict[int, list[Samples]] = {player: [] for player in range(game.players) if player != walker}
    frontier = Frontier(game, walker, strategy_at, generator, baseline, others)
    states, levels, nodes = game.begin(count), [], 0
    while len(states):
        nodes += len(states)
        states, level = frontier.advance(states)
        levels.append(level)
    empty = _no_samples(game)
    strategies = {player: _concatenate(samples or [empty]) for player, samples in others.items()}
    return WalkResult(_concatenate(_propagate_values(levels, game, baseline) or [empty]), strategies, nodes)


def joined(results: Sequence[WalkResult]) -> WalkResult:
    """The walks of several pieces as one."""
    players = results[0].strategies
    return WalkResult(
        _concatenate([result.advantages for result in results]),
        {player: _concatenate([result.strategies[player] for result in results]) for player in players},
        sum(result.nodes for result in results),
    )


@dataclass(frozen=True)
class Frontier:
    """All walks of one player on their way down."""

    game: BatchedGame
    walker: int
    strategy_at: StrategyFunction
    generator: torch.Generator
    baseline: Baseline | None
    others: dict[int, list[Samples]]
    """The strategies of each other player at the decisions visited; filled on the way."""

    def advance(self, states: States) -> tuple[States, Level]:
        """The next level, and this one as the way back up needs it."""
        game, movers = self.game, self.game.movers(states)
        none = torch.zeros(0, dtype=torch.int64, device=game.device)
        draws = [draw for mover in (CHANCE, *self.others) if (draw := self.sample(mover, states, movers)) is not None]
        children = [draw.children for draw in draws]
        drawn = game.concatenate(children) if self.baseline and children else None
        ended = (movers == TERMINAL).nonzero()[:, 0]
        payoff = game.payoffs(game.select(states, ended), self.walker)
        own = (movers == self.walker).nonzero()[:, 0]
        infosets, strategy = _no_samples(game)[:2]
        legal = strategy > 0
        if len(own):
            here = game.select(states, own)
            infosets = game.infosets(here)
            legal, strategy = game.legal(infosets), self.strategy_at(self.walker, infosets)
            decision, head = legal.nonzero(as_tuple=True)
            children.append(game.after(game.select(here, decision), head))
        moved = torch.cat([none, *(draw.which for draw in draws)])
        corrections = [draw.correction for draw in draws if draw.correction is not None]
        level = Level(len(states), ended, payoff, moved, drawn, corrections, own, infosets, legal, strategy)
        return game.concatenate(children or [game.select(states, none)]), level

    def sample(self, mover: int, states: States, movers: torch.Tensor) -> Draw | None:
        """Sample a move of chance or of another player at every state where it moves; None if there is none."""
        game, baseline = self.game, self.baseline
        which = (movers == mover).nonzero()[:, 0]
        if not len(which):
            return None
        here = game.select(states, which)
        if mover == CHANCE:
            children = game.after_chance(here, self.generator)
            return Draw(which, children, baseline.chance_correction(here, children) if baseline else None)
        infosets = game.infosets(here)
        strategy = self.strategy_at(mover, infosets)
        self.others[mover].append(Samples(infosets, strategy))
        children = game.after(here, sample_heads(strategy, self.generator))
        return Draw(which, children, baseline.decision_correction(here, strategy, children) if baseline else None)


def _propagate_values(levels: list[Level], game: BatchedGame, baseline: Baseline | None) -> list[Samples]:
    """From the last level to the first: the value of each state to the walking player, and the advantages there."""
    samples, sampled = [], []
    below = torch.zeros(0, device=game.device)  # [size of the level below] chips
    for level in reversed(levels):
        value = torch.empty(level.size, device=game.device)
        value[level.ended] = level.payoff
        of_drawn = below[: len(level.moved)]
        value[level.moved] = of_drawn + torch.cat(level.corrections) if level.corrections else of_drawn
        if level.corrections:
            sampled.append((level.drawn, of_drawn))
        if len(level.own):
            of_action = torch.zeros(level.legal.shape, device=game.device)
            of_action[level.legal] = below[len(level.moved) :]
            of_strategy = (level.strategy * of_action).sum(1)
            value[level.own] = of_strategy
            samples.append(Samples(level.infosets, (of_action - of_strategy[:, None]) * level.legal))
        below = value
    if baseline and sampled:
        baseline.learn(game.concatenate([drawn for drawn, _ in sampled]), torch.cat([value for _, value in sampled]))
    return samples


def _no_samples(game: BatchedGame) -> Samples:
    infosets = torch.zeros((0, *game.infoset_shape), dtype=game.infoset_dtype, device=game.device)
    return Samples(infosets, torch.zeros((0, game.heads), device=game.device))


def _concatenate(samples: list[Samples]) -> Samples:
    return Samples(torch.cat([s.infosets for s in samples]), torch.cat([s.values for s in samples]))
