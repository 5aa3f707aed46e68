"""Machine code from disk without Numba's tables of what it can compile.

Before Numba loads a function that is cached on disk, it fills its tables of all functions and types that it can
compile. Machine code needs none of them, and they take a tenth of a second. So kernels are loaded without; the tables
are filled when something is compiled for the first time. Functions of other packages are loaded as usual.
"""

from __future__ import annotations

from typing import Any

from numba.core.caching import Cache
from numba.core.cpu import CPUContext
from numba.core.runtime.nrt import rtsys

from regretless.kernels.numba_ext.caching import is_kernel_cache
from regretless.kernels.numba_ext.late_blas import import_array_functions

__all__ = ["load_without_tables"]


def load_without_tables() -> None:
    """Make Numba load kernels without filling its tables; without effect if called again."""
    cache: Any = Cache
    context: Any = CPUContext
    if hasattr(cache.load_overload, "usual"):
        return
    cache.load_overload = _loading(cache.load_overload)
    context.load_additional_registries = _filling(context.load_additional_registries)


def _loading(usual: Any) -> Any:
    def load_overload(self: Any, sig: Any, target_context: Any) -> Any:
        """The cached function of a signature, or None."""
        if not is_kernel_cache(self):
            return usual(self, sig, target_context)
        rtsys.initialize(target_context)  # machine code calls the run-time library
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    load_overload.usual = usual  # type: ignore[attr-defined]
    return load_overload


def _filling(usual: Any) -> Any:
    def load_additional_registries(self: Any) -> None:
        """Fill the tables."""
        import_array_functions()
        usual(self)

    return load_additional_registries
