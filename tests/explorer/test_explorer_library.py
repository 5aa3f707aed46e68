"""The runs of the explorer: headers are read again when a file changes, runs are loaded when a page needs them."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from explored import saved, solved, surroundings

import regretless as rg
from conftest import built
from regretless.apps.views.library import Library, NotFound
from regretless.apps.views.run_headers import RunFile
from regretless.errors import FileError


def test_a_glance_says_what_the_run_says(tmp_path: Path) -> None:
    run = solved("kuhn")
    header = RunFile(Path(saved(tmp_path, "kuhn.run"))).header()
    assert (header.kind, header.game, header.method, header.problem) == ("run", "kuhn", run.method.name, "")
    assert (header.iterations, header.players, header.stopped, header.running) == (200, 2, "finished", False)
    assert header.exploitability == run.exploitability
    assert header.value == run.value
    assert [row["iteration"] for row in header.history] == run.history["iteration"].tolist()


def test_a_glance_loads_no_compiler(tmp_path: Path) -> None:
    """The first page must come at once: reading a header needs NumPy and nothing heavier."""
    path = saved(tmp_path, "kuhn.run")
    code = f"""
        import sys
        sys.path.append({str(Path(__file__).parent)!r})
        from page_reading import get
        from regretless.apps.explorer.web.explorer import Explorer
        assert get(Explorer([{path!r}]), "/convergence").status == 200
        print([name for name in ("numba", "scipy", "matplotlib") if name in sys.modules])
    """
    words = [sys.executable, "-c", dedent(code)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=surroundings())
    assert done.stdout.strip() == "[]"


def test_a_file_is_read_again_when_it_is_written_again(tmp_path: Path) -> None:
    path = Path(saved(tmp_path, "kuhn.run"))
    file = RunFile(path)
    first = file.header()
    assert file.header() is first
    solved("kuhn", 300).save(path)
    assert file.header().iterations == 300
    path.unlink()
    assert file.header().problem == "kuhn.run is not there any more"


@pytest.mark.full
def test_a_solve_in_another_process_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "live.run"
    words = ["solve", "leduc", "--seconds", "2", "--out", str(path), "--checkpoint-every", "0.05", "--quiet"]
    with subprocess.Popen([sys.executable, "-m", "regretless", *words], env=surroundings()) as solving:
        file, seen = RunFile(path), set()
        end = time.monotonic() + 60
        while solving.poll() is None and time.monotonic() < end:
            header = file.header()
            if not header.problem:
                seen.add((header.iterations, header.running))
            time.sleep(0.02)
    assert solving.returncode == 0
    growing = sorted(iterations for iterations, running in seen if running)
    assert len(growing) >= 3
    assert not file.header().running
    assert file.header().iterations >= growing[-1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a regretless file"),
        (b"hello" * 100, "not a regretless file"),
        (b"\x10\x00\x00\x00\x00\x00\x00\x00" + b'{"a": 1}        ', "the entry of 'a' is damaged"),
        (b"\x02\x00\x00\x00\x00\x00\x00\x00{}", "not a run or a strategy"),
    ],
)
def test_files_that_are_no_runs(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "other.run"
    path.write_bytes(content)
    header = RunFile(path).header()
    assert said in header.problem
    assert str(tmp_path) not in header.problem
    library = Library([str(path)])
    with pytest.raises(FileError, match=said):
        library.load(0)


def test_a_header_that_lies(tmp_path: Path) -> None:
    """Whatever is changed in a header ends in a sentence."""
    path = Path(saved(tmp_path, "kuhn.run"))
    whole = path.read_bytes()
    for old, new in ((b"iterations", b"jterations"), (b"CFR", b"CGR"), (b'\\"Variant\\"', b'\\"Evil\\"   '[:11])):
        path.write_bytes(whole.replace(old, new))
        RunFile(path).header()  # says something, or shows what is left
    path.write_bytes(whole.replace(b"Polynomial", b"Polynomiax"))
    assert RunFile(path).header().problem


def test_an_array_that_is_damaged_is_found_when_the_run_is_opened(tmp_path: Path) -> None:
    path = Path(saved(tmp_path, "kuhn.run"))
    whole = bytearray(path.read_bytes())
    whole[-3] ^= 0xFF
    path.write_bytes(bytes(whole))
    library = Library([str(path)])
    assert library.entry(0).header().problem == ""
    with pytest.raises(FileError, match=r"kuhn\.run is damaged") as refused:
        _ = library.load(0).content
    assert library.hide_folders(str(refused.value)).startswith("kuhn.run is damaged")


def test_numbers_name_runs(tmp_path: Path) -> None:
    library = Library([saved(tmp_path, "a.run"), saved(tmp_path, "b.run")])
    assert [entry.name for entry in library.entries()] == ["a.run", "b.run"]
    for number in (2, -1, 10**9):
        with pytest.raises(NotFound, match="there is no run number"):
            library.entry(number)


def test_equal_names_are_told_apart(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        saved(tmp_path / name, "a.run")
    library = Library([str(tmp_path / name / "a.run") for name in ("x", "y")])
    assert [entry.name for entry in library.entries()] == ["a.run", "y/a.run"]


def test_folders_are_followed(tmp_path: Path) -> None:
    saved(tmp_path, "a.run")
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "elsewhere.run").symlink_to("/etc/passwd")
    library = Library([str(tmp_path)])
    assert [entry.name for entry in library.entries()] == ["a.run"]
    saved(tmp_path, "b.run")
    assert [entry.name for entry in library.entries()] == ["a.run", "b.run"]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(FileError, match="there is no run in"):
        Library([str(empty)])
    with pytest.raises(FileError, match="no such file"):
        Library([str(tmp_path / "missing.run")])


def test_opening(tmp_path: Path) -> None:
    library = Library([saved(tmp_path, "kuhn.run")])
    loaded = library.load(0)
    assert loaded is library.load(0)
    assert loaded.tree is not None
    assert loaded.outline is not None
    assert loaded.why_no_tree == ""
    assert loaded.strategy() == solved("kuhn").strategy
    assert loaded.strategy("current") == solved("kuhn").current
    assert loaded.regret is not None
    solved("kuhn", 300).save(tmp_path / "kuhn.run")
    again = library.load(0)
    assert again is not loaded
    assert again.tree is loaded.tree  # one tree for all runs of a game
    loaded.warm()


def test_a_strategy_alone(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.strategy"
    solved("kuhn").strategy.save(path)
    loaded = Library([str(path)]).load(0)
    assert (loaded.run, loaded.tree, loaded.regret) == (None, None, None)
    assert "--game" in loaded.why_no_tree
    with_game = Library([str(path)], game="kuhn").load(0)
    assert with_game.measures().values[0] == pytest.approx(rg.value(built("kuhn"), solved("kuhn").strategy))
    with pytest.raises(rg.OptionError, match="--game"):
        loaded.opponent()


def test_a_strategy_of_another_game(tmp_path: Path) -> None:
    loaded = Library([saved(tmp_path, "kuhn.run")], game="leduc").load(0)
    assert loaded.tree is None
    assert "does not fit the game" in loaded.why_no_tree


def test_a_game_of_one_s_own_is_loaded_only_if_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run's file must not be able to have Python files imported."""
    monkeypatch.chdir(tmp_path)
    proof = tmp_path / "executed"
    Path("mygame.py").write_text(
        dedent(
            f"""
            from pathlib import Path
            import regretless as rg
            Path({str(proof)!r}).touch()

            class Guess(rg.Game):
                def root(self): return ""
                def player(self, h): return rg.TERMINAL if len(h) == 2 else len(h)
                def actions(self, h): return "HT"
                def play(self, h, a): return h + a
                def infoset(self, h): return len(h)
                def payoffs(self, h): return (-1, 1) if h[0] == h[1] else (1, -1)
            """
        )
    )
    rg.solve("mygame.py:Guess", iterations=10).save("guess.run")
    proof.unlink()
    sys.modules.pop(next(name for name in sys.modules if name.startswith("regretless_game_mygame")))
    loaded = Library(["guess.run"]).load(0)
    assert loaded.tree is None
    assert "--game mygame.py:Guess" in loaded.why_no_tree
    assert list(loaded.strategy())
    with pytest.raises(rg.OptionError, match=r"--game mygame\.py:Guess"):
        loaded.opponent()
    assert not proof.exists()
    asked = Library(["guess.run"], game="mygame.py:Guess").load(0)
    assert asked.tree is not None
    assert proof.exists()
    Path("mygame.py").write_text(Path("mygame.py").read_text().replace("(-1, 1)", "(-2, 2)"))
    changed = Library(["guess.run"], game="mygame.py:Guess").load(0)
    assert "has changed since it was solved" in changed.why_no_tree


