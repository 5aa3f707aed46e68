"""What the hold'em network says of one betting, on a GPU where Triton is installed.

Cards that were read once go through the layers that are left in one kernel, without coming back to memory in between:
by operations on whole arrays, each of them would be read and written a dozen times.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from typing import Any

import torch

from regretless.deep.networks.fused_step import MOST_HEADS, ROUNDING, power, why_not
from regretless.deep.networks.holdem_network import HoldemNetwork

__all__ = ["fused_reader", "reads_fused"]


def fused_reader(
    network: HoldemNetwork, features: torch.Tensor, rows: int = 64, share: int = 1_024
) -> Callable[[torch.Tensor], torch.Tensor]:
    """What `network.on_cards` returns, in one kernel; its width must be a power of two from 16 on."""
    from regretless.deep.networks import inference_kernel

    half = network.half_of_cards(features)
    _, *layers = [*network.joint_layers, network.head]
    tables = [part for layer in layers for part in (layer.weight, layer.bias)]
    kernel: Any = inference_kernel.conclude

    def says(bets: torch.Tensor) -> torch.Tensor:
        out = torch.empty((len(half), network.head.out_features), device=half.device)
        kernel[(-(-len(half) // share),)](
            half, network.half_of_bets(bets), *tables, out, len(half), share, WIDTH=half.shape[1], HEADS=out.shape[1],
            ROWS=rows, num_warps=4,
        )  # fmt: skip
        return out

    return says


def reads_fused(network: HoldemNetwork) -> bool:
    """Whether there is a kernel for what a network says, and it says on this GPU what PyTorch says."""
    weight, width, heads = network.head.weight, network.head.in_features, network.head.out_features
    if not weight.is_cuda or importlib.util.find_spec("triton") is None:
        return False
    if width != power(width) or heads > MOST_HEADS:
        return False
    key = (weight.device, width, heads)
    if key not in _READS:
        why = why_not(lambda: _says_the_same(network))
        _READS[key] = why is None
        if why is not None:
            warnings.warn(f"networks are read slowly, by many kernels: {why}", RuntimeWarning, stacklevel=2)
    return _READS[key]


_READS: dict[tuple[torch.device, int, int], bool] = {}
"""What was found, by device and sizes."""


def _says_the_same(network: HoldemNetwork) -> bool:
    """Whether the kernel says of some features what PyTorch says, up to how products round."""
    features = torch.rand((1_000, network.feature_size), device=network.head.weight.device)
    bets = features[0, -network.parts[-1] :]
    found, expected = (read(network, features)(bets) for read in (fused_reader, HoldemNetwork.on_cards))
    apart = torch.linalg.vector_norm(found - expected)
    return bool(apart <= ROUNDING * torch.linalg.vector_norm(expected))
