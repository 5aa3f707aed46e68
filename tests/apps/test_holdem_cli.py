"""Hold'em on the command line: spots in files, units of poker, nodes and grids, and everything that can go wrong."""

from __future__ import annotations

import csv
import json
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import Answer, command, start

import regretless as rg
from conftest import INTERPRETED
from regretless.poker.tree import memory_estimate as memory
from regretless.run import read_run

pytestmark = [
    pytest.mark.usefixtures("empty_folder"),
    pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled"),
]

RIVER = """
board = "Qs Jh 2h 7c 3d"
ranges = { oop = "QQ+,AK,JTs", ip = "JJ-99,AQ,KQs,T9s" }
pot = 100
stack = 200
big_blind = 2
sizes = "bet 50% 100%, raise 2.5x"
"""
TURN = """
board = "Qs Jh 2h 7c"
ranges = ["AA,KQs,T9s", "KK,QJs,98s"]
pot = 100
stack = 100
sizes = "bet 75%, raise all-in"
"""
LEDUC = """GAMEDEF
limit
numPlayers = 2
numRounds = 2
blind = 1 1
raiseSize = 2 4
firstPlayer = 1 1
maxRaises = 2 2
numSuits = 2
numRanks = 3
numHoleCards = 1
numBoardCards = 0 1
END GAMEDEF
"""


@pytest.fixture
def river(empty_folder: Path) -> str:
    (empty_folder / "river.toml").write_text(RIVER)
    return "river.toml"


@pytest.fixture
def turn(empty_folder: Path) -> str:
    (empty_folder / "turn.toml").write_text(TURN)
    return "turn.toml"


@pytest.fixture
def solved(river: str) -> str:
    """A run of the river, in a file."""
    assert command("solve", river, "-a", "dcfr", "-n", 100, "--out", "river.run", "-q").code == 0
    return "river.run"


def words(answer: Answer) -> str:
    assert answer.code == 0, answer.err
    return " ".join(answer.out.split())


