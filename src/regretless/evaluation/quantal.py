"""How far play is from a quantal response equilibrium of the reduced normal form.

With ψ(x) = Σ x ln σ, minus the entropy of the choice among reduced pure strategies, the logit equilibrium with
temperature α = 1 / λ is the saddle point of xᵀAy − α ψ(x) + α ψ(y) (Ling, Fang & Kolter 2018, §3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.evaluation.responses import plan_of
from regretless.kernels.first_order.dilated_entropy import Entropy, player_entropy, player_smooth
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.strategy import Strategy
from regretless.tree import Tree, as_tree

__all__ = ["plan_quantal_gap", "quantal_gap"]

Array = npt.NDArray[Any]


def quantal_gap(game: Any, strategy: Strategy, rationality: float) -> float:
    """What all players together could gain in payoff plus entropy / λ, chips; zero exactly at the quantal response
    equilibrium of the reduced normal form with rationality λ (in 1 / chips).

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.RockPaperScissors())
    >>> rg.quantal_gap(tree, rg.Strategy.uniform(tree), rationality=3)
    0.0
    """
    tree = as_tree(game)
    if isinstance(rationality, bool) or not isinstance(rationality, int | float | np.number) or not rationality > 0:
        raise OptionError(f"rationality is a number above 0, got {rationality!r}")
    return plan_quantal_gap(tree, plan_of(tree, strategy), 1.0 / float(rationality))


def plan_quantal_gap(tree: Tree, plan: Array, temperature: float, players: Sequence[int] | None = None) -> float:
    """`quantal_gap` of a plan (or a sum of plans) [S], counted over `players` (all, unless told)."""
    form = tree.form
    first = form.sequence_first
    profile = np.array(plan, np.float64)
    for player in range(tree.players):
        profile[first[player] : first[player + 1]] /= profile[first[player]]
    one = np.full(tree.infosets, temperature)
    entropy = Entropy(one, 1.0 / one, np.zeros(tree.infosets))
    gradient, scale, total = np.zeros(tree.sequences), np.zeros(tree.infosets), 0.0
    for player in range(tree.players) if players is None else players:
        mine = slice(first[player], first[player + 1])
        player_gradient(form, player, profile, gradient)
        got = float(profile[mine] @ gradient[mine]) - float(player_entropy(form, player, profile, entropy))
        total += float(player_smooth(form, player, gradient, scale, entropy, 1.0)) - got
    return max(total, 0.0)
