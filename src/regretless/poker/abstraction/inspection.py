"""What a bucket holds: its size, its strength, and examples of its hands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from regretless.errors import OptionError
from regretless.poker.abstraction.street_buckets import chunks
from regretless.poker.cards.deck import CardText
from regretless.poker.quoting import quoted

if TYPE_CHECKING:
    from regretless.poker.abstraction.abstraction import Abstraction

__all__ = ["BucketView", "describe_hand", "hands_of_bucket"]

EXAMPLES = 5
MOST_HANDS = 100_000
"""Hands of a bucket that are listed at most."""


class BucketView(NamedTuple):
    """The bucket of a hand."""

    street: str
    hand: str
    board: str
    bucket: int
    buckets: int
    """Buckets of the street; bucket 0 is the weakest."""
    hands: int
    """Hands in the bucket, up to suits."""
    share: float
    """The probability to be dealt a hand of the bucket on this street."""
    strength: float
    """The mean share of the pot at a showdown against any hand."""
    examples: tuple[tuple[str, str], ...]
    """Some other hands of the bucket, with their boards."""

    def __str__(self) -> str:
        on = f" on {self.board}" if self.board else ""
        hands = "1 hand" if self.hands == 1 else f"{self.hands:,} hands"
        text = (
            f"{self.hand}{on} ({self.street}): bucket {self.bucket:,} of {self.buckets:,}, {hands} up to suits, dealt "
            f"with probability {self.share:.3g}, mean strength {self.strength:.3f}"
        )
        if not self.examples:
            return text
        others = (f"{hand} on {board}" if board else hand for hand, board in self.examples)
        return f"{text}\nshared with {', '.join(others)}"


def describe_hand(abstraction: Abstraction, hand: CardText, board: CardText) -> BucketView:
    """The bucket of a hand, with examples of hands that share it."""
    deck, rounds = abstraction.rounds.deck, abstraction.rounds
    bucket = abstraction.bucket(hand, board)
    cards, table = deck.cards(hand), deck.cards(board)
    number = rounds.street_of(len(table))
    street = abstraction.street(number)
    own = rounds.indexer(number).index(np.array((*cards, *table), np.int64))
    return BucketView(
        street=rounds.street_name(number),
        hand=deck.names(cards),
        board=deck.names(table),
        bucket=bucket,
        buckets=street.count,
        hands=int(street.hands[bucket]),
        share=float(street.deals[bucket] / street.deals.sum()),
        strength=float(street.mean_strength[bucket]),
        examples=tuple(hands_of_bucket(abstraction, number, bucket, EXAMPLES, 0, leave_out=own)),
    )


def hands_of_bucket(
    abstraction: Abstraction, street: int, bucket: int, count: int, seed: int, leave_out: int = -1
) -> list[tuple[str, str]]:
    """Some hands of a bucket with their boards, in the order of their indices."""
    found = abstraction.street(street)
    if isinstance(bucket, bool) or not isinstance(bucket, int | np.integer) or not 0 <= bucket < found.count:
        name = abstraction.rounds.street_name(street)
        raise OptionError(f"the {name} has buckets from 0 to {found.count - 1}, got {quoted(bucket)}")
    if not isinstance(count, int) or not 1 <= count <= MOST_HANDS:
        raise OptionError(f"count is a number of hands from 1 to {MOST_HANDS:,}, got {quoted(count)}")
    members = np.concatenate(
        [part.start + np.flatnonzero(found.bucket_of[part] == bucket) for part in chunks(len(found.bucket_of))]
    )
    members = members[members != leave_out]
    if len(members) > count:
        members = np.sort(np.random.default_rng(seed).choice(members, count, replace=False))
    rounds, deck = abstraction.rounds, abstraction.rounds.deck
    cards = rounds.indexer(street).unindex(members)
    size = rounds.hand_size
    return [(deck.names(row[:size].tolist()), deck.names(row[size:].tolist())) for row in cards]
