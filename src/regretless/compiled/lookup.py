"""What a name in the source of a game stands for."""

from __future__ import annotations

import ast
import builtins
import math
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any

import numpy as np

from regretless.compiled.rule_fields import Field
from regretless.compiled.sources import Source, plain_function

__all__ = ["BUILTINS", "Found", "dotted", "global_value", "is_named_tuple", "literal"]

BUILTINS = frozenset(
    {"abs", "all", "any", "bool", "divmod", "enumerate", "float", "int", "len", "list", "map", "max", "min", "pow"}
    | {"range", "reversed", "round", "sorted", "sum", "tuple", "zip"}
)
"""Built-in functions that Numba compiles, or that are rewritten."""

LONGEST_LITERAL = 16
"""A tuple of the module that is longer becomes an array among the rules."""

MODULES = {np: "np", math: "math"}


@dataclass(frozen=True)
class Found:
    """What a name or a chain of attributes means."""

    kind: str  # "field", "literal", "function", "method", "tuple type", "builtin", "module"
    value: Any = None
    name: str = ""
    field: Field | None = None
    owner: type | None = None


def dotted(node: ast.AST) -> list[str] | None:
    """A name and its attributes, ["self", "deck", "size"]; None for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else None


def global_value(source: Source, names: list[str]) -> Found | str:
    """What a name outside the function means, or why it cannot be used."""
    function, shown = source.function, ".".join(names)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if names[0] in cells:
        value = cells[names[0]].cell_contents
    elif names[0] in function.__globals__:
        value = function.__globals__[names[0]]
    elif hasattr(builtins, names[0]):
        return _builtin(names)
    else:
        return f"there is no {names[0]}"
    for place, name in enumerate(names[1:], 1):
        if isinstance(value, ModuleType) and value in MODULES:
            return Found("module", name=".".join([MODULES[value], *names[place:]]))
        if not hasattr(value, name):
            return f"there is no {shown}"
        value = getattr(value, name)
    return _meaning(value, shown)


def _builtin(names: list[str]) -> Found | str:
    if names[0] in BUILTINS and len(names) == 1:
        return Found("builtin", name=names[0])
    value = getattr(builtins, names[0])
    if isinstance(value, type) and issubclass(value, BaseException):
        return Found("builtin", name=names[0])
    what = {"set": "a set", "frozenset": "a set", "dict": "a dict", "str": "text"}.get(names[0])
    return f"it uses {what}" if what else f"it uses {names[0]}(), which cannot be compiled"


def _meaning(value: Any, shown: str) -> Found | str:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, type):
        return Found("tuple type", value) if is_named_tuple(value) else f"it uses the class {shown}"
    if callable(value):
        module = MODULES.get(__import__(value.__module__)) if value.__module__ in ("math", "numpy") else None
        if module is not None:
            return Found("module", name=f"{module}.{value.__name__}")
        if plain_function(value) is None:
            return f"it calls {shown}, which is not written in Python"
        return Found("function", value)
    constant = literal(value)
    if constant is not None:
        return Found("literal", constant)
    return Found("value", value, name=shown)


def is_named_tuple(kind: type) -> bool:
    """Whether a class is a NamedTuple."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def literal(value: Any) -> ast.expr | None:
    """A number, or a short tuple of numbers of one kind, as an expression."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float):
        return ast.parse(repr(value) if math.isfinite(value) else f"float('{value}')", mode="eval").body
    if type(value) is tuple and 0 < len(value) <= LONGEST_LITERAL and len({type(part) for part in value}) == 1:
        parts = [literal(part) for part in value]
        if isinstance(value[0], bool | int | float):
            return ast.Tuple([part for part in parts if part is not None], ast.Load())
    return None
