"""Strategies as targets: regret matching on mean advantages, which a network then imitates."""

from __future__ import annotations

import torch

from regretless.deep.networks.regret_matching import Fallback, match_regrets

__all__ = ["strategy_targets"]

SETTLED = 0.05
"""What an infoset without positive means counts, relative to the mean infoset."""


def strategy_targets(
    means: torch.Tensor, legal: torch.Tensor, weights: torch.Tensor, fallback: Fallback
) -> tuple[torch.Tensor, torch.Tensor]:
    """The strategies [n, A] that regret matching plays on mean advantages [n, A], and how much each infoset counts [n].

    With σ the strategy that is played and R⁺ the positive means, the sum of |R⁺|² over infosets grows in the next
    iteration by about 2 |R⁺|₁ · (the value of regret matching − that of σ). So an infoset counts in proportion to its
    weight × |R⁺|₁, and what costs most regret is fitted best.
    """
    positive = means.clamp(min=0).sum(1)
    smallest = torch.finfo(positive.dtype).tiny
    mean = (weights @ positive / weights.sum().clamp(min=smallest)).clamp(min=smallest)
    return match_regrets(means, legal, fallback), weights * (positive / mean + SETTLED)
