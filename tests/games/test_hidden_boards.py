"""The games on hidden boards: too large to be listed, but not to be counted; and what the small ones are worth.

What can follow a history depends only on the stones and on the cells tried, not on their order: so histories are
counted together. An infoset depends only on which cells were found free and which taken, and on what the other's
stones can then be.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from walk import count

import regretless as rg
from regretless.game import TERMINAL
from regretless.games import DarkHex, PhantomTicTacToe
from regretless.games.hidden_board import HiddenBoard


def histories_and_terminals(game: HiddenBoard) -> tuple[int, int]:
    @cache
    def below(position: tuple[int, ...]) -> tuple[int, int]:
        state: Any = (*position, 1, 1)
        if game.player(state) == TERMINAL:
            return 1, 1
        found = [below(game.play(state, action)[:5]) for action in game.actions(state)]
        return 1 + sum(histories for histories, _ in found), sum(terminals for _, terminals in found)

    return below(game.root()[:5])


def classical_infosets(game: HiddenBoard) -> int:
    """The ways to try cells one after the other such that the game may still go on, for either player."""
    cells, total = game.rows * game.columns, 0
    for player in range(2):
        harmless: dict[int, list[int]] = defaultdict(list)  # by their number, stones with which the other has not won
        for stones in range(1 << cells):
            if not game.wins(1 - player, stones):
                harmless[stones.bit_count()].append(stones)

        @cache
        def may_be(own: int, taken: int, player: int = player, harmless: Any = harmless) -> bool:
            others = own.bit_count() + player
            if own.bit_count() + others == cells or game.wins(player, own):
                return False
            return any(stones & taken == taken and not stones & own for stones in harmless[others])

        ways = {(0, 0): 1}
        while ways:
            total += sum(ways.values())
            longer: dict[tuple[int, int], int] = defaultdict(int)
            for (own, taken), orders in ways.items():
                for cell in range(cells):
                    new = 1 << cell & ~(own | taken)
                    for after in ((own | new, taken), (own, taken | new)) if new else ():
                        if may_be(*after):
                            longer[after] += orders
            ways = longer
    return total


@pytest.mark.parametrize("game", [DarkHex(2), DarkHex(2, abrupt=True), DarkHex((2, 3))], ids=repr)
def test_counting_together_is_counting(game: DarkHex) -> None:
    histories, terminals, infosets = count(game)
    assert histories_and_terminals(game) == (histories, terminals)
    if not game.abrupt:
        assert classical_infosets(game) == infosets


@pytest.mark.full
@pytest.mark.parametrize(
    ("game", "histories", "terminals", "infosets"),
    [
        (PhantomTicTacToe(), 19_934_533_171, 9_829_101_024, 5_990_669),
        (DarkHex(), 19_119_486_979, 9_469_697_760, 6_072_917),
        (DarkHex((2, 4)), 83_134_405, 44_245_536, 164_944),
    ],
    ids=repr,
)
def test_classical_games(game: HiddenBoard, histories: int, terminals: int, infosets: int) -> None:
    assert histories_and_terminals(game) == (histories, terminals)
    assert classical_infosets(game) == infosets


@pytest.mark.full
@pytest.mark.parametrize(
    ("game", "histories", "terminals"),
    [
        (PhantomTicTacToe(abrupt=True), 27_115_470_835, 13_578_403_440),
        (DarkHex(abrupt=True), 29_311_526_419, 14_663_760_672),
    ],
    ids=repr,
)
def test_abrupt_games(game: HiddenBoard, histories: int, terminals: int) -> None:
    assert histories_and_terminals(game) == (histories, terminals)


@pytest.mark.parametrize(("game", "value"), [(DarkHex(2), 1), (DarkHex(2, abrupt=True), Fraction(1, 2))], ids=repr)
def test_small_dark_hex(game: DarkHex, value: Fraction) -> None:
    tree = rg.build(game)
    assert rg.equilibrium(tree).value == pytest.approx(float(value), abs=1e-9)
    assert rg.solve(tree, rg.PCFR_PLUS, iterations=1_000).value == pytest.approx(float(value), abs=1e-3)


@pytest.mark.full
@pytest.mark.parametrize(("game", "value"), [(DarkHex((2, 3)), 1), (DarkHex((3, 2)), -1)], ids=repr)
def test_the_shorter_way_wins_dark_hex(game: DarkHex, value: int) -> None:
    assert rg.equilibrium(rg.build(game)).value == pytest.approx(value, abs=1e-9)
