"""`start=`: the first iterate is the strategy given, and it helps; what cannot begin with a strategy says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from apps.command_line import command
from compare_tables import random_strategy
from conftest import INTERPRETED, built
from random_games import RandomGame, random_games


@given(random_games(), st.integers(0, 99))
def test_the_first_iterate_is_the_start(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    begin = random_strategy(tree, seed)
    for variant in (rg.CFR, rg.PCFR_PLUS):
        seen: list[rg.Strategy] = []
        learner = variant.learner(tree, rg.Settings(start=begin))
        seen.append(learner.current_strategy())
        np.testing.assert_allclose(seen[0].probabilities, begin.probabilities, atol=1e-12)
        learner.advance(1)  # the first iteration averages what it began with
        np.testing.assert_allclose(
            tree.plan(learner.average_strategy().probabilities), tree.plan(begin.probabilities), atol=1e-9
        )


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize("variant", [rg.CFR, rg.CFR_PLUS, rg.PCFR_PLUS], ids=lambda v: v.name)
def test_a_good_start_helps(variant: rg.Variant) -> None:
    tree = built("leduc")
    good = rg.solve(tree, iterations=200)
    cold = rg.solve(tree, variant, iterations=60)
    warm = rg.solve(tree, variant, iterations=60, start=good)
    assert warm.exploitability < cold.exploitability / 2
    assert rg.solve(tree, variant, iterations=60, start=good.strategy).strategy == warm.strategy


def test_resuming_goes_on_bit_for_bit(kuhn: rg.Tree, tmp_path: Path) -> None:
    begin = random_strategy(kuhn, 5)
    rg.solve(kuhn, rg.CFR_PLUS, iterations=7, start=begin).save(tmp_path / "a.run")
    more = rg.resume(tmp_path / "a.run", iterations=6)
    assert more.strategy == rg.solve(kuhn, rg.CFR_PLUS, iterations=13, start=begin).strategy
    assert more.settings["started"] is True
    assert "started" not in rg.solve(kuhn, iterations=1).settings


def test_fixed_players_stay_fixed(kuhn: rg.Tree) -> None:
    begin, still = random_strategy(kuhn, 5), random_strategy(kuhn, 6)
    run = rg.solve(kuhn, rg.CFR, iterations=20, start=begin, fixed={1: still})
    theirs = kuhn.labels.player_of_sequence == 1
    np.testing.assert_allclose(run.strategy.probabilities[theirs], still.probabilities[theirs], atol=1e-12)


@pytest.mark.parametrize(
    ("method", "start", "said"),
    [
        (rg.DCFR, None, "DCFR discounts regret to nothing in its first iteration"),
        (rg.XFP, None, "cannot begin with a strategy: leave out start=, or use a variant of CFR such as rg.CFR_PLUS"),
        (rg.MCCFR(), None, "MCCFR external cannot begin with a strategy"),
        (rg.CFR, "kuhn.run", "start is a Strategy of this game or a Run, got 'kuhn.run'"),
        (rg.CFR, "rps", "the strategy belongs to another game"),
    ],
)
def test_what_cannot_begin_with_a_strategy(kuhn: rg.Tree, method: Any, start: Any, said: str) -> None:
    given = {None: rg.Strategy.uniform(kuhn), "rps": rg.Strategy.uniform(built("rps"))}.get(start, start)
    with pytest.raises(rg.OptionError, match=said):
        rg.solve(kuhn, method, iterations=3, start=given)


def test_hold_em_needs_a_strategy_of_hold_em() -> None:
    spot = rg.poker.Spot(board="Ks 7h 2d 9c 3s", ranges=("AA", "QQ"), pot=10, stack=20, sizes="bet 100%")
    with pytest.raises(rg.OptionError, match="start is a run of this game or its strategy, hand by hand"):
        rg.solve(spot, iterations=3, start=rg.Strategy.uniform(built("kuhn")))


def test_at_the_command_line(tmp_path: Path) -> None:
    rg.solve("kuhn", iterations=300).save(tmp_path / "good.run")
    warm = command("solve", "kuhn", "-a", "cfr", "-n", 2, "--start", tmp_path / "good.run", "--json")
    cold = command("solve", "kuhn", "-a", "cfr", "-n", 2, "--json")
    gaps = [json.loads(answer.out)["exploitability"] for answer in (warm, cold)]
    assert gaps[0] < gaps[1] / 5
    wrong = command("solve", "kuhn", "--start", tmp_path / "good.run", "--resume", "--out", tmp_path / "b.run")
    assert "--resume goes on with a run as it is: leave out --start" in wrong.refused()
