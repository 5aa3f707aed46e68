"""The betting of hold'em for networks: the heads of actions, and the bets so far as features."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL
from regretless.poker.betting.betting_tree import BettingTree

__all__ = ["bet_features", "head_of_actions", "pass_deals"]

Array = npt.NDArray[Any]


def head_of_actions(tree: BettingTree, node: int) -> list[int]:
    """The head of each action of a node: 0 fold, 1 check or call, from 2 on bets and raises by size."""
    heads, sizes = [], 0
    for name in tree.actions[node]:
        word = name.split()[0]
        if word == "fold":
            heads.append(0)
        elif word in ("check", "call"):
            heads.append(1)
        else:
            heads.append(2 + sizes)
            sizes += 1
    return heads


def pass_deals(tree: BettingTree, node: int) -> int:
    """The first node from here on that is not a deal."""
    while tree.kind[node] == DEAL:
        node = int(tree.first_child[node])
    return node


def bet_features(tree: BettingTree) -> Array:
    """[N, streets × slots × 2] for each action so far on each street: 1 if it happened, and its chips per pot."""
    path: list[list[tuple[int, float]]] = [[] for _ in range(len(tree))]
    for node in range(1, len(tree)):
        parent = int(tree.parent[node])
        if tree.kind[parent] >= DEAL:
            path[node] = path[parent]
            continue
        pot = max(float(tree.paid[parent].sum()), 1e-9)
        path[node] = [*path[parent], (int(tree.street[parent]), float(tree.paid[node].sum() - pot) / pot)]
    most = max((sum(1 for s, _ in steps if s == street) for steps in path for street in range(tree.streets)), default=1)
    out = np.zeros((len(tree), tree.streets, max(most, 1), 2), np.float32)
    for node, steps in enumerate(path):
        slot = [0] * tree.streets
        for street, size in steps:
            out[node, street, slot[street]] = (1.0, size)
            slot[street] += 1
    return out.reshape(len(tree), -1)