class TestSolve:
    def test_tells_sizes_first_and_units_of_poker_last(self, river: str) -> None:
        said = command("solve", river, "-a", "dcfr", "-n", 100)
        assert said.err == ""
        assert said.out.splitlines()[0] == (
            "river.toml: 1 board, 14 decision nodes, 476 infosets, 1,292 infoset-actions; 170 MB of memory as float32"
        )
        text = words(said)
        assert "Qs Jh 2h 7c 3d, pot 100, stacks 200, big blind 2" in text
        assert "the game's value is between +" in text and "beyond half the pot" in text
        assert "% of the pot" in text
        assert "total (NashConv)" in text and "average (exploitability)" in text
        assert "begins player 0: check" in text

    def test_for_machines(self, river: str) -> None:
        said = json.loads(command("solve", river, "-n", 100, "--json").out)
        run = rg.solve(rg.poker.read_spot(river), iterations=100)  # type: ignore[arg-type]
        assert said["exploitability"] == run.exploitability
        assert said["nash_conv"] == pytest.approx(2 * said["exploitability"])
        assert said["pot_share"] == pytest.approx(said["exploitability"] / 100)
        assert said["mbb_total"] == pytest.approx(1_000 * said["nash_conv"] / 2)
        assert said["mbb_average"] == pytest.approx(said["mbb_total"] / 2)
        assert said["value_least"] <= said["value"] <= said["value_most"]
        assert said["value_most"] - said["value_least"] == pytest.approx(said["nash_conv"], rel=1e-3)
        assert (said["boards"], said["infosets"], said["infoset_actions"]) == (1, 476, 1292)
        assert said["settings"]["dtype"] == "float32" and said["settings"]["device"] == "cpu"

    @pytest.mark.parametrize(
        ("until", "chips"), [("0.5", 0.5), ("0.6%", 0.6), ("500mbb", 0.5), ("250mbb average", 0.5)]
    )
    def test_until_in_every_unit(self, until: str, chips: float, river: str) -> None:
        said = json.loads(command("solve", river, "-a", "dcfr", "--until", until, "--json").out)
        assert said["stopped"] == "until" and chips / 2 < said["exploitability"] <= chips

    @pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
    @pytest.mark.full
    def test_precision(self, dtype: str, river: str) -> None:
        said = json.loads(command("solve", river, "-n", 60, "--dtype", dtype, "--threads", 2, "--json").out)
        assert said["settings"]["dtype"] == dtype and said["settings"]["threads"] == 2
        assert said["value"] == pytest.approx(4.4, abs=1.0)

    def test_without_a_big_blind_there_is_no_mbb(self, turn: str) -> None:
        text = words(command("solve", turn, "-n", 5))
        assert "mbb/g" not in text and "% of the pot" in text

    def test_rake_has_no_bracket(self, river: str) -> None:
        Path(river).write_text(RIVER + "rake = 0.05\n")
        text = words(command("solve", river, "-n", 5))
        assert "not zero-sum" in text and "the game's value" not in text

    def test_quiet(self, river: str) -> None:
        said = command("solve", river, "-n", 5, "-q")
        assert (said.code, said.out, said.err) == (0, "", "")

    def test_games_of_the_poker_competition(self) -> None:
        Path("leduc.game").write_text(LEDUC)
        said = json.loads(command("solve", "leduc.game", "-n", 300, "--json", "--out", "leduc.run").out)
        assert said["game"] == "leduc.game" and said["value"] == pytest.approx(-0.0856, abs=1e-3)
        text = words(command("show", "leduc.run", "bet call / check", "--board", "Ah"))
        assert "player 1 after 'bet call / check' on Ah, pot 6" in text and "A " in text

    def test_networks(self) -> None:
        pytest.importorskip("torch")
        Path("leduc.game").write_text(LEDUC)
        method = "sd-cfr:traversals=50,steps=5,batch=50,widths=8,boards=all,memory=merged"
        order = ("solve", "leduc.game", "-a", method, "--out", "deep.run")
        text = words(command(*order, "-n", 2))
        assert "infoset-actions" in text and "as float32" not in text and "SD-CFR" in text
        assert "3 in" in words(command(*order, "-n", 3, "--resume"))
        assert "SD-CFR" in words(command("compare", "leduc.game", "-a", "cfr+", "-a", method, "-n", 2))
        refused = command("solve", "leduc.game", "-a", "sd-cfr:memory=merged", "-n", 1).refused()
        assert "it needs boards='all'" in refused
        refused = command("solve", "leduc.game", "-a", method, "-n", 1, "--dtype", "int16").refused()
        assert "computes in float32 only: leave out dtype='int16'" in refused

    def test_parameters_reach_flop_holdem(self) -> None:
        found: Any = rg.games.by_name("fhp:caps=3x3")
        assert found.name == "fhp:caps=3x3" and rg.games.spec_of(found) == "fhp:caps=3x3"

    @pytest.mark.full
    def test_compare(self, river: str) -> None:
        said = command("compare", river, "-a", "cfr,dcfr", "-n", 60, "--csv", "c.csv")
        text = words(said)
        assert said.out.index("DCFR") < said.out.index("\nCFR ") and "% of pot mbb/g total" in text
        with Path("c.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert {row["algorithm"] for row in rows} == {"CFR", "DCFR"}
        assert float(rows[-1]["mbb_total"]) == pytest.approx(1_000 * float(rows[-1]["nash_conv"]) / 2)
        asked = json.loads(command("compare", river, "-a", "cfr+", "-n", 5, "--dtype", "float64", "--json").out)
        assert asked["rows"][0]["pot_share"] == pytest.approx(asked["rows"][0]["exploitability"] / 100)

    def test_a_comparison_keeps_strategies_unless_told(self, river: str) -> None:
        kept = rg.compare(river, ["cfr+"], iterations=3)
        assert kept.runs["CFR+"].strategy.at("").player == 0  # type: ignore[attr-defined]
        dropped = rg.compare(river, ["cfr+"], iterations=3, strategies=False)
        assert dropped.table()[0]["exploitability"] == kept.table()[0]["exploitability"]
        with pytest.raises(rg.OptionError, match="solve again"):
            dropped.runs["CFR+"].strategy.at("")  # type: ignore[attr-defined]


class TestShow:
    def test_the_first_node_and_the_betting(self, solved: str) -> None:
        said = command("show", solved)
        assert all(len(line) <= 80 for line in said.out.splitlines())
        text = words(said)
        assert "player 0 (out of position) at the beginning on Qs Jh 2h 7c 3d, pot 100" in text
        assert "x check, b bet 50, B bet 100" in text
        assert "check: player 1 to act" in text and 'next: "check", "bet 50", "bet 100"' in text

    def test_the_grid_shows_what_the_node_says(self, solved: str) -> None:
        node = read_run(solved).strategy.at("")  # type: ignore[attr-defined]
        lines = command("show", solved).out.splitlines()
        aces = next(line for line in lines if line.startswith("A  "))
        share = node["AsAh"]["bet 100"]
        assert share > 0.5 and f"B{100 * share:.0f}" in aces
        row = next(line for line in lines if line.startswith("AA "))
        assert "6.00" in row and f"{100 * share:.1f}%" in row

    def test_what_hands_are_worth(self, solved: str) -> None:
        said = command("show", solved, "check", "bet 50", "--ev")
        node = read_run(solved).strategy.at("check bet 50")  # type: ignore[attr-defined]
        text = words(said)
        assert f"expected from here on: {node.mean_ev:+.2f} chips, with 150 in the pot" in text
        rows = [line.split()[0] for line in said.out.splitlines() if line[:2] in ("QQ", "KK", "AA")]
        assert rows == ["QQ", "KK", "AA"]  # the best first
        assert "the betting" not in text

    def test_hand_by_hand_and_some_hands_alone(self, solved: str) -> None:
        said = command("show", solved, "--hands", "--range", "AKs")
        names = [line.split()[0] for line in said.out.splitlines() if line.startswith("A") and "%" in line]
        assert sorted(names) == ["AcKc", "AdKd", "AhKh", "AsKs"]
        assert "3 more hands, held less often: --limit 4 prints all" in words(
            command("show", solved, "--hands", "--range", "AKs", "--limit", 1)
        )

    def test_for_machines(self, solved: str) -> None:
        said = json.loads(command("show", solved, "check", "--json", "--ev", "--hands").out)
        node = read_run(solved).strategy.at("check")  # type: ignore[attr-defined]
        assert (said["kind"], said["line"], said["player"], said["pot"]) == ("node", "check", 1, 100)
        assert said["frequencies"] == node.frequencies
        assert said["ev"] == pytest.approx(node.mean_ev)
        assert sum(row["share"] for row in said["classes"]) == pytest.approx(1)
        assert len(said["hands"]) == len(node) == 34
        for row in said["classes"]:
            mean = sum(p * said["frequencies"].get(a, 0) for a, p in row["probabilities"].items())
            assert sum(row["probabilities"].values()) == pytest.approx(1) and mean > 0
        combos = {row["name"]: row["combos"] for row in said["classes"]}
        assert combos["AQo"] == 9 and combos["JJ"] == 3
        assert json.loads(command("show", solved, "--json").out)["ev"] is None  # not asked for, not computed

    def test_files(self, solved: str) -> None:
        said = command("show", solved, "--csv", "n.csv", "--parquet", "n.parquet", "--plot", "n.png")
        assert said.out.splitlines() == ["34 hands written to n.csv", "34 hands written to n.parquet", "written: n.png"]
        with Path("n.csv").open() as file:
            rows = {row["hand"]: row for row in csv.DictReader(file)}
        node = read_run(solved).strategy.at("")  # type: ignore[attr-defined]
        assert len(rows) == 34 and float(rows["AsAh"]["p check"]) == pytest.approx(node["AsAh"]["check"], rel=1e-6)
        assert Path("n.parquet").read_bytes().startswith(b"PAR1")
        assert Path("n.png").read_bytes().startswith(b"\x89PNG")

    def test_later_streets_want_a_board_and_read_only_that(self, turn: str) -> None:
        assert command("solve", turn, "-n", 20, "--out", "turn.run", "-q").code == 0
        assert (
            "5 cards lie on the board: name them, --board QsJh2h7c"
            in command("show", "turn.run", "check check").refused()
        )
        whole = command("show", "turn.run", "check check", "--board", "Qs Jh 2h 7c 3d")
        assert words(whole) == words(command("show", "turn.run", "check", "check", "--board", "3d"))
        assert "on Qs Jh 2h 7c 3d, pot 100" in words(whole)
        run: Any = read_run("turn.run")
        quick = run.strategy.at("", ev=False)
        assert run.arrays.missing["average"].sum() == run.problem.boards - 1
        full = run.strategy.at("")
        assert np.array_equal(quick.probabilities, full.probabilities) and np.array_equal(quick.weight, full.weight)
        assert np.isnan(quick.ev).all() and np.isfinite(full.ev).all()

    def test_all_boards_at_once(self, turn: str) -> None:
        assert command("solve", turn, "-n", 20, "--out", "turn.run", "-q").code == 0
        every = ("show", "turn.run", "check check / bet", "--board", "all")
        text = words(command(*every, "--limit", 3))
        assert "on 48 boards up to suits, pot 175" in text and "by the highest card" in text
        assert "45 more boards: --limit 48 prints all" in text
        said = json.loads(command(*every, "--json", "--ev").out)
        assert said["kind"] == "boards" and len(said["boards"]) == 48
        assert sum(row["reach"] for row in said["boards"]) == pytest.approx(1)
        three = next(row for row in said["boards"] if row["board"] == "QsJh2h7c3d")
        node = read_run("turn.run").strategy.at("check check / bet", board="QsJh2h7c3d")  # type: ignore[attr-defined]
        assert three["p fold"] == pytest.approx(node.frequencies["fold"], abs=1e-6)
        assert three["ev"] == pytest.approx(node.mean_ev, rel=1e-4)
        both = command(*every, "--csv", "b.csv").out
        assert both.endswith("48 boards written to b.csv\n") and "by the highest card" in both
        assert "name one board" in command(*every, "--hands").refused()

    def test_current(self, solved: str) -> None:
        average, current = (json.loads(command("show", solved, "--json", *flags).out) for flags in ((), ("--current",)))
        assert average["frequencies"] != current["frequencies"] and current["which"] == "current"

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["call"], "possible there: check, bet 50, bet 100"),
            (["check check"], "there is no decision after 'check check'"),
            (["bet"], "could mean 'bet 50' or 'bet 100'"),
            (["--board", "AhKhQh"], "a board of 5 cards, got 3"),
            (["--board", "AhKhQhJhXh"], "is no card"),
            (["--range", "AKx"], "cannot be read"),
            (["--range", "77"], "no hand of '77' can be held here"),
            (["--player", "1"], "the line of play says whose turn it is"),
            (["--plot", "x.gif"], ".png, .svg or .pdf"),
        ],
    )
    def test_mistakes(self, arguments: list[str], said: str, solved: str) -> None:
        assert said in command("show", solved, *arguments).refused()

    def test_options_of_holdem_are_for_holdem(self) -> None:
        assert command("solve", "kuhn", "-n", 10, "--out", "kuhn.run", "-q").code == 0
        for option in (("--board", "Ah"), ("--hands",), ("--ev",), ("--range", "AK"), ("--plot", "k.png")):
            assert "is for runs of hold'em" in command("show", "kuhn.run", *option).refused()


