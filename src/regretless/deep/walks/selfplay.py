"""Plays in parallel: all of them advance move by move, and everybody's decisions are linked to what came of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from regretless.deep.games.batched_game import GameOnArrays, drawn_heads
from regretless.game import CHANCE, TERMINAL

__all__ = ["Decisions", "StrategyInPlay", "play_out"]

StrategyInPlay = Callable[[int, torch.Tensor, torch.Tensor], torch.Tensor]
"""The probabilities [n, A] with which a player acts at infosets [n, …] in the plays of numbers [n]."""


@dataclass(frozen=True)
class Decisions:
    """One player's decisions in some plays."""

    infosets: torch.Tensor  # [n, …]
    heads: torch.Tensor  # [n] int64 what was done
    plays: torch.Tensor  # [n] int64 in which play
    following: torch.Tensor  # [n] int64 the number of the same player's next decision in that play, −1 after the last
    won: torch.Tensor  # [n] float32 what the player won in that play, chips


@dataclass
class _Notes:
    """What is written down of a player while the plays go on."""

    latest: torch.Tensor  # [plays] the number of the latest decision in each play, −1 before the first
    infosets: list[torch.Tensor] = field(default_factory=list)
    heads: list[torch.Tensor] = field(default_factory=list)
    plays: list[torch.Tensor] = field(default_factory=list)
    links: list[tuple[torch.Tensor, torch.Tensor]] = field(default_factory=list)  # decisions and those that follow
    count: int = 0

    def add(self, infosets: torch.Tensor, heads: torch.Tensor, plays: torch.Tensor) -> None:
        """One more decision in each of the given plays."""
        numbers = torch.arange(self.count, self.count + len(plays), device=plays.device)
        before = self.latest[plays]
        linked = before >= 0
        self.links.append((before[linked], numbers[linked]))
        self.latest[plays] = numbers
        self.infosets.append(infosets)
        self.heads.append(heads)
        self.plays.append(plays)
        self.count += len(plays)


def play_out(
    game: GameOnArrays, count: int, strategy_at: StrategyInPlay, generator: torch.Generator
) -> tuple[list[Decisions], int]:
    """Play so many times to the end; the decisions of each player, and how many histories were touched."""
    states, plays = game.begin(count), torch.arange(count, device=game.device)
    payoffs = torch.zeros(game.players, count, device=game.device)  # chips
    nobody = torch.full((count,), -1, dtype=torch.int64, device=game.device)
    notes = [_Notes(nobody.clone()) for _ in range(game.players)]
    nodes = 0
    while len(plays):
        nodes += len(plays)
        movers = game.movers(states)
        ended = movers == TERMINAL
        for player in range(game.players):
            payoffs[player, plays[ended]] = game.payoffs(game.at(states, ended), player)
        parts, numbers = [], []
        for mover in (CHANCE, *range(game.players)):
            which = (movers == mover).nonzero()[:, 0]
            if not len(which):
                continue
            here, mine = game.at(states, which), plays[which]
            numbers.append(mine)
            if mover == CHANCE:
                parts.append(game.after_chance(here, generator))
                continue
            infosets = game.infosets(here)
            heads = drawn_heads(strategy_at(mover, infosets, mine), generator)
            notes[mover].add(infosets, heads, mine)
            parts.append(game.after(here, heads))
        if not parts:
            break
        states, plays = game.joined(parts), torch.cat(numbers)
    return [_linked(game, noted, payoffs[player]) for player, noted in enumerate(notes)], nodes


def _linked(game: GameOnArrays, noted: _Notes, payoffs: torch.Tensor) -> Decisions:
    """A player's notes as arrays."""
    none = torch.zeros(0, dtype=torch.int64, device=game.device)
    nothing = torch.zeros((0, *game.infoset_shape), dtype=game.infoset_dtype, device=game.device)
    plays = torch.cat([none, *noted.plays])
    following = torch.full((noted.count,), -1, dtype=torch.int64, device=game.device)
    for before, after in noted.links:
        following[before] = after
    return Decisions(
        torch.cat([nothing, *noted.infosets]), torch.cat([none, *noted.heads]), plays, following, payoffs[plays]
    )
