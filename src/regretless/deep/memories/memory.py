"""The interface between memories and training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy.typing as npt
import torch

from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.walks.traversal import Samples

__all__ = ["Batch", "BatchSource", "Memory", "clip_level"]


class Batch(NamedTuple):
    """Samples of one training step."""

    features: torch.Tensor  # [n, F]
    targets: torch.Tensor  # [n, A]
    legal: torch.Tensor  # [n, A] 1 where a head is an action, else 0
    weights: torch.Tensor  # [n] their sum is about 1


class BatchSource(ABC):
    """Anything that a network can be fitted to."""

    @abstractmethod
    def prepare(self, size: int, *, scaled: bool) -> float:
        """Prepare for batches of about `size` samples; returns the divisor of the targets.

        With `scaled` it is their root mean square, so that the outputs of a network are of order one.
        """

    @abstractmethod
    def batch(self, generator: torch.Generator) -> Batch:
        """A random batch, or always the same one if the memory was prepared to return all samples at once."""


class Memory(BatchSource):
    """Samples: an infoset, a target for each head, and the weight of the iteration that the sample comes from."""

    seen: int
    """Samples ever added."""
    log: UndoLog | None = None
    """Where it logs what it overwrites, while an iteration is under way."""

    @property
    def bytes_to_allocate(self) -> int:
        """Bytes that it will allocate in addition to those it has, with what an undo log copies of all its samples."""
        return 0

    @abstractmethod
    def __len__(self) -> int:
        """The number of samples it holds."""

    @abstractmethod
    def add(self, samples: Samples, weight: float, generator: torch.Generator) -> None:
        """Add samples in their order, with the weight of their iteration times their own factors."""

    @abstractmethod
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays, by name."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from what `arrays` returned."""


def clip_level(means: torch.Tensor, weights: torch.Tensor, floor: float) -> float:
    """The level at which mean advantages [n, A] of weights [n] are clipped below: −`floor` × RMS of positive parts.

    Regret matching uses only positive advantages. Averaged over iterations these are small, while those of bad actions
    stay large; a network that fits both spends its capacity on values that are never used. The RMS is over infosets, of
    the sum of squared positive parts; with a floor of 0, or without positive parts, nothing is clipped.
    """
    square = (weights[:, None] * means.clamp(min=0).square()).sum() / weights.sum().clamp(min=1e-30)
    level = floor * float(square) ** 0.5
    return -level if level > 0 else -torch.finfo(torch.float32).max
