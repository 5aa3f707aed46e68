"""Kinds of boards: by suits, by ranks, by the highest card; and what a new card does to a board."""

from __future__ import annotations

from collections import Counter

from regretless.poker.cards.deck import RANKS, Deck
from regretless.poker.cards.hand_kinds import STRAIGHTS

__all__ = ["KINDS", "NEW_CARDS", "kinds_of", "new_card_kind"]

KINDS = {
    "suits": ("monotone", "two-tone", "rainbow"),
    "pairing": ("unpaired", "paired", "two pair", "trips", "full house", "quads"),
    "high": (),
}
"""The ways to group boards, and the names of the groups in their order; `high` has the order of ranks in the deck."""


def kinds_of(deck: Deck, cards: tuple[int, ...]) -> tuple[str, str, str]:
    """The groups of a board: by suits, by pairs, and by the highest rank.

    >>> from regretless.poker.cards.deck import STANDARD
    >>> kinds_of(STANDARD, STANDARD.cards("QsJhQh"))
    ('two-tone', 'paired', 'Q')
    """
    if not cards:
        return "no board", "no board", "no board"
    suits = max(Counter(deck.suit(card) for card in cards).values())
    ranks = sorted(Counter(deck.rank(card) for card in cards).values(), reverse=True)
    names = {1: "rainbow", 2: "two-tone", 3: "monotone"} if len(cards) == 3 else {1: "rainbow"}
    pairs = {(1,): "unpaired", (2,): "paired", (2, 2): "two pair", (3,): "trips", (3, 2): "full house", (4,): "quads"}
    matching = tuple(count for count in ranks if count > 1) or (1,)
    return (
        names.get(suits, f"{suits} of one suit"),
        pairs.get(matching, "unpaired"),
        deck.ranks[max(deck.rank(card) for card in cards)],
    )


NEW_CARDS = ("completes a flush", "pairs the board", "completes a straight", "overcard", "low card")
"""What a new card does to a board; the first that fits counts."""


def new_card_kind(deck: Deck, board: tuple[int, ...], card: int) -> str:
    """What a new card does to a board.

    It completes a flush if it is at least the third card of its suit. It completes a straight if some hand that had
    none has one now: with two, one or none of its own cards.

    >>> from regretless.poker.cards.deck import STANDARD
    >>> flop = STANDARD.cards("Qh 7h 2s")
    >>> [new_card_kind(STANDARD, flop, STANDARD.card(name)) for name in ("3h", "7c", "Jd", "Ac", "3c")]
    ['completes a flush', 'pairs the board', 'low card', 'overcard', 'low card']
    >>> new_card_kind(STANDARD, STANDARD.cards("Qs Jh Td"), STANDARD.card("Kc"))
    'completes a straight'
    """
    ranks = [RANKS.index(deck.ranks[deck.rank(shown)]) for shown in (*board, card)]
    suit = sum(deck.suit(shown) == deck.suit(card) for shown in board)
    if suit >= 2:
        return NEW_CARDS[0]
    if ranks[-1] in ranks[:-1]:
        return NEW_CARDS[1]
    before, after = (sum(1 << rank for rank in set(part)) for part in (ranks[:-1], ranks))
    if any(_is_new(straight, before, after) for straight in STRAIGHTS):
        return NEW_CARDS[2]
    return NEW_CARDS[3] if ranks[-1] > max(ranks[:-1]) else NEW_CARDS[4]


def _is_new(straight: int, before: int, after: int) -> bool:
    """Whether the two ranks that a straight needs, or fewer, make no straight with the ranks of the board before."""
    own = straight & ~after
    return own.bit_count() <= 2 and not any((before | own) & other == other for other in STRAIGHTS)
