"""Schedules against their closed forms, and the traps that other libraries fell into."""

from __future__ import annotations

import dataclasses
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless as rg
from regretless.errors import OptionError
from regretless.lookup.methods import method_by_name, method_to_json
from regretless.variants import VARIANTS, StepWeights

TIMES = range(1, 51)


def fade(t: int, exponent: float) -> float:
    return t**exponent / (t**exponent + 1)


# -- closed forms -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "alpha", "beta"),
    [
        (rg.LINEAR_CFR, 1, 1),
        (rg.DCFR, 1.5, 0),
        (rg.DCFR_PLUS, 1.5, None),
        (rg.PDCFR_PLUS, 2.3, None),
        (rg.Variant(discount=rg.Discounted(1.5, -1)), 1.5, -1),
    ],
)
def test_discount(variant: rg.Variant, alpha: float, beta: float | None) -> None:
    for t in TIMES[1:]:
        weights = variant.weights(t)
        assert weights.positive == pytest.approx(fade(t - 1, alpha), rel=1e-14)
        if beta is not None:
            assert weights.negative == pytest.approx(fade(t - 1, beta), rel=1e-14)
    assert variant.weights(1).positive == 0.0


@pytest.mark.parametrize("variant", [rg.CFR, rg.CFR_PLUS, rg.PCFR_PLUS, rg.SAPCFR_PLUS, rg.HS_PCFR_PLUS])
def test_no_discount(variant: rg.Variant) -> None:
    for t in TIMES:
        weights = variant.weights(t)
        assert (weights.positive, weights.negative) == (1.0, 1.0)
        assert (weights.next_positive, weights.next_negative) == (1.0, 1.0)


@pytest.mark.parametrize("horizon", [50, 1_000])
def test_hyperparameter_schedules(horizon: int) -> None:
    variant = rg.HS_DCFR.with_horizon(horizon)
    for t in TIMES[1:]:
        weights = variant.weights(t)
        assert weights.positive == pytest.approx(fade(t - 1, 1 + 3 * t / horizon), rel=1e-14)
        assert weights.negative == pytest.approx(fade(t - 1, -1 - 2 * t / horizon), rel=1e-14)
        for averaging in (weights, rg.HS_PCFR_PLUS.with_horizon(horizon).weights(t)):
            assert averaging.decay == pytest.approx(((t - 1) / t) ** (30 - 5 * t / horizon), rel=1e-14)


def test_a_ramp_stays_at_its_end() -> None:
    ramp = rg.Ramp(1, 4, horizon=10)
    assert [ramp.at(t) for t in (0, 5, 10, 11, 1_000)] == [1.0, 2.5, 4.0, 4.0, 4.0]


@pytest.mark.parametrize(
    ("name", "power"),
    [("cfr", 0), ("cfr+", 1), ("linear", 1), ("dcfr", 2), ("dcfr+", 4), ("pcfr+", 2), ("pdcfr+", 5), ("sapcfr+", 2)],
)
@pytest.mark.parametrize("delay", [0, 7])
def test_averages_with_decay_are_the_polynomial_weights(name: str, power: int, delay: int) -> None:
    """Decays multiplied up to T leave iteration t with the share (t − d)^γ / Σ (k − d)^γ, and nothing for t ≤ d."""
    shares: list[float] = []
    for t in TIMES:
        weights = VARIANTS[name].replace(delay=delay).weights(t)
        shares = [share * weights.decay for share in shares] + [weights.weight]
        assert weights.weight == float(t > delay)
    wanted = [float(max(t - delay, 0) ** power) if t > delay else 0.0 for t in TIMES]
    np.testing.assert_allclose(np.array(shares) / sum(shares), np.array(wanted) / sum(wanted), rtol=1e-12)


@pytest.mark.parametrize(("name", "variant"), VARIANTS.items())
def test_floor_and_prediction(name: str, variant: rg.Variant) -> None:
    for t in TIMES:
        weights = variant.weights(t)
        assert weights.floor == (0.0 if name.endswith("+") else -math.inf)
        wanted = {"pcfr+": 1.0, "pdcfr+": 1.0, "hs-pcfr+": 1.0, "sapcfr+": 1 / 3}.get(name, 0.0)
        assert weights.prediction == wanted


