"""Deep CFR and SD-CFR through rg.solve: they converge, every setting works, and runs go on bit for bit."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from two_pieces import goes_on_bit_for_bit  # noqa: E402

import regretless as rg  # noqa: E402
from regretless.deep.learners.listed_deep_cfr import ListedDeepCFR  # noqa: E402
from regretless.evaluation.responses import plan_of  # noqa: E402
from regretless.method import Settings  # noqa: E402

SMALL = rg.DeepCFR(traversals=60, steps=10, strategy_steps=20, widths=(16,), capacity=300, batch=64)


@pytest.mark.parametrize("averaging", ["value-networks", "strategy-network"])
def test_kuhn_is_solved(averaging: str) -> None:
    method = rg.DeepCFR(traversals=500, steps=30, widths=(32, 32), averaging=averaging, strategy_steps=400)
    run = rg.solve(rg.games.Kuhn(), method, iterations=60, seed=1)
    assert run.exploitability < 0.02
    assert run.value == pytest.approx(-1 / 18, abs=0.02)
    assert run.strategy["K"]["bet"] > run.strategy["Q"]["bet"]
    assert set(run.history) >= {"iteration", "seconds", "exploitability", "nodes", "samples", "loss"}
    assert run.history["nodes"][-1] > 60 * 2 * 500 * 4 and run.listed


def test_samples_and_batches_solve_kuhn_as_well() -> None:
    """The paper's options, smaller: reservoirs, fresh networks, batches drawn from the memory."""
    method = rg.DeepCFR(
        traversals=300, steps=60, batch=256, widths=(32, 32), memory="reservoir", refit="fresh", schedule="cosine",
        averaging="value-networks", rate=5e-3,
    )  # fmt: skip
    assert rg.solve(rg.games.Kuhn(), method, iterations=40, seed=2).exploitability < 0.05


@pytest.mark.parametrize(
    "change",
    [
        {"memory": "window"}, {"memory": "reservoir"}, {"refit": "fresh"}, {"linear": False}, {"fallback": "uniform"},
        {"network": "residual"}, {"ema": 0.9}, {"schedule": "cosine"}, {"scaled": False}, {"clip": 0.0},
        {"averaging": "value-networks"}, {"memory": "reservoir", "averaging": "value-networks", "refit": "fresh"},
    ],
)  # fmt: skip
def test_every_setting_goes_on_bit_for_bit(change: dict[str, Any], tmp_path: Path) -> None:
    method = SMALL.replace(**change)
    whole, half, resumed = goes_on_bit_for_bit(rg.games.Kuhn(), method, (4, 3), tmp_path, seed=3)
    assert whole.strategy == resumed.strategy and whole.current == resumed.current
    other = rg.solve(rg.games.Kuhn(), method, iterations=7, seed=4)
    assert not np.array_equal(whole.arrays["average"], other.arrays["average"])
    loaded = rg.load(tmp_path / "half.run")
    assert isinstance(loaded, rg.Run) and loaded.method == method and loaded.strategy == half.strategy


def test_the_average_is_that_of_all_iterations_with_own_reach() -> None:
    tree = rg.build(rg.games.Leduc())
    learner = ListedDeepCFR(tree, SMALL.replace(averaging="value-networks"), Settings(seed=5))
    played, plans = [], np.zeros(tree.sequences)
    original = learner.add_to_average

    def noted(player: int, weight: float) -> None:
        played.append((player, weight, rg.Strategy(tree.labels, learner.current())))
        original(player, weight)

    learner.add_to_average = noted  # type: ignore[method-assign]
    learner.advance(3)
    for player, weight, strategy in played:
        mine = tree.labels.player_of_sequence == player
        plans[mine] += weight * plan_of(tree, strategy)[mine]
    assert [(player, weight) for player, weight, _ in played] == [(p, t) for t in (1.0, 2.0, 3.0) for p in (0, 1)]
    assert np.allclose(learner.arrays()["average"], plans)
    assert played[0][2] == rg.Strategy(tree.labels, learner.game.by_sequence(learner.game.by_infoset(
        rg.Strategy.uniform(tree).probabilities)))  # fmt: skip


def test_fixed_players_are_held_still() -> None:
    tree = rg.build(rg.games.Kuhn())
    uniform = rg.Strategy.uniform(tree)
    for method in (SMALL.replace(averaging="value-networks"), SMALL.replace(strategy_steps=300)):
        method = method.replace(traversals=300, steps=30)
        run = rg.solve(tree, method, iterations=20, seed=1, fixed={0: uniform})
        assert run.strategy.with_player(1, uniform) == uniform
        best = rg.best_response(tree, uniform, 1).value
        assert -run.value > best - 0.06


