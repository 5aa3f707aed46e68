"""Numba's errors, with the line of the author's source instead of the generated one."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numba
from numba.core.errors import NumbaError

from regretless.compiled.compile_errors import complaint
from regretless.compiled.modules import game_head, game_tail
from regretless.compiled.program import Function, Program
from regretless.errors import GameError

__all__ = ["diagnosed"]

COLOURS = re.compile(r"\x1b\[\d*m")
PLACE = re.compile(r'File "([^"]+)", line (\d+)')

Use = Callable[[ModuleType], None]


def diagnosed(program: Program, interface: dict[str, str], use: Use, error: Exception) -> GameError:
    """Compile again, from syntax trees with the author's lines, and turn the error into a GameError."""
    twin = ModuleType("regretless_diagnosis")
    space = vars(twin)
    exec(game_head(program), space)
    space["njit"] = lambda **options: numba.njit
    for function in program.functions.values():
        assert function.node is not None
        exec(compile(ast.Module([function.node], []), function.source.file, "exec"), space)
        space[function.name] = numba.njit(space[function.name])
    exec(game_tail(interface), space)
    try:
        use(twin)
    except NumbaError as again:
        error = again
    except Exception:  # if the code fails in another way without a cache, the first error is reported
        pass
    text = COLOURS.sub("", str(error))
    for file, line in PLACE.findall(text):
        function_there = _at(program, file, int(line))
        if function_there is not None:
            return complaint(function_there.source, int(line), _reason(text))
    return GameError(f"{type(program.game).__name__} cannot be compiled: {_reason(text)}")


def _at(program: Program, file: str, line: int) -> Function | None:
    for function in program.functions.values():
        source = function.source
        if Path(source.file).name == Path(file).name and source.line <= line <= (source.node.end_lineno or source.line):
            return function
    return None


def _reason(text: str) -> str:
    """The reason in Numba's message, in plain words where its kind is known."""
    for pattern, words in REASONS:
        found = re.search(pattern, text)
        if found is not None:
            return words.format(*(_kind(part) for part in found.groups()))
    lines = [line.strip() for line in text.splitlines()]
    useful = [line for line in lines if line and not line.startswith(("Failed in", "File", "During", ">>>", "-", "^"))]
    return f"Numba says: {useful[0]}" if useful else "Numba cannot compile it"


REASONS = [
    (r"Can't unify return type from the following types: (.+)", "it returns different kinds of things: {}"),
    (r"Cannot unify (.+?) and (.+?) for '\$", "one thing is now {0}, now {1}"),
    (r"Cannot unify (.+?) and (.+?) for '([^'.]+)", "the variable {2} is now {0}, now {1}"),
    (r"Unknown attribute '(\w+)' of type (.+)", "it uses .{0}, which {1} does not have"),
    (r"Use of unsupported NumPy function '([\w.]+)'", "it uses {0}, which cannot be compiled"),
    (r"Int value is too large: (\d+)", "the number {0} has more than 64 bits"),
    (r"NameError: name '(\w+)' is not defined", "there is no {0}"),
    (r"No implementation of function Function\(<[^>]*?(?:function|class) '?(\w+)[^>]*>\)[^:]*:\s*>>> \w+\((.*)\)",
     "{0} does not work on {1}"),
    (r"No implementation of function Function\((?:<[^>]*>)?(.*?)\)[^:]*:\s*>>> (\w+)\((.*)\)",
     "{1} does not work on {2}"),
    (r"No conversion from (.+?) to (.+?) for", "it puts {0} where {1} belongs"),
    (r"(?:too many|not enough) values to unpack|failed to unpack (.+)", "it unpacks something of another length"),
]  # fmt: skip
"""Numba's messages in plain words."""


def _kind(text: str | None) -> str:
    """A type of Numba in plain words; unknown types stay as they are."""
    words = text or ""
    for pattern, meaning in KINDS:
        words = re.sub(pattern, meaning, words)
    return words.strip()


KINDS = [
    (r"<iv=(?:None|\[[^\]]*\])>", ""),
    (r"Literal\[int\]\((-?\d+)\)", r"\1"),
    (r"reflected list", "list"),
    (r"UniTuple\(u?int\d* x (\d+)\)", r"a tuple of \1 whole numbers"),
    (r"UniTuple\((.+?) x (\d+)\)", r"a tuple of \2 times \1"),
    (r"\bTuple\(", "the tuple ("),
    (r"(?:array|Array|uncounted)\(u?int\d*, [^)]*\)", "an array of whole numbers"),
    (r"(?:array|Array|uncounted)\(float\d*, [^)]*\)", "an array of numbers"),
    (r"list\(u?int\d*\)", "a list of whole numbers"),
    (r"list\(float\d*\)", "a list of numbers"),
    (r"list\(([^()]*)\)", r"a list that holds \1"),
    (r"\bu?int(?:64|32|p)\b", "a whole number"),
    (r"\bfloat64\b", "a number"),
    (r"\bunicode_type\b", "text"),
    (r"\bnone\b", "None"),
    (r"\bbool(?:ean)?\b", "a truth value"),
]
"""Numba's types in plain words."""
