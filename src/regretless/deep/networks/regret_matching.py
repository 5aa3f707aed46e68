"""From what networks say to what players do."""

from __future__ import annotations

from typing import Literal

import torch

__all__ = ["Fallback", "likely", "matched"]

Fallback = Literal["highest", "uniform"]


def matched(advantages: torch.Tensor, legal: torch.Tensor, fallback: Fallback = "highest") -> torch.Tensor:
    """[n, A] regret matching: probabilities in proportion to advantages above zero.

    Where there is none, play the highest advantage (Brown et al. 2019, §4: it handles errors of approximation better
    than playing uniformly), or all actions alike. Equal highest ones share, so a network of zeros plays uniformly.
    """
    positive = advantages.clamp(min=0) * legal
    total = positive.sum(1, keepdim=True)
    resort = legal.float()
    if fallback == "highest":
        highest = advantages.masked_fill(~legal, -torch.inf).amax(1, keepdim=True)
        resort = ((advantages == highest) & legal).float()
    resort /= resort.sum(1, keepdim=True)
    smallest = torch.finfo(total.dtype).tiny  # as in `regretless.kernels.regret_rules`
    return torch.where(total >= smallest, positive / total.clamp(min=smallest), resort)


def likely(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """[n, A] the softmax over legal heads."""
    return logits.masked_fill(~legal, -torch.inf).softmax(1)
