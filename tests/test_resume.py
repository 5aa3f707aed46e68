"""A run that was stopped and resumed is bit for bit the run that was not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regretless as rg
from compare_tables import random_strategy
from conftest import INTERPRETED, built, marks_of
from random_games import RandomGame, random_games
from regretless.lookup.methods import METHODS
from test_solver import assert_equal_state

DEEP = ("deep-cfr", "sd-cfr", "dream", "escher", "nfsp")
"""Methods that need an extra: tests/deep resumes them, with smaller networks."""

ONLY_ZERO_SUM = ("polished-cfr", "omd", "egt", "mmd", "double-oracle", "xdo")
"""Methods for two-player zero-sum games alone."""

METHODS_AND_GAMES = [
    pytest.param(name, spec, marks=marks_of(name))
    for name in METHODS
    if name not in DEEP
    for spec in (["rps", "battle_of_the_sexes"] if name == "regret-matching" else ["kuhn", "kuhn:players=3"])
    if name not in ONLY_ZERO_SUM or spec == "kuhn"
]


def assert_resumes(tree: rg.Tree, method: Any, splits: list[int], folder: Path, **options: Any) -> None:
    """Run the parts that `splits` add up to, through files, against one run."""
    whole = rg.solve(tree, method, iterations=sum(splits), **options)
    path = folder / "part.run"
    rg.solve(tree, method, iterations=splits[0], **options).save(path)
    for count in splits[1:]:
        rg.resume(path, iterations=count, game=tree).save(path)
    run = rg.load(path)
    assert isinstance(run, rg.Run)
    assert_equal_state(run, whole)
    assert run.method == whole.method
    assert run.settings["planned"] == whole.settings["planned"]
    last = whole.history.rows()[-1]
    resumed = run.history.rows()[-1]
    assert {k: v for k, v in resumed.items() if k != "seconds"} == {k: v for k, v in last.items() if k != "seconds"}
    assert (np.diff(run.history["iteration"]) > 0).all()
    assert (np.diff(run.history["seconds"]) >= 0).all()
    measured = dict(zip(whole.history["iteration"].tolist(), whole.history["exploitability"].tolist(), strict=True))
    for iteration, gap in zip(run.history["iteration"].tolist(), run.history["exploitability"].tolist(), strict=True):
        assert measured.get(iteration, gap) == gap


@pytest.mark.parametrize(("name", "spec"), METHODS_AND_GAMES)
@pytest.mark.parametrize("splits", [[1, 29], [13, 17], [10, 1, 19]], ids=str)
def test_every_method(name: str, spec: str, splits: list[int], tmp_path: Path) -> None:
    if name == "xdo":  # its later iterations are long
        splits = [max(1, count // 4) for count in splits]
    assert_resumes(built(spec), METHODS[name], splits, tmp_path, seed=11)


@pytest.mark.parametrize("name", [name for name in METHODS if isinstance(METHODS[name], rg.Variant)])
def test_single_precision(name: str, tmp_path: Path) -> None:
    assert_resumes(built("kuhn"), METHODS[name], [7, 16], tmp_path, dtype="float32")


@pytest.mark.parametrize("delay", [5, 12])
@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("name", ["cfr+", "dcfr", "pdcfr+", "hs-dcfr"])
def test_delay_and_simultaneous_updates(name: str, delay: int, alternating: bool, tmp_path: Path) -> None:
    method = METHODS[name].replace(delay=delay, alternating=alternating)  # type: ignore[union-attr]
    assert_resumes(built("kuhn"), method, [8, 12], tmp_path)
    assert_resumes(built("kuhn"), rg.CFRBR(method), [8, 12], tmp_path)


MOVE_ALL = ("fsicfr", "egt", "double-oracle", "xdo", "polished-cfr", *DEEP)
"""Methods that move all players, and refuse to hold one fixed."""


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=marks_of(name)) for name in METHODS if name not in MOVE_ALL],
)
def test_fixed_players(name: str, dtype: str, tmp_path: Path) -> None:
    if dtype == "float32" and not isinstance(METHODS[name], rg.Variant):
        pytest.skip("float64 only")
    tree = built("rps" if name == "regret-matching" else "kuhn")
    fixed = {1: random_strategy(tree, 8)}
    assert_resumes(tree, METHODS[name], [6, 9], tmp_path, fixed=fixed, dtype=dtype)


@pytest.mark.skipif(INTERPRETED, reason="slow without the compiler and covered by Kuhn")
def test_leduc_across_a_block_of_steps(tmp_path: Path) -> None:
    assert_resumes(built("leduc"), rg.PDCFR_PLUS, [1_000, 30, 20], tmp_path)


@settings(max_examples=10)
@given(random_games(), st.sampled_from(sorted(METHODS)), st.integers(1, 20), st.integers(1, 20))
def test_random_games(
    tmp_path_factory: pytest.TempPathFactory, game: RandomGame, name: str, first: int, second: int
) -> None:
    if name != "regret-matching":
        assert_resumes(rg.build(game), METHODS[name], [first, second], tmp_path_factory.mktemp("resume"))


# -- checkpoints ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cfr+", "cfr-br", "fictitious-play", "regret-matching"])
def test_checkpoints(name: str, tmp_path: Path) -> None:
    """Every file that a solve leaves on its way can be resumed from."""
    tree = built("rps" if name == "regret-matching" else "kuhn")
    path = tmp_path / "check.run"
    copies: dict[int, bytes] = {}

    def keep(_: object) -> None:
        data = path.read_bytes()
        copies[rg.load(path).iterations] = data  # type: ignore[union-attr]

    whole = rg.solve(tree, name, iterations=30, checkpoint=path, checkpoint_every=0.0, callback=keep)
    assert len(copies) > 5
    final = rg.load(path)
    assert isinstance(final, rg.Run)
    assert_equal_state(final, whole)
    assert final.stopped == "finished"
    for iterations, data in copies.items():
        path.write_bytes(data)
        resumed = rg.resume(path)
        assert_equal_state(resumed, whole)
        assert resumed.iterations == 30
        assert iterations < 30


def test_a_resumed_run_keeps_its_own_checkpoint(kuhn: rg.Tree, tmp_path: Path) -> None:
    rg.solve(kuhn, iterations=10, checkpoint=tmp_path / "a.run")
    before = (tmp_path / "a.run").read_bytes()
    rg.resume(tmp_path / "a.run", iterations=5, checkpoint=tmp_path / "b.run")
    assert (tmp_path / "a.run").read_bytes() == before
    run = rg.resume(tmp_path / "b.run", iterations=5)
    assert_equal_state(run, rg.solve(kuhn, iterations=20))


def test_an_unwritable_checkpoint_is_found_out_at_once(kuhn: rg.Tree, tmp_path: Path) -> None:
    called: list[object] = []
    with pytest.raises(rg.FileError, match="it is a folder"):
        rg.solve(kuhn, iterations=10, checkpoint=tmp_path, callback=called.append)
    assert not called


# -- what resume is told ----------------------------------------------------------------------------------------------


def test_to_where_it_was_planned(kuhn: rg.Tree, tmp_path: Path) -> None:
    path = tmp_path / "kuhn.run"
    rg.solve(kuhn, iterations=30, callback=lambda s: s.iteration == 9).save(path)
    run = rg.resume(path)
    assert run.iterations == 30
    run.save(path)
    with pytest.raises(rg.OptionError, match="has done its 30 iterations; say how many more"):
        rg.resume(path)
    assert rg.resume(path, until=1e-3).stopped == "until"
    assert rg.resume(path, seconds=0.02).stopped == "seconds"


def test_a_run_without_a_plan_must_be_told(kuhn: rg.Tree, tmp_path: Path) -> None:
    rg.solve(kuhn, until=0.1).save(tmp_path / "kuhn.run")
    with pytest.raises(rg.OptionError, match="say how many more"):
        rg.resume(tmp_path / "kuhn.run")


def test_another_game(kuhn: rg.Tree, leduc: rg.Tree, tmp_path: Path) -> None:
    rg.solve(kuhn, iterations=3).save(tmp_path / "kuhn.run")
    with pytest.raises(rg.FileError, match="is a run of kuhn, but that game is not the same any more"):
        rg.resume(tmp_path / "kuhn.run", iterations=3, game=leduc)


def test_a_game_of_ones_own(tmp_path: Path) -> None:
    game = RandomGame(seed=5)
    rg.solve(game, iterations=4).save(tmp_path / "own.run")
    with pytest.raises(rg.OptionError, match="RandomGame"):
        rg.resume(tmp_path / "own.run", iterations=3)
    run = rg.resume(tmp_path / "own.run", iterations=3, game=game)
    assert_equal_state(run, rg.solve(game, iterations=7))


def test_bad_options(kuhn: rg.Tree, tmp_path: Path) -> None:
    rg.solve(kuhn, iterations=3).save(tmp_path / "kuhn.run")
    with pytest.raises(rg.OptionError, match="positive whole number"):
        rg.resume(tmp_path / "kuhn.run", iterations=0)
    with pytest.raises(rg.OptionError, match="above zero"):
        rg.resume(tmp_path / "kuhn.run", until=0)
    with pytest.raises(rg.OptionError, match="threads"):
        rg.resume(tmp_path / "kuhn.run", iterations=3, threads=0)


EVIL = """
import pathlib
import regretless as rg