class TestFiles:
    def test_resume_counts_in_all_and_equals_the_uninterrupted_run(self, river: str) -> None:
        assert command("solve", river, "-a", "dcfr", "-n", 20, "--out", "run", "-q").code == 0
        assert "going on from iteration 20" in command("solve", river, "--out", "run", "--resume", "-n", 50).out
        run: Any = read_run("run")
        whole: Any = rg.solve(rg.poker.read_spot(river), rg.DCFR, iterations=50)  # type: ignore[arg-type]
        assert run.iterations == 50
        assert all(np.array_equal(run.arrays[name], array) for name, array in whole.arrays.items())
        said = command("solve", river, "--out", "run", "--resume", "-n", 50)
        assert said.code == 0 and said.out == "run has already done 50 iterations: nothing to do\n"
        assert "already reached" in command("solve", river, "--out", "run", "--resume", "--until", "50%").out

    def test_a_run_goes_on_only_with_the_same_spot(self, river: str, turn: str) -> None:
        assert command("solve", river, "-n", 5, "--out", "run", "-q").code == 0
        before = Path("run").read_bytes()
        refused = command("solve", river, "--out", "run").refused()
        assert "already holds 5 iterations of DCFR (averages t^4) on river.toml" in refused
        resume = ("--out", "run", "--resume", "-n", 9)
        assert "turn.toml is another game" in command("solve", turn, *resume).refused()
        assert "kuhn is another game" in command("solve", "kuhn", *resume).refused()
        assert "run of DCFR (averages t^4), not of CFR+" in command("solve", river, "-a", "cfr+", *resume).refused()
        assert "dtype float32" in command("solve", river, "--dtype", "int16", *resume).refused()
        lock = '\n[[lock]]\nline = "check"\nstrategy = { check = 1 }\n'
        Path(river).write_text(RIVER + lock)
        assert "(or has changed)" in command("solve", river, *resume).refused()
        assert Path("run").read_bytes() == before

    @pytest.mark.parametrize("length", [0, 4, 100, -1])
    def test_truncated(self, length: int, solved: str) -> None:
        Path(solved).write_bytes(Path(solved).read_bytes()[:length])
        assert "river.run" in command("show", solved).refused()
        assert "river.run" in command("solve", "river.toml", "--out", solved, "--resume", "-n", 200).refused()

    def test_ctrl_c_keeps_the_run(self, turn: str, tmp_path: Path) -> None:
        path = tmp_path / "run"
        process = start("solve", turn, "-n", 10**9, "--out", path, "--checkpoint-every", 0.05, folder=tmp_path)
        end = time.monotonic() + 120
        while not (path.exists() and read_run(path).iterations):
            assert time.monotonic() < end and process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (130, "") and "interrupted" in out
        run = read_run(path)
        assert run.stopped == "interrupted" and run.iterations > 0
        again = command("solve", turn, "--out", path, "--resume", "-n", run.iterations + 3, "--json")
        assert json.loads(again.out)["iterations"] == run.iterations + 3


