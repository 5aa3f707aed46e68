"""What `workers=` of a solve takes: machines that its work is spread over. `rg.Ray` is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, runtime_checkable

from regretless.errors import OptionError
from regretless.method import Learner, Method, Settings
from regretless.problem import Problem
from regretless.run import Run

__all__ = ["Workers", "check_workers", "opening"]


@runtime_checkable
class Workers(Protocol):
    """Machines that solves are spread over."""

    @property
    def gpus_per_task(self) -> float:
        """GPUs of each part of a solve; 0 where only this machine may have one."""

    def opening(self) -> AbstractContextManager[None]:
        """Within it, a game is opened that has to fit into the memory of all machines and not of this one."""

    def learner(self, method: Method, problem: Any, settings: Settings) -> Learner:
        """A learner whose work is spread over the machines; an OptionError where the method has none."""

    def solve_each(
        self, methods: Sequence[Method], problems: Sequence[Problem], strategies: bool, options: Mapping[str, Any]
    ) -> list[Run]:
        """Solve each problem with its method, all at once; without `strategies` a run has its measurements alone."""


def opening(workers: Workers | None) -> AbstractContextManager[None]:
    """The context in which a game is opened that will be solved by these workers, or here."""
    return nullcontext() if workers is None else workers.opening()


def check_workers(workers: Any) -> Workers | None:
    """Refuse anything that is neither None nor machines."""
    if workers is not None and (isinstance(workers, type) or not isinstance(workers, Workers)):
        raise OptionError(f"workers is a cluster such as rg.Ray() here, got {workers!r}")
    return workers
