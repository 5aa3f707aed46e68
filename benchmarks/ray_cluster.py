"""What a cluster costs: bytes and overhead of an iteration beside the model, on 1, 2 and 3 nodes of this machine.

    python -m benchmarks.ray_cluster [iterations] [cluster | buckets | many]

The model of one iteration of exact CFR on a public tree with n shards is

    T(n) = W / n + 2 · (r + (n · s + v) / b)

with the work W of one process, the seconds r of an empty call, the bytes s of reach that each shard gets in a walk, the
bytes v of values that come back, and the bytes per second b of a transfer. Nodes of one machine share its processors,
so here W / n is what as many threads need.

Public chance sampling on an abstraction with N numbers sends 4 N bytes to each shard and gets 8 N back.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import ray
from ray.cluster_utils import Cluster

import regretless as rg
from benchmarks.record import write
from regretless.method import processors
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.solving.vector_cfr import VectorLearner
from regretless.scale.shards.sharded_learner import ShardedLearner
from regretless.scale.spread_buckets import SpreadBuckets

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


@contextmanager
def started_cluster(nodes: int) -> Iterator[None]:
    """A cluster of some nodes with a processor each."""
    head = {"num_cpus": 1, "object_store_memory": 2**28, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(nodes - 1):
        cluster.add_node(num_cpus=1, object_store_memory=2**28)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    try:
        yield
    finally:
        ray.shutdown()
        cluster.shutdown()


def row_for(name: str, nodes: int, alone: VectorLearner, iterations: int) -> dict[str, object]:
    """One iteration on a cluster of some nodes beside the threads of one process."""
    with started_cluster(nodes):
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


def abstraction() -> BucketedTree:
    """Limit hold'em with 24 cards, four streets and an abstraction."""
    rules = Limit(streets=4, bets=(2, 2, 4, 4), caps=(2, 3, 3, 3), blinds=(1, 2))
    whole = PublicGame(Deck("9TJQKA", "shdc"), 2, (3, 1, 1), rules)
    tree = replace(whole, abstraction=rg.poker.abstract(whole, buckets=(40, 60, 60, 60), seed=1)).problem()
    assert isinstance(tree, BucketedTree)
    return tree


def bucket_row(nodes: int, tree: BucketedTree, iterations: int) -> dict[str, object]:
    """An iteration of public chance sampling on a cluster of some nodes beside the threads of one process."""
    method = rg.MCCFR("public-chance", rg.LINEAR_CFR, boards=16, traversals=6)
    alone = method.learner(tree, rg.Settings(dtype="float32", threads=min(nodes, processors())))
    with started_cluster(nodes):
        learner = rg.Ray(shards=nodes).learner(method, tree, rg.Settings(dtype="float32"))
        assert isinstance(learner, SpreadBuckets)
        for each in (learner, alone):
            each.advance(1)
        before = learner.sent, learner.received
        spent, work = seconds_in_turn([lambda: learner.advance(1), lambda: alone.advance(1)], iterations)
        return {
            "numbers": tree.infoset_actions,
            "nodes": nodes,
            "bytes sent": (learner.sent - before[0]) // iterations,
            "bytes received": (learner.received - before[1]) // iterations,
            "ms per iteration": round(1e3 * spent, 1),
            "ms of as many threads": round(1e3 * work, 1),
            "speed beside threads": f"{work / spent:.0%}",
            "overhead, ms": round(1e3 * (spent - work), 1),
        }


def bucket_rows(iterations: int) -> list[dict[str, object]]:
    """An abstraction on 1, 2 and 3 nodes."""
    tree = abstraction()
    return [bucket_row(nodes, tree, max(iterations // 4, 3)) for nodes in (1, 2, 3)]


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
    parts = sys.argv[2:] or ["cluster", "buckets", "many"]
    if "cluster" in parts:
        write("ray-cluster", rows(iterations))
    if "buckets" in parts:
        write("ray-buckets", bucket_rows(iterations))
    if "many" in parts:
        write("ray-many", many())


if __name__ == "__main__":
    main()
