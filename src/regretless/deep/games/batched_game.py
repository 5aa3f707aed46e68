"""A game on arrays: batches of states that move on together, so that a network is asked once for many of them.

Actions have *heads*: one output of a network for every different action that players have anywhere in the game (fold,
call, raise), or, where there are too many of them, one for each place in an infoset's list of actions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch

__all__ = ["GameOnArrays", "NumberedGame", "drawn_heads"]

States = Any
"""A batch of states in whatever form a game keeps them; `len` says how many."""


class GameOnArrays(ABC):
    """A game whose states come in batches; n states, A heads, F features.

    What a player knows is a row of `infosets`, as small as the game can make it: memories are filled with such rows,
    and features and legal actions are looked up when they are needed.
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
        """So many plays before anything has happened."""

    @abstractmethod
    def movers(self, states: States) -> torch.Tensor:
        """[n] int8 who moves: a player, CHANCE or TERMINAL."""

    @abstractmethod
    def at(self, states: States, which: torch.Tensor) -> States:
        """Some of the states, by number [m] or by mask [n]; a number may come twice."""

    @abstractmethod
    def joined(self, batches: list[States]) -> States:
        """Several batches as one, in their order."""

    @abstractmethod
    def infosets(self, states: States) -> torch.Tensor:
        """[n, …] what the movers of decisions know."""

    @abstractmethod
    def legal(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] bool: which heads are actions here."""

    @abstractmethod
    def features(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, F] float32 what a network reads."""

    @abstractmethod
    def after(self, states: States, heads: torch.Tensor) -> States:
        """The states [n] of decisions after the actions of the given heads [n]."""

    @abstractmethod
    def after_chance(self, states: States, generator: torch.Generator) -> States:
        """The states after a move of chance, drawn for each."""

    @abstractmethod
    def payoffs(self, states: States, player: int) -> torch.Tensor:
        """[n] float32 what a player has won at terminal states, chips."""


class NumberedGame(GameOnArrays):
    """A game whose infosets are known by numbers: all of them, or those that have been met so far."""

    infoset_shape: tuple[int, ...] = ()
    infoset_dtype = torch.int32

    @property
    @abstractmethod
    def infoset_count(self) -> int:
        """How many infosets have a number."""

    @abstractmethod
    def infosets_of(self, players: list[int]) -> torch.Tensor:
        """[i] int64 the numbers of some players' infosets, rising."""


def drawn_heads(strategy: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """[n] int64 a head for each row of probabilities [n, A], which need not add up to one exactly.

    Draws are doubles and sums are not, so a draw below one times the sum is below the sum: a head that is drawn has a
    probability above zero.
    """
    up_to = strategy.cumsum(1)
    draw = torch.rand(len(strategy), dtype=torch.float64, device=strategy.device, generator=generator)
    return (up_to <= (draw * up_to[:, -1])[:, None]).sum(1)
