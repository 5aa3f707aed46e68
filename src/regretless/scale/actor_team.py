"""The actors of one solve: where they start, how they are asked, and what happens when one dies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from regretless.errors import OptionError, RegretlessError
from regretless.scale.ray_cluster import ATTEMPTS, Ray, explain

__all__ = ["ActorTeam"]


class ActorTeam(ABC):
    """Actors of one class; one that dies is replaced, given back its state and asked again."""

    actor_class: type

    def __init__(self, cluster: Ray, bytes_needed: Sequence[int]) -> None:
        """bytes_needed: [actors] memory that each reserves."""
        self.cluster, self.ray, self.bytes = cluster, cluster.connect(), bytes_needed
        self.rebuilt = 0
        reserve = self._free_for(len(bytes_needed), sum(bytes_needed))
        self.actors = [self._start(at, reserve) for at in range(len(bytes_needed))]

    @abstractmethod
    def arguments(self, at: int) -> tuple[Any, ...]:
        """What an actor is made with."""

    @abstractmethod
    def give_state(self, at: int, actor: Any) -> None:
        """Bring a new actor to the state of the one that it replaces."""

    def _free_for(self, actors: int, memory: int) -> bool:
        """Whether processors and memory for actors are free; they start without a reservation otherwise."""
        free = self.ray.available_resources()
        return bool(free.get("CPU", 0) >= actors * self.cluster.cpus_per_task and free.get("memory", 0) >= memory)

    def _start(self, at: int, reserve: bool) -> Any:
        """A new actor; without `reserve` it also starts where all processors are taken, as after the loss of a node."""
        cpus, memory = (self.cluster.cpus_per_task, self.bytes[at] or None) if reserve else (0, None)
        made = self.ray.remote(num_cpus=cpus, memory=memory, scheduling_strategy="SPREAD", max_restarts=0)(
            self.actor_class
        )
        return made.remote(*self.arguments(at))

    def ask(self, call: Callable[[Any, int], Any]) -> list[Any]:
        """What every actor answers to `call(actor, its number)`; one that has died is replaced and asked again."""
        waiting = [call(actor, at) for at, actor in enumerate(self.actors)]
        return [self.answer(at, answer, call) for at, answer in enumerate(waiting)]

    def answer(self, at: int, answer: Any, call: Callable[[Any, int], Any]) -> Any:
        """What one actor answers."""
        for attempt in range(ATTEMPTS + 1):
            try:
                return self.ray.get(answer)
            except self.ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, RegretlessError):
                    raise error.cause from None
                raise OptionError(f"an actor failed: {explain(error)}") from error
            except self.ray.exceptions.RayError as error:
                if attempt == ATTEMPTS:
                    raise OptionError(f"an actor was replaced {ATTEMPTS} times: {explain(error)}") from error
            self._rebuild(at)
            answer = call(self.actors[at], at)
        raise AssertionError

    def _rebuild(self, at: int) -> None:
        """Replace an actor."""
        self.rebuilt += 1
        self.ray.kill(self.actors[at])
        actor = self.actors[at] = self._start(at, self._free_for(1, self.bytes[at]))
        self.give_state(at, actor)

    def close(self) -> None:
        """End the actors."""
        if self.ray.is_initialized():
            for actor in self.actors:
                self.ray.kill(actor)
        self.actors = []
