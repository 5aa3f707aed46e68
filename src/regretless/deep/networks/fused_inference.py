"""The outputs of the hold'em network for many betting sequences, on a GPU where Triton is installed.

The output of the card layers passes the remaining layers in one kernel and stays on the chip in between. As operations
on whole arrays, each layer would read and write memory a dozen times.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from typing import Any

import torch

from regretless.deep.networks.fused_step import FUSED_ARITHMETIC, MOST_HEADS, ROUNDING, padded_size, why_unusable
from regretless.deep.networks.holdem_network import HoldemNetwork

__all__ = ["can_fuse_inference", "fused_card_reader"]


def fused_card_reader(
    network: HoldemNetwork, features: torch.Tensor, rows: int = 64, share: int = 1_024
) -> Callable[[torch.Tensor], torch.Tensor]:
    """The same as `network.on_cards`, in one kernel; the width of the network is a power of two from 16 on."""
    from regretless.deep.networks import inference_kernel

    half = network.half_of_cards(features)
    _, *layers = [*network.joint_layers, network.head]
    tables = [part for layer in layers for part in (layer.weight, layer.bias)]
    kernel: Any = inference_kernel.joint_layers

    def outputs(bets: torch.Tensor) -> torch.Tensor:
        out = torch.empty((len(bets), len(half), network.head.out_features), device=half.device)
        kernel[(-(-len(half) // share), len(bets))](
            half, network.half_of_bets(bets), *tables, out, len(half), share, WIDTH=half.shape[1], HEADS=out.shape[2],
            ROWS=rows, num_warps=4, **FUSED_ARITHMETIC,
        )  # fmt: skip
        return out

    return outputs


def can_fuse_inference(network: HoldemNetwork) -> bool:
    """Whether there is a kernel for this network, and its outputs on this GPU are those of PyTorch."""
    weight, width, heads = network.head.weight, network.head.in_features, network.head.out_features
    if not weight.is_cuda or importlib.util.find_spec("triton") is None:
        return False
    if width != padded_size(width) or heads > MOST_HEADS:
        return False
    key = (weight.device, width, heads)
    if key not in _CHECKED:
        reason = why_unusable(lambda: _matches_pytorch(network))
        _CHECKED[key] = reason is None
        if reason is not None:
            warnings.warn(f"networks are read slowly, by many kernels: {reason}", RuntimeWarning, stacklevel=2)
    return _CHECKED[key]


_CHECKED: dict[tuple[torch.device, int, int], bool] = {}
"""Whether the kernel is usable, by device, width and heads."""


def _matches_pytorch(network: HoldemNetwork) -> bool:
    """Whether the kernel's outputs for random features are those of PyTorch, up to rounding."""
    features = torch.rand((1_000, network.feature_size), device=network.head.weight.device)
    bets = features[:3, -network.parts[-1] :]
    found, expected = (read(network, features)(bets) for read in (fused_card_reader, HoldemNetwork.on_cards))
    distance = torch.linalg.vector_norm(found - expected)
    return bool(distance <= ROUNDING * torch.linalg.vector_norm(expected))
