"""Importing is cheap, and the core needs none of the extras."""

from __future__ import annotations

import subprocess
import sys

import pytest

import regretless as rg

HEAVY = [
    "numba",
    "scipy",
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "typer",
    "rich",
    "torch",
    "ray",
    "pyspiel",
    "pygambit",
    "starlette",
    "uvicorn",
    "htpy",
    "plotly",
]
EXTRAS = [
    "pandas", "polars", "pyarrow", "torch", "ray", "pyspiel", "open_spiel", "pygambit", "safetensors", "LiteEFG",
    "starlette", "uvicorn", "anyio", "htpy", "plotly",
]  # fmt: skip


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_nothing_heavy() -> None:
    loaded = python("import sys, regretless; print(' '.join(sys.modules))").split()
    assert not [name for name in HEAVY if name in loaded]


def test_describing_a_game_loads_nothing_heavy() -> None:
    loaded = python("import sys, regretless as rg; rg.games.Leduc(); rg.CFR_PLUS; print(' '.join(sys.modules))").split()
    assert not [name for name in HEAVY if name in loaded]


def test_the_core_works_without_the_extras() -> None:
    said = python(
        f"""
import sys
for name in {EXTRAS!r}:
    sys.modules[name] = None
import regretless as rg
run = rg.solve(rg.games.Kuhn(), rg.CFR_PLUS, iterations=100)
tree = rg.build(rg.games.Kuhn())
print(round(rg.equilibrium(tree).value, 6), run.exploitability < 0.01, rg.check_game(rg.games.Kuhn()) is not None)
try:
    rg.games.OpenSpiel("kuhn_poker")
except rg.OptionError as error:
    print(error)
try:
    run.strategy.frame()
except rg.OptionError as error:
    print(error)
"""
    )
    first, second, third = said.strip().splitlines()
    assert first == "-0.055556 True True"
    assert "pip install regretless[openspiel]" in second
    assert "pip install 'regretless[frames]'" in third


def test_solving_does_not_load_what_only_pictures_and_tables_need() -> None:
    loaded = python(
        "import sys, regretless as rg; rg.solve(rg.games.Kuhn(), iterations=2); print(' '.join(sys.modules))"
    ).split()
    assert not [name for name in ("matplotlib", "pandas", "typer", "rich", "torch") if name in loaded]


def test_the_command_line_loads_no_web_server() -> None:
    said = python(
        """
import sys
from regretless.apps.cli import main
try:
    main(["solve", "kuhn", "-n", "2", "--quiet"])
except SystemExit as ended:
    assert not ended.code
print([name for name in ("starlette", "uvicorn", "htpy", "plotly") if name in sys.modules])
"""
    )
    assert said.strip() == "[]"


@pytest.mark.parametrize("name", rg.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(rg, name) is not None
    assert name in dir(rg)


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="module 'regretless' has no attribute 'slove'"):
        _ = rg.slove  # type: ignore[attr-defined]


def test_public_things_are_documented() -> None:
    for name in rg.__all__:
        thing = getattr(rg, name)
        if callable(thing) or isinstance(thing, type):
            assert thing.__doc__, name
