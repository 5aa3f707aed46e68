"""The state of a solve on a GPU, and copies of it to and from the device."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from regretless.errors import OptionError
from regretless.gpu.availability import check_device_memory
from regretless.kernels.public.layout import SolveState

__all__ = ["SMALLER", "CudaNumbers"]


SMALLER = "take fewer bet sizes, narrower ranges or a later street, or device='cpu'"
"""What to do where a GPU has too little memory."""


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
        from regretless.kernels.cuda_target import cuda

        if numbers.scale is not None:
            raise OptionError("16-bit numbers need device='cpu': on a GPU take dtype='float32'")
        check_device_memory(sum(field.nbytes for field in numbers if field is not None), SMALLER)
        return cls(*(None if field is None else cuda.to_device(np.ascontiguousarray(field)) for field in numbers))

    def from_device(self) -> SolveState:
        """Wait for the device and copy its numbers to the host."""
        fields: list[Any] = [None if field is None else field.copy_to_host() for field in self]
        return SolveState(*fields)
