"""Every method keeps the contract, on every kind of problem; and methods and games of other packages are found."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED, marks_of
from regretless.lookup import plugins
from regretless.lookup.methods import METHODS, method_by_name

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL: dict[str, Any] = {"traversals": 40, "steps": 5, "widths": (8,), "batch": 64, "strategy_steps": 5}
SMALL_VALUES: dict[str, Any] = {"value_steps": 5, "value_batch": 32, "value_widths": (8,), "value_capacity": 400}
LEDUC = rg.poker.PublicGame(rg.poker.Deck("JQK", "sh"), 1, (1,), rg.poker.LEDUC)

CHECKED: list[Any] = [
    *(
        pytest.param(method, "rps" if name == "regret-matching" else "kuhn", marks=marks_of(name))
        for name, method in METHODS.items()
        if name not in ("deep-cfr", "dream", "escher")
    ),
    (rg.EpsilonCFR(0.1), "kuhn"),
    (rg.CFR_PLUS, LEDUC),
    (rg.PDCFR_PLUS, LEDUC),
    (rg.MCCFR(listed=False), "kuhn"),
    (rg.MCCFR(sampling="outcome", baseline="infoset", traversals=30), "leduc"),
    (rg.FSICFR(variant=rg.DCFR, reset=3), "dudo:sides=2,recall=1"),
]


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize(("method", "game"), CHECKED, ids=lambda part: getattr(part, "name", str(part)))
def test_methods(method: Any, game: Any) -> None:
    if isinstance(method, rg.DeepCFR | rg.NFSP):
        pytest.importorskip("torch")
    assert rg.check_method(method, game, iterations=4).stored


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize(
    ("method", "game"),
    [
        (rg.DeepCFR(**SMALL), "kuhn"),
        (rg.DeepCFR(averaging="value-networks", **SMALL), "kuhn"),
        (rg.DeepCFR(memory="reservoir", **SMALL), "kuhn"),
        (rg.DeepCFR(memory="window", refit="fresh", **SMALL), "kuhn"),
        (rg.DeepCFR(averaging="value-networks", baseline="history", **SMALL), "kuhn"),
        (rg.DeepCFR(listed=False, **SMALL), "kuhn"),
        (rg.DeepCFR(averaging="value-networks", **SMALL), LEDUC),
        (rg.DeepCFR(boards=2, **SMALL), LEDUC),
        (rg.DREAM(**SMALL, **SMALL_VALUES), "kuhn"),
        (rg.ESCHER(memory="reservoir", **SMALL, **SMALL_VALUES), "kuhn"),
        (rg.NFSP(plays=64, every=64, batch=32), "kuhn"),
    ],
    ids=lambda part: getattr(part, "name", str(part)),
)
@pytest.mark.full
def test_deep_methods_after_every_iteration(method: Any, game: Any) -> None:
    """Stopped after each of the first five iterations, they go on bit for bit, also with a single thread."""
    pytest.importorskip("torch")
    assert rg.check_method(method, game, iterations=6).stored


# -- methods that break the contract ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Broken:
    """Fictitious play with one thing wrong."""

    what: str = ""
    capabilities = rg.Capabilities(precisions=("float64",))

    @property
    def name(self) -> Any:
        return 3 if self.what == "name" else "broken"

    def open(self, game: Any) -> Any:
        return None if self.what == "open" else rg.open_problem(game)

    def learner(self, tree: Any, settings: rg.Settings) -> Any:
        return tree if self.what == "learner" else BrokenLearner(tree, self.what, settings)


class BrokenLearner(rg.TreeLearner):
    def __init__(self, tree: rg.Tree, what: str, settings: rg.Settings) -> None:
        super().__init__(tree, settings)
        self.what = what
        self.average, self.drawn = np.ones(tree.sequences), np.zeros(1)
        self.random = np.random.default_rng(None if what == "seed" else 1)

    def current(self) -> Any:
        uniform = self.tree.uniform().probabilities
        return uniform * 2 if self.what == "strategy" else uniform

    def advance(self, iterations: int) -> None:
        self.iteration += min(iterations, 1) if self.what == "count" else iterations
        if self.what in ("seed", "hidden"):
            for _ in range(iterations):
                self.drawn[0] += self.random.random()

    def arrays(self) -> dict[str, Any]:
        name = "current" if self.what == "reserved" else "drawn"
        return {"average": self.average, name: self.drawn}

    def measure(self) -> dict[str, float]:
        if self.what == "measure":
            self.drawn += 1
        row = super().measure()
        return {"value": 0.0} if self.what == "row" else row | ({"exploitability": -1.0} if self.what == "gap" else {})


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("name", "name is a text, got 3"),
        ("open", "which is no problem"),
        ("learner", r"which is no rg\.Learner"),
        ("count", "iterations the learner is at"),
        ("reserved", "'current' is the name of the last iterate"),
        ("measure", r"measure\(\) changes the state"),
        ("row", r"measure\(\) returns no 'exploitability', only value"),
        ("gap", "exploitability is negative"),
        ("strategy", "is no distribution"),
        ("seed", "two runs with the same seed differ"),
        ("hidden", "a learner restored after 1 iterations goes on differently"),
    ],
)
def test_what_is_broken_is_named(what: str, said: str) -> None:
    assert rg.check_method(Broken()).stored
    with pytest.raises(AssertionError, match=said):
        rg.check_method(Broken(what))


def test_classes_and_other_things_are_no_methods() -> None:
    with pytest.raises(AssertionError, match=r"Broken is a class: pass a method, Broken\(\)"):
        rg.check_method(Broken)
    with pytest.raises(AssertionError, match=r"str has no 'name'"):
        rg.check_method("cfr")
    with pytest.raises(rg.OptionError, match=r"a method is needed here, and Broken is a class: write Broken\(\)"):
        rg.solve("kuhn", Broken)  # type: ignore[arg-type]


# -- files ------------------------------------------------------------------------------------------------------------


class Plain:
    """A method that is no dataclass."""

    name, capabilities = "plain", rg.Capabilities(precisions=("float64",))

    def open(self, game: Any) -> Any:
        return rg.open_problem(game)

    def learner(self, tree: Any, settings: rg.Settings) -> Any:
        return BrokenLearner(tree, "", settings)


@dataclass(frozen=True)
class Held(Plain):
    """A method with a setting that no file can hold."""

    rate: Any = np.zeros(2).dtype


def test_a_method_that_no_file_can_hold_is_refused_before_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "plain.run"
    for method, said in ((Plain(), "Plain is no dataclass"), (Held(), r"Held\.rate is dtype\('float64'\)")):
        assert rg.solve("kuhn", method, iterations=2).iterations == 2
        with pytest.raises(rg.OptionError, match=said):
            rg.solve("kuhn", method, iterations=2, checkpoint=path)
    assert not path.exists()
    assert not rg.check_method(Plain()).stored


def test_a_method_of_ones_own_is_passed_when_its_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "own.run"
    run = rg.solve("kuhn", Broken(), iterations=2, checkpoint=path)
    with pytest.raises(rg.FileError, match=r"names a method 'Broken' that is not known here: pass the method itself"):
        rg.load(path)
    loaded = rg.load(path, method=Broken())
    assert isinstance(loaded, rg.Run) and loaded.strategy == run.strategy
    with pytest.raises(rg.FileError, match="the run was made with another method than broken, or with other settings"):
        rg.load(path, method=Broken("gap"))
    assert rg.resume(path, iterations=2, method=Broken()).iterations == 4


@dataclass(frozen=True)
class Steep(rg.Variant):
    """A subclass of a class that files know."""


def test_a_subclass_of_a_variant_is_passed_as_well(tmp_path: Path) -> None:
    path = tmp_path / "steep.run"
    rg.solve("kuhn", Steep(floor=True), iterations=2, checkpoint=path)
    with pytest.raises(rg.FileError, match="names a method 'Steep'"):
        rg.load(path)
    assert isinstance(rg.load(path, method=Steep(floor=True)), rg.Run)


# -- other packages ---------------------------------------------------------------------------------------------------

ENTRY_POINTS = """
[regretless.methods]
hedge = hedge:HedgeCFR
steep = othergames:STEEP
lost = nowhere:Nothing

