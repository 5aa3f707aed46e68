"""The result of a build: on each street a map from hands, up to suits, to buckets."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.cards.board_hands import hand_buckets
from regretless.poker.abstraction.card_rounds import CardRounds, index_scratch, index_tables
from regretless.poker.abstraction.street_buckets import StreetBuckets, chunks
from regretless.poker.betting.tree_building import count_actions, count_decisions, counted_situations
from regretless.poker.cards.deck import CardText

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regretless.poker.abstraction.inspection import BucketView
    from regretless.poker.games import PublicGame

__all__ = ["Abstraction"]


@dataclass(frozen=True, eq=False, repr=False)
class Abstraction:
    """Buckets of hands for each street of a game, from `abstract` or from a file.

    The order in which board cards were dealt does not matter: a turn is four cards. With imperfect recall a player
    knows the bucket of the current street alone. With perfect recall a player also knows the buckets of the streets
    before, so an infoset belongs to a sequence of buckets; `sequences_on` numbers these sequences. The maps are the
    same in both cases.
    """

    rounds: CardRounds
    streets: tuple[StreetBuckets, ...]
    recall: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Seed, sample and numbers of buckets that were asked for."""
    source: str | None = None
    """The file that it was read from."""

    @property
    def counts(self) -> tuple[int, ...]:
        """Buckets of each street."""
        return tuple(street.count for street in self.streets)

    @property
    def features(self) -> tuple[str, ...]:
        """The features by which the hands of each street were compared."""
        return tuple(street.feature for street in self.streets)

    @property
    def name(self) -> str:
        """The numbers of buckets, "169-200-200-200"."""
        return "-".join(map(str, self.counts))

    @property
    def sequence_counts(self) -> tuple[int, ...]:
        """What a player can know about the own hand on each street: buckets, or with perfect recall their sequences."""
        return tuple(accumulate(self.counts, mul)) if self.recall == "perfect" else self.counts

    def infosets(self, game: PublicGame) -> int:
        """Infosets of both players in the abstract game."""
        self.check_game(game)
        decisions = count_decisions(counted_situations(game.betting)[0], game.betting.streets)
        return sum(n * known for n, known in zip(decisions, self.sequence_counts, strict=True))

    def infoset_actions(self, game: PublicGame) -> int:
        """Probabilities of a strategy of the abstract game."""
        self.check_game(game)
        actions = count_actions(counted_situations(game.betting)[0], game.betting.streets)
        return sum(sum(n) * known for *n, known in zip(*actions, self.sequence_counts, strict=True))

    def check_game(self, game: PublicGame) -> None:
        """Refuse a game with other cards."""
        rounds = CardRounds.of(game)
        if rounds != self.rounds:
            raise OptionError(f"the abstraction is for {self.rounds.describe()}; the game has {rounds.describe()}")

    # -- look-ups ------------------------------------------------------------------------------------------------------

    def bucket(self, hand: CardText, board: CardText = ()) -> int:
        """The bucket of a hand on a board; the number of board cards says which street."""
        cards = self.rounds.deck.cards(hand, count=self.rounds.hand_size)
        table = self.rounds.deck.cards(board)
        street = self.rounds.street_of(len(table))
        self.rounds.deck.cards((*cards, *table))
        index = self.rounds.indexer(street).index(np.array((*cards, *table), np.int64))
        return int(self.street(street).bucket_of[index])

    def buckets_on(self, board: CardText = ()) -> npt.NDArray[np.int32]:
        """[hands] the bucket of every hand on a board, in the order of `deck.hands`; −1 where it holds a board card."""
        cards = np.array(self.rounds.deck.cards(board), np.int64)
        street = self.rounds.street_of(len(cards))
        found = np.empty(len(self.hand_table), np.int32)
        tables, bucket_of = index_tables(self.rounds, street), self.street(street).bucket_of
        hand_buckets(cards, self.hand_table, tuple(tables), index_scratch(self.rounds.deck), bucket_of, found)
        return found

    def sequences_on(self, board: CardText = ()) -> npt.NDArray[np.int64]:
        """[hands] what a player knows with every hand: its bucket, or with perfect recall its sequence of buckets.

        The board cards are in the order in which they were dealt. A sequence b₀, b₁, … has the number
        (b₀ · n₁ + b₁) · n₂ + …, with n the numbers of buckets; −1 where a hand holds a board card.
        """
        cards = self.rounds.deck.cards(board)
        street = self.rounds.street_of(len(cards))
        if self.recall != "perfect":
            return self.buckets_on(cards).astype(np.int64)
        number = np.zeros(len(self.hand_table), np.int64)
        for before in range(street + 1):
            here = self.buckets_on(cards[: self.rounds.boards[before]])
            number = np.where((here < 0) | (number < 0), -1, number * self.counts[before] + here)
        return number

    @cached_property
    def hand_table(self) -> npt.NDArray[np.uint8]:
        """[hands, cards] the hands of the deck."""
        return self.rounds.deck.hands(self.rounds.hand_size).astype(np.uint8)

    def street(self, street: int) -> StreetBuckets:
        """The buckets of a street, whose map has been checked if it comes from a file."""
        self.rounds.street_name(street)
        found = self.streets[street]
        found.check()
        return found

    def sizes(self, street: int) -> npt.NDArray[np.int64]:
        """[buckets] the number of hands in each bucket of a street, up to suits."""
        return self.street(street).hands

    def strengths(self, street: int) -> npt.NDArray[np.float64]:
        """[buckets] the mean strength of each bucket: the share of the pot at a showdown against any hand."""
        return self.street(street).mean_strength

    # -- inspection ----------------------------------------------------------------------------------------------------

    def describe(self, hand: CardText, board: CardText = ()) -> BucketView:
        """The bucket of a hand: number, size, strength, and hands that share it."""
        from regretless.poker.abstraction.inspection import describe_hand

        return describe_hand(self, hand, board)

    def hands(self, street: int, bucket: int, count: int = 10, seed: int = 0) -> list[tuple[str, str]]:
        """Some hands of a bucket with their boards, drawn at random; all of them if there are at most `count`."""
        from regretless.poker.abstraction.inspection import hands_of_bucket

        return hands_of_bucket(self, street, bucket, count, seed)

    def plot(self, street: int, path: str | os.PathLike[str] | None = None) -> Figure:
        """A picture of a street: how often each bucket is dealt, its strength, and histograms of some buckets."""
        from regretless.poker.abstraction.pictures import street_picture

        return street_picture(self, street, path)

    # -- identity and files --------------------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the cards, the recall and all maps: equal for abstractions that merge the same hands."""
        digest = hashlib.sha256(json.dumps([self.rounds.to_json(), self.recall]).encode())
        for street in self.streets:
            street.check()
            for part in chunks(len(street.bucket_of)):
                digest.update(np.ascontiguousarray(street.bucket_of[part], np.uint32).tobytes())
        return digest.hexdigest()[:32]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file that `rg.poker.load_abstraction` opens; a folder that does not exist is created."""
        from regretless.poker.abstraction.abstraction_files import save_abstraction

        save_abstraction(self, path)

    def verify(self) -> None:
        """Compare the maps of all streets with their checksums; FileError if a file is damaged."""
        for street in self.streets:
            street.check()

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for street in self.streets for array in street.arrays.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Abstraction) and (self is other or self.fingerprint == other.fingerprint)

    def __hash__(self) -> int:
        return hash((self.rounds, self.counts, self.recall))

    def __repr__(self) -> str:
        return f"<Abstraction {self.name}, {self.recall} recall: {self.rounds.describe()}>"
