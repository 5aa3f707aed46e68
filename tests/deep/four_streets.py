"""A small game with four streets, and networks that say something without being trained."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import regretless as rg
from regretless.deep.games.sampled_holdem import SampledHoldem
from regretless.deep.learners.holdem.sampled_deep_cfr import SampledDeepCFR
from regretless.deep.playing.network_strategy import NetworkStrategy
from regretless.method import Settings
from regretless.poker import Deck, Limit, PublicGame

FOUR = PublicGame(
    Deck("JQKA", "sh"), 2, (1, 1, 1), Limit(streets=4, bets=(2, 2, 4, 4), caps=1, blinds=(1, 2)), big_blind=2
)
"""Eight cards: two hands and a board of three, one card a street."""
SMALL = rg.DeepCFR(traversals=100, steps=20, batch=128, widths=(8,), strategy_steps=60, listed=False)
SD_SMALL = SMALL.replace(averaging="value-networks")


def random_networks(
    game: PublicGame = FOUR, method: Any = SD_SMALL, count: int = 3, seed: int = 1
) -> tuple[SampledHoldem, NetworkStrategy]:
    """A mixture of networks with random weights, large enough to play far from uniformly."""
    problem = SampledHoldem(game, method)
    learner = SampledDeepCFR(problem, method, Settings(dtype="float32", seed=seed))
    arrays = dict(learner.arrays())
    for player, advantages in learner.advantages.items():
        rows = []
        for number in range(count):
            advantages.trainer.reset(torch.Generator().manual_seed(100 * seed + 10 * player + number))
            rows.append(2 * advantages.trainer.network.weights.numpy().copy())
        arrays[f"average_{player}_weights"] = np.array(rows)
        arrays[f"average_{player}_shares"] = np.arange(1.0, count + 1)
    return problem, NetworkStrategy(problem, arrays, "average")
