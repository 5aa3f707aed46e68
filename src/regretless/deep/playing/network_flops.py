"""Best responses to networks on hold'em, flop by flop, by PyTorch on the CPU or on a GPU.

The plans of both players on a batch of whole boards come first: each network is read once for all hands and nodes of a
board. Best responses of both players are then computed from the last street up. Boards that differ by suits only are
walked once; what they are worth to the other hands follows by permuting suits, because networks see hands in their
canonical form.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.playing.street_values import StreetValues
from regretless.deep.pytorch import torch_threads
from regretless.linter.memory import available_memory
from regretless.poker.cards.evaluator import strengths
from regretless.poker.measuring.flops import Flop, FlopGame, FlopValues
from regretless.poker.results.board_strategy import holds_card

if TYPE_CHECKING:
    from regretless.deep.playing.network_strategy import NetworkStrategy

__all__ = ["NetworkFlops"]

Array = npt.NDArray[Any]

MOST_BYTES = 1 << 30
"""Bytes of one batch of boards on the CPU; on a GPU a quarter of what is free."""


class NetworkFlops(FlopGame):
    """A game cut after its first street, and the networks of both players."""

    by_tables = False

    def __init__(self, strategy: NetworkStrategy, dtype: str, threads: int, device: str, values: bool) -> None:
        self.strategy, self.holdem = strategy, strategy.holdem
        tables = strategy.tables_on_boards()(strategy.game.first_board)
        super().__init__(strategy.game, (tables, tables), dtype, threads, device, values)
        tree = self.holdem.tree
        self.streets = [StreetValues(self.holdem, street, strategy.players) for street in range(1, tree.streets)]
        hands = self.game.deck.hands(self.game.hand_size).astype(np.int64)
        self.permuted = self.symmetry.sets(self.game.hand_size)  # [permutations, hands] codes of moved hands
        self.all_hands = hands

    @property
    def identity(self) -> bytes:
        """What a file of measured flops is told apart by: all weights of the networks with their shares, and the
        threshold of purified ones."""
        parts = [part for player in self.strategy.players for part in (player.weights, player.shares)]
        threshold = [np.array([self.strategy.threshold])] if self.strategy.threshold else []
        return b"".join(np.ascontiguousarray(part).tobytes() for part in (*parts, *threshold))

    def values(self, flop: Flop) -> FlopValues:
        """What each player gets on each line if this flop comes."""
        began = perf_counter()
        self.hand = np.flatnonzero(~holds_card(self.game, flop.cards))  # numbers of the hands that fit the flop
        place = np.full(len(self.all_hands), -1)
        place[self.hand] = np.arange(len(self.hand))
        self.moves = place[self._moved_hands()[:, self.hand]]  # [permutations, hands that fit]; −1 if it does not
        self.cards_of = torch.from_numpy(self.all_hands[self.hand]).to(self.holdem.device)
        with torch.no_grad(), torch_threads(self.threads):
            kept = self._keeping(flop.cards)
            found = self._street(0, np.array([flop.cards]), [kept])[0].double().cpu().numpy()
        return FlopValues(self.class_means(found, self.hand), perf_counter() - began)

    def _moved_hands(self) -> Array:
        """[permutations, hands] the number of each hand after a permutation of suits."""
        codes = self.symmetry.codes(self.all_hands)
        order = np.argsort(codes)
        moved = np.sort(self.symmetry.cards[:, self.all_hands], axis=-1)
        return np.stack([order[np.searchsorted(codes[order], self.symmetry.codes(each))] for each in moved])

    def _keeping(self, board: tuple[int, ...]) -> Array:
        """The permutations of suits that keep a board, street by street."""
        kept, cards = self.kept, self.symmetry.cards
        sizes = np.cumsum([len(self.game.first_board), *self.game.board_cards])
        for begin, end in zip([0, *sizes[:-1]], sizes, strict=True):
            part = board[begin:end]
            if part:
                kept = np.array([p for p in kept if set(cards[p][list(part)].tolist()) == set(part)])
        return kept

    def _street(self, number: int, boards: Array, kept: list[Array]) -> torch.Tensor:
        """[B, kinds, 2, lines, hands] values where the lines of a street begin, on boards [B, cards]."""
        street, batch = self.streets[number], self._batch(number)
        found = []
        for begin in range(0, len(boards), batch):
            some = boards[begin : begin + batch]
            below = None
            if number + 1 < len(self.streets):
                pairs = zip(some, kept[begin : begin + batch], strict=True)
                below = torch.stack([self._dealt(number, board, keeping) for board, keeping in pairs])
            found.append(self._walked(street, some, below))
        return torch.cat(found)

    def _walked(self, street: StreetValues, boards: Array, below: torch.Tensor | None) -> torch.Tensor:
        """The values of a street on some boards, from those of the next street."""
        device, count, hands = self.holdem.device, len(boards), len(self.hand)
        cards = torch.from_numpy(boards).to(device)
        repeated = cards.repeat_interleave(hands, dim=0)
        infosets = self.strategy.infosets(self.cards_of.repeat(count, 1), repeated, street.number + 1)
        plans = [player.plans(infosets).view(-1, count, hands) for player in self.strategy.players]
        fits = ~(self.cards_of[None, :, :, None] == cards[:, None, None, :]).any(-1).any(-1)  # [B, H]
        strength = None
        if street.shown:
            found = [strengths(self.game.deck, tuple(board), self.all_hands[self.hand]) for board in boards.tolist()]
            strength = torch.from_numpy(np.stack(found)).to(device)
        return street.values(plans, fits.float(), strength, self.cards_of, below, self.kinds)

    def _dealt(self, number: int, board: Array, kept: Array) -> torch.Tensor:
        """[kinds, 2, lines, hands] values where the next cards are dealt on a board: the mean over all of them."""
        game = self.game
        size = game.board_cards[number + 1]
        deals = self.symmetry.deals(tuple(board.tolist()), kept, size)
        boards = np.array([[*board.tolist(), *cards] for cards, _, _ in deals])
        values = self._street(number + 1, boards, [below for _, _, below in deals])
        total = torch.zeros_like(values[0])
        for one, (_, _, below) in zip(values, deals, strict=True):
            for permutation in kept:
                source = torch.from_numpy(self.moves[permutation]).to(values.device)
                moved = torch.where(source >= 0, one[..., source.clamp(min=0)], 0.0)
                total += moved / len(below)
        left = game.deck.size - len(board) - 2 * game.hand_size
        ways = 1.0
        for k in range(size):
            ways = ways * (left - k) / (k + 1)
        return total / ways

    def _batch(self, number: int) -> int:
        """Boards of a batch."""
        device, street = self.holdem.device, self.streets[number]
        free = torch.cuda.mem_get_info(device)[0] // 4 if device.type == "cuda" else MOST_BYTES
        if device.type != "cuda":
            free = min(free, (available_memory() or free) // 2)
        rows = sum(player.rows for player in self.strategy.players) + 3 * len(street.nodes) + 3 * len(street.ends)
        return max(1, int(free // (4 * len(self.hand) * max(rows, len(self.hand)))))
