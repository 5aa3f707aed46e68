"""What a cluster costs: bytes and overhead of an iteration beside the model, on 1, 2 and 3 nodes of this machine.

    python -m benchmarks.ray_cluster [iterations]

The model of one iteration of exact CFR on a public tree with n shards is

    T(n) = W / n + 2 · (r + (n · s + v) / b)

with the work W of one process, the seconds r of an empty call, the bytes s of reach that each shard gets in a walk, the
bytes v of values that come back, and the bytes per second b of a transfer. Nodes of one machine share its processors,
so here W / n is what as many threads need.
"""

from __future__ import annotations

import sys
import tempfile
import time
from typing import Any

import numpy as np
import ray
from ray.cluster_utils import Cluster

import regretless as rg
from benchmarks.record import write
from regretless.method import processors
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.solving.vector_cfr import VectorLearner
from regretless.scale.shards.sharded_learner import ShardedLearner

TRANSFER = 2**23
"""Bytes of the array that bandwidth is measured with."""


class Echo:
    """An actor that answers at once."""

    def nothing(self) -> None:
        """An empty call."""

    def array(self, size: int) -> Any:
        """An array of this number of bytes."""
        return np.zeros(size, np.uint8)


GAMES = {"24 cards": "9TJQKA", "36 cards": "6789TJQKA", "52 cards": "23456789TJQKA"}
"""Ranks of the decks of flop hold'em."""


def game(ranks: str) -> PublicGame:
    """Flop hold'em with the cards of these ranks."""
    return PublicGame(Deck(ranks, "shdc"), 2, (3,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(1, 2)))


def seconds_of(call: Any, times: int) -> float:
    """The median seconds of a call."""
    return seconds_in_turn([call], times)[0]


def seconds_in_turn(calls: list[Any], times: int) -> list[float]:
    """The median seconds of several calls that take turns."""
    found = np.empty((times, len(calls)))
    for turn in range(times):
        for number, call in enumerate(calls):
            began = time.perf_counter()
            call()
            found[turn, number] = time.perf_counter() - began
    return np.median(found, axis=0).tolist()


def row_for(name: str, nodes: int, alone: VectorLearner, iterations: int) -> dict[str, object]:
    """One iteration on a cluster of some nodes beside the threads of one process."""
    head = {"num_cpus": 1, "object_store_memory": 2**28, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(nodes - 1):
        cluster.add_node(num_cpus=1, object_store_memory=2**28)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    try:
        echo = ray.remote(num_cpus=0, scheduling_strategy="SPREAD")(Echo).remote()
        round_trip = seconds_of(lambda: ray.get(echo.nothing.remote()), 50)
        moved = seconds_of(lambda: ray.get(echo.array.remote(TRANSFER)), 20) - round_trip
        learner = rg.Ray(shards=nodes).learner(rg.CFR_PLUS, alone.public, rg.Settings(dtype="float32"))
        assert isinstance(learner, ShardedLearner)
        learner.advance(2)
        actors = learner.sharded.actors
        before = actors.sent, actors.received
        spent, work = seconds_in_turn([lambda: learner.advance(1), lambda: alone.advance(1)], iterations)
        sent, received = (
            (now - then) / iterations for now, then in zip((actors.sent, actors.received), before, strict=True)
        )
        model = 2 * round_trip + (sent + received) * max(moved, 0.0) / TRANSFER
        return {
            "game": name,
            "nodes": nodes,
            "bytes sent": int(sent),
            "bytes received": int(received),
            "ms per iteration": round(1e3 * spent, 2),
            "ms of as many threads": round(1e3 * work, 2),
            "speed beside threads": f"{work / spent:.0%}",
            "overhead, ms": round(1e3 * (spent - work), 2),
            "model of the overhead, ms": round(1e3 * model, 2),
            "round trip, ms": round(1e3 * round_trip, 2),
            "transfer, GB/s": round(TRANSFER / max(moved, 1e-9) / 1e9, 2),
        }
    finally:
        ray.shutdown()
        cluster.shutdown()


def rows(iterations: int) -> list[dict[str, object]]:
    """Every game on 1, 2 and 3 nodes."""
    found = []
    for name, ranks in GAMES.items():
        tree = game(ranks).problem()
        for nodes in (1, 2, 3):
            threads = min(nodes, processors())
            alone = VectorLearner(tree, rg.CFR_PLUS, rg.Settings(dtype="float32", threads=threads))
            alone.advance(2)
            found.append(row_for(name, nodes, alone, iterations if len(ranks) < 13 else max(iterations // 6, 3)))
    return found


def many() -> list[dict[str, object]]:
    """Many solves on a cluster with two processors beside a pool of two processes, both started and warm."""
    games, found = [f"leduc:ranks={ranks}" for ranks in range(6, 14)], {}
    for name, workers in (("a pool of two processes", 2), ("Ray with two processors", rg.Ray())):
        for iterations in (10, 20_000):  # the first round starts the processes
            with tempfile.TemporaryDirectory() as folder:
                began = time.perf_counter()
                rg.solve_many(games, rg.CFR_PLUS, folder=folder, iterations=iterations, workers=workers)
                found[name] = time.perf_counter() - began
    pool, cluster = found.values()
    return [{"with": name, "seconds": round(spent, 2)} for name, spent in found.items()] + [
        {"with": "speed of Ray beside the pool", "seconds": f"{pool / cluster:.0%}"}
    ]


def main() -> None:
    """Measure all rows and keep them."""
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    write("ray-cluster", rows(iterations))
    write("ray-many", many())


if __name__ == "__main__":
    main()
