"""DREAM and ESCHER: they learn, resume bit for bit, and refuse what cannot be meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from exact_walks import BiasedCoin  # noqa: E402
from two_pieces import goes_on_bit_for_bit  # noqa: E402

import regretless as rg  # noqa: E402
from regretless.deep.learners.model_free_learner import ListedModelFree  # noqa: E402
from regretless.deep.networks.training import Trainer  # noqa: E402
from regretless.lookup.methods import method_by_name, method_from_json, method_to_json  # noqa: E402
from regretless.method import Settings  # noqa: E402

SMALL: dict[str, Any] = {
    "traversals": 60, "steps": 6, "batch": 64, "widths": (16,), "strategy_steps": 20, "value_steps": 6,
    "value_batch": 32, "value_widths": (16,), "value_capacity": 500,
}  # fmt: skip
LEARNS = {
    **SMALL, "traversals": 200, "steps": 25, "rate": 1e-2, "value_steps": 25, "value_rate": 1e-2, "value_batch": 128,
    "value_widths": (32,), "value_capacity": 5_000,
}  # fmt: skip
BOTH = [rg.DREAM, rg.ESCHER]


@pytest.mark.parametrize("kind", BOTH)
def test_kuhn_is_solved(kind: Any) -> None:
    run = rg.solve(rg.games.Kuhn(), kind(**LEARNS), iterations=30, seed=1)
    assert run.exploitability < 0.12
    last = run.history.rows()[-1]
    assert last["nodes"] > last["decisions"] > 30 * 400 and last["value_loss"] > 0


@pytest.mark.parametrize("kind", BOTH)
def test_history_values_are_those_of_the_current_strategies(kind: Any) -> None:
    """After many steps with strategies that stand still, at the decisions that are often visited."""
    tree = rg.build(BiasedCoin())
    learner = ListedModelFree(tree, kind(**{**LEARNS, "steps": 1, "rate": 1e-9}), Settings())
    learner.advance(5)
    for _ in range(20):
        learner.values.refit(6, 0)
    game, h = learner.game, tree.listing
    own = np.flatnonzero(h.mover == 1)
    estimates = learner.values.estimates(torch.from_numpy(own), 1)
    for row, history in enumerate(own.tolist()):
        choice = game.choice[h.index[history]]
        for head in (choice >= 0).nonzero()[:, 0].tolist():
            payoff = h.payoffs[h.index[h.first_child[history] + int(choice[head])], 1]
            assert float(estimates[row, head]) == pytest.approx(payoff, abs=0.15)
    assert torch.equal(learner.values.estimates(torch.from_numpy(own), 0), -estimates)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("change", [{}, {"memory": "reservoir", "capacity": 300}, {"averaging": "strategy-network"}])
def test_runs_go_on_bit_for_bit(kind: Any, change: dict[str, Any], tmp_path: Path) -> None:
    goes_on_bit_for_bit(rg.games.Kuhn(), kind(**SMALL, **change), (3, 3), tmp_path, seed=5)


@pytest.mark.parametrize("kind", BOTH)
def test_three_players(kind: Any, tmp_path: Path) -> None:
    runs = goes_on_bit_for_bit(rg.games.Kuhn(players=3), kind(**SMALL), (2, 2), tmp_path, seed=5)
    assert runs.whole.exploitability < 1


@pytest.mark.full
@pytest.mark.parametrize("kind", BOTH)
def test_games_that_are_not_listed(kind: Any, tmp_path: Path) -> None:
    runs = goes_on_bit_for_bit(rg.games.Kuhn(), kind(**SMALL, listed=False), (2, 2), tmp_path, seed=2)
    assert not runs.whole.listed and runs.whole.history["infosets"][-1] == 12
    run = rg.solve(rg.games.Kuhn(), kind(**{**LEARNS, "strategy_steps": 200}, listed=False), iterations=25, seed=1)
    tree = rg.build(rg.games.Kuhn())
    assert rg.exploitability(tree, run.strategy.on(tree)) < 0.2


@pytest.mark.full
def test_the_average_of_all_networks_needs_a_listed_game() -> None:
    with pytest.raises(rg.OptionError, match="the average of all value networks is exact on listed games only"):
        rg.solve("kuhn", rg.DREAM(**SMALL, averaging="value-networks", listed=False), iterations=1)


@pytest.mark.parametrize("kind", BOTH)
def test_fixed_players_are_held_still(kind: Any) -> None:
    tree = rg.build(rg.games.Kuhn())
    uniform = rg.Strategy.uniform(tree)
    run = rg.solve(tree, kind(**LEARNS), iterations=20, seed=1, fixed={0: uniform})
    assert run.strategy.with_player(1, uniform) == uniform
    assert -run.value > rg.best_response(tree, uniform, 1).value - 0.08


@pytest.mark.parametrize("kind", BOTH)
def test_history_values_that_diverge(kind: Any, tmp_path: Path) -> None:
    """The run that is kept has finite weights, and goes on."""
    fit, fits = Trainer.fit, []

    def diverging(trainer: Trainer, memory: Any, *arguments: Any) -> float:
        loss = fit(trainer, memory, *arguments)
        if not hasattr(memory, "ended"):
            return loss
        fits.append(loss)
        if len(fits) == 4:
            trainer.network.weights.fill_(float("nan"))
        return float("nan") if len(fits) == 4 else loss

    place = tmp_path / "kuhn.run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainer, "fit", diverging)
        with pytest.raises(rg.OptionError, match=r"history values diverged in iteration .*: set value_rate lower"):
            rg.solve("kuhn", kind(**SMALL), iterations=9, checkpoint=place)
    kept = rg.load(place)
    assert kept.stopped == "failed" and all(np.isfinite(array).all() for array in kept.arrays.values())
    assert rg.resume(place, iterations=2).iterations == kept.iterations + 2


def test_a_damaged_file(tmp_path: Path) -> None:
    run = rg.solve("kuhn", rg.DREAM(**SMALL), iterations=2)
    broken = {name: a[:-1] if name == "values_network_weights" else a for name, a in run.arrays.items()}
    object.__setattr__(run, "arrays", broken)
    run.save(tmp_path / "broken.run")
    with pytest.raises(rg.FileError, match="the memories of this run are not those of DREAM"):
        rg.resume(tmp_path / "broken.run", iterations=1)


def test_hold_em_is_refused() -> None:
    game = rg.poker.PublicGame(rg.poker.Deck("JQK", "sh"), 1, (1,), rg.poker.LEDUC)
    with pytest.raises(rg.OptionError, match="ESCHER does not work on a public tree"):
        rg.solve(game, rg.ESCHER(), iterations=1)


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("dream", rg.DREAM()),
        ("escher", rg.ESCHER()),
        ("dream:exploration=0.25,widths=32x32,memory=reservoir",
         rg.DREAM(exploration=0.25, widths=(32, 32), memory="reservoir")),
        ("escher:value_steps=300,value_widths=128,linear=no,listed=yes",
         rg.ESCHER(value_steps=300, value_widths=(128,), linear=False, listed=True)),
        ("dream:averaging=strategy-network,memory=none", rg.DREAM(averaging="strategy-network")),
    ],
)  # fmt: skip
def test_by_name_and_through_json(text: str, method: Any) -> None:
    found = method_by_name(text)
    assert found == method
    assert method_from_json(json.loads(json.dumps(method_to_json(found)))) == found
    assert hash(method.replace()) == hash(method)


def test_names() -> None:
    assert rg.DREAM().name == "DREAM" and rg.ESCHER(refit="fresh").name == "ESCHER (refit fresh)"
    assert rg.DREAM(exploration=0.25, value_widths=(32,)).name == "DREAM (value_widths (32,), exploration 0.25)"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"exploration": 0}, "exploration is a number above 0 to 1, got 0"),
        ({"exploration": 1.5}, "exploration is a number above 0 to 1, got 1.5"),
        ({"refit": "recursive"}, "refit is 'fresh' or 'continued', got 'recursive'"),
        ({"memory": "resevoir"}, "unknown memory 'resevoir'; did you mean 'reservoir'?"),
        ({"averaging": "none"}, "unknown averaging 'none'; known: strategy-network, value-networks"),
        ({"value_steps": 0}, "value_steps is a positive whole number, got 0"),
        ({"value_capacity": 1.5}, "value_capacity is a positive whole number, got 1.5"),
        ({"value_widths": (64, 0)}, "widths are positive whole numbers such as (64, 64), got (64, 0)"),
        ({"value_rate": 0}, "value_rate is a number above 0, got 0"),
        ({"linear": "yes"}, "linear is True or False, got 'yes'"),
        ({"anneal_after": -1}, "anneal_after is a whole number from 0 on, got -1"),
        ({"listed": "no"}, "listed is True, False or None, got 'no'"),
    ],
)
def test_what_cannot_be_meant(options: dict[str, Any], said: str) -> None:
    with pytest.raises(rg.OptionError) as error:
        rg.DREAM(**options)
    assert said in str(error.value) and "\n" not in str(error.value)
