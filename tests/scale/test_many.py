"""Many solves at once: a file for each, nothing done twice, and nothing lost when a process is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import regretless as rg
from conftest import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="workers compile")

SPOT = """
board = "Ks Th 4c 7d {card}"
pot = 100
stack = 200
[ranges]
oop = "AA,KK,QQ,AK"
ip = "TT,99,KQ,KJ"
"""


def test_games_methods_and_seeds(tmp_path: Path) -> None:
    seen: list[Any] = []
    many = rg.solve_many(
        ["kuhn", "leduc"], ["cfr+", rg.MCCFR()], seeds=(3, 4), folder=tmp_path, iterations=30, workers=2,
        on_outcome=seen.append,
    )  # fmt: skip
    assert len(many) == 8 and not many.failed and len(seen) == 8
    for name, run in many.runs():
        game, method, seed = name.split(", ")
        alone = rg.solve(game, "cfr+" if method == "CFR+" else "mccfr", iterations=30, seed=int(seed.split()[1]))
        assert run.strategy == alone.strategy
    assert many.frame().shape == (8, 7)


@pytest.mark.full
def test_called_again_it_does_what_is_missing(tmp_path: Path) -> None:
    first = rg.solve_many({"a": "kuhn", "b": "leduc"}, "dcfr", folder=tmp_path, iterations=20)
    written = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    again = rg.solve_many({"a": "kuhn", "b": "leduc"}, "dcfr", folder=tmp_path, iterations=20)
    assert [outcome.status for outcome in again.outcomes] == ["skipped", "skipped"]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == written
    assert [row["value"] for row in again.table()] == [row["value"] for row in first.table()]
    more = rg.solve_many({"a": "kuhn", "b": "leduc"}, "dcfr", folder=tmp_path, iterations=50)
    assert [outcome.iterations for outcome in more.outcomes] == [50, 50]
    assert dict(more.runs())["a"].strategy == rg.solve("kuhn", "dcfr", iterations=50).strategy


@pytest.mark.full
def test_a_spot_until_a_level(tmp_path: Path) -> None:
    spots = {card: rg.poker.spot_from_text(SPOT.format(card=card)) for card in ("2s", "3s")}
    many = rg.solve_many(spots, "dcfr", folder=tmp_path, until="1%", workers=1)
    assert not many.failed and all(row["exploitability"] <= 1.0 for row in many.table())
    again = rg.solve_many(spots, "dcfr", folder=tmp_path, until="1%", workers=1)
    assert {outcome.status for outcome in again.outcomes} == {"skipped"}
    closer = rg.solve_many(spots, "dcfr", folder=tmp_path, until="0.5%", workers=1)
    assert {outcome.status for outcome in closer.outcomes} == {"done"}


class Unsendable(rg.games.RockPaperScissors):
    """A game that holds what no other process can have."""

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "lock", threading.Lock())


def test_what_fails_is_a_sentence_in_the_table(tmp_path: Path) -> None:
    many = rg.solve_many({"typo": "kuhm", "good": "kuhn", "lock": Unsendable()}, folder=tmp_path, iterations=5)
    by_name = {outcome.task: outcome.status for outcome in many.outcomes}
    assert "did you mean 'kuhn'" in by_name["typo"] and by_name["good"] == "done"
    assert "cannot be sent to another process" in by_name["lock"]
    assert [outcome.task for outcome in many.failed] == ["typo", "lock"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"games": []}, "at least one game"),
        ({"games": ["kuhn", "kuhn"]}, "two tasks are called 'kuhn'"),
        ({"methods": "cfrr"}, "unknown algorithm 'cfrr'"),
        ({"workers": 0}, "workers is a positive whole number"),
        ({"iterations": -1}, "iterations is a positive whole number"),
        ({"until": "much"}, "until is a number of chips"),
        ({"callback": print}, "callback= is not for many solves"),
        ({"checkpoint": "x"}, "checkpoint= is not for many solves"),
        ({"folder": __file__}, "is a file"),
    ],
)
def test_mistakes(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    given = {"games": ["kuhn"], "methods": "cfr", "folder": tmp_path, **options}
    with pytest.raises(rg.OptionError, match=said):
        rg.solve_many(given.pop("games"), given.pop("methods"), **given)


def test_another_method_in_the_same_file(tmp_path: Path) -> None:
    first = rg.solve_many(["kuhn"], "cfr", folder=tmp_path, iterations=3, workers=1)
    rg.solve("kuhn", "dcfr", iterations=3).save(first.outcomes[0].path)
    again = rg.solve_many(["kuhn"], "cfr", folder=tmp_path, iterations=3, workers=1)
    assert "is a run of another method" in again.failed[0].status


def workers_of(pid: int) -> list[int]:
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid=,args="], capture_output=True, text=True, check=False)
    lines = (line.split(maxsplit=1) for line in found.stdout.splitlines())
    return [int(number) for number, words in lines if "regretless.scale.worker" in words]


needs_ps = pytest.mark.skipif(os.name == "nt" or not Path("/bin/ps").exists(), reason="needs ps")


@needs_ps
@pytest.mark.full
def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path) -> None:
    done: list[Any] = []

    def kill() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end and not any(tmp_path.glob("*.run")):
            time.sleep(0.05)
        for pid in workers_of(os.getpid())[:1]:
            os.kill(pid, signal.SIGKILL)
            done.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    many = rg.solve_many(["leduc"], "cfr", seeds=(0, 1), folder=tmp_path, iterations=8_000, checkpoint_every=0.1)
    killer.join()
    assert done and not many.failed
    assert dict(many.runs())["leduc, seed 0"].strategy == rg.solve("leduc", "cfr", iterations=8_000).strategy


@needs_ps
@pytest.mark.full
def test_killed_as_a_whole_it_goes_on(tmp_path: Path) -> None:
    words = ["solve-many", "leduc", "leduc:ranks=4", "-a", "dcfr", "-n", "400000", "-o", str(tmp_path / "runs"), "-q"]
    line = [sys.executable, "-m", "regretless", *words]
    process = subprocess.Popen(line, env=os.environ)
    end = time.monotonic() + 60
    while time.monotonic() < end and not any(tmp_path.glob("runs/*.run")):
        time.sleep(0.05)
    workers = workers_of(process.pid)
    process.kill()
    process.wait()
    for pid in workers:  # they stop at a checkpoint, long before their task is done
        end = time.monotonic() + 20
        while Path(f"/proc/{pid}").exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert not Path(f"/proc/{pid}").exists()
    most = max(rg.load(path).iterations for path in tmp_path.glob("runs/*.run")) + 500
    words[words.index("400000")] = str(most)
    again = [sys.executable, "-m", "regretless", *words[:-1], "--json"]
    ended = subprocess.run(again, capture_output=True, text=True, check=True, env=os.environ)
    rows = json.loads(ended.stdout)["rows"]
    assert [row["iterations"] for row in rows] == [most, most]
    assert rg.load(rows[0]["path"]).strategy == rg.solve("leduc", "dcfr", iterations=most).strategy


@pytest.mark.full
def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from regretless.apps.cli import main

    def command(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["solve-many", *words])
        printed = capfd.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    for card in ("2s", "3s"):
        (tmp_path / f"{card}.toml").write_text(SPOT.format(card=card))
    runs = str(tmp_path / "runs")
    code, out, err = command(str(tmp_path), "-n", "10", "-o", runs)
    assert code == 0 and "2 solves" in out and "[2/2]" in err
    code, out, err = command(str(tmp_path), "-n", "10", "-o", runs)
    assert code == 0 and "(complete before)" in err
    code, out, _ = command("kuhn", "kuhm", "-n", "10", "-o", runs, "--json")
    assert code == 2 and [row["status"][:4] for row in json.loads(out)["rows"]] == ["done", "ther"]
    code, _, err = command(runs, "-n", "10")
    assert code == 2 and "holds no game" in err
