"""Push or fold: the table of all-in equities, and equilibria of several stacks."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.poker.cards.deck import STANDARD
from regretless.poker.preflop.all_in_table import (
    BOARDS,
    CLASSES,
    all_in_table,
    class_names,
    class_of_hands,
    count_showdowns,
    pair_counts,
)

compiled_only = pytest.mark.skipif(INTERPRETED, reason="enumerates boards")


def test_table_is_the_computed_one() -> None:
    table = all_in_table()
    digest = hashlib.sha256(table.wins.astype("<i8").tobytes() + table.draws.astype("<i8").tobytes()).hexdigest()
    assert digest.startswith("da3bfd08cd337b35")
    assert (table.wins + table.wins.T + table.draws == table.pairs * BOARDS).all()
    assert (table.draws == table.draws.T).all()
    assert table.pairs.sum() == 1326 * 1225


def test_classes() -> None:
    names = class_names()
    assert len(set(names)) == CLASSES and names[0] == "AA" and names[1] == "AKs" and names[13] == "AKo"
    for hand, of in zip(STANDARD.hands(2), class_of_hands(), strict=True):
        name = names[of]
        assert sorted(STANDARD.name(card)[0] for card in hand) == sorted(name[:2])
        assert (name[2:] == "s") == (STANDARD.suit(hand[0]) == STANDARD.suit(hand[1]))


def test_pairs_by_enumeration() -> None:
    hands, classes = STANDARD.hands(2), class_of_hands()
    for name, other in (("AA", "AA"), ("AA", "AKs"), ("AKo", "AKs"), ("72o", "T9s")):
        a, b = (hands[classes == class_names().index(one)] for one in (name, other))
        count = sum(not set(mine) & set(theirs) for mine in a.tolist() for theirs in b.tolist())
        assert pair_counts()[class_names().index(name), class_names().index(other)] == count


@compiled_only
@pytest.mark.parametrize(("one", "other"), [("AA", "KK"), ("AKs", "QQ"), ("72o", "72o")])
def test_entries_again(one: str, other: str) -> None:
    exact = rg.poker.equity(one, other, boards="all")
    a, b = class_names().index(one), class_names().index(other)
    table = all_in_table()
    assert table.wins[a, b] / (table.pairs[a, b] * BOARDS) == pytest.approx(exact.win, abs=1e-12)
    assert table.equity[a, b] == pytest.approx(exact.a, abs=1e-12)


@compiled_only
def test_counts_of_a_board_by_comparing_every_pair() -> None:
    boards = np.array([STANDARD.cards("AsKsQsJsTs"), STANDARD.cards("Qh7h7d2c2s")])
    wins, draws = count_showdowns(boards, np.array([1, 3]))
    hands, classes = STANDARD.hands(2), class_of_hands()
    slow_wins, slow_draws = np.zeros_like(wins), np.zeros_like(draws)
    apart = ~(hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
    for board, count in zip(boards, (1, 3), strict=True):
        strength = rg.poker.strengths(STANDARD, board.tolist(), hands)
        possible = apart & (strength >= 0)[:, None] & (strength >= 0)[None, :]
        for found, slow in (
            (strength[:, None] > strength[None, :], slow_wins),
            (strength[:, None] == strength[None, :], slow_draws),
        ):
            rows, columns = np.nonzero(possible & found)
            np.add.at(slow, (classes[rows], classes[columns]), count)
    assert (wins == slow_wins).all() and (draws == slow_draws).all()


def gains(found: rg.poker.PushFoldSolution) -> tuple[float, float]:
    """What each player gains by the best answer, by formulas that use no solver."""
    game, deals = found.game, pair_counts() / pair_counts().sum()
    paid, big = game.posted
    won = (2 * all_in_table().equity - 1) * game.stack
    pushed = (deals * (found.call * won + (1 - found.call) * big)).sum(axis=1)
    folded = -paid * deals.sum(axis=1)
    value = (found.push * pushed + (1 - found.push) * folded).sum()
    called, given_up = (found.push[:, None] * deals * won).sum(axis=0), (found.push[:, None] * deals * big).sum(axis=0)
    against = ((1 - found.push) * folded).sum() + np.minimum(called, given_up).sum()
    assert value == pytest.approx(found.value, abs=1e-9)
    return float(np.maximum(pushed, folded).sum() - value), float(value - against)


@pytest.mark.parametrize(("stack", "ante"), [(1, 0), (1, 0.25), (4.5, 0.1), (25, 0.125)])
def test_neither_player_gains(stack: float, ante: float) -> None:
    found = rg.poker.push_fold(stack, ante=ante)
    assert max(gains(found)) < 1e-9
    assert abs(found.exploitability) < 1e-9


def test_ten_big_blinds() -> None:
    """The published chart of ten big blinds: 58.3 % of hands are pushed; K2o, but not J7o or Q2o."""
    found = rg.poker.push_fold(10)
    assert found.push_share == pytest.approx(0.583, abs=0.0005)
    push = dict(zip(found.classes, found.push, strict=True))
    assert [push[name] for name in ("A2o", "K2o", "54s", "76o")] == pytest.approx([1] * 4)
    assert [push[name] for name in ("J7o", "Q2o", "72o")] == pytest.approx([0] * 3)
    assert max(gains(found)) < 1e-9
    run = rg.solve(rg.poker.PushFold(10), rg.CFR_PLUS, iterations=300)
    assert run.value == pytest.approx(found.value, abs=1e-4)


def test_a_weak_king_is_pushed_up_to_eleven_blinds() -> None:
    king = class_names().index("K2o")
    assert rg.poker.push_fold(11).push[king] == pytest.approx(1)
    assert rg.poker.push_fold(12).push[king] == pytest.approx(0)


def test_one_big_blind_is_always_called() -> None:
    found = rg.poker.push_fold(1)
    assert (found.call == 1).all()
    assert found.value == pytest.approx(0, abs=0.02)


def test_table_and_charts(tmp_path: Path) -> None:
    found = rg.poker.push_fold(10, ante=0.1)
    found.to_csv(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0] == "class,push,call,push_ev,call_ev" and len(lines) == 170
    found.plot(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 10_000
    assert found.grids()[0]["AA"] == {"fold": 0.0, "all-in": 1.0}
    assert "antes of 0.1" in str(found) and "22+" in str(found)
    assert ((found.push_ev > 0) >= (found.push > 0.001)).all()  # only hands that gain are pushed


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"stack": 0.5}, "stack=0.5"),
        ({"stack": float("nan")}, "stack=nan"),
        ({"stack": 10, "ante": -1}, "ante=-1"),
        ({"stack": 2, "ante": 2}, "chips must be left"),
        ({"stack": 2, "small_blind": 2}, "small_blind=2"),
    ],
)
def test_impossible_amounts(options: dict[str, float], wrong: str) -> None:
    with pytest.raises(rg.OptionError, match=wrong):
        rg.poker.push_fold(**options)
