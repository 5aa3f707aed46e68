"""Values and equilibria that others published or that were computed exactly."""

from __future__ import annotations

import pytest

import regretless as rg
from conftest import INTERPRETED, built


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("kuhn", -1 / 18),  # Kuhn 1950
        ("one_card_poker:deck=3", -1 / 18),
        ("one_card_poker:deck=4", -1 / 24),
        ("one_card_poker:deck=5", -1 / 15),
        ("one_card_poker:deck=6", -11 / 180),
        ("leduc", -0.085606424078),
        ("rps", 0.0),
        ("matching_pennies", 0.0),
        ("blotto", 0.0),
        ("goofspiel:cards=3", 0.0),
        ("goofspiel:cards=4", 0.0),
        ("goofspiel:cards=5", 0.0),
    ],
)
def test_exact_value(spec: str, value: float) -> None:
    solved = rg.equilibrium(built(spec))
    assert solved.value == pytest.approx(value, abs=1e-9)
    assert rg.exploitability(built(spec), solved.strategy) < 1e-8


@pytest.mark.full
@pytest.mark.parametrize("spec", ["dudo", "liars_dice"])
def test_dudo_one_against_one(spec: str) -> None:
    """−7/258 (Neller & Hnath 2011); liar's dice of OpenSpiel is the same game under other names."""
    assert rg.equilibrium(built(spec)).value == pytest.approx(-7 / 258, abs=1e-9)


@pytest.mark.skipif(INTERPRETED, reason="many iterations")
@pytest.mark.parametrize(
    ("spec", "value"),
    [("kuhn", -1 / 18), ("one_card_poker:deck=5", -1 / 15), ("leduc", -0.085606424078), ("goofspiel:cards=4", 0.0)],
)
def test_value_by_regret(spec: str, value: float) -> None:
    run = rg.solve(built(spec), rg.PCFR_PLUS, iterations=20_000, until=5e-4)
    assert run.stopped == "until"
    assert run.value == pytest.approx(value, abs=1e-3)


def blotto_support(strategy: rg.Strategy, player: int, least: float) -> set[tuple[int, ...]]:
    return {
        tuple(sorted(map(int, str(plan).split("-")), reverse=True))
        for plan, probability in strategy[f"player {player}"].items()
        if probability > least
    }


def test_blotto_uses_two_kinds_of_plans() -> None:
    """Every equilibrium's support lies in the permutations of (3, 2, 0) and (3, 1, 1)."""
    tree = built("blotto")
    exact = rg.equilibrium(tree).strategy
    runs = [] if INTERPRETED else [rg.solve(tree, rg.CFR_PLUS, iterations=10_000).strategy]
    for strategy, least in [(exact, 1e-9), *((s, 1e-3) for s in runs)]:
        for player in range(2):
            assert blotto_support(strategy, player, least) <= {(3, 2, 0), (3, 1, 1)}


@pytest.mark.parametrize("source", ["linear program", "CFR+", "PCFR+", "DCFR"])
def test_kuhns_family_of_equilibria(source: str) -> None:
    """Player 0 bets J with α, never Q, K with 3α, calls with Q with α + 1/3; player 1 is unique."""
    tree = built("kuhn")
    if source == "linear program":
        strategy, near = rg.equilibrium(tree).strategy, 1e-7
    elif INTERPRETED:
        pytest.skip("many iterations")
    else:
        strategy, near = rg.solve(tree, source, iterations=200_000, until=1e-5).strategy, 1e-2
    alpha = strategy["J"]["bet"]
    assert -near <= alpha <= 1 / 3 + near
    assert strategy["Q"]["bet"] == pytest.approx(0, abs=near)
    assert strategy["K"]["bet"] == pytest.approx(3 * alpha, abs=near)
    assert strategy["Jpb"]["bet"] == pytest.approx(0, abs=near)
    assert strategy["Qpb"]["bet"] == pytest.approx(alpha + 1 / 3, abs=near)
    if strategy["K"]["bet"] < 1 - 1e-3:
        assert strategy["Kpb"]["bet"] == pytest.approx(1, abs=near)
    assert strategy["Qb"]["bet"] == pytest.approx(1 / 3, abs=near)
    assert strategy["Jp"]["bet"] == pytest.approx(1 / 3, abs=near)
    assert strategy["Jb"]["bet"] == pytest.approx(0, abs=near)
    assert strategy["Qp"]["bet"] == pytest.approx(0, abs=near)
    assert strategy["Kb"]["bet"] == pytest.approx(1, abs=near)
    assert strategy["Kp"]["bet"] == pytest.approx(1, abs=near)


def test_nash_conv_of_uniform_play() -> None:
    """OpenSpiel's numbers for the uniform policy."""
    for spec, conv in [("kuhn", 11 / 12), ("leduc", 4.747222222222222)]:
        assert rg.nash_conv(built(spec), rg.Strategy.uniform(built(spec))) == pytest.approx(conv, abs=1e-9)
