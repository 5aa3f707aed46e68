"""Several methods on one game, side by side."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.errors import OptionError
from regretless.game import Game, on_public_tree
from regretless.game_lookup import find_game
from regretless.methods import Method, method_by_name
from regretless.methods.fsicfr import FSICFR
from regretless.methods.mccfr import MCCFR, too_large
from regretless.run import Run
from regretless.solver import check_public_method, solve, tree_of
from regretless.tree import Tree
from regretless.variants import Variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "compare", "subject_of"]


class Forgotten(Mapping[str, Any]):
    """The arrays of a run of which only the measurements were kept."""

    def __getitem__(self, name: str) -> Any:
        raise OptionError("this comparison kept measurements alone (strategies=False): solve again for a strategy")

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


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
    strategies: bool = True,
    **options: Any,
) -> Comparison:
    """Run every method on the same tree with the same options of `solve`; a mapping gives them names of your own.

    Where no method needs the tree (`rg.MCCFR` on a game that is not to be listed, or too large), none is built; where
    one does, all of them walk it.
    `strategies=False` keeps the measurements alone: of hold'em each run is gigabytes.

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
        if isinstance(subject, Tree) and getattr(method, "listed", None) is False:
            method = method.replace(listed=None)  # type: ignore[union-attr]  # the others need the tree
        run = solve(subject, method, progress=progress, **options)
        name = label or run.method.name
        while name in runs:
            name += "'"
        runs[name] = run if strategies else dataclasses.replace(run, arrays=Forgotten(), last=np.zeros(0))
    return Comparison(next(iter(runs.values())).game, runs)


def subject_of(game: Game | Tree | str, methods: Sequence[Variant | Method]) -> Game | Tree:
    """What all of these methods are run on: a tree, or the game itself where all of them walk it without one."""
    found = find_game(game) if isinstance(game, str) else game
    if on_public_tree(found):
        for method in methods:
            check_public_method(method, found)
        return found.public_tree()  # type: ignore[union-attr, no-any-return]
    if isinstance(found, Game) and all(isinstance(method, FSICFR) for method in methods):
        return found
    sampled = [method.listed for method in methods if isinstance(method, MCCFR)]
    if len(sampled) < len(methods) or True in sampled or not isinstance(found, Game):
        return tree_of(found)
    return found if None not in sampled or too_large(found) else tree_of(found)
