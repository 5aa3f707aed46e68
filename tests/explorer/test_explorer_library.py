"""The runs that the explorer was given: followed while they are written, opened when they are looked at."""

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
from regretless.apps.views.library import Library, Missing
from regretless.apps.views.loaded_run import ready_made
from regretless.apps.views.run_headers import Followed
from regretless.errors import FileError


def test_a_glance_says_what_the_run_says(tmp_path: Path) -> None:
    run = solved("kuhn")
    glance = Followed(Path(saved(tmp_path, "kuhn.run"))).look()
    assert (glance.kind, glance.game, glance.method, glance.problem) == ("run", "kuhn", run.method.name, "")
    assert (glance.iterations, glance.players, glance.stopped, glance.running) == (200, 2, "finished", False)
    assert glance.exploitability == run.exploitability
    assert glance.value == run.value
    assert [row["iteration"] for row in glance.history] == run.history["iteration"].tolist()


def test_a_glance_loads_no_compiler(tmp_path: Path) -> None:
    """The first page must come at once: reading a header needs NumPy and nothing heavier."""
    path = saved(tmp_path, "kuhn.run")
    code = f"""
        import sys
        from regretless.apps.explorer.web.app import Explorer
        from regretless.apps.explorer.web.requests import Request
        explorer = Explorer([{path!r}])
        assert explorer.answer(Request("GET", "/convergence")).status == 200
        print([name for name in ("numba", "scipy", "matplotlib") if name in sys.modules])
    """
    words = [sys.executable, "-c", dedent(code)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=surroundings())
    assert done.stdout.strip() == "[]"


def test_a_file_is_read_again_when_it_is_written_again(tmp_path: Path) -> None:
    path = Path(saved(tmp_path, "kuhn.run"))
    followed = Followed(path)
    first = followed.look()
    assert followed.look() is first
    solved("kuhn", 300).save(path)
    assert followed.look().iterations == 300
    path.unlink()
    assert followed.look().problem == "kuhn.run is not there any more"


