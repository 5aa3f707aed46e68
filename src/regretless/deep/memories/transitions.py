"""The memory of a best response: a player's latest decisions, each with its reward and the next decision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame
from regretless.deep.memories.reservoir import check_memory
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.walks.selfplay import Decisions

__all__ = ["TransitionMemory", "Transitions"]

COLUMNS = ("infosets", "heads", "rewards", "following", "ended")


class Transitions(NamedTuple):
    """Decisions and what followed."""

    infosets: torch.Tensor  # [n, …]
    heads: torch.Tensor  # [n] int64 the action taken
    rewards: torch.Tensor  # [n] float32 the payoff where the play ended, else 0
    following: torch.Tensor  # [n, …] the infoset of the player's next decision; undefined where the play ended
    ended: torch.Tensor  # [n] bool


class TransitionMemory:
    """A circular buffer of the latest `capacity` transitions."""

    log: UndoLog | None = None
    """Where it logs what it overwrites, while an iteration is under way."""

    def __init__(self, game: BatchedGame, capacity: int) -> None:
        self.capacity, self.device, self.seen = capacity, game.device, 0
        infoset = game.infoset_dtype.itemsize * math.prod(game.infoset_shape)
        needed, what = capacity * (2 * infoset + 2 + 4 + 1), f"a memory of {capacity:,} transitions"
        check_memory(needed, what, game.device, "set response_capacity lower")
        self.bytes_to_allocate = 0 if game.device.type == "cuda" else needed  # a CPU allocates zeros on first write
        shape, kind = (capacity, *game.infoset_shape), game.infoset_dtype
        self.infosets = torch.zeros(shape, dtype=kind, device=game.device)
        self.following = torch.zeros(shape, dtype=kind, device=game.device)
        self.heads = torch.zeros(capacity, dtype=torch.int16, device=game.device)
        self.rewards = torch.zeros(capacity, device=game.device)
        self.ended = torch.zeros(capacity, dtype=torch.bool, device=game.device)
        self.held = torch.zeros((), dtype=torch.float64, device=game.device)  # number of transitions, for graphs

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, decisions: Decisions, unit: float) -> None:
        """Add a player's decisions; rewards are payoffs divided by `unit` chips."""
        count = len(decisions.heads)
        kept = torch.arange(max(0, count - self.capacity), count, device=self.device)
        slots = (self.seen + kept) % self.capacity
        last = decisions.following < 0
        if self.log is not None:
            self.log.fields(self, "seen")
            self.log.rows(self, COLUMNS, slots[slots < len(self)])
        self.infosets[slots] = decisions.infosets[kept]
        self.heads[slots] = decisions.heads[kept].to(torch.int16)
        self.rewards[slots] = torch.where(last, decisions.won / unit, 0.0)[kept]
        self.following[slots] = decisions.infosets[decisions.following.clamp(min=0)][kept]
        self.ended[slots] = last[kept]
        self.seen += count

    def prepare(self) -> None:
        """Prepare for batches from what it holds now."""
        self.held.fill_(len(self))

    def batch(self, size: int, generator: torch.Generator) -> Transitions:
        """Transitions drawn with replacement; on a GPU `prepare` has said from how many."""
        if self.device.type == "cuda":
            draw = torch.rand(size, dtype=torch.float64, device=self.device, generator=generator)
            slots = (draw * self.held).to(torch.int64)
        else:
            slots = torch.randint(len(self), (size,), device=self.device, generator=generator)
        return Transitions(
            self.infosets[slots],
            self.heads[slots].long(),
            self.rewards[slots],
            self.following[slots],
            self.ended[slots],
        )

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, by name."""
        columns = {name: getattr(self, name)[: len(self)].cpu().numpy() for name in COLUMNS}
        return {**columns, "seen": np.array([self.seen])}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` returned."""
        self.seen = int(arrays["seen"][0])
        for name in COLUMNS:
            getattr(self, name)[: len(self)] = torch.from_numpy(np.ascontiguousarray(arrays[name])).to(self.device)
