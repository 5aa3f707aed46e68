"""The solve loop: stopping rules, callbacks, Ctrl-C, options that make no sense."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from conftest import INTERPRETED, built
from random_games import RandomGame, Tilted, random_games
from regretless.solving.loop import Snapshot
from regretless.solving.measuring_times import next_measurement


def assert_equal_state(one: rg.Run, other: rg.Run) -> None:
    assert one.iterations == other.iterations
    assert one.arrays.keys() == other.arrays.keys()
    for name in one.arrays:
        assert np.array_equal(one.arrays[name], other.arrays[name]), name
        assert one.arrays[name].dtype == other.arrays[name].dtype


# -- what it takes ----------------------------------------------------------------------------------------------------


def test_games_trees_and_names(kuhn: rg.Tree) -> None:
    runs = [rg.solve(game, "cfr+", iterations=5) for game in (kuhn, rg.games.Kuhn(), "kuhn")]
    for run in runs:
        assert_equal_state(run, runs[0])
        assert run.game == "kuhn"
    assert rg.solve("one_card_poker:deck=4", iterations=1).game == "one_card_poker:deck=4"


def test_defaults(kuhn: rg.Tree) -> None:
    run = rg.solve(kuhn)
    assert run.method == rg.CFR_PLUS
    assert run.iterations == 1_000
    assert run.stopped == "finished"
    assert run.settings["planned"] == 1_000
    assert run.tree is kuhn


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"iterations": 0}, "iterations is a positive whole number, got 0"),
        ({"iterations": -3}, "iterations is a positive whole number, got -3"),
        ({"iterations": 2.5}, "got 2.5"),
        ({"iterations": True}, "got True"),
        ({"iterations": float("nan")}, "got nan"),
        ({"iterations": float("inf")}, "got inf"),
        ({"iterations": "ten"}, "got 'ten'"),
        ({"until": 0}, "until is an exploitability above zero, got 0"),
        ({"until": -1e-3}, "until is an exploitability above zero"),
        ({"until": float("nan")}, "until is an exploitability above zero"),
        ({"seconds": 0}, "seconds is a time above zero, got 0"),
        ({"seconds": -1}, "seconds is a time above zero"),
        ({"seed": -1}, "seed is a whole number"),
        ({"seed": 1.5}, "seed is a whole number"),
        ({"seed": 2**64}, "seed is a whole number"),
        ({"threads": 0}, "threads is a positive whole number, got 0"),
        ({"threads": 1.5}, "threads is a positive whole number, got 1.5"),
        ({"method": rg.CFRBR(), "device": "cuda"}, "CFR-BR has no GPU path here: use device='cpu'"),
        ({"dtype": "float16"}, "dtype is 'float64' or 'float32', got 'float16'"),
        ({"method": rg.FictitiousPlay(), "dtype": "float32"}, "fictitious play computes in float64 only"),
        ({"method": "cfr++"}, r"unknown algorithm 'cfr\+\+'; did you mean 'cfr\+'"),
        ({"method": 3}, "the second argument of solve is a method such as rg.CFR_PLUS, got 3"),
        ({"fixed": {2: [1, 0]}}, "fixed names player 2; this game has players 0 to 1"),
        ({"fixed": {0: [0.5, 0.5]}}, "fixed player 0 has 6 infosets: give a Strategy"),
        ({"fixed": {0: {"K": [0.5, 0.5]}}}, "fixed player 0: the strategy has no probabilities for infoset 'J'"),
    ],
)
def test_options_that_make_no_sense(kuhn: rg.Tree, options: dict[str, Any], said: str) -> None:
    method = options.pop("method", rg.CFR_PLUS)
    with pytest.raises(rg.OptionError, match=said):
        rg.solve(kuhn, method, **options)


def test_not_a_game() -> None:
    with pytest.raises(rg.OptionError, match="a Tree, a Game or a name is needed here, got 3 of type int"):
        rg.solve(3)
    with pytest.raises(rg.OptionError, match=r"Kuhn is a class: write Kuhn\(\)"):
        rg.solve(rg.games.Kuhn)
    with pytest.raises(rg.OptionError, match="no game named 'kunh': did you mean 'kuhn'"):
        rg.solve("kunh")


def test_everybody_fixed_or_another_games_strategy(kuhn: rg.Tree, leduc: rg.Tree) -> None:
    uniform = rg.Strategy.uniform(kuhn)
    with pytest.raises(rg.OptionError, match="nothing is left to learn"):
        rg.solve(kuhn, fixed={0: uniform, 1: uniform})
    with pytest.raises(rg.OptionError, match="another game"):
        rg.solve(leduc, fixed={0: uniform})
    unknown = {**{key: [0.5, 0.5] for key in ("J", "Q", "K", "Jpb", "Qpb", "Kpb")}, "Zz": [0.5, 0.5]}
    with pytest.raises(rg.OptionError, match="no infoset"):
        rg.solve(kuhn, fixed={0: unknown})


# -- when it stops ----------------------------------------------------------------------------------------------------


def test_until(kuhn: rg.Tree) -> None:
    run = rg.solve(kuhn, rg.CFR_PLUS, until=1e-2)
    assert run.stopped == "until"
    assert run.exploitability <= 1e-2
    assert (run.history["exploitability"][:-1] > 1e-2).all()
    assert run.settings["planned"] is None


def test_whichever_comes_first(kuhn: rg.Tree) -> None:
    assert rg.solve(kuhn, iterations=3, until=1e-9).stopped == "finished"
    assert rg.solve(kuhn, iterations=10**9, until=0.05).stopped == "until"
    assert rg.solve(kuhn, iterations=10**9, seconds=0.05).stopped == "seconds"


def test_seconds(leduc: rg.Tree) -> None:
    rg.solve(leduc, iterations=2)
    began = time.perf_counter()
    run = rg.solve(leduc, seconds=0.3)
    assert run.stopped == "seconds"
    assert 0.25 < time.perf_counter() - began < (20 if INTERPRETED else 2)
    assert run.iterations > 0
    assert run.history["iteration"][-1] == run.iterations
    assert_equal_state(run, rg.solve(leduc, iterations=run.iterations))


def test_callback(kuhn: rg.Tree) -> None:
    seen: list[Snapshot] = []

    def watch(snapshot: Snapshot) -> bool | None:
        seen.append(snapshot)
        assert rg.exploitability(kuhn, snapshot.strategy) == pytest.approx(snapshot.exploitability)
        assert rg.value(kuhn, snapshot.strategy) == pytest.approx(snapshot.value)
        assert snapshot.nash_conv == pytest.approx(2 * snapshot.exploitability)
        assert len(snapshot.current) == 12
        return True if snapshot.iteration >= 7 else None

    run = rg.solve(kuhn, rg.CFR, iterations=100, callback=watch)
    assert run.stopped == "callback"
    assert [s.iteration for s in seen] == [1, 2, 3, 4, 5, 6, 7]
    assert_equal_state(run, rg.solve(kuhn, rg.CFR, iterations=7))


def test_a_callback_stops_with_true_alone(kuhn: rg.Tree) -> None:
    assert rg.solve(kuhn, iterations=5, callback=lambda _: 1).stopped == "finished"


def test_ctrl_c_in_a_callback(kuhn: rg.Tree, tmp_path: Path) -> None:
    def interrupt(snapshot: Snapshot) -> None:
        if snapshot.iteration == 5:
            raise KeyboardInterrupt

    path = tmp_path / "kuhn.run"
    run = rg.solve(kuhn, rg.DCFR, iterations=20, callback=interrupt, checkpoint=path)
    assert run.stopped == "interrupted"
    whole = rg.solve(kuhn, rg.DCFR, iterations=20)
    assert_equal_state(run, rg.solve(kuhn, rg.DCFR, iterations=5))
    assert_equal_state(rg.resume(path), whole)


METHODS_TO_INTERRUPT = ["cfr+", "cfr-br", "fictitious-play", "regret-matching"]


@pytest.mark.parametrize("method", METHODS_TO_INTERRUPT)
def test_a_signal_at_any_moment_leaves_the_run_intact(method: str) -> None:
    """SIGINT arrives while a kernel runs; what it has done must be counted."""
    tree = built("rps" if method == "regret-matching" else "kuhn")
    rg.solve(tree, method, iterations=2)
    for delay in (0.02, 0.05, 0.11):
        timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            run = rg.solve(tree, method, iterations=10**9)
        finally:
            timer.cancel()
        assert run.stopped == "interrupted"
        assert run.history["iteration"][-1] == run.iterations
        assert_equal_state(run, rg.solve(tree, method, iterations=run.iterations))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_to_a_process(tmp_path: Path) -> None:
    path = tmp_path / "leduc.run"
    code = (
        "import sys, regretless as rg\n"
        "tree = rg.build(rg.games.Leduc()); rg.solve(tree, iterations=2); print('ready', flush=True)\n"
        "run = rg.solve(tree, rg.PDCFR_PLUS, iterations=10**9, checkpoint=sys.argv[1])\n"
        "print(run.stopped, run.iterations)\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert err == ""
    stopped, iterations = out.split()
    assert stopped == "interrupted"
    run = rg.load(path)
    assert isinstance(run, rg.Run)
    assert run.iterations == int(iterations)
    assert_equal_state(run, rg.solve("leduc", rg.PDCFR_PLUS, iterations=run.iterations))


@pytest.mark.skipif(INTERPRETED, reason="a process of its own, and slow")
def test_kill_9_leaves_the_last_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "leduc.run"
    code = (
        "import sys, regretless as rg\n"
        "rg.solve('leduc', rg.DCFR, iterations=10**9, checkpoint=sys.argv[1], checkpoint_every=0.02)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)]) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.05)
            if path.exists() and (run := rg.load(path)).iterations > 100:  # type: ignore[union-attr]
                break
        process.kill()
        process.wait()
    run = rg.load(path)
    assert isinstance(run, rg.Run)
    assert run.stopped == "running"
    assert run.iterations > 100
    assert_equal_state(run, rg.solve("leduc", rg.DCFR, iterations=run.iterations))


# -- what it measures -------------------------------------------------------------------------------------------------


def test_measurements_are_at_the_same_iterations_in_every_run(kuhn: rg.Tree) -> None:
    run = rg.solve(kuhn, iterations=500)
    numbers = run.history["iteration"].tolist()
    assert numbers[:10] == list(range(1, 11))
    assert numbers[-1] == 500
    for here, there in pairwise(numbers[:-1]):
        assert there == next_measurement(here)
    assert len(numbers) < 120


def test_history_columns(kuhn: rg.Tree) -> None:
    history = rg.solve(kuhn, iterations=30).history
    assert list(history) == ["iteration", "seconds", "exploitability", "nash_conv", "value"]
    assert (np.diff(history["seconds"]) >= 0).all()
    np.testing.assert_allclose(history["nash_conv"], 2 * history["exploitability"])


def test_before_anything_is_averaged_the_last_iterate_is_the_strategy(kuhn: rg.Tree) -> None:
    run = rg.solve(kuhn, rg.CFR_PLUS.replace(delay=50), iterations=10)
    assert run.strategy == run.current
    assert run.exploitability == pytest.approx(rg.exploitability(kuhn, run.current))
    fixed = rg.solve(kuhn, rg.CFR_PLUS.replace(delay=50), iterations=10, fixed={0: rg.Strategy.uniform(kuhn)})
    assert fixed.strategy == fixed.current


def test_progress_shows_itself_on_standard_error(kuhn: rg.Tree, capfd: pytest.CaptureFixture[str]) -> None:
    quiet = rg.solve(kuhn, iterations=50)
    assert capfd.readouterr() == ("", "")
    run = rg.solve(kuhn, iterations=50, progress=True, until=1e-9, seconds=60)
    out, _ = capfd.readouterr()
    assert out == ""
    assert_equal_state(run, quiet)


def test_progress_of_every_stopping_rule(kuhn: rg.Tree, capfd: pytest.CaptureFixture[str]) -> None:
    assert rg.solve(kuhn, until=1e-2, progress=True).stopped == "until"
    assert rg.solve(kuhn, seconds=0.05, progress=True).stopped == "seconds"


# -- fixed players, seeds, precision ----------------------------------------------------------------------------------


def test_rock_paper_scissors_against_too_much_rock(rps: rg.Tree) -> None:
    for fixed in ([0.4, 0.3, 0.3], {"rock": 0.4, "paper": 0.3, "scissors": 0.3}, {"player 0": [0.4, 0.3, 0.3]}):
        run = rg.solve(rps, rg.CFR, iterations=1_000, fixed={0: fixed})  # type: ignore[dict-item]
        assert run.strategy["player 0"] == pytest.approx({"rock": 0.4, "paper": 0.3, "scissors": 0.3})
        assert run.strategy["player 1"]["paper"] > 0.99
        assert run.value == pytest.approx(-0.1, abs=1e-3)
        assert run.exploitability < 1e-3


@given(random_games(), st.integers(0, 99))
def test_against_fixed_players_a_best_response_is_learnt(game: RandomGame, seed: int) -> None:
    from compare_tables import random_strategy

    tree = rg.build(game)
    strategy = random_strategy(tree, seed)
    others = dict.fromkeys(range(1, tree.players), strategy)
    run = rg.solve(tree, rg.CFR_PLUS, iterations=60 if INTERPRETED else 400, fixed=others)
    best = rg.best_response(tree, strategy, 0).value
    assert best - run.value == pytest.approx(run.nash_conv, abs=1e-9)
    assert run.nash_conv < 0.05
    for player in others:
        mine = tree.labels.player_of_sequence == player
        np.testing.assert_allclose(run.current.probabilities[mine], strategy.probabilities[mine], atol=1e-15)


@pytest.mark.parametrize("method", [rg.CFR, rg.CFR_PLUS, rg.PDCFR_PLUS], ids=lambda method: method.name)
def test_single_precision_is_close(method: rg.Variant) -> None:
    tree = rg.build(Tilted(rg.games.Kuhn()))
    single = rg.solve(tree, method, iterations=50, dtype="float32")
    double = rg.solve(tree, method, iterations=50)
    assert single.arrays["regret"].dtype == np.float32
    np.testing.assert_allclose(single.arrays["regret"], double.arrays["regret"], atol=1e-4)
    np.testing.assert_allclose(single.strategy.probabilities, double.strategy.probabilities, atol=1e-4)
    assert single.exploitability == pytest.approx(double.exploitability, abs=1e-5)
    assert single.value == pytest.approx(double.value, abs=1e-5)


def test_seeds() -> None:
    tree = built("rps")
    runs = [rg.solve(tree, rg.RegretMatching(), iterations=500, seed=seed) for seed in (3, 3, 4)]
    assert_equal_state(runs[0], runs[1])
    assert not np.array_equal(runs[0].arrays["joint"], runs[2].arrays["joint"])
    largest = rg.solve(tree, rg.RegretMatching(), iterations=5, seed=2**64 - 1)
    assert largest.joint.sum() == pytest.approx(1.0)


def test_numbers_of_numpy_will_do(tmp_path: Path) -> None:
    run = rg.solve("rps", rg.RegretMatching(), iterations=np.int64(40), seed=np.uint32(5), threads=np.int8(1))
    run.save(tmp_path / "rps.run")
    rg.solve("rps", iterations=1, fixed={np.int64(0): [1, 0, 0]}).save(tmp_path / "fixed.run")
    again = rg.resume(tmp_path / "rps.run", iterations=np.int64(2))
    again.save(tmp_path / "again.run")
    assert again.iterations == 42
    assert_equal_state(again, rg.solve("rps", rg.RegretMatching(), iterations=42, seed=5))


@given(random_games(players=(2,), zero_sum=True), st.integers(1, 60))
def test_cfr_regret_bound(game: RandomGame, iterations: int) -> None:
    """Zinkevich et al. 2007: exploitability ≤ Σ max R⁺/T, and ≤ Δ·|I|·√|A|/√T, with simultaneous updates."""
    tree = rg.build(game)
    run = rg.solve(tree, rg.CFR.replace(alternating=False), iterations=iterations)
    assert run.exploitability <= run.regret_bound + 1e-9
    payoffs = tree.listing.payoffs
    spread = float(payoffs.max() - payoffs.min())
    widest = max((len(actions) for actions in tree.labels.actions), default=1)
    bound = spread * tree.infosets * widest**0.5 / iterations**0.5
    assert run.nash_conv <= bound + 1e-9
