"""Wrong games end in a sentence within seconds: in `build`, `check_game`, `graph_of` and `estimate_size`."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import regretless as rg
import wrong_games
from conftest import INTERPRETED
from regretless.compiled import compile_game
from regretless.game import LARGEST_PAYOFF
from regretless.linter.state_snapshots import changed, snapshot

SECONDS = 15.0  # "within seconds", of processor time


def refused(call: Callable[[rg.Game], object], game: rg.Game) -> str:
    """What a call says about a game that it refuses in time."""
    began = time.process_time()
    with pytest.raises(rg.GameError) as caught:
        call(game)
    assert time.process_time() - began < SECONDS
    return str(caught.value)


def checked(game: rg.Game) -> None:
    rg.check_game(game).raise_if_broken()


@pytest.mark.parametrize("name", wrong_games.endless())
@pytest.mark.parametrize("call", [rg.build, rg.graph_of, checked, rg.estimate_size])
@pytest.mark.full
def test_endless_games(name: str, call: Callable[[rg.Game], object]) -> None:
    said = refused(call, wrong_games.endless()[name])
    assert any(word in said for word in ("cycle", "moves", "came before")), said


@pytest.mark.parametrize("name", wrong_games.answers())
def test_answers_that_cannot_be(name: str) -> None:
    for call in (rg.build, rg.graph_of, checked):
        said = refused(call, wrong_games.answers()[name])
        assert len(said) < 1_000
    if name.startswith("players"):
        refused(rg.estimate_size, wrong_games.answers()[name])


@pytest.mark.parametrize("name", wrong_games.changing())
def test_play_that_changes_its_state(name: str) -> None:
    said = refused(rg.build, wrong_games.changing()[name])
    assert "play() changed the state it was given" in said and "(at the start)" in said
    refused(checked, wrong_games.changing()[name])


def test_a_change_far_down_names_its_history() -> None:
    class Late(rg.Game):
        """A state is the list of moves; the sixth move is also put into the list of the state before."""

        def root(self) -> list[int]:
            return []

        def player(self, state: list[int]) -> int:
            return rg.TERMINAL if len(state) >= 9 else 0

        def actions(self, state: list[int]) -> tuple[int, ...]:
            return (0, 1, 2)

        def play(self, state: list[int], action: int) -> list[int]:
            if len(state) == 5:
                state.append(action)
                return list(state)
            return [*state, action]

        def infoset(self, state: list[int]) -> tuple[int, ...]:
            return tuple(state)

        def payoffs(self, state: list[int]) -> tuple[float, float]:
            return (1.0, -1.0)

    said = refused(rg.build, Late())
    assert re.search(r"play\(\) changed the state it was given.* \(after \d, \d, \d, \d, \d\)", said)


def test_graphs_check_their_states_too() -> None:
    """Their states can be hashed, so only objects with an equality of their own can change unseen."""
    assert "play() changed the state it was given" in refused(
        rg.graph_of, wrong_games.changing()["object with its own equality"]
    )


class Token:
    """An object of a state that shows nothing of itself."""

    __slots__ = ()


class Cached:
    """A state that fills a cache, refers to its game and to functions."""

    def __init__(self, game: rg.Game, moves: tuple[str, ...]) -> None:
        self.game, self.moves, self.key, self.token = game, moves, None, Token()
        self.rule = len

    def __len__(self) -> int:
        self.key = hash(self.moves)  # type: ignore[assignment]
        self.game.memory[self.moves] = 1  # type: ignore[attr-defined]
        return len(self.moves)

    def __getitem__(self, place: int) -> str:
        return self.moves[place]


def test_states_may_keep_caches() -> None:
    game: Any = wrong_games.game(
        memory={},
        root=lambda self: Cached(self, ()),
        play=lambda self, state, action: Cached(self, (*state.moves, action)),
    )
    assert rg.build(game).histories == 7
    assert rg.check_game(game).ok


@pytest.mark.parametrize(
    ("state", "change"),
    [
        ([1, [2, {3: 4}]], lambda s: s[1][1].update({3: 5})),
        ([np.zeros(3)], lambda s: s[0].fill(1)),
        ({1: {2}}, lambda s: s[1].add(3)),
        ([[[[[[[[1]]]]]]]], lambda s: s[0][0][0][0][0][0][0].append(2)),
        (wrong_games.Board(["x"]), lambda s: s.moves.append("y")),
        ((wrong_games.Board(["x"]),), lambda s: s[0].moves.append("y")),
    ],
)
def test_snapshots_see_changes(state: Any, change: Callable[[Any], object]) -> None:
    before = snapshot(state)
    assert not changed(before, snapshot(state))
    change(state)
    assert changed(before, snapshot(state))


def test_snapshots_of_what_cannot_be_seen() -> None:
    """Objects without attributes are known by their identity: the same one is no change, another is."""
    state = [Token(), len, rg.games.Kuhn()]
    before = snapshot(state)
    assert not changed(before, snapshot(state))
    state[0] = Token()
    assert changed(before, snapshot(state))


def test_the_largest_payoffs_are_solved() -> None:
    game = wrong_games.game(payoffs=lambda self, s: (-LARGEST_PAYOFF, LARGEST_PAYOFF) if s[0] == s[1] else (0, 0))
    run = rg.solve(rg.build(game), rg.CFR_PLUS, iterations=100)
    assert np.isfinite([run.value, run.exploitability, run.nash_conv]).all()
    assert run.value == pytest.approx(-LARGEST_PAYOFF / 2, rel=0.1)
    assert "1e+150" in refused(rg.build, wrong_games.answers()["payoffs of 1e308"])


@pytest.mark.skipif(INTERPRETED, reason="compiles games")
def test_compiled_games_have_the_same_limits() -> None:
    from examples_of_limits import Endless, Overwrites, Rich

    refused(compile_game, Endless())
    assert "it changes the state that it is given" in refused(compile_game, Overwrites())
    assert "1e+150" in refused(compile_game, Rich())


def test_a_deep_game_that_ends_is_listed() -> None:
    """5,000 moves are many, but random plays end."""
    game = wrong_games.game(
        wrong_games.Endless,
        player=lambda self, state: rg.TERMINAL if state == 5_000 else state % 2,
        actions=lambda self, state: ("on",),
        payoffs=lambda self, state: (1, -1),
    )
    assert rg.build(game).histories == 5_001
    assert rg.graph_of(game).positions == 5_001


# -- estimates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "infosets"),
    [
        (rg.games.Kuhn(), 12),
        (rg.games.Kuhn(players=3), 48),
        (rg.games.Leduc(), 936),
        (rg.games.Leduc(players=3), 25_800),
        (rg.games.LiarsDice(), 24_576),
        (rg.games.Goofspiel(cards=5), 2_124),
        (rg.games.Goofspiel(cards=7), 667_896),
        (rg.games.Goofspiel(cards=4, points="random"), 3_608),
        (rg.games.OshiZumo(), 30_600),
        (rg.games.PhantomTicTacToe(), 5_990_669),
        (rg.games.DarkHex(), 6_072_917),
        (rg.games.Blotto(), 2),
    ],
    ids=str,
)
def test_infosets_are_estimated_within_a_factor_of_two(game: rg.Game, infosets: int) -> None:
    estimate = rg.estimate_size(game)
    assert infosets / 2 <= estimate.infosets <= 2 * infosets
    assert estimate.infosets_seen <= estimate.infosets <= max(estimate.decisions, 1)
    assert estimate.sequences > estimate.infosets


def test_infosets_of_players_who_forget() -> None:
    game = rg.games.Dudo(sides=3, recall=1)
    assert 1 / 4 < rg.estimate_size(game).infosets / rg.graph_of(game).infosets < 4


class Slow(wrong_games.Guess):
    """Each question takes a while, and the game is large."""

    def player(self, state: Any) -> int:
        time.sleep(0.002)
        return rg.TERMINAL if len(state) == 60 else len(state) % 2

    def infoset(self, state: Any) -> Any:
        return state


@pytest.mark.full
def test_an_estimate_ends_in_time() -> None:
    began = time.perf_counter()
    estimate = rg.estimate_size(Slow(), seconds=3.0)
    assert time.perf_counter() - began < 9.0
    assert estimate.histories == pytest.approx(2.0**61, rel=1e-9)  # both actions everywhere: no variance
    assert "about" in estimate.about
    with pytest.raises(rg.OptionError, match="seconds is a time above zero, got 0"):
        rg.estimate_size(Slow(), seconds=0)


def test_an_estimate_of_which_no_descent_ends_is_a_lower_bound() -> None:
    estimate = rg.estimate_size(Slow(), seconds=0.05)
    assert estimate.probes == 0 and estimate.histories < 2.0**61
    assert str(estimate).startswith("at least ") and estimate.about == "at least "


@pytest.mark.full
def test_a_check_ends_in_time() -> None:
    began = time.perf_counter()
    report = rg.check_game(Slow(), seconds=2.0)
    assert time.perf_counter() - began < 10.0
    assert report.ok and not report.exact and "a sample" in str(report)


@pytest.mark.full
def test_a_slow_game_is_refused_before_it_is_listed() -> None:
    assert "histories will take about" in refused(rg.build, Slow())


@pytest.mark.skipif(not hasattr(signal, "raise_signal") or os.name == "nt", reason="sends a signal")
@pytest.mark.parametrize("call", [rg.estimate_size, rg.build, rg.check_game])
def test_ctrl_c_interrupts(call: Callable[[rg.Game], object]) -> None:
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call(Slow())
    finally:
        timer.cancel()


@pytest.mark.peer
@pytest.mark.parametrize("name", ["hive", "bridge"])
def test_large_games_of_openspiel(name: str) -> None:
    pytest.importorskip("pyspiel")
    game = rg.games.OpenSpiel(name)
    began = time.process_time()
    assert rg.estimate_size(game).histories > 1e30
    assert time.process_time() - began < 10.0
    assert "histories will take about" in refused(rg.build, game)
