"""A memory of a fixed set of infosets, for walks that visit all infosets in every iteration.

A walk over all boards computes the advantages at all infosets, too many to store. The memory follows some of them, as
many at each decision of the betting, and holds the weighted mean of the advantages at each. This is the loss of a
reservoir without the variance of targets between iterations: the targets are a function of the infoset alone.

The weights of infosets differ by orders of magnitude, and batches drawn alike from all of them would be noisy. So after
every walk the samples that batches are drawn from are drawn anew, in proportion to the weights, and then count alike.
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
from regretless.deep.memories.strategy_targets import strategy_targets
from regretless.deep.networks.regret_matching import Fallback
from regretless.deep.walks.drawing import draw
from regretless.deep.walks.traversal import Positions, Samples

__all__ = ["FixedInfosetMemory"]


class FixedInfosetMemory(SampleMemory):
    """Means over iterations at n = `count` fixed infosets, and the weight of each; `drawn` samples are fitted.

    `floor` clips targets below (see `clip_level`). With a `strategies` fallback targets are strategies (see
    `strategy_targets`). `predictive` is how often the advantages of the last walk count once more in targets, as a
    guess of the next ones.
    """

    def __init__(
        self,
        game: BatchedGame,
        count: int,
        floor: float = 0.0,
        *,
        strategies: Fallback | None = None,
        predictive: float = 0.0,
        drawn: int | None = None,
    ) -> None:
        self.count, self.floor, self.strategies, self.predictive = count, floor, strategies, predictive
        self.reached = torch.zeros(0, device=game.device)  # [n] weights
        super().__init__(game, min(count, drawn or count), "window", "traversals")
        self.followed = self.infosets  # [n, …] those that are followed; `infosets` are those of samples
        self.means = self.targets  # [n, A]
        self.positions: Positions | None = None
        """The positions of the infosets, and how often they were drawn; None before the first walk."""

    @property
    def bytes_to_allocate(self) -> int:
        """Bytes of samples, and of infosets with means, weights and positions, as far as they are not there; and what
        an iteration overwrites: all weights and means, but no infoset."""
        heads = self.targets.shape[1]
        samples = (self.capacity - len(self.weights)) * self.bytes_per_sample
        followed = (self.count - len(self.reached)) * (self.bytes_per_sample + 12)
        return samples + followed + self.count * (4 + 4 * heads)

    def follow(self, positions: Positions) -> None:
        """The positions of the infosets to follow, before the first walk."""
        if self.log is not None:
            self.log.fields(self, "positions")
        self.positions = positions

    def add(self, samples: Samples, weight: float, generator: torch.Generator) -> None:
        """Add the samples of one walk to the means; the first samples determine the infosets."""
        if samples.positions is None:
            raise ValueError("only samples of walks over all boards have positions")
        self._allocate()
        if self.log is not None:  # every row changes, see `bytes_to_allocate`
            self.log.fields(self, "seen", "total")
            self.log.tensors([self.scale, self.reached, self.means])
        if not self.seen:
            self.followed.copy_(samples.infosets)
        positions = self.positions or samples.positions
        if self.positions is None:
            self.follow(positions)
        drawn, now = positions.reach, samples.positions.reach
        weights = torch.where(drawn > 0, weight * now / drawn, 0.0)
        self.reached += weights
        share = torch.where(weights > 0, weights / self.reached, 0.0)
        self.means += share[:, None] * (samples.values - self.means)
        self.seen += len(samples.infosets)
        targets = self.means
        if self.predictive:
            targets = torch.addcmul(targets, self.predictive * share[:, None], samples.values)
        self._choose(targets, generator)

    def _allocate(self) -> None:
        """Allocate what is followed beside the samples, once."""
        self._grow(self.capacity)
        if len(self.reached) < self.count:
            samples = (self.infosets, self.targets, self.weights)
            self.followed, self.means, self.reached = (
                buffer.new_zeros((self.count, *buffer.shape[1:])) for buffer in samples
            )

    def _choose(self, targets: torch.Tensor, generator: torch.Generator) -> None:
        """Draw the samples, in proportion to the weights, from targets [n, A]."""
        weights = self.reached
        if self.strategies:
            targets, weights = strategy_targets(targets, self.game.legal(self.followed), weights, self.strategies)
        chosen = draw(weights, self.capacity, generator)
        if not len(chosen):  # the other player ends every play before this one moves
            chosen = torch.arange(self.capacity, device=self.device)
        self.infosets.copy_(self.followed[chosen])
        self.targets.copy_(targets[chosen])
        self.weights.fill_(1.0)
        self.total = float(len(chosen))

    def prepare(self, size: int, *, scaled: bool) -> float:
        """Also compute the level at which targets are clipped."""
        if self.floor:
            self.lowest.fill_(clip_level(self.targets, self.weights, self.floor))
        return super().prepare(size, scaled=scaled)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, by name."""
        none = torch.zeros(0)
        index, reach = self.positions or (none.long(), none)
        kept = {
            "infosets": self.followed, "numbers": self.means, "weights": self.reached, "where": index, "often": reach,
        }  # fmt: skip
        held = {name: tensor[: self.count if self.seen else 0].cpu().numpy() for name, tensor in kept.items()}
        return {**held, "seen": np.array([self.seen]), "scale": self.scale.cpu().numpy().reshape(1)}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` returned; the samples are drawn anew after the next walk."""
        self.seen = int(arrays["seen"][0])
        self.scale.fill_(float(arrays["scale"][0]))
        if self.seen:
            put = lambda array: torch.from_numpy(np.ascontiguousarray(array)).to(self.device)  # noqa: E731
            self._allocate()
            self.followed.copy_(put(arrays["infosets"]))
            self.means.copy_(put(arrays["numbers"]))
            self.reached.copy_(put(arrays["weights"]))
            self.positions = Positions(put(arrays["where"]), put(arrays["often"]))
