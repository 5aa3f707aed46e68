"""The actors that own the shards of a solve, and how one that dies is rebuilt.

The driver keeps a snapshot of every shard and the requests for learning walks since. A walk depends on the shard and
the request alone, so a shard is rebuilt anywhere from its snapshot and the requests, and has the same bits as before.
The other shards keep their state and wait.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public.board_walks import add_boards
from regretless.linter.memory import available_memory
from regretless.poker.tree.memory_estimate import readable, with_memory_of_cluster
from regretless.poker.tree.public_tree import PublicTree
from regretless.scale.actor_team import ActorTeam
from regretless.scale.ray_cluster import ATTEMPTS, Ray, RayModule, cluster_memory, explain
from regretless.scale.shards.board_shards import BoardShard, ShardLayout, StateFormat, WalkRequest

if TYPE_CHECKING:
    from regretless.scale.shards.gpu_shards import CudaShard

__all__ = ["ShardActors"]

Array = npt.NDArray[Any]

SNAPSHOT_SECONDS = 60.0
"""Seconds of walks after which shards are copied to the driver, at the least: a dead shard repeats this work."""

SNAPSHOT_SHARE = 20.0
"""Seconds of walks between two snapshots, as a multiple of the seconds that a snapshot takes."""

LOG_BYTES = 2**28
"""Bytes of requests after which shards are copied to the driver."""

SMALL = 2**16
"""Bytes of a request up to which it is sent to each actor by itself instead of through the object store."""


INLINE = 90_000
"""Bytes of an answer that Ray sends with the answer itself; a larger one goes through the object store."""

FEW = 2**19
"""Bytes of values of a walk, for each shard from the fourth on, up to which shards send them here.

More values are added on the way from shard to shard: each step takes about 0.7 ms, and the object store twice as long
once."""


class ShardActor:
    """The process of one shard."""

    def __init__(self, game: Any, fingerprint: str, memory: int, roots: range, kind: StateFormat, threads: int) -> None:
        """memory: bytes of all nodes together."""
        with with_memory_of_cluster(memory):
            tree = game.problem()
        if tree.fingerprint != fingerprint:
            raise OptionError("the game is laid out differently on another node: install the same versions on all")
        self.shard: BoardShard | CudaShard
        if kind.device == "cuda":
            from regretless.scale.shards.gpu_shards import CudaShard

            self.shard = CudaShard(tree, roots, kind)
        else:
            self.shard = BoardShard(tree, roots, kind, threads)

    def walk(self, request: WalkRequest | bytes) -> None:
        """Walk the shard's boards."""
        self.shard.walk(pickle.loads(request) if isinstance(request, bytes) else request)

    def values(self, request: WalkRequest | bytes, kinds: int) -> Array:
        """Walk the shard's boards and return their values."""
        self.walk(request)
        return self.shard.values(kinds)

    def walk_and_add(self, request: WalkRequest | bytes, player: int, sums: Array) -> Array:
        """Walk the shard's boards and return sums with their values added."""
        self.walk(request)
        return self.add(player, sums)

    def add(self, player: int, sums: Array) -> Array:
        """Sums of values with those of the shard's boards added."""
        return self.shard.add(player, sums)

    def answer(self) -> None:
        """Nothing; an actor that has died cannot."""

    def load(self, arrays: Mapping[str, Array]) -> None:
        """Continue from a snapshot."""
        self.shard.load(arrays)

    def arrays(self) -> dict[str, Array]:
        """A snapshot."""
        return self.shard.arrays()

    def replay(self, requests: Sequence[WalkRequest]) -> None:
        """Repeat walks whose values the driver has."""
        for request in requests:
            self.shard.walk(request)


