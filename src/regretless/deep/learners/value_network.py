"""One player's advantages: the memory of what walks have found, and the network that is fitted to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import torch
from torch import nn

from regretless.deep.games.batched_game import GameOnArrays, NumberedGame
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.network_learner import part_of
from regretless.deep.memories.fixed_infosets import FollowedMemory
from regretless.deep.memories.memory import Memory
from regretless.deep.memories.merged_samples import MergedMemory
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.methods import DeepCFR
from regretless.deep.networks.flat_network import CHUNK
from regretless.deep.networks.gradients import sloped
from regretless.deep.networks.holdem_network import HoldemNetwork
from regretless.deep.networks.multilayer import Perceptron, ResidualPerceptron
from regretless.deep.networks.regret_matching import matched
from regretless.deep.networks.training import Recipe, Trainer
from regretless.deep.walks.random_streams import Purpose, stream
from regretless.deep.walks.traversal import Found
from regretless.errors import OptionError

__all__ = ["Values", "holdem_network", "memory_of", "network_of"]

Array = npt.NDArray[Any]


def network_of(method: DeepCFR, game: GameOnArrays) -> nn.Module:
    """A network of the kind and the widths that a method names."""
    if method.network == "holdem":
        if not isinstance(game, HoldemGame):
            raise OptionError("network='holdem' reads the cards of hold'em: use 'perceptron' or 'residual' here")
        if not method.widths:
            raise OptionError("the network of hold'em needs a width, and widths=() has none: the paper's is (64,)")
        return holdem_network(game, method.widths[0])
    kind = ResidualPerceptron if method.network == "residual" else Perceptron
    return kind(game.feature_size, game.heads, method.widths).to(game.device)


def holdem_network(game: HoldemGame, width: int) -> nn.Module:
    """The paper's network for a game of hold'em; its layers for cards are three times as wide as the others."""
    deck = game.game.deck
    made = HoldemNetwork(
        groups=len(game.groups), bets=game.bets.shape[1], heads=game.heads, width=width,
        card_width=3 * width, ranks=len(deck.ranks), suits=len(deck.suits),
    )  # fmt: skip
    return made.to(game.device)


def memory_of(method: DeepCFR, game: GameOnArrays, players: list[int], floor: float = 0.0) -> Memory:
    """A memory of the kind that a method names, for the infosets of some players."""
    if method.memory == "merged" and isinstance(game, NumberedGame):
        return MergedMemory(game, players, floor)
    return SampleMemory(game, method.capacity, "window" if method.memory == "window" else "reservoir")


def memory_of_advantages(method: DeepCFR, game: GameOnArrays, player: int) -> Memory:
    """A memory for one player's advantages, which may be of kinds that strategies have no use for."""
    merged = method.memory == "merged" and method.refit != "recursive"
    if method.floor and method.refit == "recursive":
        raise OptionError(
            "floor= needs means over iterations, and recursive refits keep none: use another refit with it"
        )
    if method.floor and not merged:
        raise OptionError("floor= needs means over iterations, and samples have none: use memory='merged' with it")
    if method.refit == "recursive":
        room = min(method.capacity, method.traversals) if method.boards else method.capacity
        return SampleMemory(game, room, "window", one_scale=True)
    if merged and isinstance(game, HoldemGame):
        return FollowedMemory(game, method.traversals, method.floor)
    return memory_of(method, game, [player], method.floor)


class Values:
    """A player's memory of advantages and the network that has learned from it."""

    def __init__(self, game: GameOnArrays, method: DeepCFR, player: int, seed: int) -> None:
        self.game, self.method, self.player, self.seed = game, method, player, seed
        self.memory = memory_of_advantages(method, game, player)
        recipe = Recipe(
            method.steps, method.batch, method.rate, method.schedule, method.clip, method.ema, "squares", method.scaled
        )
        self.trainer = Trainer(sloped(network_of(method, game)), recipe)
        self.loss = 0.0
        self.ready = False

    def learn(self, found: Found, weight: float, generator: torch.Generator, iteration: int) -> None:
        """Remember what an iteration's walks have found, and refit."""
        if isinstance(self.memory, SampleMemory) and self.method.refit == "recursive":
            share = 2 / (iteration + 1) if self.method.linear else 1 / iteration
            found, weight = self._moved(found, share, self.memory.scale), 1.0
            self.memory.forget()
        self.memory.add(found, weight, generator)
        self.refit(iteration)

    def _moved(self, found: Found, share: float, scale: torch.Tensor) -> Found:
        """What the network says of the infosets that were found, moved by a share towards what was found there."""
        if not self.ready:
            return found
        features = (self.game.features(infosets) for infosets in found.infosets.split(CHUNK))
        said = torch.cat([self.trainer.outputs(some) for some in features]) * scale
        return Found(found.infosets, (said + share * (found.numbers - said)) * self.game.legal(found.infosets))

    def refit(self, iteration: int) -> None:
        """Fit the network to what the memory holds now: from random weights, or from where it was."""
        generator = stream(self.game.device, self.seed, iteration, self.player, Purpose.REFIT)
        if self.method.refit == "fresh" or not self.ready:
            self.trainer.begin_anew(generator)
        before = self.trainer.played.clone()
        loss = self.trainer.fit(self.memory, generator)
        if not math.isfinite(loss):
            self.trainer.begin_anew(generator)
            self.trainer.played.copy_(before)  # so that what is kept of the run is as good as it was
            raise OptionError(
                f"player {self.player}'s network diverged in iteration {iteration:,} (its loss is {loss}): "
                f"set rate lower than {self.method.rate:g}"
            )
        self.loss, self.ready = loss, True

    def strategy(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] what advantages call for at infosets [n, …]; before the first fit they are all zero."""
        legal = self.game.legal(infosets)
        if not self.ready:
            return self.turned(torch.zeros(legal.shape, device=legal.device), legal)
        return self.turned(self.trainer.outputs(self.game.features(infosets)), legal)

    def turned(self, outputs: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        """[n, A] what is played where a network says [n, A]."""
        return matched(outputs, legal, self.method.fallback)

    def arrays(self) -> dict[str, Array]:
        """Memory and network, by name."""
        memory = {f"memory_{name}": array for name, array in self.memory.arrays().items()}
        return memory | {f"network_{name}": array for name, array in self.trainer.arrays().items()}

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Go on from what `arrays` once returned."""
        self.memory.restore(part_of(arrays, "memory_"))
        self.trainer.restore(part_of(arrays, "network_"))
        self.ready = iteration > 0
