"""Cards, their names and their numbers."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import OptionError
from regretless.poker.cards.deck import RANKS, STANDARD, SUITS, Deck

DECKS = st.builds(
    Deck,
    st.sets(st.sampled_from(RANKS), min_size=1).map(lambda ranks: "".join(sorted(ranks, key=RANKS.index))),
    st.lists(st.sampled_from(SUITS), min_size=1, max_size=4, unique=True).map("".join),
)


def test_numbers_of_the_standard_deck() -> None:
    assert STANDARD.size == 52
    assert [STANDARD.card(name) for name in ("2c", "2d", "2h", "2s", "3c", "As")] == [0, 1, 2, 3, 4, 51]
    assert [STANDARD.name(card) for card in (0, 5, 51)] == ["2c", "3d", "As"]
    assert STANDARD.rank(51) == 12
    assert STANDARD.suit(50) == 2
    assert Deck(RANKS, SUITS) == STANDARD
    assert hash(STANDARD) == hash(Deck())


@pytest.mark.parametrize(
    "text", ["QsJhTh", "Qs Jh Th", "Qs,Jh,Th", "qS, jH,10h", " Q♠J♥10♥ ", "QSJHTH", "qsjhth", "Qs\nJh\tTh"]
)
def test_what_people_type(text: str) -> None:
    assert STANDARD.cards(text) == (43, 38, 34)
    assert STANDARD.names(STANDARD.cards(text)) == "QsJhTh"


def test_nothing_is_no_card() -> None:
    assert STANDARD.cards("") == ()
    assert STANDARD.cards([]) == ()
    assert STANDARD.names(()) == ""


def test_numbers_pass_through() -> None:
    assert STANDARD.cards(np.array([3, 7])) == (3, 7)


def test_small_decks() -> None:
    assert Deck("JQK", "s").names(range(3)) == "JsQsKs"
    assert Deck("JQK", "sh").names(range(6)) == "JsJhQsQhKsKh"
    assert Deck("9TJQKA", "cdh").size == 18


@given(DECKS, st.data())
def test_names_and_numbers_are_inverse(deck: Deck, data: st.DataObject) -> None:
    cards = data.draw(st.lists(st.integers(0, deck.size - 1), unique=True))
    assert deck.cards(deck.names(cards)) == tuple(cards)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Xs", r"'Xs' in 'Xs' is no card; a card is a rank of 23456789TJQKA and a suit of cdhs, like 'As'"),
        ("AsK", r"'K' in 'AsK' is no card"),
        ("As Kx", r"'Kx' in 'As Kx' is no card"),
        ("1s", r"'1s' in '1s' is no card"),
        ("AsKhAs", r"As is twice in 'AsKhAs'; every card is dealt once"),
    ],
)
def test_what_is_no_card(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        STANDARD.cards(text)


def test_a_card_of_another_deck() -> None:
    with pytest.raises(OptionError, match="'As' in 'As' is not in this deck, which has the ranks JQK in the suits sh"):
        Deck("JQK", "sh").card("As")
    with pytest.raises(OptionError, match="'Kd' in 'Kd' is not in this deck"):
        Deck("JQK", "sh").card("Kd")


def test_the_wrong_number_of_cards() -> None:
    with pytest.raises(OptionError, match="one card wanted, got 2 in 'AsKs'"):
        STANDARD.card("AsKs")
    with pytest.raises(OptionError, match="3 cards wanted, got 2 in 'AsKs'"):
        STANDARD.cards("AsKs", count=3)
    with pytest.raises(OptionError, match="2 cards wanted, got 1 in 'As'"):
        STANDARD.cards([51], count=2)


@pytest.mark.parametrize("card", [-1, 52, True, 3.0])
def test_a_number_that_is_no_card(card: int) -> None:
    with pytest.raises(OptionError, match="numbered from 0 to 51"):
        STANDARD.cards([card])
    with pytest.raises(OptionError, match="numbered from 0 to 51"):
        STANDARD.name(card)


@pytest.mark.parametrize("ranks", ["KQJ", "JJQ", "", "1", "jqk"])
def test_ranks_that_make_no_deck(ranks: str) -> None:
    with pytest.raises(OptionError, match="weakest first and each once"):
        Deck(ranks)


@pytest.mark.parametrize("suits", ["ss", "", "x", "cdhsc"])
def test_suits_that_make_no_deck(suits: str) -> None:
    with pytest.raises(OptionError, match="the suits of a deck are some of cdhs, each once"):
        Deck("JQK", suits)


def test_hands_are_in_lexicographic_order() -> None:
    hands = STANDARD.hands(2)
    assert hands.shape == (1326, 2)
    assert [tuple(hand) for hand in hands] == list(combinations(range(52), 2))
    assert STANDARD.hands(1).ravel().tolist() == list(range(52))
    assert STANDARD.hands(3).shape == (22_100, 3)
    with pytest.raises(ValueError, match="read-only"):
        hands[0, 0] = 7


@given(DECKS, st.integers(1, 3))
def test_hands_know_their_row(deck: Deck, size: int) -> None:
    if size > deck.size:
        with pytest.raises(OptionError, match=f"between 1 and {deck.size} cards, got {size}"):
            deck.hands(size)
        return
    hands = deck.hands(size)
    for row in (0, len(hands) // 3, len(hands) - 1):
        assert deck.hand_number(hands[row][::-1].tolist()) == row


def test_hand_names_put_the_high_card_first() -> None:
    assert STANDARD.hand_name(STANDARD.cards("KhAs")) == "AsKh"
    assert STANDARD.hand_name(STANDARD.hands(2)[0]) == "2d2c"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (" " * 1_000_000, "a text with cards has at most 1,000 characters, got 1,000,000"),
        ("As" * 400, "As is twice in 'AsAs"),
        ("z" * 900, "is no card; a card is a rank of"),
        (5, "cards are a text like 'QsJh2h' or a list of numbers, got 5"),
        ([10**5_000], "numbered from 0 to 51, got a value of type int that is too long to show"),
    ],
)
def test_cards_that_no_person_writes(given: Any, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        STANDARD.cards(given)
    assert sentence in str(caught.value) and len(str(caught.value)) < 400
