"""A `Problem` is what a method works on: a game in the shape that one family of methods walks.

| problem | kind | shape | made by |
|---|---|---|---|
| `Tree` | "tree" | every history listed, in sequence form | `rg.build(game)` |
| `Graph` | "graph" | every position, equal states merged | `rg.graph_of(game)` |
| `Unlisted` | "compiled game" | nothing listed; infosets enter a table when first visited | `rg.MCCFR(listed=False)` |
| `PublicTree` | "public tree" | hold'em: betting lines × boards × hand vectors | `game.problem()` |
| `BucketedTree` | "bucketed tree" | hold'em with a card abstraction: betting lines × buckets | `game.problem()` |
| `SampledHoldem` | "sampled hold'em" | hold'em whose cards are dealt on demand | `rg.DeepCFR().open(game)` |

`rg.solve`, `rg.resume`, `rg.compare`, the command line and the explorer talk to this interface and know none of the
classes. A package of yours may add a kind: write a class with these attributes and methods, and register how its runs
are read from files with `reads`. See the guide "Your own method".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, cast

from regretless.errors import OptionError

__all__ = [
    "CPU",
    "Arrays",
    "Capabilities",
    "Opens",
    "Problem",
    "Which",
    "found",
    "found_again",
    "is_problem",
    "kind_of",
    "known_games",
    "open_problem",
    "open_with",
    "opens_itself",
    "reader_of",
    "reads",
    "refuse_to_list",
    "the_game",
]

Arrays = Mapping[str, Any]
"""Arrays of a run by name."""
Which = Literal["average", "current"]

CPU: Mapping[str, Callable[[], str | None]] = {"cpu": lambda: None}
"""The devices of whatever runs on the CPU alone."""


@dataclass(frozen=True)
class Capabilities:
    """What a problem or a method can do, as data. A solve is checked against those of both before it starts."""

    precisions: tuple[str, ...] | None = None
    """Number formats (`dtype=`), the default first. None: all that the other side has. (): its default only."""
    devices: Mapping[str, Callable[[], str | None]] | None = field(default_factory=lambda: CPU)
    """Devices by name, each with a function that returns None, or a sentence that says why it cannot be used here.
    None: those of the other side."""
    listed: bool | None = True
    """Of a method: True needs every history listed, None lists a game if that is quick and fits, False never does.
    Of a problem: whether every history (or every public state) is laid out."""
    fixed: bool = True
    """Whether players can be held still (`fixed=`)."""
    threads: int | None = None
    """Threads that are used by default; of a method, None leaves it to the problem."""
    starts: bool = False
    """Of a method: whether it can begin with a strategy (`start=`) on a tree."""
    advice: str = ""
    """Of a problem: methods that work on it, said where another one was given."""
    usual_method: str = "cfr+"
    """Of a problem: the method of a solve that names none."""


class Problem(Protocol):
    """A game in the shape that a family of methods walks."""

    @property
    def kind(self) -> str:
        """The name of the shape; methods look up their learner by it, files say it."""

    @property
    def game(self) -> Any:
        """The rules that it was made from; None where a file holds strategies without the game."""

    @property
    def players(self) -> int:
        """How many players there are."""

    @property
    def fingerprint(self) -> str:
        """A digest of the game: a run goes on only with the game that it was started with."""

    @property
    def exact(self) -> bool:
        """Whether exploitability can be measured exactly."""

    @property
    def capabilities(self) -> Capabilities:
        """Precisions, devices, threads."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """How large it is: numbers by name, such as histories, infosets, boards, bytes."""

    def hold_fixed(self, given: Mapping[int, Any]) -> Mapping[int, Any]:
        """The strategies of players that are held still, checked; an OptionError where that is not possible."""

    def uniform(self) -> Any:
        """The strategy that takes all actions with the same probability."""

    def infosets_in(self, arrays: Arrays) -> int:
        """Infosets of all players; where none are listed, those that the arrays of a run hold."""

    def strategy(self, arrays: Arrays, which: Which) -> Any:
        """The average strategy, or the last iterate, of a run's arrays."""

    def write(self, path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Any]) -> None:
        """Write a run to a file, atomically: its arrays, and a description that `reads` gets back."""


