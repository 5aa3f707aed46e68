"""The memory of a network of history values: the latest moves, and targets by expected SARSA.

A move (h, a) leads to a payoff or, after moves of chance, to the next decision h′. Its target is

    the payoff u(h a), or  Σ_a′ σ(h′, a′) Q(h′, a′)

with σ the mover's current strategy at h′ and Q the network itself. Where h a leads does not depend on strategies, so
moves of earlier iterations, and moves that were sampled by another policy, are as good as new ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame
from regretless.deep.games.history_features import HistoryFeatures
from regretless.deep.memories.memory import Batch, BatchSource
from regretless.deep.memories.reservoir import check_memory
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.walks.outcome_sampling import Paths

__all__ = ["HistoryMemory"]

Array = npt.NDArray[Any]

COLUMNS = ("states", "heads", "following", "movers", "infosets", "payoffs", "ended")

Strategies = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""(movers [n], infosets [n, …]) → the current strategies [n, A] of the movers."""


class HistoryMemory(BatchSource):
    """A circular buffer of the latest `capacity` moves; V values are learned for each action.

    `outputs` is the network, features → [n, V · A]. Values are in units of the root mean square of the payoffs of the
    first moves.
    """

    log: UndoLog | None = None
    """Where it logs what it overwrites, while an iteration is under way."""

    def __init__(
        self, game: BatchedGame, features: HistoryFeatures, capacity: int, values: int, strategies: Strategies,
        outputs: Callable[[torch.Tensor], torch.Tensor],
    ) -> None:  # fmt: skip
        self.game, self.features, self.capacity, self.values = game, features, capacity, values
        self.strategies, self.outputs, self.device, self.seen, self.size = strategies, outputs, game.device, 0, 0
        state, device = game.begin(1), game.device
        kind, shape = game.infoset_dtype, (capacity, *game.infoset_shape)
        row = 2 * state.element_size() * math.prod(state.shape[1:]) + kind.itemsize * math.prod(game.infoset_shape)
        what = f"a memory of {capacity:,} moves"
        check_memory(capacity * (row + 4 + 4 * values), what, device, "set value_capacity lower")
        self.states = torch.zeros((capacity, *state.shape[1:]), dtype=state.dtype, device=device)
        self.heads = torch.zeros(capacity, dtype=torch.int16, device=device)
        self.following = torch.zeros_like(self.states)  # the next decision; undefined where the play ended
        self.movers = torch.zeros(capacity, dtype=torch.int8, device=device)  # of `following`
        self.infosets = torch.zeros(shape, dtype=kind, device=device)  # of `following`
        self.payoffs = torch.zeros((capacity, values), device=device)  # where the play ended, else 0; chips
        self.ended = torch.zeros(capacity, dtype=torch.bool, device=device)
        self.actions = torch.eye(game.heads, device=device)
        self.held = torch.zeros((), dtype=torch.float64, device=device)
        self.unit = torch.zeros((), device=device)  # chips; 0 before the first moves

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, paths: Paths) -> None:
        """Add all moves of some paths."""
        moves, count = paths.moves, len(paths.moves.heads)
        payoffs = paths.payoffs[: self.values]
        kept = torch.arange(max(0, count - self.capacity), count, device=self.device)
        slots = (self.seen + kept) % self.capacity
        if self.log is not None:
            self.log.fields(self, "seen")
            self.log.tensors([self.unit])
            self.log.rows(self, COLUMNS, slots[slots < len(self)])
        if not self.seen:
            self.unit.fill_(float(payoffs.square().mean().sqrt()) or 1.0)
        following, last = paths.following[kept].clamp(min=0), paths.following[kept] < 0
        self.states[slots] = moves.states[kept]
        self.heads[slots] = moves.heads[kept].to(torch.int16)
        self.following[slots] = moves.states[following]
        self.movers[slots] = moves.movers[following]
        self.infosets[slots] = moves.infosets[following]
        self.payoffs[slots] = payoffs[:, moves.paths[kept]].t() * last[:, None]
        self.ended[slots] = last
        self.seen += count

    def prepare(self, size: int, *, scaled: bool) -> float:
        """The unit of values does not change, because targets contain outputs of the network."""
        self.size = size
        self.held.fill_(len(self))
        return float(self.unit)

    def batch(self, generator: torch.Generator) -> Batch:
        """Moves drawn with replacement; only the values of the actions taken are targets."""
        draw = torch.rand(self.size, dtype=torch.float64, device=self.device, generator=generator)
        slots = (draw * self.held).to(torch.int64)
        outputs = self.outputs(self.features(self.following[slots])).view(self.size, self.values, -1)
        strategy = self.strategies(self.movers[slots], self.infosets[slots])
        expected = (strategy[:, None] * outputs).sum(2)
        ended = self.ended[slots][:, None]
        target = torch.where(ended, self.payoffs[slots] / self.unit, expected)  # [n, V]
        taken = self.actions[self.heads[slots].long()]  # [n, A]
        targets = (target[:, :, None] * taken[:, None]).flatten(1)
        weights = torch.full((self.size,), 1 / self.size, device=self.device)
        legal = taken.repeat(1, self.values) if self.values > 1 else taken
        return Batch(self.features(self.states[slots]), targets, legal, weights)

    def arrays(self) -> dict[str, Array]:
        """The state as arrays, by name."""
        columns = {name: getattr(self, name)[: len(self)].cpu().numpy() for name in COLUMNS}
        return {**columns, "seen": np.array([self.seen]), "unit": self.unit.cpu().numpy().reshape(1)}

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Continue from what `arrays` returned."""
        self.seen = int(arrays["seen"][0])
        self.unit.fill_(float(arrays["unit"][0]))
        for name in COLUMNS:
            getattr(self, name)[: len(self)] = torch.from_numpy(np.ascontiguousarray(arrays[name])).to(self.device)
