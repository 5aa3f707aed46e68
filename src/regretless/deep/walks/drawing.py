"""Drawing many positions at once, in proportion to weights."""

from __future__ import annotations

import torch

__all__ = ["draw"]


def draw(weight: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    """[count] positions drawn in proportion to their weights; none where all weights are 0.

    They all are if the other player ends every play before this one moves; walks of single deals find no sample then.

    Draws are stratified (one in each n-th part of the total weight), which lowers their variance. They are returned in
    random order, so that a memory smaller than `count` keeps samples of all decisions.
    """
    cumulative = weight.double().cumsum(0)
    if not float(cumulative[-1]):
        return torch.empty(0, dtype=torch.int64, device=weight.device)
    draw = torch.rand(count, dtype=torch.float64, device=weight.device, generator=generator)
    point = (torch.arange(count, device=weight.device) + draw) / count * cumulative[-1]
    index = torch.searchsorted(cumulative, point, right=True).clamp(max=len(cumulative) - 1)
    return index[torch.randperm(count, device=weight.device, generator=generator)]
