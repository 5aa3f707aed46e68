"""Strengths of hands: against counts that are published, and against the obvious evaluator."""

from __future__ import annotations

from itertools import chain, combinations, combinations_with_replacement

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_poker import score

from conftest import INTERPRETED
from regretless.errors import OptionError
from regretless.kernels.cards.hand_strength import RANK_KEYS
from regretless.poker.cards.deck import STANDARD, Deck
from regretless.poker.cards.evaluator import CATEGORIES, category, evaluate, strengths, tables_for
from regretless.poker.cards.evaluator_tables import make_tables

whole_decks = pytest.mark.skipif(INTERPRETED, reason="millions of hands")

# How many hands of 5, 6 and 7 cards are of each category, from high card to straight flush (royal ones included).
FREQUENCIES = {
    5: (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40),
    6: (6_612_900, 9_730_740, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_844),
    7: (23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 41_584),
}
CLASSES = {5: 7_462, 6: 6_075, 7: 4_824}


@pytest.fixture(scope="module")
def fives() -> npt.NDArray[np.uint8]:
    """[2,598,960, 5] all hands of five cards, in lexicographic order."""
    return np.fromiter(chain.from_iterable(combinations(range(52), 5)), np.uint8).reshape(-1, 5)


def by_category(counts: npt.NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(int(part.sum()) for part in np.split(counts, tables_for(7).first[1:-1]))


@whole_decks
def test_all_five_card_hands(fives: npt.NDArray[np.uint8]) -> None:
    counts = np.bincount(evaluate(fives), minlength=7_462)
    assert by_category(counts) == FREQUENCIES[5]
    assert np.count_nonzero(counts) == counts.size == CLASSES[5]
    assert by_category(np.ones_like(counts)) == (1277, 2860, 858, 858, 10, 1277, 156, 156, 10)


@whole_decks
@pytest.mark.parametrize("total", [6, 7])
def test_all_six_and_seven_card_hands(total: int, fives: npt.NDArray[np.uint8]) -> None:
    counts = np.zeros(7_462, np.int64)
    begins = np.searchsorted(fives[:, 0], np.arange(53))
    for others in combinations(range(52), total - 5):
        above = fives[begins[others[-1] + 1] :]
        if len(above):
            counts += np.bincount(strengths(STANDARD, others, above), minlength=7_462)
    assert by_category(counts) == FREQUENCIES[total]
    assert np.count_nonzero(counts) == CLASSES[total]


def test_no_two_multisets_of_ranks_have_the_same_key() -> None:
    held = np.array([m for m in combinations_with_replacement(range(13), 7) if max(map(m.count, m)) <= 4])
    assert len(held) == 49_205
    assert np.unique(RANK_KEYS[held].sum(axis=1)).size == len(held)


@pytest.mark.parametrize(
    "ladder",
    [
        "75432 AKQJ9 22345 AAKQJ 33224 AAKKQ 22234 AAAKQ A5432 65432 AKQJT",  # of mixed suits, weakest first
        "22233 22299 33322 AAAKK 22223 2222A AAAAK",
    ],
)
def test_hands_of_mixed_suits_in_order(ladder: str) -> None:
    hands = ["".join(rank + suit for rank, suit in zip(word, "cdhsc", strict=True)) for word in ladder.split()]
    found = evaluate(np.array([STANDARD.cards(hand) for hand in hands]))
    assert (np.diff(found) > 0).all()


def test_flushes_and_straight_flushes() -> None:
    texts = ["AcAdAhKcKd", "AsKsQsJs9s", "2c2d2h3c3d", "AsAhAdAcKs", "5h4h3h2hAh", "6h5h4h3h2h", "AsKsQsJsTs"]
    found = evaluate(np.array([STANDARD.cards(text) for text in texts]))
    assert [category(strength) for strength in found] == [
        "full house",
        "flush",
        "full house",
        "four of a kind",
        *["straight flush"] * 3,
    ]
    assert found[1] < found[2] < found[0] < found[3] < found[4] < found[5] < found[6] == 7_461


DECKS = [STANDARD, Deck("6789TJQKA"), Deck("2345A", "cdh"), Deck("9TJQKA", "cdh"), Deck("2A", "cdhs"), Deck(suits="h")]


@given(st.data(), st.sampled_from(DECKS))
def test_against_the_obvious_evaluator(data: st.DataObject, deck: Deck) -> None:
    """Hands on one board have the order of their scores: stronger, tied and weaker alike."""
    total = data.draw(st.integers(1, 7).filter(lambda cards: cards <= deck.size))
    on_board = data.draw(st.integers(max(0, total - 3), total - 1))
    cards = data.draw(st.permutations(range(deck.size)))
    board, left = cards[:on_board], cards[on_board:]
    drawn = [data.draw(st.permutations(left))[: total - on_board] for _ in range(6)]
    hands = np.array([*drawn, *(list(hand) for hand in deck.hands(total - on_board)[:: 1 + deck.size**2 // 40])])
    found = strengths(deck, board, hands)
    legal = [row for row, hand in enumerate(hands.tolist()) if not {*hand} & {*board}]
    assert [row for row, strength in enumerate(found) if strength >= 0] == legal
    scores = [score(deck, [*hands[row].tolist(), *board]) for row in legal]
    assert np.unique(found[legal], return_inverse=True)[1].tolist() == [sorted({*scores}).index(s) for s in scores]


@whole_decks
@given(st.integers(0, 2**32 - 1), st.integers(5, 7))
def test_standard_hands_against_the_obvious_evaluator(seed: int, total: int) -> None:
    cards = np.argsort(np.random.default_rng(seed).random((40, 52)), axis=1)[:, :total]
    found = evaluate(cards)
    scores = [score(STANDARD, row) for row in cards.tolist()]
    assert np.unique(found, return_inverse=True)[1].tolist() == [sorted({*scores}).index(s) for s in scores]
    assert [category(strength) for strength in found] == [CATEGORIES[s[0]] for s in scores]


def test_one_strength_for_every_way_to_give_the_cards() -> None:
    cards = STANDARD.cards("AsKs QsJh2h 5d9c")
    seven = evaluate(np.array([cards]))[0]
    assert strengths(STANDARD, cards[2:], np.array([cards[:2]]))[0] == seven
    assert strengths(STANDARD, "", np.array([cards]))[0] == seven
    for kind in (np.uint8, np.int16, np.int32, np.int64):
        assert evaluate(np.array([cards[::-1]], kind))[0] == seven


def test_hands_that_cannot_be_held() -> None:
    board = STANDARD.cards("QsJh2h")
    held = strengths(STANDARD, board, STANDARD.hands(2))
    assert ((held < 0) == np.isin(STANDARD.hands(2), board).any(axis=1)).all()
    assert strengths(STANDARD, board, np.array([[7, 7], [7, 8]])).tolist()[0] == -1


def test_kuhn() -> None:
    deck = Deck("JQK", "s")
    assert strengths(deck, "", deck.hands(1)).tolist() == sorted(strengths(deck, "", np.arange(3)))
    assert len(set(strengths(deck, "", deck.hands(1)).tolist())) == 3


def test_leduc() -> None:
    deck = Deck("JQK", "sh")
    jacks, queens, kings = strengths(deck, "Js", deck.hands(1)).reshape(3, 2)
    assert jacks[0] == -1
    assert jacks[1] > kings[0] == kings[1] > queens[0] == queens[1] >= 0
    assert category(jacks[1], cards=2) == "pair"
    assert category(kings[0], cards=2) == "high card"


def test_few_cards_make_no_straight_or_flush() -> None:
    deck = STANDARD
    hands = np.array([deck.cards("AsKs"), deck.cards("2c2d"), deck.cards("3c2d")])
    flush_draw, pair, high = strengths(deck, "QsJs", hands)
    assert pair > flush_draw > high
    assert category(flush_draw, cards=4) == "high card"


def test_short_decks_and_the_ace() -> None:
    deck = Deck("6789TJQKA")
    names = [category(s) for s in strengths(deck, "6c7d8h", np.array([deck.cards("9sAs"), deck.cards("9sTs")]))]
    assert names == ["high card", "straight"]
    wheel = Deck("2345A", "cdh")
    assert category(strengths(wheel, "2c3d4h", np.array([wheel.cards("5cAd")]))[0]) == "straight"


def test_what_cannot_be_compared() -> None:
    with pytest.raises(OptionError, match="rows of 5, 6 or 7, got an array of int64 with shape"):
        evaluate(np.array([[1, 2, 3, 4]]))
    with pytest.raises(OptionError, match="whole numbers in rows of 5, 6 or 7, got an array of float64"):
        evaluate(np.ones((2, 5)))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="hands are rows of card numbers, got an array of float64"):
        strengths(STANDARD, "", np.ones((2, 5)))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"row 1 must hold different cards from 0 to 51, got \[0, 1, 2, 3, 3\]"):
        evaluate(np.array([[0, 1, 2, 3, 4], [0, 1, 2, 3, 3]]))
    with pytest.raises(OptionError, match="row 0 must hold different cards from 0 to 51"):
        evaluate(np.array([[0, 1, 2, 3, 52]]))
    with pytest.raises(OptionError, match="row 0 must hold different cards from 0 to 51"):
        evaluate(np.array([[0, 1, 2, 3, -1]]))
    with pytest.raises(OptionError, match="hands of 1 to 7 cards can be compared, got 3 and 5 on the board"):
        strengths(STANDARD, "2c3c4c5c6c", STANDARD.hands(3))
    with pytest.raises(OptionError, match="numbered from 0 to 5, got 0 … 51"):
        strengths(Deck("JQK", "sh"), "", STANDARD.hands(1))
    with pytest.raises(OptionError, match="strengths of 5 cards run from 0 to 7461, got 7462"):
        category(7462)
    with pytest.raises(OptionError, match="hands of 1 to 7 cards can be compared, got 8"):
        category(0, cards=8)
    with pytest.raises(OptionError, match="got -1"):
        category(-1)


def test_no_hands_have_no_strengths() -> None:
    assert strengths(STANDARD, "2c3c4c", np.empty((0, 2), np.int64)).size == 0
    assert evaluate(np.empty((0, 7), np.int64)).size == 0


def test_the_stored_tables_are_those_that_are_made() -> None:
    stored, made = tables_for(7), make_tables(7)
    for name, there, here in zip(stored._fields, stored, made, strict=True):
        assert there.dtype == here.dtype and np.array_equal(there, here), name
