"""Random numbers: every piece of work has its own stream, derived from the seed, the iteration and its purpose.

So a checkpoint stores no random state: a resumed run draws what the uninterrupted run would draw.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import torch

__all__ = ["Purpose", "stream"]


class Purpose(IntEnum):
    """What random numbers are used for."""

    WALK = 0
    MEMORY = 1
    REFIT = 2
    STRATEGY = 3
    PLAY = 4
    MEASURE = 5
    VALUES = 6


def stream(device: torch.device, seed: int, iteration: int, player: int, purpose: Purpose) -> torch.Generator:
    """The random numbers of one piece of work."""
    words = np.random.SeedSequence([seed, iteration, player, int(purpose)]).generate_state(1, np.uint64)
    return torch.Generator(device).manual_seed(int(words[0] >> np.uint64(1)))
