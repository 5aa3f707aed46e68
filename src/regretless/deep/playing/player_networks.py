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
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.betting_heads import head_of_actions
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.holdem.holdem_policy import DecisionFunction, in_parts, network_outputs, zero_outputs
from regretless.deep.networks.flat_network import FlatNetwork
from regretless.deep.pytorch import tensor_core_products

__all__ = ["PlayerNetworks"]

Array = npt.NDArray[Any]

ToStrategy = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""(outputs [n, A], legal [n, A]) → probabilities [n, A]."""


@dataclass(frozen=True, eq=False)
class DecisionGroup:
    """Own decisions of one street with the same number of own decisions above them; m of them."""

    street: int
    decisions: torch.Tensor  # [m] int64 their indices
    above: torch.Tensor  # [m] int64 the row of the own action above each in a table of plans; −1 without one
    row: torch.Tensor  # [m, A] int64 the row of each action; −1 where a head is no action


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
        self.threshold = 0.0
        """Actions that are less likely are never taken, unless none is likelier."""
        self.weights, self.shares = weights, np.asarray(shares, np.float64) / np.sum(shares)
        self.lock = threading.Lock()
        """The networks share one module, into which their weights are copied in turn."""
        tree = game.tree
        own = tree.kind == player
        self.first = np.cumsum(np.where(own, tree.children, 0)) - np.where(own, tree.children, 0)
        """[nodes] the row of the first action of each own decision in a table of plans."""
        self.rows = int(tree.children[own].sum())
        self.groups = self._grouped(np.flatnonzero(own))

    def _grouped(self, nodes: Array) -> list[DecisionGroup]:
        """The own decisions by the number of own decisions above them, and by street."""
        tree, first, put = self.game.tree, self.first, lambda array: torch.from_numpy(array).to(self.game.device)
        above, depth = np.full(len(tree), -1), np.zeros(len(tree), int)
        for node in range(1, len(tree)):
            parent = int(tree.parent[node])
            mine = tree.kind[parent] == self.player
            above[node] = first[parent] + node - tree.first_child[parent] if mine else above[parent]
            depth[node] = depth[parent] + mine
        groups, kinds = [], np.stack([depth[nodes], tree.street[nodes]], axis=1)
        for kind in np.unique(kinds, axis=0):
            some = nodes[(kinds == kind).all(axis=1)]
            row = np.full((len(some), self.game.heads), -1)
            for number, node in enumerate(some.tolist()):
                row[number, head_of_actions(tree, node)] = first[node] + np.arange(tree.children[node])
            groups.append(DecisionGroup(int(kind[1]), self.game.decision[put(some)], put(above[some]), put(row)))
        return groups

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
        return repr(self.network.network), self.game.known_strength, self.player, rule, self.threshold

    def each(self, infosets: Sequence[torch.Tensor]) -> Iterator[tuple[float, list[DecisionFunction]]]:
        """For every network its share and its strategy, a function of the decision for the rows of each street.

        infosets: for each street [n, cards + 1], as `HoldemGame.encode` returns them.
        """
        with self.lock, torch.no_grad(), tensor_core_products(self.game.device):
            for weights, share in zip(self.weights, self.shares.tolist(), strict=True):
                self.network.weights.copy_(torch.from_numpy(weights))
                says = bool(weights.any())
                outputs = [
                    network_outputs(self.network.network, self.game, rows)
                    if says
                    else zero_outputs(self.game, len(rows))
                    for rows in infosets
                ]
                yield share, [self._strategy(each) for each in outputs]

    def _strategy(self, outputs: DecisionFunction) -> DecisionFunction:
        allowed = self.game.allowed
        return lambda decisions: self._purified(self.to_strategy(outputs(decisions), allowed[decisions][:, None]))

    def _purified(self, strategy: torch.Tensor) -> torch.Tensor:
        """[…, A] the probabilities without those below the threshold."""
        if not self.threshold:
            return strategy
        highest = strategy.amax(-1, keepdim=True)
        kept = torch.where((strategy >= self.threshold) | (strategy == highest), strategy, 0.0)
        return kept / kept.sum(-1, keepdim=True)

    def plans(self, infosets: Sequence[torch.Tensor]) -> torch.Tensor:
        """[rows, n] the plan of every own action on the streets of `infosets`, for n hands on their boards.

        The row of an action is `first[node]` + its number among the actions of the node.
        """
        out = torch.zeros((self.rows, len(infosets[0])), device=self.game.device)
        for number, (share, decide) in enumerate(self.each(infosets)):
            if number == 0:
                self._fill(out, decide, share)
            else:
                plan = torch.zeros_like(out)
                self._fill(plan, decide, share)
                out += plan
        return out

    def _fill(self, out: torch.Tensor, decide: list[DecisionFunction], share: float) -> None:
        """Write share × own reach × probability to the rows of all actions on the streets that are asked for.

        A decision needs the row of the own action above it, so decisions are taken in the order of how many own
        decisions are above them; all of one street with the same number are evaluated together.
        """
        for group in self.groups:
            if group.street >= len(decide):
                continue
            for part in in_parts(group.decisions, out.shape[1]):
                strategy, above = decide[group.street](group.decisions[part]), group.above[part]
                reach = torch.where(above[:, None] >= 0, out[above.clamp(min=0)], share)  # [decisions, n]
                for head in range(self.game.heads):
                    row = group.row[part, head]
                    legal = row >= 0
                    out[row[legal]] = strategy[legal, :, head] * reach[legal]

    def normalised(self, plans: torch.Tensor, streets: int) -> torch.Tensor:
        """[rows, n] the probabilities of all actions on the first streets, from plans [rows, n]; uniform where the
        player never comes."""
        out = torch.zeros_like(plans)
        for group in self.groups:
            if group.street >= streets:
                continue
            for part in in_parts(group.decisions, plans.shape[1]):
                row = group.row[part]
                legal = row >= 0  # [m, A]
                plan = plans[row.clamp(min=0)] * legal[..., None]  # [m, A, n]
                total, uniform = plan.sum(1, keepdim=True), legal / legal.sum(1, keepdim=True)
                out[row[legal]] = torch.where(total > 0, plan / total.clamp(min=1e-30), uniform[..., None])[legal]
        return out

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
            decision = self.game.decision[node : node + 1]
            strategy = decide[int(tree.street[node])](decision)[0]
            played[node] = reach * strategy[:, head_of_actions(tree, node)].t()
        return played[node]


def _normalised(plan: torch.Tensor) -> torch.Tensor:
    """[actions, n] probabilities from a plan [actions, n]; uniform where it is 0."""
    total = plan.sum(0)
    return torch.where(total > 0, plan / total.clamp(min=1e-30), 1 / len(plan))
