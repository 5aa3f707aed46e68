"""A cluster of three nodes on this machine, whose nodes can be killed."""

from __future__ import annotations

from typing import Any

import ray
from ray.cluster_utils import Cluster

STORE = 100 * 2**20
"""Bytes of a node's object store."""


class ThreeNodes:
    """A cluster of three nodes with one processor each; a node that is killed can be replaced."""

    def __init__(self) -> None:
        head = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.others = [self._added(), self._added()]
        ray.init(address=self.cluster.address, log_to_driver=False, logging_level="ERROR")

    def _added(self) -> Any:
        return self.cluster.add_node(num_cpus=1, object_store_memory=STORE)

    def kill(self) -> None:
        """Kill all processes of a node, as a power cut would."""
        self.cluster.remove_node(self.others.pop(0), allow_graceful=False)

    def whole(self) -> ThreeNodes:
        """The cluster with three nodes."""
        while len(self.others) < 2:
            self.others.append(self._added())
        return self

    def close(self) -> None:
        ray.shutdown()
        self.cluster.shutdown()
