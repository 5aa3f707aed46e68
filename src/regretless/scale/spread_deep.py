"""Deep CFR with its walks divided among the actors of a Ray cluster and one learner.

The driver has the memories and fits the networks, on a GPU where `device="cuda"`. For each player's turn it sends the
weights of all networks; every actor walks its part of the traversals with random numbers of its own and sends the
samples back. They are stored in the order of the actors, so a run has the same bits on any number of machines for the
same number of shards.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.learners.deep_cfr_learner import DeepCFRLearner
from regretless.deep.methods import DeepCFR
from regretless.deep.pytorch import torch_threads
from regretless.deep.walks.traversal import Samples, WalkResult
from regretless.errors import OptionError
from regretless.method import Settings
from regretless.scale.actor_team import ActorTeam
from regretless.scale.ray_cluster import Ray
from regretless.scale.ray_tasks import sendable

__all__ = ["DeepWalkActors", "spread_deep_cfr"]

Array = npt.NDArray[Any]
Weights = dict[int, Array | None]
"""The weights that each player's network plays with; None before its first fit."""


class DeepWalkActor:
    """The process that walks a part of every turn."""

    def __init__(self, game: Any, fingerprint: str, method: DeepCFR, settings: Settings) -> None:
        problem = method.open(game)
        if problem.fingerprint != fingerprint:
            raise OptionError("the game is laid out differently on another node: install the same versions on all")
        self.learner = cast("DeepCFRLearner", method.learner(problem, settings))

    def walk(self, player: int, seed: int, weights: Weights) -> WalkResult:
        """The samples of the actor's walks for a player."""
        learner, threads = self.learner, self.learner.settings.threads
        with torch_threads(threads):
            for who, played in weights.items():
                network = learner.advantages[who]
                network.ready = played is not None
                if played is not None:
                    network.trainer.played.copy_(torch.from_numpy(np.array(played)))
                learner.update_strategy(who)
            return learner.walk(player, torch.Generator().manual_seed(seed))


class DeepWalkActors(ActorTeam):
    """All actors of a solve; they keep nothing between two turns."""

    actor_class = DeepWalkActor

    def __init__(self, cluster: Ray, learner: DeepCFRLearner, method: DeepCFR) -> None:
        self.learner = weakref.proxy(learner)
        shards = cluster.actors(cluster.connect(), method.traversals)
        settings = replace(learner.settings, device="cpu", threads=cluster.threads)
        counts = np.diff(method.traversals * np.arange(shards + 1) // shards).tolist()
        game, fingerprint = sendable(learner.problem), learner.problem.fingerprint
        self.made_of = [(game, fingerprint, method.replace(traversals=count), settings) for count in counts]
        super().__init__(cluster, [0] * shards)

    def arguments(self, at: int) -> tuple[Any, ...]:
        """Game, its digest, method with a part of the traversals, and settings."""
        return self.made_of[at]

    def give_state(self, at: int, actor: Any) -> None:
        """Nothing: every request brings the weights."""

    def walk(self, player: int, generator: torch.Generator) -> WalkResult:
        """The walks of a player in one iteration, in the order of the actors."""
        seeds = torch.randint(2**62, (len(self.actors),), generator=generator, device=generator.device).tolist()
        weights: Weights = {
            who: network.trainer.played.detach().cpu().numpy() if network.ready else None
            for who, network in self.learner.advantages.items()
        }
        shared = self.ray.put(weights)
        parts: list[WalkResult] = self.ask(lambda actor, at: actor.walk.remote(player, seeds[at], shared))
        device = self.learner.game.device
        return WalkResult(
            advantages=_joined([part.advantages for part in parts], device),
            strategies={who: _joined([part.strategies[who] for part in parts], device) for who in parts[0].strategies},
            nodes=sum(part.nodes for part in parts),
        )


def _joined(samples: Sequence[Samples], device: torch.device) -> Samples:
    return Samples(
        torch.cat([part.infosets.clone() for part in samples]).to(device),
        torch.cat([part.values.clone() for part in samples]).to(device),
    )


def spread_deep_cfr(cluster: Ray, problem: Any, method: DeepCFR, settings: Settings) -> DeepCFRLearner:
    """A learner of Deep CFR whose walks are done by actors."""
    if problem.kind == "compiled game":
        raise OptionError(
            f"{method.name} numbers the infosets of a game that is not listed as it visits them, so it walks on one "
            "machine: leave workers= out"
        )
    if method.boards or method.baseline is not None:
        raise OptionError("boards= and baseline= of deep methods are for one machine: leave them out with workers=")
    learner = cast("DeepCFRLearner", method.learner(problem, settings))
    actors = DeepWalkActors(cluster, learner, method)
    learner.walks_elsewhere = actors.walk
    weakref.finalize(learner, DeepWalkActors.close, actors)
    return learner
