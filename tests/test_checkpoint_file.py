"""A solve does not replace the checkpoint of another solve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import regretless as rg


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "kuhn.run"
    rg.solve("kuhn", rg.DCFR, iterations=5, seed=1, checkpoint=file)
    return file


@pytest.mark.parametrize(
    ("game", "method", "options", "reason"),
    [
        ("leduc", rg.DCFR, {}, "on kuhn, which is another game or has changed"),
        ("kuhn", rg.CFR_PLUS, {}, r"by averaging="),
        ("kuhn", rg.MCCFR(), {}, "by Variant and not by MCCFR"),
        ("kuhn", rg.DCFR, {"seed": 2}, "with seed=1 and not 2"),
        ("kuhn", rg.DCFR, {"dtype": "float32"}, "with dtype=float64 and not float32"),
        ("kuhn", rg.DCFR, {"fixed": {0: "uniform"}}, r"with fixed=\[\] and not \[0\]"),
    ],
)
def test_other_settings_are_refused(path: Path, game: str, method: Any, options: dict[str, Any], reason: str) -> None:
    before = path.read_bytes()
    if "fixed" in options:
        options = {"fixed": {0: rg.Strategy.uniform(rg.build(rg.games.Kuhn()))}}
    chosen = {"seed": 1, **options}
    with pytest.raises(rg.OptionError, match=f"kuhn.run holds 5 iterations of another solve, {reason}.*overwrite=True"):
        rg.solve(game, method, iterations=3, checkpoint=path, **chosen)
    assert path.read_bytes() == before
    run = rg.solve(game, method, iterations=3, checkpoint=path, overwrite=True, **chosen)
    assert rg.load(path).iterations == run.iterations == 3


def test_the_same_game_in_another_shape_is_not_called_another_game(tmp_path: Path) -> None:
    file, kuhn = tmp_path / "kuhn.run", rg.games.Kuhn()
    rg.solve(kuhn, rg.MCCFR(listed=False), iterations=2, checkpoint=file)
    with pytest.raises(rg.OptionError, match="another solve, by listed=False and not True: name another file"):
        rg.solve(kuhn, rg.MCCFR(listed=True), iterations=2, checkpoint=file)
    rg.solve(rg.build(kuhn), rg.MCCFR(), iterations=2, checkpoint=file, overwrite=True)
    with pytest.raises(rg.OptionError, match="on kuhn as a tree and not as a compiled game"):
        rg.solve(rg.MCCFR(listed=False).open(kuhn), rg.MCCFR(), iterations=2, checkpoint=file)
    with pytest.raises(rg.OptionError, match="on kuhn, which is another game or has changed"):
        rg.solve("leduc", rg.MCCFR(listed=False), iterations=2, checkpoint=file)


def test_the_same_settings_begin_again(path: Path) -> None:
    run = rg.solve("kuhn", rg.DCFR, iterations=7, seed=1, checkpoint=path)
    assert rg.load(path).strategy == run.strategy


@pytest.mark.parametrize("content", [b"notes", b""])
def test_a_file_that_is_no_run_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    with pytest.raises(rg.OptionError, match=r"notes\.txt exists and is not a run: name another file"):
        rg.solve("kuhn", iterations=1, checkpoint=file)
    assert file.read_bytes() == content


def test_a_saved_strategy_is_no_run(tmp_path: Path) -> None:
    rg.solve("kuhn", iterations=2).strategy.save(tmp_path / "kuhn.strategy")
    with pytest.raises(rg.OptionError, match="exists and is not a run"):
        rg.solve("kuhn", iterations=1, checkpoint=tmp_path / "kuhn.strategy")