def test_solves_that_forget_or_do_not_list(tmp_path: Path) -> None:
    rg.solve("dudo:sides=2,recall=1", rg.FSICFR(), iterations=5).save(tmp_path / "forgets.run")
    rg.solve(rg.games.Leduc(), rg.MCCFR(listed=False), iterations=50).save(tmp_path / "met.run")
    library = Library([str(tmp_path / "forgets.run"), str(tmp_path / "met.run")])
    forgets, met = library.load(0), library.load(1)
    assert "forget on purpose" in forgets.why_no_tree
    assert forgets.opponent().values(None) is None
    assert met.tree is not None  # Leduc is small enough to list it now
    assert met.header.listed is False
    assert met.strategy().labels.fingerprint == built("leduc").labels.fingerprint


def test_a_long_list_is_searched_quickly(tmp_path: Path) -> None:
    """100,000 infosets: a strategy of made-up labels, found by what they hold."""
    from regretless.apps.views.infoset_measures import matching
    from regretless.layout.labels import Labels

    count = 100_000
    numbers = np.arange(count, dtype=np.int32)
    labels = Labels(
        players=1,
        names=tuple(f"infoset {i}" for i in range(count)),
        actions=(("left", "right"),) * count,
        owner=np.zeros(count, np.int32),
        first=1 + 2 * numbers,
        stride=np.ones(count, np.int32),
        reading_order=numbers,
        sequences=1 + 2 * count,
    )
    probabilities = np.full(labels.sequences, 0.5)
    probabilities[0] = 1.0
    path = tmp_path / "long.strategy"
    rg.Strategy(labels, probabilities).save(path)
    loaded = Library([str(path)]).load(0)
    assert len(matching(loaded.strategy().labels, loaded.names, "9999", None)) == 19
