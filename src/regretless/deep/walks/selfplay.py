"""Plays in parallel: all advance move by move, and each decision is linked to the same player's next one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from regretless.deep.games.batched_game import BatchedGame, sample_heads
from regretless.game import CHANCE, TERMINAL

__all__ = ["Decisions", "MixedPlays", "StrategyInPlay", "play_games", "play_mixed"]

StrategyInPlay = Callable[[int, torch.Tensor, torch.Tensor], torch.Tensor]
"""(player, infosets [n, …], plays [n]) → probabilities [n, A] of the player's actions in these plays."""


@dataclass(frozen=True)
class Decisions:
    """One player's decisions in some plays."""

    infosets: torch.Tensor  # [n, …]
    heads: torch.Tensor  # [n] int64 the action taken
    plays: torch.Tensor  # [n] int64 the play
    following: torch.Tensor  # [n] int64 index of the same player's next decision in that play, −1 after the last
    won: torch.Tensor  # [n] float32 what the player won in that play, chips


@dataclass(frozen=True)
class MixedPlays:
    """Plays in which every player follows its average strategy or its best response, drawn for each play."""

    decisions: list[Decisions]  # [P]
    responds: torch.Tensor  # [P, plays] bool whether the player follows its best response
    nodes: int  # histories visited


@dataclass
class _Record:
    """One player's decisions while the plays are running."""

    latest: torch.Tensor  # [plays] index of the latest decision in each play, −1 before the first
    infosets: list[torch.Tensor] = field(default_factory=list)
    heads: list[torch.Tensor] = field(default_factory=list)
    plays: list[torch.Tensor] = field(default_factory=list)
    links: list[tuple[torch.Tensor, torch.Tensor]] = field(default_factory=list)  # decisions and their successors
    count: int = 0

    def add(self, infosets: torch.Tensor, heads: torch.Tensor, plays: torch.Tensor) -> None:
        """Add one decision in each of the given plays."""
        index = torch.arange(self.count, self.count + len(plays), device=plays.device)
        before = self.latest[plays]
        linked = before >= 0
        self.links.append((before[linked], index[linked]))
        self.latest[plays] = index
        self.infosets.append(infosets)
        self.heads.append(heads)
        self.plays.append(plays)
        self.count += len(plays)


def play_games(
    game: BatchedGame, count: int, strategy_at: StrategyInPlay, generator: torch.Generator
) -> tuple[list[Decisions], int]:
    """Play `count` times to the end; returns the decisions of each player, and the number of histories visited."""
    states, plays = game.begin(count), torch.arange(count, device=game.device)
    payoffs = torch.zeros(game.players, count, device=game.device)  # chips
    none = torch.full((count,), -1, dtype=torch.int64, device=game.device)
    records = [_Record(none.clone()) for _ in range(game.players)]
    nodes = 0
    while len(plays):
        nodes += len(plays)
        movers = game.movers(states)
        ended = movers == TERMINAL
        for player in range(game.players):
            payoffs[player, plays[ended]] = game.payoffs(game.select(states, ended), player)
        parts, numbers = [], []
        for mover in (CHANCE, *range(game.players)):
            which = (movers == mover).nonzero()[:, 0]
            if not len(which):
                continue
            here, mine = game.select(states, which), plays[which]
            numbers.append(mine)
            if mover == CHANCE:
                parts.append(game.after_chance(here, generator))
                continue
            infosets = game.infosets(here)
            heads = sample_heads(strategy_at(mover, infosets, mine), generator)
            records[mover].add(infosets, heads, mine)
            parts.append(game.after(here, heads))
        if not parts:
            break
        states, plays = game.concatenate(parts), torch.cat(numbers)
    return [_decisions(game, record, payoffs[player]) for player, record in enumerate(records)], nodes


def play_mixed(
    game: BatchedGame, tables: torch.Tensor, anticipation: float, count: int, generator: torch.Generator
) -> MixedPlays:
    """Play `count` times. tables [2, I, A]: average strategies and best responses at all infosets.

    anticipation: the probability with which a player follows its best response in a play.
    """
    draws = torch.rand(game.players, count, device=game.device, generator=generator)
    responds = draws < anticipation

    def strategy_at(player: int, infosets: torch.Tensor, plays: torch.Tensor) -> torch.Tensor:
        return tables[responds[player, plays].long(), infosets]

    decisions, nodes = play_games(game, count, strategy_at, generator)
    return MixedPlays(decisions, responds, nodes)


def _decisions(game: BatchedGame, record: _Record, payoffs: torch.Tensor) -> Decisions:
    """A player's record as arrays."""
    none = torch.zeros(0, dtype=torch.int64, device=game.device)
    no_infosets = torch.zeros((0, *game.infoset_shape), dtype=game.infoset_dtype, device=game.device)
    plays = torch.cat([none, *record.plays])
    following = torch.full((record.count,), -1, dtype=torch.int64, device=game.device)
    for before, after in record.links:
        following[before] = after
    return Decisions(
        torch.cat([no_infosets, *record.infosets]), torch.cat([none, *record.heads]), plays, following, payoffs[plays]
    )
