"""`regretless play SPOT.toml` and `explore SPOT.toml`: the spot is solved first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.run import Run

__all__ = ["is_spot", "solve_spot", "solved_files"]

LEVEL, SECONDS = "0.5%", 60.0
"""A spot is solved to this share of the pot, or for this long."""


def is_spot(text: str) -> bool:
    """Whether an argument names a spot file."""
    return text.lower().endswith(".toml")


def solve_spot(path: str, say: Callable[[str], object]) -> Run:
    """The run of a spot file, solved now; `say` gets what it has become."""
    from regretless.lookup.games import find_game
    from regretless.solver import solve

    run = solve(find_game(path), until=LEVEL, seconds=SECONDS)
    share = run.history["pot_share"][-1]
    say(f"{path}: {run.method.name}, {run.iterations:,} iterations, exploitability {share:.2%} of the pot")
    return run


def solved_files(arguments: Sequence[str], folder: str, say: Callable[[str], object]) -> list[str]:
    """The arguments, with each spot file replaced by the file of its run in `folder`."""
    spots = {text: Path(folder) / f"{Path(text).stem}.run" for text in arguments if is_spot(text)}
    for text, target in spots.items():
        if target.exists():
            raise OptionError(f"{text} would be saved as {target}, which exists: regretless explore {target} opens it")
    for text, target in spots.items():
        solve_spot(text, say).save(target)
    return [str(spots.get(text, text)) for text in arguments]
