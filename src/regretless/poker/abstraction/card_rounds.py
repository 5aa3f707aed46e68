"""The cards of a game by street: the deck, the size of a hand, and the number of cards on the board of each street."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.cards.deck import Deck
from regretless.poker.cards.indexing import HandIndexer, rank_sets

if TYPE_CHECKING:
    from regretless.poker.games import PublicGame

__all__ = ["CardRounds", "IndexTables", "index_scratch", "index_tables"]

STREET_NAMES = {0: "preflop", 3: "flop", 4: "turn", 5: "river"}
"""Names of the streets of hold'em, by the number of cards on the board."""


@dataclass(frozen=True)
class CardRounds:
    """The deck, the cards of a hand, and the cards on the board of each street: (0, 3, 4, 5) in hold'em.

    The order in which board cards were dealt does not matter here: a turn has four cards, whichever came last.

    >>> from regretless.poker.cards.deck import STANDARD
    >>> [CardRounds(STANDARD, 2, (0, 3, 4, 5)).classes(street) for street in range(4)]
    [169, 1286792, 13960050, 123156254]
    """

    deck: Deck
    hand_size: int
    boards: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.hand_size not in (1, 2):
            raise OptionError(f"card abstractions are for hands of 1 or 2 cards, got {self.hand_size}")

    @classmethod
    def of(cls, game: PublicGame) -> CardRounds:
        """The cards of a game."""
        first = len(game.first_board)
        boards = (first, *(first + sum(game.board_cards[: n + 1]) for n in range(len(game.board_cards))))
        return cls(game.deck, game.hand_size, boards)

    @property
    def streets(self) -> int:
        """The number of streets."""
        return len(self.boards)

    def indexer(self, street: int) -> HandIndexer:
        """The indices of hands with an unordered board on a street, up to suits."""
        return HandIndexer(tuple(filter(None, (self.hand_size, self.boards[street]))), self.deck)

    def classes(self, street: int) -> int:
        """The number of hands on a street, up to suits."""
        return self.indexer(street).size()

    def canonical_boards(self, street: int) -> npt.NDArray[np.int64]:
        """[boards, cards] one board of a street for each kind up to suits."""
        cards = self.boards[street]
        if not cards:
            return np.empty((1, 0), np.int64)
        indexer = HandIndexer((cards,), self.deck)
        return indexer.unindex(np.arange(indexer.size()))

    def completions(self, street: int) -> int:
        """Ways to deal the rest of the board, for a given board."""
        return comb(self.deck.size - self.boards[street], self.boards[-1] - self.boards[street])

    def deals(self, street: int) -> int:
        """Deals of a hand and a board of a street."""
        cards = self.boards[street]
        return comb(self.deck.size, cards) * comb(self.deck.size - cards, self.hand_size)

    @property
    def opponents(self) -> int:
        """Hands that an opponent can hold at a showdown."""
        return comb(self.deck.size - self.hand_size - self.boards[-1], self.hand_size)

    def street_of(self, cards: int) -> int:
        """The street with this number of cards on the board."""
        if cards not in self.boards:
            right = " or ".join(map(str, self.boards))
            raise OptionError(f"a board of this abstraction has {right} cards, got {cards}")
        return self.boards.index(cards)

    def street_name(self, street: int) -> str:
        """The name of a street: "flop", or "street 1" where the number of cards is not that of hold'em."""
        if not isinstance(street, int | np.integer) or not 0 <= street < self.streets:
            raise OptionError(f"streets are numbered from 0 to {self.streets - 1}, got {street!r}")
        usual = self.hand_size == 2 and all(cards in STREET_NAMES for cards in self.boards)
        return STREET_NAMES[self.boards[street]] if usual else f"street {street}"

    def describe(self) -> str:
        """The cards in a phrase, for messages."""
        deck = f"{self.deck.size} cards ({self.deck.ranks} in {self.deck.suits})"
        return f"{deck}, hands of {self.hand_size}, boards of {', '.join(map(str, self.boards))}"

    def to_json(self) -> dict[str, Any]:
        """As values of JSON."""
        return {"deck": [self.deck.ranks, self.deck.suits], "hand_size": self.hand_size, "boards": list(self.boards)}


class IndexTables(NamedTuple):
    """What `kernels.cards.board_hands` reads for one street."""

    deck: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]  # rank and suit of each card [deck]
    key_of: npt.NDArray[np.int64]  # [rounds, suits]
    configurations: tuple[npt.NDArray[Any], ...]
    sets: tuple[npt.NDArray[Any], ...]  # numbers and sizes of sets of ranks [2^ranks]
    set_count: npt.NDArray[np.int64]  # [ranks + 1, cards + 1] the number of sets by ranks and size


@lru_cache(maxsize=32)
def index_tables(rounds: CardRounds, street: int) -> IndexTables:
    """The tables for the indices of all hands on a board of a street."""
    tables = rounds.indexer(street).tables(-1)
    ranks, suits = len(rounds.deck.ranks), len(rounds.deck.suits)
    card = np.arange(rounds.deck.size)
    most = max(rounds.boards) + 1
    set_count = np.array([[comb(n, k) for k in range(most)] for n in range(ranks + 1)], np.int64)
    key_of = np.zeros((2, suits), np.int64)
    key_of[: len(tables.key_of)] = tables.key_of
    return IndexTables(
        (card // suits, card % suits), key_of, tuple(tables.configurations[:6]), rank_sets(ranks)[:2], set_count
    )


def index_scratch(deck: Deck) -> tuple[npt.NDArray[np.int64], ...]:
    """Scratch arrays of `kernels.cards.board_hands`, for one thread."""
    ranks = len(deck.ranks)
    return (
        np.zeros((len(deck.suits), 1 + ranks + ranks * ranks), np.int64),
        np.zeros(4, np.int64),
        np.zeros(4, np.int64),
    )
