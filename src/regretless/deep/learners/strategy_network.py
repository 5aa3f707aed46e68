"""The strategy network of Deep CFR: fitted, when it is needed, to samples of the strategies that were played."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame
from regretless.deep.learners.advantage_network import build_memory
from regretless.deep.learners.network_building import build_network
from regretless.deep.methods import DeepCFR
from regretless.deep.networks.regret_matching import masked_softmax
from regretless.deep.networks.training import FitOptions, Trainer
from regretless.deep.walks.random_streams import Purpose, stream

__all__ = ["StrategyNetwork"]

Array = npt.NDArray[Any]


class StrategyNetwork:
    """One network for all players, and the memory of their strategies."""

    def __init__(self, game: BatchedGame, method: DeepCFR, seed: int) -> None:
        self.game, self.seed = game, seed
        self.memory = build_memory(method, game, list(range(game.players)))
        options = FitOptions(
            method.strategy_steps, method.batch, method.rate, "linear", method.clip, 0.0, "cross-entropy", scaled=False
        )
        self.trainer = Trainer(build_network(method, game), options)
        self.tried_at = 0
        """The iteration of the last fit."""
        self.fitted_at = 0
        """The iteration of the last fit that did not diverge."""
        self.warned = False

    def fit(self, iteration: int) -> None:
        """Fit the network, from random weights, to the memory after an iteration; does nothing the second time.

        A fit that diverges leaves the weights of the last fit that did not. The first one warns.
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
            if not self.warned:
                self.warned = True
                warnings.warn(f"{self.failure}: it is fitted again after later iterations", stacklevel=2)
            return
        self.fitted_at = iteration

    @property
    def failure(self) -> str | None:
        """What is wrong if the last fit diverged, else None."""
        if self.tried_at == self.fitted_at:
            return None
        kept = (
            f"the average strategy is that of iteration {self.fitted_at:,}" if self.ready else "all actions are alike"
        )
        return f"the strategy network diverged after iteration {self.tried_at:,}, and {kept}"

    def arrays(self) -> dict[str, Array]:
        """The memory; and where the last fit diverged, the weights that are kept, which no later fit gives again."""
        arrays = self.memory.arrays()
        if self.failure:
            arrays["kept"] = self.trainer.played.cpu().numpy()
            arrays["fits"] = np.array([self.tried_at, self.fitted_at])
        return arrays

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Continue from what `arrays` returned; a fit that diverged is not repeated, because it would diverge again."""
        self.memory.restore(arrays)
        if "fits" in arrays:
            self.trainer.played.copy_(torch.from_numpy(np.ascontiguousarray(arrays["kept"])))
            self.tried_at, self.fitted_at = arrays["fits"].tolist()

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