def test_games_lists_flop_holdem_and_speaks_of_spots() -> None:
    said = words(command("games"))
    assert "Flop hold'em poker (FHP)" in said and "caps=3x4" in said and "spot.toml" in said
    rows = {row["name"]: row for row in json.loads(command("games", "--json").out)["games"]}
    assert rows["fhp"]["parameters"] == {"caps": "3x4"}


def test_check_looks_a_spot_over(river: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = words(command("check", river))
    assert "river.toml: no problem found" in text and "34 of player 0, 34 of player 1" in text
    assert "170 MB as float32" in text and "check: player 1 to act" in text
    said = json.loads(command("check", river, "--json").out)
    assert said["ok"] and said["bytes"]["float32"] > said["bytes"]["int16"] and said["decisions"] == [14]
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000)
    assert "take fewer bet sizes" in command("check", river).refused()


@pytest.mark.full
def test_a_solve_that_does_not_fit(turn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = rg.poker.read_spot(turn).public_tree()
    monkeypatch.setattr(memory, "free_memory", lambda: tree.bytes_needed("int16"))
    sentence = command("solve", turn, "--out", "run").refused()
    assert "are free: dtype='int16' fits" in sentence and not Path("run").exists()
    assert command("solve", turn, "-n", 1, "--dtype", "int16", "-q").code == 0
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000)
    assert "even as int16" in command("solve", turn).refused()