[regretless.games]
guess = othergames:Guess
coin = othergames:COIN
"""

OTHER_GAMES = '''
from dataclasses import dataclass
import regretless as rg

@dataclass(frozen=True)
class Guess(rg.Game):
    """Guess one of some sides."""
    sides: int = 2
    def root(self): return ()
    def player(self, h): return rg.TERMINAL if len(h) == 2 else len(h)
    def actions(self, h): return tuple(range(self.sides))
    def play(self, h, a): return (*h, a)
    def infoset(self, h): return len(h)
    def payoffs(self, h): return (-1, 1) if h[0] == h[1] else (1, -1)

COIN = Guess()
STEEP = rg.Variant(floor=True, averaging=rg.Polynomial(3))
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package with entry points, as pip would leave it."""
    (tmp_path / "othergames.py").write_text(OTHER_GAMES)
    (tmp_path / "hedge.py").write_text((EXAMPLES / "hedge.py").read_text())
    info = tmp_path / "othergames-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: othergames\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    plugins._entries.cache_clear()
    yield tmp_path
    plugins._entries.cache_clear()
    for name in ("hedge", "othergames"):
        sys.modules.pop(name, None)


@pytest.mark.filterwarnings("ignore:'lost' is offered:RuntimeWarning")
def test_other_packages_add_methods_and_games(installed: Path) -> None:
    method = method_by_name("hedge:rate=8")
    assert method.name == "Hedge CFR (rate 8)" and method == dataclasses.replace(method_by_name("hedge"), rate=8.0)
    path = installed / "guess.run"
    run = rg.solve("guess:sides=3", "hedge:rate=8", iterations=20, checkpoint=path)
    assert run.game == "guess:sides=3" and rg.load(path).method == method
    assert rg.resume(path, iterations=5).iterations == 25
    assert rg.solve("coin", "steep", iterations=5).exploitability < 0.1
    assert {"guess", "coin"} <= set(rg.games.names())
    with pytest.raises(rg.OptionError, match="rate is a number, got 'x'"):
        method_by_name("hedge:rate=x")
    with pytest.raises(rg.OptionError, match="the game 'coin' takes no parameters"):
        rg.solve("coin:sides=3")
    with pytest.raises(rg.OptionError, match="did you mean 'hedge'"):
        rg.solve("kuhn", "hegde")


def test_a_package_that_cannot_be_loaded(installed: Path) -> None:
    with pytest.raises(rg.OptionError, match="'lost' is offered by the entry point 'nowhere:Nothing', which cannot be"):
        rg.solve("kuhn", "lost")
    with pytest.warns(RuntimeWarning, match="'lost' is offered"):
        assert set(plugins.all_plugins("regretless.methods")) == {"hedge", "steep"}


@pytest.mark.filterwarnings("ignore:'lost' is offered:RuntimeWarning")
def test_the_command_line_lists_and_runs_them(installed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from regretless.apps.cli import main

    def command(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main([*words])
        assert ended.value.code in (0, None)
        return capsys.readouterr().out

    assert "hedge" in command("algorithms") and "guess" in command("games")
    path = str(installed / "run")
    assert "Hedge CFR (rate 2)" in command("solve", "guess", "-a", "hedge:rate=2", "-n", "50", "--out", path)
    assert "Hedge CFR (rate 2)" in command("show", path)
    assert "going on from iteration 50" in command("solve", "guess", "-n", "60", "--out", path, "--resume")
    assert "Hedge CFR" in command("compare", "guess", "-a", "hedge,cfr", "-n", "10")
