"""Equities: against every pair and every board, and against published figures."""

from __future__ import annotations

from itertools import chain, combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_poker import equities

from conftest import INTERPRETED
from regretless.errors import OptionError
from regretless.poker.cards.deck import STANDARD, Deck
from regretless.poker.cards.evaluator import evaluate
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.ranges.equity import equity
from regretless.poker.ranges.range import Range

SHORT = Deck("TJQKA", "cd")
many_boards = pytest.mark.skipif(INTERPRETED, reason="millions of boards")


@settings(max_examples=6)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 3]), st.booleans())
def test_small_decks_pair_by_pair(seed: int, on_board: int, alike: bool) -> None:
    """Random weights, and weights that treat suits alike, in a game with a board of three cards."""
    random = np.random.default_rng(seed)
    weights = np.where(random.random((2, 45)) < 0.5, random.random((2, 45)), 0.0)
    if alike:
        rows = [Range.from_weights(np.ones(45), deck=SHORT).weights, Range.parse("JJ+,AKs:0.5,JT", SHORT).weights]
        weights = np.array(rows)
    board = random.permutation(SHORT.size)[:on_board].tolist()
    a, b = (Range.from_weights(row, deck=SHORT) for row in weights)
    found = equity(a, b, board, SHORT, board_cards=3)
    share, win, tie, hands_a, hands_b = equities(SHORT, weights, board, 3)
    assert found.a == pytest.approx(share)
    assert found.b == pytest.approx(1 - share)
    assert found.win == pytest.approx(win)
    assert found.tie == pytest.approx(tie, abs=1e-12)
    np.testing.assert_allclose(found.hands_a, np.where(weights[0] > 0, hands_a, np.nan), atol=1e-12)
    np.testing.assert_allclose(found.hands_b, np.where(weights[1] > 0, hands_b, np.nan), atol=1e-12)
    assert found.boards == comb(SHORT.size - on_board - 4, 3 - on_board)
    assert found.margin == 0


def head_to_head(a: str, b: str) -> tuple[int, int, int]:
    """How many boards the hand a wins, splits and loses before the flop, by dealing every one of them."""
    first, second = STANDARD.cards(a), STANDARD.cards(b)
    left = [card for card in range(52) if card not in (*first, *second)]
    boards = np.fromiter(chain.from_iterable(combinations(left, 5)), np.uint8).reshape(-1, 5)
    shown = []
    for hand in (first, second):
        cards = np.empty((len(boards), 7), np.uint8)
        cards[:, :2], cards[:, 2:] = hand, boards
        shown.append(evaluate(cards))
    return int((shown[0] > shown[1]).sum()), int((shown[0] == shown[1]).sum()), int((shown[0] < shown[1]).sum())


@many_boards
@pytest.mark.parametrize(("a", "b"), [("AhKh", "QsQd"), ("AsAh", "KsKh"), ("7c2d", "7s2c")])
def test_hand_against_hand_before_the_flop(a: str, b: str) -> None:
    won, split, lost = head_to_head(a, b)
    assert won + split + lost == 1_712_304
    found = equity(a, b)
    assert found.a == pytest.approx((won + split / 2) / 1_712_304, abs=1e-12)
    assert found.win == pytest.approx(won / 1_712_304, abs=1e-12)
    assert found.tie == pytest.approx(split / 1_712_304, abs=1e-12)


@many_boards
@pytest.mark.parametrize(
    ("a", "b", "published"),
    [("AA", "KK", 0.8195), ("AKs", "QQ", 0.4605), ("AKo", "22", 0.4735)],
)
def test_class_against_class(a: str, b: str, published: float) -> None:
    assert equity(a, b).a == pytest.approx(published, abs=1e-4)


@many_boards
def test_aces_against_any_hand() -> None:
    """Published as 85.20 %; all boards of one kind are counted once."""
    found = equity("AA", "random")
    assert found.a == pytest.approx(0.8520, abs=1e-4)
    assert found.margin == 0


@many_boards
def test_a_flop_hand_by_hand() -> None:
    board = STANDARD.cards("Th 9h 2c")
    found = equity("AhKh,QsQd:0.5", "AA,JTs", board)
    left = [card for card in range(52) if card not in board]
    for hand in ("AhKh", "QsQd"):
        mine = STANDARD.cards(hand)
        against = [h for h in STANDARD.hands(2).tolist() if not {*h} & {*mine, *board}]
        weights = Range.parse("AA,JTs").weights
        share = total = 0.0
        for other in against:
            weight = weights[STANDARD.hand_number(other)]
            if weight:
                rest = [card for card in left if card not in (*mine, *other)]
                run = np.array([[*board, *pair] for pair in combinations(rest, 2)])
                ours, theirs = (evaluate(np.hstack([np.tile(cards, (len(run), 1)), run])) for cards in (mine, other))
                share += weight * ((ours > theirs).mean() + (ours == theirs).mean() / 2)
                total += weight
        assert found.hands_a[STANDARD.hand_number(mine)] == pytest.approx(share / total)
    assert np.isfinite(found.hands_a).sum() == 2


