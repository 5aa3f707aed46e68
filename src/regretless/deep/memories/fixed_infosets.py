"""A memory that follows the same infosets in every iteration, for walks that come by all of them each time.

Where every board is walked, what actions gain is known at all infosets, too many to keep. Some of them are drawn once,
as often as the first walk comes there, and then followed: the memory holds the mean of what was found at each, weighted
as samples drawn anew would be. It is the loss of a reservoir without the variance of targets between iterations: what
is left for a network to learn is a function of the infoset alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import GameOnArrays
from regretless.deep.memories.memory import least_of
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.walks.traversal import Found, Places

__all__ = ["FollowedMemory"]


class FollowedMemory(SampleMemory):
    """Means over iterations at n infosets, and how much weight each has.

    `floor` says below what means are told apart no more (see `least_of`).
    """

    def __init__(self, game: GameOnArrays, capacity: int, floor: float = 0.0) -> None:
        super().__init__(game, capacity, "window", "traversals")
        self.floor = floor
        self.places: Places | None = None
        """Where they are, and how often the first walk came there; nothing before."""

    @property
    def bytes_per_sample(self) -> int:
        """Of one infoset, its means, and where it is."""
        return super().bytes_per_sample + 12

    def add(self, found: Found, weight: float, generator: torch.Generator) -> None:
        """Take in what was found at the places that are followed, or at those to follow from now on."""
        if found.places is None:
            raise ValueError("only walks of all boards tell where samples were found")
        if self.places is None:
            self._make_room(self.capacity)
            self.infosets.copy_(found.infosets)
            self.places = found.places
        weights = torch.where(self.places.often > 0, weight * found.places.often / self.places.often, 0.0)
        self.weights += weights
        share = torch.where(weights > 0, weights / self.weights, 0.0)
        self.numbers += share[:, None] * (found.numbers - self.numbers)
        self.total = float(self.weights.double().sum())
        self.seen += len(found.infosets)

    def prepare(self, size: int, *, scaled: bool) -> float:
        """Work out what need not be told apart."""
        if self.floor:
            self.least.fill_(least_of(self.numbers, self.weights, self.floor))
        return super().prepare(size, scaled=scaled)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All it holds, by name."""
        none = torch.zeros(0)
        where, often = self.places or (none.long(), none)
        return {**super().arrays(), "where": where.cpu().numpy(), "often": often.cpu().numpy()}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `arrays` once returned."""
        super().restore(arrays)
        if self.seen:
            put = lambda array: torch.from_numpy(np.ascontiguousarray(array)).to(self.device)  # noqa: E731
            self.places = Places(put(arrays["where"]), put(arrays["often"]))
