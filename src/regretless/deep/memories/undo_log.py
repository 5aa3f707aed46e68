"""What an iteration overwrites, so that one that fails can be undone bit for bit.

A memory holds up to tens of millions of samples and is not copied in every iteration: it logs the rows that it
overwrites. Memories that change all rows in every iteration count this copy in their `bytes_to_allocate`. Networks,
optimisers and counts are small and are copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import torch

__all__ = ["Logged", "UndoLog"]


class Logged(Protocol):
    """A memory that logs what it overwrites, while it has a log."""

    log: UndoLog | None


class UndoLog:
    """The steps that undo an iteration; the last change is undone first."""

    def __init__(self) -> None:
        self.possible = True
        """Whether all changes so far are logged."""
        self._steps: list[Callable[[], object]] = []
        self._watched: list[Logged] = []

    def watch(self, *memories: Logged) -> None:
        """Let memories log what they overwrite, until `close`."""
        for memory in memories:
            memory.log = self
            self._watched.append(memory)

    def on_undo(self, step: Callable[[], object]) -> None:
        """Add a step of your own."""
        self._steps.append(step)

    def fields(self, owner: object, *names: str) -> None:
        """Log attributes that are set anew, such as counts."""
        kept = {name: getattr(owner, name) for name in names}

        def set_back() -> None:
            for name, value in kept.items():
                setattr(owner, name, value)

        self.on_undo(set_back)

    def tensors(self, tensors: Iterable[torch.Tensor]) -> None:
        """Log whole tensors that are changed in place."""
        kept = [(tensor, tensor.clone()) for tensor in tensors]
        self.on_undo(lambda: [tensor.copy_(before) for tensor, before in kept])

    def rows(self, owner: object, names: Iterable[str], rows: torch.Tensor) -> None:
        """Log rows [n] of buffers, before they are overwritten; a buffer may grow meanwhile, into another tensor."""
        kept: dict[str, Any] = {name: getattr(owner, name)[rows] for name in names}
        self.on_undo(lambda: [getattr(owner, name).index_copy_(0, rows, was) for name, was in kept.items()])

    def first_rows(self, owner: object, names: Iterable[str], count: int) -> None:
        """Log the first rows of buffers: a copy of them, without an index."""
        kept: dict[str, torch.Tensor] = {name: getattr(owner, name)[:count].clone() for name in names}
        self.on_undo(lambda: [getattr(owner, name)[:count].copy_(was) for name, was in kept.items()])

    def undo(self) -> None:
        """Undo everything that was logged."""
        while self._steps:
            self._steps.pop()()

    def close(self) -> None:
        """Let go of what was kept."""
        self._steps.clear()
        for memory in self._watched:
            memory.log = None
        self._watched.clear()
