"""One player's advantages: the memory of samples from walks, and the network that is fitted to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame, NumberedGame
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.network_building import build_network
from regretless.deep.learners.network_learner import with_prefix
from regretless.deep.memories.fixed_infosets import FixedInfosetMemory
from regretless.deep.memories.memory import Memory
from regretless.deep.memories.merged_samples import MergedMemory
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.methods import DeepCFR
from regretless.deep.networks.flat_network import CHUNK
from regretless.deep.networks.losses import Loss
from regretless.deep.networks.regret_matching import Fallback, masked_softmax, match_regrets
from regretless.deep.networks.training import FitOptions, Trainer
from regretless.deep.walks.random_streams import Purpose, stream
from regretless.deep.walks.traversal import Samples
from regretless.errors import OptionError

__all__ = ["AdvantageNetwork", "build_memory"]

Array = npt.NDArray[Any]


def build_memory(
    method: DeepCFR, game: BatchedGame, players: list[int], floor: float = 0.0, strategies: Fallback | None = None
) -> Memory:
    """A memory of the kind that a method names, for the infosets of some players."""
    if method.memory == "merged" and isinstance(game, NumberedGame):
        return MergedMemory(game, players, floor, strategies)
    return SampleMemory(game, method.capacity, "window" if method.memory == "window" else "reservoir")


def build_advantage_memory(method: DeepCFR, game: BatchedGame, player: int) -> Memory:
    """A memory for one player's advantages; some kinds are for advantages only."""
    merged = method.memory == "merged" and method.refit != "recursive"
    if method.floor and method.refit == "recursive":
        raise OptionError(
            "floor= needs means over iterations, and recursive refits keep none: use another refit with it"
        )
    if method.floor and not merged:
        raise OptionError("floor= needs means over iterations, and samples have none: use memory='merged' with it")
    if method.refit == "recursive" and (method.targets == "strategies" or method.predictive):
        raise OptionError(
            "targets='strategies' and predictive= need means over iterations, and recursive refits keep none: use "
            "another refit with them"
        )
    if method.off_path < 1 and merged:
        raise OptionError(
            "off_path= says how samples are drawn, and memory='merged' follows the same infosets: leave it out"
        )
    if method.targets == "strategies":
        if not merged:
            raise OptionError("targets='strategies' needs means over iterations: use memory='merged' with it")
        if method.floor:
            raise OptionError("floor= clips advantages, and targets='strategies' fits none: leave it out")
    strategies = method.fallback if method.targets == "strategies" else None
    if method.predictive and not (merged and isinstance(game, HoldemGame)):
        raise OptionError("predictive= needs exact advantages: use memory='merged' on hold'em, boards='all'")
    if method.refit == "recursive":
        slots = min(method.capacity, method.traversals) if method.boards else method.capacity
        return SampleMemory(game, slots, "window", one_scale=True)
    if merged and isinstance(game, HoldemGame):
        decisions = int((game.mover == player).sum())
        if method.traversals < decisions:
            raise OptionError(
                f"traversals={method.traversals:,} follows fewer infosets than player {player} has decisions in the "
                f"betting: set it to {decisions:,} or more"
            )
        return FixedInfosetMemory(
            game, method.traversals, method.floor, strategies=strategies, predictive=method.predictive,
            drawn=method.steps * method.batch,
        )  # fmt: skip
    return build_memory(method, game, [player], method.floor, strategies)


class AdvantageNetwork:
    """A player's memory of advantages and the network fitted to it."""

    def __init__(self, game: BatchedGame, method: DeepCFR, player: int, seed: int) -> None:
        self.game, self.method, self.player, self.seed = game, method, player, seed
        self.memory = build_advantage_memory(method, game, player)
        self.strategies = method.targets == "strategies"
        """Whether outputs are logits of a strategy, not advantages."""
        loss: Loss = "cross-entropy" if self.strategies else "squares"
        scaled = method.scaled and not self.strategies
        options = FitOptions(
            method.steps, method.batch, method.rate, method.schedule, method.clip, method.ema, loss, scaled
        )
        self.trainer = Trainer(build_network(method, game), options)
        self.loss = 0.0
        self.ready = False
        """Whether it has been fitted."""

    def learn(self, samples: Samples, weight: float, generator: torch.Generator, iteration: int) -> None:
        """Add the samples of an iteration to the memory, and refit."""
        if isinstance(self.memory, SampleMemory) and self.method.refit == "recursive":
            share = 2 / (iteration + 1) if self.method.linear else 1 / iteration
            samples, weight = self._blended(samples, share, self.memory.scale), 1.0
            self.memory.forget()
        self.memory.add(samples, weight, generator)
        if len(self.memory):  # none where the other players end every walk before this one moves
            self.refit(iteration)

    def _blended(self, samples: Samples, share: float, scale: torch.Tensor) -> Samples:
        """Samples whose values are the network's outputs, moved by `share` towards the sampled values."""
        if not self.ready:
            return samples
        features = (self.game.features(infosets) for infosets in samples.infosets.split(CHUNK))
        outputs = torch.cat([self.trainer.outputs(chunk) for chunk in features]) * scale
        blended = (outputs + share * (samples.values - outputs)) * self.game.legal(samples.infosets)
        return Samples(samples.infosets, blended)

    def refit(self, iteration: int) -> None:
        """Fit the network to the memory: from random weights, or from the weights of the last refit."""
        generator = stream(self.game.device, self.seed, iteration, self.player, Purpose.REFIT)
        if self.method.refit == "fresh" or not self.ready:
            self.trainer.reset(generator)
        loss = self.trainer.fit(self.memory, generator, self._rate_factor(iteration))
        if not math.isfinite(loss):  # the iteration is then undone
            raise OptionError(
                f"player {self.player}'s network diverged in iteration {iteration:,} (its loss is {loss}): "
                f"set rate lower than {self.method.rate:g}"
            )
        self.loss, self.ready = loss, True

    def _rate_factor(self, iteration: int) -> float:
        """The factor of the rates of a refit: 1, and from `anneal_after` on ∝ 1/t, as the targets change."""
        after = self.method.anneal_after
        return min(1.0, after / iteration) if after and self.method.refit == "continued" else 1.0

    def strategy(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] the strategy at infosets [n, …]; before the first fit all advantages are zero."""
        legal = self.game.legal(infosets)
        if not self.ready:
            return self.to_strategy(torch.zeros(legal.shape, device=legal.device), legal)
        outputs = [self.trainer.outputs(self.game.features(some)) for some in infosets.split(CHUNK)]
        return self.to_strategy(torch.cat(outputs), legal)

    def to_strategy(self, outputs: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        """[n, A] the strategy from network outputs [n, A]."""
        if self.strategies:
            return masked_softmax(outputs, legal)
        return match_regrets(outputs, legal, self.method.fallback)

    def arrays(self) -> dict[str, Array]:
        """Memory and network, by name."""
        memory = {f"memory_{name}": array for name, array in self.memory.arrays().items()}
        return memory | {f"network_{name}": array for name, array in self.trainer.arrays().items()}

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` returned."""
        self.memory.restore(with_prefix(arrays, "memory_"))
        self.trainer.restore(with_prefix(arrays, "network_"))
        self.ready = bool(self.trainer.played.any())
