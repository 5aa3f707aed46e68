"""Sampled methods and compiled games at the command line: solve, resume, show, compare, match and check."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from command_line import command

import regretless as rg
from conftest import INTERPRETED, built
from regretless.apps.commands.show import infoset_tables as showing_tables
from regretless.apps.commands.show.infoset_tables import most_visited
from regretless.apps.commands.summary import lower_bound
from regretless.run import read_run
from regretless.solving.progress import Display, gap_of

pytestmark = [
    pytest.mark.usefixtures("empty_folder"),
    pytest.mark.skipif(INTERPRETED, reason="compiled games need the compiler"),
]

UNLISTED = "mccfr:listed=no"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of Leduc poker that was never listed."""
    path = tmp_path_factory.mktemp("unlisted") / "leduc.run"
    rg.solve(rg.games.Leduc(), rg.MCCFR(listed=False), iterations=3_000, seed=1).save(path)
    return path


def test_algorithms_tell_of_sampling() -> None:
    said = command("algorithms").out
    assert "Lanctot et al. 2009" in said and "mccfr:listed=no" in said
    row = next(r for r in json.loads(command("algorithms", "--json").out)["algorithms"] if r["name"] == "mccfr")
    assert row["title"] == "MCCFR external"
    for scheme in ("external", "outcome", "chance", "average-strategy", "public-chance"):
        assert scheme in row["rule"]


class TestSolve:
    def test_a_listed_game_is_measured_exactly(self) -> None:
        said = json.loads(command("solve", "kuhn", "-a", "mccfr:sampling=outcome", "-n", 2000, "--json").out)
        assert said["listed"] and said["exploitability"] > 0 and said["nodes"] > 2000
        assert said["exploitability_low"] is None

    def test_an_unlisted_game_is_bounded_from_below(self) -> None:
        said = command("solve", "leduc", "-a", UNLISTED, "-n", 300, "--out", "run")
        words = " ".join(said.out.split())
        assert said.code == 0 and said.err == ""
        assert "leduc is not listed: infosets are kept when they are visited" in words
        assert "infosets visited" in words and "histories; the game was not listed" in words
        assert "at least" in words and "95 % between" in words
        assert "regretless show run" in words

    def test_json(self) -> None:
        said = json.loads(command("solve", "leduc", "-a", UNLISTED, "-n", 300, "--json").out)
        assert not said["listed"] and said["histories"] is None and said["sequences"] is None
        assert 0 <= said["exploitability_low"] <= said["exploitability"] <= said["exploitability_high"]
        assert said["infosets"] <= built("leduc").infosets

    def test_resume_equals_the_uninterrupted_run(self) -> None:
        assert command("solve", "leduc", "-a", UNLISTED, "-n", 200, "--seed", 3, "--out", "run", "-q").code == 0
        more = command("solve", "leduc", "-n", 500, "--out", "run", "--resume")
        assert more.code == 0 and "going on from iteration 200" in more.out
        assert command("solve", "leduc", "-a", UNLISTED, "-n", 500, "--seed", 3, "--out", "whole", "-q").code == 0
        one, other = read_run("run"), read_run("whole")
        assert all(np.array_equal(array, other.arrays[name]) for name, array in one.arrays.items())

    @pytest.mark.full
    def test_large_games_are_not_listed_unasked(self) -> None:
        said = json.loads(command("solve", "dudo:dice=2x2", "-a", "mccfr", "-n", 2, "--json").out)
        assert not said["listed"] and said["infosets"] > 100

    def test_mistakes(self) -> None:
        def refused(*arguments: object) -> str:
            return command("solve", *arguments).refused()

        assert "did you mean 'external'" in refused("kuhn", "-a", "mccfr:sampling=extrnal")
        assert "listed is yes or no, got 'maybe'" in refused("kuhn", "-a", "mccfr:listed=maybe")
        assert "'delay=3' is no setting of mccfr" in refused("kuhn", "-a", "mccfr:delay=3")
        assert "of which only a lower bound is known" in refused("leduc", "-a", UNLISTED, "--until", 0.1)
        assert "only if it is compiled" in refused("rps", "-a", UNLISTED)


