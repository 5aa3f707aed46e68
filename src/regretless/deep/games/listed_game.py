"""A listed game as batches: a state is the number of a history, and an infoset is its number."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import NumberedGame
from regretless.deep.games.features import tree_features
from regretless.kernels.sampling.chance_tables import alias_tables
from regretless.layout.labels import Labels
from regretless.tree import Tree

__all__ = ["ListedGame"]

TOO_MANY_HEADS = 8
"""With more distinct actions than this multiple of the widest infoset, heads are indices in lists of actions."""


class ListedGame(NumberedGame):
    """The histories of a tree, on a device; H histories, I infosets."""

    def __init__(self, tree: Tree, device: torch.device) -> None:
        h = tree.listing
        self.tree, self.players, self.device = tree, tree.players, device
        head = heads_of(tree.labels)
        self.heads = int(head.max(initial=0)) + 1
        choice = np.full((tree.infosets, self.heads), -1, np.int8 if head.shape[1] < 128 else np.int32)
        infoset, action = np.nonzero(head >= 0)
        choice[infoset, head[infoset, action]] = action
        stay, other = alias_tables(h.mover, h.first_child, h.children, h.probability)
        self.mover = torch.from_numpy(h.mover).to(device)  # [H]
        self.index = torch.from_numpy(h.index).to(device)  # [H] infoset at a decision, payoff at the end
        self.first_child = torch.from_numpy(h.first_child.astype(np.int64)).to(device)  # [H]
        self.children = torch.from_numpy(h.children).to(device)  # [H]
        self.even = bool(np.all(stay == 1.0))  # whether all outcomes of chance are equally likely
        self.stay = torch.from_numpy(stay).to(device)  # [H] alias tables of chance
        self.other = torch.from_numpy(other.astype(np.int64)).to(device)  # [H]
        self.payoff = torch.from_numpy(h.payoffs.T.astype(np.float32)).to(device).contiguous()  # [P, T] chips
        self.choice = torch.from_numpy(choice).to(device)  # [I, A] index of a head among the actions, −1 for none
        self.table = torch.from_numpy(tree_features(tree)).to(device)  # [I, F]
        self.feature_size = self.table.shape[1]
        self.owner = torch.from_numpy(tree.labels.owner.astype(np.int64)).to(device)  # [I]
        infosets, heads = np.nonzero(choice >= 0)
        first, stride = tree.labels.first[infosets].astype(np.int64), tree.labels.stride[infosets]
        self.sequence = first + stride * choice[infosets, heads]  # [actions] the sequence of each action …
        self.action = torch.from_numpy(infosets), torch.from_numpy(heads)  # … its infoset and its head

    def begin(self, count: int) -> torch.Tensor:
        """[n] the root, repeated."""
        return torch.zeros(count, dtype=torch.int64, device=self.device)

    def movers(self, states: torch.Tensor) -> torch.Tensor:
        """[n] who moves."""
        return self.mover[states]

    def select(self, states: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        """Some of the states."""
        return states[which]

    def concatenate(self, batches: list[torch.Tensor]) -> torch.Tensor:
        """Several batches as one."""
        return torch.cat(batches)

    def infosets(self, states: torch.Tensor) -> torch.Tensor:
        """[n] int32 numbers of infosets."""
        return self.index[states]

    def legal(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] which heads are actions."""
        return self.choice[infosets] >= 0

    def features(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, F] from the game's own `features` or from labels."""
        return self.table[infosets].float()

    def after(self, states: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """[n] the children that heads lead to."""
        return self.first_child[states] + self.choice[self.index[states], heads]

    def after_chance(self, states: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """[n] a sampled child of each: uniform, or by the alias method where outcomes differ in probability."""
        draw = torch.rand(len(states), dtype=torch.float64, device=self.device, generator=generator)
        draw *= self.children[states]
        choice = draw.to(torch.int64)
        child = self.first_child[states] + choice
        if self.even:
            return child
        return torch.where(draw - choice < self.stay[child], child, self.other[child])

    def payoffs(self, states: torch.Tensor, player: int) -> torch.Tensor:
        """[n] a player's payoffs, chips."""
        return self.payoff[player][self.index[states]]

    @property
    def infoset_count(self) -> int:
        """All infosets of the game."""
        return self.tree.infosets

    def infosets_of(self, players: list[int]) -> torch.Tensor:
        """[i] the infosets of some players."""
        return torch.isin(self.owner, torch.tensor(players, device=self.device)).nonzero()[:, 0]

    def by_sequence(self, table: torch.Tensor) -> npt.NDArray[np.float64]:
        """[S] the entry of each action in a table [I, A]; 1 at empty sequences."""
        numbers = np.ones(self.tree.sequences)
        numbers[self.sequence] = table.cpu()[self.action].double().numpy()
        return numbers

    def by_infoset(self, numbers: npt.NDArray[Any]) -> torch.Tensor:
        """[I, A] float32 the table with the entries of sequences [S]."""
        table = torch.zeros(len(self.owner), self.heads)
        table[self.action] = torch.from_numpy(numbers[self.sequence]).float()
        return table.to(self.device)


def heads_of(labels: Labels) -> npt.NDArray[np.int64]:
    """[I, widest] the heads of an infoset's actions, −1 beyond the last action."""
    widest = max((len(actions) for actions in labels.actions), default=1)
    number: dict[Hashable, int] = {}
    for infoset in labels.reading_order.tolist():
        for action in labels.actions[infoset]:
            number.setdefault(action, len(number))
    rows: dict[tuple[Hashable, ...], list[int]] = {}
    for actions in labels.actions:
        if actions not in rows:
            by_name = [number[action] for action in actions]
            by_index = list(range(len(actions)))
            row = by_name if len(number) <= TOO_MANY_HEADS * widest else by_index
            rows[actions] = row + [-1] * (widest - len(actions))
    return np.array([rows[actions] for actions in labels.actions], np.int64).reshape(len(labels.actions), widest)
