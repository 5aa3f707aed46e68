"""`resolve`: solve a subgame of a listed game again, and patch a strategy with the result."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.evaluation.responses import best_response
from regretless.strategy import Strategy
from regretless.subgames.gadget_solving import check_method, solve_gadget
from regretless.subgames.gadgets import make_gadget
from regretless.subgames.subgame import Subgame, check_strategy, subgame_at
from regretless.tree import Tree, as_tree

__all__ = ["resolve"]


def resolve(
    game: Any, strategy: Strategy, at: Any, method: str = "maxmargin", *, player: int | None = None
) -> Strategy:
    """The strategy with a subgame solved again, for both players or for one.

    `at` says where the subgame begins: an infoset (its label, or (player, label)), a list of infosets, or a history as
    a tuple of action labels from the root on, chance's included. The subgame is everything that follows the public
    states of these, closed under infosets; everything else stays as it is.

    | method | |
    |---|---|
    | unsafe | takes it for granted that both players come here as `strategy` says; may lose |
    | cfr-d | the opponent may also stop and take what `strategy` concedes (Burch, Johanson & Bowling 2014) |
    | maxmargin | improves the worst of the opponent's situations most (Moravčík et al. 2016) |
    | reach | maxmargin that also counts what the opponent lost on the way (Brown & Sandholm 2017) |

    All but unsafe are safe: exploitability does not rise. Each is solved exactly, as a linear program.

    >>> import regretless as rg
    >>> tree = rg.build("leduc")
    >>> rough = rg.solve(tree, rg.CFR_PLUS, iterations=20).strategy
    >>> better = rg.resolve(tree, rough, at="Js cc Ks", method="maxmargin")        # both call, and a king is turned
    >>> rg.exploitability(tree, better) <= rg.exploitability(tree, rough)
    True
    """
    tree = as_tree(game)
    check_method(method)
    if tree.players != 2 or not tree.zero_sum:
        kind = f"{tree.players} players" if tree.players != 2 else "payoffs that do not sum to zero"
        raise OptionError(f"resolve needs a two-player zero-sum game; {type(tree.game).__name__} has {kind}")
    if player is not None and (isinstance(player, bool) or player not in (0, 1)):
        raise OptionError(f"player is 0, 1 or None for both, got {player!r}")
    blueprint = check_strategy(tree, strategy)
    subgame = subgame_at(tree, at)
    patched = blueprint
    for one in (0, 1) if player is None else (int(player),):
        patched = patched.with_player(one, _resolved(subgame, blueprint, method, one))
    return patched


def _resolved(subgame: Subgame, blueprint: Strategy, method: str, player: int) -> Strategy:
    """The blueprint with one player's part of a subgame replaced."""
    tree = subgame.tree
    gadget = make_gadget(subgame, blueprint, player)
    inside = solve_gadget(gadget, method)
    if inside is None:
        return blueprint
    found = _patched(tree, blueprint, gadget.own, inside)
    if method == "unsafe":
        return found
    lost = [best_response(tree, one, 1 - player).value for one in (blueprint, found)]
    return found if lost[1] <= lost[0] else blueprint  # rounding in the program may cost what it cannot gain


def _patched(tree: Tree, blueprint: Strategy, own: npt.NDArray[Any], inside: npt.NDArray[Any]) -> Strategy:
    """The blueprint with the behaviour of a plan at the sequences `own`; as it was where that plan never arrives."""
    owner, numbers = tree.labels.infoset_of_sequence, blueprint.probabilities.copy()
    mass = np.maximum(inside, 0.0)
    total = np.bincount(owner[own], weights=mass, minlength=tree.infosets)[owner[own]]
    reached = total > np.sqrt(np.finfo(np.float64).tiny)
    numbers[own[reached]] = mass[reached] / total[reached]
    return Strategy(tree.labels, numbers)
