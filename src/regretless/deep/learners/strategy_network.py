"""The strategy network of Deep CFR: fitted, when it is asked for, to the strategies that were played."""

from __future__ import annotations

import torch

from regretless.deep.games.batched_game import GameOnArrays
from regretless.deep.learners.value_network import memory_of, network_of
from regretless.deep.methods import DeepCFR
from regretless.deep.networks.gradients import sloped
from regretless.deep.networks.regret_matching import likely
from regretless.deep.networks.training import Recipe, Trainer
from regretless.deep.walks.random_streams import Purpose, stream

__all__ = ["StrategyNetwork"]


class StrategyNetwork:
    """One network for all players, and the memory of what they did."""

    def __init__(self, game: GameOnArrays, method: DeepCFR, seed: int) -> None:
        self.game, self.seed = game, seed
        self.memory = memory_of(method, game, list(range(game.players)))
        recipe = Recipe(
            method.strategy_steps, method.batch, method.rate, "linear", method.clip, 0.0, "cross-entropy", scaled=False
        )
        self.trainer = Trainer(sloped(network_of(method, game)), recipe)
        self.fitted_at = 0
        """The iteration after which it was fitted last."""

    def fit(self, iteration: int) -> None:
        """Fit the network, from random weights, to what the memory holds after an iteration: once is enough."""
        if self.fitted_at == iteration:
            return
        generator = stream(self.game.device, self.seed, iteration, 0, Purpose.STRATEGY)
        self.trainer.begin_anew(generator)
        self.trainer.fit(self.memory, generator)
        self.fitted_at = iteration

    def strategy(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] the average strategy at infosets [n, …]: uniform before anything was played."""
        legal = self.game.legal(infosets)
        if not self.ready:
            return legal / legal.sum(1, keepdim=True)
        return self.turned(self.trainer.outputs(self.game.features(infosets)), legal)

    @property
    def ready(self) -> bool:
        """Whether it has been fitted."""
        return self.fitted_at > 0

    def turned(self, outputs: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        """[n, A] what is played where the network says [n, A]."""
        return likely(outputs, legal)
