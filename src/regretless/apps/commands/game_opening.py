"""From what a user types as GAME to problems that methods work on: found, estimated, announced, listed."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from regretless.apps.commands.holdem_summary import open_public
from regretless.apps.exit_messages import warn
from regretless.apps.startup import started
from regretless.errors import GameError, OptionError, RegretlessError

if TYPE_CHECKING:
    from regretless.game import Game
    from regretless.linter import Estimate
    from regretless.method import Method
    from regretless.problem import Problem
    from regretless.tree import Tree

__all__ = ["blame_the_game", "check_picture", "guess_size", "open_for", "open_tree"]

LARGE = 100_000
"""Histories from which on a game's size is announced before it is built."""

PROBING_SECONDS = 0.15
"""Seconds that the estimate of a game's size may take."""

MOST_PROBES = 20

HOPELESS = 8
"""A game that needs this many times the free memory is refused; below that there is a warning."""


def open_tree(spec: str, *, game: Game | None = None, say: Callable[[str], object] | None = None) -> Tree:
    """The built tree of a game. Of a large one `say` gets the size first, with a warning where it may not fit."""
    from regretless.lookup.games import find_game
    from regretless.problem import refuse_to_list

    game = find_game(spec) if game is None else game
    refuse_to_list(game)
    with blame_the_game(game):
        estimate = guess_size(game)
        large = estimate is not None and estimate.histories >= LARGE
        if large and estimate is not None:
            started()
            announce(spec, estimate, say)
        return build_with_progress(game, spec, estimate.histories if large and estimate and say else None)


def open_for(
    spec: str,
    methods: Sequence[Method],
    *,
    dtype: str | None = None,
    device: str | None = None,
    here: bool = True,
    say: Callable[[str], object] | None = None,
) -> list[Problem]:
    """The problem that each method works on: a tree that several need is built once, and large ones are announced.

    here: this machine has the device, and not those of a cluster.
    """
    from regretless.lookup.games import find_game
    from regretless.problem import opens_itself
    from regretless.solver import check_request

    game = find_game(spec)
    for method in methods:
        check_request(method, getattr(game, "capabilities", None), dtype, device or "cpu", here=here)
    if opens_itself(game):
        return open_public(game, spec, methods, dtype=dtype, device=device, here=here, say=say)
    with blame_the_game(game):
        tree = open_tree(spec, game=game, say=say) if _needs_tree(game, methods) else None
        problems = [
            method.open(game if tree is None or method.capabilities.listed is False else tree) for method in methods
        ]
    if say is not None and any(not problem.capabilities.listed for problem in problems):
        say(f"{spec} is not listed: infosets are kept when they are visited, and exploitability is bounded from below")
    return problems


def _needs_tree(game: Game, methods: Sequence[Method]) -> bool:
    """Whether some method needs the game listed, or would list it because that is quick and fits."""
    from regretless.methods.opening import too_large

    listed = [method.capabilities.listed for method in methods]
    return True in listed or (None in listed and not too_large(game))


def guess_size(game: Game) -> Estimate | None:
    """A quick estimate from few probes; None where even one takes too long."""
    from regretless.linter import check_game, estimate_size

    began = time.perf_counter()
    try:
        estimate = estimate_size(game, probes=1)
        took = time.perf_counter() - began
        affordable = min(MOST_PROBES, int(PROBING_SECONDS / max(took, 1e-6)))
        return estimate_size(game, probes=affordable) if affordable > 1 else estimate
    except GameError:  # an endless game: the linter names the cycle
        check_game(game).raise_if_broken()
        raise


def announce(spec: str, estimate: Estimate, say: Callable[[str], object] | None) -> None:
    """Announce the size of a game before it is built."""
    from regretless.linter import fits_in_memory
    from regretless.linter.memory import in_units, surely_exceeds

    if say is not None:
        say(
            f"{spec} has about {float(f'{estimate.histories:.2g}'):,.0f} histories: "
            f"building takes some {in_units(estimate.build_bytes)}, solving {in_units(estimate.solve_bytes)}"
        )
    trouble = fits_in_memory(estimate)
    if trouble and surely_exceeds(estimate, HOPELESS):
        raise OptionError(f"{spec} is too large: {trouble}")
    if trouble:
        warn(trouble)


def build_with_progress(game: Game, spec: str, expected: float | None) -> Tree:
    """Build a tree, with a progress bar on a terminal where many histories are expected."""
    from regretless.tree import build

    if expected is None or not sys.stderr.isatty():
        return build(game)
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("listing {task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} histories"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(spec, total=expected)
        return build(game, progress=lambda listed: bar.update(task, completed=listed))


@contextmanager
def blame_the_game(game: Game) -> Iterator[None]:
    """Turn an exception of a user's game into one sentence that names the method and the history."""
    try:
        yield
    except (RegretlessError, MemoryError):
        raise
    except Exception as error:
        from regretless.linter import check_game

        check_game(game, max_histories=50_000).raise_if_broken()
        where = _in_game_code(game, error)
        if where is None:
            raise
        raise GameError(f"{type(game).__name__}: {where} raised {type(error).__name__}: {error}") from error


def _in_game_code(game: Game, error: Exception) -> str | None:
    """The innermost function in the game's own file that the error went through."""
    file = getattr(sys.modules.get(type(game).__module__), "__file__", None)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == file]
    return f"{own[-1].name}(), line {own[-1].lineno}," if own else None


def check_picture(path: str | None) -> None:
    """Refuse a picture format that is not known, before the solve."""
    if path is not None and Path(path).suffix.lower() not in (".png", ".svg", ".pdf", ""):
        raise OptionError(f"a picture ends in .png, .svg or .pdf, got {path!r}")
