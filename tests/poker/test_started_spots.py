"""`start=` on hold'em: regrets of a run are taken over, in any precision, and a locked spot needs fewer iterations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless as rg
from apps.command_line import command
from conftest import INTERPRETED
from regretless.poker.results.public_strategy import PublicStrategy

SPOT = rg.poker.Spot(
    "Qs Jh 2h 7c 3d", ("22+,A2s+,KTs+,QTs+,ATo+,KJo+", "22+,A8s+,K9s+,Q9s+,J9s+,T9s,A9o+,KTo+,QJo"), pot=100, stack=300,
    sizes="bet 50% 100%, raise 60%",
)  # fmt: skip


@pytest.fixture(scope="module")
def base() -> rg.Run[Any]:
    return rg.solve(SPOT, rg.DCFR, iterations=150)  # some 0.1 %


@pytest.fixture(scope="module")
def locked(base: rg.Run[Any]) -> Any:
    return rg.poker.lock_node(base, "", {"AA,KK": {"check": 1}}).public_tree()


def alone(run: rg.Run[Any]) -> PublicStrategy:
    """The strategy of a run without its regrets."""
    return PublicStrategy(run.strategy.tree, {"average": run.arrays["average"]}, "average")


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize("variant", [rg.DCFR, rg.CFR_PLUS], ids=lambda v: v.name)
def test_a_locked_spot_takes_fewer_iterations(base: rg.Run[Any], locked: Any, variant: rg.Variant) -> None:
    for until, level, part in (("0.3%", 0.3, 0.5), ("0.1%", 0.1, 1.0)):
        cold = rg.solve(locked, variant, until=until)
        warm = rg.solve(locked, variant, until=until, start=base)
        assert warm.iterations < part * cold.iterations
        assert max(warm.exploitability, cold.exploitability) <= level
        assert abs(warm.value - cold.value) <= warm.nash_conv + cold.nash_conv  # the value is within both gaps
    assert rg.solve(locked, variant, until="0.1%", start=base.strategy).strategy.at("").frequencies == (
        warm.strategy.at("").frequencies
    )


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize("variant", [rg.DCFR, rg.PCFR_PLUS], ids=lambda v: v.name)
def test_the_first_iteration_plays_a_strategy_without_regrets(base: rg.Run[Any], variant: rg.Variant) -> None:
    run = rg.solve(SPOT, variant, iterations=1, start=alone(base))
    for line in ("", "check", "check bet 50"):
        one, other = (strategy.at(line).probabilities for strategy in (run.strategy, base.strategy))
        np.testing.assert_allclose(one, other, atol=1e-4)


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
def test_regrets_change_their_precision(base: rg.Run[Any], locked: Any) -> None:
    small = rg.solve(locked, rg.DCFR, iterations=20, dtype="int16")
    runs = [
        rg.solve(locked, rg.DCFR, iterations=8, dtype=dtype, start=start)
        for start in (base, small)
        for dtype in ("float64", "float32", "int16")
    ]
    for first in (0, 3):
        for other in runs[first + 1 : first + 3]:
            assert abs(runs[first].value - other.value) < 0.02


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_from_a_file_and_resumed(base: rg.Run[Any], locked: Any, tmp_path: Path, dtype: str) -> None:
    begin = rg.solve(SPOT, rg.DCFR, iterations=20, dtype=dtype)
    begin.save(tmp_path / "base.run")
    whole = rg.solve(locked, rg.DCFR, iterations=13, start=begin, dtype=dtype)
    rg.solve(locked, rg.DCFR, iterations=7, start=rg.load(tmp_path / "base.run"), dtype=dtype).save(tmp_path / "a.run")
    more = rg.resume(tmp_path / "a.run", iterations=6)
    assert more.settings["started"] is True
    np.testing.assert_array_equal(more.arrays["regret"], whole.arrays["regret"])


def test_another_spot_is_refused(base: rg.Run[Any]) -> None:
    other = rg.poker.Spot("Qs Jh 2h 7c 3c", ("QQ+", "JJ+"), pot=100, stack=300)
    with pytest.raises(rg.OptionError, match="another game: cards, betting, board and ranges have to be the same"):
        rg.solve(other, iterations=1, start=base)


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
def test_at_the_command_line(base: rg.Run[Any], tmp_path: Path) -> None:
    base.save(tmp_path / "base.run")
    spot = tmp_path / "locked.toml"
    told = command("lock", tmp_path / "base.run", "", "--hands", "AA=check", "--out", spot).out
    assert f"--start {tmp_path / 'base.run'}" in told
    solved = command("solve", spot, "--start", tmp_path / "base.run", "-n", 3, "--out", tmp_path / "b.run", "--quiet")
    assert solved.code == 0
    assert rg.load(tmp_path / "b.run").exploitability < 0.01 * 100
