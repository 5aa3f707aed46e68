"""DeepCFR and NFSP as records: names, files, and one clear sentence for everything that cannot be meant."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless as rg
from regretless.lookup.methods import method_by_name, method_from_json, method_to_json


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("deep-cfr", rg.DeepCFR()),
        ("sd-cfr", rg.SD_CFR),
        ("nfsp", rg.NFSP()),
        ("deep_cfr:traversals=100,steps=20,widths=32x32", rg.DeepCFR(traversals=100, steps=20, widths=(32, 32))),
        ("sd-cfr:memory=reservoir,linear=no,ema=0.99", rg.SD_CFR.replace(memory="reservoir", linear=False, ema=0.99)),
        ("deep-cfr:refit=fresh,listed=yes", rg.DeepCFR(refit="fresh", listed=True)),
        ("sd-cfr:baseline=history,memory=none", rg.SD_CFR.replace(baseline="history")),
        ("deep-cfr:baseline=none,ema=0.998,schedule=cosine", rg.DeepCFR(ema=0.998, schedule="cosine")),
        ("nfsp:anticipation=0.2,widths=128", rg.NFSP(anticipation=0.2, widths=(128,))),
    ],
)
def test_by_name_and_through_json(text: str, method: Any) -> None:
    found = method_by_name(text)
    assert found == method
    assert method_from_json(json.loads(json.dumps(method_to_json(found)))) == found
    assert hash(method.replace()) == hash(method)


def test_names() -> None:
    assert rg.DeepCFR().name == "Deep CFR" and rg.SD_CFR.name == "SD-CFR" and rg.NFSP().name == "NFSP"
    assert rg.DeepCFR(memory="window", refit="fresh").name == "Deep CFR (refit fresh, memory window)"
    assert rg.NFSP(anticipation=0.3).name == "NFSP (η 0.3)"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"memory": "resevoir"}, "unknown memory 'resevoir'; did you mean 'reservoir'?"),
        ({"averaging": "none"}, "unknown averaging 'none'; known: strategy-network, value-networks"),
        ({"network": "transformer"}, "unknown network 'transformer'; known: holdem, perceptron, residual"),
        ({"refit": 1}, "unknown refit 1; known: continued, fresh"),
        ({"schedule": "cos"}, "unknown schedule 'cos'; did you mean 'cosine'?"),
        ({"fallback": "random"}, "unknown fallback 'random'; known: highest, uniform"),
        ({"traversals": 0}, "traversals is a positive whole number, got 0"),
        ({"steps": 1.5}, "steps is a positive whole number, got 1.5"),
        ({"batch": True}, "batch is a positive whole number, got True"),
        ({"capacity": -1}, "capacity is a positive whole number, got -1"),
        ({"widths": (64, 0)}, "widths are positive whole numbers such as (64, 64), got (64, 0)"),
        ({"widths": "64"}, "widths are positive whole numbers such as (64, 64), got ('64',)"),
        ({"rate": 0}, "rate is a number above 0, got 0"),
        ({"rate": "fast"}, "rate is a number, got 'fast'"),
        ({"clip": -1.0}, "clip is a number from 0 on, got -1.0"),
        ({"ema": 1.0}, "ema is a number from 0 to 0.999999, got 1.0"),
        ({"ema": float("nan")}, "ema is a number from 0 to 0.999999, got nan"),
        ({"linear": "yes"}, "linear is True or False, got 'yes'"),
        ({"listed": "no"}, "listed is True, False or None, got 'no'"),
        ({"anneal_after": -1}, "anneal_after is a whole number from 0 on, got -1"),
    ],
)
def test_what_deep_cfr_cannot_mean(options: dict[str, Any], said: str) -> None:
    with pytest.raises(rg.OptionError) as error:
        rg.DeepCFR(**options)
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"anticipation": 1.5}, "anticipation is a number from 0 to 1, got 1.5"),
        ({"exploration": -0.1}, "exploration is a number from 0 to 1, got -0.1"),
        ({"plays": 0}, "plays is a positive whole number, got 0"),
        ({"response_rate": 0.0}, "response_rate is a number above 0, got 0.0"),
        ({"target_every": 2.0}, "target_every is a positive whole number, got 2.0"),
    ],
)
def test_what_nfsp_cannot_mean(options: dict[str, Any], said: str) -> None:
    with pytest.raises(rg.OptionError) as error:
        rg.NFSP(**options)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("deep-cfr:widht=3", "'widht=3' is no setting of deep-cfr; its settings are traversals,"),
        ("nfsp:steps=3", "'steps=3' is no setting of nfsp; its settings are anticipation,"),
        ("deep-cfr:linear=maybe", "linear is yes or no, got 'maybe'"),
        ("deep-cfr:steps=many", "steps is a whole number, got 'many'"),
        ("deep-cfr:widths=64-64", "widths is of the form 64x64, got '64-64'"),
    ],
)
def test_settings_that_are_none(text: str, said: str) -> None:
    with pytest.raises(rg.OptionError) as error:
        method_by_name(text)
    assert said in str(error.value)


def test_without_torch_there_is_a_sentence() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import regretless as rg\n"
        "for method in (rg.DeepCFR(), rg.NFSP(), 'sd-cfr'):\n"
        "    try: rg.solve('kuhn', method, iterations=1)\n"
        "    except rg.OptionError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    said = "deep methods need the package torch: pip install 'regretless[deep]'"
    assert done.stdout.splitlines() == [said] * 3, done.stderr


def test_a_gpu_that_is_not_there() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is one")
    for method in (rg.DeepCFR(), rg.NFSP()):
        with pytest.raises(rg.OptionError, match="needs a GPU that PyTorch can use, and there is none"):
            rg.solve("kuhn", method, iterations=1, device="cuda")
        with pytest.raises(rg.OptionError, match="there is no device 'tpu': use device='cpu' or 'cuda'"):
            rg.solve("kuhn", method, iterations=1, device="tpu")


def test_a_game_that_is_too_large_and_not_compiled() -> None:
    class Huge(rg.Game):
        """A hundred coins."""

        def root(self) -> str:
            return ""

        def player(self, state: str) -> int:
            return rg.TERMINAL if len(state) == 100 else len(state) % 2

        def actions(self, state: str) -> str:
            return "HT"

        def play(self, state: str, action: str) -> str:
            return state + action

        def infoset(self, state: str) -> str:
            return state

        def payoffs(self, state: str) -> tuple[float, float]:
            return 0.0, 0.0

    for method in (rg.DeepCFR(), rg.NFSP()):
        with pytest.raises(rg.OptionError, match="is too large to list"):
            rg.solve(Huge(), method, iterations=1)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (rg.DeepCFR(memory="reservoir", capacity=10**13), "samples takes 160.0 TB, and"),
        (rg.SD_CFR.replace(memory="window", capacity=10**13), "set capacity lower"),
        (rg.NFSP(average_capacity=10**13), "set average_capacity lower"),
        (rg.NFSP(response_capacity=10**13), "transitions takes 150.0 TB, and"),
        (rg.NFSP(response_capacity=10**13), "set response_capacity lower"),
    ],
)
def test_memories_that_do_not_fit(method: Any, said: str) -> None:
    pytest.importorskip("torch")
    with pytest.raises(rg.OptionError) as error:
        rg.solve("kuhn", method, iterations=1)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("method", "needed"),
    [
        (rg.DeepCFR(memory="reservoir", capacity=1_000_000), 3 * 16_000_000),
        (rg.SD_CFR.replace(memory="window", capacity=1_000_000), 2 * 16_000_000),
        (rg.SD_CFR.replace(refit="recursive", memory="reservoir", capacity=1_000_000), 2 * 2 * 16_000_000),
        (rg.NFSP(response_capacity=1_000_000, average_capacity=1_000_000), 2 * (15_000_000 + 16_000_000)),
    ],
)
def test_memories_must_fit_together(method: Any, needed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from regretless.deep.memories import reservoir

    monkeypatch.setattr(reservoir, "available_memory", lambda: needed - 1)
    with pytest.raises(rg.OptionError, match="filling all memories takes"):
        rg.solve("kuhn", method, iterations=1)
    monkeypatch.setattr(reservoir, "available_memory", lambda: needed)
    rg.solve("kuhn", method.replace(widths=(4,)), seconds=0.01)


@pytest.mark.parametrize(
    "method",
    [rg.DeepCFR(traversals=10**13), rg.SD_CFR.replace(widths=(10**7, 10**7)), rg.NFSP(plays=10**13)],
)
def test_what_does_not_fit_at_once(method: Any) -> None:
    pytest.importorskip("torch")
    with pytest.raises(rg.OptionError, match=r"no memory left for another \d.* TB: lower what is done at once"):
        rg.solve("kuhn", method, iterations=1)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (rg.SD_CFR.replace(rate=1e30), r"player 0's network diverged in iteration 1 \(its loss is .*: set rate lower"),
        (rg.NFSP(response_rate=1e35, average_rate=1e35), "networks diverged in iteration .*: set response_rate"),
    ],
)
def test_networks_that_diverge(method: Any, said: str) -> None:
    pytest.importorskip("torch")
    with pytest.raises(rg.OptionError, match=said):
        rg.solve("kuhn", method, iterations=20)


def test_what_is_kept_of_a_run_that_diverges_can_be_played(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from regretless.deep.networks.training import Trainer

    fit, fits = Trainer.fit, []

    def diverging(trainer: Trainer, *arguments: Any) -> float:
        fits.append(fit(trainer, *arguments))
        if len(fits) == 5:
            trainer.network.weights.fill_(float("nan"))
            trainer.played.fill_(float("nan"))
        return fits[-1] if len(fits) < 5 else float("nan")

    place = tmp_path / "kuhn.run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainer, "fit", diverging)
        with pytest.raises(rg.OptionError, match="player 0's network diverged in iteration 3"):
            rg.solve("kuhn", rg.SD_CFR.replace(traversals=50), iterations=9, checkpoint=place)
    kept = rg.load(place)
    assert kept.iterations == 2 and np.isfinite(kept.current.probabilities).all()
    assert rg.resume(place, iterations=2).exploitability < 1


def test_what_is_kept_of_nfsp_that_diverges_has_finite_weights(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from regretless.deep.learners.fictitious_player import FictitiousPlayer

    learn, calls = FictitiousPlayer._learn_average, []

    def diverging(player: FictitiousPlayer, generator: Any) -> None:
        learn(player, generator)
        calls.append(player)
        if len(calls) == 90:
            player.average.weights.mul_(1e30)  # finite weights, and outputs that are not

    place = tmp_path / "nfsp.run"
    method = rg.NFSP(plays=128, every=32, batch=32, widths=(16,), target_every=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FictitiousPlayer, "_learn_average", diverging)
        with pytest.raises(rg.OptionError, match="networks diverged in iteration"):
            rg.solve("kuhn", method, iterations=200, checkpoint=place)
    kept = rg.load(place)
    assert isinstance(kept, rg.Run) and kept.stopped == "failed" and kept.iterations >= 1
    assert all(np.isfinite(array).all() for array in kept.arrays.values())
    assert np.isfinite(kept.strategy.probabilities).all() and np.isfinite(kept.current.probabilities).all()
    assert rg.resume(place, iterations=2).iterations == kept.iterations + 2


def test_precision_is_not_chosen() -> None:
    pytest.importorskip("torch")
    with pytest.raises(rg.OptionError, match="computes in float64 only: leave out"):
        rg.solve("kuhn", rg.SD_CFR, iterations=1, dtype="float32")


def test_hold_em_with_too_many_deals_is_dealt_on_demand() -> None:
    assert rg.DeepCFR().open(rg.poker.LimitHoldem()).kind == "sampled hold'em"
    assert rg.DeepCFR(listed=False).open(rg.poker.FlopHoldem()).kind == "sampled hold'em"
    with pytest.raises(rg.OptionError, match="13,803,249,787,132 infosets"):
        rg.DeepCFR(listed=True).open(rg.poker.LimitHoldem())


def test_a_run_of_a_gpu_goes_on_there_or_where_it_is_told(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    import dataclasses

    run = rg.solve("kuhn", rg.SD_CFR.replace(traversals=10, steps=2), iterations=1)
    there = dataclasses.replace(run, settings={**run.settings, "device": "cuda"})
    there.save(tmp_path / "gpu.run")
    with pytest.raises(rg.OptionError, match="needs a GPU that PyTorch can use, and there is none: use device='cpu'"):
        rg.resume(tmp_path / "gpu.run", iterations=1)
    assert rg.resume(tmp_path / "gpu.run", iterations=1, device="cpu").iterations == 2


def test_a_checkpoint_of_other_settings(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from typer.testing import CliRunner

    from regretless.apps.cli import app

    place = str(tmp_path / "deep.run")
    order = ["solve", "kuhn", "-n", "2", "--out", place, "-a"]
    assert CliRunner().invoke(app, [*order, "sd-cfr:traversals=20,steps=5"]).exit_code == 0
    for other, said in (
        ("sd-cfr:traversals=30,steps=5", "is a run of SD-CFR with traversals=20, not of SD-CFR with traversals=30: "),
        ("nfsp", "is a run of SD-CFR, not of NFSP: leave -a out to go on with it, or name another file"),
    ):
        done = CliRunner().invoke(app, [*order, other, "--resume"])
        assert done.exit_code == 2 and said in done.stderr, done.stderr
    assert CliRunner().invoke(app, [*order, "sd-cfr:traversals=20,steps=5", "--resume"]).exit_code == 0
