"""Which methods are spread over a cluster, and by which learner."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from regretless.deep.methods import NFSP, DeepCFR
from regretless.deep.problems import with_torch
from regretless.errors import OptionError
from regretless.method import Learner, Method, Settings
from regretless.sampling.mccfr import MCCFR
from regretless.variants import Variant

if TYPE_CHECKING:
    from regretless.scale.ray_cluster import Ray

__all__ = ["spread_learner"]


def _deep(cluster: Ray, problem: Any, method: Any, settings: Settings) -> Learner:
    with with_torch():
        from regretless.scale.spread_deep import spread_deep_cfr

        _check_walkers(cluster)
        return spread_deep_cfr(cluster, problem, method, settings)


def _nfsp(cluster: Ray, problem: Any, method: Any, settings: Settings) -> Learner:
    with with_torch():
        from regretless.scale.spread_deep import spread_nfsp

        _check_walkers(cluster)
        return spread_nfsp(cluster, problem, method, settings)


def _sharded(cluster: Ray, problem: Any, method: Any, settings: Settings) -> Learner | None:
    from regretless.scale.shards.sharded_learner import ShardedLearner

    if problem.streets == 1:
        return None
    if settings.started:
        raise OptionError("hold'em on a cluster begins with uniform play: leave out start=, or workers=")
    cluster.check_device(settings.device)
    if settings.device == "cuda" and settings.dtype == "int16":
        raise OptionError("16-bit numbers need device='cpu': on GPUs take dtype='float32'")
    return ShardedLearner(cluster, problem, method, settings)


def _sampled(cluster: Ray, problem: Any, method: Any, settings: Settings) -> Learner:
    from regretless.scale.spread_sampling import SpreadMCCFR

    _check_cpu(cluster, settings)
    return SpreadMCCFR(cluster, problem, method, settings)


def _by_buckets(cluster: Ray, problem: Any, method: Any, settings: Settings) -> Learner:
    from regretless.scale.spread_buckets import SpreadBuckets

    _check_cpu(cluster, settings)
    return SpreadBuckets(cluster, problem, method, settings)


SPREAD: list[tuple[type[Any], tuple[str, ...], Callable[..., Learner | None]]] = [
    (DeepCFR, ("tree", "compiled game", "public tree"), _deep),
    (NFSP, ("tree",), _nfsp),
    (Variant, ("public tree",), _sharded),
    (MCCFR, ("compiled game",), _sampled),
    (MCCFR, ("bucketed tree",), _by_buckets),
]
"""Methods, the kinds of problems on which each is spread, and what makes the learner (None where it cannot)."""


def _check_cpu(cluster: Ray, settings: Settings) -> None:
    if settings.device != "cpu" or cluster.gpus_per_task:
        raise OptionError(
            "on the GPUs of a cluster are solved hold'em of several streets by a variant of CFR and tasks of "
            "rg.solve_many: leave out device= and gpus_per_task="
        )


def _check_walkers(cluster: Ray) -> None:
    if cluster.gpus_per_task:
        raise OptionError("deep methods walk on the processors of a cluster: leave out gpus_per_task=")


def spread_learner(cluster: Ray, method: Method, problem: Any, settings: Settings) -> Learner:
    """A learner on a cluster; an OptionError for methods and problems that one machine solves."""
    for known, kinds, start in SPREAD:
        if isinstance(method, known) and problem.kind in kinds:
            learner = start(cluster, problem, method, settings)
            if learner is not None:
                return learner
    raise OptionError(
        f"{method.name} on a {problem.kind} is not spread over machines: a cluster solves hold'em of several streets "
        "by a variant of CFR, card abstractions by MCCFR, compiled games by MCCFR(listed=False), listed games and "
        "hold'em by DeepCFR, listed games by NFSP, and many games at once by rg.solve_many"
    )
