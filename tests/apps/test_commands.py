"""What every command prints, for people and for machines."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import command, surroundings, write_games
from typer.testing import CliRunner

import regretless as rg
from conftest import built
from regretless.apps.cli import app
from regretless.apps.commands.bench import GAMES, figures, least_seconds
from regretless.apps.commands.catalogue import ALGORITHMS
from regretless.apps.commands.strategies.comparing import split_names
from regretless.apps.printing import chips, percent, spent
from regretless.lookup.methods import METHODS

pytestmark = pytest.mark.usefixtures("empty_folder")


@pytest.fixture
def mygame(tmp_path: Path) -> Path:
    return write_games(tmp_path / "mygame.py")


def test_help_names_every_command() -> None:
    said = command("--help")
    assert said.code == 0
    for name in ("games", "algorithms", "solve", "compare", "show", "check", "export", "bench"):
        assert name in said.out


def test_version() -> None:
    assert command("--version").out == f"regretless {rg.__version__}\n"


def test_the_app_works_without_main() -> None:
    assert CliRunner().invoke(app, ["solve", "kuhn", "-q"]).exit_code == 0
    assert CliRunner().invoke(app, ["solve", "kuhm"]).exit_code == 2


def test_games() -> None:
    said = command("games").out
    assert "leduc" in said and "players=2, ranks=none, suits=2" in said and "Kuhn poker" in said
    rows = {row["name"]: row for row in json.loads(command("games", "--json").out)["games"]}
    assert set(rows) == set(rg.games.names())
    assert rows["leduc"]["parameters"] == {"players": "2", "ranks": "none", "suits": "2", "raises": "2"}
    assert rows["openspiel"]["parameters"] == {"name": None}


def test_algorithms() -> None:
    assert "Tammelin 2014" in command("algorithms").out
    rows = json.loads(command("algorithms", "--json").out)["algorithms"]
    assert [row["name"] for row in rows] == list(METHODS)
    assert all(row["title"] and row["rule"] and row["paper"] for row in rows)
    assert set(ALGORITHMS) == set(METHODS)


def test_solve_says_how_good_the_solution_is() -> None:
    said = command("solve", "kuhn", "-n", 500)
    assert said.code == 0 and said.err == ""
    words = " ".join(said.out.split())
    assert "58 histories, 12 infosets" in words
    assert "500 in" in words and "per second" in words
    assert "chips per game to player 0" in words
    assert "chips per game (NashConv / 2 players)" in words
    assert "all iterations done" in words
    assert "player 1 infoset pass bet" in words  # a short strategy is printed too


def test_solve_as_json() -> None:
    said = json.loads(command("solve", "kuhn", "-n", 500, "--json").out)
    assert said["value"] == pytest.approx(-1 / 18, abs=1e-3)
    assert said["values"] == pytest.approx([-1 / 18, 1 / 18], abs=1e-3)
    assert said["nash_conv"] == pytest.approx(2 * said["exploitability"])
    assert (said["histories"], said["terminals"], said["infosets"], said["sequences"]) == (58, 30, 12, 26)
    assert (said["iterations"], said["stopped"], said["saved"]) == (500, "finished", None)
    assert said["algorithm"] == "CFR+"


def test_solve_stops_at_an_exploitability_or_a_time() -> None:
    reached = json.loads(command("solve", "kuhn", "--until", 1e-2, "--json").out)
    assert reached["stopped"] == "until" and 0 < reached["exploitability"] <= 1e-2
    timed = json.loads(command("solve", "leduc", "--seconds", 0.1, "--json").out)
    assert timed["stopped"] == "seconds" and timed["iterations"] > 0


def test_settings_reach_the_solver() -> None:
    said = json.loads(
        command("solve", "kuhn", "-a", "cfr+:delay=10", "--dtype", "float32", "--seed", 3, "--threads", 2, "--json").out
    )  # fmt: skip
    assert said["algorithm"] == "CFR+ (delay 10)"
    assert said["settings"]["dtype"] == "float32"
    assert (said["settings"]["seed"], said["settings"]["threads"]) == (3, 2)


def test_quiet_prints_nothing() -> None:
    said = command("solve", "kuhn", "-q", "--out", "run")
    assert (said.code, said.out, said.err) == (0, "", "")
    assert Path("run").exists()


def test_more_players_and_other_sums_are_told_apart() -> None:
    assert "3 players" in command("solve", "kuhn:players=3", "-n", 10).out
    said = command("solve", "battle_of_the_sexes", "-n", 10).out
    assert "not zero-sum" in said and "to players 0 to 1" in said


@pytest.mark.full
def test_large_games_announce_their_size() -> None:
    said = command("solve", "goofspiel:cards=6", "-n", 1).out
    assert "histories: building takes some" in said.splitlines()[0]


def test_own_games(mygame: Path) -> None:
    said = json.loads(command("solve", f"{mygame}:Guess", "--out", "guess.run", "--json").out)
    assert said["game"] == f"{mygame}:Guess"
    assert command("show", "guess.run").code == 0
    more = command("solve", f"{mygame}:Guess", "--out", "guess.run", "--resume", "-n", 1500, "--json")
    assert json.loads(more.out)["iterations"] == 1500


def test_gambit_files() -> None:
    assert command("export", "kuhn", "kuhn.efg").code == 0
    solved = json.loads(command("solve", "kuhn.efg", "--json").out)
    assert solved["game"] == "kuhn.efg"
    assert solved["value"] == pytest.approx(-1 / 18, abs=1e-3)
    assert command("check", "kuhn.efg").code == 0


def test_plot() -> None:
    assert command("solve", "kuhn", "--plot", "kuhn.png").code == 0
    refused = command("solve", "kuhn", "--plot", "never.png", "--measure", "never", "--out", "kuhn.run").refused()
    assert "--plot draws what was measured" in refused and not Path("kuhn.run").exists()
    assert Path("kuhn.png").read_bytes().startswith(b"\x89PNG")


def test_compare() -> None:
    said = command("compare", "kuhn", "-a", "cfr,pcfr+", "-n", 300, "--plot", "c.svg", "--csv", "c.csv")
    assert said.code == 0
    assert said.out.index("PCFR+") < said.out.index("\nCFR ")
    assert "<svg" in Path("c.svg").read_text()
    with Path("c.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["algorithm"] for row in rows} == {"CFR", "PCFR+"}
    assert rows[-1]["iteration"] == "300"


def test_compare_as_json() -> None:
    said = json.loads(command("compare", "kuhn", "-n", 100, "--json").out)
    gaps = [row["exploitability"] for row in said["rows"]]
    assert len(gaps) == 4 and gaps == sorted(gaps)


def test_algorithm_lists_keep_settings_together() -> None:
    given = ["cfr,cfr+:delay=100,alternating=no", "dcfr"]
    assert split_names(given) == ["cfr", "cfr+:delay=100,alternating=no", "dcfr"]


def test_check(mygame: Path) -> None:
    sound = command("check", "kuhn")
    assert sound.code == 0 and "no problem found" in sound.out
    broken = command("check", f"{mygame}:Raises")
    assert broken.code == 2 and "play() raised KeyError: 'oops'" in broken.out
    said = json.loads(command("check", f"{mygame}:Raises", "--json").out)
    assert said["ok"] is False and said["problems"][0]["kind"] == "raises"
    assert json.loads(command("check", "kuhn", "--json").out)["estimate"]["histories"] == 58


def test_bench_measures_something() -> None:
    row = figures("kuhn")
    assert row.histories == 58 and row.nonzeros > 0
    times = (row.build_seconds, row.iteration_seconds, row.products_seconds, row.exploitability_seconds)
    assert min(times) > 0
    assert least_seconds(lambda: None, budget=0.001) < 1e-3
    assert "kuhn" in GAMES


@pytest.mark.full
def test_bench_as_json() -> None:
    said = json.loads(command("bench", "--json").out)
    assert [row["game"] for row in said["games"]] == list(GAMES)


def test_numbers_in_words() -> None:
    assert [chips(v) for v in (0.0, -1e-9, -1 / 18, None)] == ["0", "0", "-0.055556", "not measured"]
    assert [percent(p) for p in (0.0, 1.0, 1 / 3)] == ["0%", "100%", "33.3%"]
    assert [spent(s) for s in (2e-8, 2e-6, 0.25, 3.04, 125, 7300)] == [
        "20 ns", "2 µs", "250 ms", "3.0 s", "2 min 5 s", "2 h 1 min"
    ]  # fmt: skip


class TestShow:
    @pytest.fixture
    def saved(self, tmp_path: Path) -> Path:
        rg.solve(built("kuhn"), iterations=200).save(tmp_path / "kuhn.run")
        return tmp_path / "kuhn.run"

    def test_prints_a_table_for_each_player(self, saved: Path) -> None:
        said = command("show", saved)
        assert said.code == 0
        assert "player 0" in said.out and "player 1" in said.out and "CFR+" in said.out
        assert all(len(line) <= 80 for line in said.out.splitlines())
        king = next(line for line in said.out.splitlines() if line.startswith("Kb"))
        assert "100" in king

    def test_infosets_by_name_pattern_and_player(self, saved: Path) -> None:
        def shown(*more: object) -> list[tuple[int, str]]:
            rows = json.loads(command("show", saved, *more, "--json").out)["strategy"]
            return [(row["player"], row["infoset"]) for row in rows]

        assert len(shown()) == 12
        assert shown("K", "Qb") == [(0, "K"), (1, "Qb")]
        assert {name for _, name in shown("K*")} == {"K", "Kp", "Kb", "Kpb"}
        assert {player for player, _ in shown("--player", 1)} == {1}
        assert len(shown("--limit", 3)) == 3

    def test_says_how_many_more_there_are(self, saved: Path) -> None:
        assert "8 more infosets" in command("show", saved, "--limit", 4).out

    def test_current_and_average_differ(self, saved: Path) -> None:
        average, current = (json.loads(command("show", saved, "--json", *flags).out) for flags in ((), ("--current",)))
        assert (average["which"], current["which"]) == ("average", "current")
        assert average["strategy"] != current["strategy"]

    def test_writes_files(self, saved: Path) -> None:
        said = command("show", saved, "--csv", "s.csv", "--parquet", "s.parquet")
        assert said.out.splitlines() == [
            "12 infosets written to s.csv",
            "12 infosets written to s.parquet",
        ]
        with Path("s.csv").open() as file:
            assert len(list(csv.DictReader(file))) == 24
        assert Path("s.parquet").read_bytes().startswith(b"PAR1")

    def test_strategy_files(self, tmp_path: Path) -> None:
        rg.Strategy.uniform(built("kuhn")).save(tmp_path / "uniform")
        assert "50.0%" in command("show", "uniform").out
        said = json.loads(command("show", "uniform", "--json").out)
        assert said["kind"] == "strategy" and said["game"] is None and len(said["strategy"]) == 12
        assert "it has no current iterate" in command("show", "uniform", "--current").refused()

    def test_many_actions_become_a_list(self, tmp_path: Path) -> None:
        rg.solve(built("blotto"), iterations=200).save(tmp_path / "blotto")
        said = command("show", "blotto").out
        assert "others 0%" in said and "3-2-0" in said

    def test_unknown_infosets(self, saved: Path) -> None:
        assert "did you mean 'Kb'" in command("show", saved, "Kbb").refused()
        assert "no infoset 'K' of player 1" in command("show", saved, "K", "--player", 1).refused()
        assert "players 0 to 1" in command("show", saved, "--player", 2).refused()


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from regretless.apps.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numba', 'scipy', 'matplotlib', 'pandas') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=surroundings(), capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_solving_imports_no_pictures() -> None:
    code = (
        "import sys\n"
        "from regretless.apps.cli import main\n"
        "try:\n    main(['solve', 'kuhn', '-q'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "print([m for m in ('scipy.optimize', 'matplotlib', 'pandas') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=surroundings(), capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