def test_prediction_sees_the_discount_of_the_next_iteration() -> None:
    for t in TIMES:
        assert rg.PDCFR_PLUS.weights(t).next_positive == pytest.approx(fade(t, 2.3), rel=1e-14)
        assert rg.PDCFR_PLUS.weights(t).next_positive == rg.PDCFR_PLUS.weights(t + 1).positive


def test_steps_are_the_rows_of_weights() -> None:
    table = rg.DCFR.steps(3, 4)
    assert table.shape == (4, len(dataclasses.fields(StepWeights)))
    for row, t in zip(table, range(3, 7), strict=True):
        assert tuple(row) == dataclasses.astuple(rg.DCFR.weights(t))


@pytest.mark.parametrize("variant", [rg.PDCFR_PLUS, rg.HS_DCFR, rg.CFR_PLUS.replace(delay=1_030)], ids=str)
def test_steps_do_not_depend_on_how_a_run_is_cut_up(variant: rg.Variant) -> None:
    whole = variant.steps(1, 2_100)
    assert whole.shape == (2_100, 8)
    for first, count in [(1, 1), (1_020, 10), (1_024, 1), (1_025, 1), (1_000, 1_100), (2_100, 1)]:
        assert np.array_equal(variant.steps(first, count), whole[first - 1 : first - 1 + count])


def test_large_exponents_and_times_stay_finite() -> None:
    for t in (1, 2, 10**6, 10**9):
        weights = rg.Variant(discount=rg.Discounted(200, -200), averaging=rg.Polynomial(200)).weights(t)
        numbers = dataclasses.astuple(weights)
        assert all(np.isfinite(x) or x == -math.inf for x in numbers)
        assert 0 <= weights.negative <= 1
        assert 0 <= weights.positive <= 1


# -- traps ------------------------------------------------------------------------------------------------------------


def test_beta_is_an_exponent_and_zero_gives_the_factor_one_half() -> None:
    assert all(rg.DCFR.weights(t).negative == 0.5 for t in TIMES)


def test_averaging_does_not_tend_to_uniform_weights() -> None:
    """(T/(T+1))^γ would leave the first of 50 iterations with more than nothing to say; (t−1)/t gives it 1/2500."""
    decays = np.prod([rg.DCFR.weights(t).decay for t in TIMES[1:]])
    assert decays == pytest.approx(1 / 50**2, rel=1e-12)
    assert rg.DCFR.weights(1).decay == 0.0


def test_delayed_iterations_weigh_nothing() -> None:
    """max(t − d, 0), not max(t − d, 1)."""
    delayed = rg.CFR_PLUS.replace(delay=10)
    assert [delayed.weights(t).weight for t in (1, 9, 10, 11, 12)] == [0.0, 0.0, 0.0, 1.0, 1.0]


