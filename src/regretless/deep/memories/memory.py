"""What training takes from a memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy.typing as npt
import torch

from regretless.deep.walks.traversal import Found

__all__ = ["Batch", "Memory", "least_of"]


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

    @property
    def room_to_take(self) -> int:
        """Bytes that it will take besides those that it has."""
        return 0

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


def least_of(means: torch.Tensor, weights: torch.Tensor, floor: float) -> float:
    """Below which mean advantages [n, A] of weights [n] need not be told apart: minus `floor` times the positive ones.

    Regret matching asks what is positive and by how much. In the mean over iterations that is little, while what bad
    actions lose stays large: a network that is fitted to both spends itself on what nobody asks for. The size of
    positive parts is the root of the sum of their squares, in the mean over all infosets; with a floor of 0, or where
    there are none, everything is told apart.
    """
    square = (weights[:, None] * means.clamp(min=0).square()).sum() / weights.sum().clamp(min=1e-30)
    least = floor * float(square) ** 0.5
    return -least if least > 0 else -torch.finfo(torch.float32).max
