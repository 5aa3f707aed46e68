"""Boards and hands that differ by suits only: merged or not, every number is the same; and how many kinds there are."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb
from typing import Any

import numpy as np
import pytest
from expanded import calm_learner

import regretless as rg
from conftest import INTERPRETED
from regretless.poker import Deck, Limit, NoLimit, PublicGame, Range
from regretless.poker.tree.public_tree import PublicTree

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")

SHORT = Deck("9TJQKA", "shdc")
"""24 cards: small enough to deal every board in every suit."""

FLOPS = {
    "monotone": "As Qs 9s",
    "paired": "Ah Ad 9s",
    "rainbow": "As Qd 9h",
    "two-tone": "As Qs 9h",
    "trips": "As Ah Ad",
}
SYMMETRIC = ("AA,KK,AK,QJs,T9s:0.5", "QQ,JJ,AQ,KJo:0.75,AKs")
ASYMMETRIC = ("AA,KK,AhKh,QdJd:0.25,Th9h", "QQ,JJ,AcQc,KJo:0.75,KhJh:0.5")
"""Ranges that tell hearts from diamonds from clubs: there is nothing to merge but what they leave alike."""


def public_game(board: str, dealt: tuple[int, ...], ranges: tuple[str, str], isomorphism: bool) -> PublicGame:
    betting: Any = Limit(streets=2, bets=(10, 20), caps=1, blinds=(0, 0), pot=30)
    if len(dealt) == 0:
        betting = NoLimit(pot=30, stack=45, streets=1, sizes="bet 50% 120%, raise all-in")
    if len(dealt) == 2:
        betting = Limit(streets=3, bets=(10, 20, 20), caps=(1, 0, 1), blinds=(0, 0), pot=30)
    chosen = (Range.parse(ranges[0], SHORT), Range.parse(ranges[1], SHORT))
    return PublicGame(SHORT, 2, dealt, betting, board, chosen, isomorphism=isomorphism)


CASES = [
    *((to_come, suits, ranges) for to_come in (0, 1) for suits in FLOPS for ranges in (SYMMETRIC, ASYMMETRIC)),
    *((2, suits, SYMMETRIC) for suits in ("monotone", "two-tone")),
]


@pytest.mark.parametrize(("to_come", "suits", "ranges"), CASES)
def test_on_and_off_agree(to_come: int, suits: str, ranges: tuple[str, str]) -> None:
    """Values and exploitability through several iterations: on the river, and with one or two cards to come."""
    board = FLOPS[suits] + ("" if to_come else " Kd Tc")
    games = [public_game(board, (1,) * to_come, ranges, merged) for merged in (True, False)]
    one, other = (calm_learner(game, rg.CFR_PLUS) for game in games)
    assert one.public.numbers <= other.public.numbers
    for _ in range(3 if to_come == 2 else 6):
        for learner in (one, other):
            learner.advance(1)
        found, expected = one.measure(), other.measure()
        for name in ("value", "nash_conv", "value_least", "value_most"):
            assert found[name] == pytest.approx(expected[name], abs=1e-9)


@pytest.mark.parametrize(
    ("suits", "ranges", "boards"),
    [
        # The turn card of 21: where two suits are alike, one stands for both; ranks that are blocked count once less.
        ("monotone", SYMMETRIC, 3 + 6),
        ("two-tone", SYMMETRIC, 4 + 5 + 6),
        ("rainbow", SYMMETRIC, 21),
        ("trips", SYMMETRIC, 5 + 6),
        ("monotone", ASYMMETRIC, 21),
        ("two-tone", ASYMMETRIC, 21),
    ],
)
def test_merged_boards(suits: str, ranges: tuple[str, str], boards: int) -> None:
    tree = public_game(FLOPS[suits], (1,), ranges, True).public_tree()
    assert tree.boards == 1 + boards


def test_nothing_is_merged_that_the_ranges_tell_apart() -> None:
    """One hand in one range weighs more in hearts than in diamonds: hearts and diamonds are no longer alike."""
    plain = public_game(FLOPS["monotone"], (1,), SYMMETRIC, True)
    heavy = Range.parse(SYMMETRIC[0] + ",KhKd:0.5", SHORT)  # KK in all suits, but this pair half as often
    game = PublicGame(SHORT, 2, (1,), plain.betting, plain.board, (heavy, plain.ranges[1]))
    whole, tree = plain.public_tree(), game.public_tree()
    assert (len(whole.book.kept[0]), len(tree.book.kept[0])) == (6, 2)  # h, d, c alike; then only h and d
    assert tree.boards == 1 + 3 + 6 + 6


def test_flop_holdem_counts() -> None:
    """1,755 flops and 1,286,792 classes of hand and flop, as everybody counts them."""
    tree = rg.poker.FlopHoldem().public_tree()
    assert tree.boards == 1 + 1_755
    assert tree.book.arrays.count[0, 0] == tree.book.arrays.count[1, 0] == 169
    assert tree.book.arrays.count[0, 1:].sum() == 1_286_792
    assert tree.book.deals[1:].sum() == comb(52, 3)
    assert (tree.infosets, tree.infoset_actions) == (90_076_792, 234_199_693)
    check_chance(tree)


def orbits(deck: Deck, hand_size: int, board_size: int) -> tuple[int, int]:
    """Kinds of boards, and of hands with a board, by listing them all."""
    suits = len(deck.suits)
    moves = [
        [card // suits * suits + order[card % suits] for card in range(deck.size)]
        for order in permutations(range(suits))
    ]
    boards, pairs = set(), set()
    for board in combinations(range(deck.size), board_size):
        boards.add(min(tuple(sorted(move[card] for card in board)) for move in moves))
        left = [card for card in range(deck.size) if card not in board]
        for hand in combinations(left, hand_size):
            pairs.add(
                min((tuple(sorted(move[c] for c in board)), tuple(sorted(move[c] for c in hand))) for move in moves)
            )
    return len(boards), len(pairs)


@pytest.mark.parametrize(
    ("deck", "hand_size", "board_size"),
    [(Deck("JQKA", "shd"), 2, 2), (Deck("QKA", "shdc"), 2, 3), (Deck("TJQKA", "sh"), 3, 2), (Deck("JQK", "sh"), 1, 1)],
)
def test_counts_by_listing(deck: Deck, hand_size: int, board_size: int) -> None:
    betting = Limit(bets=2, caps=1, blinds=(0, 0), ante=1)
    tree = PublicGame(deck, hand_size, (board_size,), betting).public_tree()
    boards, pairs = orbits(deck, hand_size, board_size)
    assert tree.boards == 1 + boards and tree.book.arrays.count[0, 1:].sum() == pairs
    check_chance(tree)


@pytest.mark.parametrize(
    "game",
    [
        public_game(FLOPS["two-tone"], (1, 1), SYMMETRIC, True),
        public_game(FLOPS["paired"], (1, 1), ASYMMETRIC, True),
        PublicGame(Deck("TJQKA", "sh"), 3, (1, 1), Limit(streets=3, bets=2, caps=1, blinds=(0, 0), ante=1)),
    ],
    ids=["two-tone flop", "paired flop", "hands of three"],
)
def test_chance_sums_to_one(game: PublicGame) -> None:
    check_chance(game.public_tree())


def check_chance(tree: PublicTree) -> None:
    """What rises from the boards of the next street to a class: each deal that misses the class, by its probability.

    Given both hands, chance is one over the number of deals that touch neither. A walk only knows one's own hand and
    adds up deals that miss it; the other hand's card removal is in the reach. So the sum is the quotient of the two.
    """
    arrays, game = tree.book.arrays, tree.game
    for board in range(int(arrays.street_boards[-2])):
        children = slice(int(arrays.child_first[board]), int(arrays.child_first[board + 1]))
        left = game.deck.size - len(tree.book.cards[board])
        dealt = len(tree.book.cards[children.start]) - len(tree.book.cards[board])
        expected = comb(left - game.hand_size, dealt) / comb(left - 2 * game.hand_size, dealt)
        for player in range(2):
            risen = np.zeros(arrays.count[player, board])
            for child in range(children.start, children.stop):
                own = slice(arrays.begin[player, child], arrays.begin[player, child] + arrays.count[player, child])
                np.add.at(risen, arrays.above[own], arrays.rise[own])
            assert np.abs(risen - expected).max() < 1e-12
