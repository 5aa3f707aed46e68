"""A network's strategy laid out on the public tree, where its exploitability is exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.holdem import HoldemGame
from regretless.poker.public_tree import PublicTree

__all__ = ["fill_policy"]

Array = npt.NDArray[Any]

AT_ONCE = 1 << 18
"""Infosets that a network is asked about at once."""


def fill_policy(tree: PublicTree, game: HoldemGame, strategy_at: Callable[[int, torch.Tensor], torch.Tensor]) -> Array:
    """[numbers] probabilities of every action at every infoset, where the walks of a public tree look for them."""
    out = np.zeros(tree.numbers, np.float32)
    for street in range(tree.streets):
        for player in range(2):
            known, place, stride = known_on(tree, game, street, player)
            for at in np.flatnonzero((tree.betting_tree.street == street) & (tree.betting_tree.kind == player)):
                number = tree.order.number[at]
                begin = place + tree.betting.slot[number] * stride
                decision = int(np.searchsorted(game.nodes, at))
                legal = np.flatnonzero(game.child[decision].cpu().numpy() >= 0)
                for first in range(0, len(known), AT_ONCE):
                    rows = slice(first, first + AT_ONCE)
                    infosets = torch.full((len(known[rows]), game.cards + 1), game.game.deck.size, dtype=torch.int16)
                    infosets[:, : known.shape[1]] = torch.from_numpy(known[rows])
                    infosets[:, -1] = decision
                    asked = strategy_at(player, infosets.to(game.device)).cpu().numpy()
                    for action, head in enumerate(legal):
                        out[begin[rows] + action * stride[rows]] = asked[:, head]
    return out


def known_on(tree: PublicTree, game: HoldemGame, street: int, player: int) -> tuple[Array, Array, Array]:
    """Of a player's classes on all boards of a street: the cards seen, hand first [n, cards]; where the numbers of
    its first action at the street's first node lie [n]; and the step from action to action [n]."""
    arrays, bounds = tree.book.arrays, tree.book.arrays.street_boards
    boards = np.arange(bounds[street], bounds[street + 1])
    count = arrays.count[player, boards].astype(np.int64)
    board = np.repeat(boards, count)
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    classes = arrays.begin[player, board] + within
    cards = np.array([tree.book.cards[b] for b in boards], np.int16).reshape(len(boards), -1)
    known = np.concatenate([tree.book.hands[classes].astype(np.int16), np.repeat(cards, count, axis=0)], axis=1)
    place = arrays.first[player, board] + within
    return known, place, arrays.stride[player, board].astype(np.int64)
