"""NFSP on hold'em, laid out and dealt on demand, with exact exploitability on small decks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from four_streets import FOUR
from two_pieces import goes_on_bit_for_bit

import regretless as rg
from regretless.deep.games.sampled_holdem import SampledHoldem
from regretless.deep.learners.fictitious_player import FictitiousPlayer
from regretless.deep.learners.holdem.holdem_nfsp import SampledNFSP
from regretless.errors import OptionError
from regretless.method import Settings
from regretless.poker import Deck, Limit, PublicGame

LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
ON_GPU = Settings(dtype="float32", seed=1, device="cuda")
QUICK = rg.NFSP(plays=64, every=32, batch=32, widths=(16,), response_capacity=2_000, average_capacity=5_000)


@pytest.mark.full
def test_it_approaches_an_equilibrium_of_leduc_as_hold_em() -> None:
    method = rg.NFSP(
        plays=256, every=32, updates=4, batch=128, widths=(32,), response_rate=5e-3, average_rate=5e-3
    )  # fmt: skip
    run = rg.solve(LEDUC, method, iterations=80, seed=1, threads=1)
    uniform = run.problem.uniform().nash_conv() / 2
    assert run.exploitability < 0.5 * uniform


@pytest.mark.parametrize("listed", [pytest.param(True, marks=pytest.mark.full), False], ids=["laid out", "dealt"])
def test_a_run_goes_on_bit_for_bit(listed: bool, tmp_path: Path) -> None:
    goes_on_bit_for_bit(FOUR, QUICK.replace(listed=listed), (3, 2), tmp_path, seed=2)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="updates are one graph on a GPU only")
def test_updates_as_a_graph_learn_and_go_on_bit_for_bit() -> None:
    whole, pieces = (SampledNFSP(SampledHoldem(FOUR, QUICK), QUICK, ON_GPU) for _ in range(2))
    whole.advance(3)
    pieces.advance(2)
    resumed = SampledNFSP(SampledHoldem(FOUR, QUICK), QUICK, ON_GPU)
    resumed.restore(pieces.arrays(), 2)
    resumed.advance(1)
    assert whole.players[0].graph is not None and whole.players[0].updates > 10
    assert all(np.array_equal(array, resumed.arrays()[name]) for name, array in whole.arrays().items())
    player = whole.players[0]
    before = player.response.weights.clone()
    player.graph.replay()
    assert bool(torch.isfinite(player.response.weights).all()) and not torch.equal(before, player.response.weights)


@pytest.mark.full
def test_dealt_on_demand_is_laid_out() -> None:
    """The same seed plays the same deals, so both have the same networks."""
    dealt = rg.solve(FOUR, QUICK.replace(listed=False), iterations=4, seed=1, threads=1)
    laid_out = rg.solve(FOUR, QUICK.replace(listed=True), iterations=4, seed=1, threads=1)
    assert np.isnan(dealt.exploitability) and laid_out.exploitability > 0
    assert dealt.strategy.public.nash_conv() == pytest.approx(laid_out.nash_conv, rel=1e-4)
    best = dealt.current.hand_probabilities(0, ())
    assert set(np.unique(best)) == {0.0, 1.0}


@pytest.mark.full
def test_networks_that_diverge_keep_what_they_had(monkeypatch: pytest.MonkeyPatch) -> None:
    before = rg.solve(FOUR, QUICK.replace(listed=True), iterations=2, seed=1, threads=1)
    learner = QUICK.learner(before.problem, _settings())
    learner.restore(before.arrays, 2)
    kept = learner.measure()["exploitability"]
    original = FictitiousPlayer._learn_response

    def breaks(self: FictitiousPlayer, generator: object) -> None:
        original(self, generator)  # type: ignore[arg-type]
        self.response.weights.fill_(np.nan)

    monkeypatch.setattr(FictitiousPlayer, "_learn_response", breaks)
    with pytest.raises(OptionError, match="diverged"):
        learner.advance(1)
    assert learner.measure()["exploitability"] == pytest.approx(kept, rel=1e-6)


def _settings() -> object:
    from regretless.method import Settings

    return Settings(dtype="float32", seed=1)


def test_published_settings_have_names() -> None:
    method = rg.NFSP.as_published(game="hulh", plays=128)
    assert (method.anticipation, method.exploration, method.batch) == (0.1, 0.08, 256)
    assert (method.response_capacity, method.average_capacity) == (600_000, 30_000_000)
    assert method.widths == (1024, 512, 1024, 512) and method.target_every == 1_000 and method.plays == 128
    assert rg.NFSP.as_published().batch == 128
    with pytest.raises(OptionError, match="'leduc' or 'hulh'"):
        rg.NFSP.as_published(game="chess")
    deep = rg.DeepCFR.as_published(game="hulh")
    assert (deep.steps, deep.batch, deep.capacity, deep.traversals) == (32_000, 20_000, 40_000_000, 10_000)
    assert (deep.rate, deep.clip, deep.refit) == (1e-3, 1.0, "fresh")
    assert rg.DeepCFR.recommended(game="fhp").boards == "all"
    assert isinstance(rg.DeepCFR.recommended(game="hulh").boards, int)
    for named in (rg.SD_CFR.as_published, rg.SD_CFR.recommended):
        for game in ("fhp", "hulh"):
            assert named(game=game).averaging == "value-networks"
    assert rg.SD_CFR.as_published(game="hulh") == deep.replace(averaging="value-networks")
    assert deep.averaging == rg.SD_CFR.as_published(averaging="strategy-network").averaging == "strategy-network"
    with pytest.raises(OptionError, match="'fhp' or 'hulh'"):
        rg.DeepCFR.recommended(game="chess")
    for make in (rg.DeepCFR.as_published, rg.DeepCFR.recommended, rg.NFSP.as_published):
        with pytest.raises(OptionError, match=r"got game=\['hulh'\]"):
            make(game=["hulh"])  # type: ignore[arg-type]
