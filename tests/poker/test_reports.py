"""Reports over runs of one spot on several flops."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import regretless as rg
from conftest import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")

RANGES = ("AA,76s", "KK,QQ")
SETTINGS: dict[str, Any] = {"pot": 100, "stack": 50, "sizes": "bet 50%"}
FLOPS = ("AsKd2c", "7h7d2s", "Ts9s8s")


@pytest.fixture(scope="module")
def runs() -> list[Any]:
    return [rg.solve(spot, rg.DCFR, iterations=3) for spot in rg.poker.flop_spots(FLOPS, RANGES, **SETTINGS).values()]


def test_rows_are_the_nodes(runs: list[Any]) -> None:
    table = rg.poker.report(runs)
    assert table.boards == FLOPS and table.player == 0 and table.pot == 100
    assert table.suits == ("rainbow", "rainbow", "monotone") and table.pairing == ("unpaired", "paired", "unpaired")
    weights = [24, 12, 4]
    masses = []
    assert table.ev is not None and table.equity is not None
    for at, run in enumerate(runs):
        node = run.strategy.at("", ev=True)
        assert list(node.frequencies.values()) == pytest.approx(table.frequencies[at].tolist())
        assert table.ev[at] == pytest.approx(node.mean_ev)
        assert table.equity[at] == pytest.approx(rg.poker.equity(*RANGES, FLOPS[at], boards="all").a)
        masses.append(weights[at] * node.mass.sum())
    assert table.reach == pytest.approx([mass / sum(masses) for mass in masses])
    assert table.total.equity == pytest.approx(float(table.reach @ table.equity))
    columns = table.columns()
    assert columns["realisation"] == pytest.approx(columns["ev"] / (columns["equity"] * 100))


@pytest.mark.full
def test_folder_and_files(runs: list[Any], tmp_path: Path) -> None:
    for board, run in zip(FLOPS, runs, strict=True):
        run.save(tmp_path / f"{board}.run")
    table = rg.poker.report(tmp_path, "check")
    assert table.player == 1 and set(table.boards) == set(FLOPS)
    table.sorted("equity").to_csv(tmp_path / "a.csv")
    with (tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["equity"]) for row in rows] == sorted((float(row["equity"]) for row in rows), reverse=True)
    table.to_html(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert page.startswith("<!doctype html>") and all(board in page for board in FLOPS) and "monotone" in page
    assert "nan" not in page
    table.plot(tmp_path / "a.png")
    assert "equity" in str(table)


def test_mistakes(runs: list[Any], tmp_path: Path) -> None:
    with pytest.raises(rg.FileError, match="holds no run"):
        rg.poker.report(tmp_path)
    with pytest.raises(rg.OptionError, match="at least one run"):
        rg.poker.report([])
    with pytest.raises(rg.OptionError, match="two of the runs have the flop AsKd2c"):
        rg.poker.report([runs[0], runs[0]])
    other = rg.solve(rg.poker.Spot("Qs7d2c", RANGES, pot=100, stack=100, sizes="bet 100%"), rg.DCFR, iterations=1)
    with pytest.raises(rg.OptionError, match="different spots"):
        rg.poker.report([runs[0], other])
    with pytest.raises(rg.OptionError, match="runs of hold'em spots"):
        rg.poker.report([rg.solve("kuhn", iterations=1)])
