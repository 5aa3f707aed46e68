"""The error for what cannot be compiled: method, file, line, source line and reason."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

from regretless.compiled.sources import Source
from regretless.errors import GameError

__all__ = ["ADVICE", "TooWide", "complaint"]

ADVICE = "compiled games use whole numbers, tuples of them and small arrays"


class TooWide(GameError):
    """A number of the game does not fit into 64 bits; with these parameters the game is interpreted."""


def complaint(source: Source, line: int | None, why: str, advice: str = ADVICE) -> GameError:
    """A GameError about a line of a method, or about the whole method where no line is given."""
    line = line or source.line
    text = source.text_at(line)
    shown = f' ("{text}")' if text else ""
    return GameError(
        f"{source.title} ({Path(source.file).name}, line {line}) cannot be compiled: {why}{shown}"
        + (f"; {advice}" if advice else "")
    )


WORDS: dict[type[ast.AST], str] = {
    ast.Dict: "it uses a dict",
    ast.DictComp: "it uses a dict",
    ast.Set: "it uses a set",
    ast.SetComp: "it uses a set",
    ast.JoinedStr: "it uses text",
    ast.Lambda: "it uses a lambda",
    ast.FunctionDef: "it defines a function inside",
    ast.AsyncFunctionDef: "it defines a function inside",
    ast.ClassDef: "it defines a class inside",
    ast.Yield: "it uses yield",
    ast.YieldFrom: "it uses yield",
    ast.Await: "it uses await",
    ast.Try: "it uses try",
    ast.With: "it uses with",
    ast.Match: "it uses match",
    ast.Global: "it changes a variable of the module",
    ast.Nonlocal: "it changes a variable outside",
    ast.Import: "it imports a module",
    ast.ImportFrom: "it imports a module",
    ast.Delete: "it uses del",
}
"""Syntax that the rules of a compiled game cannot use, and why."""

Complain = Callable[[ast.AST, str], GameError]
