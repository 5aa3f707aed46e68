"""`show --leaks`, `differences` and `lock` on a solved river."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command

import regretless as rg


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("studying")
    spot = rg.poker.Spot("Qs Jh 2h 7c 3d", ("QQ,AK,KJ", "AQ,77,KT"), pot=100, stack=100, sizes="bet 75%")
    free = rg.solve(spot, rg.DCFR, iterations=20)  # type: ignore[arg-type]
    free.save(found / "free.run")
    locked = rg.poker.lock_node(free, "check", {"AQ": {"check": 1}})
    rg.solve(locked, rg.DCFR, iterations=20).save(found / "locked.run")  # type: ignore[arg-type]
    rg.solve(rg.games.Kuhn(), rg.CFR_PLUS, iterations=5).save(found / "kuhn.run")
    return found


def test_leaks(folder: Path) -> None:
    shown = command("show", folder / "locked.run", "--leaks")
    assert shown.code == 0 and "player 1 loses" in shown.out and "worst hands" in shown.out
    found = json.loads(command("show", folder / "locked.run", "--leaks", "--json", "--player", 1).out)
    expected = rg.poker.leaks(rg.load(folder / "locked.run"))
    assert [leak["line"] for leak in found["leaks"]] == [node.line for node in expected.of(1)]
    assert found["gains"] == pytest.approx([expected.gain(0), expected.gain(1)])
    assert command("show", folder / "locked.run", "--leaks", "--csv", folder / "leaks.csv").code == 0
    assert (folder / "leaks.csv").read_text().startswith("player,line,board,loss")
    assert "leave one of them out" in command("show", folder / "free.run", "check", "--leaks").refused()
    assert "players 0 and 1" in command("show", folder / "free.run", "--leaks", "--player", 2).refused()
    assert "--leaks is for runs of hold'em" in command("show", folder / "kuhn.run", "--leaks").refused()


def test_differences(folder: Path) -> None:
    files = folder / "free.run", folder / "locked.run"
    shown = command("differences", *files, "--limit", 1)
    assert shown.code == 0 and "gains" in shown.out and "more: --limit" in shown.out
    found = json.loads(command("differences", *files, "--json", "--by", "gain 1").out)
    expected = rg.poker.differences(*map(rg.load, files)).sorted("gain 1")
    assert [node["line"] for node in found["nodes"]] == [node.line for node in expected.nodes]
    assert found["nodes"][0]["gain"][1] == pytest.approx(expected.nodes[0].gain(1))
    assert command("differences", *files, "--csv", folder / "two.csv").code == 0 and (folder / "two.csv").exists()
    assert "sorted by difference" in command("differences", *files, "--by", "luck").refused()
    assert "no run of hold'em" in command("differences", files[0], folder / "kuhn.run").refused()


def test_locks(folder: Path) -> None:
    out = folder / "spot.toml"
    made = command(
        "lock", folder / "locked.run", "", "--hands", "QQ=bet 75:0.5,check:0.5", "--hands", "KJ=check", "-o", out
    )
    assert made.code == 0 and "1  check" in made.out and "2  start" in made.out
    node = rg.solve(rg.poker.read_spot(out), rg.DCFR, iterations=1).strategy.at("")  # type: ignore[arg-type]
    assert node["QdQc"]["bet 75"] == pytest.approx(0.5) and node["KsJc"]["check"] == pytest.approx(1)
    assert "spot.toml exists" in command("lock", folder / "locked.run", "--unlock", 1, "-o", out).refused()
    assert len(rg.poker.read_spot(out).locks) == 2
    unlocked = command("lock", folder / "locked.run", "--unlock", 1, "-o", out, "--overwrite")
    assert unlocked.out.startswith("no node is locked")
    assert not rg.poker.read_spot(out).locks
    refused = command("lock", out).refused()
    assert "spot.toml is a spot file, and this command takes runs: regretless solve" in refused
    listed = json.loads(command("lock", folder / "locked.run", "--json").out)
    assert [row["line"] for row in listed["locks"]] == ["check"]


@pytest.mark.parametrize(
    "words",
    [
        ("differences", "free.run", "locked.run", "--csv", "free.run"),
        ("differences", "free.run", "locked.run", "--csv", "locked.run"),
        ("show", "free.run", "--leaks", "--csv", "free.run"),
        ("show", "free.run", "--csv", "free.run"),
        ("show", "free.run", "--compact", "free.run"),
        ("show", "kuhn.run", "--parquet", "kuhn.run"),
        ("lock", "free.run", "", "--hands", "QQ=check", "--overwrite", "--out", "free.run"),
        ("clean", "kuhn.run", "--threshold", "0.1", "--out", "kuhn.run"),
        ("measure", "kuhn.run", "--table", "kuhn.run"),
    ],
)
def test_a_file_that_is_read_is_never_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(folder)
    file = Path(words[-1])
    before = file.read_bytes()
    assert f"{words[-2]} {file} would replace {file}, which is read here" in command(*words).refused()
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["", "--hands", "QQ=check"], "--out locked.toml"),
        (["", "--hands", "QQ", "-o", "x.toml"], "HANDS=ACTION:PROBABILITY"),
        (["", "--hands", "QQ=check:much", "-o", "x.toml"], "'much'"),
        (["", "--hands", "QQ=check:0.5", "-o", "x.toml"], "sum to 0.5"),
        (["--hands", "QQ=check", "-o", "x.toml"], "by its line of play"),
        (["", "--hands", "QQ=check", "--hands", "QQ=bet 75", "-o", "x.toml"], "--hands names 'QQ' twice"),
        (["--unlock", "7", "-o", "x.toml"], "has 0 locks"),
        (["nowhere", "--hands", "QQ=check", "-o", "x.toml"], "nowhere"),
    ],
)
def test_mistakes(folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str) -> None:
    monkeypatch.chdir(folder)
    assert sentence in command("lock", folder / "free.run", *words).refused()
    assert not (folder / "x.toml").exists()
