"""`regretless clean`: what it prints, what it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command
from drawn_buckets import merged

import regretless as rg
from conftest import INTERPRETED
from regretless.poker import Deck, Limit, PublicGame

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole solves")


@pytest.fixture
def run(empty_folder: Path, kuhn: rg.Tree) -> rg.Run:
    solved = rg.solve(kuhn, rg.CFR, iterations=100)
    solved.save("kuhn.run")
    return solved


def test_for_people(run: rg.Run) -> None:
    answer = command("clean", "kuhn.run")
    assert answer.code == 0, answer.err
    assert answer.out.strip() == str(rg.cleaning_report("kuhn", run))


def test_for_machines_and_as_files(run: rg.Run) -> None:
    answer = command("clean", "kuhn.run", "--threshold", "0.05", "--json", "--out", "k.strategy", "--plot", "k.png")
    told = json.loads(answer.out)
    assert [row["cleaning"] for row in told["rows"]] == ["as it is", "under 0.05", "most likely"]
    assert rg.load("k.strategy") == run.strategy.purify(0.05)
    assert Path("k.png").stat().st_size > 10_000


def test_mistakes(run: rg.Run) -> None:
    assert "give one --threshold with it, not 0" in command("clean", "kuhn.run", "--out", "k.strategy").refused()
    assert "from 0 to 1, got 2.0" in command("clean", "kuhn.run", "--threshold", "2").refused()
    assert "ends in .png" in command("clean", "kuhn.run", "--plot", "k.txt").refused()
    assert "none.run" in command("clean", "none.run").refused()
    buckets = merged(PublicGame(Deck("TJQ", "sh"), 2, (1,), Limit(streets=2, caps=1)), (2, 3))
    rg.solve(buckets, rg.MCCFR("public-chance"), iterations=1, measure="never").save("buckets.run")
    said = command("clean", "buckets.run").refused()
    assert "a run of hold'em with a card abstraction, and clean takes games that can be listed: regretless show" in said
    run.strategy.save("k.strategy")
    said = command("clean", "k.strategy").refused()
    assert "a strategy that does not name its game: clean takes a run of a listed game" in said