def test_a_game_that_is_hopeless_is_refused_before_it_is_laid_out() -> None:
    settings = {"numRounds = 2": "numRounds = 4", "raiseSize = 2 4": "raiseSize = 2 2 4 4", "firstPlayer = 1 1\n": ""}
    settings |= {"maxRaises = 2 2": "maxRaises = 4 4 4 4", "numBoardCards = 0 1": "numBoardCards = 0 3 1 1"}
    settings |= {
        "numSuits = 2": "numSuits = 4",
        "numRanks = 3": "numRanks = 13",
        "numHoleCards = 1": "numHoleCards = 2",
    }
    text = LEDUC
    for old, new in settings.items():
        text = text.replace(old, new)
    Path("holdem.game").write_text(text)
    began = time.monotonic()
    command("solve", "holdem.game").refused()
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solve", "nowhere.toml"], "cannot read nowhere.toml"),
        (["solve", "nowhere.game"], "cannot read nowhere.game"),
        (["check", "nowhere.toml"], "cannot read nowhere.toml"),
        (["solve", "kuhn", "--until", "0.3%"], "does not say what a pot is"),
        (["solve", "kuhn", "--until", "x"], "until is a number of chips"),
        (["solve", "kuhn", "--dtype", "int16"], "'float64' or 'float32'"),
        (["solve", "kuhn", "-a", "cfr-br", "--device", "cuda"], "no GPU path"),
        (["solve", "fhp", "-a", "mccfr"], "does not work on a public tree"),
        (["solve", "fhp", "-a", "fsicfr"], "does not work on a public tree"),
        (["solve", "fhp", "-a", "cfr-br"], "does not work on a public tree"),
        (["compare", "fhp", "-a", "cfr+,xfp"], "does not work on a public tree"),
        (["solve", "fhp:caps=3"], "caps=3"),
        (["solve", "fhp:cap=3x3"], "no parameter 'cap'"),
        (["export", "fhp", "fhp.efg"], "cannot be listed"),
        (["solve", "river.toml", "--until", "-1%"], "above zero"),
        (["solve", "river.toml", "--device", "gpu"], "--device"),
        (["match", "kuhn", "river.run", "river.run"], "river.run is a run of hold'em, and kuhn is another game"),
        (["match", "fhp", "river.run", "river.run"], "river.run: the strategy is of spot"),
        (["match", "river.toml", "river.run", "river.run", "--hands", "9"], "give --boards N instead of --hands"),
        (["match", "river.toml", "river.run", "river.run", "--boards", "9"], "the result is exact: leave out --boards"),
        (["match", "river.toml", "river.run", "river.run", "--ray"], "computed exactly: leave it out"),
        (["clean", "river.run"], "is a run of hold'em on a public tree"),
    ],
)
def test_arguments(arguments: list[str], said: str, solved: str, tmp_path: Path) -> None:
    files = sorted(tmp_path.iterdir())
    assert said in command(*arguments).refused()
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2h", "2x", "river.toml, board: '2x'"),
        ("JJ-99,AQ,KQs,T9s", "", "river.toml, ranges.ip: the range '' is empty"),
        ("JJ-99", "JJ-99:1.5", "a weight is between 0 and 1"),
        ("JJ-99,AQ,KQs,T9s", "QsJh", "player 1's range is empty"),
        ("50% 100%", "50", "river.toml, sizes: the bet size '50' cannot be read"),
        ("stack = 200", "stack = -200", "river.toml, stack: it is a number from 0.000001 to"),
        ("stack", "stacks", "did you mean 'stack'?"),
    ],
)
def test_spots_that_are_none(old: str, new: str, said: str, river: str) -> None:
    Path(river).write_text(RIVER.replace(old, new, 1))
    assert said in command("solve", river).refused()
    assert said in command("check", river).refused()


