"""Networks of the user: a class or function (features, heads) → `torch.nn.Module`, with its contract checked once.

The module maps float32 features [n, features] to outputs [n, heads]. Its outputs depend on its input and its parameters
alone, because parameters are all that a checkpoint holds and a resumed run must be the uninterrupted one, bit for bit.
So there is no dropout, and no buffer that changes (as in batch normalisation). The class or function draws all weights
from PyTorch's default generator, as the layers of `torch.nn` do; it is called again, with another seed, whenever new
random weights are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from regretless.deep.networks.gradients import AutogradNetwork
from regretless.errors import OptionError
from regretless.methods.checks import function_name

__all__ = ["CustomNetwork"]

Factory = Callable[[int, int], Any]


class CustomNetwork(AutogradNetwork):
    """A module that the user's factory makes, differentiated by PyTorch."""

    def __init__(self, factory: Factory, features: int, heads: int, device: torch.device) -> None:
        self.factory, self.features, self.heads = factory, features, heads
        network = _made(factory, features, heads, seed=0)
        again = _made(factory, features, heads, seed=0)
        if not all(torch.equal(a, b) for a, b in zip(network.parameters(), again.parameters(), strict=True)):
            raise _refusal(factory, "draws other weights for the same seed: draw them by PyTorch's default generator")
        _check_outputs(factory, network, features, heads)
        super().__init__(network.to(device))

    def initialise(self, generator: torch.Generator) -> None:
        """Draw new weights: those of a new module."""
        seed = int(torch.randint(1 << 62, (), generator=generator, device=generator.device))
        drawn = _made(self.factory, self.features, self.heads, seed)
        self.weights.copy_(torch.cat([parameter.detach().reshape(-1) for parameter in drawn.parameters()]))


def _made(factory: Factory, features: int, heads: int, seed: int) -> nn.Module:
    """A module whose weights are drawn with a seed; PyTorch's default generator is left as it was."""
    state = torch.get_rng_state()
    torch.default_generator.manual_seed(seed)
    try:
        network = factory(features, heads)
    except Exception as error:
        raise _refusal(factory, f"could not be called with ({features}, {heads}): {error}") from error
    finally:
        torch.set_rng_state(state)
    if not isinstance(network, nn.Module):
        raise _refusal(factory, f"returned {network!r}: it has to return a torch.nn.Module")
    parameters = list(network.parameters())
    if not parameters or any(parameter.dtype != torch.float32 for parameter in parameters):
        raise _refusal(factory, "needs parameters, all of them float32")
    return network


@torch.no_grad()
def _check_outputs(factory: Factory, network: nn.Module, features: int, heads: int) -> None:
    """Raise OptionError if outputs have a wrong shape or depend on more than input and parameters."""
    rows = torch.linspace(-1, 1, 3 * features).view(3, features)
    before = [buffer.clone() for buffer in network.buffers()]
    try:
        outputs = [network(rows), network(rows)]
    except Exception as error:
        raise _refusal(factory, f"could not map features of shape (3, {features}): {error}") from error
    for output in outputs:
        if not isinstance(output, torch.Tensor) or output.shape != (3, heads) or output.dtype != torch.float32:
            got = (tuple(output.shape), output.dtype) if isinstance(output, torch.Tensor) else type(output).__name__
            raise _refusal(factory, f"maps features (3, {features}) to {got}, not to float32 outputs (3, {heads})")
    if not torch.equal(*outputs):
        raise _refusal(factory, "gives two outputs for the same input: leave out dropout and other noise")
    if not all(torch.equal(old, new) for old, new in zip(before, network.buffers(), strict=True)):
        raise _refusal(factory, "changes its buffers in a forward pass: use layer instead of batch normalisation")


def _refusal(factory: Factory, reason: str) -> OptionError:
    return OptionError(f"network={function_name(factory) or factory} {reason}")