class ShardActors(ActorTeam):
    """All actors of a solve, with the snapshot and the requests that rebuild one of them."""

    actor_class = ShardActor

    def __init__(
        self,
        cluster: Ray,
        tree: PublicTree,
        layouts: Sequence[ShardLayout],
        kind: StateFormat,
        shapes: Mapping[str, Any],
    ) -> None:
        """shapes: (shape, dtype) of the arrays of the whole tree, by name."""
        self.layouts, self.made_of = layouts, (tree.game, tree.fingerprint, kind)
        needed = [tree.bytes_needed(kind.dtype, kind.predictive) * part.count // tree.numbers for part in layouts]
        check_cluster_memory(cluster.connect(), needed)
        self.snapshot = {name: host_array(shape, dtype) for name, (shape, dtype) in shapes.items()}
        self.in_snapshot = [False] * len(layouts)  # [shards] whether `snapshot` has the shard
        self.boards = sum(len(part.roots) for part in layouts)
        self.adds = kind.device == "cuda"  # a shard sends one sum; on a CPU sums are in the order of boards
        self.log: list[WalkRequest] = []
        self.first_logged = [0] * len(layouts)  # [shards] requests of the log that are in the shard's snapshot
        self.walked = self.snapshot_cost = 0.0  # seconds
        self.sent = self.received = 0  # bytes
        super().__init__(cluster, needed)

    def arguments(self, at: int) -> tuple[Any, ...]:
        """What the actor of a shard is made with."""
        game, fingerprint, kind = self.made_of
        memory = cluster_memory(self.ray)
        return game, fingerprint, memory, self.layouts[at].roots, kind, self.cluster.threads

    def give_state(self, at: int, actor: Any) -> None:
        """Load the shard's snapshot and repeat the learning walks since."""
        if self.in_snapshot[at]:
            actor.load.remote(self.layouts[at].cut(self.snapshot))
        since = self.log[self.first_logged[at] :]
        if since:
            actor.replay.remote(since)

    def walk(self, request: WalkRequest, zeros: Array) -> Array:
        """The sums of the values of all boards: zeros [1 or 2, lines, classes] with every shard's boards added.

        Floating-point numbers are added in the order of boards. Few values are sent here and added; else the sums go
        from shard to shard.
        """
        began = time.perf_counter()
        size = request.mine.nbytes + request.theirs.nbytes
        shared = pickle.dumps(request, 5) if size <= SMALL else self.ray.put(request)
        values, shards = zeros.nbytes * self.boards, len(self.actors)
        few = self.adds or values <= max(INLINE * shards, FEW * (shards - 3))
        found = self._added_here(shared, zeros) if few else self._added_on_the_way(request.player, shared, zeros)
        self.sent += size * len(self.actors)
        if request.learning:
            self.log.append(request)
        self.walked += time.perf_counter() - began
        return found

    def _added_here(self, shared: Any, zeros: Array) -> Array:
        sums = zeros.copy()
        kinds, lines, classes = zeros.shape
        for part in self.ask(lambda actor, _: actor.values.remote(shared, kinds)):
            add_boards(part, len(part), kinds, lines, classes, sums)
            self.received += part.nbytes
        return sums

    def _added_on_the_way(self, player: int, shared: Any, zeros: Array) -> Array:
        def walk(actor: Any, _: int) -> Any:
            return actor.walk.remote(shared)

        first, *others = self.actors
        walked = [first.walk_and_add.remote(shared, player, zeros), *(walk(actor, 0) for actor in others)]
        for attempt in range(ATTEMPTS + 1):
            sums: Any = zeros if attempt else walked[0]
            for actor in self.actors if attempt else others:
                sums = actor.add.remote(player, sums)
            try:
                found: Array = self.ray.get(sums)
                break
            except self.ray.exceptions.RayError as error:
                self.refuse_failure(error)
                if attempt == ATTEMPTS:
                    raise OptionError(f"the actors failed {attempt + 1} times: {explain(error)}") from error
            for at in range(len(self.actors)):
                self.answer(at, walked[at], walk)
                self.answer(at, self.actors[at].answer.remote(), walk)
        self.received += zeros.nbytes * len(self.actors)
        return found

    def take_snapshot(self) -> Mapping[str, Array]:
        """Arrays of the whole tree with the state of all shards; the trunk's part is the caller's.

        Shards are copied one after the other: one that dies meanwhile has its older snapshot and more of the log.
        """
        if self.log or not all(self.in_snapshot):
            began = time.perf_counter()
            for at, layout in enumerate(self.layouts):
                part = self.answer(at, self.actors[at].arrays.remote(), lambda actor, _: actor.arrays.remote())
                layout.paste(part, self.snapshot)
                self.in_snapshot[at], self.first_logged[at] = True, len(self.log)
            self._forget_log()
            self.snapshot_cost, self.walked = time.perf_counter() - began, 0.0
        return self.snapshot

    def _forget_log(self) -> None:
        """All requests of the log are in the snapshot of every shard."""
        self.in_snapshot = [True] * len(self.layouts)
        self.log.clear()
        self.first_logged = [0] * len(self.layouts)

    @property
    def snapshot_due(self) -> bool:
        """Whether a dead shard would have to repeat too much."""
        logged = len(self.log) * (self.log[-1].mine.nbytes + self.log[-1].theirs.nbytes) if self.log else 0
        return self.walked > max(SNAPSHOT_SECONDS, SNAPSHOT_SHARE * self.snapshot_cost) or logged > LOG_BYTES

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Continue from arrays of the whole tree."""
        for name, own in self.snapshot.items():
            own[...] = arrays[name]
        self._forget_log()
        self.ask(lambda actor, at: actor.load.remote(self.layouts[at].cut(self.snapshot)))


def check_cluster_memory(
    ray: RayModule, needed: Sequence[int], advice: str = "use more shards or larger machines, or dtype='int16'"
) -> None:
    """Refuse shards that no node, or all nodes together, have the memory for; needed: bytes of each."""
    memory = [int(node["Resources"].get("memory", 0)) for node in ray.nodes() if node["Alive"]]
    largest = max(memory, default=0)
    if max(needed) > largest:
        raise OptionError(
            f"a shard needs {readable(max(needed))} and the largest node offers {readable(largest)}: {advice}"
        )
    if sum(needed) > sum(memory):
        raise OptionError(
            f"the solve needs {readable(sum(needed))} and all nodes together offer {readable(sum(memory))}: add nodes"
        )


def host_array(shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros; in a temporary file where they would take more than a quarter of the free memory."""
    size, free = int(np.prod(shape)) * np.dtype(dtype).itemsize, available_memory()
    if free is None or size <= free // 4:
        return np.zeros(shape, dtype)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the array keeps it
    return np.memmap(file, dtype, "w+", shape=shape)
