"""The methods of solving a subgame again, each a linear program on the same constraints.

With V_G what the opponent wins in group G (see `gadgets`), B_G = V_G(blueprint), and w_G the probability that chance
and the player bring the game to G,

    unsafe      min Σ_G y_G V_G                                 y_G: how often the blueprint's opponent goes to G
    cfr-d       min Σ_G max(V_G, B_G)                            Burch, Johanson & Bowling 2014, §4
    maxmargin   max min_G (B_G − V_G) / w_G                      Moravčík, Schmid, Ha, Hladík & Gaukrodger 2016
    reach       max min_G (B_G + gifts_G − V_G) / w_G            Brown & Sandholm 2017, §4

The last three have V_G ≤ B_G (+ gifts) at their optimum, since the blueprint itself is feasible. So the opponent's best
response in the whole game wins no more than against the blueprint. A gift is what the opponent has already lost by an
action on the way to G: w_G · Σ (value of the best action − value of the action taken) per visit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, RegretlessError
from regretless.subgames.gadgets import Gadget

__all__ = ["METHODS", "check_method", "solve_gadget"]

Array = npt.NDArray[Any]

METHODS = ("unsafe", "cfr-d", "maxmargin", "reach")

TOLERANCE: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def check_method(method: Any) -> None:
    """Raise OptionError for a name that is not one of `METHODS`."""
    if method not in METHODS:
        raise OptionError(f"method is one of {', '.join(METHODS)}, got {method!r}")


@dataclass(frozen=True)
class _Goal:
    """What a method minimises, with variables and rows of its own after those of the gadget."""

    least: Array  # [variables] the coefficients
    rows: Any  # [some, variables]
    right: Array  # [some]
    bounds: list[Any]  # of the method's own variables


def solve_gadget(gadget: Gadget, method: str) -> Array | None:
    """[n] the player's plan inside; None where the subgame is never reached: all are equally good."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, vstack

    used = gadget.opponent > 0 if method == "unsafe" else gadget.weight > 0
    if not used.any() or not len(gadget.own):
        return None
    if method == "unsafe":
        goal = _expected(gadget)
    else:
        goal = _conceded(gadget) if method == "cfr-d" else _margin(gadget, used, method == "reach")
    width = gadget.most.shape[1]
    extra = len(goal.least) - width
    answer: Any = linprog(
        goal.least,
        A_ub=vstack([hstack([gadget.most, csr_array((gadget.most.shape[0], extra))]), goal.rows], format="csr"),
        b_ub=np.concatenate([gadget.most_right, goal.right]),
        A_eq=hstack([gadget.equal, csr_array((gadget.equal.shape[0], extra))], format="csr"),
        b_eq=gadget.equal_right,
        bounds=[(0, None)] * len(gadget.own) + [(None, None)] * (width - len(gadget.own)) + goal.bounds,
        method="highs",
        options=TOLERANCE,
    )
    if not answer.success:
        raise RegretlessError(f"HiGHS could not solve the subgame: {answer.message}")
    return np.asarray(answer.x[: len(gadget.own)])


def _expected(gadget: Gadget) -> _Goal:
    """Σ y_G V_G."""
    from scipy.sparse import csr_array

    width = gadget.most.shape[1]
    least = np.zeros(width)
    least[width - gadget.groups :] = gadget.opponent
    return _Goal(least, csr_array((0, width)), np.zeros(0), [])


def _conceded(gadget: Gadget) -> _Goal:
    """Σ t_G with t_G ≥ V_G and t_G ≥ B_G."""
    from scipy.sparse import csr_array

    width, groups = gadget.most.shape[1], gadget.groups
    each = np.arange(groups)
    rows = csr_array(
        (
            np.concatenate([np.ones(groups), -np.ones(groups)]),
            (np.concatenate([each, each]), np.concatenate([width - groups + each, width + each])),
        ),
        shape=(groups, width + groups),
    )
    least = np.concatenate([np.zeros(width), np.ones(groups)])
    return _Goal(least, rows, np.zeros(groups), [(low, None) for low in gadget.bound.tolist()])


def _margin(gadget: Gadget, used: Array, with_gifts: bool) -> _Goal:
    """−m with V_G + w_G m ≤ B_G (+ gifts) for the groups that the player lets arrive."""
    from scipy.sparse import csr_array

    width, some = gadget.most.shape[1], np.flatnonzero(used)
    line = np.arange(len(some))
    rows = csr_array(
        (
            np.concatenate([np.ones(len(some)), gadget.weight[some]]),
            (
                np.concatenate([line, line]),
                np.concatenate([width - gadget.groups + some, np.full(len(some), width)]),
            ),
        ),
        shape=(len(some), width + 1),
    )
    gifts = gadget.weight[some] * gadget.gifts[some] if with_gifts else 0.0
    least = np.zeros(width + 1)
    least[width] = -1.0
    return _Goal(least, rows, gadget.bound[some] + gifts, [(None, None)])
