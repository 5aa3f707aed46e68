"""A memory that merges the samples of each infoset, for games whose infosets are numbered.

The loss of a network over all samples ever added is

    Σ_samples w ‖f(I) − x‖²  =  Σ_infosets W(I) ‖f(I) − x̄(I)‖²  +  a term that does not depend on f

with W the sum of the weights of an infoset's samples and x̄ their weighted mean (the cross-entropy of strategies has the
same form). So this is exactly a reservoir of unlimited capacity, with one row per infoset. Where all rows fit into one
batch, a training step follows the exact gradient and not an estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import NumberedGame
from regretless.deep.memories.memory import Batch, Memory, clip_level
from regretless.deep.memories.strategy_targets import strategy_targets
from regretless.deep.networks.regret_matching import Fallback
from regretless.deep.walks.traversal import Samples

__all__ = ["MergedMemory"]

WHOLE_UP_TO = 2.0
"""Up to this multiple of the batch size, all infosets are one batch."""


class MergedMemory(Memory):
    """Sums of weights and of weighted targets at the infosets of some players; i of them, I infosets in all.

    `floor` clips targets below (see `clip_level`). With a `strategies` fallback targets are strategies (see
    `strategy_targets`).
    """

    def __init__(
        self, game: NumberedGame, players: list[int], floor: float = 0.0, strategies: Fallback | None = None
    ) -> None:
        self.game, self.players, self.floor, self.strategies, self.seen = game, players, floor, strategies, 0
        self.weights = torch.zeros(game.infoset_count, dtype=torch.float64, device=game.device)  # [I]
        self.sums = torch.zeros((game.infoset_count, game.heads), dtype=torch.float64, device=game.device)  # [I, A]
        self.whole, self.size = False, 0
        self._allocate_batch()

    def _allocate_batch(self) -> None:
        """Allocate the buffers of a batch for all infosets that have a number now."""
        self._grow(self.game.infoset_count)
        self.rows = self.game.infosets_of(self.players)  # [i]
        self.targets = torch.zeros((len(self.rows), self.game.heads), device=self.game.device)  # [i, A]
        self.shares = torch.zeros(len(self.rows), device=self.game.device)  # [i] shares of the total weight
        self.cumulative = torch.zeros(len(self.rows), dtype=torch.float64, device=self.game.device)  # [i] of shares
        self.inputs: tuple[torch.Tensor, torch.Tensor] | None = None  # features [i, F] and legal heads [i, A]

    def _grow(self, count: int) -> None:
        """Extend the sums to `count` infosets."""
        more = count - len(self.weights)
        if more > 0:
            self.weights = torch.cat([self.weights, self.weights.new_zeros(more)])
            self.sums = torch.cat([self.sums, self.sums.new_zeros(more, self.game.heads)])

    def __len__(self) -> int:
        return int((self.weights > 0).sum())

    def add(self, samples: Samples, weight: float, generator: torch.Generator) -> None:
        """Add each sample to the sums of its infoset."""
        if self.log is not None:
            self.log.fields(self, "seen", "weights", "sums")  # as long as they are now
        self._grow(self.game.infoset_count)
        infosets, factors, values = samples.infosets, samples.weights, samples.values.double()
        if self.log is not None:
            self.log.rows(self, ("weights", "sums"), infosets.long())
        if factors is None:
            factors = torch.ones(len(infosets), dtype=torch.float64, device=infosets.device)
        else:
            values *= factors[:, None]
        self.weights.index_add_(0, infosets, factors, alpha=weight)
        self.sums.index_add_(0, infosets, values, alpha=weight)
        self.seen += len(infosets)

    def prepare(self, size: int, *, scaled: bool) -> float:
        """Compute the means; all infosets are one batch unless there are too many."""
        rows = self.game.infosets_of(self.players)
        if len(rows) != len(self.rows):
            self._allocate_batch()
        weights = self.weights[rows]
        means = self.sums[rows] / weights.clamp(min=1e-300)[:, None]
        if self.floor:
            means = means.clamp(min=clip_level(means, weights, self.floor))
        if self.strategies:
            means, weights = strategy_targets(means, self.game.legal(rows), weights, self.strategies)
        shares = weights / weights.sum().clamp(min=1e-300)
        square = float((shares[:, None] * means.square()).sum())
        scale = square**0.5 if scaled and square > 0 else 1.0
        self.whole, self.size = len(rows) <= WHOLE_UP_TO * size, size
        if self.whole and self.inputs is None:
            self.inputs = self.game.features(rows), self.game.legal(rows).float()
        self.targets.copy_(means / scale)
        self.shares.copy_(shares)
        torch.cumsum(shares, 0, out=self.cumulative)
        return scale

    def batch(self, generator: torch.Generator) -> Batch:
        """Every infoset with its share of the weight, or infosets drawn in proportion to it."""
        if self.whole and self.inputs is not None:
            return Batch(self.inputs[0], self.targets, self.inputs[1], self.shares)
        draw = torch.rand(self.size, dtype=torch.float64, device=self.cumulative.device, generator=generator)
        point = draw * self.cumulative[-1]
        which = torch.searchsorted(self.cumulative, point, right=True).clamp(max=len(self.cumulative) - 1)
        equal = torch.full((self.size,), 1 / self.size, device=draw.device)
        infosets = self.rows[which]
        return Batch(self.game.features(infosets), self.targets[which], self.game.legal(infosets).float(), equal)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, by name."""
        return {
            "weights": self.weights.cpu().numpy(),
            "sums": self.sums.cpu().numpy(),
            "seen": np.array([self.seen]),
        }

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` returned."""
        self._grow(len(arrays["weights"]))
        self.weights.copy_(torch.from_numpy(np.ascontiguousarray(arrays["weights"])))
        self.sums.copy_(torch.from_numpy(np.ascontiguousarray(arrays["sums"])))
        self.seen = int(arrays["seen"][0])
