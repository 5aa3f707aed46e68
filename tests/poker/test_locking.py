"""Locked nodes: held exactly, the rest in equilibrium around them, and mistakes by sentence."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from expanded import ExpandedGame, SideBySide, calm_learner, public_table

import regretless as rg
from conftest import INTERPRETED
from regretless.errors import FileError, OptionError
from regretless.poker import Deck, Limit, PublicGame, Range, Spot

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")

LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2.1, 4.3), caps=2, blinds=(0.3, 0.8), ante=1))
BY_CARD = {
    "J": {"fold": 0.125, "call": 0.5, "raise": 0.375},
    "Q": {"fold": 0.25, "call": 0.625, "raise": 0.125},
    "K": {"fold": 0.125, "call": 0.25, "raise": 0.625},
}
AFTER_CALL = {"check": 0.75, "raise": 0.25}
ON_THE_FLOP = {"check": 0.375, "bet": 0.625}


def both_suits(rows: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {rank + suit: row for rank, row in rows.items() for suit in "sh"}


@cache
def locked_leduc() -> PublicGame:
    """Both players locked somewhere before the flop, player 1 once more on all flops."""
    game = LEDUC.lock("", both_suits(BY_CARD)).lock("call", AFTER_CALL)
    return game.lock("raise call /", ON_THE_FLOP)


@cache
def around_the_locks() -> rg.Tree:
    """The same game history by history, in which chance plays the locked nodes."""
    tree = LEDUC.betting_tree()
    ranks = LEDUC.deck.ranks
    played = {
        tree.find(""): lambda hand: list(BY_CARD[ranks[hand[0] // 2]].values()),
        tree.find("call"): lambda hand: list(AFTER_CALL.values()),
        tree.find("raise call /"): lambda hand: list(ON_THE_FLOP.values()),
    }
    return rg.build(ExpandedGame(LEDUC, locked=played))


def test_the_rest_learns_as_if_chance_played_the_locked_nodes() -> None:
    sides = SideBySide(locked_leduc(), around_the_locks(), rg.CFR_PLUS)
    for _ in range(6):
        sides.advance()
        assert sides.difference() < 1e-9
    assert sides.strategies_differ() < 1e-9


def test_an_equilibrium_around_the_locks() -> None:
    """Against the linear program of the game in which chance plays the locked nodes."""
    tree = around_the_locks()
    exact = rg.equilibrium(tree).value
    run: Any = rg.solve(locked_leduc(), rg.CFR_PLUS, iterations=600, dtype="float64")
    assert run.value == pytest.approx(exact, abs=run.nash_conv) and run.nash_conv < 5e-3
    assert run.history.value_least[-1] - 1e-12 <= exact <= run.history.value_most[-1] + 1e-12
    rest = public_table(run.strategy, list(tree.labels.by_player))
    strategy = rg.Strategy.from_dict(tree, {key: row.tolist() for key, row in rest.items()})
    assert rg.exploitability(tree, strategy) == pytest.approx(run.exploitability, abs=1e-9)
    assert exact < rg.equilibrium(rg.build(ExpandedGame(LEDUC))).value - 0.05  # player 0 is locked to playing badly


@pytest.mark.parametrize(("dtype", "rounding"), [("float64", 0.0), ("int16", 1 / 32_767)])
def test_locks_are_held(dtype: str, rounding: float) -> None:
    """Also for hands that the player's own locks keep away from the node."""
    never = {"J": {"fold": 1.0}, "Q": {"fold": 1.0}, "K": {"call": 1.0}}
    facing, answer = {"fold": 0.7, "call": 0.3, "raise": 0.0}, {"fold": 0.5, "call": 0.25, "raise": 0.25}
    game = LEDUC.lock("", both_suits(never)).lock("call raise", facing).lock("raise", answer)
    run: Any = rg.solve(game, rg.CFR_PLUS, iterations=40, dtype=dtype)
    for strategy in (run.strategy, run.current):
        for hand in ("Js", "Jh", "Ks"):
            assert strategy.at("call raise")[hand] == pytest.approx(facing, abs=2 * rounding + 1e-12)
        assert strategy.at("")["Jh"] == {"fold": 1.0, "call": 0.0, "raise": 0.0}
        assert strategy.at("raise")["Qh"] == pytest.approx(answer, abs=2 * rounding + 1e-12)
    assert run.exploitability < 0.2


DECK = Deck("TJQKA", "shdc")


def spot(board: str, ranges: str, **options: Any) -> PublicGame:
    chosen = Range.parse(ranges, DECK)
    betting = Limit(bets=(10, 20), caps=1, blinds=(0, 0), pot=30)
    return PublicGame(DECK, 2, (1,), betting, board, (chosen, chosen), **options)