pathlib.Path("ran").touch()

@rg.compiled
class Guess(rg.Game):
    '''Player 0 hides a coin, player 1 guesses the side.'''
    def root(self): return (0, 0)
    def player(self, h): return h[1] if h[1] < 2 else rg.TERMINAL
    def actions(self, h): return (0, 1)
    def play(self, h, a): return (2 * h[0] + a, h[1] + 1)
    def infoset(self, h): return h[1]
    def payoffs(self, h): return (-1.0, 1.0) if h[0] in (0, 3) else (1.0, -1.0)
"""


@pytest.mark.skipif(INTERPRETED, reason="compiled games need the compiler")
@pytest.mark.parametrize("method", [rg.CFR, rg.MCCFR(listed=False), rg.FSICFR()], ids=lambda method: method.name)
def test_a_file_runs_no_code_of_other_files(method: Any, empty_folder: Path) -> None:
    """A run that names a class in a file is read, but the game is only opened when it is passed."""
    game = empty_folder / "own.py"
    game.write_text(EVIL)
    run = rg.solve("own.py:Guess", method, iterations=4)
    run.save("guess.run")
    (empty_folder / "ran").unlink()
    loaded: Any = rg.load("guess.run")
    assert len(list(loaded.strategy)) == 2 and loaded.exploitability == run.exploitability
    with pytest.raises(rg.OptionError, match=r"is a run of own\.py:Guess, which a file may not open by itself.*game="):
        rg.resume("guess.run", iterations=2)
    assert not (empty_folder / "ran").exists()
    assert rg.resume("guess.run", iterations=2, game="own.py:Guess").iterations == 6
    named: Any = rg.load("guess.run", game=rg.games.by_name("own.py:Guess"))
    assert set(named.strategy) == {0, 1}
