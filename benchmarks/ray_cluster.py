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
from regretless.scale.sharded_learner import ShardedLearner

TRANSFER = 2**23
"""Bytes of the array that bandwidth is measured with."""


class Echo:
    """An actor that answers at once."""

    def nothing(self) -> None:
        """An empty call."""

    def array(self, size: int) -> Any:
        """An array of this number of bytes."""
        return np.zeros(size, np.uint8)


def game() -> PublicGame:
    """Flop hold'em with 24 cards."""
    return PublicGame(Deck("9TJQKA", "shdc"), 2, (3,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(1, 2)))


def seconds_of(call: Any, times: int) -> float:
    """The median seconds of a call."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return float(np.median(found))


def row_for(nodes: int, tree: Any, alone: dict[int, float], iterations: int) -> dict[str, object]:
    head = {"num_cpus": 1, "object_store_memory": 2**28, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(nodes - 1):
        cluster.add_node(num_cpus=1, object_store_memory=2**28)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    try:
        echo = ray.remote(num_cpus=0, scheduling_strategy="SPREAD")(Echo).remote()
        round_trip = seconds_of(lambda: ray.get(echo.nothing.remote()), 50)
        moved = seconds_of(lambda: ray.get(echo.array.remote(TRANSFER)), 20) - round_trip
        learner = rg.Ray(shards=nodes).learner(rg.CFR_PLUS, tree, rg.Settings(dtype="float32"))
        assert isinstance(learner, ShardedLearner)
        learner.advance(2)
        actors = learner.sharded.actors
        before = actors.sent, actors.received
        spent = seconds_of(lambda: learner.advance(1), iterations)
        sent, received = (
            (now - then) / iterations for now, then in zip((actors.sent, actors.received), before, strict=True)
        )
        work = alone[min(nodes, processors())]
        model = 2 * round_trip + (sent + received) * max(moved, 0.0) / TRANSFER
        return {
            "nodes": nodes,
            "bytes sent": int(sent),
            "bytes received": int(received),
            "ms per iteration": round(1e3 * spent, 2),
            "ms of as many threads": round(1e3 * work, 2),
            "overhead, ms": round(1e3 * (spent - work), 2),
            "model of the overhead, ms": round(1e3 * model, 2),
            "round trip, ms": round(1e3 * round_trip, 2),
            "transfer, GB/s": round(TRANSFER / max(moved, 1e-9) / 1e9, 2),
        }
    finally:
        ray.shutdown()
        cluster.shutdown()


def main() -> None:
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    tree = game().problem()
    alone = {}
    for threads in range(1, processors() + 1):
        learner = VectorLearner(tree, rg.CFR_PLUS, rg.Settings(dtype="float32", threads=threads))
        learner.advance(2)
        alone[threads] = seconds_of(lambda learner=learner: learner.advance(1), iterations)
    write("ray-cluster", [row_for(nodes, tree, alone, iterations) for nodes in (1, 2, 3)])


if __name__ == "__main__":
    main()
