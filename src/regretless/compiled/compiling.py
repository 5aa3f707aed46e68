"""`compile_game`: from a game to functions that kernels can call."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from regretless.compiled import has_compiler
from regretless.compiled.checking import Twin, check_plays
from regretless.compiled.compile_errors import complaint
from regretless.compiled.diagnosis import diagnosed
from regretless.compiled.modules import LISTED, UNLISTED, game_text, imported, template_text
from regretless.compiled.program import INTERFACE, Function, Program
from regretless.compiled.rewriting import Rewriter
from regretless.compiled.sample_plays import some_plays
from regretless.compiled.sources import Source
from regretless.errors import GameError
from regretless.game import Game, refuse_players
from regretless.kernels.numba_ext.uncounted_arrays import uncounted_view

__all__ = ["CompiledGame", "compile_game", "is_at_hand", "is_loaded"]

_REMEMBERED: list[CompiledGame] = []
"""A cache of the games compiled last."""

MOST_REMEMBERED = 16


@dataclass(frozen=True, eq=False)
class CompiledGame:
    """A game as machine code.

    `functions` is a module with `root(rules)`, `player(rules, state)`, `actions(rules, state, out, at)`,
    `play(rules, state, action)`, `infoset_key(rules, state)`, `payoffs(rules, state, out, at)`,
    `chance(rules, state, out, at)` and `public(rules, state)`; `rules` is what they take first.
    """

    game: Game
    rules: Any
    functions: ModuleType
    infoset_numbers: int
    """How many whole numbers make an infoset: 1, 2, or 0 where its key is a hash."""
    _kernels: dict[str, ModuleType] = field(default_factory=dict, repr=False)

    def kernels(self, template: str) -> ModuleType:
        """The kernels of `regretless.kernels.<template>`, compiled for this game instead of listed trees."""
        if template not in self._kernels:
            name = f"{type(self.game).__name__}_{template.rpartition('.')[2]}"
            self._kernels[template] = imported(template_text(template, self._home_of), name)
        return self._kernels[template]

    def _home_of(self, interface: str) -> str:
        return (self.kernels(UNLISTED) if interface == LISTED else self.functions).__name__

    def infoset_of(self, key: tuple[int, int]) -> Hashable | None:
        """What `Game.infoset` returned, from its key; None where the key is a hash."""
        if self.infoset_numbers == 0:
            return None
        return int(key[0]) if self.infoset_numbers == 1 else (int(key[0]), int(key[1]))


def compile_game(game: Game) -> CompiledGame:
    """Turn a game into compiled functions, checked against the interpreted ones by random plays.

    Ends in a `GameError` that names method, line and reason where something cannot be compiled.
    """
    for known in _REMEMBERED:
        if known.game is game or _equal(known.game, game):
            return known
    refuse_players(game)
    program, interface = _collected(game)
    sources = {name: function.source for (name, function) in _methods(program, interface).items()}
    sample = some_plays(game, sources)
    made = _generated(program, interface, sample.infoset_numbers)

    def use(module: ModuleType) -> None:
        """Call every function at the histories of the sample; the first call compiles it."""
        check_plays(Twin(game, made.rules, module), sample.plays)

    try:
        use(made.functions)
    except NumbaError as error:
        raise diagnosed(program, interface, use, error) from None
    _refuse_another_type(made, sources["play"])
    _REMEMBERED.insert(0, made)
    del _REMEMBERED[MOST_REMEMBERED:]
    return made


def _equal(one: Any, other: Any) -> bool:
    """Whether two games are dataclasses of one class with the same parameters."""
    return type(one) is type(other) and is_dataclass(one) and bool(one == other)


def is_loaded(game: Game, template: str) -> bool:
    """Whether this process has already used a template's kernels on this class of games."""
    return any(type(known.game) is type(game) and template in known._kernels for known in _REMEMBERED)


def is_at_hand(game: Game, template: str, kernel: str) -> bool:
    """Whether the machine code of a kernel is in the cache on disk; cheap, and compiles nothing."""
    program, interface = _collected(game)
    dispatcher = getattr(_generated(program, interface, 0).kernels(template), kernel)
    module = dispatcher.py_func.__module__
    return any(Path(dispatcher.stats.cache_path).glob(f"{module}.{kernel}-*.nbi"))


def _generated(program: Program, interface: dict[str, str], infoset_numbers: int) -> CompiledGame:
    """The modules of a game, with nothing compiled yet."""
    game = program.game
    functions = imported(game_text(program, interface), type(game).__name__)
    values = [np.zeros(0, np.int64), *(value for _, field in program.fields.values() for value in field.values)]
    rules = functions.Rules(*(uncounted_view(value) if isinstance(value, np.ndarray) else value for value in values))
    return CompiledGame(game, rules, functions, infoset_numbers)


def _refuse_another_type(made: CompiledGame, play: Source) -> None:
    """Kernels keep states in lists of one type, so root and play must return the same type."""
    first, later = (getattr(made.functions, name).nopython_signatures[0].return_type for name in ("root", "play"))
    if first != later:
        raise complaint(play, None, f"root returns a state of the type {first} and play one of the type {later}")


def _methods(program: Program, interface: dict[str, str]) -> dict[str, Function]:
    by_name = {function.name: function for function in program.functions.values()}
    return {method: by_name[name] for method, name in interface.items()}


def _collected(game: Game) -> tuple[Program, dict[str, str]]:
    """All functions of a game, rewritten, and the function of each method."""
    if not has_compiler():
        raise GameError("compiled games need the compiler, which NUMBA_DISABLE_JIT turns off")
    program = Program(game)
    interface = {}
    for method, mode in INTERFACE.items():
        found = program.method(method)
        if found is None or (found[0] is Game and method in ("chance", "public")):
            continue
        interface[method] = program.needs(found[1], found[0], mode).name
    for function in program.unwritten():
        function.node = Rewriter(program, function).rewrite()
    program.refuse_recursion()
    return program, interface
