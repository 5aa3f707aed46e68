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

from regretless.deep.arrays import GameOnArrays, States, drawn_heads
from regretless.game import CHANCE, TERMINAL

__all__ = ["Found", "StrategyAt", "Walked", "traverse"]

StrategyAt = Callable[[int, torch.Tensor], torch.Tensor]
"""The probabilities [n, A] with which a player acts at infosets [n, …]."""


class Found(NamedTuple):
    """What walks found at decisions: infosets [n, …], and a number for each head [n, A]; 0 where it is no action."""

    infosets: torch.Tensor
    numbers: torch.Tensor


@dataclass(frozen=True)
class Walked:
    """What came of some walks of one player."""

    advantages: Found
    """At the walker's decisions: how much better an action was than the walker's strategy there, chips."""
    strategies: dict[int, Found]
    """At the decisions of each other player: the probabilities from which its action was drawn."""
    nodes: int
    """Histories touched."""


@dataclass(frozen=True)
class Level:
    """One level of the frontier, as the way back needs it. The next level holds first the children of `moved`, then
    those of `own`: of each one after the other, in the order of heads."""

    size: int
    ended: torch.Tensor  # [e] numbers of terminal states …
    payoff: torch.Tensor  # [e] … and what the walker has won there, chips
    moved: torch.Tensor  # [m] numbers of states where somebody else, or chance, was drawn
    own: torch.Tensor  # [w] numbers of the walker's decisions
    infosets: torch.Tensor  # [w, …]
    legal: torch.Tensor  # [w, A]
    strategy: torch.Tensor  # [w, A]


def traverse(
    game: GameOnArrays, walker: int, count: int, strategy_at: StrategyAt, generator: torch.Generator
) -> Walked:
    """Walk `count` times from the root."""
    states, levels, nodes = game.begin(count), [], 0
    others: dict[int, list[Found]] = {player: [] for player in range(game.players) if player != walker}
    while len(states):
        nodes += len(states)
        states, level = _advanced(game, states, walker, strategy_at, generator, others)
        levels.append(level)
    empty = _nothing(game)
    drawn = {player: _joined(found or [empty]) for player, found in others.items()}
    return Walked(_joined(_values_back_up(levels, game) or [empty]), drawn, nodes)


def _advanced(
    game: GameOnArrays,
    states: States,
    walker: int,
    strategy_at: StrategyAt,
    generator: torch.Generator,
    others: dict[int, list[Found]],
) -> tuple[States, Level]:
    """The next level, and this one as the way back needs it; what other players do is noted in `others`."""
    movers = game.movers(states)
    moved, children = [], []
    for mover in (CHANCE, *others):
        which = (movers == mover).nonzero()[:, 0]
        if not len(which):
            continue
        here = game.at(states, which)
        moved.append(which)
        if mover == CHANCE:
            children.append(game.after_chance(here, generator))
            continue
        infosets = game.infosets(here)
        strategy = strategy_at(mover, infosets)
        others[mover].append(Found(infosets, strategy))
        children.append(game.after(here, drawn_heads(strategy, generator)))
    ended = (movers == TERMINAL).nonzero()[:, 0]
    payoff = game.payoffs(game.at(states, ended), walker)
    own = (movers == walker).nonzero()[:, 0]
    infosets, strategy = nothing = _nothing(game)
    legal = nothing.numbers > 0
    if len(own):
        here = game.at(states, own)
        infosets = game.infosets(here)
        legal, strategy = game.legal(infosets), strategy_at(walker, infosets)
        decision, head = legal.nonzero(as_tuple=True)
        children.append(game.after(game.at(here, decision), head))
    none = torch.zeros(0, dtype=torch.int64, device=game.device)
    level = Level(len(states), ended, payoff, torch.cat([none, *moved]), own, infosets, legal, strategy)
    return game.joined(children or [game.at(states, none)]), level


def _values_back_up(levels: list[Level], game: GameOnArrays) -> list[Found]:
    """From the last level to the first: what each state is worth to the walker, and what actions gain there."""
    found = []
    below = torch.zeros(0, device=game.device)  # [size of the level below] chips
    for level in reversed(levels):
        worth = torch.empty(level.size, device=game.device)
        worth[level.ended] = level.payoff
        worth[level.moved] = below[: len(level.moved)]
        if len(level.own):
            of_action = torch.zeros(level.legal.shape, device=game.device)
            of_action[level.legal] = below[len(level.moved) :]
            of_strategy = (level.strategy * of_action).sum(1)
            worth[level.own] = of_strategy
            found.append(Found(level.infosets, (of_action - of_strategy[:, None]) * level.legal))
        below = worth
    return found


def _nothing(game: GameOnArrays) -> Found:
    infosets = torch.zeros((0, *game.infoset_shape), dtype=game.infoset_dtype, device=game.device)
    return Found(infosets, torch.zeros((0, game.heads), device=game.device))


def _joined(found: list[Found]) -> Found:
    return Found(torch.cat([f.infosets for f in found]), torch.cat([f.numbers for f in found]))
