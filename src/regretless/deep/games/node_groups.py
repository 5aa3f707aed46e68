"""The betting in groups of nodes that are walked together: thousands of nodes are a few operations on arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from regretless.deep.games.betting_heads import head_of_actions
from regretless.kernels.constants import DEAL
from regretless.poker.betting.betting_tree import BettingTree

__all__ = ["NodeGroup", "node_groups"]


@dataclass(frozen=True, eq=False)
class NodeGroup:
    """Nodes of one depth with the same mover and k children each; m of them."""

    mover: int
    """A player, or DEAL."""
    node: torch.Tensor  # [m] int64
    child: torch.Tensor  # [m, k] int64
    decision: torch.Tensor  # [m] int64 index among all decisions; −1 at deals
    head: torch.Tensor  # [m, k] int64 of each action; 0 at deals


def node_groups(tree: BettingTree, decision: torch.Tensor) -> list[NodeGroup]:
    """All nodes that have children, from the root down; `decision` [nodes] is the index of each among all decisions."""
    depth = np.zeros(len(tree), int)
    for number in range(1, len(tree)):
        depth[number] = depth[tree.parent[number]] + 1
    inner = np.flatnonzero(tree.kind <= DEAL)
    kinds = np.stack([depth[inner], tree.kind[inner], tree.children[inner]], axis=1)
    groups = []
    for kind in np.unique(kinds, axis=0):
        some = inner[(kinds == kind).all(axis=1)].astype(np.int64)
        _, mover, count = (int(number) for number in kind)
        heads = [[0] if mover == DEAL else head_of_actions(tree, number) for number in some.tolist()]
        node, first, head = (
            torch.from_numpy(np.asarray(array, np.int64)).to(decision.device)
            for array in (some, tree.first_child[some], heads)
        )
        child = first[:, None] + torch.arange(count, device=decision.device)
        groups.append(NodeGroup(mover, node, child, decision[node], head))
    return groups