def test_a_gpu_where_there_is_none(river: str) -> None:
    cuda_walks = pytest.importorskip("regretless.poker.solving.cuda_walker")
    missing = cuda_walks.cuda_available()
    if not missing:
        pytest.skip("there is one")
    for name in ("solve", "compare"):
        assert missing.split() == command(name, river, "--device", "cuda").refused().split()[1:]


@pytest.mark.parametrize(
    "ask",
    [
        lambda game, run: rg.build(game),
        lambda game, run: rg.build(run.problem),
        lambda game, run: rg.equilibrium(game),
        lambda game, run: rg.check_game(game),
        lambda game, run: rg.estimate_size(game),
        lambda game, run: rg.write_efg(game, "x.efg"),
        lambda game, run: rg.cleaning_report(game, run),
    ],
)
def test_what_needs_a_listed_game_says_so(ask: Any, river: str) -> None:
    game: Any = rg.poker.read_spot(river)
    run = rg.solve(game, iterations=1)
    with pytest.raises(rg.OptionError, match="Spot is solved as a public tree and cannot be listed"):
        ask(game, run)


def test_spots_are_measured_by_the_same_calls_as_trees(river: str) -> None:
    game: Any = rg.poker.read_spot(river)
    run = rg.solve(river, "dcfr", iterations=20)
    for called in (river, game, run.problem):
        assert rg.exploitability(called, run.strategy) == run.exploitability
        assert rg.nash_conv(called, run.strategy) == run.nash_conv
        assert rg.value(called, run.strategy) == run.value
        assert rg.value(called, run.strategy, player=1) == pytest.approx(-run.value, abs=1e-3)
    assert rg.head_to_head(river, run.strategy, run.strategy) == pytest.approx(0, abs=1e-4)
    assert rg.match(river, run.strategy, rg.Strategy.uniform(river)).mean > 0
    other = rg.poker.Spot("Ks Th 4c 7d 2s", ("AA,KK", "TT,99"), pot=100, stack=200)
    with pytest.raises(rg.OptionError, match=r"the strategy is of spot .*, not of spot KsTh4c7d2s"):
        rg.value(other, run.strategy)


