"""The state of a solve on a GPU: checks for the GPU and its memory, and copies to and from it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from regretless.errors import OptionError
from regretless.kernels.public.layout import SolveState
from regretless.poker.tree.memory_estimate import readable

__all__ = ["CudaNumbers", "check_device_memory", "cuda_available"]


def cuda_available() -> str | None:
    """None if a GPU can be used, else what is missing."""
    try:
        from regretless.kernels.public.cuda_target import cuda
    except ImportError as error:
        return f"device='cuda' needs Numba's CUDA target, which cannot be imported here ({error}): install numba-cuda"
    try:
        found = bool(cuda.is_available()) and len(cuda.gpus) > 0
    except Exception as error:
        return f"device='cuda' needs an NVIDIA GPU; its driver says: {error}"
    if not found:
        return "device='cuda' needs an NVIDIA GPU and its driver, and none is found here: device='cpu' runs everywhere"
    return None


def check_device_memory(needed: int) -> None:
    """Refuse a solve that does not fit into the free memory of the GPU."""
    from regretless.kernels.public.cuda_target import SIMULATED, cuda

    if SIMULATED:
        return
    free = int(cuda.current_context().get_memory_info().free)
    if needed > free:
        raise OptionError(
            f"this solve needs {readable(needed)} more on the GPU and {readable(free)} are free there: take fewer bet "
            f"sizes, narrower ranges or a later street, or device='cpu'"
        )


class CudaNumbers(NamedTuple):
    """The numbers of a solve on the device; the fields of `SolveState`, in 32 or 64 bits."""

    regret: Any
    guess: Any
    average: Any
    scale: Any
    scale_first: Any
    locked: Any

    @classmethod
    def to_device(cls, numbers: SolveState) -> CudaNumbers:
        """Copy numbers to the device."""
        from regretless.kernels.public.cuda_target import cuda

        if numbers.scale is not None:
            raise OptionError("16-bit numbers need device='cpu': on a GPU take dtype='float32'")
        check_device_memory(sum(field.nbytes for field in numbers if field is not None))
        return cls(*(None if field is None else cuda.to_device(np.ascontiguousarray(field)) for field in numbers))

    def from_device(self) -> SolveState:
        """Wait for the device and copy its numbers to the host."""
        fields: list[Any] = [None if field is None else field.copy_to_host() for field in self]
        return SolveState(*fields)
