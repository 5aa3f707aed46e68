"""The dilated entropies that first-order methods use, and how far their steps may go."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, suggest
from regretless.kernels.first_order.dilated_entropy import Entropy, response_change
from regretless.kernels.sequence_form.counterfactual_reach import others_reach
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.tree import Tree

__all__ = ["WEIGHTS", "check_weights", "coupling", "dilated_entropy", "plain_entropy", "step_unit"]

Floats = npt.NDArray[np.float64]

WEIGHTS = ("reach", "kroer", "global")
"""Choices of the weights β of dilated entropy.

- `kroer`: β_j = 2 + 2 max_a Σ β_k over the own infosets k that follow action a, and half of that where no own infoset
  lies above (Kroer, Waugh, Kılınç-Karzan & Sandholm 2020, §5).
- `global`: β_j = 1 + max_a Σ β_k, the dilated form of a global entropy (Farina, Kroer & Sandholm 2021).
- `reach`: β_j is the probability that chance and a uniformly playing opponent bring the game to j. The gradient carries
  that factor, so actions are weighted by what they are worth per visit. This choice is not from a paper.
"""

POWER_ITERATIONS = 30


def check_weights(weights: str) -> None:
    """Refuse a name that is no choice of weights."""
    if weights not in WEIGHTS:
        raise OptionError(f"unknown weights {weights!r}; {suggest(str(weights), WEIGHTS)}")


def dilated_entropy(tree: Tree, weights: str) -> Entropy:
    """Dilated entropy whose minimum is uniform play."""
    check_weights(weights)
    beta = _reach_weights(tree) if weights == "reach" else _treeplex_weights(tree, weights)
    actions = np.array([len(names) for names in tree.labels.actions], np.float64)
    return Entropy(beta, 1.0 / beta, beta * np.log(actions))


def plain_entropy(tree: Tree) -> Entropy:
    """Σ x ln σ with all weights 1: minus the entropy of the choice among reduced pure strategies (Ling, Fang & Kolter
    2018, §3)."""
    one = np.ones(tree.infosets)
    return Entropy(one, one, np.zeros(tree.infosets))


def _treeplex_weights(tree: Tree, weights: str) -> Floats:
    """[I] weights that grow from the last infosets to the first."""
    form, scale = tree.form, 2.0 if weights == "kroer" else 1.0
    beta, below = np.empty(tree.infosets), np.zeros(tree.sequences)
    for first, infoset, infosets, stride, actions in form.strips[::-1].tolist():
        here = slice(infoset, infoset + infosets)
        most = np.max([below[first + a * stride : first + a * stride + infosets] for a in range(actions)], axis=0)
        beta[here] = scale * (1.0 + most)
        np.add.at(below, form.parent[here], beta[here])
    if weights == "kroer":
        beta[np.isin(form.parent, form.sequence_first[:-1])] *= 0.5
    return beta


def _reach_weights(tree: Tree) -> Floats:
    """[I] how likely chance and uniform opponents bring the game to each infoset; 1 where that is impossible."""
    h, labels = tree.listing, tree.labels
    uniform, beta = tree.uniform().probabilities, np.empty(tree.infosets)
    for player in range(tree.players):
        reach = others_reach(
            h.mover, h.index, h.first_child, h.children, h.probability, labels.first, labels.stride, uniform, player
        )
        mine = labels.owner == player
        beta[mine] = reach[mine]
    return np.where(beta > 0, beta, 1.0)


def coupling(tree: Tree, entropy: Entropy) -> float:
    """How strongly one player's gradient answers the other's dual step at uniform play, chips.

    The largest singular value of H₀^−½ A H₁^−½, with A the payoffs and H the Hessians of the regularisers, by power
    iteration. Alternating mirror descent is stable for steps up to about 1 / coupling, whatever the weights are.
    """
    form, first = tree.form, tree.form.sequence_first
    strategy = tree.uniform().probabilities.copy()
    plan = tree.plan(strategy)
    theta = np.sin(1.0 + np.arange(tree.sequences))  # any vector that is not special
    change, gradient, growth = np.zeros(tree.sequences), np.zeros(tree.sequences), 0.0
    for _ in range(POWER_ITERATIONS):
        size = float(np.linalg.norm(theta[: first[1]]))
        if size == 0.0:
            return 0.0
        theta /= size
        for player in (0, 1):
            response_change(form, player, strategy, plan, entropy, theta, change)
            player_gradient(form, 1 - player, change, gradient)
            theta[first[1 - player] : first[2 - player]] = gradient[first[1 - player] : first[2 - player]]
        growth = float(np.linalg.norm(theta[: first[1]]))
    return float(growth**0.5)


def step_unit(tree: Tree, entropy: Entropy) -> float:
    """1 / coupling: the unit of steps; 1 for a game in which nothing that one player does matters to the other."""
    strength = coupling(tree, entropy)
    return 1.0 / strength if strength > 0.0 else 1.0