def test_a_solve_in_another_process_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "live.run"
    words = ["solve", "leduc", "--seconds", "2", "--out", str(path), "--checkpoint-every", "0.05", "--quiet"]
    with subprocess.Popen([sys.executable, "-m", "regretless", *words], env=surroundings()) as solving:
        followed, seen = Followed(path), set()
        end = time.monotonic() + 60
        while solving.poll() is None and time.monotonic() < end:
            glance = followed.look()
            if not glance.problem:
                seen.add((glance.iterations, glance.running))
            time.sleep(0.02)
    assert solving.returncode == 0
    growing = sorted(iterations for iterations, running in seen if running)
    assert len(growing) >= 3
    assert not followed.look().running
    assert followed.look().iterations >= growing[-1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a regretless file"),
        (b"hello" * 100, "not a regretless file"),
        (b'\x10\x00\x00\x00\x00\x00\x00\x00{"a": 1}        ', "not a run or a strategy"),
    ],
)
def test_files_that_are_no_runs(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "other.run"
    path.write_bytes(content)
    glance = Followed(path).look()
    assert said in glance.problem
    assert str(tmp_path) not in glance.problem
    library = Library([str(path)])
    with pytest.raises(FileError, match=said):
        library.opened(0)


def test_a_header_that_lies(tmp_path: Path) -> None:
    """Whatever is changed in a header ends in a sentence."""
    path = Path(saved(tmp_path, "kuhn.run"))
    whole = path.read_bytes()
    for old, new in ((b"iterations", b"jterations"), (b"CFR", b"CGR"), (b'\\"Variant\\"', b'\\"Evil\\"   '[:11])):
        path.write_bytes(whole.replace(old, new))
        Followed(path).look()  # says something, or shows what is left
    path.write_bytes(whole.replace(b"Polynomial", b"Polynomiax"))
    assert Followed(path).look().problem


def test_an_array_that_is_damaged_is_found_when_the_run_is_opened(tmp_path: Path) -> None:
    path = Path(saved(tmp_path, "kuhn.run"))
    whole = bytearray(path.read_bytes())
    whole[-3] ^= 0xFF
    path.write_bytes(bytes(whole))
    library = Library([str(path)])
    assert library.entry(0).look().problem == ""
    with pytest.raises(FileError, match=r"kuhn\.run is damaged") as refused:
        _ = library.opened(0).loaded
    assert library.discreet(str(refused.value)).startswith("kuhn.run is damaged")


def test_numbers_name_runs(tmp_path: Path) -> None:
    library = Library([saved(tmp_path, "a.run"), saved(tmp_path, "b.run")])
    assert [entry.name for entry in library.entries()] == ["a.run", "b.run"]
    for number in (2, -1, 10**9):
        with pytest.raises(Missing, match="there is no run number"):
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
    opened = library.opened(0)
    assert opened is library.opened(0)
    assert opened.tree is not None
    assert opened.outline is not None
    assert opened.why_no_tree == ""
    assert opened.strategy() == solved("kuhn").strategy
    assert opened.strategy("current") == solved("kuhn").current
    assert opened.regret is not None
    solved("kuhn", 300).save(tmp_path / "kuhn.run")
    again = library.opened(0)
    assert again is not opened
    assert again.tree is opened.tree  # one tree for all runs of a game
    opened.warm()


def test_a_strategy_alone(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.strategy"
    solved("kuhn").strategy.save(path)
    opened = Library([str(path)]).opened(0)
    assert (opened.run, opened.tree, opened.regret) == (None, None, None)
    assert "--game" in opened.why_no_tree
    with_game = Library([str(path)], game="kuhn").opened(0)
    assert with_game.measures().values[0] == pytest.approx(rg.value(built("kuhn"), solved("kuhn").strategy))
    with pytest.raises(rg.OptionError, match="--game"):
        opened.opponent()


def test_a_strategy_of_another_game(tmp_path: Path) -> None:
    opened = Library([saved(tmp_path, "kuhn.run")], game="leduc").opened(0)
    assert opened.tree is None
    assert "does not fit the game" in opened.why_no_tree


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
    opened = Library(["guess.run"]).opened(0)
    assert opened.tree is None
    assert "--game mygame.py:Guess" in opened.why_no_tree
    assert list(opened.strategy())
    with pytest.raises(rg.OptionError, match=r"--game mygame\.py:Guess"):
        opened.opponent()
    assert not proof.exists()
    asked = Library(["guess.run"], game="mygame.py:Guess").opened(0)
    assert asked.tree is not None
    assert proof.exists()
    Path("mygame.py").write_text(Path("mygame.py").read_text().replace("(-1, 1)", "(-2, 2)"))
    changed = Library(["guess.run"], game="mygame.py:Guess").opened(0)
    assert "not the same any more" in changed.why_no_tree


@pytest.mark.parametrize("spec", ["mygame.py:Guess", "os:system", "/tmp/x.py:A", "game.efg", "spot.toml", "", "kuhn2"])
def test_what_is_not_ready_made(spec: str) -> None:
    assert not ready_made(spec)


def test_solves_that_forget_or_do_not_list(tmp_path: Path) -> None:
    rg.solve("dudo:sides=2,recall=1", rg.FSICFR(), iterations=5).save(tmp_path / "forgets.run")
    rg.solve(rg.games.Leduc(), rg.MCCFR(listed=False), iterations=50).save(tmp_path / "met.run")
    library = Library([str(tmp_path / "forgets.run"), str(tmp_path / "met.run")])
    forgets, met = library.opened(0), library.opened(1)
    assert "forgets on purpose" in forgets.why_no_tree
    assert forgets.opponent().values(None) is None
    assert met.tree is not None  # Leduc is small enough to list it now
    assert met.glance.listed is False
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
    opened = Library([str(path)]).opened(0)
    assert len(matching(opened.strategy().labels, opened.names, "9999", None)) == 19
