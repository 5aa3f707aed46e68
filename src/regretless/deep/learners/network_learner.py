"""What every method with networks does: iterations within PyTorch's threads, and going on from files that fit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from regretless.deep.torch_extra import said_if_full, threads_of_torch
from regretless.errors import FileError
from regretless.method import Learner

__all__ = ["NetworkLearner", "part_of"]

Array = npt.NDArray[Any]


class NetworkLearner(Learner):
    """Networks at work on a game."""

    grows = True
    method: Any
    nodes = 0
    """Histories touched."""

    @abstractmethod
    def iterate(self, iteration: int) -> None:
        """Run one iteration."""

    @abstractmethod
    def restore_learned(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue with networks, memories and tables from what `arrays` once returned."""

    @abstractmethod
    def restored(self) -> None:
        """Everything is as it was: work out what is derived from it."""

    def advance(self, iterations: int) -> None:
        """Run so many more iterations."""
        with threads_of_torch(self.settings.threads), said_if_full():
            for _ in range(iterations):
                self.iterate(self.iteration + 1)
                self.iteration += 1

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        try:
            self.nodes = int(arrays["nodes"][0])
            self.restore_learned(arrays, iteration)
        except (KeyError, IndexError, ValueError, RuntimeError):
            raise FileError(
                f"the memories of this run are not those of {self.method.name}: the file is damaged"
            ) from None
        self.iteration = iteration
        with threads_of_torch(self.settings.threads):  # as in `advance`: PyTorch's sums depend on the number of threads
            self.restored()


def part_of(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """The arrays whose names begin so, without it."""
    return {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}
