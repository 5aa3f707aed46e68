"""From network outputs to probabilities of actions."""

from __future__ import annotations

from typing import Literal

import torch

__all__ = ["Fallback", "masked_softmax", "match_regrets"]

Fallback = Literal["highest", "uniform"]


def match_regrets(advantages: torch.Tensor, legal: torch.Tensor, fallback: Fallback = "highest") -> torch.Tensor:
    """[…, A] regret matching: probabilities in proportion to the positive parts of advantages […, A].

    Where no advantage is positive, play the highest one (Brown et al. 2019, §4: this handles approximation errors
    better than uniform play), or all legal actions with equal probability. Equal highest advantages share, so a network
    of zeros plays uniformly.
    """
    positive = advantages.clamp(min=0) * legal
    total = positive.sum(-1, keepdim=True)
    otherwise = legal.float()
    if fallback == "highest":
        highest = advantages.masked_fill(~legal, -torch.inf).amax(-1, keepdim=True)
        otherwise = ((advantages == highest) & legal).float()
    otherwise /= otherwise.sum(-1, keepdim=True)
    smallest = torch.finfo(total.dtype).tiny  # as in `regretless.kernels.regret_rules`
    return torch.where(total >= smallest, positive / total.clamp(min=smallest), otherwise)


def masked_softmax(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """[…, A] the softmax of logits […, A] over legal heads."""
    return logits.masked_fill(~legal, -torch.inf).softmax(-1)
