"""Functions of ours that the compiler replaces by instructions: how their types and their code are registered.

Without compilation the same names are plain Python functions. Numba's `overload` would do the same, but it compiles a
function for every use and inlines it again, which costs more time than all other passes together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

__all__ = ["primitive"]


def primitive(function: Any, *kinds: Any, typed: Callable[..., Any]) -> Callable[[Any], Any]:
    """Register the decorated code generator for `function`.

    typed(*types) returns the signature of a call, or None where these types are not ours. kinds: the types that the
    generator is for; any number of any types where none are given.
    """

    def register(generate: Any) -> Any:
        class Template(AbstractTemplate):
            def generic(self, arguments: Any, keywords: Any) -> Any:
                """The signature of a call."""
                return None if keywords else typed(*arguments)

        infer_global(function)(Template)
        lower_builtin(function, *(kinds or (types.VarArg(types.Any),)))(generate)
        return generate

    return register
