"""Network strategies on the public tree, where averages and exploitability are exact.

A network is evaluated at every class of hands on every board. Its player's own reach is computed along the betting, so
the sum over iterations of weight × own reach × strategy, by which SD-CFR averages, is stored in the tree's own layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from regretless.deep.games.betting_heads import head_of_actions
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.networks.flat_network import CHUNK
from regretless.deep.networks.fused_inference import can_fuse_inference, fused_card_reader
from regretless.deep.networks.holdem_network import HoldemNetwork
from regretless.deep.networks.multilayer import Perceptron
from regretless.kernels.constants import DEAL
from regretless.poker.tree.public_tree import PublicTree

__all__ = [
    "DecisionFunction",
    "HandClasses",
    "HandStrategy",
    "PublicTreeLayout",
    "chunks",
    "in_parts",
    "network_outputs",
    "zero_outputs",
]

Array = npt.NDArray[Any]

DecisionFunction = Callable[[torch.Tensor], torch.Tensor]
"""Indices [D] of decisions of the betting → probabilities, or network outputs, [D, n, A] for n fixed rows of cards."""

HandStrategy = Callable[[torch.Tensor], DecisionFunction]
"""Rows of cards [n, cards + 1], encoded as infosets → a player's strategy with them."""

MOST_AT_ONCE = 1 << 15
"""Decisions of one call: the second dimension of a grid on a GPU has at most 65,535 programs."""


@dataclass(frozen=True, eq=False)
class HandClasses:
    """A player's hands on all boards of a street, up to suits; n of them."""

    infosets: torch.Tensor  # [n, cards + 1] int16 as `HoldemGame.encode` returns them
    first: torch.Tensor  # [n] int64 index of the value of the street's first action
    stride: torch.Tensor  # [n] int64 distance to that of the next action
    above: torch.Tensor  # [n] int64 the class on the street before


class PublicTreeLayout:
    """The layout of values on a public tree, for strategies that are computed decision by decision."""

    def __init__(self, tree: PublicTree, game: HoldemGame) -> None:
        self.tree, self.game = tree, game
        self.decision = game.decision.cpu().numpy()  # [N] index of a node among all decisions
        self.classes = [[self._classes(player, street) for street in range(tree.streets)] for player in range(2)]

    def _classes(self, player: int, street: int) -> HandClasses:
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
        all_hands, all_boards = put(hands), put(np.repeat(cards, here, axis=0))
        pieces = chunks(len(board), self.game.device)
        return HandClasses(
            infosets=torch.cat([self.game.encode(all_hands[rows], all_boards[rows], street) for rows in pieces]),
            first=put(arrays.first[player, board] + within),
            stride=put(arrays.stride[player, board].astype(np.int64)),
            above=put(above),
        )

    def fill(self, out: torch.Tensor, player: int, strategy_of: HandStrategy) -> None:
        """Write a player's probabilities at all its decisions to `out` [tree.numbers]."""
        self._write(out, player, [strategy_of(classes.infosets) for classes in self.classes[player]], 0, None)

    def add(self, out: torch.Tensor, player: int, strategy_of: HandStrategy, weight: float) -> None:
        """Add weight × own reach × probability at all decisions of a player to `out` [tree.numbers]."""
        decided = [strategy_of(classes.infosets) for classes in self.classes[player]]
        self.add_decided(out, player, decided, weight)

    def add_decided(self, out: torch.Tensor, player: int, decided: list[DecisionFunction], weight: float) -> None:
        """The same, from the strategy at the classes of each street."""
        first = self.classes[player][0].first
        reach = torch.full((len(first),), weight, device=first.device)
        self._write(out, player, decided, 0, reach)

    def _write(
        self, out: torch.Tensor, player: int, strategies: list[DecisionFunction], node: int, reach: torch.Tensor | None
    ) -> None:
        """Descend the betting from a node with the weighted own reach [classes of its street], or without any."""
        tree = self.tree.betting_tree
        kind, street, child = int(tree.kind[node]), int(tree.street[node]), int(tree.first_child[node])
        if kind == DEAL:
            below = reach if reach is None else reach[self.classes[player][int(tree.street[child])].above]
            self._write(out, player, strategies, child, below)
        elif kind != player:
            for action in range(int(tree.children[node])):
                self._write(out, player, strategies, child + action, reach)
        else:
            decision, classes = int(self.decision[node]), self.classes[player][street]
            strategy = strategies[street](self.game.decisions[decision : decision + 1])[0]
            first = int(self.tree.betting.slot[self.tree.order.number[node]])
            for action, head in enumerate(head_of_actions(tree, node)):
                played = strategy[:, head] if reach is None else strategy[:, head] * reach
                index = classes.first + (first + action) * classes.stride
                out[index] = played if reach is None else out[index] + played
                self._write(out, player, strategies, child + action, None if reach is None else played)


