"""The strategy network of Deep CFR: fitted, when it is needed, to samples of the strategies that were played."""

from __future__ import annotations

import math

import torch

from regretless.deep.games.batched_game import BatchedGame
from regretless.deep.learners.advantage_network import build_memory
from regretless.deep.learners.network_building import build_network
from regretless.deep.methods import DeepCFR
from regretless.deep.networks.regret_matching import masked_softmax
from regretless.deep.networks.training import FitOptions, Trainer
from regretless.deep.walks.random_streams import Purpose, stream
from regretless.errors import OptionError

__all__ = ["StrategyNetwork"]


class StrategyNetwork:
    """One network for all players, and the memory of their strategies."""

    def __init__(self, game: BatchedGame, method: DeepCFR, seed: int) -> None:
        self.game, self.seed = game, seed
        self.memory = build_memory(method, game, list(range(game.players)))
        options = FitOptions(
            method.strategy_steps, method.batch, method.rate, "linear", method.clip, 0.0, "cross-entropy", scaled=False
        )
        self.trainer = Trainer(build_network(method, game), options)
        self.rate = method.rate
        self.tried_at = 0
        """The iteration of the last fit."""
        self.fitted_at = 0
        """The iteration of the last fit that did not diverge."""

    def fit(self, iteration: int) -> None:
        """Fit the network, from random weights, to the memory after an iteration; does nothing the second time.

        A fit that diverges raises OptionError, once, and leaves the weights of the last fit that did not.
        """
        if self.tried_at == iteration:
            return
        self.tried_at = iteration
        generator = stream(self.game.device, self.seed, iteration, 0, Purpose.STRATEGY)
        before = self.trainer.played.clone()
        self.trainer.reset(generator)
        loss = self.trainer.fit(self.memory, generator)
        if not (math.isfinite(loss) and bool(torch.isfinite(self.trainer.played).all())):
            self.trainer.played.copy_(before)
            raise OptionError(
                f"the strategy network diverged after iteration {iteration:,} (its loss is {loss}): set rate lower "
                f"than {self.rate:g}"
            )
        self.fitted_at = iteration

    def strategy(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] the average strategy at infosets [n, …]: uniform before the first fit."""
        legal = self.game.legal(infosets)
        if not self.ready:
            return legal / legal.sum(1, keepdim=True)
        return self.to_strategy(self.trainer.outputs(self.game.features(infosets)), legal)

    @property
    def ready(self) -> bool:
        """Whether it has been fitted."""
        return self.fitted_at > 0

    def to_strategy(self, outputs: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        """[n, A] the strategy from network outputs [n, A]."""
        return masked_softmax(outputs, legal)
