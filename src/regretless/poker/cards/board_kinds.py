"""Kinds of boards: by suits, by ranks, by the highest card."""

from __future__ import annotations

from collections import Counter

from regretless.poker.cards.deck import Deck

__all__ = ["KINDS", "kinds_of"]

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
