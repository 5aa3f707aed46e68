"""The source of a method as a syntax tree whose line numbers are those of its file."""

from __future__ import annotations

import ast
import inspect
import linecache
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from regretless.errors import GameError

__all__ = ["Source", "plain_function", "source_of"]


@dataclass(frozen=True, eq=False)
class Source:
    """A function that a game needs."""

    function: FunctionType
    owner: type | None  # the class that defines it; None for a function of a module
    is_method: bool  # whether its first argument is the game
    node: ast.FunctionDef
    file: str
    line: int

    @property
    def title(self) -> str:
        """How a reader calls it."""
        return f"{self.owner.__name__}.{self.function.__name__}" if self.owner else self.function.__name__

    def text_at(self, line: int) -> str:
        """A line of the file, without what surrounds it."""
        text = linecache.getline(self.file, line).strip()
        return text if len(text) <= 80 else text[:79] + "…"


def plain_function(found: Any) -> FunctionType | None:
    """The function as written, inside static methods, caches and compiled functions; None if there is none."""
    while not isinstance(found, FunctionType):
        inner = (
            getattr(found, "__func__", None) or getattr(found, "__wrapped__", None) or getattr(found, "py_func", None)
        )
        if inner is None:
            return None
        found = inner
    unwrapped: FunctionType = inspect.unwrap(found)
    return unwrapped


def source_of(function: FunctionType, owner: type | None, is_method: bool) -> Source:
    """Read the source of a function."""
    title = f"{owner.__name__}.{function.__name__}" if owner else function.__name__
    try:
        lines, line = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise GameError(
            f"{title} cannot be compiled: Python kept no source of it (made by exec or typed at a prompt); "
            "write the class in a file or a notebook"
        ) from None
    node = _parsed("".join(lines), line)
    if node is None:
        raise GameError(
            f"{title} ({function.__code__.co_filename}, line {line}) cannot be compiled: it is no def; "
            "write it as a method of its own"
        )
    return Source(function, owner, is_method, node, function.__code__.co_filename, node.lineno)


def _parsed(text: str, line: int) -> ast.FunctionDef | None:
    """The one def of a text that may be indented; None if there is none."""
    indented = text[:1].isspace()
    try:
        body = ast.parse(f"if True:\n{text}" if indented else text).body
    except SyntaxError:  # a lambda in the middle of an expression
        return None
    if indented and isinstance(body[0], ast.If):
        body = body[0].body
    node = body[0]
    if not isinstance(node, ast.FunctionDef):
        return None
    ast.increment_lineno(node, line - 1 - indented)
    return node
