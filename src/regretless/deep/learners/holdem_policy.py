"""Strategies of networks laid out on the public tree, where their averages and their exploitability are exact.

A network says what to do at every class of hands on every board at once. Its player's own reach goes down the betting
beside that, so the sum over iterations of weight × own reach × strategy, which is what SD-CFR averages by, has a place
for each of the tree's numbers and is kept there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from regretless.deep.games.holdem_game import HoldemGame, head_of_actions
from regretless.deep.networks.flat_network import CHUNK
from regretless.deep.networks.fused_inference import fused_reader, reads_fused
from regretless.deep.networks.holdem_network import HoldemNetwork
from regretless.kernels.constants import DEAL
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["Classes", "Layout", "StrategyAt", "StrategyOn", "chunks_of", "outputs_on"]

Array = npt.NDArray[Any]
StrategyAt = Callable[[int], torch.Tensor]
"""What somebody does, or a network says, at a decision of the betting with each class of a street: [n, A]."""


@dataclass(frozen=True, eq=False)
class Classes:
    """A player's hands on all boards of a street, up to suits; n of them."""

    infosets: torch.Tensor  # [n, cards + 1] int16 as the game on arrays spells what a player sees; decision 0
    first: torch.Tensor  # [n] int64 where the number of the street's first action lies
    stride: torch.Tensor  # [n] int64 how far it is to that of the next action
    above: torch.Tensor  # [n] int64 the class on the street before


StrategyOn = Callable[[torch.Tensor], StrategyAt]
"""… for rows of cards, spelled as infosets [n, cards + 1]."""


class Layout:
    """Where the numbers of a public tree lie, for strategies that come decision by decision."""

    def __init__(self, tree: PublicTree, game: HoldemGame) -> None:
        self.tree, self.game = tree, game
        self.decision = game.decision.cpu().numpy()  # [N] the number of a node among all decisions
        self.classes = [[self._classes(player, street) for street in range(tree.streets)] for player in range(2)]

    def _classes(self, player: int, street: int) -> Classes:
        book, arrays = self.tree.book, self.tree.book.arrays
        boards = np.arange(arrays.street_boards[street], arrays.street_boards[street + 1])
        count = arrays.count[player].astype(np.int64)
        here = count[boards]
        board = np.repeat(boards, here)
        within = np.arange(here.sum()) - np.repeat(np.cumsum(here) - here, here)
        cards = np.array([book.cards[b] for b in boards], np.int64).reshape(len(boards), -1)
        hands = book.hands[arrays.begin[player, board] + within].astype(np.int64)
        above = np.zeros(len(board), np.int64)
        if street:
            before = np.arange(arrays.street_boards[street - 1], arrays.street_boards[street])
            offset = np.cumsum(count[before]) - count[before]
            parent = arrays.parent[board] - before[0]
            above = offset[parent] + arrays.above[arrays.begin[player, board] + within]
        put = lambda array: torch.from_numpy(np.ascontiguousarray(array)).to(self.game.device)  # noqa: E731
        hands_there, boards_there = put(hands), put(np.repeat(cards, here, axis=0))
        chunks = chunks_of(len(board), self.game.device)
        return Classes(
            infosets=torch.cat([self.game.spelled(hands_there[c], boards_there[c], street) for c in chunks]),
            first=put(arrays.first[player, board] + within),
            stride=put(arrays.stride[player, board].astype(np.int64)),
            above=put(above),
        )

    def fill(self, out: torch.Tensor, player: int, strategy_on: StrategyOn) -> None:
        """Write a player's probabilities to the numbers [tree.numbers] of all its decisions."""
        self._lay(out, player, [strategy_on(classes.infosets) for classes in self.classes[player]], 0, None)

    def add(self, out: torch.Tensor, player: int, strategy_on: StrategyOn, weight: float) -> None:
        """Add weight × own reach × probability to the numbers of all decisions of a player."""
        first = self.classes[player][0].first
        reach = torch.full((len(first),), weight, device=first.device)
        self._lay(out, player, [strategy_on(classes.infosets) for classes in self.classes[player]], 0, reach)

    def _lay(
        self, out: torch.Tensor, player: int, strategy_at: list[StrategyAt], node: int, reach: torch.Tensor | None
    ) -> None:
        """Go down the betting from a node with the weighted own reach [classes of its street], or without any."""
        tree = self.tree.betting_tree
        kind, street, child = int(tree.kind[node]), int(tree.street[node]), int(tree.first_child[node])
        if kind == DEAL:
            below = reach if reach is None else reach[self.classes[player][int(tree.street[child])].above]
            self._lay(out, player, strategy_at, child, below)
        elif kind != player:
            for action in range(int(tree.children[node])):
                self._lay(out, player, strategy_at, child + action, reach)
        else:
            strategy, classes = strategy_at[street](int(self.decision[node])), self.classes[player][street]
            first = int(self.tree.betting.slot[self.tree.order.number[node]])
            for action, head in enumerate(head_of_actions(tree, node)):
                played = strategy[:, head] if reach is None else strategy[:, head] * reach
                place = classes.first + (first + action) * classes.stride
                out[place] = played if reach is None else out[place] + played
                self._lay(out, player, strategy_at, child + action, None if reach is None else played)


def outputs_on(network: nn.Module, game: HoldemGame, infosets: torch.Tensor) -> StrategyAt:
    """What a network says at a decision of rows of cards [n, cards + 1]: [n, A], cards being read once if possible."""
    pieces = [infosets[rows] for rows in chunks_of(len(infosets), game.device)]
    if isinstance(network, HoldemNetwork):
        read = fused_reader if reads_fused(network) else HoldemNetwork.on_cards
        readers = [read(network, game.features(piece)) for piece in pieces]
        return lambda decision: torch.cat([reader(game.bets[decision]) for reader in readers])
    pieces = [piece.clone() for piece in pieces]  # the decision is written into them

    def says(decision: int) -> torch.Tensor:
        for piece in pieces:
            piece[:, -1] = decision
        return torch.cat([network(game.features(piece)) for piece in pieces])

    return says


def chunks_of(count: int, device: torch.device) -> Iterator[slice]:
    """Rows that are worked on at once: as many as caches hold, or as a GPU needs to be busy."""
    size = 1 << 21 if device.type == "cuda" else CHUNK
    return (slice(first, first + size) for first in range(0, count, size))