def test_the_river() -> None:
    found = equity("AA,KK,QQ", "KK", "2c 3d 4h 5s 9c")
    assert found.boards == 1
    weights = {name: found.hands_a[STANDARD.hand_number(STANDARD.cards(name))] for name in ("AsAh", "QsQh", "KsKh")}
    assert weights == {"AsAh": 1.0, "QsQh": 0.0, "KsKh": 0.5}


@pytest.mark.parametrize("board", ["QsJs2s", "QsQh2h", "QsJh2d", "7c7d7h"])
def test_boards_of_one_kind_counted_once_or_one_by_one(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ranges = ("QQ+,AK,JTs:0.5", "JJ,TT,AsKs,T9s")
    merged = equity(*ranges, board + "3c")
    with monkeypatch.context() as patched:
        patched.setattr(Symmetry, "keeping", lambda *_: np.array([0]))
        every = equity(*ranges, board + "3c")
    assert merged.a == pytest.approx(every.a, abs=1e-13)
    np.testing.assert_allclose(merged.hands_a, every.hands_a, atol=1e-12)
    np.testing.assert_allclose(merged.hands_b, every.hands_b, atol=1e-12)


@many_boards
def test_the_other_way_round() -> None:
    one, other = equity("QQ+,AKs", "random", "Kh7h2c"), equity("random", "QQ+,AKs", "Kh7h2c")
    assert one.a == pytest.approx(other.b, abs=1e-13)
    np.testing.assert_allclose(one.hands_a, other.hands_b)
    np.testing.assert_allclose(one.hands_b, other.hands_a)


@many_boards
def test_sampled_boards() -> None:
    exact = equity("JJ+,AK", "TT+,AQ+", "Qh7h2c", boards="all")
    sampled = equity("JJ+,AK", "TT+,AQ+", "Qh7h2c", boards=400, seed=1)
    assert sampled.boards == 400
    assert 0 < sampled.margin < 0.05
    assert abs(sampled.a - exact.a) < 2 * sampled.margin
    assert "boards sampled" in str(sampled)
    other = equity("JJ+,AK", "TT+,AQ+", "Qh7h2c", boards=400, seed=2)
    assert other.a != sampled.a


@many_boards
def test_the_margin_holds_as_often_as_it_says() -> None:
    exact = equity("JJ+,AK", "99+,AQ+,KQs", "Qh7h2c").a
    sampled = [equity("JJ+,AK", "99+,AQ+,KQs", "Qh7h2c", boards=100, seed=seed) for seed in range(200)]
    assert 180 <= sum(abs(one.a - exact) < one.margin for one in sampled) <= 198


@many_boards
def test_threads_change_nothing() -> None:
    one, two = (equity("random", "QQ+,AKs", "Kh7h", boards=500, seed=3, threads=threads) for threads in (1, 3))
    assert one.a == two.a
    assert np.array_equal(one.hands_a, two.hands_a, equal_nan=True)


def test_no_board_at_all() -> None:
    """Kings beat the four hands QJ, queens lose to kings; all other pairs share a card."""
    found = equity("KK,QQ", "KK,QJ", deck=Deck("JQK", "sh"), board_cards=0)
    assert (found.win, found.tie, found.boards) == (4 / 5, 0, 1)


def test_as_many_boards_as_there_are_is_all_of_them() -> None:
    assert equity("AA", "KK", "Qh7h2c3d", boards=1_000).margin == 0


def test_what_has_no_equity() -> None:
    with pytest.raises(OptionError, match="no hand of one range can be dealt against a hand of the other"):
        equity("AhKh", "AhQh", "2c3c4c5d")
    with pytest.raises(OptionError, match="no hand of one range can be dealt against a hand of the other"):
        equity("AhKh", "QQ", "Ah3c4c5d")
    with pytest.raises(OptionError, match="the board has at most 5 cards, got 6 in '2c3c4c5c6c7c'"):
        equity("AA", "KK", "2c3c4c5c6c7c")
    with pytest.raises(OptionError, match="the board of this deck has 0 to 5 cards, got board_cards=6"):
        equity("AA", "KK", board_cards=6)
    with pytest.raises(OptionError, match="the board of this deck has 0 to 2 cards, got board_cards=5"):
        equity("KK", "QQ", deck=Deck("JQK", "sh"))
    with pytest.raises(OptionError, match='boards is "auto", "all" or the number of boards to sample, got 0'):
        equity("AA", "KK", "2c3c4c", boards=0)
    with pytest.raises(OptionError, match="pass the deck of the ranges as deck="):
        equity(Range.full(SHORT), "KK")
