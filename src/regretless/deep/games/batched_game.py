"""A game as batches of states that move together, so that a network is evaluated once for many of them.

Actions have *heads*: one network output for every distinct action in the game (fold, call, raise), or, where there are
too many, one for each index in an infoset's list of actions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch

__all__ = ["BatchedGame", "NumberedGame", "sample_heads"]

States = Any
"""A batch of states in the game's own form; `len` returns the number of states."""


class BatchedGame(ABC):
    """A game whose states come in batches; n states, A heads, F features.

    What a player knows is a row of `infosets`, as small as the game can make it: memories store such rows, and features
    and legal actions are computed when they are needed.
    """

    players: int
    heads: int  # A
    feature_size: int  # F
    device: torch.device
    infoset_shape: tuple[int, ...]
    """The shape of one row of `infosets`; () where an infoset is a number."""
    infoset_dtype: torch.dtype

    @abstractmethod
    def begin(self, count: int) -> States:
        """`count` plays at the root."""

    @abstractmethod
    def movers(self, states: States) -> torch.Tensor:
        """[n] int8 who moves: a player, CHANCE or TERMINAL."""

    @abstractmethod
    def select(self, states: States, which: torch.Tensor) -> States:
        """Some of the states, by index [m] or by mask [n]; an index may occur twice."""

    @abstractmethod
    def concatenate(self, batches: list[States]) -> States:
        """Several batches as one, in their order."""

    @abstractmethod
    def infosets(self, states: States) -> torch.Tensor:
        """[n, …] what the movers know at decisions."""

    @abstractmethod
    def legal(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] bool: which heads are actions here."""

    @abstractmethod
    def features(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, F] float32 the input of a network."""

    @abstractmethod
    def after(self, states: States, heads: torch.Tensor) -> States:
        """The states after decisions [n] with the actions of the given heads [n]."""

    @abstractmethod
    def after_chance(self, states: States, generator: torch.Generator) -> States:
        """The states after a sampled move of chance at each."""

    @abstractmethod
    def payoffs(self, states: States, player: int) -> torch.Tensor:
        """[n] float32 a player's payoffs at terminal states, chips."""


class NumberedGame(BatchedGame):
    """A game whose infosets have numbers: all of them, or those visited so far."""

    infoset_shape: tuple[int, ...] = ()
    infoset_dtype = torch.int32

    @property
    @abstractmethod
    def infoset_count(self) -> int:
        """The number of infosets that have a number."""

    @abstractmethod
    def infosets_of(self, players: list[int]) -> torch.Tensor:
        """[i] int64 the numbers of some players' infosets, ascending."""


def sample_heads(strategy: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """[n] int64 a head for each row of probabilities [n, A], whose sum may differ from 1 by rounding.

    The draw is a double and the cumulative sum a float, so draw × sum stays below the sum: a head of probability 0 is
    never drawn.
    """
    cumulative = strategy.cumsum(1)
    draw = torch.rand(len(strategy), dtype=torch.float64, device=strategy.device, generator=generator)
    return (cumulative <= (draw * cumulative[:, -1])[:, None]).sum(1)
