"""Whether a GPU can be used here, and whether what is needed fits into its free memory."""

from __future__ import annotations

from regretless.errors import OptionError

__all__ = ["check_device_memory", "cuda_available"]


def cuda_available() -> str | None:
    """None if a GPU can be used, else what is missing."""
    try:
        from regretless.kernels.cuda_target import cuda
    except Exception as error:  # a numba-cuda that does not fit Numba fails with any error
        return (
            f"device='cuda' needs Numba's CUDA target, which cannot be imported here ({error}): install a numba-cuda "
            "that fits this Numba"
        )
    try:
        found = bool(cuda.is_available()) and len(cuda.gpus) > 0
    except Exception as error:
        return f"device='cuda' needs an NVIDIA GPU; its driver says: {error}"
    if not found:
        return "device='cuda' needs an NVIDIA GPU and its driver, and none is found here: device='cpu' runs everywhere"
    return None


def check_device_memory(needed: int, advice: str, work: str = "this solve") -> None:
    """Refuse work that needs more bytes than are free on the GPU. advice: what to do instead."""
    from regretless.kernels.cuda_target import SIMULATED, cuda

    if SIMULATED:
        return
    free = int(cuda.current_context().get_memory_info().free)
    if needed > free:
        raise OptionError(
            f"{work} needs {_gigabytes(needed)} more on the GPU and {_gigabytes(free)} are free there: {advice}"
        )


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:,.2f} GB"
