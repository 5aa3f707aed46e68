"""What a two-card hand is on a board, as players say it: set, top pair, flush draw, …

A hand has one made kind and any number of draws. The made kind is that of the best five cards, with these rules:

- A *set* is a pocket pair with a card of the board, *trips* are one own card with a pair of the board.
- *Two pair* means that both own cards pair the board. On a paired board, a hand that adds one pair is named by it.
- What the board holds alone counts for all hands from straights on, and is left out below: on QQ7, AK is *ace high*.

Draws exist on the flop and on the turn, for hands below a straight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.cards.deck import RANKS, CardText, Deck
from regretless.poker.cards.evaluator import CATEGORIES, strengths, tables_for

__all__ = ["DRAWS", "MADE", "HandKinds", "hand_kinds", "straight_ranks"]

MADE = (
    "straight flush",
    "four of a kind",
    "full house",
    "flush",
    "straight",
    "set",
    "trips",
    "two pair",
    "overpair",
    "top pair",
    "pocket pair below top card",
    "second pair",
    "low pair",
    "ace high",
    "king high",
    "no pair",
)
"""Made kinds, the strongest first."""

DRAWS = ("flush draw", "open-ended straight draw", "gutshot", "backdoor flush draw", "two overcards")
"""Draws. An open-ended draw has two or more ranks that complete a straight, a gutshot has one."""

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

STRAIGHTS = tuple(sum(1 << (first + step) % 13 for step in range(5)) for first in (12, *range(9)))
"""The ten straights as sets of ranks; the first is 5432A."""

BITS = np.array([ranks.bit_count() for ranks in range(1 << 13)])  # [8192] the number of ranks in a set


@dataclass(frozen=True, eq=False)
class HandKinds:
    """The kinds of some hands on a board."""

    made: Ints  # [hands] position in MADE
    draws: Bools  # [hands, DRAWS]

    def having(self, kind: str) -> Bools:
        """[hands] whether a hand is of a made kind or has a draw."""
        if kind in MADE:
            return np.asarray(self.made == MADE.index(kind))
        if kind in DRAWS:
            return np.asarray(self.draws[:, DRAWS.index(kind)])
        raise OptionError(f"there is no kind of hand {kind[:40]!r}: {', '.join((*MADE, *DRAWS))}")


def hand_kinds(deck: Deck, board: CardText, hands: npt.ArrayLike) -> HandKinds:
    """The kinds of two-card hands [hands, 2] on a board of three to five cards; no hand holds a card of the board.

    >>> from regretless.poker.cards.deck import STANDARD
    >>> kinds = hand_kinds(STANDARD, "Qh 7h 2s", [STANDARD.cards(name) for name in ("QdKd", "7c7d", "AhKh", "JcTd")])
    >>> [MADE[made] for made in kinds.made]
    ['top pair', 'set', 'ace high', 'no pair']
    >>> [[name for name, has in zip(DRAWS, row) if has] for row in kinds.draws]
    [[], [], ['flush draw', 'two overcards'], []]
    """
    shared, held = np.array(deck.cards(board), np.int64), np.asarray(hands, np.int64).reshape(-1, 2)
    if not 3 <= len(shared) <= 5:
        raise OptionError(f"hands have a kind on boards of 3 to 5 cards, got {len(shared)}")
    best = strengths(deck, shared.tolist(), held)
    if np.any(best < 0):
        raise OptionError("a hand holds a card of the board, or the same card twice")
    rank_of = np.array([RANKS.index(rank) for rank in deck.ranks])
    ranks, suits = np.divmod(held, len(deck.suits))
    board_ranks, board_suits = np.divmod(shared, len(deck.suits))
    ranks, board_ranks = rank_of[ranks], rank_of[board_ranks]
    made = _made(best, len(shared) + 2, ranks, board_ranks)
    draws = np.zeros((len(held), len(DRAWS)), np.bool_)
    if len(shared) < 5:
        draws = _draws(made, ranks, suits, board_ranks, board_suits)
    return HandKinds(made, draws)


def _made(best: npt.NDArray[np.int32], cards: int, ranks: Ints, board: Ints) -> Ints:
    """[hands] the made kind: by category from straights on, below by how the own cards pair the board."""
    category = np.searchsorted(tables_for(cards).first, best, side="right") - 1
    counts = np.bincount(board, minlength=13)
    pocket, high = ranks[:, 0] == ranks[:, 1], ranks.max(axis=1)
    matches = counts[ranks]  # [hands, 2] cards of the board with the rank of each own card
    distinct = np.unique(board)[::-1]
    paired = np.where(matches > 0, ranks, -1).max(axis=1)  # [hands] the highest rank that pairs the board
    made = np.select([high == 12, high == 11], [MADE.index("ace high"), MADE.index("king high")], MADE.index("no pair"))
    one_pair = np.select(
        [paired == distinct[0], paired == (distinct[1] if len(distinct) > 1 else -2)],
        [MADE.index("top pair"), MADE.index("second pair")],
        MADE.index("low pair"),
    )
    made = np.where(paired >= 0, one_pair, made)
    own_pair = np.where(high > distinct[0], MADE.index("overpair"), MADE.index("pocket pair below top card"))
    made = np.where(pocket & (paired < 0), own_pair, made)
    made = np.where(~pocket & (matches > 0).all(axis=1), MADE.index("two pair"), made)
    made = np.where(~pocket & (matches == 2).any(axis=1), MADE.index("trips"), made)
    made = np.where(pocket & (matches[:, 0] > 0), MADE.index("set"), made)
    for name in ("straight", "flush", "full house", "four of a kind", "straight flush"):
        made = np.where(category == CATEGORIES.index(name), MADE.index(name), made)
    return made.astype(np.int64)


def _draws(made: Ints, ranks: Ints, suits: Ints, board_ranks: Ints, board_suits: Ints) -> Bools:
    """[hands, DRAWS] the draws of hands below a straight."""
    own_suits = np.stack([(suits == suit).sum(axis=1) for suit in range(4)], axis=1)  # [hands, suits]
    total = own_suits + np.bincount(board_suits, minlength=4)
    flush = ((total == 4) & (own_suits > 0)).any(axis=1)
    backdoor = ((total == 3) & (own_suits > 0)).any(axis=1) & ~flush if len(board_ranks) == 3 else np.zeros_like(flush)
    outs = straight_ranks(ranks, board_ranks)
    over = (ranks > board_ranks.max()).all(axis=1) & (ranks[:, 0] != ranks[:, 1])
    found = np.stack([flush, outs >= 2, outs == 1, backdoor, over], axis=1)
    return np.asarray(found & (made > MADE.index("straight"))[:, None])


def straight_ranks(ranks: Ints, board: Ints) -> Ints:
    """[hands] the ranks that would complete a straight with at least one own card."""
    held = np.bitwise_or.reduce(1 << ranks, axis=1)
    shared = int(np.bitwise_or.reduce(1 << board))
    missing = np.zeros(len(ranks), np.int64)
    for straight in STRAIGHTS:
        have = (held | shared) & straight
        own = held & straight & ~shared
        missing |= np.where((BITS[have] == 4) & (own != 0), straight & ~have, 0)
    return np.asarray(BITS[missing])
