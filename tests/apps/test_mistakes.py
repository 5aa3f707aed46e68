"""Everything a caller can get wrong: one sentence, exit code 2, no traceback, nothing half-written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from command_line import command, leftovers, write_games

import regretless as rg
from regretless.storage import atomic_files

pytestmark = pytest.mark.usefixtures("empty_folder")


@pytest.fixture
def mygame(tmp_path: Path) -> Path:
    return write_games(tmp_path / "mygame.py")


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A run that must survive whatever goes wrong."""
    path = tmp_path / "good.run"
    assert command("solve", "kuhn", "-n", 100, "--out", path).code == 0
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solve", "kuhm"], "did you mean 'kuhn'"),
        (["solve", "kuhn", "-a", "cfr++"], "did you mean 'cfr+'"),
        (["compare", "kuhn", "-a", "cfr,dcrf"], "did you mean 'dcfr'"),
        (["solve", "leduc:ranks=-1"], "ranks=-1"),
        (["solve", "leduc:rank=3"], "no parameter 'rank'"),
        (["solve", "kuhn", "-n", "-5"], "positive whole number, got -5"),
        (["solve", "kuhn", "-n", "0"], "positive whole number, got 0"),
        (["solve", "kuhn", "-n", "many"], "--iterations"),
        (["solve", "kuhn", "--until", "0"], "above zero"),
        (["solve", "kuhn", "--until", "nan"], "above zero"),
        (["solve", "kuhn", "--seconds", "-1"], "above zero"),
        (["solve", "kuhn", "--seconds", "inf"], "above zero"),
        (["solve", "kuhn", "--dtype", "float16"], "float16"),
        (["solve", "kuhn", "--threads", "0"], "--threads"),
        (["solve", "kuhn", "--resume"], "--out"),
        (["solve", "kuhn", "--checkpoint-every", "-1"], "checkpoint-every"),
        (["solve", "kuhn", "--plot", "kuhn.gif"], ".png, .svg or .pdf"),
        (["solve", "kuhn", "-a", "regret-matching"], ""),
        (["compare", "kuhn", "-a", ","], "at least one"),
        (["solve", "nowhere.py:Guess"], "nowhere.py"),
        (["solve", "nowhere.efg"], "nowhere.efg"),
        (["show", "nowhere.run"], "nowhere.run"),
        (["check", "kuhm"], "did you mean 'kuhn'"),
        (["export", "kuhn", "kuhn.txt"], ".efg"),
        (["sovle", "kuhn"], "did you mean 'solve'"),
        (["solve"], "GAME"),
        (["--colour"], "--colour"),
        (["solve", "kuhn", "--colour"], "--colour"),
    ],
)
def test_arguments(arguments: list[str], said: str, tmp_path: Path) -> None:
    assert said in command(*arguments).refused()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Raises", "play() raised KeyError: 'oops'"),
        ("RaisesInLabels", "infoset_label(1) raised KeyError"),
        ("OtherActions", "let infoset() tell these histories apart"),
        ("Endless", "rg.TERMINAL"),
        ("Short", "1 numbers for 2 players"),
        ("Forgetful", "forgets"),
        ("Huge", "too large"),
        ("Unfinished", "actions"),
        ("Guesss", "did you mean 'Guess'"),
    ],
)
def test_games_that_are_none(name: str, said: str, mygame: Path, tmp_path: Path) -> None:
    sentence = command("solve", f"{mygame}:{name}", "--out", "run").refused()
    assert said in sentence and name.removesuffix("s") in sentence
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [("class X(:", "SyntaxError"), ("1 / 0", "ZeroDivisionError"), ("x = 1", "no class 'Guess'")],
)
def test_files_that_hold_no_game(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(text)
    assert said in command("solve", "bad.py:Guess").refused()
    assert said in command("check", "bad.py:Guess").refused()


def test_a_mistake_of_ours_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug in regretless")

    monkeypatch.setattr("regretless.solver.solve", broken)
    with pytest.raises(ZeroDivisionError):
        command("solve", "kuhn")


class TestFiles:
    def test_a_run_is_not_overwritten_unasked(self, good: Path) -> None:
        before = good.read_bytes()
        sentence = command("solve", "kuhn", "--out", good).refused()
        assert "already holds 100 iterations of CFR+ on kuhn" in sentence and "--resume" in sentence
        assert good.read_bytes() == before
        assert command("solve", "kuhn", "-n", 50, "--out", good, "--overwrite", "-q").code == 0
        loaded = rg.load(good)
        assert isinstance(loaded, rg.Run) and loaded.iterations == 50

    def test_a_foreign_file_is_not_overwritten_unasked(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.txt").write_text("years of work")
        assert "not a run" in command("solve", "kuhn", "--out", "thesis.txt").refused()
        assert (tmp_path / "thesis.txt").read_text() == "years of work"

    @pytest.mark.parametrize("length", [0, 4, 100, 500, -1])
    def test_truncated(self, length: int, good: Path) -> None:
        good.write_bytes(good.read_bytes()[:length])
        before = good.read_bytes()
        assert "good.run" in command("show", good).refused()
        assert "good.run" in command("solve", "kuhn", "--out", good, "--resume", "-n", 200).refused()
        assert good.read_bytes() == before

    def test_foreign(self, tmp_path: Path) -> None:
        (tmp_path / "picture").write_bytes(os.urandom(4096))
        command("show", "picture").refused()
        command("solve", "kuhn", "--out", "picture", "--resume").refused()

    def test_strategy_in_place_of_a_run(self, tmp_path: Path) -> None:
        rg.Strategy.uniform(rg.build(rg.games.Kuhn())).save(tmp_path / "strategy")
        assert "a regretless.run file is needed" in command("solve", "kuhn", "--out", "strategy", "--resume").refused()

    def test_run_of_another_game_or_algorithm(self, good: Path, mygame: Path) -> None:
        before = good.read_bytes()
        resume = ("--out", good, "--resume", "-n", 500)
        assert "is a run of kuhn, not of leduc" in command("solve", "leduc", *resume).refused()
        assert "not of kuhn:players=3" in command("solve", "kuhn:players=3", *resume).refused()
        assert "another game" in command("solve", f"{mygame}:Guess", *resume).refused()
        assert "run of CFR+, not of DCFR" in command("solve", "kuhn", "-a", "dcfr", *resume).refused()
        assert "dtype float64" in command("solve", "kuhn", "--dtype", "float32", *resume).refused()
        assert "seed 0" in command("solve", "kuhn", "--seed", 1, *resume).refused()
        assert good.read_bytes() == before

    def test_own_game_that_has_changed(self, mygame: Path, tmp_path: Path) -> None:
        assert command("solve", f"{mygame}:Guess", "--out", "run", "-q").code == 0
        mygame.write_text(mygame.read_text().replace("(-1, 1) if", "(-2, 2) if"))
        sentence = command("solve", f"{mygame}:Guess", "--out", "run", "--resume", "-n", 2000).refused()
        assert "has changed" in sentence

    def test_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "runs").mkdir()
        assert "it is a folder" in command("solve", "kuhn", "--out", "runs").refused()
        command("show", "runs").refused()

    def test_a_place_that_cannot_be(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        assert "cannot write" in command("solve", "kuhn", "--out", "file/run").refused()

    @pytest.mark.parametrize(
        "words",
        [
            ("solve", "kuhn", "-n", 1, "--out", "rnus/kuhn.run"),
            ("solve", "kuhn", "-n", 1, "--plot", "plost/a.png"),
            ("compare", "kuhn", "-n", 1, "--csv", "tabels/a.csv"),
            ("solve-many", "kuhn", "-n", 1, "--out", "a/b"),
            ("show", "kuhn.run", "--csv", "tabels/a.csv"),
            ("export", "kuhn", "gmaes/kuhn.efg"),
            ("push-fold", "--stack", 5, "--chart", "plost/a.png"),
            ("report", "runs", "--html", "pagse/a.html"),
        ],
    )
    def test_a_folder_that_is_not_there(self, words: tuple[object, ...], tmp_path: Path) -> None:
        before = sorted(tmp_path.rglob("*"))
        assert "there is no folder" in command(*words).refused()
        assert sorted(tmp_path.rglob("*")) == before

    @pytest.mark.parametrize(
        "words", [("abstract", "hulh", "-o", ""), ("solve", "kuhn", "-n", 1, "--out", " "), ("export", "kuhn", "")]
    )
    def test_an_empty_name(self, words: tuple[object, ...]) -> None:
        assert "the name of a file to write is empty: name one" in command(*words).refused()

    def test_the_usual_folder_is_created(self, tmp_path: Path) -> None:
        assert command("solve", "kuhn", "-n", 1, "--out", "runs/kuhn.run", "-q").code == 0
        assert (tmp_path / "runs" / "kuhn.run").exists()

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_an_unwritable_folder(self, tmp_path: Path) -> None:
        (tmp_path / "locked").mkdir(mode=0o555)
        assert "Permission denied" in command("solve", "kuhn", "--out", "locked/run").refused()

    def test_an_unwritable_folder_as_root(self) -> None:
        assert "cannot write" in command("solve", "kuhn", "--out", "/proc/regretless/run").refused()

    @pytest.mark.parametrize("call", ["fsync", "replace"])
    def test_full_disk(self, call: str, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        before = good.read_bytes()

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        if call == "fsync":
            monkeypatch.setattr(atomic_files.os, "fsync", full)
        else:
            monkeypatch.setattr(Path, "replace", full)
        for arguments in (
            ("solve", "kuhn", "--out", good, "--resume", "-n", 500),
            ("solve", "kuhn", "--out", good, "--overwrite"),
            ("solve", "kuhn", "--out", "new.run"),
            ("show", good, "--csv", "new.csv"),
            ("show", good, "--parquet", "new.parquet"),
            ("solve", "kuhn", "--plot", "new.png"),
            ("compare", "kuhn", "-a", "cfr", "--csv", "new.csv"),
            ("export", "kuhn", "new.efg"),
        ):
            assert "No space left on device" in command(*arguments).refused()
            assert good.read_bytes() == before
            assert [path.name for path in tmp_path.iterdir()] == ["good.run"]
            assert leftovers(tmp_path) == []

    def test_disk_that_fills_while_writing(self, good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        if not Path("/dev/full").exists():
            pytest.skip("no /dev/full here")
        before = good.read_bytes()
        descriptor = os.open("/dev/full", os.O_WRONLY)
        real = atomic_files.tempfile.mkstemp

        def mkstemp(*given: object, **named: object) -> tuple[int, str]:
            handle, name = real(*given, **named)  # type: ignore[call-overload]
            os.dup2(descriptor, handle)
            return handle, name

        monkeypatch.setattr(atomic_files.tempfile, "mkstemp", mkstemp)
        try:
            sentence = command("solve", "kuhn", "--out", good, "--resume", "-n", 500).refused()
        finally:
            os.close(descriptor)
        assert "No space left on device" in sentence
        assert good.read_bytes() == before and leftovers(good.parent) == []
