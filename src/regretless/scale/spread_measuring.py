"""Measurements of strategies by buckets on a Ray cluster: flop by flop, and matches board by board.

Strategies and their abstractions are put into the object store once. Every flop, and every few boards, is a task of its
own for the next actor that is free; a task whose actor dies is done again. Results do not depend on who computes them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.abstraction.abstraction import Abstraction
from regretless.poker.measuring.board_matches import BoardMatch
from regretless.poker.measuring.bucket_walker import HandColumns, NodeTables
from regretless.poker.measuring.flop_engines import flop_engine
from regretless.poker.measuring.flops import FlopGame, FlopValues
from regretless.scale.actor_team import ActorTeam
from regretless.scale.ray_cluster import ATTEMPTS, Ray, explain
from regretless.scale.ray_tasks import sendable, sendable_abstraction

__all__ = ["BOARDS", "board_winnings", "flop_values"]

Array = npt.NDArray[Any]
Tables = tuple[NodeTables, NodeTables]

BOARDS = 16
"""Boards of a match in one task."""


class FlopActor:
    """A process that measures flops."""

    def __init__(self, game: Any, tables: Tables, dtype: str, threads: int, device: str, values: bool) -> None:
        self.game = FlopGame(game, own_tables(tables), dtype, threads, device, values)
        self.engine = flop_engine(self.game)

    def do(self, number: int) -> FlopValues:
        """The values of a flop."""
        return self.engine.values(self.game.flops[number])


class MatchActor:
    """A process that plays boards."""

    def __init__(self, game: Any, tables: Tables, seed: int) -> None:
        self.match, self.tables, self.seed = BoardMatch(game), own_tables(tables), seed

    def do(self, boards: range) -> Array:
        """[boards, 2] what the first strategy wins on each board, in each seat."""
        drawn = [self.match.draw(self.seed, number) for number in boards]
        return np.array([self.match.winnings(board, *self.tables) for board in drawn])


def own_tables(tables: Tables) -> Tables:
    """Probabilities copied out of the object store, whose memory is read-only: kernels are compiled for writable."""
    first, second = tables
    mine = replace(first, probability=np.array(first.probability))
    return mine, mine if second is first else replace(second, probability=np.array(second.probability))


def _sent(columns: HandColumns) -> HandColumns:
    """Abstractions in the form that another machine can read."""
    return sendable_abstraction(columns) if isinstance(columns, Abstraction) else columns


def sendable_tables(tables: Tables) -> Tables:
    """Tables whose abstractions another machine can read."""
    first, second = tables
    mine = replace(first, abstraction=_sent(first.abstraction))
    if second is first:
        return mine, mine
    shared = second.abstraction is first.abstraction
    theirs = mine.abstraction if shared else _sent(second.abstraction)
    return mine, replace(second, abstraction=theirs)


class TaskTeam(ActorTeam):
    """Actors that take tasks one by one."""

    def __init__(self, actor_class: type, cluster: Ray, tasks: int, *made_of: Any) -> None:
        self.actor_class, self.made_of, self.tasks = actor_class, made_of, tasks
        super().__init__(cluster, [0] * cluster.actors(cluster.connect(), tasks))

    def arguments(self, at: int) -> tuple[Any, ...]:
        """The same for every actor."""
        return self.made_of

    def give_state(self, at: int, actor: Any) -> None:
        """Nothing: actors keep nothing between tasks."""

    def each(self, tasks: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        """(task, result) in the order in which they are done. Nodes that join get actors too."""
        waiting = deque((task, 1) for task in tasks)
        running: dict[Any, tuple[int, Any, int]] = {}  # (actor, task, attempt) of each answer
        free = deque(range(len(self.actors)))
        while waiting or running:
            while waiting and free:
                at, (task, attempt) = free.popleft(), waiting.popleft()
                running[self.actors[at].do.remote(task)] = at, task, attempt
            answer = self.ray.wait(list(running), num_returns=1)[0][0]
            at, task, attempt = running.pop(answer)
            done, found = self._taken(at, answer, attempt)
            free += [at, *self._joined(len(waiting))]
            if done:
                yield task, found
            else:
                waiting.appendleft((task, attempt + 1))

    def _taken(self, at: int, answer: Any, attempt: int) -> tuple[bool, Any]:
        """Whether a task was done, and its result; an actor that has died is replaced."""
        try:
            return True, self.ray.get(answer)
        except self.ray.exceptions.RayError as error:
            self.refuse_failure(error)
            if attempt > ATTEMPTS:
                raise OptionError(f"tried {attempt} times: {explain(error)}") from error
        self.rebuild(at)
        return False, None

    def _joined(self, waiting: int) -> range:
        """Numbers of new actors, on processors that were not there before."""
        before, now = len(self.actors), self.cluster.actors(self.ray, self.tasks)
        for at in range(before, min(now, before + waiting)):
            self.bytes = [*self.bytes, 0]
            self.actors.append(self.start(at, self.free_for(1, 0)))
        return range(before, len(self.actors))


def _all(team: TaskTeam, tasks: Sequence[Any]) -> Generator[tuple[Any, Any], None, None]:
    with closing(team):
        yield from team.each(tasks)


def flop_values(cluster: Ray, game: FlopGame, numbers: Sequence[int]) -> Generator[tuple[int, FlopValues], None, None]:
    """The values of flops, in the order in which they are done."""
    cluster.check_device(game.device)
    shared = cluster.shared(sendable(game.game)), cluster.shared(sendable_tables(game.tables))
    settings = game.dtype, cluster.threads, game.device, game.kinds == 2
    team = TaskTeam(FlopActor, cluster, len(numbers), *shared, *settings)
    return _all(team, numbers)


def board_winnings(
    cluster: Ray, game: Any, tables: Tables, boards: int, seed: int, played: Callable[[int], None]
) -> Array:
    """[boards, 2] what the first strategy wins from the second on each board, in each seat; chips per game.

    `played` is told how many boards are done.
    """
    tasks = [range(first, min(first + BOARDS, boards)) for first in range(0, boards, BOARDS)]
    shared = cluster.shared(sendable(game)), cluster.shared(sendable_tables(tables))
    team = TaskTeam(MatchActor, cluster, len(tasks), *shared, seed)
    out, done = np.zeros((boards, 2)), 0
    for part, won in _all(team, tasks):
        out[part.start : part.stop] = won
        done += len(part)
        played(done)
    return out
