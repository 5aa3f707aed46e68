"""Games that are never listed: the same walks as on the listed game, and bounds on exploitability that hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED, built
from random_games import RandomGame

pytestmark = pytest.mark.skipif(INTERPRETED, reason="compiled games need the compiler")

GAMES = ["kuhn", "kuhn:players=3", "leduc", "dudo:sides=3", "goofspiel:cards=4", "one_card_poker:deck=5"]


def both(spec: str, method: rg.MCCFR, iterations: int, **options: Any) -> tuple[rg.Run, rg.Run]:
    listed = rg.solve(built(spec), method, iterations=iterations, seed=9, **options)
    return listed, rg.solve(
        rg.games.by_name(spec), method.replace(listed=False), iterations=iterations, seed=9, **options
    )


def assert_the_same(spec: str, listed: rg.Run, unlisted: rg.Run) -> None:
    tree, strategy = built(spec), unlisted.strategy
    assert listed.listed and not unlisted.listed
    assert listed.arrays["nodes"].tolist() == unlisted.arrays["nodes"].tolist()
    assert listed.history["infosets"][-1] <= unlisted.infosets <= tree.infosets
    for mine, theirs in ((listed.strategy, strategy), (listed.current, unlisted.current)):
        found: Any = theirs
        assert np.abs(mine.probabilities - found.on(tree).probabilities).max() < 1e-9


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.full
def test_external_sampling_as_on_the_listed_game(spec: str) -> None:
    assert_the_same(spec, *both(spec, rg.MCCFR(variant=rg.DCFR), 1_500))


@pytest.mark.parametrize("spec", ["kuhn", "leduc"])
@pytest.mark.parametrize(
    "method",
    [
        rg.MCCFR(sampling="outcome", variant=rg.LINEAR_CFR),
        rg.MCCFR(sampling="outcome", baseline="infoset"),
        rg.MCCFR(sampling="chance", variant=rg.CFR_PLUS),
        rg.MCCFR(sampling="average-strategy", epsilon=0.1, beta=2.0, tau=1.5),
        rg.MCCFR(traversals=20),
        rg.MCCFR(prune=30.0),
    ],
    ids=lambda method: method.name,
)
@pytest.mark.full
def test_every_scheme_as_on_the_listed_game(spec: str, method: rg.MCCFR) -> None:
    assert_the_same(spec, *both(spec, method, 300))


@pytest.mark.parametrize("spec", ["leduc", "goofspiel:cards=4"])
@pytest.mark.full
def test_public_chance_as_on_the_listed_game(spec: str) -> None:
    """Where the game says which moves of chance are public, and the listing shows the same."""
    assert_the_same(spec, *both(spec, rg.MCCFR(sampling="public-chance"), 5))


@pytest.mark.full
def test_a_deep_and_wide_game_needs_more_room_than_walks_begin_with() -> None:
    """More than 64 decisions and 1,024 actions on the way: scratch grows, and nothing is counted twice."""
    spec = "oshi_zumo:coins=6,size=1"
    assert_the_same(spec, *both(spec, rg.MCCFR(), 20))


# -- bounds on exploitability -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("iterations", [1, 200, 5_000])
@pytest.mark.parametrize("spec", ["kuhn", "leduc", "kuhn:players=3"])
def test_the_bound_is_one(spec: str, iterations: int) -> None:
    """At every measurement the interval holds the exact number or lies below, but for the luck of the hands: the ends
    are two standard errors away, and of dozens of measurements one may miss by a little. Nothing is ever missing."""
    tree, exact = built(spec), []

    def look(snapshot: rg.Snapshot) -> None:
        strategy: Any = snapshot.strategy
        exact.append(rg.exploitability(tree, strategy.on(tree)))

    run = rg.solve(
        rg.games.by_name(spec), rg.MCCFR(listed=False), iterations=iterations, seed=2, callback=look
    )  # fmt: skip
    low, high = run.history["exploitability_low"], run.history["exploitability_high"]
    assert len(exact) == len(low) and np.isfinite([low, high, run.history["exploitability"]]).all()
    assert (low <= run.history["exploitability"]).all() and (run.history["exploitability"] <= high).all()
    assert np.mean(low <= np.array(exact)) > 0.9 or len(low) < 10
    assert low[-1] <= exact[-1] or iterations == 1
    assert (low - (run.history["exploitability"] - low) <= np.array(exact)).all()


@pytest.mark.parametrize("iterations", [100, 5_000])
@pytest.mark.parametrize("sampling", ["external", "outcome"])
@pytest.mark.parametrize("spec", ["kuhn", "leduc"])
def test_the_bound_is_near(spec: str, sampling: str, iterations: int) -> None:
    """The responder finds most of what there is to win, also late, when those whom it learned to beat are long gone."""
    method = rg.MCCFR(sampling=sampling, listed=False)  # type: ignore[arg-type]
    run = rg.solve(rg.games.by_name(spec), method, iterations=iterations, seed=2)
    strategy: Any = run.strategy
    exact = rg.exploitability(built(spec), strategy.on(built(spec)))
    assert 0.8 * exact < run.history["exploitability_high"][-1]
    assert run.value == pytest.approx(rg.value(built(spec), strategy.on(built(spec))), abs=0.2)


def test_until_is_refused() -> None:
    with pytest.raises(rg.OptionError, match="only a lower bound is known for a game that is not listed"):
        rg.solve(rg.games.Kuhn(), rg.MCCFR(listed=False), until=0.1)


def test_the_largest_seed() -> None:
    run = rg.solve(rg.games.Kuhn(), rg.MCCFR(listed=False), iterations=10, seed=2**64 - 1)
    assert run.iterations == 10


# -- what is refused --------------------------------------------------------------------------------------------------


def test_a_game_that_is_not_compiled() -> None:
    with pytest.raises(rg.OptionError, match=r"RandomGame is not to be listed.*put @rg.compiled"):
        rg.solve(RandomGame(seed=1), rg.MCCFR(listed=False), iterations=3)


def test_fixed_players() -> None:
    with pytest.raises(rg.OptionError, match="holding players fixed needs a listed game"):
        rg.solve(rg.games.Kuhn(), rg.MCCFR(listed=False), iterations=3, fixed={0: {}})


def test_baselines_by_history_of_a_game_too_large_to_list() -> None:
    with pytest.raises(rg.OptionError, match="PhantomTicTacToe is too large to list: use baseline='infoset'"):
        rg.solve("phantom_ttt", rg.MCCFR(sampling="outcome", baseline="history"), iterations=3)


@pytest.mark.full
def test_a_large_game_is_not_listed_by_itself(tmp_path: Path) -> None:
    run = rg.solve("phantom_ttt", rg.MCCFR(sampling="outcome"), iterations=200, checkpoint=tmp_path / "large.run")
    assert not run.listed and run.infosets > 500
    again = rg.resume(tmp_path / "large.run", iterations=100)
    assert again.infosets > run.infosets
