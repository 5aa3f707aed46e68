"""The common part of all learners with networks: iterations within PyTorch's threads, and restoring from files."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy.typing as npt

from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.pytorch import explain_out_of_memory, torch_threads
from regretless.errors import FileError
from regretless.method import Learner

__all__ = ["NetworkLearner", "with_prefix"]

Array = npt.NDArray[Any]


class NetworkLearner(Learner):
    """A learner with networks."""

    grows = True
    method: Any
    named = ""
    """The method's name in messages, where `method` is a part of it."""
    nodes = 0
    """Histories visited."""

    @abstractmethod
    def iterate(self, iteration: int) -> None:
        """Run one iteration."""

    @abstractmethod
    def restore_learned(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Restore networks, memories and tables from what `arrays` returned."""

    @abstractmethod
    def after_restore(self) -> None:
        """Recompute what is derived from the restored state."""

    @abstractmethod
    def remember(self, log: UndoLog) -> None:
        """Log what an iteration changes; memories are to be watched."""

    def advance(self, iterations: int) -> None:
        """Run `iterations` more iterations."""
        with torch_threads(self.settings.threads), explain_out_of_memory():
            for _ in range(iterations):
                with self._undone_if_it_fails() as log:
                    self.iterate(self.iteration + 1)
                    self.complete(log)
                self.iteration += 1

    def complete(self, log: UndoLog) -> None:
        """What is left to do when nothing in an iteration has failed."""

    @contextmanager
    def _undone_if_it_fails(self) -> Iterator[UndoLog]:
        """An iteration counts as a whole or not at all: networks may diverge and memory may run out inside of it."""
        log = UndoLog()
        self.whole = False
        try:
            self.remember(log)
            yield log
        except BaseException:
            with suppress(Exception):  # such as no memory: the state then stays half-done, and is not saved
                if log.possible:
                    log.undo()
                    self.after_restore()
                    self.whole = True
            raise
        finally:
            log.close()
        self.whole = True

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` returned."""
        try:
            self.nodes = int(arrays["nodes"][0])
            self.restore_learned(arrays, iteration)
        except (KeyError, IndexError, ValueError, RuntimeError):
            name = self.named or self.method.name
            raise FileError(f"the memories of this run are not those of {name}: the file is damaged") from None
        self.iteration = iteration
        with torch_threads(self.settings.threads):  # as in `advance`: PyTorch's sums depend on the number of threads
            self.after_restore()


def with_prefix(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """The arrays whose names begin with a prefix, by the rest of their names."""
    return {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}
