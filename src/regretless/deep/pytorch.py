"""PyTorch as an optional dependency: whether it is installed, its devices, its threads, its out-of-memory errors."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from regretless.errors import OptionError
from regretless.linter.memory import in_units

if TYPE_CHECKING:
    import torch

__all__ = ["explain_out_of_memory", "require_torch", "tensor_core_products", "torch_device", "torch_threads"]

DEVICES = ("cpu", "cuda")

_FORKED_WITH_TORCH = False
"""Whether this process was forked from one that had loaded PyTorch."""


def require_torch() -> None:
    """Raise OptionError with the install command if PyTorch is missing."""
    if importlib.util.find_spec("torch") is None:
        raise OptionError("deep methods need the package torch: pip install 'regretless[deep]'")


def torch_device(name: str) -> torch.device:
    """The device of this name; raises OptionError if this machine does not have it."""
    require_torch()
    import torch

    if name not in DEVICES:
        raise OptionError(f"device is 'cpu' or 'cuda', got {name!r}")
    if name == "cuda" and not torch.cuda.is_available():
        raise OptionError("device='cuda' needs a GPU that PyTorch can use, and there is none: use device='cpu'")
    return torch.device(name)


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Set PyTorch's number of threads for the block. Its sums, and so the last bits of a run, depend on it.

    A process that is forked after PyTorch has started its threads does not have them, and would wait for them for ever:
    there several threads are refused.
    """
    import torch

    if count > 1 and _FORKED_WITH_TORCH:
        raise OptionError(
            f"PyTorch cannot use {count} threads in a process that was forked after PyTorch was loaded: use threads=1, "
            "or start processes by 'spawn'"
        )
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def explain_out_of_memory() -> Iterator[None]:
    """Turn an out-of-memory error into an OptionError that names the size and the settings to lower."""
    import torch

    try:
        yield
    except (MemoryError, RuntimeError) as error:
        found = re.search(r"ried to allocate ([\d.]+) (\w+)", str(error))
        if found is None and not isinstance(error, MemoryError | torch.OutOfMemoryError):
            raise  # on the CPU, PyTorch reports exhausted memory as a plain RuntimeError
        where = " on the GPU" if isinstance(error, torch.OutOfMemoryError) else ""
        size = ""
        if found is not None:
            size = f" for another {in_units(int(found[1])) if found[2] == 'bytes' else ' '.join(found.groups())}"
        raise OptionError(
            f"there is no memory left{where}{size}: lower what is done at once (traversals or plays, boards, batch, "
            f"widths), or what is kept (capacity)"
        ) from None


@contextmanager
def tensor_core_products(device: torch.device) -> Iterator[None]:
    """Let a GPU round the factors of matrix products to 11 bits (TF32): the error is far below that of a fit."""
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if device.type == "cuda" else before)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _after_fork() -> None:
    global _FORKED_WITH_TORCH
    _FORKED_WITH_TORCH = _FORKED_WITH_TORCH or "torch" in sys.modules


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
