"""`Ray`: a cluster that solves are spread over, and a sentence for everything that can be wrong with one."""

from __future__ import annotations

import math
import os
import platform
import socket
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regretless.errors import OptionError
from regretless.method import Learner, Method, Settings, processors
from regretless.methods.checks import whole
from regretless.problem import Problem
from regretless.run import Run

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from regretless.poker.measuring.bucket_walker import NodeTables
    from regretless.poker.measuring.flops import FlopGame, FlopValues

__all__ = ["ATTEMPTS", "Ray", "RayModule", "cluster_memory", "explain"]

RayModule = Any
"""The module `ray`, which is imported when a cluster is first used."""

ATTEMPTS = 3
"""How often work is tried again whose worker dies."""


@dataclass(frozen=True)
class Ray:
    """A Ray cluster, for `workers=` of `solve`, `resume`, `solve_many`, `compare`, `exploitability` and `match`.

    >>> import regretless as rg
    >>> rg.Ray(cpus_per_task=2)
    Ray(address=None, shards=None, cpus_per_task=2, gpus_per_task=0, runtime_env=None, timeout=10.0)
    """

    address: str | None = None
    """None starts a cluster on this machine, which ends with this process; "auto" finds a running one; else
    "host:port" or "ray://host:port". A connection that this process has already is used as it is."""
    shards: int | None = None
    """Actors that one solve is divided among; by default one for every `cpus_per_task` processors of the cluster."""
    cpus_per_task: float = 1
    """Processors that a task or an actor reserves; an actor uses this number of threads."""
    gpus_per_task: float = 0
    """GPUs that a task or an actor reserves; with device="cuda" it computes on one of them."""
    runtime_env: Mapping[str, Any] | None = None
    """Ray's description of what workers need: files of your own, packages, variables."""
    timeout: float = 10.0
    """Seconds to wait for an answer of the address."""

    def connect(self) -> RayModule:
        """The module `ray`, connected; every node has been asked for its versions."""
        self._check()
        ray = _imported()
        if not ray.is_initialized():
            _start(ray, self)
        _check_versions(ray, max(self.timeout, 30.0))
        self._check_resources(ray)
        return ray

    def _check_resources(self, ray: RayModule) -> None:
        """Refuse tasks that no node has the processors for: they would wait without an end."""
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        for name, words, asked in (("CPU", "processors", self.cpus_per_task), ("GPU", "GPUs", self.gpus_per_task)):
            largest = max((node.get(name, 0) for node in nodes), default=0)
            if asked > largest:
                raise OptionError(
                    f"{name.lower()}s_per_task={asked:g} is more than any node has: the largest one has {largest:g} "
                    f"{words}"
                )

    def check_device(self, device: str) -> None:
        """Refuse work on GPUs for which none are reserved, and GPUs that are reserved for nothing."""
        if device == "cuda" and not self.gpus_per_task:
            raise OptionError("device='cuda' on a cluster needs GPUs for its tasks: give rg.Ray(gpus_per_task=1)")
        if device != "cuda" and self.gpus_per_task:
            raise OptionError(f"gpus_per_task={self.gpus_per_task:g} reserves GPUs for device='cuda': give both")

    def _check(self) -> None:
        if self.address is not None and not isinstance(self.address, str):
            raise OptionError(f"address is text such as 'auto' or 'host:6379', got {self.address!r}")
        if self.shards is not None and not whole(self.shards, least=1):
            raise OptionError(f"shards is a positive whole number, got {self.shards!r}")
        for name, least in (("cpus_per_task", 0), ("gpus_per_task", 0), ("timeout", 0)):
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given < math.inf:
                raise OptionError(f"{name} is a number from {least} on, got {given!r}")

    def actors(self, ray: RayModule, most: int) -> int:
        """The number of actors for work that can be divided into `most` parts."""
        resources = ray.cluster_resources()
        count = int(resources.get("CPU", 1) // max(self.cpus_per_task, 1))
        if self.gpus_per_task:
            count = min(count, int(resources.get("GPU", 0) // self.gpus_per_task))
        return max(1, min(self.shards or count, most))

    @property
    def threads(self) -> int:
        """Threads of one actor."""
        return max(1, int(self.cpus_per_task))

    @contextmanager
    def opening(self) -> Iterator[None]:
        """Within it, a game is opened that has to fit into the memory of all nodes together."""
        from regretless.poker.tree.memory_estimate import with_memory_of_cluster

        with with_memory_of_cluster(cluster_memory(self.connect())):
            yield

    def learner(self, method: Method, problem: Any, settings: Settings) -> Learner:
        """A learner whose work is spread over the cluster."""
        from regretless.scale.spread_learners import spread_learner

        return spread_learner(self, method, problem, settings)

    def solve_each(
        self, methods: Sequence[Method], problems: Sequence[Problem], strategies: bool, options: Mapping[str, Any]
    ) -> list[Run]:
        """Solve each problem with its method as a task of the cluster."""
        from regretless.scale.ray_tasks import solve_each

        return solve_each(self, methods, problems, strategies, options)

    def nash_conv(self, game: Any, strategy: Any) -> float:
        """What both players of hold'em together could gain by deviating one at a time, chips; exact."""
        from regretless.scale.shards.sharded_learner import sharded_nash_conv

        return sharded_nash_conv(self, game, strategy)

    def shared(self, thing: Any) -> Any:
        """A reference to something in the object store: each node gets it once."""
        ray = _imported()
        if not ray.is_initialized():
            self.connect()
        try:
            return ray.put(thing)
        except ray.exceptions.RayError as error:
            raise OptionError(explain(error)) from None

    def at_once(self, tasks: int) -> int:
        """The number of tasks that are done at the same time."""
        return self.actors(self.connect(), tasks)

    def flop_values(self, game: FlopGame, numbers: Sequence[int]) -> Generator[tuple[int, FlopValues], None, None]:
        """The values of flops of hold'em, in the order in which they are done."""
        from regretless.scale.spread_measuring import flop_values

        return flop_values(self, game, numbers)

    def board_winnings(
        self, game: Any, tables: tuple[NodeTables, NodeTables], boards: int, seed: int, played: Callable[[int], None]
    ) -> npt.NDArray[np.float64]:
        """[boards, 2] what one strategy of hold'em wins from another on drawn boards, in each seat."""
        from regretless.scale.spread_measuring import board_winnings

        return board_winnings(self, game, tables, boards, seed, played)


def cluster_memory(ray: RayModule) -> int:
    """Bytes of memory that all nodes together offer."""
    return sum(int(node["Resources"].get("memory", 0)) for node in ray.nodes() if node["Alive"])


def _imported() -> RayModule:
    try:
        import ray
    except ImportError:
        raise OptionError("Ray is not installed: pip install 'regretless[scale]'") from None
    return ray


def _start(ray: RayModule, cluster: Ray) -> None:
    """Connect to a cluster, or start one on this machine."""
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "runtime_env": dict(cluster.runtime_env or {})}
    if cluster.address is None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(address="local", num_cpus=processors(), include_dashboard=False, **quiet)
        return
    _check_reachable(cluster.address, cluster.timeout)
    try:
        ray.init(address=cluster.address, **quiet)
    except ConnectionError:
        raise OptionError(_no_cluster(cluster.address)) from None
    except RuntimeError as error:
        if "ersion" in str(error):  # Ray compares the versions of itself and of Python
            raise OptionError(f"the cluster at {cluster.address} has other versions: {_one_line(error)}") from None
        raise OptionError(f"the cluster at {cluster.address} does not answer: {_one_line(error)}") from None
    except ValueError as error:
        raise OptionError(f"the address {cluster.address!r} cannot be used: {_one_line(error)}") from None


def _no_cluster(address: str) -> str:
    begin = "start one with 'ray start --head', or leave the address out for a cluster on this machine"
    if address == "auto":
        return f"no Ray cluster runs on this machine: {begin}"
    return f"there is no Ray cluster at {address}: {begin}"


def _check_reachable(address: str, timeout: float) -> None:
    """Refuse an address that does not answer within `timeout` seconds; Ray itself would wait for minutes."""
    address = os.environ.get("RAY_ADDRESS", address) if address == "auto" else address
    if address == "auto":
        return
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        raise OptionError(f"an address is 'auto', 'host:6379' or 'ray://host:10001', got {address!r}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=timeout).close()
    except (OSError, OverflowError) as error:
        reason = f"no answer in {timeout:g} s" if isinstance(error, TimeoutError) else _one_line(error)
        raise OptionError(f"the Ray cluster at {address} cannot be reached ({reason})") from None


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


_checked_nodes: set[str] = set()


def versions() -> dict[str, str]:
    """The versions that every node of a cluster must share."""
    from regretless import __version__

    return {"regretless": __version__, "Python": platform.python_version()}


def _check_versions(ray: RayModule, timeout: float) -> None:
    """Refuse a cluster with a node that has another regretless or Python; every node is asked once."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    def installed() -> dict[str, str]:  # a closure: it is sent by value, also to a node without regretless
        import platform

        try:
            import regretless
        except ImportError:
            return {"regretless": "none", "Python": platform.python_version()}
        return {"regretless": regretless.__version__, "Python": platform.python_version()}

    nodes = {node["NodeID"]: node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
    new = [node for node in nodes if node not in _checked_nodes]
    asked = ray.remote(num_cpus=0, max_retries=ATTEMPTS)(installed)
    answers = {
        node: asked.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote()
        for node in new
    }
    for node, answer in answers.items():
        try:
            there = ray.get(answer, timeout=timeout)
        except Exception as error:
            raise OptionError(f"the node {nodes[node]} does not answer: {explain(error)}") from None
        _compare_versions(nodes[node], there, versions())
        _checked_nodes.add(node)


def _compare_versions(node: str, there: Mapping[str, str], here: Mapping[str, str]) -> None:
    for name, version in here.items():
        if there[name] == "none":
            raise OptionError(f"the node {node} has no {name}: install {name} {version} on it")
        if there[name] != version:
            raise OptionError(
                f"the node {node} has {name} {there[name]} and this process {version}: install the same on all nodes"
            )


def explain(error: BaseException) -> str:
    """A sentence for an error that Ray raised."""
    exceptions: Any = getattr(sys.modules.get("ray"), "exceptions", None)
    if exceptions is None:
        return _one_line(error)
    cause = getattr(error, "cause", None)
    if isinstance(error, exceptions.OutOfMemoryError) or isinstance(cause, MemoryError):
        return "a node has run out of memory: use more or larger machines, or fewer tasks per machine (cpus_per_task=)"
    if isinstance(error, exceptions.ObjectStoreFullError | exceptions.OutOfDiskError):
        return "the object store of a node is full: start its Ray with a larger --object-store-memory"
    if isinstance(error, exceptions.GetTimeoutError):
        return "no answer in time"
    if isinstance(error, exceptions.RayTaskError):
        text = _one_line(cause) if cause is not None else _one_line(error).rpartition(" Error: ")[2]
        return f"{type(cause).__name__}: {text}" if cause is not None else text
    if isinstance(error, exceptions.RayError):
        return f"its worker or its node died ({type(error).__name__})"
    return f"{type(error).__name__}: {_one_line(error)}"