class Opens(Protocol):
    """A game that makes its own problem, such as hold'em, whose histories cannot be listed."""

    problem_kind: str
    capabilities: Capabilities

    def problem(self) -> Problem:
        """The problem that methods work on."""


def is_problem(thing: object) -> bool:
    """Whether something is a problem; decided by its class, so that no digest is computed for the answer."""
    return all(hasattr(type(thing), name) for name in ("infosets_in", "hold_fixed", "write", "strategy"))


def opens_itself(game: object) -> bool:
    """Whether a game makes its own problem instead of being listed."""
    return callable(getattr(game, "problem", None)) and hasattr(game, "problem_kind")


def kind_of(game: object) -> str:
    """The kind of problem that a game (or a problem) is solved as where the method has no say in it."""
    kind: str = getattr(game, "kind" if is_problem(game) else "problem_kind", "tree")
    return kind


def refuse_to_list(game: Any) -> None:
    """Say of a game that makes its own problem that it cannot be listed, and what to do instead."""
    if opens_itself(game) or (is_problem(game) and game.kind != "tree"):
        raise OptionError(
            f"{type(the_game(game)).__name__} is solved as a {kind_of(game)} and cannot be listed: pass it to rg.solve "
            "as it is, and ask the run for its value, exploitability and strategy"
        )


def the_game(game_or_problem: Any) -> Any:
    """The rules behind a problem; a game is returned as it is."""
    return game_or_problem.game if is_problem(game_or_problem) else game_or_problem


# -- from what a user calls a game to a problem ------------------------------------------------------------------------


class _Openers(NamedTuple):
    find: Callable[[str], Any]
    build: Callable[[Any], Problem]
    names: Callable[[], dict[str, Any]]
    find_again: Callable[[str], Any]


_openers: list[_Openers] = []


def open_with(
    *,
    find: Callable[[str], Any],
    build: Callable[[Any], Problem],
    names: Callable[[], dict[str, Any]],
    find_again: Callable[[str], Any],
) -> None:
    """Set how games are found by name, listed and enumerated, and found again by what a file says; the package does so
    when it is imported."""
    _openers[:] = [_Openers(find, build, names, find_again)]


def known_games() -> dict[str, Any]:
    """Every game that is known by name: ready-made, or of an installed package."""
    return _openers[0].names()


def found(game: Any) -> Any:
    """A game or problem as it is; a name such as "leduc:ranks=5" or a file such as "spot.toml" is looked up."""
    if isinstance(game, type):
        raise OptionError(f"a game is needed here, and {game.__name__} is a class: write {game.__name__}()")
    if isinstance(game, os.PathLike):
        game = os.fspath(game)
    return _openers[0].find(game) if isinstance(game, str) else game


def found_again(spec: str) -> Any:
    """The game that a run's file names, or None: a file may not make us run code or read other files."""
    return _openers[0].find_again(spec)


def open_problem(game: Any) -> Problem:
    """The problem that a game is: a name is looked up, hold'em makes its public tree, any other game is listed."""
    game = found(game)
    if is_problem(game):
        return cast(Problem, game)
    return cast(Opens, game).problem() if opens_itself(game) else _openers[0].build(game)


# -- problems in files ------------------------------------------------------------------------------------------------

Reader = Callable[[str | os.PathLike[str], Any], tuple[Problem, Arrays, dict[str, Any]]]
"""Reads a run's file: (path, game or None) → problem, arrays, description."""

_readers: dict[str, Reader] = {}


def reads(kind: str) -> Callable[[Reader], Reader]:
    """Register a function as the one that reads runs of a kind of problem."""

    def register(reader: Reader) -> Reader:
        _readers[kind] = reader
        return reader

    return register


def reader_of(kind: str) -> Reader | None:
    """The function that reads runs of a kind, if one is registered."""
    return _readers.get(kind)
