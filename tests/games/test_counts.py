"""Golden counts of the games too large for the conformance test, and the published ones of Dudo."""

from __future__ import annotations

import pytest
from walk import assert_same, count

from regretless import games
from regretless.game import Game


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (games.LiarsDice(), (294_883, 147_420, 24_576)),
        (games.Dudo(), (294_883, 147_420, 24_576)),
        (games.Dudo(recall=12), (294_883, 147_420, 24_576)),
        (games.Dudo(recall=1), (294_883, 147_420, 78)),
        (games.Dudo(recall=2), (294_883, 147_420, 474)),
        (games.Dudo(recall=3), (294_883, 147_420, 1_794)),
    ],
    ids=repr,
)
def test_dice(game: Game, expected: tuple[int, int, int]) -> None:
    assert count(game) == expected


@pytest.mark.full
@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (games.Goofspiel(cards=6), (969_523, 518_400, 34_482)),
        (games.Leduc(ranks=6), (100_993, 59_928, 4_032)),
    ],
    ids=repr,
)
def test_cards(game: Game, expected: tuple[int, int, int]) -> None:
    assert count(game) == expected


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_dudo_with_a_die_each_is_liars_dice_relabelled(sides: int) -> None:
    assert_same(games.Dudo(sides=sides), games.LiarsDice(sides=sides))


@pytest.mark.parametrize("deck", [2, 3, 5, 13, 20])
def test_one_card_poker_has_four_infosets_a_card(deck: int) -> None:
    assert count(games.OneCardPoker(deck))[2] == 4 * deck


def test_one_card_poker_with_three_cards_is_kuhn() -> None:
    assert assert_same(games.OneCardPoker(3), games.Kuhn()) == (58, 12)
