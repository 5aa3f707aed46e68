"""Guesses that take luck out of what walks find: control variates where chance or another player is drawn.

A walk that draws action a* of a state h brings back what its child is worth. With a guess b(h, a) of what every child
is worth, it brings back instead (Schmid et al. 2019, equation 8; by history as Davis, Schmid & Bowling 2020)

    v(h)  =  Σ_a σ(a) b(h, a)  +  v(h a*) − b(h, a*)

whose mean over draws is the same for any guess that was there before the draw, and which varies the less the better the
guess is. Guesses are what earlier walks of the same player found.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import GameOnArrays, States
from regretless.deep.games.listed_game import ListedGame
from regretless.deep.methods import DeepCFR
from regretless.errors import OptionError
from regretless.game import CHANCE

__all__ = ["Baseline", "HistoryBaseline", "baseline_of"]


class Baseline(ABC):
    """Guesses of what states are worth to one walker, chips; n states, A heads.

    A guess may use all that states hold, what is hidden from their movers included: it is part of training, not of a
    strategy. Any game on arrays can have one, such as a network that reads what all players know.
    """

    @abstractmethod
    def at_chance(self, states: States, children: States) -> torch.Tensor:
        """[n] Σ_a σ(a) b(h, a) − b(h, a*) at states where chance was drawn and led to the children."""

    @abstractmethod
    def at_decisions(self, states: States, strategy: torch.Tensor, children: States) -> torch.Tensor:
        """[n] the same where another player's action was drawn from a strategy [n, A]."""

    @abstractmethod
    def learn(self, children: States, worth: torch.Tensor) -> None:
        """Take in what drawn children [n] were found to be worth [n], after all walks of an iteration."""

    @abstractmethod
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All it has learned, by name."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `arrays` once returned."""


class HistoryBaseline(Baseline):
    """A mean for every history of a listed game, in which the findings of an iteration fade later; H histories.

    They fade because strategies change: an old finding is the worth of a child under strategies that nobody plays now.
    """

    FADES = 0.9
    """What is left of a finding's weight after an iteration."""

    def __init__(self, game: ListedGame) -> None:
        self.game = game
        histories = len(game.mover)
        self.weights = torch.zeros(histories, device=game.device)  # [H] of what was found there, faded
        self.sums = torch.zeros(histories, device=game.device)  # [H] chips times weight
        self.guess = torch.zeros(histories, device=game.device)  # [H] chips; 0 where nothing was found yet
        self.drawn, self.parent, self.odds = _outcomes(game)
        self.expected = torch.zeros(histories, device=game.device)  # [H] mean guess after a move of chance, chips

    def at_chance(self, states: torch.Tensor, children: torch.Tensor) -> torch.Tensor:
        """[n] of states and children by number."""
        return self.expected[states] - self.guess[children]

    def at_decisions(self, states: torch.Tensor, strategy: torch.Tensor, children: torch.Tensor) -> torch.Tensor:
        """[n] of states and children by number."""
        choice = self.game.choice[self.game.index[states]]
        following = self.game.first_child[states][:, None] + choice.clamp(min=0)
        return (strategy * self.guess[following]).sum(1) - self.guess[children]

    def learn(self, children: torch.Tensor, worth: torch.Tensor) -> None:
        """Let what was found before fade, and add."""
        self.weights.mul_(self.FADES).index_add_(0, children, torch.ones_like(worth))
        self.sums.mul_(self.FADES).index_add_(0, children, worth)
        self._guess()

    def _guess(self) -> None:
        torch.div(self.sums, self.weights.clamp(min=1e-30), out=self.guess)
        self.expected.zero_().index_add_(0, self.parent, self.odds * self.guess[self.drawn])

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Weights and sums."""
        return {"weights": self.weights.cpu().numpy(), "sums": self.sums.cpu().numpy()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `arrays` once returned."""
        self.weights.copy_(torch.from_numpy(np.ascontiguousarray(arrays["weights"])))
        self.sums.copy_(torch.from_numpy(np.ascontiguousarray(arrays["sums"])))
        self._guess()


def baseline_of(method: DeepCFR, game: GameOnArrays) -> Baseline:
    """The baseline that a method names, for one player."""
    if not isinstance(game, ListedGame):
        raise OptionError(
            f"baseline={method.baseline!r} keeps a mean for every history, and this game is not listed: leave it out"
        )
    return HistoryBaseline(game)


def _outcomes(game: ListedGame) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """All outcomes [c] of moves of chance by number, the history that each follows [c], and its probability [c]."""
    listing = game.tree.listing
    moves = np.flatnonzero(listing.mover == CHANCE)
    counts = listing.children[moves]
    parent = np.repeat(moves, counts)
    place = np.arange(len(parent)) - np.repeat(np.cumsum(counts) - counts, counts)
    drawn = listing.first_child[parent].astype(np.int64) + place
    odds = listing.probability[drawn].astype(np.float32)
    return tuple(torch.from_numpy(array).to(game.device) for array in (drawn, parent, odds))  # type: ignore[return-value]
