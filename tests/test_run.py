"""What a run knows of itself, and saving and loading it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import regretless as rg
from conftest import built
from regretless.run import History


@pytest.fixture(scope="module")
def run(kuhn: rg.Tree) -> rg.Run:
    return rg.solve(kuhn, rg.CFR_PLUS, iterations=40)


def test_what_it_says(kuhn: rg.Tree, run: rg.Run) -> None:
    assert run.value == pytest.approx(rg.value(kuhn, run.strategy))
    assert run.exploitability == pytest.approx(rg.exploitability(kuhn, run.strategy))
    assert run.nash_conv == pytest.approx(rg.nash_conv(kuhn, run.strategy))
    assert run.current != run.strategy
    assert run.seconds > 0
    assert repr(run) == f"<Run of CFR+ on kuhn: 40 iterations, exploitability {run.exploitability:.3g}>"


def test_history(run: rg.Run) -> None:
    assert len(run.history) == 5
    assert set(run.history) == {"iteration", "seconds", "exploitability", "nash_conv", "value"}
    assert run.history["iteration"].dtype == np.int64
    assert run.history.rows()[-1]["exploitability"] == run.exploitability
    assert repr(run.history).startswith("<History: ")
    with pytest.raises(KeyError):
        run.history["regret"]


def test_nothing_measured_yet() -> None:
    empty = History([])
    assert empty["iteration"].shape == (0,)
    assert empty.rows() == []


def test_save_and_load(run: rg.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "kuhn.run")
    again = rg.load(tmp_path / "kuhn.run")
    assert isinstance(again, rg.Run)
    assert again.strategy == run.strategy
    assert again.current == run.current
    assert again.history.rows() == run.history.rows()
    assert (again.game, again.method, again.iterations, again.seconds) == ("kuhn", rg.CFR_PLUS, 40, run.seconds)
    assert again.settings == run.settings
    assert again.stopped == "finished"
    assert again.tree is None
    assert again.value == run.value
    assert again.regret_bound == run.regret_bound
    again.save(tmp_path / "again.run")
    assert (tmp_path / "again.run").read_bytes() == (tmp_path / "kuhn.run").read_bytes()


def test_a_first_checkpoint_holds_no_measurement(kuhn: rg.Tree, tmp_path: Path) -> None:
    seen: list[rg.Run] = []

    def peek(_: object) -> None:
        if not seen:
            seen.append(rg.load(tmp_path / "k.run"))  # type: ignore[arg-type]

    rg.solve(kuhn, iterations=3, checkpoint=tmp_path / "k.run", callback=peek)
    (first,) = seen
    assert first.iterations == 0
    assert first.stopped == "running"
    assert repr(first) == "<Run of CFR+ on kuhn: 0 iterations>"
    assert first.strategy == rg.Strategy.uniform(kuhn)
    with pytest.raises(rg.OptionError, match="nothing has been measured"):
        _ = first.exploitability


def test_joint_play(run: rg.Run) -> None:
    played = rg.solve("rps", rg.RegretMatching(), iterations=100)
    assert played.joint.shape == (3, 3)
    assert played.joint.sum() == pytest.approx(1.0)
    with pytest.raises(rg.OptionError, match=r"CFR\+ does not play the game"):
        _ = run.joint


def test_regret_bound(kuhn: rg.Tree) -> None:
    run = rg.solve(kuhn, rg.CFR.replace(alternating=False), iterations=50)
    owner, regret = kuhn.labels.infoset_of_sequence, run.arrays["regret"]
    by_hand = sum(max(regret[owner == infoset].max(), 0.0) for infoset in range(12)) / 50 / 2
    assert run.regret_bound == pytest.approx(by_hand)
    with pytest.raises(rg.OptionError, match="fictitious play keeps no counterfactual regrets"):
        _ = rg.solve(kuhn, rg.XFP, iterations=3).regret_bound
    with pytest.raises(rg.OptionError, match="regret matching keeps no counterfactual regrets"):
        _ = rg.solve("rps", rg.RegretMatching(), iterations=3).regret_bound


def test_a_result_does_not_change_when_the_game_is_solved_again(kuhn: rg.Tree) -> None:
    first = rg.solve(kuhn, iterations=5)
    before = {name: array.copy() for name, array in first.arrays.items()}
    rg.solve(kuhn, iterations=50)
    assert all(np.array_equal(first.arrays[name], before[name]) for name in before)


def test_names_of_games() -> None:
    class Own(rg.games.Kuhn):
        pass

    assert rg.solve(rg.build(Own()), iterations=1).game == "Own"
    assert rg.solve(built("kuhn:players=3"), iterations=1).game == "kuhn:players=3"
