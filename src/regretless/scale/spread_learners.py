"""Which methods are spread over a cluster, and by which learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regretless.deep.methods import DeepCFR
from regretless.deep.problems import with_torch
from regretless.errors import OptionError
from regretless.method import Learner, Method, Settings
from regretless.sampling.mccfr import MCCFR
from regretless.variants import Variant

if TYPE_CHECKING:
    from regretless.scale.ray_cluster import Ray

__all__ = ["spread_learner"]


def spread_learner(cluster: Ray, method: Method, problem: Any, settings: Settings) -> Learner:
    """A learner on a cluster; an OptionError for methods and problems that one machine solves."""
    if isinstance(method, DeepCFR):
        with with_torch():
            from regretless.scale.spread_deep import spread_deep_cfr

            return spread_deep_cfr(cluster, problem, method, settings)
    if settings.device != "cpu":
        raise OptionError(f"a solve on a cluster computes on CPUs: leave out device={settings.device!r} or workers=")
    if problem.kind == "public tree" and isinstance(method, Variant) and problem.streets > 1:
        from regretless.scale.sharded_learner import ShardedLearner

        return ShardedLearner(cluster, problem, method, settings)
    if problem.kind == "compiled game" and isinstance(method, MCCFR):
        from regretless.scale.spread_sampling import SpreadMCCFR

        return SpreadMCCFR(cluster, problem, method, settings)
    raise OptionError(
        f"{method.name} on a {problem.kind} is not spread over machines: a cluster solves hold'em of several streets "
        "by a variant of CFR, compiled games by MCCFR(listed=False), listed games and hold'em by DeepCFR, and many "
        "games at once by rg.solve_many"
    )
