"""Several methods on one game, side by side."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regretless.errors import OptionError
from regretless.finding import find_game
from regretless.game import Game
from regretless.methods import Method, method_by_name
from regretless.methods.fsicfr import FSICFR
from regretless.methods.mccfr import MCCFR, too_large
from regretless.run import Run
from regretless.solver import solve, tree_of
from regretless.tree import Tree
from regretless.variants import Variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "compare", "subject_of"]


@dataclass(frozen=True)
class Comparison:
    """Runs of several methods on one game, by the methods' names."""

    game: str
    runs: Mapping[str, Run]

    def table(self) -> list[dict[str, Any]]:
        """One row per method: iterations, seconds, exploitability and value reached."""
        return [
            {
                "method": name,
                "iterations": run.iterations,
                "seconds": run.seconds,
                "exploitability": run.exploitability,
                "value": run.value,
            }
            for name, run in self.runs.items()
        ]

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Exploitability of all methods against iterations and seconds; written to `path` if one is given."""
        from regretless.plots import convergence

        return convergence({name: run.history for name, run in self.runs.items()}, title=self.game, path=path)


def compare(
    game: Game | Tree | str,
    methods: Sequence[Variant | Method | str] | Mapping[str, Variant | Method | str],
    *,
    progress: bool = False,
    **options: Any,
) -> Comparison:
    """Run every method on the same tree with the same options of `solve`; a mapping gives them names of your own.

    Where no method needs the tree (`rg.MCCFR` on a game that is not to be listed, or too large), none is built.

    >>> import regretless as rg
    >>> result = rg.compare(rg.games.Kuhn(), [rg.CFR, rg.CFR_PLUS], iterations=100)
    >>> list(result.runs)
    ['CFR', 'CFR+']
    """
    if not methods:
        raise OptionError("compare needs at least one method, such as [rg.CFR, rg.CFR_PLUS]")
    given = list(methods.items()) if isinstance(methods, Mapping) else [(None, method) for method in methods]
    named = [(label, method_by_name(method) if isinstance(method, str) else method) for label, method in given]
    subject = subject_of(game, [method for _, method in named])
    runs: dict[str, Run] = {}
    for label, method in named:
        run = solve(subject, method, progress=progress, **options)
        name = label or run.method.name
        while name in runs:
            name += "'"
        runs[name] = run
    return Comparison(next(iter(runs.values())).game, runs)


def subject_of(game: Game | Tree | str, methods: Sequence[Variant | Method]) -> Game | Tree:
    """What all of these methods are run on: a tree, or the game itself where all of them walk it without one."""
    found = find_game(game) if isinstance(game, str) else game
    if isinstance(found, Game) and all(isinstance(method, FSICFR) for method in methods):
        return found
    sampled = [method.listed for method in methods if isinstance(method, MCCFR)]
    if len(sampled) < len(methods) or True in sampled or not isinstance(found, Game):
        return tree_of(found)
    return found if None not in sampled or too_large(found) else tree_of(found)
