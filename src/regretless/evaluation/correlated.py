"""Correlated and coarse-correlated equilibria of one-shot games: how far a distribution over joint actions is from one.

In play that leaves no external regret the joint empirical distribution approaches the coarse correlated equilibria;
play that leaves no internal regret approaches the correlated ones (Hart & Mas-Colell 2000).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.tree import Tree

__all__ = ["coarse_correlated_gap", "correlated_gap", "one_shot_payoffs"]

Array = npt.NDArray[Any]


def one_shot_payoffs(tree: Tree) -> Array:
    """[P, actions of player 0, actions of player 1, …] expected payoffs of a game in which each player decides once."""
    labels = tree.labels
    if sorted(labels.owner.tolist()) != list(range(tree.players)):
        raise OptionError(
            f"{type(tree.game).__name__} is not a one-shot game: each player must have exactly one infoset"
        )
    from regretless.layout.payoffs import payoff_table

    widths = [len(a) for a in labels.actions]
    tensor = np.zeros([tree.players, *widths])
    begins = tree.form.sequence_first.astype(np.int64) + 1
    for player in range(tree.players):
        own, others, chips = payoff_table(tree.form, player)
        sequences = np.insert(others, player, own, axis=0) - begins[:-1, None]
        if np.any(sequences < 0):
            raise OptionError(
                f"{type(tree.game).__name__} is not a one-shot game: it can end before all players have moved"
            )
        np.add.at(tensor[player], tuple(sequences), chips)
    return tensor


def _checked(tree: Tree, joint: npt.ArrayLike) -> tuple[Array, Array]:
    payoffs, given = one_shot_payoffs(tree), np.asarray(joint, np.float64)
    if given.shape != payoffs.shape[1:]:
        raise OptionError(f"a joint distribution of this game has shape {payoffs.shape[1:]}, got {given.shape}")
    if not (given.min() >= 0 and abs(given.sum() - 1) <= 1e-6):
        raise OptionError(f"a joint distribution is non-negative and sums to one, got a sum of {given.sum():g}")
    return payoffs, given


def correlated_gap(tree: Tree, joint: npt.ArrayLike) -> float:
    """The most that any player gains by answering one recommended action with another; zero at a correlated
    equilibrium. `joint` [actions of player 0, actions of player 1, …] sums to one.

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.BattleOfTheSexes())
    >>> rg.correlated_gap(tree, [[0.5, 0], [0, 0.5]])                   # the fair coin
    0.0
    """
    payoffs, given = _checked(tree, joint)
    gap = 0.0
    for player in range(tree.players):
        worth, weight = np.moveaxis(payoffs[player], player, 0), np.moveaxis(given, player, 0)
        worth, weight = worth.reshape(len(worth), -1), weight.reshape(len(weight), -1)
        instead = weight @ worth.T  # [recommended, played instead]
        gap = max(gap, float((instead - np.diag(instead)[:, None]).max()))
    return gap


def coarse_correlated_gap(tree: Tree, joint: npt.ArrayLike) -> float:
    """The most that any player gains by one fixed action instead of every recommendation; zero at a coarse
    correlated equilibrium. `joint` as in `correlated_gap`."""
    payoffs, given = _checked(tree, joint)
    gap = 0.0
    for player in range(tree.players):
        others = given.sum(axis=player)
        worth = np.moveaxis(payoffs[player], player, 0)
        fixed = worth.reshape(len(worth), -1) @ others.ravel()
        gap = max(gap, float(fixed.max() - (payoffs[player] * given).sum()))
    return max(gap, 0.0)
