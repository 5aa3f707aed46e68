"""The actors of one solve: where they start, how they are asked, and what happens when one dies."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from regretless.errors import OptionError, RegretlessError
from regretless.scale.ray_cluster import ATTEMPTS, Ray, explain

__all__ = ["ActorTeam"]

GPU_SECONDS = 30.0
"""Seconds that actors wait for GPUs, for example for that of one that died."""


class ActorTeam(ABC):
    """Actors of one class; one that dies is replaced, given back its state and asked again."""

    actor_class: type

    def __init__(self, cluster: Ray, bytes_needed: Sequence[int]) -> None:
        """bytes_needed: [actors] memory that each reserves."""
        self.cluster, self.ray, self.bytes = cluster, cluster.connect(), bytes_needed
        self.rebuilt = 0
        self._wait_for_gpus(len(bytes_needed))
        reserve = self.free_for(len(bytes_needed), sum(bytes_needed))
        self.actors = [self.start(at, reserve) for at in range(len(bytes_needed))]

    @abstractmethod
    def arguments(self, at: int) -> tuple[Any, ...]:
        """What an actor is made with."""

    @abstractmethod
    def give_state(self, at: int, actor: Any) -> None:
        """Bring a new actor to the state of the one that it replaces."""

    def free_for(self, actors: int, memory: int) -> bool:
        """Whether processors and memory for actors are free; they start without a reservation otherwise."""
        free = self.ray.available_resources()
        return bool(free.get("CPU", 0) >= actors * self.cluster.cpus_per_task and free.get("memory", 0) >= memory)

    def start(self, at: int, reserve: bool) -> Any:
        """A new actor; without `reserve` it also starts where all processors are taken, as after the loss of a node."""
        cpus, memory = (self.cluster.cpus_per_task, self.bytes[at] or None) if reserve else (0, None)
        made = self.ray.remote(
            num_cpus=cpus,
            num_gpus=self.cluster.gpus_per_task,
            memory=memory,
            scheduling_strategy="SPREAD",
            max_restarts=0,
        )(self.actor_class)
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
            except self.ray.exceptions.RayError as error:
                self.refuse_failure(error)
                if attempt == ATTEMPTS:
                    raise OptionError(f"an actor was replaced {ATTEMPTS} times: {explain(error)}") from error
            self.rebuild(at)
            answer = call(self.actors[at], at)
        raise AssertionError

    def added(self, call: Callable[[Any, int], Any]) -> Any:
        """The sum of what all actors answer to `call`, added pairwise by `add` of the actors.

        The order of additions depends on the number of actors alone. If one dies, all are asked again.
        """
        for attempt in range(ATTEMPTS + 1):
            sums = [call(actor, at) for at, actor in enumerate(self.actors)]
            step = 1
            while step < len(sums):
                for at in range(0, len(sums) - step, 2 * step):
                    sums[at] = self.actors[at].add.remote(sums[at], sums[at + step])
                step *= 2
            try:
                return self.ray.get(sums[0])
            except self.ray.exceptions.RayError as error:
                self.refuse_failure(error)
                if attempt == ATTEMPTS:
                    raise OptionError(f"the actors failed {attempt + 1} times: {explain(error)}") from error
            self.revive()
        raise AssertionError

    def revive(self) -> None:
        """Replace all actors that have died; actors have a method `answer`."""
        self.ask(lambda actor, _: actor.answer.remote())

    def refuse_failure(self, error: Any) -> None:
        """Raise what went wrong in an actor, unless it died."""
        if getattr(error, "actor_init_failed", False):  # another one would fail likewise
            *_, last = str(error).strip().splitlines()
            kind, _, sentence = last.partition(": ")
            ours = kind.startswith("regretless.")
            raise OptionError(sentence if ours else f"an actor could not be started: {last}") from None
        exceptions = self.ray.exceptions
        if isinstance(error, exceptions.RayTaskError) and not isinstance(error.cause, exceptions.RayError):
            if isinstance(error.cause, RegretlessError):
                raise error.cause from None
            raise OptionError(f"an actor failed: {explain(error)}") from error

    def rebuild(self, at: int) -> None:
        """Replace an actor."""
        self.rebuilt += 1
        self.ray.kill(self.actors[at])
        self._wait_for_gpus(1)
        actor = self.actors[at] = self.start(at, self.free_for(1, self.bytes[at]))
        self.give_state(at, actor)

    def _wait_for_gpus(self, actors: int) -> None:
        """Wait until the GPUs of actors are free; refuse to wait without an end."""
        needed, end = actors * self.cluster.gpus_per_task, time.monotonic() + GPU_SECONDS
        while needed and (free := self.ray.available_resources().get("GPU", 0)) < needed:
            if time.monotonic() > end:
                raise OptionError(
                    f"{needed:g} GPUs are needed and {free:g} are free: add a node, or wait for other work to end"
                )
            time.sleep(0.2)

    def close(self) -> None:
        """End the actors."""
        if self.ray.is_initialized():
            for actor in self.actors:
                self.ray.kill(actor)
        self.actors = []