def test_bounds_that_prove_nothing_say_so(saved: Path) -> None:
    run = read_run(saved)
    run.history["exploitability"][-1] = 0.25
    run.history["exploitability_low"][-1], run.history["exploitability_high"][-1] = 0.2, 0.3
    assert lower_bound(run) == (
        "at least 0.25 chips per game (won by a learned response, 95 % between 0.2 and 0.3)"
    )  # fmt: skip
    run.history["exploitability"][-1] = run.history["exploitability_low"][-1] = 0.0
    assert lower_bound(run) == (
        "at least 0 chips per game (a learned response wins nothing yet, 95 % between 0 and 0.3)"
    )  # fmt: skip


def test_the_live_line_says_at_least() -> None:
    assert gap_of({"exploitability": 0.01}) == "0.01"
    row = {"exploitability": -0.01, "exploitability_low": -0.03, "exploitability_high": 0.01}
    assert gap_of(row) == "at least 0 (95 % between -0.03 and 0.01)"
    with Display("MCCFR on leduc") as display:
        display.show(10, 0.5, row)
        assert "at least 0" in str(display.bar.tasks[0].fields["gap"])


class TestShow:
    def test_some_infosets_of_each_player(self, saved: Path) -> None:
        said = command("show", saved, "--limit", 6)
        assert said.code == 0 and said.err == ""
        assert "player 0" in said.out and "player 1" in said.out
        assert "more infosets, visited less often" in said.out
        rows = json.loads(command("show", saved, "--limit", 6, "--json").out)["strategy"]
        assert [row["player"] for row in rows] == [0, 1, 0, 1, 0, 1]

    def test_by_label_pattern_and_player(self, saved: Path) -> None:
        strategy = rg.load(saved).strategy  # type: ignore[union-attr]
        (row,) = json.loads(command("show", saved, "Ks", "--json").out)["strategy"]
        assert row == {"player": 0, "infoset": "Ks", "probabilities": strategy["Ks"]}
        rows = json.loads(command("show", saved, "K? r", "--limit", 50, "--json").out)["strategy"]
        assert {row["infoset"] for row in rows} == {"Ks r", "Kh r"}
        rows = json.loads(command("show", saved, "*", "--player", 1, "--limit", 9, "--json").out)["strategy"]
        assert len(rows) == 9 and {row["player"] for row in rows} == {1}

    def test_current_differs(self, saved: Path) -> None:
        average, current = (json.loads(command("show", saved, "Ks", "--json", *f).out) for f in ((), ("--current",)))
        assert average["strategy"] != current["strategy"]

    def test_unknown_infosets(self, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "the solve has not visited an infoset 'Kx'" in command("show", saved, "Kx").refused()
        assert "players 0 to 1" in command("show", saved, "--player", 2).refused()
        monkeypatch.setattr(showing_tables, "LOOKED_THROUGH", 10)
        assert "among the 10 of" in command("show", saved, "Kx").refused()

    def test_files(self, saved: Path) -> None:
        assert "infosets written to s.csv" in command("show", saved, "--csv", "s.csv").out
        strategy = rg.load(saved).strategy  # type: ignore[union-attr]
        with Path("s.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert len({(row["player"], row["infoset"]) for row in rows}) == len(strategy)
        some = next(row for row in rows if (row["infoset"], row["action"]) == ("Ks", "raise"))
        assert float(some["probability"]) == strategy["Ks"]["raise"]
        assert "--csv can" in command("show", saved, "--parquet", "s.parquet").refused()

    def test_no_more_than_is_printed_gets_a_name(self, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []
        label = rg.games.Leduc.infoset_label
        monkeypatch.setattr(rg.games.Leduc, "infoset_label", lambda game, i: asked.append(i) or label(game, i))
        assert command("show", saved, "--limit", 5).code == 0
        assert len(asked) == 5

    def test_an_empty_table(self) -> None:
        run = rg.solve(rg.games.Leduc(), rg.MCCFR(listed=False), iterations=1)
        assert len(most_visited(run.strategy)) == run.infosets  # type: ignore[arg-type]


class TestCompare:
    def test_on_one_tree(self) -> None:
        said = json.loads(command("compare", "kuhn", "-a", "cfr+,mccfr,mccfr:sampling=chance", "-n", 500, "--json").out)
        assert {row["method"] for row in said["rows"]} == {"CFR+", "MCCFR external", "MCCFR chance"}
        assert all(row["listed"] for row in said["rows"])

    def test_without_a_tree(self) -> None:
        said = command("compare", "leduc", "-a", "mccfr:listed=no,mccfr:listed=no,variant=linear", "-n", 200)
        assert said.code == 0
        assert "not listed" in said.out and "≥" in said.out and "MCCFR external (linear CFR)" in said.out
        assert not any(run.listed for run in rg.compare("leduc", [UNLISTED], iterations=2).runs.values())

    def test_every_method_works_on_what_it_would_work_on_alone(self) -> None:
        runs = rg.compare("leduc", [UNLISTED, "cfr", "mccfr"], iterations=2).runs
        assert [run.listed for run in runs.values()] == [False, True, True]
        _, cfr, sampled = runs.values()
        assert cfr.problem is sampled.problem


class TestMatch:
    def test_two_tables(self, saved: Path) -> None:
        assert command("solve", "leduc", "-a", UNLISTED, "-n", 5, "--out", "early.run", "-q").code == 0
        exact = json.loads(command("match", "leduc", saved, "early.run", "--json").out)
        assert exact["exact"] and exact["mean"] > 0
        played = json.loads(command("match", "leduc", saved, "early.run", "--hands", 20_000, "--json").out)
        assert played["low"] < exact["mean"] < played["high"]

    def test_a_table_against_a_listed_strategy(self, saved: Path) -> None:
        rg.Strategy.uniform(built("leduc")).save("uniform")
        said = command("match", "leduc", saved, "uniform")
        assert said.code == 0 and "a wins" in said.out


class TestCheck:
    @pytest.fixture
    def games(self) -> str:
        Path("sticks.py").write_text(
            dedent(
                """
                import regretless as rg

                class Guess(rg.Game):
                    def root(self): return (0, 0)
                    def player(self, state): return state[0] if state[0] < 2 else rg.TERMINAL
                    def actions(self, state): return (0, 1)
                    def play(self, state, action): return (state[0] + 1, 2 * state[1] + action)
                    def infoset(self, state): return state[0]
                    def payoffs(self, state): return (1, -1) if state[1] in (0, 3) else (-1, 1)

                @rg.compiled
                class Fine(Guess):
                    pass

                @rg.compiled
                class Wordy(Guess):
                    def infoset(self, state): return f"{state[0]}"
                """
            )
        )
        return "sticks.py"

    def test_says_whether_it_compiles(self, games: str) -> None:
        fine = command("check", f"{games}:Fine")
        assert fine.code == 0 and "compiled: an infoset is one number" in fine.out
        said = json.loads(command("check", f"{games}:Fine", "--json").out)
        assert said["ok"] and said["compiled"] is True

    def test_and_why_not(self, games: str) -> None:
        wordy = command("check", f"{games}:Wordy")
        assert wordy.code == 2 and "no problem found" in wordy.out
        assert "not compiled: Wordy.infoset (sticks.py, line 18) cannot be compiled: it uses text" in wordy.out
        said = json.loads(command("check", f"{games}:Wordy", "--json").out)
        assert not said["ok"] and said["compiled"] is False and "it uses text" in said["compiler"]

    def test_nothing_of_games_that_are_not_marked(self, games: str) -> None:
        said = command("check", f"{games}:Guess")
        assert said.code == 0 and "compiled" not in said.out
        assert json.loads(command("check", f"{games}:Guess", "--json").out)["compiled"] is None
