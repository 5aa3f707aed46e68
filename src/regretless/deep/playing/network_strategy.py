"""Networks as a strategy of hold'em: asked board by board, with all hands of a board in one batch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.holdem.holdem_policy import PublicTreeLayout
from regretless.deep.playing.stored_networks import networks_of, played_arrays
from regretless.deep.pytorch import torch_device
from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.measuring.bucket_walker import NodeTables
from regretless.poker.results.board_strategy import BoardStrategy, board_size, holds_card
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.problem import Arrays, Which

if TYPE_CHECKING:
    from regretless.deep.games.sampled_holdem import SampledHoldem
    from regretless.poker.cards.deck import CardText
    from regretless.poker.games import PublicGame
    from regretless.poker.measuring.flops import FlopGame

__all__ = ["EveryHand", "NetworkStrategy"]

REMEMBERED = 64
"""Nodes on boards whose probabilities are cached."""
CACHE_LOCK = Lock()
"""Held while a cache is read or changed: threads share a strategy."""


class EveryHand:
    """The columns of tables in which every hand has its own."""

    def __init__(self, game: PublicGame) -> None:
        self.game = game
        self.count = len(game.deck.hands(game.hand_size))

    def sequences_on(self, board: CardText) -> npt.NDArray[np.int64]:
        """[hands] the number of each hand; −1 for hands that hold a card of the board."""
        return np.where(holds_card(self.game, self.game.deck.cards(board)), -1, np.arange(self.count))


class NetworkStrategy(BoardStrategy):
    """The strategy of a run's networks: `strategy.at("raise call", "Qs Jh 2h")["AsKh"]`."""

    tree: SampledHoldem
    source_name = "strategy of networks"

    def __init__(
        self, tree: SampledHoldem, arrays: Arrays, which: Which, device: str = "cpu", threshold: float = 0.0
    ) -> None:
        self.tree, self.which, self.threshold = tree, which, threshold
        self.arrays = played_arrays(tree.method, arrays, which)
        self.holdem = HoldemGame(tree.game, torch_device(device), strength=getattr(tree.method, "strength", False))
        self.players = [networks_of(self.holdem, tree.method, self.arrays, which, player) for player in range(2)]
        for networks in self.players:
            networks.threshold = threshold
        self._known: OrderedDict[tuple[int, tuple[int, ...]], npt.NDArray[np.float64]] = OrderedDict()

    def __reduce__(self) -> tuple[type[NetworkStrategy], tuple[SampledHoldem, Arrays, Which, str, float]]:
        """Copies and pickles hold weights and game; the networks, whose layers are views of weights, are made anew."""
        return NetworkStrategy, (self.tree, self.arrays, self.which, str(self.holdem.device), self.threshold)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NetworkStrategy):
            return NotImplemented
        return self.tree.fingerprint == other.tree.fingerprint and self.players == other.players

    __hash__ = None  # type: ignore[assignment]

    def on(self, device: str) -> NetworkStrategy:
        """The same strategy on a device of PyTorch."""
        if torch_device(device) == self.holdem.device:
            return self
        return NetworkStrategy(self.tree, self.arrays, self.which, device, self.threshold)

    def purify(self, threshold: float = 0.1) -> NetworkStrategy:
        """Drop actions that are taken with less than `threshold` and rescale the others; the likeliest always stays.

        The outputs of a network are never 0, also for actions that it has learned not to take. Thresholding: Ganzfried,
        Sandholm & Waugh 2012.
        """
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            raise OptionError(f"a threshold is a probability from 0 to 1, got {threshold}")
        count = max(len(networks.shares) for networks in self.players)
        if count > 1:
            raise OptionError(
                f"this strategy draws one of {count:,} networks before each play, and what it does in the mean has no "
                f"network of its own to purify: learn with averaging='strategy-network'"
            )
        return NetworkStrategy(self.tree, self.arrays, self.which, str(self.holdem.device), float(threshold))

    @cached_property
    def hands(self) -> torch.Tensor:
        """[hands, size] all hands of the deck."""
        hands = self.game.deck.hands(self.game.hand_size).astype(np.int64)
        return torch.from_numpy(hands).to(self.holdem.device)

    def infosets(self, hands: torch.Tensor, boards: torch.Tensor, streets: int) -> list[torch.Tensor]:
        """For each of the first streets [n, cards + 1]: what players see with hands [n, size] on boards [n, cards]."""
        return [self.holdem.encode(hands, boards, street) for street in range(streets)]

    def hand_probabilities(self, node: int, board: Sequence[int]) -> npt.NDArray[np.float64]:
        """[actions, hands] the probabilities of every hand of the deck at a node on a board of its street."""
        key = node, tuple(board)
        with CACHE_LOCK:
            found = self._known.get(key)
        if found is None:
            found = self._probabilities([node], self.hands, key[1])[0]  # without the lock: other threads need not wait
            with CACHE_LOCK:
                self._known[key] = found
                while len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
        return found

    def probabilities(self, node: int, hand: tuple[int, ...], board: tuple[int, ...]) -> Sequence[float]:
        """The probability of each action of one hand."""
        held = torch.tensor([sorted(hand)], dtype=torch.int64, device=self.holdem.device)
        return list(self._probabilities([node], held, tuple(board))[0][:, 0].tolist())

    def probabilities_on(self, nodes: Sequence[int], board: tuple[int, ...]) -> list[npt.NDArray[np.float64]]:
        """For each of some nodes of one street [actions, hands]; every network reads the cards once for all nodes."""
        return self._probabilities(nodes, self.hands, tuple(board))

    def _probabilities(
        self, nodes: Sequence[int], hands: torch.Tensor, board: tuple[int, ...]
    ) -> list[npt.NDArray[np.float64]]:
        """For each of some nodes of one street [actions, n] of some hands [n, size] on a board."""
        if not len(nodes):
            return []
        tree = self.betting_tree
        cards = torch.tensor(board, dtype=torch.int64, device=self.holdem.device).expand(len(hands), -1)
        known = self.infosets(hands, cards, int(tree.street[nodes[0]]) + 1)
        found: dict[int, torch.Tensor] = {}
        for player, networks in enumerate(self.players):
            own = [node for node in nodes if tree.kind[node] == player]
            if own:
                found |= dict(zip(own, networks.at(own, known), strict=True))
        return [found[node].double().cpu().numpy() for node in nodes]

    def tables_on_boards(self) -> Callable[[tuple[int, ...]], NodeTables]:
        """The probabilities of all hands at all nodes on a whole board, from one batch for each network."""
        game, tree = self.game, self.betting_tree
        columns, decides = EveryHand(game), tree.kind < DEAL
        size = np.where(decides, tree.children * columns.count, 0).astype(np.int64)
        first, known = np.cumsum(size) - size, np.full(tree.streets, columns.count, np.int64)
        mover = np.repeat(tree.kind[decides], tree.children[decides])  # [rows] of each action of all decisions
        rows = [torch.from_numpy(np.flatnonzero(mover == player)).to(self.holdem.device) for player in range(2)]

        def tables(board: tuple[int, ...]) -> NodeTables:
            streets = next(s for s in range(tree.streets) if board_size(game, s) == len(board)) + 1
            out = torch.zeros((len(mover), columns.count), device=self.holdem.device)
            cards = torch.tensor(board, dtype=torch.int64, device=self.holdem.device).expand(columns.count, -1)
            infosets = self.infosets(self.hands, cards, streets)
            for player, networks in enumerate(self.players):
                out[rows[player]] = networks.normalised(networks.plans(infosets), streets)
            return NodeTables(columns, first, known, out.cpu().numpy().ravel())

        return tables

    def flop_game(
        self, dtype: str, threads: int, device: str, values: bool = False, *, elsewhere: bool = False
    ) -> FlopGame:
        """The game cut into flops, walked by PyTorch with all hands of many boards at once."""
        from regretless.deep.playing.network_flops import NetworkFlops

        if elsewhere:
            raise OptionError("networks are measured on one machine: leave out workers=")
        return NetworkFlops(self.on(device), dtype, threads, device, values)

    @cached_property
    def public(self) -> PublicStrategy:
        """The same strategy hand by hand, where the game fits into memory that way."""
        tree = self.tree.public_tree
        layout, out = PublicTreeLayout(tree, self.holdem), torch.zeros(tree.numbers, device=self.holdem.device)
        for player, networks in enumerate(self.players):
            every = [classes.infosets for classes in layout.classes[player]]
            for share, decide in networks.each(every):
                layout.add_decided(out, player, decide, share)
        return PublicStrategy(tree, {"average": out.cpu().numpy()}, "average")

    def __repr__(self) -> str:
        count = max(len(networks.shares) for networks in self.players)
        return f"<NetworkStrategy of {self.tree.game.name}: {count:,} network{'s' * (count != 1)} for each player>"