# -- compact runs -----------------------------------------------------------------------------------------------------


def test_a_run_that_is_written_compactly(river: str) -> None:
    assert command("solve", river, "-n", "30", "-o", "small.run", "--compact").code == 0
    assert command("solve", river, "-n", "30", "-o", "exact.run", "-q").code == 0
    made = command("show", "exact.run", "--compact", "made.run")
    assert made.code == 0 and made.out.startswith("written: made.run, ") and made.out.endswith("of exact.run\n")
    small, later = (read_run(name).strategy.at("").probabilities for name in ("small.run", "made.run"))
    assert np.array_equal(small, later)
    told = json.loads(command("show", "exact.run", "--compact", "made.run", "--json").out)
    assert told["bytes"] == Path("made.run").stat().st_size < told["bytes_before"] == Path("exact.run").stat().st_size
    assert "the average of all iterations" in command("show", "small.run").out
    assert "nothing to do" in command("solve", river, "-n", "30", "-o", "exact.run", "--resume", "--compact").out
    assert read_run("exact.run").settings["rounded"]


def test_compact_runs_that_are_refused(river: str) -> None:
    assert command("solve", river, "-n", "5", "-o", "small.run", "--compact", "-q").code == 0
    assert "cannot be resumed" in command("solve", river, "-n", "9", "-o", "small.run", "--resume").refused()
    assert "holds the average strategy only" in command("show", "small.run", "--current").refused()
    assert "name another file" in command("show", "small.run", "--compact", "small.run").refused()
    assert "--compact is about the file" in command("solve", river, "--compact").refused()
    assert "has no compact form" in command("solve", "kuhn", "-n", "1", "-o", "k.run", "--compact").refused()
    assert command("solve", "kuhn", "-n", "1", "-o", "k.run", "-q").code == 0
    assert "is for runs of hold'em" in command("show", "k.run", "--compact", "x.run").refused()


