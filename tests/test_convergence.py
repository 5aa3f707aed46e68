"""Every method gets where it should in a fixed number of iterations."""

from __future__ import annotations

import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.lookup.methods import METHODS

pytestmark = pytest.mark.skipif(INTERPRETED, reason="many iterations")

VARIANTS = {name: method for name, method in METHODS.items() if isinstance(method, rg.Variant)}

LEDUC = {
    # exploitability after 1,000 iterations
    "cfr": 3e-2,
    "cfr+": 3e-3,
    "linear": 1e-2,
    "dcfr": 3e-3,
    "dcfr+": 3e-3,
    "pcfr+": 1e-3,
    "pdcfr+": 5e-3,
    "sapcfr+": 1e-3,
    "hs-dcfr": 3e-3,
    "hs-pcfr+": 1e-3,
}


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("name", VARIANTS)
def test_kuhn(kuhn: rg.Tree, name: str, alternating: bool) -> None:
    run = rg.solve(kuhn, VARIANTS[name].replace(alternating=alternating), iterations=3_000 if name != "cfr" else 20_000)
    enough = 1e-3 if alternating else 1e-2
    assert run.exploitability < enough
    assert run.value == pytest.approx(-1 / 18, abs=2 * enough)


@pytest.mark.parametrize("name", VARIANTS)
def test_leduc(leduc: rg.Tree, name: str) -> None:
    run = rg.solve(leduc, VARIANTS[name], iterations=1_000)
    assert run.exploitability < LEDUC[name]
    assert run.value == pytest.approx(-0.085606424078, abs=2 * LEDUC[name])


def test_single_precision(leduc: rg.Tree) -> None:
    run = rg.solve(leduc, rg.CFR_PLUS, iterations=1_000, dtype="float32")
    assert run.exploitability < 3e-3


def test_delay(kuhn: rg.Tree) -> None:
    run = rg.solve(kuhn, rg.CFR_PLUS.replace(delay=200), iterations=1_000)
    assert run.exploitability < 1e-3


@pytest.mark.parametrize("method", [rg.CFR, rg.CFR_PLUS, rg.DCFR], ids=lambda method: method.name)
def test_three_players(kuhn3: rg.Tree, method: rg.Variant) -> None:
    """No guarantee holds for three players, but on Kuhn poker all of them are known to converge."""
    assert rg.solve(kuhn3, method, iterations=2_000).exploitability < 5e-3


def test_cfr_br(kuhn: rg.Tree) -> None:
    assert rg.solve(kuhn, rg.CFRBR(), iterations=3_000).exploitability < 2e-2
    assert rg.solve(kuhn, rg.CFRBR(rg.CFR_PLUS), iterations=3_000).exploitability < 1e-2


def test_fictitious_play(kuhn: rg.Tree, leduc: rg.Tree) -> None:
    assert rg.solve(kuhn, rg.FictitiousPlay(), iterations=3_000).exploitability < 1e-2
    assert rg.solve(leduc, rg.XFP, iterations=1_000).exploitability < 0.2


def test_rock_paper_scissors(rps: rg.Tree) -> None:
    for method in (rg.CFR, rg.CFR_PLUS, rg.FictitiousPlay()):
        run = rg.solve(rps, method, iterations=2_000)
        assert list(run.strategy["player 0"].values()) == pytest.approx([1 / 3] * 3, abs=0.02)
    run = rg.solve(rps, rg.RegretMatching(), iterations=200_000)
    assert list(run.strategy["player 0"].values()) == pytest.approx([1 / 3] * 3, abs=0.01)