class OneDecision(rg.Game):
    """One player, one choice: the instantaneous regret can be written down."""

    players = 1

    def __init__(self, *worth: float) -> None:
        self.worth = worth

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return rg.TERMINAL if state else 0

    def actions(self, state: str) -> str:
        return "abc"[: len(self.worth)]

    def play(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> str:
        return "only"

    def payoffs(self, state: str) -> tuple[float]:
        return (self.worth["abc".index(state)],)


def test_discount_comes_before_adding_and_goes_by_the_sign_of_the_old_regret() -> None:
    """Two steps of DCFR by hand, at a decision worth 1 and 0."""
    run = rg.solve(OneDecision(1.0, 0.0), rg.DCFR, iterations=1)
    assert run.arrays["regret"][1:].tolist() == [0.5, -0.5]
    assert run.current["only"] == {"a": 1.0, "b": 0.0}
    run = rg.solve(OneDecision(1.0, 0.0), rg.DCFR, iterations=2)
    # t = 2: (t−1)^α/((t−1)^α+1) = 1/2 of +0.5, β = 0 leaves 1/2 of −0.5; r = (0, −1).
    # After adding, the discount would give (0.25, −0.75).
    assert run.arrays["regret"][1:].tolist() == [0.25, -1.25]


def test_the_sign_that_counts_is_the_old_one() -> None:
    """β = −50 wipes negative regret out. After t = 2 it is wiped by its old sign; by the new sign it would stay."""
    variant = rg.Variant(discount=rg.Discounted(50, -50), averaging=rg.Polynomial(0))
    runs = [rg.solve(OneDecision(1.0, 0.0, 0.25), variant, iterations=t) for t in (3, 4)]
    old, new = (run.arrays["regret"][1:] for run in runs)
    instant = np.array([0.0, -1.0, -0.75])
    factors = np.where(old > 0, fade(3, 50), fade(3, -50))
    np.testing.assert_allclose(new, old * factors + instant, atol=1e-15)


def test_average_counts_own_reach(kuhn: rg.Tree) -> None:
    """Where a player arrives only early on, the average is that of the arrivals and not of all iterations."""
    plans, strategies, weights = [], [], []

    def watch(snapshot: object) -> None:
        plan = np.array(snapshot._learner.arrays()["plan"])  # type: ignore[attr-defined]
        plans.append(plan)
        strategies.append(snapshot.current)  # type: ignore[attr-defined]
        weights.append(1.0)

    run = rg.solve(kuhn, rg.CFR, iterations=20, callback=watch)
    where = kuhn.labels.sequences_of(kuhn.labels.by_player[0, "Jpb"])
    start = rg.Strategy.uniform(kuhn)
    played = [0.5 * np.array([0.5, 0.5])] + [plan[where] for plan in plans[:-1]]
    total = np.sum(played, axis=0)
    assert list(run.strategy["Jpb"].values()) == pytest.approx(total / total.sum())
    unweighted = np.mean([list(s["Jpb"].values()) for s in [start, *strategies[:-1]]], axis=0)
    assert not np.allclose(list(run.strategy["Jpb"].values()), unweighted, atol=1e-3)


def test_a_resumed_cfr_plus_stays_cfr_plus(kuhn: rg.Tree, tmp_path: object) -> None:
    path = f"{tmp_path}/kuhn.run"
    rg.solve(kuhn, rg.CFR_PLUS, iterations=20).save(path)
    resumed = rg.resume(path, iterations=20)
    assert resumed.method == rg.CFR_PLUS
    assert resumed.arrays["regret"].min() == 0.0
    assert rg.solve(kuhn, rg.CFR, iterations=40).arrays["regret"].min() < 0.0


def test_average_and_total_exploitability_are_kept_apart(kuhn: rg.Tree, kuhn3: rg.Tree) -> None:
    for tree in (kuhn, kuhn3):
        run = rg.solve(tree, rg.CFR, iterations=5)
        assert run.nash_conv == pytest.approx(run.exploitability * tree.players)
        assert rg.nash_conv(tree, run.strategy) == pytest.approx(run.nash_conv)


# -- the record -------------------------------------------------------------------------------------------------------


def test_names() -> None:
    assert [variant.name for variant in VARIANTS.values()] == [
        "CFR", "CFR+", "linear CFR", "DCFR", "DCFR+", "PCFR+", "PDCFR+", "SAPCFR+", "HS-DCFR", "HS-PCFR+",
    ]  # fmt: skip
    assert rg.CFR_PLUS.replace(delay=5, alternating=False).name == "CFR+ (delay 5, simultaneous)"
    assert rg.HS_DCFR.with_horizon(77).name == "HS-DCFR"
    assert rg.Variant(discount=rg.Discounted(7, 7)).name.startswith("Variant(")


def test_the_power_of_an_average_is_a_setting() -> None:
    more = method_by_name("dcfr:power=4,delay=3")
    assert more == rg.DCFR.replace(averaging=rg.Polynomial(4), delay=3)
    assert more.name == "DCFR (averages t^4, delay 3)" and method_by_name("dcfr:power=2").name == "DCFR"
    with pytest.raises(OptionError, match="from 0 on, got -1"):
        method_by_name("dcfr:power=-1")


def test_replace_and_horizon() -> None:
    assert rg.CFR.replace(floor=True).floor
    assert rg.CFR.with_horizon(5) == rg.CFR
    stretched = rg.HS_DCFR.with_horizon(5)
    assert stretched.averaging.power == rg.Ramp(30, 25, 5)
    assert stretched.discount == rg.Discounted(rg.Ramp(1, 4, 5), rg.Ramp(-1, -3, 5))


def test_bad_settings() -> None:
    with pytest.raises(rg.OptionError, match="no field 'flor'"):
        rg.CFR.replace(flor=True)
    with pytest.raises(rg.OptionError, match="delay counts iterations"):
        rg.CFR.replace(delay=-1)
    with pytest.raises(rg.OptionError, match="delay counts iterations"):
        rg.CFR.replace(delay=1.5)
    with pytest.raises(rg.OptionError, match="predictive"):
        rg.Variant(predictive=math.nan)
    with pytest.raises(rg.OptionError, match="horizon"):
        rg.HS_DCFR.with_horizon(0)


# -- names and schedules of the user ----------------------------------------------------------------------------------


def test_a_name_of_ones_own(kuhn: rg.Tree, tmp_path: Path) -> None:
    mine = rg.Variant(floor=True, averaging=rg.Polynomial(3), name="mine")
    assert mine.name == "mine"
    assert mine == rg.Variant(floor=True, averaging=rg.Polynomial(3))  # a name changes no number
    assert mine.with_horizon(50).name == "mine"
    assert mine.replace(averaging=rg.Polynomial(1)).name == "CFR+"
    assert rg.CFR_PLUS.replace(delay=5, name="late").name == "late"
    assert list(rg.compare(kuhn, [rg.CFR_PLUS, mine], iterations=3).runs) == ["CFR+", "mine"]
    rg.solve(kuhn, mine, iterations=3).save(tmp_path / "mine.run")
    again = rg.load(tmp_path / "mine.run")
    assert isinstance(again, rg.Run) and again.method.name == "mine" and again.method == mine
    assert rg.resume(tmp_path / "mine.run", iterations=2).method.name == "mine"
    assert pickle.loads(pickle.dumps(mine)).name == "mine"


def test_files_of_published_variants_do_not_name_them() -> None:
    """So that they are the files of earlier versions, byte for byte."""
    assert "name" not in method_to_json(rg.CFR_PLUS)


@pytest.mark.parametrize("name", ["", "  ", 3])
def test_a_name_is_a_text(name: Any) -> None:
    with pytest.raises(rg.OptionError, match="the name of a variant is a text such as 'mine', got"):
        rg.Variant(name=name)


@dataclasses.dataclass(frozen=True)
class Exponential:
    """Iteration t counts growth^t."""

    growth: float = 1.05

    def decay(self, t: Any) -> Any:
        return np.full_like(t, 1 / self.growth)


@dataclasses.dataclass(frozen=True)
class Linear:
    def decay(self, t: Any) -> Any:
        return (t - 1) / t


def test_an_average_by_ones_own_schedule(kuhn: rg.Tree, tmp_path: Path) -> None:
    same = rg.CFR_PLUS.replace(averaging=Linear())
    assert rg.solve(kuhn, same, iterations=100).strategy == rg.solve(kuhn, rg.CFR_PLUS, iterations=100).strategy
    mine = rg.Variant(floor=True, averaging=Exponential(), name="forgetful CFR+", delay=2)
    assert [mine.weights(t).decay for t in (1, 2, 3, 4)] == [1.0, 1.0, 1 / 1.05, 1 / 1.05]
    run = rg.solve(kuhn, mine, iterations=200, checkpoint=tmp_path / "a.run")
    assert run.exploitability < 0.02
    with pytest.raises(rg.FileError, match="names a method 'Exponential' that is not known here: pass the method"):
        rg.load(tmp_path / "a.run")
    again = rg.load(tmp_path / "a.run", method=mine)
    assert isinstance(again, rg.Run) and again.strategy == run.strategy
    assert rg.solve(kuhn, rg.MCCFR(variant=rg.CFR.replace(averaging=Linear())), iterations=50).iterations == 50


def test_schedules_that_are_none() -> None:
    class Changing:
        __hash__ = None  # type: ignore[assignment]

        def decay(self, t: Any) -> Any:
            return t

    class Wrong:
        def __init__(self, answer: Any) -> None:
            self.answer = answer

        def decay(self, t: Any) -> Any:
            return self.answer

    with pytest.raises(rg.OptionError, match=r"averaging is rg.Polynomial\(power\) or an object with decay"):
        rg.Variant(averaging=2)  # type: ignore[arg-type]
    with pytest.raises(rg.OptionError, match=r"averaging is rg.Polynomial\(power\) or an object with decay"):
        rg.Variant(averaging=rg.Polynomial)  # type: ignore[arg-type]
    with pytest.raises(rg.OptionError, match="can change: make its class a dataclass with frozen=True"):
        rg.Variant(averaging=Changing())
    for answer in (0.5, np.full(1024, 1.5), np.full(1024, np.nan)):
        with pytest.raises(rg.OptionError, match="must return a number from 0 to 1 for each of 1024"):
            rg.Variant(averaging=Wrong(answer)).weights(1)
