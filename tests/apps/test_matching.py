"""`regretless match`: two files at one table, for people and for machines, and what can be wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command

import regretless as rg
from conftest import INTERPRETED

pytestmark = [
    pytest.mark.usefixtures("empty_folder"),
    pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled"),
]


@pytest.fixture
def files(kuhn: rg.Tree, empty_folder: Path) -> tuple[rg.Strategy, rg.Strategy]:
    """A run and a strategy, in a.run and b.strategy."""
    run, uniform = rg.solve(kuhn, iterations=200), rg.Strategy.uniform(kuhn)
    run.save("a.run")
    uniform.save("b.strategy")
    return run.strategy, uniform


def test_the_result_is_told(kuhn: rg.Tree, files: tuple[rg.Strategy, rg.Strategy]) -> None:
    said = command("match", "kuhn", "a.run", "b.strategy")
    assert said.code == 0 and said.err == ""
    exact = rg.match(kuhn, *files)
    assert str(exact) in said.out and "seat 1" in said.out
    played = command("match", "kuhn", "a.run", "b.strategy", "--hands", 500, "--seed", 3).out
    assert str(rg.match(kuhn, *files, hands=500, seed=3, exact=False)) in " ".join(played.split())


def test_json(kuhn: rg.Tree, files: tuple[rg.Strategy, rg.Strategy]) -> None:
    said = json.loads(command("match", "kuhn", "b.strategy", "a.run", "--json").out)
    exact = rg.match(kuhn, files[1], files[0])
    assert (said["command"], said["game"], said["a"], said["b"]) == ("match", "kuhn", "b.strategy", "a.run")
    assert said["exact"] and said["mean"] == exact.mean and said["by_seat"] == list(exact.by_seat)
    played = json.loads(command("match", "kuhn", "b.strategy", "a.run", "--hands", 500, "--json").out)
    assert played["hands"] == 500 and played["low"] < played["mean"] < played["high"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["kuhn", "a.run"], "B"),
        (["kuhn", "a.run", "nowhere.run"], "nowhere.run"),
        (["kuhm", "a.run", "b.strategy"], "did you mean 'kuhn'"),
        (["leduc", "a.run", "b.strategy"], "a.run: the strategy belongs to another game"),
        (["kuhn", "a.run", "b.strategy", "--hands", "0"], "hands is a positive whole number"),
        (["kuhn", "a.run", "b.strategy", "--seed", "-1"], "--seed"),
        (["kuhn", "a.run", "b.strategy", "--boards", "5"], "--boards is for matches of hold'em, and kuhn is another"),
        (["kuhn", "a.run", "b.strategy", "--ray"], "--ray is for matches of hold'em"),
        (["fhp", "b.strategy", "a.run"], "b.strategy is not a run of hold'em, and"),
    ],
)
def test_mistakes(files: tuple[rg.Strategy, rg.Strategy], arguments: list[str], said: str) -> None:
    assert said in command("match", *arguments).refused()
