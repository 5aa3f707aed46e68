"""Compiled games: the rules that a user writes in Python, compiled to machine code that all walks can call.

`@compiled` only marks a class. On first use `compile_game` reads the source of its methods, rewrites them so that
Numba can compile them, and keeps the result in a folder from which the next process loads it.

    sample_plays      some plays of the interpreted game: can its answers be compiled?
    sources           the source of a method, as a syntax tree with file and line
    lookup            what a name in the source refers to
    program           all functions that a game needs, found from its methods
    rewriting         from methods to functions of rules and states
    writers           functions that write a sequence into an array instead of returning it
    rule_fields       the fields of a game as numbers and arrays
    modules           the generated module, on disk and imported
    compiling         `compile_game`, which does all of the above
    checking          compares the compiled game with the interpreted one
    compile_errors    the error for what cannot be compiled; diagnosis finds the line
    compiled_listing  lists all histories of a compiled game
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

from regretless.errors import GameError
from regretless.game import Game

if TYPE_CHECKING:
    from regretless.compiled.compiling import CompiledGame, compile_game

__all__ = ["CompiledGame", "compile_game", "compiled", "has_compiler", "is_compiled"]

MARK = "_compiled"

Class = TypeVar("Class", bound=type)


def compiled(game: Class) -> Class:
    """Mark a class of games whose rules may be compiled, so that large games are walked at the speed of C.

    States are whole numbers, tuples or NamedTuples of them (nested, if you like) or small NumPy arrays, and keep their
    shape throughout the game; actions are whole numbers; infosets are whole numbers or tuples of them. Methods may
    call each other and functions of their module. Strings, dicts, sets and None stay in `infoset_label` and
    `action_label`, which are never compiled. Nothing is compiled before it is needed.

    >>> import regretless as rg
    >>> @rg.compiled
    ... class Nim(rg.Game):
    ...     '''Take one or two of some sticks in turn; taking the last one wins.'''
    ...     def __init__(self, sticks=3): self.sticks = sticks
    ...     def root(self): return (0, self.sticks)
    ...     def player(self, state): return state[0] if state[1] else rg.TERMINAL
    ...     def actions(self, state): return range(1, min(2, state[1]) + 1)
    ...     def play(self, state, action): return (1 - state[0], state[1] - action)
    ...     def infoset(self, state): return state
    ...     def payoffs(self, state): return (1, -1) if state[0] else (-1, 1)
    >>> rg.build(Nim()).infosets
    4
    """
    if not (isinstance(game, type) and issubclass(game, Game)):
        raise GameError(f"compiled marks a class of games, got {game!r}; write @rg.compiled above a class of rg.Game")
    setattr(game, MARK, True)
    return game


def is_compiled(game: Game) -> bool:
    """Whether the class of a game itself is marked; a subclass may have other rules and needs its own mark."""
    return MARK in vars(type(game))


def has_compiler() -> bool:
    """Whether functions are compiled; with NUMBA_DISABLE_JIT they run as plain Python, for debugging."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def __getattr__(name: str) -> Any:
    if name not in ("CompiledGame", "compile_game"):
        raise AttributeError(f"module 'regretless.compiled' has no attribute {name!r}")
    from regretless.compiled import compiling

    return getattr(compiling, name)
