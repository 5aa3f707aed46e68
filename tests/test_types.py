"""What a type checker says about code that uses the library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[1]

SNIPPET = """
    import regretless as rg

    tree = rg.build("kuhn")
    reveal_type(rg.solve(tree, rg.MCCFR(), iterations=5, seed=1).strategy)
    reveal_type(rg.solve(rg.games.Kuhn()).strategy["K"])
    reveal_type(rg.solve(rg.poker.FlopHoldem(), iterations=2).strategy)
    reveal_type(rg.solve("kuhn", "mccfr").strategy)
    reveal_type(rg.solve(tree).history.frame("polars"))


    def best(run: rg.Run) -> rg.Strategy:
        strategy: rg.Strategy = run.strategy
        return strategy


    best(rg.solve(tree))
    rg.Typo
    rg.solve(tree, iteration=5)
"""

SAID = [
    (5, 'Revealed type is "regretless.strategy.Strategy"'),
    (6, 'Revealed type is "dict[typing.Hashable, float]"'),
    (7, 'Revealed type is "regretless.poker.results.public_strategy.PublicStrategy"'),
    (8, 'Revealed type is "Any"'),
    (9, 'Revealed type is "polars.dataframe.frame.DataFrame"'),
    (18, 'Module has no attribute "Typo"'),
    (19, 'No overload variant of "solve"'),
]


@pytest.mark.full
def test_mypy_knows_the_names_and_the_strategies(tmp_path: Path) -> None:
    """`rg.Typo` and a wrong option fail, and `run.strategy` has the type that the game gives it."""
    file = tmp_path / "snippet.py"
    file.write_text(dedent(SNIPPET))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(file)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith(str(file))]
    for number, said in SAID:
        assert any(line.startswith(f"{file}:{number}:") and said in line for line in lines), (said, done.stdout)
    assert sorted({int(line.split(":")[1]) for line in lines if ": error:" in line}) == [18, 19], done.stdout
