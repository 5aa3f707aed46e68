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
from regretless.deep.networks.regret_matching import match_regrets
from regretless.deep.walks.board_walks import draw
from regretless.deep.walks.traversal import Positions, Samples

__all__ = ["FixedInfosetMemory"]

SETTLED = 0.05
"""With strategies as targets: what an infoset without positive means counts, relative to the mean infoset."""


class FixedInfosetMemory(SampleMemory):
    """Means over iterations at n fixed infosets, and the weight of each.

    `floor` clips targets below (see `clip_level`). With `strategies` targets are regret matching on the means, and an
    infoset counts in proportion to its positive means: an error there costs that much (see `_choose`). `predictive` is
    how often the advantages of the last walk count once more in targets, as a guess of the next ones.
    """

    def __init__(
        self,
        game: BatchedGame,
        capacity: int,
        floor: float = 0.0,
        *,
        strategies: bool = False,
        predictive: float = 0.0,
    ) -> None:
        super().__init__(game, capacity, "window", "traversals")
        self.floor, self.strategies, self.predictive = floor, strategies, predictive
        self.followed = self.infosets  # [n, …] those that are followed; `infosets` are those of samples
        self.means, self.reached = self.targets, self.weights  # [n, A], [n] of those that are followed
        self.positions: Positions | None = None
        """The positions of the infosets, and how often they were drawn; None before the first walk."""

    @property
    def bytes_per_sample(self) -> int:
        """Bytes of one infoset, its means and its position, and of one sample."""
        return 2 * super().bytes_per_sample + 12

    @property
    def logged_per_sample(self) -> int:
        """Every iteration changes all weights and means, and no infoset; samples are drawn anew."""
        return 4 + 4 * self.targets.shape[1]

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
        if self.log is not None:  # every row changes, see `logged_per_sample`
            self.log.fields(self, "seen", "total")
            self.log.tensors([self.scale, self.reached, self.means])
        if not self.seen:
            self.followed.copy_(samples.infosets)
        if self.positions is None:
            self.follow(samples.positions)
        drawn, now = (self.positions or samples.positions).reach, samples.positions.reach
        weights = torch.where(drawn > 0, weight * now / drawn, 0.0)
        self.reached += weights
        share = torch.where(weights > 0, weights / self.reached, 0.0)
        self.means += share[:, None] * (samples.values - self.means)
        self.seen += len(samples.infosets)
        again = self.predictive * share[:, None]
        self._choose(torch.addcmul(self.means, again, samples.values) if self.predictive else self.means, generator)

    def _allocate(self) -> None:
        """Allocate what is followed beside the samples, once."""
        self._grow(self.capacity)
        if len(self.reached) < self.capacity:
            made = [torch.zeros_like(buffer) for buffer in (self.infosets, self.targets, self.weights)]
            self.followed, self.means, self.reached = made

    def _choose(self, targets: torch.Tensor, generator: torch.Generator) -> None:
        """Draw the samples, in proportion to the weights, from targets [n, A].

        With σ the strategy that is played and R⁺ the positive means, the sum of |R⁺|² over infosets grows in the next
        iteration by about 2 |R⁺|₁ · (the value of regret matching − that of σ). So with strategies infosets have the
        weight |R⁺|₁ besides.
        """
        weights = self.reached
        if self.strategies:
            positive = targets.clamp(min=0).sum(1)
            smallest = torch.finfo(positive.dtype).tiny
            mean = (weights @ positive / weights.sum().clamp(min=smallest)).clamp(min=smallest)
            targets = match_regrets(targets, self.game.legal(self.followed))
            weights = weights * (positive / mean + SETTLED)
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
        return {**super().arrays(), **{name: tensor.cpu().numpy() for name, tensor in kept.items()}}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` returned; the samples are drawn anew after the next walk."""
        super().restore(arrays)
        if self.seen:
            put = lambda array: torch.from_numpy(np.ascontiguousarray(array)).to(self.device)  # noqa: E731
            self._allocate()
            self.followed.copy_(put(arrays["infosets"]))
            self.means.copy_(put(arrays["numbers"]))
            self.reached.copy_(put(arrays["weights"]))
            self.positions = Positions(put(arrays["where"]), put(arrays["often"]))