def test_a_board_is_locked_in_the_suits_that_were_asked_for() -> None:
    """A lock on one board, with isomorphism, is a lock on all its images without."""
    line = "check check / check"
    rows = {"AA,JT": {"check": 1.0}, "AhJh,AdJd": {"bet": 1.0}, "AcTc": {"bet": 0.75, "check": 0.25}}
    merged = spot("As Ks Qs", "AA,AJ,AT,JT")  # hearts, diamonds and clubs are alike
    merged = merged.lock(line, rows, board="As Ks Qs Jc")
    plain = spot("As Ks Qs", "AA,AJ,AT,JT", isomorphism=False)
    for order in set(permutations("hdc")):
        names = dict(zip("hdc", order, strict=True))
        moved = {"".join(names.get(letter, letter) for letter in text): row for text, row in rows.items()}
        board = "As Ks Qs J" + names["c"]
        if names["c"] not in {lock.board[-1] for lock in plain.locks if lock.board}:
            plain = plain.lock(line, moved, board=board)
    learners = [calm_learner(game, rg.CFR_PLUS) for game in (merged, plain)]
    for _ in range(8):
        for learner in learners:
            learner.advance(1)
        one, other = (learner.measure() for learner in learners)
        assert one["value"] == pytest.approx(other["value"], abs=1e-9)
        assert one["nash_conv"] == pytest.approx(other["nash_conv"], abs=1e-9)
    for learner in learners:
        strategy = learner.average_strategy()
        assert strategy.at(line, "As Ks Qs Jh")["AcJc"] == {"check": 0.0, "bet": 1.0}
        assert strategy.at(line, "As Ks Qs Jd")["AdTd"] == {"check": 0.25, "bet": 0.75}


def test_saved_and_resumed(tmp_path: Path) -> None:
    whole = rg.solve(locked_leduc(), rg.CFR_PLUS, iterations=12, dtype="float64")
    rg.solve(locked_leduc(), rg.CFR_PLUS, iterations=5, dtype="float64").save(tmp_path / "locked.run")
    rest = rg.resume(tmp_path / "locked.run", iterations=7)
    assert all(np.array_equal(whole.arrays[name], rest.arrays[name]) for name in whole.arrays)
    assert rest.nash_conv == whole.nash_conv
    with pytest.raises(FileError, match="not the same"):
        rg.resume(tmp_path / "locked.run", iterations=1, game=LEDUC)


@pytest.mark.parametrize(
    ("line", "strategy", "board", "sentence"),
    [
        ("", {"bet": 1.0}, None, "names 'bet'; the actions there are fold, call, raise"),
        ("", {"call": 0.7}, None, "sum to 0.7, not 1"),
        ("", {"call": 1.5, "fold": -0.5}, None, "gives 'call' the probability 1.5"),
        ("", {"call": "often"}, None, "the probability 'often'"),
        ("", {}, None, "a lock is {action: probability}"),
        ("", "call", None, "a lock is {action: probability}"),
        ("", {"Ks": {"call": 1.0}, "call": 1.0}, None, "mixes ranges and actions"),
        ("", {"KsQs": {"call": 1.0}}, None, "one card wanted, got 2 in 'KsQs'"),
        ("", {"As": {"call": 1.0}}, None, "'As' in 'As' is not in this deck"),
        ("", {3: {"call": 1.0}}, None, "names hands as text"),
        ("", {"Ks": {"call": 1.0}}, None, "different strategies for hands that differ by suits only"),
        ("call check / check", {"Ks": {"check": 1.0}}, "Kh", "no"),
        ("fold", {"call": 1.0}, None, "there is no decision after 'fold'"),
        ("call bet", {"call": 1.0}, None, "'bet' after 'call' is no action"),
        ("call check /", {"check": 1.0}, "KsKh", "a board of 1 card, got 2"),
        ("call check /", {"check": 1.0}, "Zs", "is no card"),
    ],
)
def test_mistakes(line: str, strategy: Any, board: str | None, sentence: str) -> None:
    game = LEDUC.lock(line, strategy, board)
    if sentence == "no":  # on Kh the two suits are not alike, so Ks may differ from every other hand
        assert rg.solve(game, iterations=1, dtype="float64").iterations == 1
        return
    with pytest.raises(OptionError) as raised:
        rg.solve(game, iterations=1, dtype="float64")
    assert sentence in str(raised.value) and "\n" not in str(raised.value)


def test_suits_that_are_not_alike_may_be_locked_apart() -> None:
    """Two hearts lie on the board: hearts are a suit of their own; diamonds and clubs are not alike in the ranges."""
    river = Spot("Qs Jh 2h 7c 3d", ("QQ,AhKh,AdKd", "JJ,ThTd"), pot=100, stack=100)
    game = river.lock("", {"QQ": {"check": 1.0}, "AhKh": {"bet 33": 1.0}, "AdKd": {"check": 0.5, "bet 75": 0.5}})
    learner = rg.CFR_PLUS.learner(game.problem(), rg.Settings(dtype="float64"))
    strategy = learner.current_strategy()
    block = strategy.block(0, 0)
    assert sorted(block[0].tolist()) == [0.0, 0.5, 1.0, 1.0, 1.0]
