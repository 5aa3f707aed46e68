"""All functions that a game needs, found from its methods, and the fields that they read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from regretless.compiled.compile_errors import complaint
from regretless.compiled.rule_fields import Field, as_field
from regretless.compiled.sources import Source, plain_function, source_of
from regretless.errors import GameError
from regretless.game import Game

__all__ = ["INTERFACE", "STATE", "VALUE", "WRITER", "Function", "Program"]

VALUE, STATE, WRITER = "value", "state", "writer"
"""What a compiled function does with its result: return it, return it as a state, or write its items to an array."""

INTERFACE = {
    "root": STATE,
    "player": VALUE,
    "actions": WRITER,
    "play": STATE,
    "infoset": STATE,
    "payoffs": WRITER,
    "chance": WRITER,
    "public": VALUE,
}
"""The methods of `Game` that are compiled, and how."""

RESERVED = {*INTERFACE, "infoset_key", "Rules", "row", "settled", "key_of", "njit", "namedtuple", "np", "math"}


@dataclass
class Function:
    """One function of the generated module."""

    name: str
    source: Source
    mode: str
    node: ast.FunctionDef | None = None
    calls: dict[str, int] = field(default_factory=dict)  # the functions it calls, and the line that does


class Program:
    """The functions, fields and NamedTuples to generate for a game; `rewriting` fills it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.functions: dict[tuple[FunctionType, str], Function] = {}
        self.fields: dict[tuple[str, ...], tuple[str, Field]] = {}
        self.tuples: dict[type, str] = {}
        self.taken = set(RESERVED)

    def method(self, name: str, after: type | None = None) -> tuple[type, Any] | None:
        """The class that defines a method of the game, and the method; `after` a class for what its super() finds."""
        classes = type(self.game).__mro__
        if after is not None:
            classes = classes[classes.index(after) + 1 :]
        return next(((owner, vars(owner)[name]) for owner in classes if name in vars(owner)), None)

    def needs(self, found: Any, owner: type | None, mode: str) -> Function:
        """The compiled form of a function, to be written if it is not yet there."""
        function = plain_function(found)
        assert function is not None
        key = (function, mode)
        if key not in self.functions:
            is_method = owner is not None and not isinstance(found, staticmethod)
            home = owner.__name__ if owner else function.__module__.rpartition(".")[2]
            written = "_written" if mode == WRITER and function.__name__ not in INTERFACE else ""
            name = self.unique(f"{home}_{function.__name__}{written}")
            self.functions[key] = Function(name, source_of(function, owner, is_method), mode)
        return self.functions[key]

    def unwritten(self) -> Iterator[Function]:
        """Functions still to be rewritten; rewriting one may ask for more."""
        while True:
            waiting = next((f for f in self.functions.values() if f.node is None), None)
            if waiting is None:
                return
            yield waiting

    def field(self, path: tuple[str, ...], value: Any, names: list[str]) -> tuple[str, Field] | str:
        """The field of the rules, called after `names`, that holds a value; or why there can be none."""
        if path not in self.fields:
            made = as_field(value)
            if isinstance(made, str):
                return made
            name = "_".join(part.lstrip("_") for part in names)  # fields of a NamedTuple start with a letter
            self.fields[path] = (self.unique(f"own_{name}" if names[-1].startswith("_") else name), made)
        return self.fields[path]

    def named_tuple(self, kind: type) -> str:
        """The name under which the generated module defines a NamedTuple of the user's."""
        if kind not in self.tuples:
            self.tuples[kind] = self.unique(kind.__name__)
        return self.tuples[kind]

    def unique(self, name: str) -> str:
        """A name that nothing else in the generated module has."""
        name = "".join(letter if letter.isidentifier() or letter.isdigit() else "_" for letter in name)
        taken, number = name, 2
        while taken in self.taken:
            taken, number = f"{name}_{number}", number + 1
        self.taken.add(taken)
        return taken

    def refuse_recursion(self) -> None:
        """Compiled functions cannot call themselves, neither directly nor through others."""
        known = {function.name: function for function in self.functions.values()}
        done: set[str] = set()

        def follow(name: str, path: list[str]) -> GameError | None:
            for callee, line in known[name].calls.items():
                if callee in path or callee == name:
                    titles = [known[n].source.title for n in [*path, name][[*path, name].index(callee) :]]
                    why = f"it calls itself ({' → '.join([*titles, titles[0]])})"
                    return complaint(known[name].source, line, why, "compiled games use loops")
                if callee not in done:
                    fault = follow(callee, [*path, name])
                    if fault:
                        return fault
            done.add(name)
            return None

        for name in known:
            fault = follow(name, [])
            if fault:
                raise fault