def test_three_players() -> None:
    run = rg.solve(rg.games.Kuhn(players=3), SMALL.replace(traversals=300, averaging="value-networks"), iterations=15)
    assert run.exploitability < 0.25


def test_a_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    run = rg.solve(rg.games.Kuhn(), SMALL, iterations=2)
    broken = {name: a[:-1] if name == "player_0_network_weights" else a for name, a in run.arrays.items()}
    object.__setattr__(run, "arrays", broken)
    run.save(tmp_path / "broken.run")
    with pytest.raises(rg.FileError, match="the memories of this run are not those of Deep CFR"):
        rg.resume(tmp_path / "broken.run", iterations=1)


def test_stops_by_time_and_writes_checkpoints(tmp_path: Path) -> None:
    place, method = tmp_path / "deep.run", SMALL.replace(averaging="value-networks")
    began = time.perf_counter()
    run = rg.solve(rg.games.Kuhn(), method, seconds=1.0, seed=1, checkpoint=place, progress=True)
    assert run.stopped == "seconds" and run.iterations >= 1
    assert 1.0 <= run.seconds <= time.perf_counter() - began  # counted from the call
    loaded = rg.load(place)
    assert isinstance(loaded, rg.Run) and loaded.iterations == run.iterations


def test_pieces_make_the_whole(tmp_path: Path) -> None:
    """A long run in short ones: each goes on from the file of the one before, and the history is one."""
    place, method = tmp_path / "deep.run", SMALL.replace(averaging="value-networks")
    whole = rg.solve(rg.games.Kuhn(), method, iterations=9, seed=5)
    rg.solve(rg.games.Kuhn(), method, iterations=3, seed=5, checkpoint=place)
    for _ in range(2):
        pieces = rg.resume(place, iterations=3, checkpoint=place)
    assert pieces.strategy == whole.strategy and pieces.iterations == 9
    assert np.all(np.diff(pieces.history["iteration"]) > 0) and np.all(np.diff(pieces.history["seconds"]) >= 0)


def test_knobs_change_what_they_say() -> None:
    """Walks, steps, batches and widths are what is done, not only what is noted."""
    tree, sizes = rg.build(rg.games.Leduc()), {}
    for change in ({}, {"traversals": 120}, {"steps": 20}, {"widths": (32, 8)}, {"memory": "reservoir", "batch": 7}):
        learner = ListedDeepCFR(tree, SMALL.replace(**change), Settings(seed=1))  # type: ignore[arg-type]
        learner.advance(1)
        trainer, memory = learner.advantages[0].trainer, learner.advantages[0].memory
        batch = memory.batch(torch.Generator())
        sizes[tuple(change)] = (
            memory.seen, int(trainer.adam.steps), trainer.network.weights.numel(), len(batch.weights)
        )  # fmt: skip
    usual, features = sizes[()], learner.game.feature_size
    assert sizes[("traversals",)][0] == pytest.approx(2 * usual[0], rel=0.2)
    assert (usual[1], sizes[("steps",)][1]) == (10, 20)
    assert usual[2] == 16 * (features + 1) + 3 * 17
    assert sizes[("widths",)][2] == 32 * (features + 1) + 8 * 33 + 3 * 9
    assert sizes[("memory", "batch")][3] == 7


@pytest.mark.parametrize(
    ("change", "factors"),
    [({}, [1, 1, 1, 3 / 4, 3 / 5]), ({"anneal_after": 0}, [1] * 5), ({"refit": "fresh"}, [1] * 5)],
)
def test_rates_fall_with_the_iterations(change: dict[str, Any], factors: list[float]) -> None:
    method = SMALL.replace(**{"anneal_after": 3, "averaging": "value-networks", **change})
    learner = ListedDeepCFR(rg.build(rg.games.Kuhn()), method, Settings(seed=1))
    trainer, rates = learner.advantages[0].trainer, []
    step = trainer.step
    trainer.step = lambda memory, rate, generator: (rates.append(rate), step(memory, rate, generator))  # type: ignore
    learner.advance(5)
    expected = [factor * method.rate * (1 - number / 10) for factor in factors for number in range(10)]
    assert rates == pytest.approx(expected)


def test_callbacks_see_loss_samples_and_nodes() -> None:
    seen: list[rg.Snapshot] = []
    run = rg.solve(rg.games.Kuhn(), SMALL, iterations=3, callback=lambda snapshot: seen.append(snapshot))
    for number, snapshot in enumerate(seen):
        assert {"loss", "samples", "nodes"} <= set(snapshot.measured)
        assert snapshot.measured["loss"] == run.history["loss"][number] > 0
