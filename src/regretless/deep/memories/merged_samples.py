"""A memory in which samples of one infoset are merged as they come; for games whose infosets have numbers.

The loss of a network over all samples ever seen is

    Σ_samples w ‖f(I) − x‖²  =  Σ_infosets W(I) ‖f(I) − x̄(I)‖²  +  what does not depend on f

with W the sum of the weights of an infoset's samples and x̄ their weighted mean (for the cross-entropy of strategies
likewise). So this is a reservoir that never fills up, exactly, at the price of a row for every infoset; and where these
are few enough to be one batch, a step of training follows the gradient itself and not an estimate of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import NumberedGame
from regretless.deep.memories.memory import Batch, Memory, least_of
from regretless.deep.walks.traversal import Found

__all__ = ["MergedMemory"]

ALL_AT_ONCE = 2.0
"""Times the size of a batch up to which all infosets are one batch."""


class MergedMemory(Memory):
    """Sums of weights and of weighted numbers at the infosets of some players; i of them, I of all.

    `floor` says below what means are told apart no more (see `least_of`).
    """

    def __init__(self, game: NumberedGame, players: list[int], floor: float = 0.0) -> None:
        self.game, self.players, self.floor, self.seen = game, players, floor, 0
        self.weights = torch.zeros(game.infoset_count, dtype=torch.float64, device=game.device)  # [I]
        self.sums = torch.zeros((game.infoset_count, game.heads), dtype=torch.float64, device=game.device)  # [I, A]
        self.whole, self.size = False, 0
        self._line_up()

    def _line_up(self) -> None:
        """Make room for all infosets that have a number now."""
        self._reach(self.game.infoset_count)
        self.rows = self.game.infosets_of(self.players)  # [i]
        self.targets = torch.zeros((len(self.rows), self.game.heads), device=self.game.device)  # [i, A] as prepared
        self.shares = torch.zeros(len(self.rows), device=self.game.device)  # [i] of the weight
        self.up_to = torch.zeros(len(self.rows), dtype=torch.float64, device=self.game.device)  # [i] sums of shares
        self.shown: tuple[torch.Tensor, torch.Tensor] | None = None  # features [i, F] and legal [i, A] of all rows

    def _reach(self, count: int) -> None:
        """Let the sums go on to so many infosets."""
        more = count - len(self.weights)
        if more > 0:
            self.weights = torch.cat([self.weights, self.weights.new_zeros(more)])
            self.sums = torch.cat([self.sums, self.sums.new_zeros(more, self.game.heads)])

    def __len__(self) -> int:
        return int((self.weights > 0).sum())

    def add(self, found: Found, weight: float, generator: torch.Generator) -> None:
        """Add to the sums of each sample's infoset."""
        self._reach(self.game.infoset_count)
        infosets = found.infosets
        ones = torch.ones(len(infosets), dtype=torch.float64, device=infosets.device)
        self.weights.index_add_(0, infosets, ones, alpha=weight)
        self.sums.index_add_(0, infosets, found.numbers.double(), alpha=weight)
        self.seen += len(infosets)

    def prepare(self, size: int, *, scaled: bool) -> float:
        """Work out the means; all infosets are one batch unless they are too many."""
        rows = self.game.infosets_of(self.players)
        if len(rows) != len(self.rows):
            self._line_up()
        weights = self.weights[rows]
        means = self.sums[rows] / weights.clamp(min=1e-300)[:, None]
        if self.floor:
            means = means.clamp(min=least_of(means, weights, self.floor))
        shares = weights / weights.sum().clamp(min=1e-300)
        square = float((shares[:, None] * means.square()).sum())
        scale = square**0.5 if scaled and square > 0 else 1.0
        self.whole, self.size = len(rows) <= ALL_AT_ONCE * size, size
        if self.whole and self.shown is None:
            self.shown = self.game.features(rows), self.game.legal(rows).float()
        self.targets.copy_(means / scale)
        self.shares.copy_(shares)
        torch.cumsum(shares, 0, out=self.up_to)
        return scale

    def batch(self, generator: torch.Generator) -> Batch:
        """Every infoset with its share of the weight, or some that are drawn by it."""
        if self.whole and self.shown is not None:
            return Batch(self.shown[0], self.targets, self.shown[1], self.shares)
        draw = torch.rand(self.size, dtype=torch.float64, device=self.up_to.device, generator=generator)
        which = torch.searchsorted(self.up_to, draw * self.up_to[-1], right=True).clamp(max=len(self.up_to) - 1)
        even = torch.full((self.size,), 1 / self.size, device=draw.device)
        infosets = self.rows[which]
        return Batch(self.game.features(infosets), self.targets[which], self.game.legal(infosets).float(), even)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All it holds, by name."""
        return {
            "weights": self.weights.cpu().numpy(),
            "sums": self.sums.cpu().numpy(),
            "seen": np.array([self.seen]),
        }

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `arrays` once returned."""
        self._reach(len(arrays["weights"]))
        self.weights.copy_(torch.from_numpy(np.ascontiguousarray(arrays["weights"])))
        self.sums.copy_(torch.from_numpy(np.ascontiguousarray(arrays["sums"])))
        self.seen = int(arrays["seen"][0])
