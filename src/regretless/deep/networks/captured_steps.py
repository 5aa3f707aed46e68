"""Training steps as CUDA graphs: on a GPU the launches of a small step's kernels take longer than the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

from regretless.deep.pytorch import tensor_core_products

__all__ = ["captured"]

WARM_UP = 3
"""Steps before the capture, in which libraries choose their kernels."""


def captured(
    step: Callable[[], None], generator: torch.Generator, changed: Iterable[torch.Tensor]
) -> torch.cuda.CUDAGraph:
    """A step as one graph, to be replayed; its random numbers come from `generator`.

    `changed` are the tensors that the step changes. The steps before the capture leave no trace in them.
    """
    graph, device = torch.cuda.CUDAGraph(), generator.device
    graph.register_generator_state(generator)
    kept = [(tensor, tensor.clone()) for tensor in changed]
    with tensor_core_products(device):
        side_stream = torch.cuda.Stream(device)
        side_stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side_stream):
            for _ in range(WARM_UP):
                step()
        torch.cuda.current_stream().wait_stream(side_stream)
        with torch.cuda.graph(graph):
            step()
    for tensor, before in kept:
        tensor.copy_(before)
    return graph
