"""Several methods on one game, side by side."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regretless.errors import OptionError
from regretless.game import Game
from regretless.methods import Method, method_by_name
from regretless.run import Run
from regretless.solver import solve, tree_of
from regretless.tree import Tree
from regretless.variants import Variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "compare"]


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

    >>> import regretless as rg
    >>> result = rg.compare(rg.games.Kuhn(), [rg.CFR, rg.CFR_PLUS], iterations=100)
    >>> list(result.runs)
    ['CFR', 'CFR+']
    """
    if not methods:
        raise OptionError("compare needs at least one method, such as [rg.CFR, rg.CFR_PLUS]")
    tree = tree_of(game)
    named = methods.items() if isinstance(methods, Mapping) else ((None, method) for method in methods)
    runs: dict[str, Run] = {}
    for label, given in named:
        method = method_by_name(given) if isinstance(given, str) else given
        run = solve(tree, method, progress=progress, **options)
        name = label or run.method.name
        while name in runs:
            name += "'"
        runs[name] = run
    return Comparison(next(iter(runs.values())).game, runs)
