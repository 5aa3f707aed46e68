"""How kernels are compiled: `kernel` for functions that Python calls, `inner` for functions that only kernels call.

Numba compiles every function completely: it optimises it, generates machine code, wraps that for Python, and then links
and optimises the function again inside each caller. For a function that only kernels call, all but the last is wasted
work, once for every level of calls. `inner` therefore stops at LLVM's intermediate code; the kernel around it optimises
everything once and generates the machine code. That halves the time to compile.

Divisions follow NumPy (no check for zero). No function is compiled with fast-math.
"""

from __future__ import annotations

import ctypes
from importlib import import_module
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

from regretless.kernels.numba_ext.caching import key_by_content
from regretless.kernels.numba_ext.compiler_options import compare_options_quickly
from regretless.kernels.numba_ext.quick_loading import load_without_tables

__all__ = ["inner", "kernel"]

key_by_content()
compare_options_quickly()
load_without_tables()

njit: Any = numba.njit
make_function: Any = import_module("numba._dynfunc").make_function

REFUSE = ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value
"""What Python calls if it calls an inner function: it raises TypeError."""


class InnerLibrary(JITCodeLibrary):
    """The intermediate code of a function and of those that it calls, to be linked into a caller."""

    def _finalize_final_module(self) -> None:
        """Nothing is handed to the code generator."""
        self._finalize_dynamic_globals()
        self._finalized = True


class UnoptimisedLibrary(InnerLibrary):
    """Intermediate code that is optimised in the caller."""

    def _optimize_final_module(self) -> None:
        """The caller does it."""


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):
    """Numba's lowering, without machine code."""

    _name = "regretless_inner_lowering"
    library: type[InnerLibrary] = UnoptimisedLibrary

    def run_pass(self, state: Any) -> bool:
        """Lower a function and tell the compiler where its code is."""
        state.flags.no_compile = True
        state.library = library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        lowered = state["cr"]
        module, name = lowered.fndesc.lookup_module(), state.func_id.func_name
        entry = make_function(module, name, "only kernels call it", REFUSE, lowered.env, (library,))
        state.targetctx.insert_user_function(entry, lowered.fndesc, [library])
        state.reload_init.extend(getattr(library, "_reload_init", ()))
        state["cr"] = lowered._replace(cfunc=entry)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class OptimisedLowering(InnerLowering):
    """The same, with the intermediate code optimised."""

    _name = "regretless_optimised_lowering"
    library = InnerLibrary


class InnerCompiler(CompilerBase):
    """Numba's passes with another lowering in place of its own."""

    lowering: type[InnerLowering] = InnerLowering

    def define_pipelines(self) -> list[Any]:
        """The passes of nopython mode."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(self.lowering if each is NativeLowering else each, text) for each, text in manager.passes]
        manager.finalize()
        return [manager]


class OptimisedCompiler(InnerCompiler):
    """The same, with the intermediate code optimised."""

    lowering = OptimisedLowering


def kernel(function: Any = None, **options: Any) -> Any:
    """Compile a function that Python calls; its machine code is cached on disk."""
    compiled = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)
    return compiled if function is None else compiled(function)


def inner(function: Any = None, *, optimise: bool = False, **options: Any) -> Any:
    """Compile a function that only kernels call.

    forceinline=True puts its code into the caller's in any case. With `optimise` it is optimised by itself before it
    becomes a part of the caller; that takes longer and makes some loops faster.
    """
    compiled = njit(
        nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True,
        pipeline_class=OptimisedCompiler if optimise else InnerCompiler, **options,
    )  # fmt: skip
    return compiled if function is None else compiled(function)
