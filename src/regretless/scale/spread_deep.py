"""Deep CFR and NFSP with their walks divided among the actors of a Ray cluster and one learner.

The driver has the memories and fits the networks, on a GPU where `device="cuda"`. For each player's turn of Deep CFR it
sends the weights of all networks, for each iteration of NFSP the strategies at all infosets. Every actor walks its part
of the traversals or plays with random numbers of its own and sends the samples back. They are stored in the order of
the actors, so a run has the same bits on any number of machines for the same number of shards.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.listed_game import ListedGame
from regretless.deep.learners.deep_cfr_learner import DeepCFRLearner
from regretless.deep.learners.listed_nfsp import ListedNFSP
from regretless.deep.methods import NFSP, DeepCFR
from regretless.deep.pytorch import torch_threads
from regretless.deep.walks.selfplay import Decisions, MixedPlays, play_mixed
from regretless.deep.walks.traversal import Samples, WalkResult
from regretless.errors import OptionError
from regretless.method import Settings
from regretless.scale.actor_team import ActorTeam
from regretless.scale.ray_cluster import Ray
from regretless.scale.ray_tasks import sendable

__all__ = ["DeepWalkActors", "PlayActors", "joined_plays", "spread_deep_cfr", "spread_nfsp"]

Array = npt.NDArray[Any]
Weights = dict[int, Array | None]
"""The weights that each player's network plays with; None before its first fit."""


def _opened(method: DeepCFR | NFSP, game: Any, fingerprint: str) -> Any:
    """The game as an actor opens it; an OptionError where it is not that of the driver."""
    problem = method.open(game)
    if problem.fingerprint != fingerprint:
        raise OptionError("the game is laid out differently on another node: install the same versions on all")
    return problem


class DeepWalkActor:
    """The process that walks a part of every turn."""

    def __init__(self, game: Any, fingerprint: str, method: DeepCFR, settings: Settings) -> None:
        problem = _opened(method, game, fingerprint)
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


class PlayActor:
    """The process that plays a part of the plays of every iteration of NFSP."""

    def __init__(self, game: Any, fingerprint: str, method: NFSP, threads: int) -> None:
        self.game = ListedGame(_opened(method, game, fingerprint), torch.device("cpu"))
        self.method, self.threads = method, threads

    def play(self, seed: int, tables: Array) -> MixedPlays:
        """The actor's plays. tables [2, I, A]: average strategies and best responses."""
        generator, strategies = torch.Generator().manual_seed(seed), torch.from_numpy(np.array(tables))
        with torch_threads(self.threads):
            return play_mixed(self.game, strategies, self.method.anticipation, self.method.plays, generator)


class PlayActors(ActorTeam):
    """All actors of a solve by NFSP; they keep nothing between two iterations."""

    actor_class = PlayActor

    def __init__(self, cluster: Ray, learner: ListedNFSP, method: NFSP) -> None:
        self.learner = weakref.proxy(learner)
        shards = cluster.actors(cluster.connect(), method.plays)
        counts = np.diff(method.plays * np.arange(shards + 1) // shards).tolist()
        game, fingerprint = sendable(learner.tree), learner.tree.fingerprint
        self.made_of = [(game, fingerprint, method.replace(plays=count), cluster.threads) for count in counts]
        super().__init__(cluster, [0] * shards)

    def arguments(self, at: int) -> tuple[Any, ...]:
        """Game, its digest, method with a part of the plays, and threads."""
        return self.made_of[at]

    def give_state(self, at: int, actor: Any) -> None:
        """Nothing: every request brings the strategies."""

    def play(self, generator: torch.Generator) -> MixedPlays:
        """The plays of one iteration, in the order of the actors."""
        seeds = torch.randint(2**62, (len(self.actors),), generator=generator, device=generator.device).tolist()
        shared = self.ray.put(self.learner.tables.cpu().numpy())
        parts: list[MixedPlays] = self.ask(lambda actor, at: actor.play.remote(seeds[at], shared))
        return joined_plays(parts, self.learner.game.device)


def joined_plays(parts: Sequence[MixedPlays], device: torch.device) -> MixedPlays:
    """The plays of several actors as those of one, with plays and decisions numbered through."""
    first, numbered = 0, []
    for part in parts:
        numbered.append([replace(each, plays=each.plays + first) for each in part.decisions])
        first += part.responds.shape[1]
    return MixedPlays(
        [_joined_decisions(of_player, device) for of_player in zip(*numbered, strict=True)],
        torch.cat([part.responds for part in parts], 1).to(device),
        sum(part.nodes for part in parts),
    )


def _joined_decisions(parts: Sequence[Decisions], device: torch.device) -> Decisions:
    """One player's decisions in several parts, one part after the other."""
    following, first = [], 0
    for part in parts:
        following.append(torch.where(part.following < 0, part.following, part.following + first))
        first += len(part.heads)
    return Decisions(
        torch.cat([part.infosets for part in parts]).to(device),
        torch.cat([part.heads for part in parts]).to(device),
        torch.cat([part.plays for part in parts]).to(device),
        torch.cat(following).to(device),
        torch.cat([part.won for part in parts]).to(device),
    )


def spread_nfsp(cluster: Ray, problem: Any, method: NFSP, settings: Settings) -> ListedNFSP:
    """A learner of NFSP whose plays are made by actors."""
    learner = cast("ListedNFSP", method.learner(problem, settings))
    actors = PlayActors(cluster, learner, method)
    learner.plays_elsewhere = actors.play
    weakref.finalize(learner, PlayActors.close, actors)
    return learner