def network_outputs(network: nn.Module, game: HoldemGame, infosets: torch.Tensor) -> DecisionFunction:
    """The outputs of a network at decisions, for rows of cards [n, cards + 1].

    The hold'em network and perceptrons read the cards once for all decisions.
    """
    pieces = [infosets[rows] for rows in chunks(len(infosets), game.device)]
    if isinstance(network, HoldemNetwork) and can_fuse_inference(network):
        readers = [fused_card_reader(network, game.features(piece)) for piece in pieces]
        return lambda decisions: _beside([read(game.bets[decisions]) for read in readers])
    if isinstance(network, HoldemNetwork) or type(network) is Perceptron:
        bets = () if isinstance(network, HoldemNetwork) else (game.bets.shape[1],)
        readers = [network.on_cards(game.features(piece), *bets) for piece in pieces]
        at_once = [decisions_at_once(len(piece), game.device) for piece in pieces]
        together = list(zip(readers, at_once, strict=True))
        return lambda decisions: _beside(
            [torch.cat([read(some) for some in game.bets[decisions].split(few)]) for read, few in together]
        )
    pieces = [piece.clone() for piece in pieces]  # the index of the decision is written into them

    def at(decision: torch.Tensor) -> torch.Tensor:
        for piece in pieces:
            piece[:, -1] = decision
        return torch.cat([network(game.features(piece)) for piece in pieces])

    return lambda decisions: torch.stack([at(decision) for decision in decisions])


def _beside(pieces: list[torch.Tensor]) -> torch.Tensor:
    """Outputs [D, rows, A] of several pieces of the rows as one; without a copy where there is only one."""
    return torch.cat(pieces, dim=1) if len(pieces) > 1 else pieces[0]


def decisions_at_once(rows: int, device: torch.device) -> int:
    """Decisions whose layers are computed at once for some rows of cards: the CPU's caches hold them."""
    return max(1, (1 << 20 if device.type == "cuda" else 1 << 12) // max(1, rows))


def in_parts(decisions: torch.Tensor, rows: int) -> Iterator[slice]:
    """Slices of decisions [D] whose probabilities for some rows of cards are computed at once."""
    size = max(1, min(MOST_AT_ONCE, (1 << 26 if decisions.is_cuda else 1 << 15) // max(1, rows)))
    return (slice(first, first + size) for first in range(0, len(decisions), size))


def zero_outputs(game: HoldemGame, count: int) -> DecisionFunction:
    """Outputs of 0 everywhere, for `count` rows of cards."""
    return lambda decisions: torch.zeros((len(decisions), count, game.heads), device=game.device)


def chunks(count: int, device: torch.device) -> Iterator[slice]:
    """Slices of rows to process at once: as many as fit the CPU's caches, or as occupy a GPU."""
    size = 1 << 21 if device.type == "cuda" else CHUNK
    return (slice(first, first + size) for first in range(0, count, size))
