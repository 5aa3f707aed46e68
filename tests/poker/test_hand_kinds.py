"""What hands are on a board, and what a new card does to one, against examples and against a slow definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import regretless as rg
from regretless.poker.cards.board_kinds import NEW_CARDS, new_card_kind
from regretless.poker.cards.deck import STANDARD
from regretless.poker.cards.evaluator import category, evaluate
from regretless.poker.cards.hand_kinds import DRAWS, MADE, hand_kinds


def kinds_of(board: str, hand: str) -> tuple[str, set[str]]:
    found = hand_kinds(STANDARD, board, [STANDARD.cards(hand)])
    return MADE[found.made[0]], {name for name, has in zip(DRAWS, found.draws[0], strict=True) if has}


@pytest.mark.parametrize(
    ("board", "hand", "made", "draws"),
    [
        ("Qh 7h 2s", "KdQd", "top pair", set()),
        ("Qh 7h 2s", "KhQs", "top pair", {"backdoor flush draw"}),
        ("Qh 7h 2s", "8c7d", "second pair", set()),
        ("Qh 7h 2s", "3c2d", "low pair", set()),
        ("Qh 7h 2s", "AdAc", "overpair", set()),
        ("Qh 7h 2s", "TdTc", "pocket pair below top card", set()),
        ("Qh 7h 2s", "7d7c", "set", set()),
        ("Qh 7h 2s", "Qd7c", "two pair", set()),
        ("Qh 7h 2s", "AhKh", "ace high", {"flush draw", "two overcards"}),
        ("Qh Qd 2s", "Qc3c", "trips", set()),
        ("Qh Qd 2s", "AcKc", "ace high", {"two overcards"}),
        ("Qh Qd 2s", "3c2c", "second pair", set()),
        ("Qh Qd 2s", "AdAc", "overpair", set()),
        ("Qh Qd Qs", "KcTd", "king high", set()),
        ("Qh Qd Qs", "QcTd", "four of a kind", set()),
        ("Qh Qd Qs", "TcTd", "full house", set()),
        ("9h 8d 2s", "JcTd", "no pair", {"open-ended straight draw", "two overcards"}),
        ("9h 8d 2s", "QcJd", "no pair", {"gutshot", "two overcards"}),
        ("9h 7d 5s", "8c3d", "no pair", {"gutshot"}),
        ("9h 7d 5s Jc", "8c3d", "no pair", {"open-ended straight draw"}),  # a double gutshot
        ("9h 8d 7s 6c", "Kd2h", "king high", set()),  # the board draws alone
        ("9h 8d 7s 6c 5h", "Kd2h", "straight", set()),
        ("Ah 3d 4s", "5c9d", "no pair", {"gutshot"}),
        ("Ah Kd Qs", "Jc9d", "no pair", {"gutshot"}),
        ("9h 8h 2h", "AhKd", "ace high", {"flush draw", "two overcards"}),
        ("9h 8h 2h 3h", "KdQs", "king high", {"two overcards"}),
        ("9h 8h 2h 3h 5h", "KdQs", "flush", set()),
        ("9h 8h 7h", "ThJh", "straight flush", set()),
        ("Qh 7h 2s 7d 3c", "Qd7c", "full house", set()),
    ],
)
def test_examples(board: str, hand: str, made: str, draws: set[str]) -> None:
    assert kinds_of(board, hand) == (made, draws)


def slow_made(board: tuple[int, ...], hand: tuple[int, int]) -> str | None:
    """The made kind where the category of the best five cards alone decides it."""
    name = category(int(evaluate(np.array([[*board, *hand]]))[0]), len(board) + 2)
    return {"three of a kind": None, "two pair": None, "pair": None, "high card": None}.get(name, name)


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_all_hands_on_random_boards(cards: int) -> None:
    random = np.random.default_rng(cards)
    for _ in range(4):
        board = tuple(random.choice(52, cards, replace=False).tolist())
        free = [card for card in range(52) if card not in board]
        hands = np.array(list(combinations(free, 2)))
        found = hand_kinds(STANDARD, board, hands)
        chosen = random.choice(len(hands), 60, replace=False)
        for at in chosen.tolist():
            slow = slow_made(board, tuple(hands[at].tolist()))
            assert slow is None or MADE[found.made[at]] == slow
            if slow is None:
                assert found.made[at] > MADE.index("straight")
        outs = [slow_straight_outs(board, tuple(hands[at].tolist())) for at in chosen.tolist()] if cards < 5 else []
        for at, count in zip(chosen.tolist(), outs, strict=False):
            if found.made[at] > MADE.index("straight"):
                assert found.draws[at, 1] == (count >= 2) and found.draws[at, 2] == (count == 1)
        assert found.having("flush draw").sum() == found.draws[:, 0].sum()


def slow_straight_outs(board: tuple[int, ...], hand: tuple[int, int]) -> int:
    """Ranks that complete a straight which the board with that rank does not make alone."""
    windows = [{12, 0, 1, 2, 3}, *({first + step for step in range(5)} for first in range(9))]
    ranks, own = {card // 4 for card in (*board, *hand)}, {card // 4 for card in hand}
    shared = {card // 4 for card in board}
    return len({
        rank for rank in range(13) for window in windows
        if rank not in ranks and window <= ranks | {rank} and rank in window and window & own - shared
    })  # fmt: skip


def test_what_a_new_card_does() -> None:
    board = STANDARD.cards("Qh 7h 2s")
    found = {STANDARD.name(card): new_card_kind(STANDARD, board, card) for card in range(52) if card not in board}
    assert set(found.values()) <= set(NEW_CARDS)
    assert (found["3h"], found["Qd"], found["Kc"], found["4c"]) == (
        "completes a flush", "pairs the board", "overcard", "low card")  # fmt: skip
    assert new_card_kind(STANDARD, STANDARD.cards("Qh 9d 2s"), STANDARD.card("Jc")) == "completes a straight"
    assert new_card_kind(STANDARD, STANDARD.cards("9h 8d 7s 2c"), STANDARD.card("Ac")) == "overcard"


@pytest.mark.parametrize(
    ("board", "card", "kind"),
    [
        ("Qs Jh Td", "Kc", "completes a straight"),
        ("Qs Jh Td", "Ac", "completes a straight"),
        ("Qs Jh Td", "7c", "low card"),
        ("5c 4h 3d", "2s", "completes a straight"),
        ("5c 4h 3d", "As", "completes a straight"),
        ("5c 4h 3d", "Ks", "overcard"),
        ("Qs Jh Td 9c", "8c", "completes a straight"),
        ("Qs Jh Td 9c", "Qc", "pairs the board"),
        ("Qh 7h 2h 3h", "9h", "completes a flush"),
    ],
)
def test_a_card_that_makes_four_or_five_completes_too(board: str, card: str, kind: str) -> None:
    assert new_card_kind(STANDARD, STANDARD.cards(board), STANDARD.card(card)) == kind


@pytest.mark.parametrize("board", ["Qs Jh Td", "5c 4h 3d", "Kh 9d 2s 8c", "Ah Qd 4s 3c"])
def test_a_straight_is_completed_where_some_hand_makes_one_that_it_could_not(board: str) -> None:
    windows = [{12, 0, 1, 2, 3}, *({first + step for step in range(5)} for first in range(9))]
    hands = [{low, high} for low in range(13) for high in range(low, 13)]
    before = {card // 4 for card in STANDARD.cards(board)}
    for rank in sorted(set(range(13)) - before):
        had, has = (
            [any(window <= ranks | hand for window in windows) for hand in hands] for ranks in (before, before | {rank})
        )
        completes = any(now and not then for then, now in zip(had, has, strict=True))
        found = {new_card_kind(STANDARD, STANDARD.cards(board), 4 * rank + suit) for suit in range(4)}
        assert ("completes a straight" in found) == completes


def test_wrong_boards_and_hands() -> None:
    with pytest.raises(rg.OptionError, match="3 to 5 cards"):
        hand_kinds(STANDARD, "Qh 7h", [(0, 1)])
    with pytest.raises(rg.OptionError, match="card of the board"):
        hand_kinds(STANDARD, "2c 7h Qh", [(0, 1)])
    with pytest.raises(rg.OptionError, match="no kind of hand"):
        hand_kinds(STANDARD, "2c 7h Qh", [(4, 5)]).having("<b>")
