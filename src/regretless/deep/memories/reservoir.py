"""Memories of samples on a device: a fair sample of all that was ever seen, or the latest of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import GameOnArrays
from regretless.deep.memories.memory import Batch, Memory
from regretless.deep.walks.traversal import Found
from regretless.errors import OptionError
from regretless.linter.memory import available_memory, in_units

__all__ = ["SampleMemory", "need_room", "need_room_for_all", "reservoir_places"]

FEWEST = 1 << 14
"""Places that there is room for at first; room doubles until the capacity is reached."""

SCALED_BY = 1 << 16
"""Samples from which the scale of targets is taken."""

COLUMNS = ("infosets", "numbers", "weights")


class SampleMemory(Memory):
    """At most `capacity` samples; which ones are kept depends on the kind.

    | kind | what it holds |
    |---|---|
    | `"reservoir"` | every sample ever seen with the same probability (Vitter 1985, algorithm R) |
    | `"window"` | the latest samples: a circular buffer |

    `setting` is what users call the capacity. With `one_scale` targets are divided by the size of the first ones for
    good, so that what a network has learned keeps its meaning.
    """

    def __init__(
        self,
        game: GameOnArrays,
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
        self.numbers = torch.zeros((0, game.heads), device=game.device)  # [n, A]
        self.weights = torch.zeros(0, device=game.device)  # [n]
        self.total = 0.0  # of the weights held
        self.held = torch.zeros((), dtype=torch.float64, device=game.device)
        self.share = torch.zeros((), device=game.device)  # what a weight is multiplied with in a batch
        self.scale = torch.ones((), device=game.device)
        self.least = torch.full((), -torch.finfo(torch.float32).max, device=game.device)  # that a target may be
        self.size = 0
        need_room(self.room_to_take, f"a memory of {capacity:,} samples", game.device, f"set {setting} lower")

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    @property
    def bytes_per_sample(self) -> int:
        """Of one sample."""
        infoset = self.infosets.element_size() * int(np.prod(self.infosets.shape[1:], dtype=np.int64))
        return infoset + 4 * self.numbers.shape[1] + 4

    @property
    def room_to_take(self) -> int:
        """Bytes that it will take besides those that it has."""
        return (self.capacity - len(self.weights)) * self.bytes_per_sample

    def add(self, found: Found, weight: float, generator: torch.Generator) -> None:
        """Take in samples of one weight, one after the other."""
        count = len(found.infosets)
        self._make_room(min(self.seen + count, self.capacity))
        kept = torch.arange(count, device=self.device)
        if self.kind == "window":
            kept = kept[max(0, count - self.capacity) :]
            places = (self.seen + kept) % self.capacity
        else:
            places = reservoir_places(self.seen, count, self.capacity, generator)
            kept, places = last_of_each(kept[places < self.capacity], places[places < self.capacity])
        self.total += weight * len(places) - float(self.weights[places].double().sum())
        self.infosets[places] = found.infosets[kept]
        self.numbers[places] = found.numbers[kept]
        self.weights[places] = weight
        self.seen += count

    def forget(self) -> None:
        """Make all places free."""
        self.seen, self.total = 0, 0.0
        self.weights.zero_()

    def _make_room(self, needed: int) -> None:
        """Room for so many samples, at least doubled each time; what is there keeps its place.

        A GPU gets all of it at once: what is captured there must stay where it is.
        """
        if needed <= len(self.weights):
            return
        room = min(self.capacity, max(needed, 2 * len(self.weights), FEWEST))
        room = self.capacity if self.device.type == "cuda" else room
        for name in COLUMNS:
            old = getattr(self, name)
            new = torch.zeros((room, *old.shape[1:]), dtype=old.dtype, device=self.device)
            new[: len(old)] = old
            setattr(self, name, new)

    def prepare(self, size: int, *, scaled: bool) -> float:
        """Weights of a batch will add up to about one, so in mean a sample counts as the paper's 2t′/T does."""
        held = len(self)
        self.size = size
        self.held.fill_(held)
        self.share.fill_(held / (size * self.total) if held else 0.0)
        if scaled and held and not (self.one_scale and float(self.scale) != 1.0):
            some = slice(0, held, max(1, held // SCALED_BY))
            square = torch.maximum(self.numbers[some], self.least).square().sum(1)
            weights = self.weights[some]
            self.scale.fill_(float((weights @ square / weights.sum()).sqrt()) or 1.0)
        return float(self.scale)

    def batch(self, generator: torch.Generator) -> Batch:
        """Samples drawn with replacement."""
        draw = torch.rand(self.size, dtype=torch.float64, device=self.device, generator=generator)
        return self.samples((draw * self.held).to(torch.int64))

    def samples(self, which: torch.Tensor) -> Batch:
        """Some samples, by number [n]."""
        infosets = self.infosets[which]
        weights = self.weights[which] * self.share
        targets = torch.maximum(self.numbers[which], self.least) / self.scale
        return Batch(self.game.features(infosets), targets, self.game.legal(infosets).float(), weights)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All it holds, by name."""
        parts = {name: getattr(self, name)[: len(self)].cpu().numpy() for name in COLUMNS}
        return {**parts, "seen": np.array([self.seen]), "scale": self.scale.cpu().numpy().reshape(1)}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `arrays` once returned."""
        self.seen = int(arrays["seen"][0])
        self.scale.fill_(float(arrays["scale"][0]))
        self._make_room(len(self))
        for name in COLUMNS:
            getattr(self, name)[: len(self)] = torch.from_numpy(np.ascontiguousarray(arrays[name])).to(self.device)
        self.total = float(self.weights[: len(self)].double().sum())


def reservoir_places(seen: int, count: int, capacity: int, generator: torch.Generator) -> torch.Tensor:
    """[count] where samples number seen, seen + 1, … go; a place beyond the capacity means nowhere.

    The first `capacity` samples take the places in turn. Sample j (from 0) takes a uniformly drawn one of j + 1 places:
    it stays with probability capacity / (j + 1) and then replaces any of the others alike.
    """
    number = torch.arange(seen, seen + count, dtype=torch.int64, device=generator.device)
    draw = torch.rand(count, dtype=torch.float64, device=generator.device, generator=generator)
    drawn = (draw * (number + 1)).to(torch.int64)
    return torch.where(number < capacity, number, drawn)


def last_of_each(kept: torch.Tensor, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Samples [k] and their places [k] without those whose place is taken again by a later one."""
    order = torch.argsort(places, stable=True)
    kept, places = kept[order], places[order]
    last = torch.ones(len(places), dtype=torch.bool, device=places.device)
    last[:-1] = places[1:] != places[:-1]
    return kept[last], places[last]


def need_room_for_all(needed: Iterable[int], device: torch.device, instead: str) -> None:
    """Refuse memories that fit one by one and not together; `needed` is the `room_to_take` of each."""
    need_room(sum(needed), "filling all memories", device, instead)


def need_room(needed: int, what: str, device: torch.device, instead: str = "set capacity lower") -> None:
    """Refuse what can never be filled, and say what to do instead."""
    free = torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else available_memory()
    if free is not None and needed > free:
        where = "on the GPU" if device.type == "cuda" else "in memory"
        raise OptionError(f"{what} takes {in_units(needed)}, and {in_units(free)} are free {where}: {instead}")