def test_play_solves_a_spot_first(river: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def end_of_input(*_: object) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", end_of_input)
    said = command("play", river, "--seat", 0, "--seed", 1)
    assert said.code == 0 and "river.toml: DCFR" in said.out and "of the pot" in said.out


def test_explore_solves_a_spot_first(river: str) -> None:
    from regretless.apps.commands.holdem.spot_solving import solved_files

    said: list[str] = []
    assert solved_files([river, "other.run"], ".", said.append) == ["river.run", "other.run"]
    assert read_run("river.run").method.name == "DCFR (averages t^4)" and "river.toml: DCFR" in said[0]
    with pytest.raises(rg.OptionError, match=r"river\.run, which exists"):
        solved_files([river], ".", said.append)


@pytest.mark.parametrize("words", [("solve", "omaha"), ("solve", "hunl:players=3"), ("solve", "hunl", "--players", 3)])
def test_what_is_not_offered_is_named(words: tuple[object, ...]) -> None:
    assert "not offered" in command(*words).refused()


def test_unequal_stacks_are_said(river: str) -> None:
    Path(river).write_text(RIVER.replace("stack = 200", "stack = [200, 120]"))
    sentence = "stacks of 200 and 120 chips differ: the smaller one counts, so both play for 120"
    assert sentence in words(command("check", river)) and sentence in words(command("solve", river, "-n", 5))
    out = Path(river).with_name("unequal.run")
    assert sentence in words(command("solve", river, "-n", 2, "--out", out))
    assert sentence in words(command("solve", river, "-n", 4, "--out", out, "--resume"))
    Path(river).write_text(RIVER.replace("stack = 200", "stack = 120"))
    assert sentence in words(command("solve", river, "-n", 6, "--out", out, "--resume"))
    assert sentence in words(command("show", out))


def test_a_spot_file_for_three_players(river: str) -> None:
    Path(river).write_text(f"players = 3\n{RIVER}")
    assert "(multiway) is not offered" in command("check", river).refused()
    Path(river).write_text(f'co = "AA"\n{RIVER}')
    said = command("check", river).refused()
    assert "no seat 'co'" in said and "(multiway) is not offered" in said and "are oop and ip" in said


@pytest.mark.parametrize(
    ("line", "named"), [('game = "omaha"', "Omaha"), ("icm = [50, 30]", "ICM"), ("folded = 4", "bunching")]
)
def test_a_spot_file_that_asks_for_more(river: str, line: str, named: str) -> None:
    Path(river).write_text(f"{line}\n{RIVER}")
    said = command("check", river).refused()
    assert named in said and "not offered" in said


def test_streets_have_names(turn: str) -> None:
    assert "deal the river" in command("check", turn).out
    flop = rg.poker.FlopHoldem().betting_tree()
    assert "deal the flop" in flop.outline() and "deal street" not in flop.outline()


def test_files_are_written_before_the_output_is_read(turn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader of the output, such as head, may leave early."""
    from regretless.apps.commands.show import boards

    def leaves(*given: object) -> None:
        raise BrokenPipeError

    assert command("solve", turn, "-n", 2, "--out", "turn.run").code == 0
    monkeypatch.setattr(boards, "print_for_people", leaves)
    command("show", "turn.run", "check check", "--board", "all", "--csv", "rivers.csv")
    assert "p check" in Path("rivers.csv").read_text()
