"""How cards are written: one letter for the rank, one for the suit."""

from __future__ import annotations

__all__ = ["card_names", "rank_names"]


def rank_names(count: int) -> tuple[str, ...]:
    """The ranks of a deck from the lowest up; the top one is the king in short decks, the ace in a full one.

    >>> rank_names(3)
    ('J', 'Q', 'K')
    >>> rank_names(13)[-2:], rank_names(20)[-2:]
    (('K', 'A'), ('19', '20'))
    """
    if count <= 12:
        return tuple("23456789TJQK"[12 - count :])
    if count == 13:
        return tuple("23456789TJQKA")
    return tuple(str(rank) for rank in range(1, count + 1))


def card_names(ranks: int, suits: int) -> tuple[str, ...]:
    """The cards of a deck, rank by rank: card number `rank * suits + suit`.

    >>> card_names(3, 2)
    ('Js', 'Jh', 'Qs', 'Qh', 'Ks', 'Kh')
    """
    letters = "shdc" if suits <= 4 else "abcdefghijklmnopqrstuvwxyz"
    return tuple(rank + letters[suit] for rank in rank_names(ranks) for suit in range(suits))
