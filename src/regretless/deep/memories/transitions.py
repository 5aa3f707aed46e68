"""The memory of a best response: the latest decisions of a player, each with what came of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import GameOnArrays
from regretless.deep.memories.reservoir import need_room
from regretless.deep.walks.selfplay import Decisions

__all__ = ["TransitionMemory", "Transitions"]

COLUMNS = ("infosets", "heads", "rewards", "following", "ended")


class Transitions(NamedTuple):
    """Decisions and what followed."""

    infosets: torch.Tensor  # [n, …]
    heads: torch.Tensor  # [n] int64 what was done
    rewards: torch.Tensor  # [n] float32 won at once: the payoff where the play ended, else nothing
    following: torch.Tensor  # [n, …] the infoset of the next decision; anything where the play ended
    ended: torch.Tensor  # [n] bool


class TransitionMemory:
    """A circular buffer of the latest `capacity` transitions."""

    def __init__(self, game: GameOnArrays, capacity: int) -> None:
        self.capacity, self.device, self.seen = capacity, game.device, 0
        infoset = game.infoset_dtype.itemsize * math.prod(game.infoset_shape)
        needed, what = capacity * (2 * infoset + 2 + 4 + 1), f"a memory of {capacity:,} transitions"
        need_room(needed, what, game.device, "set response_capacity lower")
        self.room_to_take = 0 if game.device.type == "cuda" else needed  # a CPU gives zeros when they are written to
        shape, kind = (capacity, *game.infoset_shape), game.infoset_dtype
        self.infosets = torch.zeros(shape, dtype=kind, device=game.device)
        self.following = torch.zeros(shape, dtype=kind, device=game.device)
        self.heads = torch.zeros(capacity, dtype=torch.int16, device=game.device)
        self.rewards = torch.zeros(capacity, device=game.device)
        self.ended = torch.zeros(capacity, dtype=torch.bool, device=game.device)

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, decisions: Decisions, unit: float) -> None:
        """Take in a player's decisions; rewards are payoffs in units of so many chips."""
        count = len(decisions.heads)
        kept = torch.arange(max(0, count - self.capacity), count, device=self.device)
        places = (self.seen + kept) % self.capacity
        last = decisions.following < 0
        self.infosets[places] = decisions.infosets[kept]
        self.heads[places] = decisions.heads[kept].to(torch.int16)
        self.rewards[places] = torch.where(last, decisions.won / unit, 0.0)[kept]
        self.following[places] = decisions.infosets[decisions.following.clamp(min=0)][kept]
        self.ended[places] = last[kept]
        self.seen += count

    def batch(self, size: int, generator: torch.Generator) -> Transitions:
        """Transitions drawn with replacement."""
        which = torch.randint(len(self), (size,), device=self.device, generator=generator)
        return Transitions(
            self.infosets[which],
            self.heads[which].long(),
            self.rewards[which],
            self.following[which],
            self.ended[which],
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All it holds, by name."""
        parts = {name: getattr(self, name)[: len(self)].cpu().numpy() for name in COLUMNS}
        return {**parts, "seen": np.array([self.seen])}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `arrays` once returned."""
        self.seen = int(arrays["seen"][0])
        for name in COLUMNS:
            getattr(self, name)[: len(self)] = torch.from_numpy(np.ascontiguousarray(arrays[name])).to(self.device)
