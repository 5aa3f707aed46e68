"""What training takes from a memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy.typing as npt
import torch

from regretless.deep.traversal import Found

__all__ = ["Batch", "Memory"]


class Batch(NamedTuple):
    """Some samples to learn from."""

    features: torch.Tensor  # [n, F]
    targets: torch.Tensor  # [n, A]
    legal: torch.Tensor  # [n, A] 1 where a head is an action, else 0
    weights: torch.Tensor  # [n] they add up to about one


class Memory(ABC):
    """Samples of infosets with a number for each head, and the weight of the iteration that each comes from."""

    seen: int
    """Samples ever added."""

    @abstractmethod
    def __len__(self) -> int:
        """Samples held."""

    @abstractmethod
    def add(self, found: Found, weight: float, generator: torch.Generator) -> None:
        """Take in samples of one weight, one after the other."""

    @abstractmethod
    def prepare(self, size: int, *, scaled: bool) -> float:
        """Make ready for batches of about `size` samples; returns what targets are divided by.

        With `scaled` that is the root of their mean square, so that what a network learns is of order one.
        """

    @abstractmethod
    def batch(self, generator: torch.Generator) -> Batch:
        """Samples drawn anew, or, where it is prepared to show all it holds at once, always the same."""

    @abstractmethod
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All it holds, by name."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `arrays` once returned."""
