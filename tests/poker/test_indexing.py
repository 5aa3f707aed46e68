"""Numbers of hands up to suits: how many there are is published, and small decks are listed in full."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import INTERPRETED
from regretless.errors import OptionError
from regretless.poker.cards.deck import STANDARD, Deck
from regretless.poker.cards.indexing import HandIndexer

HOLDEM = HandIndexer((2, 3, 1, 1))
SMALL = [
    ((1, 1), Deck("JQK", "sh")),
    ((2, 3), Deck("QKA", "cdh")),
    ((2, 1, 1), Deck("TJQK", "cd")),
    ((2, 2), Deck("JQK", "cdhs")),
    ((4,), Deck("QKA", "cdhs")),
    ((1, 2), Deck("9TJQK", "s")),
]


def test_published_counts() -> None:
    """Waugh 2013 and its published program; the number of flops up to suits is folklore."""
    assert [HOLDEM.size(street) for street in range(4)] == [169, 1_286_792, 55_190_538, 2_428_287_420]
    assert HOLDEM.size() == HOLDEM.size(-1) == HOLDEM.size(3)
    assert HandIndexer((3,)).size() == 1_755
    assert HandIndexer((5,)).size() == 134_459
    assert HandIndexer((2, 4)).size() == 13_960_050
    assert HandIndexer((2, 5)).size() == 123_156_254


def suit_permutations(deck: Deck) -> list[np.ndarray]:
    """[deck] where each permutation of suits takes each card."""
    ranks, suits = np.divmod(np.arange(deck.size), len(deck.suits))
    return [ranks * len(deck.suits) + np.array(p)[suits] for p in permutations(range(len(deck.suits)))]


def all_deals(deck: Deck, cards_per_round: tuple[int, ...]) -> np.ndarray:
    """[deals, cards] all ways to deal the rounds, ascending within each."""
    deals: list[tuple[int, ...]] = [()]
    for cards in cards_per_round:
        deals = [d + c for d in deals for c in combinations([x for x in range(deck.size) if x not in d], cards)]
    return np.array(deals)


@pytest.mark.parametrize(("rounds", "deck"), SMALL, ids=str)
def test_small_decks_listed_in_full(rounds: tuple[int, ...], deck: Deck) -> None:
    """Two deals have one number if and only if a permutation of suits takes one to the other."""
    indexer = HandIndexer(rounds, deck)
    deals = all_deals(deck, rounds)
    found = indexer.index(deals)
    bounds = np.cumsum((0, *rounds))
    kinds: dict[tuple[int, ...], int] = {}
    for deal, number in zip(deals, found.tolist(), strict=True):
        images = (moved[deal] for moved in suit_permutations(deck))
        parts = ([sorted(image[a:b]) for a, b in pairwise(bounds)] for image in images)
        lowest = min(tuple(int(card) for part in image for card in part) for image in parts)
        assert kinds.setdefault(lowest, number) == number
    assert sorted(kinds.values()) == list(range(indexer.size()))


@pytest.mark.parametrize(("rounds", "deck"), SMALL, ids=str)
def test_every_number_has_a_hand(rounds: tuple[int, ...], deck: Deck) -> None:
    indexer = HandIndexer(rounds, deck)
    for street in range(len(rounds)):
        numbers = np.arange(indexer.size(street))
        assert (indexer.index(indexer.unindex(numbers, street)) == numbers).all()


@pytest.mark.skipif(INTERPRETED, reason="more than a million hands")
def test_every_number_has_a_hand_on_the_flop() -> None:
    for street in (0, 1):
        numbers = np.arange(HOLDEM.size(street))
        cards = HOLDEM.unindex(numbers, street)
        assert (HOLDEM.index(cards) == numbers).all()
        assert (np.diff(cards[:, :2]) > 0).all()
        assert (np.diff(cards[:, 2:]) > 0).all()


@given(st.integers(0, 2_428_287_419), st.integers(0, 3))
def test_numbers_there_and_back(number: int, street: int) -> None:
    number %= HOLDEM.size(street)
    assert HOLDEM.index(HOLDEM.unindex(number, street)) == number


@given(st.permutations(range(52)), st.integers(0, 3), st.data())
def test_suits_and_order_within_a_round_do_not_matter(cards: list[int], street: int, data: st.DataObject) -> None:
    moved = suit_permutations(STANDARD)[data.draw(st.integers(0, 23))]
    begins = [0, 2, 5, 6, 7][: street + 2]
    shuffled = [c for a, b in pairwise(begins) for c in data.draw(st.permutations(cards[a:b]))]
    assert HOLDEM.index(cards[: begins[-1]]) == HOLDEM.index(moved[shuffled])


def test_which_round_a_card_came_in_matters() -> None:
    assert HOLDEM.index(STANDARD.cards("AsKs QsJh2h")) != HOLDEM.index(STANDARD.cards("AsQs KsJh2h"))


def test_flops_come_as_often_as_they_should() -> None:
    indexer = HandIndexer((3,))
    times = np.bincount(indexer.index(STANDARD.hands(3)), minlength=indexer.size())
    assert times.sum() == 22_100
    assert sorted(set(times.tolist())) == [4, 12, 24]
    # Three of a kind and one suit come in 4 ways, three suits in 24 and the rest in 12.
    assert np.bincount(times)[[4, 12, 24]].tolist() == [13 + 286, 156 + 156 + 858, 286]


def test_one_hand_or_many() -> None:
    cards = STANDARD.cards("AsAh")
    assert isinstance(HOLDEM.index(cards), int)
    assert HOLDEM.index([cards, cards]).tolist() == [HOLDEM.index(cards)] * 2
    assert HOLDEM.unindex(5, 0).shape == (2,)
    assert HOLDEM.unindex([5, 6], 0).shape == (2, 2)
    assert HOLDEM.index(np.empty((0, 7), np.int64)).shape == (0,)


def test_what_has_no_number() -> None:
    with pytest.raises(
        OptionError, match="after a round there are 2 or 5 or 6 or 7 cards in hand and on the board, got 3"
    ):
        HOLDEM.index([1, 2, 3])
    with pytest.raises(OptionError, match=r"row 1 must hold different cards from 0 to 51, got \[7, 7\]"):
        HOLDEM.index([[0, 1], [7, 7]])
    with pytest.raises(OptionError, match="row 0 must hold different cards from 0 to 51"):
        HOLDEM.index([0, 52])
    with pytest.raises(OptionError, match="row 0 must hold different cards from 0 to 51"):
        HOLDEM.index([-1, 2])
    with pytest.raises(OptionError, match="have the indices 0 to 168, got 169 … 169"):
        HOLDEM.unindex(169, 0)
    with pytest.raises(OptionError, match="there are 4 rounds, numbered from 0, got round=4"):
        HOLDEM.size(4)


@pytest.mark.parametrize("rounds", [(), (0,), (2, -1), (50, 3)])
def test_rounds_that_cannot_be_dealt(rounds: tuple[int, ...]) -> None:
    with pytest.raises(OptionError, match="cards_per_round has the number of cards of each round"):
        HandIndexer(rounds)
