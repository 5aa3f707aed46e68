"""The values of one street of hold'em with all hands on a batch of boards: best responses to a plan, level by level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.playing.player_networks import PlayerNetworks
from regretless.kernels.constants import DEAL, SHOWDOWN

__all__ = ["StreetValues"]

Array = npt.NDArray[Any]

COMPARED = 1 << 26
"""Pairs of hands that are compared at once."""


class StreetValues:
    """The nodes of a street, in levels; B boards, H hands on each."""

    def __init__(self, holdem: HoldemGame, number: int, players: Sequence[PlayerNetworks]) -> None:
        self.holdem, self.number, self.players, self.tree = holdem, number, players, holdem.tree
        tree = self.tree
        self.nodes = np.flatnonzero(tree.street == number)
        self.place = np.full(len(tree), -1)
        self.place[self.nodes] = np.arange(len(self.nodes))
        kind = tree.kind[self.nodes]
        self.ends, self.deals = self.nodes[kind > DEAL], self.nodes[kind == DEAL]
        self.shown = bool((kind == SHOWDOWN).any())
        self.roots = self.nodes[tree.street[tree.parent[self.nodes]] < number]
        self.levels = self._levels()
        self.last_own = [self._last_own(player) for player in range(2)]

    def _levels(self) -> list[Array]:
        """The decisions of the street by depth, the deepest first."""
        tree, depth = self.tree, np.zeros(len(self.tree), int)
        for node in self.nodes.tolist():
            if self.place[tree.parent[node]] >= 0:
                depth[node] = depth[tree.parent[node]] + 1
        decisions = self.nodes[tree.kind[self.nodes] < DEAL]
        return [decisions[depth[decisions] == d] for d in range(int(depth.max()), -1, -1)]

    def _last_own(self, player: int) -> Array:
        """[nodes] the row of the player's last action before each node of the street in its plans; −1 without one."""
        tree, first = self.tree, self.players[player].first
        row = np.full(len(tree), -1)
        for node in range(1, len(tree)):
            parent = int(tree.parent[node])
            own = tree.kind[parent] == player
            row[node] = first[parent] + node - tree.first_child[parent] if own else row[parent]
        return row[self.nodes]

    def values(
        self,
        plans: Sequence[torch.Tensor],
        fits: torch.Tensor,
        strength: torch.Tensor | None,
        hands: torch.Tensor,
        below: torch.Tensor | None,
        kinds: int,
    ) -> torch.Tensor:
        """[B, kinds, 2, roots, H] the counterfactual values of each player at the roots: with a best response and, as
        second kind, with the own strategy.

        plans: of each player [rows, B, H]. fits [B, H]: 1 where a hand holds no card of the board. strength [B, H].
        hands [H, size]. below [B, kinds, 2, deals, H]: values where the next cards are dealt.
        """
        disjoint = (~(hands[:, None, :, None] == hands[None, :, None, :]).any(-1).any(-1)).float()
        out = torch.empty((len(fits), kinds, 2, len(self.roots), fits.shape[1]), device=fits.device)
        for player in range(2):
            ends = self._ends(player, plans[1 - player], fits, strength, disjoint)
            for kind in range(kinds):
                own = None if kind == 0 else plans[player]
                dealt = None if below is None else below[:, kind, player].transpose(0, 1)
                out[:, kind, player] = self._ascend(player, ends, dealt, own, fits).transpose(0, 1)
        return out

    def _ends(
        self,
        player: int,
        plans: torch.Tensor,
        fits: torch.Tensor,
        strength: torch.Tensor | None,
        disjoint: torch.Tensor,
    ) -> torch.Tensor:
        """[ends, B, H] what each hand wins where the play ends × the other's reach."""
        tree = self.tree
        reach = self._reach(1 - player, self.ends, plans, fits)  # [ends, B, H]
        put = lambda array: torch.from_numpy(array.astype(np.float32)).to(fits.device)[:, None, None]  # noqa: E731
        win, tie, lose = (put(pays[self.ends, player]) for pays in (tree.win, tree.tie, tree.lose))
        everyone = reach @ disjoint
        value = win * everyone
        shown = np.flatnonzero(tree.kind[self.ends] == SHOWDOWN)
        if len(shown) and strength is not None:
            won, held = self._compared(reach[shown].transpose(0, 1), strength, disjoint)
            value[shown] = (
                (win - tie)[shown] * won.transpose(0, 1)
                + (tie - lose)[shown] * held.transpose(0, 1)
                + lose[shown] * everyone[shown]
            )
        return value * fits

    def _compared(
        self, reach: torch.Tensor, strength: torch.Tensor, disjoint: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """([B, n, H], [B, n, H]) the reach [B, n, H] of hands that each hand beats, and of those it beats or ties."""
        won, held = torch.empty_like(reach), torch.empty_like(reach)
        size = max(1, COMPARED // disjoint.numel())
        for here in (slice(first, first + size) for first in range(0, len(strength), size)):
            theirs, mine = strength[here, :, None], strength[here, None, :]
            torch.bmm(reach[here], (mine > theirs) * disjoint, out=won[here])
            torch.bmm(reach[here], (mine >= theirs) * disjoint, out=held[here])
        return won, held

    def _reach(self, player: int, nodes: Array, plans: torch.Tensor, fits: torch.Tensor) -> torch.Tensor:
        """[nodes, B, H] a player's reach: its plan at its last action before each node."""
        row = torch.from_numpy(self.last_own[player][self.place[nodes]]).to(fits.device)
        found = plans[row.clamp(min=0)]
        found[row < 0] = 1.0
        return found * fits

    def _ascend(
        self, player: int, ends: torch.Tensor, dealt: torch.Tensor | None, own: torch.Tensor | None, fits: torch.Tensor
    ) -> torch.Tensor:
        """[roots, B, H] from the values of ends and deals, with a best response or with the own plan."""
        tree, place, device = self.tree, self.place, ends.device
        value = torch.zeros((len(self.nodes), *ends.shape[1:]), device=device)
        value[place[self.ends]] = ends
        if dealt is not None:
            value[place[self.deals]] = dealt * fits
        for level in self.levels:
            for mover in range(2):
                nodes = level[tree.kind[level] == mover]
                for count in np.unique(tree.children[nodes]).tolist():
                    some = nodes[tree.children[nodes] == count]
                    children = value[place[tree.first_child[some][:, None] + np.arange(count)]]  # [n, actions, B, H]
                    value[place[some]] = self._joined(player, mover, some, children, own)
        return value[place[self.roots]]

    def _joined(
        self, player: int, mover: int, nodes: Array, children: torch.Tensor, own: torch.Tensor | None
    ) -> torch.Tensor:
        """[n, B, H] the values of decisions from those of their children [n, actions, B, H]."""
        if mover != player:
            return children.sum(1)
        if own is None:
            return children.amax(1)
        rows = self.players[player].first[nodes][:, None] + np.arange(children.shape[1])
        plan = own[torch.from_numpy(rows).to(own.device)]
        total = plan.sum(1, keepdim=True)
        share = torch.where(total > 0, plan / total.clamp(min=1e-30), 1 / children.shape[1])
        return (share * children).sum(1)
