"""A memory of a fixed set of infosets, for walks that visit all infosets in every iteration.

A walk over all boards computes the advantages at all infosets, too many to store. The first walk draws some of them,
each in proportion to its reach; the memory then holds the weighted mean of the advantages at each. This is the loss of
a reservoir without the variance of targets between iterations: the targets are a function of the infoset alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame
from regretless.deep.memories.memory import clip_level
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.walks.traversal import Positions, Samples

__all__ = ["FixedInfosetMemory"]


class FixedInfosetMemory(SampleMemory):
    """Means over iterations at n fixed infosets, and the weight of each.

    `floor` clips targets below (see `clip_level`).
    """

    def __init__(self, game: BatchedGame, capacity: int, floor: float = 0.0) -> None:
        super().__init__(game, capacity, "window", "traversals")
        self.floor = floor
        self.positions: Positions | None = None
        """The positions of the infosets with their reach in the first walk; None before it."""

    @property
    def bytes_per_sample(self) -> int:
        """Bytes of one infoset, its means and its position."""
        return super().bytes_per_sample + 12

    @property
    def logged_per_sample(self) -> int:
        """Every iteration changes all weights and targets, and no infoset."""
        return 4 + 4 * self.targets.shape[1]

    def add(self, samples: Samples, weight: float, generator: torch.Generator) -> None:
        """Add the samples of one walk to the means; the first samples determine the infosets."""
        if samples.positions is None:
            raise ValueError("only samples of walks over all boards have positions")
        self._grow(self.capacity)
        if self.log is not None:  # every row changes, see `logged_per_sample`
            self.log.fields(self, "seen", "total", "positions")
            self.log.tensors([self.scale, self.weights, self.targets])
        if self.positions is None:
            self.infosets.copy_(samples.infosets)
            self.positions = samples.positions
        first, now = self.positions.reach, samples.positions.reach
        weights = torch.where(first > 0, weight * now / first, 0.0)
        self.weights += weights
        share = torch.where(weights > 0, weights / self.weights, 0.0)
        self.targets += share[:, None] * (samples.values - self.targets)
        self.total = float(self.weights.double().sum())
        self.seen += len(samples.infosets)

    def prepare(self, size: int, *, scaled: bool) -> float:
        """Also compute the level at which targets are clipped."""
        if self.floor:
            self.lowest.fill_(clip_level(self.targets, self.weights, self.floor))
        return super().prepare(size, scaled=scaled)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, by name."""
        none = torch.zeros(0)
        index, reach = self.positions or (none.long(), none)
        return {**super().arrays(), "where": index.cpu().numpy(), "often": reach.cpu().numpy()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` returned."""
        super().restore(arrays)
        if self.seen:
            put = lambda array: torch.from_numpy(np.ascontiguousarray(array)).to(self.device)  # noqa: E731
            self.positions = Positions(put(arrays["where"]), put(arrays["often"]))
