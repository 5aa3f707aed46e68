"""One player's networks as a strategy of hold'em: a mixture that is drawn once, before the play.

SD-CFR plays one of its T networks, network t with probability ω_t ∝ t, for a whole game (Steinberger 2019, §4). The
mixture is the strategy whose plan is the mean of the networks' plans: the probability that the player takes all its own
actions up to here with a hand is

    x(sequence) = Σ_t ω_t · π_t(sequence)

so at an infoset each network counts with its own reach. A strategy network is a mixture of one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.betting_heads import head_of_actions
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.holdem.holdem_policy import DecisionFunction, network_outputs
from regretless.deep.networks.flat_network import FlatNetwork
from regretless.deep.pytorch import tensor_core_products
from regretless.kernels.constants import DEAL

__all__ = ["PlayerNetworks"]

Array = npt.NDArray[Any]

ToStrategy = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""(outputs [n, A], legal [n, A]) → probabilities [n, A]."""


class PlayerNetworks:
    """T networks of one player with their shares; N weights each. Weights that are all zero say zero everywhere."""

    def __init__(
        self,
        game: HoldemGame,
        player: int,
        network: FlatNetwork,
        weights: Array,  # [T, N] float32
        shares: Array,  # [T]
        to_strategy: ToStrategy,
    ) -> None:
        self.game, self.player, self.network, self.to_strategy = game, player, network, to_strategy
        self.weights, self.shares = weights, np.asarray(shares, np.float64) / np.sum(shares)
        self.lock = threading.Lock()
        """The networks share one module, into which their weights are copied in turn."""
        tree = game.tree
        own = tree.kind == player
        self.first = np.cumsum(np.where(own, tree.children, 0)) - np.where(own, tree.children, 0)
        """[nodes] the row of the first action of each own decision in a table of plans."""
        self.rows = int(tree.children[own].sum())

    def __eq__(self, other: object) -> bool:
        """Whether these are the same networks in the same mixture; what a method trains with does not matter."""
        if not isinstance(other, PlayerNetworks):
            return NotImplemented
        return (
            self._described == other._described
            and np.array_equal(self.weights, other.weights)
            and np.array_equal(self.shares, other.shares)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def _described(self) -> tuple[object, ...]:
        """What its weights mean: layers, what they read, and how outputs become probabilities."""
        to_strategy = self.to_strategy
        rule = (to_strategy.func, to_strategy.keywords) if isinstance(to_strategy, partial) else (to_strategy, {})
        return repr(self.network.network), self.game.quantiles is not None, self.player, rule

    def each(self, infosets: Sequence[torch.Tensor]) -> Iterator[tuple[float, list[DecisionFunction]]]:
        """For every network its share and its strategy, a function of the decision for the rows of each street.

        infosets: for each street [n, cards + 1], as `HoldemGame.encode` returns them.
        """
        with self.lock, torch.no_grad(), tensor_core_products(self.game.device):
            for weights, share in zip(self.weights, self.shares.tolist(), strict=True):
                self.network.weights.copy_(torch.from_numpy(weights))
                says = bool(weights.any())
                outputs = [
                    network_outputs(self.network.network, self.game, rows) if says else _zeros(len(rows), self.game)
                    for rows in infosets
                ]
                yield share, [self._strategy(each, len(rows)) for each, rows in zip(outputs, infosets, strict=True)]

    def _strategy(self, outputs: DecisionFunction, count: int) -> DecisionFunction:
        allowed = self.game.allowed
        return lambda decision: self.to_strategy(outputs(decision), allowed[decision].expand(count, -1))

    def plans(self, infosets: Sequence[torch.Tensor]) -> torch.Tensor:
        """[rows, n] the plan of every own action on the streets of `infosets`, for n hands on their boards.

        The row of an action is `first[node]` + its number among the actions of the node.
        """
        count = len(infosets[0])
        out = torch.zeros((self.rows, count), device=self.game.device)
        for share, decide in self.each(infosets):
            self._add(out, decide, 0, torch.full((count,), share, device=self.game.device))
        return out

    def _add(self, out: torch.Tensor, decide: list[DecisionFunction], node: int, reach: torch.Tensor) -> None:
        """Add a network's plan at a node and below, on the streets that are asked for; reach [n]: share × own reach."""
        tree = self.game.tree
        if int(tree.street[node]) >= len(decide) or tree.kind[node] > DEAL:
            return
        child, kind = int(tree.first_child[node]), int(tree.kind[node])
        if kind != self.player:
            for action in range(1 if kind == DEAL else int(tree.children[node])):
                self._add(out, decide, child + action, reach)
            return
        strategy = decide[int(tree.street[node])](int(self.game.decision[node]))
        for action, head in enumerate(head_of_actions(tree, node)):
            played = reach * strategy[:, head]
            out[int(self.first[node]) + action] += played
            self._add(out, decide, child + action, played)

    def probabilities(self, node: int, plans: torch.Tensor) -> torch.Tensor:
        """[actions, n] at an own decision, from plans [rows, n]; uniform where the player never comes."""
        actions = int(self.game.tree.children[node])
        return _normalised(plans[int(self.first[node]) : int(self.first[node]) + actions])

    def at(self, nodes: Sequence[int], infosets: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """For each of some own decisions [actions, n] the probabilities; only the ways to them are followed."""
        tree, count, device = self.game.tree, len(infosets[0]), self.game.device
        heads = {node: head_of_actions(tree, node) for node in nodes}
        sums = {node: torch.zeros((len(of), count), device=device) for node, of in heads.items()}
        for share, decide in self.each(infosets):
            root = torch.full((count,), share, device=device)
            played: dict[int, torch.Tensor] = {}
            for node in sums:
                sums[node] += self._plan_at(node, decide, root, played)
        return [_normalised(sums[node]) for node in nodes]

    def _plan_at(
        self, node: int, decide: list[DecisionFunction], root: torch.Tensor, played: dict[int, torch.Tensor]
    ) -> torch.Tensor:
        """[actions, n] share × own reach × probability at an own decision; `played` has what is already known."""
        tree = self.game.tree
        if node not in played:
            above, reach = node, root
            while (parent := int(tree.parent[above])) >= 0:
                if tree.kind[parent] == self.player:
                    reach = self._plan_at(parent, decide, root, played)[above - int(tree.first_child[parent])]
                    break
                above = parent
            strategy = decide[int(tree.street[node])](int(self.game.decision[node]))
            played[node] = reach * strategy[:, head_of_actions(tree, node)].t()
        return played[node]


def _normalised(plan: torch.Tensor) -> torch.Tensor:
    """[actions, n] probabilities from a plan [actions, n]; uniform where it is 0."""
    total = plan.sum(0)
    return torch.where(total > 0, plan / total.clamp(min=1e-30), 1 / len(plan))


def _zeros(count: int, game: HoldemGame) -> DecisionFunction:
    none = torch.zeros((count, game.heads), device=game.device)
    return lambda _: none
