"""What tests of GPU code share: a process with Numba's simulator of a GPU, and Numba's compiler for GPUs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def run_in_the_simulator(path: str) -> subprocess.CompletedProcess[str]:
    """The tests of a file, in a process of their own with the simulator, which can only be chosen at the start."""
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-o", "addopts=", path]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def check_toolchain() -> None:
    """Skip where Numba finds no compiler for GPUs."""
    from numba.cuda.cudadrv import nvvm

    try:
        nvvm.NVVM()
    except Exception as error:
        pytest.skip(f"Numba's compiler for GPUs needs libNVVM: {error}")
