"""Memories of samples on a device: a uniform sample of all samples ever added, or the latest ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame
from regretless.deep.memories.memory import Batch, Memory
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.walks.traversal import Samples
from regretless.errors import OptionError
from regretless.linter.memory import available_memory, in_units

__all__ = ["SampleMemory", "check_memory", "check_total_memory", "reservoir_slots"]

INITIAL_SLOTS = 1 << 14
"""Slots of the first allocation; the buffers double until the capacity is reached."""

SCALE_SAMPLES = 1 << 16
"""At most about twice this many samples determine the scale of targets."""

COLUMNS = {"infosets": "infosets", "numbers": "targets", "weights": "weights"}
"""The buffers by their names in files."""


class SampleMemory(Memory):
    """At most `capacity` samples; the kind says which ones are kept.

    | kind | contents |
    |---|---|
    | `"reservoir"` | every sample ever added with the same probability (Vitter 1985, algorithm R) |
    | `"window"` | the latest samples: a circular buffer |

    `setting` is the name of the capacity in messages. `one_scale` is for recursive refits, which forget all samples in
    every iteration: the divisor of targets is set by the first samples and never changes, so that outputs of the
    network keep their unit.
    """

    def __init__(
        self,
        game: BatchedGame,
        capacity: int,
        kind: Literal["reservoir", "window"] = "reservoir",
        setting: str = "capacity",
        *,
        one_scale: bool = False,
    ) -> None:
        self.game, self.capacity, self.kind, self.device = game, capacity, kind, game.device
        self.one_scale = one_scale
        self.seen = 0
        self.infosets = torch.zeros((0, *game.infoset_shape), dtype=game.infoset_dtype, device=game.device)
        self.targets = torch.zeros((0, game.heads), device=game.device)  # [n, A]
        self.weights = torch.zeros(0, device=game.device)  # [n]
        self.total = 0.0  # sum of the weights
        self.held = torch.zeros((), dtype=torch.float64, device=game.device)  # number of samples
        self.share = torch.zeros((), device=game.device)  # factor of weights in a batch
        self.scale = torch.ones((), device=game.device)  # divisor of targets
        self.lowest = torch.full((), -torch.finfo(torch.float32).max, device=game.device)  # targets are clipped below
        self.size = 0
        check_memory(self.bytes_to_allocate, f"a memory of {capacity:,} samples", game.device, f"set {setting} lower")

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    @property
    def bytes_per_sample(self) -> int:
        """Bytes of one sample."""
        infoset = self.infosets.element_size() * int(np.prod(self.infosets.shape[1:], dtype=np.int64))
        return infoset + 4 * self.targets.shape[1] + 4

    @property
    def bytes_to_allocate(self) -> int:
        """Bytes that it will allocate in addition to those it has, with what an undo log copies of all its samples."""
        return (self.capacity - len(self.weights)) * self.bytes_per_sample + self.capacity * self.logged_per_sample

    @property
    def logged_per_sample(self) -> int:
        """Bytes of each sample that an undo log copies in every iteration; 0 where only some are overwritten."""
        return self.bytes_per_sample if self.one_scale else 0

    def add(self, samples: Samples, weight: float, generator: torch.Generator) -> None:
        """Add samples in their order, with the same weight times their own factors."""
        count = len(samples.infosets)
        self._grow(min(self.seen + count, self.capacity))
        kept = torch.arange(count, device=self.device)
        if self.kind == "window":
            kept = kept[max(0, count - self.capacity) :]
            slots = (self.seen + kept) % self.capacity
        else:
            slots = reservoir_slots(self.seen, count, self.capacity, generator)
            kept, slots = last_per_slot(kept[slots < self.capacity], slots[slots < self.capacity])
        self._log(slots)
        self.infosets[slots] = samples.infosets[kept]
        self.targets[slots] = samples.values[kept]
        self.seen += count
        if samples.weights is None:
            self.total += weight * len(slots) - float(self.weights[slots].double().sum())
            self.weights[slots] = weight
        else:  # summed anew: unlike whole numbers, such weights have no exact running sum for a resumed run to continue
            self.weights[slots] = (weight * samples.weights[kept]).float()
            self.total = float(self.weights[: len(self)].double().sum())

    def _log(self, slots: torch.Tensor) -> None:
        """Log what slots hold, before they are overwritten; a slot that was never used has a weight of 0."""
        if self.log is not None:
            used = len(self)
            self._log_numbers(self.log)
            self.log.rows(self, COLUMNS.values(), slots[slots < used])
            self.log.on_undo(lambda: self.weights[used:].zero_())

    def _log_numbers(self, log: UndoLog) -> None:
        log.fields(self, "seen", "total")
        log.tensors([self.scale])

    def forget(self) -> None:
        """Remove all samples."""
        if self.log is not None:
            self._log_numbers(self.log)
            self.log.first_rows(self, COLUMNS.values(), len(self))
        self.seen, self.total = 0, 0.0
        self.weights.zero_()

    def _grow(self, needed: int) -> None:
        """Allocate buffers for at least `needed` samples, at least doubled each time.

        On a GPU the whole capacity is allocated at once: a captured graph needs addresses that do not change.
        """
        if needed <= len(self.weights):
            return
        slots = min(self.capacity, max(needed, 2 * len(self.weights), INITIAL_SLOTS))
        slots = self.capacity if self.device.type == "cuda" else slots
        grown = {}
        for name in COLUMNS.values():
            old = getattr(self, name)
            grown[name] = torch.zeros((slots, *old.shape[1:]), dtype=old.dtype, device=self.device)
            grown[name][: len(old)] = old
        for name, new in grown.items():  # all of them or, where memory runs out, none
            setattr(self, name, new)

    def prepare(self, size: int, *, scaled: bool) -> float:
        """The weights of a batch will sum to about 1: on average a sample counts as the paper's 2t′/T."""
        held = len(self)
        self.size = size
        self.held.fill_(held)
        self.share.fill_(held / (size * self.total) if held else 0.0)
        if scaled and held and not (self.one_scale and float(self.scale) != 1.0):
            some = slice(0, held, max(1, held // SCALE_SAMPLES))
            square = torch.maximum(self.targets[some], self.lowest).square().sum(1)
            weights = self.weights[some]
            self.scale.fill_(float((weights @ square / weights.sum()).sqrt()) or 1.0)
        return float(self.scale)

    def batch(self, generator: torch.Generator) -> Batch:
        """Samples drawn with replacement."""
        draw = torch.rand(self.size, dtype=torch.float64, device=self.device, generator=generator)
        return self.samples((draw * self.held).to(torch.int64))

    def samples(self, slots: torch.Tensor) -> Batch:
        """The samples in the given slots [n]."""
        infosets = self.infosets[slots]
        weights = self.weights[slots] * self.share
        targets = torch.maximum(self.targets[slots], self.lowest) / self.scale
        return Batch(self.game.features(infosets), targets, self.game.legal(infosets).float(), weights)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, by name."""
        columns = {name: getattr(self, buffer)[: len(self)].cpu().numpy() for name, buffer in COLUMNS.items()}
        return {**columns, "seen": np.array([self.seen]), "scale": self.scale.cpu().numpy().reshape(1)}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` returned."""
        self.seen = int(arrays["seen"][0])
        self.scale.fill_(float(arrays["scale"][0]))
        self._grow(len(self))
        for name, buffer in COLUMNS.items():
            getattr(self, buffer)[: len(self)] = torch.from_numpy(np.ascontiguousarray(arrays[name])).to(self.device)
        self.total = float(self.weights[: len(self)].double().sum())


def reservoir_slots(seen: int, count: int, capacity: int, generator: torch.Generator) -> torch.Tensor:
    """[count] the slots of samples number seen, seen + 1, …; a slot from `capacity` on means that it is not stored.

    The first `capacity` samples fill the slots in order. Sample j (from 0) draws one of j + 1 slots uniformly: it is
    stored with probability capacity / (j + 1), and replaces each stored sample with the same probability.
    """
    number = torch.arange(seen, seen + count, dtype=torch.int64, device=generator.device)
    draw = torch.rand(count, dtype=torch.float64, device=generator.device, generator=generator)
    drawn = (draw * (number + 1)).to(torch.int64)
    return torch.where(number < capacity, number, drawn)


def last_per_slot(kept: torch.Tensor, slots: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Samples [k] and their slots [k], without samples that a later one overwrites."""
    order = torch.argsort(slots, stable=True)
    kept, slots = kept[order], slots[order]
    last = torch.ones(len(slots), dtype=torch.bool, device=slots.device)
    last[:-1] = slots[1:] != slots[:-1]
    return kept[last], slots[last]


def check_total_memory(needed: Iterable[int], device: torch.device, advice: str) -> None:
    """Raise OptionError if memories fit one by one but not together; `needed` are their `bytes_to_allocate`."""
    check_memory(sum(needed), "filling all memories", device, advice)


def check_memory(needed: int, what: str, device: torch.device, advice: str = "set capacity lower") -> None:
    """Raise OptionError if `needed` bytes are not free on the device."""
    free = torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else available_memory()
    if free is not None and needed > free:
        where = "on the GPU" if device.type == "cuda" else "in memory"
        raise OptionError(f"{what} takes {in_units(needed)}, and {in_units(free)} are free {where}: {advice}")
