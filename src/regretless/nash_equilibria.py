"""Nash equilibria of two-player games that need not be zero-sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, suggest
from regretless.evaluation.complementarity import MOST_SEQUENCES, lemke
from regretless.evaluation.responses import plan_gaps, plan_of
from regretless.formats.gambit_nash import gambit_nash
from regretless.strategy import Strategy
from regretless.tree import Tree, as_tree

__all__ = ["NashEquilibrium", "nash"]

SOLVERS = ("lemke", "gambit")


@dataclass(frozen=True, eq=False)
class NashEquilibrium:
    """One equilibrium, and how exact it is."""

    strategy: Strategy
    values: npt.NDArray[np.float64]
    """[2] what each player wins, chips per game."""
    gaps: npt.NDArray[np.float64]
    """[2] what each player could still gain by a best response, measured exactly: rounding alone, some 1e-12."""


def nash(tree: Any, *, solver: str = "lemke", prior: Strategy | None = None, seed: int = 0) -> NashEquilibrium:
    """A Nash equilibrium of a two-player game, of any payoffs; a tree, a game or a game's name.

    Lemke's algorithm on the sequence form (see `regretless.evaluation.complementarity`) follows a path that begins at
    `prior`, uniform play unless given, and ends at an equilibrium; another prior may lead to another one. It works in
    floating point on a dense table, for games of up to 3,000 sequences of both players together; `seed` draws the tiny
    shifts that keep the path from running in circles. `solver="gambit"` leaves the work to pygambit, if it is
    installed. A zero-sum game is solved faster by `rg.equilibrium`, and larger games by `rg.solve` to a correlated
    equilibrium, see `rg.TriggerRegret`.

    >>> import regretless as rg
    >>> found = rg.nash(rg.games.Sheriff(rounds=2))
    >>> round(float(found.values[0]), 6), bool(found.gaps.max() < 1e-9)
    (0.75, True)
    """
    tree = as_tree(tree)
    if tree.players != 2:
        raise OptionError(
            f"rg.nash is for two players and {type(tree.game).__name__} has {tree.players}: rg.TriggerRegret finds "
            "correlated equilibria of any number of players"
        )
    if solver not in SOLVERS:
        raise OptionError(f"unknown solver {solver!r}; {suggest(str(solver), SOLVERS)}")
    strategy = gambit_nash(tree) if solver == "gambit" else lemke(tree, _prior(tree, prior), seed)
    gaps = plan_gaps(tree, plan_of(tree, strategy))
    return NashEquilibrium(strategy, gaps.values + 0.0, np.maximum(gaps.best - gaps.values, 0.0))


def _prior(tree: Tree, prior: Strategy | None) -> Strategy:
    """Where the path begins; it must take every action now and then."""
    if tree.sequences > MOST_SEQUENCES:
        raise OptionError(
            f"Lemke's algorithm takes games of up to {MOST_SEQUENCES:,} sequences, and this one has "
            f"{tree.sequences:,}: use rg.equilibrium for a zero-sum game, or rg.TriggerRegret for correlated play"
        )
    if prior is None:
        return tree.uniform()
    plan = plan_of(tree, prior)
    if plan.min() <= 0:
        raise OptionError("a prior takes every action with a probability above 0: mix it with rg.Strategy.uniform")
    return prior
