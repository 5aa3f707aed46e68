"""Every example runs from anywhere, says the number it is there for, and draws its pictures where it is told to."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from regretless.reproduce.registry import all_claims

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") == "1", reason="whole solves take too long where nothing is compiled"
)

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"

Said = Callable[[str], tuple[str, list[str]]]

SAID: dict[str, list[tuple[str, float, float]]] = {
    # a pattern with one number, the number, how far off it may be
    "01_rps.py": [
        (r"worth \[0\.0, (\S+), ", 0.1, 0),
        (r"paper (\S+) of the time", 1, 0.05),
        (r"'rock': (\S+),", 0.333, 0.02),
    ],
    "02_battle_of_the_sexes.py": [(r"mixed +pays \[(\S+) ", 0.667, 0), (r"fair coin .* gap (\S+)", 0, 0)],
    "03_kuhn.py": [(r"value of the game is (\S+) ", -0.055556, 0), (r"CFR\+ .* = (\S+) times", 3, 0.02)],
    "04_cfr_plus.py": [(r"CFR\+ \(floor .*\) +(\S+)", 0, 0.0004), (r"CFR, simultaneous +(\S+)", 0.027, 0.01)],
    "05_compare_variants.py": [(r"DCFR .* value (\S+)", -0.0856, 0.0005), (r"4 sides.*PDCFR\+.* (\S+)", 0, 1e-8)],
    "06_your_own_game.py": [(r"by linear programming (\S+) ", -0.2, 0), (r"hide: +\{'H': (\S+),", 0.4, 0.001)],
    "07_exact_equilibrium.py": [(r"program: value (\S+),", -0.085606424, 0), (r"between (\S+) and", -0.0857, 0.0005)],
    "08_save_resume_export.py": [(r"(\S+) rows of player", 2184, 0)],
    "09_three_players.py": [(r"as if a were 1: (\S+);", 0.8, 0), (r"values \[(\S+),", -0.0265, 0.001)],
    "10_openspiel_and_gambit.py": [],
    "11_sampled_cfr.py": [(r"external +expl\S+ (\S+),", 0.05, 0.03), (r"outcome +expl\S+ (\S+),", 0.2, 0.15)],
    "12_large_games.py": [
        (r"13 ranks: (\S+) histories", 1_179_777, 0),
        (r"each: (\S+) histories", 663_511, 0),
        (r"CFR\+ on vectors: exploitability (\S+) ", 0.004, 0.001),
        (r"value is from (\S+) to", 0.101, 0.005),
        (r"MCCFR: exploitability (\S+) ", 0.6, 0.3),
    ],
    "13_matches.py": [(r"CFR: a wins (\S+) chips", 0.101479, 1e-5), (r"both +\+(\S+) ", 0.1015, 0.05)],
    "14_forgetting.py": [
        (r"last 3 claims: (\S+) infosets", 126, 0),
        (r"last 4 claims: .*exploitability (\S+),", 0, 0.001),
    ],
    "15_exploiting_mistakes.py": [
        (r"program: (\S+), sure of", -1 / 30, 1e-6),
        (r"ε-CFR bluffs (\S+)", 1 / 3, 0.001),
        (r"player 1 wins (\S+) in", -28 / 75, 1e-6),
        (r"a best response (\S+), but", -0.282169, 1e-6),
    ],
    "16_dudo_match.py": [(r"\n +1 +(\S+) ", 0.5, 0.05), (r"(\S+) infosets in", 619, 0)],
    "17_deep_cfr.py": [(r"exact value (\S+);", -0.0856, 0)],
    "18_nfsp.py": [],
    "19_your_own_method.py": [(r"rate 16\) +exploitability (\S+),", 0.0715, 0.001), (r"Kuhn: (\S+),", 0.00714, 0.0001)],
    "20_river_spot.py": [
        (r"player 0 wins (\S+) chips, the", -0.39, 0.1),
        (r"bet of 100, player 0 wins (\S+)", 29.2, 0.2),
    ],
    "21_correlated_equilibria.py": [
        (r"Kuhn poker for three: .* efce (\S+),", 0, 1e-3),
        (r"Nash equilibrium is worth (\S+) ", 0.667, 0),
        (r"that regret finds: (\S+),", 0.97, 0.01),
    ],
    "22_beyond_cfr.py": [
        (r"of excessive gap: exploitability (\S+)", 0.0082, 0.003),
        (r"programs: value (\S+) after", -0.085606424, 0),
        (r"double oracle: (\S+) of 42,726", 2020, 200),
    ],
    "23_many_solves.py": [
        (r"second call skipped (\d+)", 22, 0),
        (r" 4 cards, DCFR: value (\S+),", -1 / 24, 1e-4),
        (r" 6 cards, DCFR: value (\S+),", -11 / 180, 1e-4),
    ],
}

DRAWN = {
    "01_rps.py": ["regret.png", "regret-matching.png"],
    "02_battle_of_the_sexes.py": ["battle-of-the-sexes.png"],
    "03_kuhn.py": ["kuhn-family.png"],
    "04_cfr_plus.py": ["cfr-plus.png"],
    "05_compare_variants.py": ["leduc-variants.png"],
    "07_exact_equilibrium.py": ["bounds.png"],
    "11_sampled_cfr.py": ["sampling.png"],
    "12_large_games.py": ["large-games.png"],
    "13_matches.py": ["matches.png"],
    "14_forgetting.py": ["forgetting.png", "forgetting-seconds.png"],
    "15_exploiting_mistakes.py": ["kuhn-mistakes.png", "trade-off.png", "cleaning.png"],
    "16_dudo_match.py": ["dudo-match.png"],
    "17_deep_cfr.py": ["deep-cfr.png"],
    "18_nfsp.py": ["nfsp.png"],
    "19_your_own_method.py": ["hedge.png"],
    "20_river_spot.py": ["river-grid.png", "river-answer.png"],
    "21_correlated_equilibria.py": ["correlated.png"],
    "22_beyond_cfr.py": ["beyond-cfr.png"],
    "23_many_solves.py": ["many-solves.png"],
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """What an example prints and the names of the files it leaves; each is run once, in a folder of its own."""

    @cache
    def run(name: str) -> tuple[str, list[str]]:
        folder = tmp_path_factory.mktemp(name.removesuffix(".py"))
        arguments = [str(folder / "pictures")] if name in DRAWN else []
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / name), *arguments],
            cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        return done.stdout, sorted(path.name for path in folder.rglob("*") if path.is_file())

    return run


def test_every_example_is_here() -> None:
    assert sorted(SAID) == sorted(path.name for path in EXAMPLES.glob("[0-9]*.py"))


def test_every_picture_is_in_the_documentation() -> None:
    """Others are drawn by benchmarks, by `regretless reproduce --plots`, and by the tests of the explorer."""
    pictures = {name for names in DRAWN.values() for name in names}
    benchmarks = ("beyond-cfr-families", "fhp-", "hulh-", "deep-ablations", "deep-fhp", "deep-kuhn", "deep-leduc")
    others = (*benchmarks, "explorer-", *(f"{claim.name}." for claim in all_claims()))
    here = {path.name for path in (ROOT / "docs" / "images").glob("*.png")}
    assert pictures <= here
    assert {name for name in here - pictures if not name.startswith(others)} == set()


QUICK = ("01_rps.py", "03_kuhn.py", "06_your_own_game.py", "08_save_resume_export.py")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.full) for name in SAID]
)
def test_example(name: str, said: Said) -> None:
    text, files = said(name)
    for pattern, number, tolerance in SAID[name]:
        found = re.search(pattern, text)
        assert found, f"{pattern} is not in\n{text}"
        assert float(found[1].replace(",", "")) == pytest.approx(number, abs=tolerance or 1e-9)
    assert files == sorted(DRAWN.get(name, []))


def test_examples_are_short() -> None:
    for name in SAID:
        assert len((EXAMPLES / name).read_text().splitlines()) < 60


def test_resuming_is_exact(said: Said) -> None:
    text, _ = said("08_save_resume_export.py")
    assert "to the last bit: True" in text
    assert "saving and loading: True" in text


@pytest.mark.peer
@pytest.mark.skipif(importlib.util.find_spec("pyspiel") is None, reason="needs open_spiel")
def test_openspiel_measures_the_same(said: Said) -> None:
    numbers = re.findall(r"(?:NashConv|finds) (0\.\d+)", said("10_openspiel_and_gambit.py")[0])
    ours, theirs, back = map(float, numbers)
    assert ours == pytest.approx(theirs, abs=1e-8)
    assert back == pytest.approx(ours, abs=1e-8)


@pytest.mark.peer
@pytest.mark.skipif(importlib.util.find_spec("pygambit") is None, reason="needs pygambit")
def test_gambit_finds_the_value_of_kuhn(said: Said) -> None:
    assert "finds -1/18" in said("10_openspiel_and_gambit.py")[0]
