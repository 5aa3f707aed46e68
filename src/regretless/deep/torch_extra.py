"""PyTorch is an extra: everything deep asks here for it, and for the device that is to compute."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from regretless.errors import OptionError
from regretless.linter.memory import in_units

if TYPE_CHECKING:
    import torch

__all__ = ["device_of", "need_torch", "quick_products", "said_if_full", "threads_of_torch"]

DEVICES = ("cpu", "cuda")


def need_torch() -> None:
    """Say in a sentence how to get PyTorch where it is missing."""
    if importlib.util.find_spec("torch") is None:
        raise OptionError("deep methods need the package torch: pip install 'regretless[deep]'")


def device_of(name: str) -> torch.device:
    """The device of a name, if this machine has it."""
    need_torch()
    import torch

    if name not in DEVICES:
        raise OptionError(f"device is 'cpu' or 'cuda', got {name!r}")
    if name == "cuda" and not torch.cuda.is_available():
        raise OptionError("device='cuda' needs a GPU that PyTorch can use, and there is none: use device='cpu'")
    return torch.device(name)


@contextmanager
def threads_of_torch(count: int) -> Iterator[None]:
    """Let PyTorch use so many threads for a while; its sums, and so the last bits of a run, depend on their number."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def said_if_full() -> Iterator[None]:
    """Say in a sentence that memory was not enough, and how much it was that could not be had."""
    import torch

    try:
        yield
    except (MemoryError, RuntimeError) as error:
        found = re.search(r"ried to allocate ([\d.]+) (\w+)", str(error))
        if found is None and not isinstance(error, MemoryError | torch.OutOfMemoryError):
            raise  # of a CPU that is full PyTorch says so in an error without a name of its own
        where = " on the GPU" if isinstance(error, torch.OutOfMemoryError) else ""
        much = ""
        if found is not None:
            much = f" for another {in_units(int(found[1])) if found[2] == 'bytes' else ' '.join(found.groups())}"
        raise OptionError(
            f"there is no memory left{where}{much}: lower what is done at once (traversals or plays, boards, batch, "
            f"widths), or what is kept (capacity)"
        ) from None


@contextmanager
def quick_products(device: torch.device) -> Iterator[None]:
    """Let a GPU round factors of products to eleven bits, as tensor cores do: far below the error of fits."""
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if device.type == "cuda" else before)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
