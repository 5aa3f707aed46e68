"""Features of histories: all that has happened in a play, as the input of a network of history values.

Such a network is part of training and never of a strategy, so it may use what its mover cannot observe.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame, States
from regretless.deep.games.compiled_game import UnlistedGame
from regretless.deep.games.listed_game import ListedGame, heads_of
from regretless.game import CHANCE

__all__ = ["HistoryFeatures", "history_features"]

Array = npt.NDArray[Any]

ONE_HOT_UP_TO = 64
"""Outcomes of a chance move up to which they are one-hot; more are written as binary digits."""

TABLE_BYTES = 1 << 26
"""Up to this size the features of all decisions are computed once and kept."""

RANDOM_PLAYS = 1_024
"""Random plays that find which binary digits of a state vary."""


class HistoryFeatures(ABC):
    """A vector of numbers for every decision of a game."""

    size: int
    """The length of a vector."""

    @abstractmethod
    def __call__(self, states: States) -> torch.Tensor:
        """[n, size] float32 the features of states [n] at which a player moves."""


class ListedHistories(HistoryFeatures):
    """Histories of a listed game: what each player knew last and what it did there, and all outcomes of chance.

    With perfect recall these determine the history. H histories, P players, C the most chance moves of a play.
    """

    def __init__(self, game: ListedGame) -> None:
        self.game = game
        latest, taken, outcomes = _paths(game)
        self.latest = torch.from_numpy(latest).to(game.device)  # [H, P] the latest infoset of each player, −1 for none
        self.taken = torch.from_numpy(taken).to(game.device)  # [H, P] the head taken there, −1 at the infoset itself
        self.outcomes = [_codes(column, game.device) for column in outcomes]  # [H] and a row of bits for each outcome
        self.outcomes = [(column, bits) for column, bits in self.outcomes if bits.shape[1]]
        self.actions = _bits(np.eye(game.heads), game.device)  # [1 + A, A]
        own = game.feature_size + game.heads
        self.size = game.players * own + sum(bits.shape[1] for _, bits in self.outcomes)
        decisions = (game.mover >= 0).nonzero()[:, 0]
        self.row = torch.zeros(len(game.mover), dtype=torch.int64, device=game.device)  # [H] of a decision in the table
        self.row[decisions] = torch.arange(len(decisions), device=game.device)
        self.table = self._computed(decisions) if 4 * len(decisions) * self.size <= TABLE_BYTES else None

    def __call__(self, states: torch.Tensor) -> torch.Tensor:
        """[n, size] for histories by number."""
        return self._computed(states) if self.table is None else self.table[self.row[states]]

    def _computed(self, states: torch.Tensor) -> torch.Tensor:
        parts = []
        latest, taken = self.latest[states], self.taken[states] + 1
        for player in range(self.game.players):
            infosets = latest[:, player]
            parts.append(self.game.features(infosets.clamp(min=0)) * (infosets >= 0)[:, None])
            parts.append(self.actions[taken[:, player]])
        return torch.cat([*parts, *(bits[column[states]] for column, bits in self.outcomes)], dim=1)


class UnlistedHistories(HistoryFeatures):
    """States of a compiled game: the binary digits of their words that vary in random plays."""

    def __init__(self, game: UnlistedGame, generator: torch.Generator) -> None:
        seen = _random_states(game, generator)
        varied = torch.zeros(game.width, dtype=torch.int64)
        for state in seen.unique(dim=0):
            varied |= state ^ seen[0]
        digits = [(word, digit) for word in range(game.width) for digit in range(64) if varied[word] >> digit & 1]
        self.words = torch.tensor([word for word, _ in digits], dtype=torch.int64)  # [size]
        self.digits = torch.tensor([digit for _, digit in digits], dtype=torch.int64)  # [size]
        self.size = len(digits)

    def __call__(self, states: torch.Tensor) -> torch.Tensor:
        """[n, size] for states as rows of words."""
        return (states[:, self.words] >> self.digits & 1).float()


def history_features(game: BatchedGame, generator: torch.Generator) -> HistoryFeatures:
    """The features of a game's histories; the generator is used by games that are not listed."""
    if isinstance(game, ListedGame):
        return ListedHistories(game)
    if isinstance(game, UnlistedGame):
        return UnlistedHistories(game, generator)
    raise TypeError(f"no features of histories are known for {type(game).__name__}")


def _paths(game: ListedGame) -> tuple[Array, Array, list[Array]]:
    """For each history: each player's latest infoset and head taken there [H, P], and the outcomes of chance [C][H]."""
    listing, head = game.tree.listing, heads_of(game.tree.labels)
    histories = len(listing.mover)
    latest = np.full((histories, game.players), -1, np.int32)
    taken = np.full((histories, game.players), -1, np.int64)
    moves = np.zeros(histories, np.int64)  # chance moves on the way
    outcomes: list[Array] = []
    level = np.zeros(1, np.int64)
    while len(level):
        decisions = level[listing.mover[level] >= 0]
        latest[decisions, listing.mover[decisions]] = listing.index[decisions]
        taken[decisions, listing.mover[decisions]] = -1
        counts = listing.children[level]
        parent = np.repeat(level, counts)
        choice = np.arange(len(parent)) - np.repeat(np.cumsum(counts) - counts, counts)
        level = listing.first_child[parent].astype(np.int64) + choice
        mover = listing.mover[parent]
        latest[level], taken[level], moves[level] = latest[parent], taken[parent], moves[parent] + (mover == CHANCE)
        for column in outcomes:
            column[level] = column[parent]
        played, drawn = mover >= 0, mover == CHANCE
        taken[level[played], mover[played]] = head[listing.index[parent[played]], choice[played]]
        for number in np.unique(moves[parent[drawn]]).tolist():
            while len(outcomes) <= number:
                outcomes.append(np.full(histories, -1, np.int64))
            these = drawn & (moves[parent] == number)
            outcomes[number][level[these]] = choice[these]
    return latest, taken, outcomes


def _codes(outcomes: Array, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Outcomes [H] from −1 on as indices [H] of rows of bits; −1, for no outcome, has zeros."""
    most = int(outcomes.max(initial=0)) + 1
    bits = np.eye(most) if most <= ONE_HOT_UP_TO else np.arange(most)[:, None] >> np.arange(most.bit_length()) & 1
    return torch.from_numpy(outcomes + 1).to(device), _bits(bits if most > 1 else bits[:, :0], device)


def _bits(rows: Array, device: torch.device) -> torch.Tensor:
    """[1 + n, width] float32: zeros, then the given rows [n, width]."""
    return torch.from_numpy(np.concatenate([np.zeros((1, rows.shape[1])), rows]).astype(np.float32)).to(device)


def _random_states(game: UnlistedGame, generator: torch.Generator) -> torch.Tensor:
    """[n, words] the decisions of random plays."""
    states, found = game.begin(RANDOM_PLAYS), []
    while len(states):
        movers = game.movers(states)
        here, states = states[movers >= 0], game.after_chance(states[movers == CHANCE], generator)
        if len(here):
            found.append(here)
            weights = torch.rand(len(here), game.heads, generator=generator) * game.legal(game.infosets(here))
            states = torch.cat([states, game.after(here, weights.argmax(1))])
    return torch.cat(found)
