"""Baselines: control variates for sampled moves of chance and of other players.

A walk that samples action a* at a state h returns the value of its child. With an estimate b(h, a) of every child's
value, it returns instead (Schmid et al. 2019, equation 8; by history as Davis, Schmid & Bowling 2020)

    v(h)  =  Σ_a σ(a) b(h, a)  +  v(h a*) − b(h, a*)

Its mean over samples is the same for any estimate that was made before the sample, and its variance is the smaller the
better the estimate is. Estimates are values that earlier walks of the same player found.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame, States
from regretless.deep.games.listed_game import ListedGame
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.methods import DeepCFR
from regretless.errors import OptionError
from regretless.game import CHANCE

__all__ = ["Baseline", "HistoryBaseline", "make_baseline"]


class Baseline(ABC):
    """Estimates of the values of states to one player, chips; n states, A heads.

    An estimate may use everything in a state, also what its mover cannot observe: it is part of training, not of a
    strategy.
    """

    @abstractmethod
    def chance_correction(self, states: States, children: States) -> torch.Tensor:
        """[n] Σ_a σ(a) b(h, a) − b(h, a*) at states where chance was sampled and led to the children."""

    @abstractmethod
    def decision_correction(self, states: States, strategy: torch.Tensor, children: States) -> torch.Tensor:
        """[n] the same where another player's action was sampled from a strategy [n, A]."""

    @abstractmethod
    def learn(self, children: States, value: torch.Tensor) -> None:
        """Learn from the values [n] of sampled children [n], after all walks of an iteration."""

    @abstractmethod
    def remember(self, log: UndoLog) -> None:
        """Log what `learn` changes."""

    @abstractmethod
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, by name."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` returned."""


class HistoryBaseline(Baseline):
    """A mean for every history of a listed game, with exponentially decaying weights; H histories.

    Weights decay because strategies change: an old value is that of strategies that are no longer played.
    """

    DECAY = 0.9
    """The factor of all weights after each iteration."""

    def __init__(self, game: ListedGame) -> None:
        self.game = game
        histories = len(game.mover)
        self.weights = torch.zeros(histories, device=game.device)  # [H] decayed counts
        self.sums = torch.zeros(histories, device=game.device)  # [H] chips times weight
        self.estimate = torch.zeros(histories, device=game.device)  # [H] chips; 0 where there is no value yet
        self.outcome, self.parent, self.probability = _outcomes(game)
        self.expected = torch.zeros(histories, device=game.device)  # [H] mean estimate over outcomes of chance, chips

    def chance_correction(self, states: torch.Tensor, children: torch.Tensor) -> torch.Tensor:
        """[n] for states and children by number."""
        return self.expected[states] - self.estimate[children]

    def decision_correction(self, states: torch.Tensor, strategy: torch.Tensor, children: torch.Tensor) -> torch.Tensor:
        """[n] for states and children by number."""
        choice = self.game.choice[self.game.index[states]]
        following = self.game.first_child[states][:, None] + choice.clamp(min=0)
        return (strategy * self.estimate[following]).sum(1) - self.estimate[children]

    def learn(self, children: torch.Tensor, value: torch.Tensor) -> None:
        """Decay the weights of earlier values, and add the new ones."""
        self.weights.mul_(self.DECAY).index_add_(0, children, torch.ones_like(value))
        self.sums.mul_(self.DECAY).index_add_(0, children, value)
        self._update_estimates()

    def remember(self, log: UndoLog) -> None:
        """Log all means: every one decays in every iteration."""
        log.tensors([self.weights, self.sums, self.estimate, self.expected])

    def _update_estimates(self) -> None:
        torch.div(self.sums, self.weights.clamp(min=1e-30), out=self.estimate)
        self.expected.zero_().index_add_(0, self.parent, self.probability * self.estimate[self.outcome])

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Weights and sums."""
        return {"weights": self.weights.cpu().numpy(), "sums": self.sums.cpu().numpy()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` returned."""
        self.weights.copy_(torch.from_numpy(np.ascontiguousarray(arrays["weights"])))
        self.sums.copy_(torch.from_numpy(np.ascontiguousarray(arrays["sums"])))
        self._update_estimates()


def make_baseline(method: DeepCFR, game: BatchedGame) -> Baseline:
    """The baseline that a method names, for one player."""
    if not isinstance(game, ListedGame):
        raise OptionError(
            f"baseline={method.baseline!r} keeps a mean for every history, and this game is not listed: leave it out"
        )
    return HistoryBaseline(game)


def _outcomes(game: ListedGame) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """All outcomes [c] of chance moves by number, the history before each [c], and its probability [c]."""
    listing = game.tree.listing
    moves = np.flatnonzero(listing.mover == CHANCE)
    counts = listing.children[moves]
    parent = np.repeat(moves, counts)
    choice = np.arange(len(parent)) - np.repeat(np.cumsum(counts) - counts, counts)
    outcome = listing.first_child[parent].astype(np.int64) + choice
    probability = listing.probability[outcome].astype(np.float32)
    return tuple(torch.from_numpy(array).to(game.device) for array in (outcome, parent, probability))  # type: ignore[return-value]
