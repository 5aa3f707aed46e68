"""An iteration in which a network diverges, or memory runs out, is undone: what is kept is the last whole one."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from four_streets import FOUR

import regretless as rg
from regretless.deep.learners.holdem.sampled_deep_cfr import SampledDeepCFR
from regretless.deep.learners.network_learner import NetworkLearner
from regretless.deep.memories.transitions import TransitionMemory
from regretless.deep.networks.training import Trainer
from test_solver import assert_equal_state

torch = pytest.importorskip("torch")

DEEP = rg.DeepCFR(traversals=30, steps=3, batch=32, widths=(8,), capacity=200, strategy_steps=3, listed=False)
NFSP = rg.NFSP(
    plays=32, every=16, batch=16, widths=(8,), response_capacity=60, average_capacity=50, target_every=3, listed=False
)
MODEL_FREE: dict[str, Any] = {
    "traversals": 20, "steps": 3, "value_steps": 3, "widths": (8,), "value_widths": (8,), "capacity": 100,
    "value_capacity": 50,
}  # fmt: skip
CASES: list[tuple[Any, Any]] = [
    (FOUR, DEEP),
    (FOUR, DEEP.replace(averaging="value-networks", memory="window")),
    (FOUR, DEEP.replace(averaging="value-networks", refit="recursive")),
    (FOUR, NFSP),
    ("kuhn", DEEP.replace(averaging="value-networks", listed=True, baseline="history")),
    ("kuhn", rg.DREAM(**MODEL_FREE)),
]
SLOW: list[tuple[Any, Any]] = [
    (FOUR, DEEP.replace(averaging="value-networks", listed=True)),
    (FOUR, DEEP.replace(listed=True, boards="all", memory="merged", traversals=200)),
    (FOUR, DEEP.replace(boards=2, ema=0.9)),
    (FOUR, NFSP.replace(listed=True)),
    ("kuhn", NFSP.replace(listed=True)),
    ("kuhn", DEEP.replace(listed=True, memory="reservoir")),
    ("kuhn", rg.ESCHER(**MODEL_FREE)),
    ("leduc", DEEP),
    ("leduc", DEEP.replace(memory="reservoir")),
    ("leduc", rg.DREAM(**MODEL_FREE, listed=False)),
]
"""Memories are small, so that samples overwrite earlier ones."""


def fails_late(patch: pytest.MonkeyPatch, iteration: int) -> None:
    """Let an iteration fail when all of its work is done."""
    iterate = NetworkLearner.__subclasses__

    def failing(kind: type, original: Any) -> Any:
        def iterated(self: Any, number: int) -> None:
            original(self, number)
            if number == iteration:
                raise rg.OptionError("there is no memory left")

        return iterated

    for kind in iterate():
        patch.setattr(kind, "iterate", failing(kind, kind.iterate))


@pytest.mark.parametrize(
    ("game", "method"), [*CASES, *(pytest.param(*case, marks=pytest.mark.full) for case in SLOW)], ids=lambda case: ""
)
def test_an_iteration_that_fails_is_undone_bit_for_bit(game: Any, method: Any, tmp_path: Path) -> None:
    place = tmp_path / "failed.run"
    two, four = (rg.solve(game, method, iterations=n, seed=1, threads=1) for n in (2, 4))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(rg.OptionError, match="no memory left"):
        fails_late(patch, 3)
        rg.solve(game, method, iterations=4, seed=1, threads=1, checkpoint=place)
    kept = rg.load(place)
    assert kept.iterations == 2 and kept.stopped == "failed"
    assert_equal_state(kept, two)
    assert_equal_state(rg.resume(place, iterations=2), four)


def test_a_network_that_diverges_leaves_the_last_whole_iteration(tmp_path: Path) -> None:
    """Player 0 of iteration 3 has been refitted when the network of player 1 diverges."""
    method, place, fit, fits = DEEP.replace(averaging="value-networks"), tmp_path / "failed.run", Trainer.fit, []
    two, four = (rg.solve(FOUR, method, iterations=n, seed=1, threads=1) for n in (2, 4))

    def diverging(trainer: Trainer, *arguments: Any) -> float:
        fits.append(fit(trainer, *arguments))
        return float("nan") if len(fits) == 6 else fits[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainer, "fit", diverging)
        with pytest.raises(rg.OptionError, match="player 1's network diverged in iteration 3"):
            rg.solve(FOUR, method, iterations=4, seed=1, threads=1, checkpoint=place)
    kept = rg.load(place)
    assert_equal_state(kept, two)
    assert kept.strategy == two.strategy and kept.arrays["average_0_shares"].tolist() == [1, 2]
    assert_equal_state(rg.resume(place, iterations=2), four)


def test_what_cannot_be_undone_replaces_no_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, complete = tmp_path / "failed.run", SampledDeepCFR.complete
    two = rg.solve(FOUR, DEEP, iterations=2, seed=1, threads=1, checkpoint=place)

    def fails(self: SampledDeepCFR, log: Any) -> None:
        complete(self, log)
        log.possible = False
        raise rg.OptionError("there is no memory left")

    monkeypatch.setattr(SampledDeepCFR, "complete", fails)
    warned = pytest.warns(UserWarning, match="iteration 3 has failed and could not be undone: .* keeps the last")
    with warned, pytest.raises(rg.OptionError, match="no memory left"):
        rg.resume(place, iterations=1, checkpoint=place)
    assert_equal_state(rg.load(place), two)


def test_memories_are_not_copied_and_let_go_of_what_they_logged() -> None:
    learner = NFSP.learner(NFSP.open(FOUR), rg.method.Settings(dtype="float32"))
    learner.advance(2)
    memories = [memory for player in learner.players.values() for memory in (player.transitions, player.imitated)]
    assert all(memory.log is None for memory in memories) and isinstance(memories[0], TransitionMemory)
    before = [memory.infosets.data_ptr() for memory in memories]
    learner.advance(1)
    assert [memory.infosets.data_ptr() for memory in memories] == before


@pytest.mark.parametrize(
    ("game", "method"),
    [
        (FOUR, DEEP),
        ("kuhn", DEEP.replace(listed=True)),
        pytest.param(FOUR, DEEP.replace(listed=True), marks=pytest.mark.full),
        pytest.param("leduc", DEEP, marks=pytest.mark.full),
    ],
    ids=lambda case: "",
)
def test_a_strategy_network_that_diverges(game: Any, method: Any, tmp_path: Path) -> None:
    """Its weights are those of the fit before, also where it is fitted only for the result; a resumed run goes on."""
    fit = Trainer.fit
    two, three, four = (rg.solve(game, method, iterations=n, seed=1, threads=1) for n in (2, 3, 4))

    def diverging(trainer: Trainer, memory: Any, generator: Any, factor: float = 1.0) -> float:
        late = trainer.options.loss == "cross-entropy" and memory.seen == seen
        return fit(trainer, memory, generator, float("inf") if late else factor)

    def started() -> Any:
        return method.learner(method.open(game), rg.method.Settings(dtype=three.settings["dtype"], seed=1, threads=1))

    learner = started()
    learner.restore(three.arrays, 3)
    seen = learner.network.memory.seen
    fitting: dict[str, Any] = {"measure": 1, "callback": lambda snapshot: snapshot.strategy}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainer, "fit", diverging)
        for options, before in ((fitting, two), ({"measure": "never"}, None)):
            place = tmp_path / f"{options['measure']}.run"
            noticed = pytest.warns(UserWarning, match="strategy network diverged after iteration 3, and ")
            with noticed, pytest.raises(rg.OptionError, match=r"iteration 3, and .* lower than 0\.003"):
                rg.solve(game, method, iterations=3, seed=1, threads=1, checkpoint=place, **options)
            kept = rg.load(place)
            assert kept.iterations == 3 and kept.stopped == "failed"
            for name in {"average", "average_network"} & kept.arrays.keys() if before else ():
                assert np.array_equal(kept.arrays[name], before.arrays[name])
            assert np.array_equal(kept.arrays["player_0_network_played"], three.arrays["player_0_network_played"])
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # as a second fit of iteration 3 would
                learner = started()
                learner.restore(kept.arrays, 3)
                for name, array in learner.arrays().items():
                    assert np.array_equal(array, kept.arrays[name]), name
                resumed = rg.resume(place, iterations=1, checkpoint=tmp_path / "resumed.run")
            assert_equal_state(resumed, four)
        with pytest.warns(UserWarning, match="fitted again after later iterations") as warned:
            on = rg.solve(game, method, iterations=4, seed=1, threads=1, **fitting)
        assert_equal_state(on, four)
        assert len([w for w in warned if "diverged" in str(w.message)]) == 1


def test_weights_that_are_not_finite_are_no_strategy(tmp_path: Path) -> None:
    for method, name in (
        (DEEP, "average_network"), (DEEP.replace(averaging="value-networks"), "average_1_weights"),
        (NFSP, "player_0_weights_average"),
    ):  # fmt: skip
        run = rg.solve(FOUR, method, iterations=1, seed=1, threads=1)
        run.arrays[name].ravel()[3] = np.nan
        run.save(tmp_path / "broken.run")
        with pytest.raises(rg.FileError, match="networks of this run have diverged"):
            _ = rg.load(tmp_path / "broken.run").strategy
