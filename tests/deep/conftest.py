"""Networks here are small: threads would only wait for each other."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Where PyTorch is missing there is nothing to slow down."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)
