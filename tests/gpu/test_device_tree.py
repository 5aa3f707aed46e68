"""Listed games on a GPU against the CPU, in Numba's CUDA simulator.

The simulator must be asked for before Numba is imported, so this file runs itself in a process of its own, with the
compiler off. The simulator runs blocks one after the other: several blocks need a launch for each phase.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.random_games import RandomGame

import regretless as rg
from regretless.evaluation.device_trees import device_tree
from regretless.evaluation.responses import plan_gaps
from regretless.gpu import device_tree as device_trees
from regretless.gpu import payoff_slices
from regretless.gpu.availability import cuda_available
from regretless.gpu.device_tree import DeviceTree, Launch
from regretless.gpu.payoff_slices import cut_into_segments, different_payoffs
from regretless.gpu.tree_phases import lay_out_levels, treeplexes
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.tree_cuda.phase_layout import LANES, TILE_ACTIONS, TILE_INFOSET, TILE_INFOSETS, TILE_SEQUENCE
from regretless.method import Settings
from regretless.methods.cfr import CFRLearner
from regretless.variants import Variant

SIMULATED = bool(os.environ.get("NUMBA_ENABLE_CUDASIM"))
in_the_simulator = pytest.mark.skipif(not SIMULATED, reason="runs in a process of its own")
outside = pytest.mark.skipif(SIMULATED, reason="needs no simulator")

GAMES = {
    "kuhn": rg.games.Kuhn(),
    "three players": rg.games.Kuhn(players=3),
    "random": RandomGame(seed=4, depth=6),
    "general sum": RandomGame(seed=9, depth=5, zero_sum=False),
    "matrix": rg.games.RockPaperScissors(),
    "dice": rg.games.LiarsDice(sides=2),
}


@cache
def tree(name: str) -> rg.Tree:
    return rg.build(GAMES[name])


@outside
@pytest.mark.full
def test_in_the_simulator() -> None:
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-n0", "-p", "no:cacheprovider", __file__]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert run.returncode == 0, run.stdout[-4_000:] + run.stderr[-2_000:]
    assert run.stdout.count(".") > 20  # not skipped


@pytest.mark.skipif(SIMULATED or cuda_available() is None, reason="there is a GPU, or the simulator of one")
def test_no_gpu_is_said_in_one_sentence() -> None:
    uniform = rg.Strategy.uniform(tree("kuhn"))
    for call in (
        lambda: rg.solve(tree("kuhn"), rg.CFR_PLUS, device="cuda"),
        lambda: rg.exploitability(tree("kuhn"), uniform, device="cuda"),
        lambda: rg.best_response(tree("kuhn"), uniform, 0, device="cuda"),
        lambda: DeviceTree(tree("kuhn").form),
    ):
        with pytest.raises(rg.OptionError, match=r"^device='cuda' needs [^.]*$"):
            call()


@outside
def test_devices_that_do_not_exist() -> None:
    uniform = rg.Strategy.uniform(tree("kuhn"))
    with pytest.raises(rg.OptionError, match="no device 'tpu': use device='cpu' or 'cuda'"):
        rg.exploitability(tree("kuhn"), uniform, device="tpu")
    run = rg.solve("dudo:sides=2", rg.MCCFR(listed=False), iterations=5)
    with pytest.raises(rg.OptionError, match="is measured on the CPU: leave out device='cuda'"):
        rg.nash_conv("dudo:sides=2", run.strategy, device="cuda")


# -- the layout ---------------------------------------------------------------------------------------------------


def gradient_from_slices(of: rg.Tree, plan: Any) -> Any:
    """[S] the gradient of every player before own later choices, read from slices as a GPU does."""
    form = of.form
    segments = cut_into_segments(form)
    plexes, slot = treeplexes(form, segments, lay_out_levels(form, 8))
    slices, bits = payoff_slices.payoff_slices(form, segments, slot)
    contribution = np.zeros(plexes.contribution_first[-1])
    for item in np.flatnonzero(slices.slot >= 0).tolist():
        where = slice(slices.first[item // LANES] + item % LANES, slices.first[item // LANES + 1], LANES)
        if slices.packed.size:
            entry = slices.packed[where].astype(np.int64)
            terms = slices.payoff[entry >> bits] * plan[entry & ((1 << bits) - 1)]
        else:
            columns = slices.column.reshape(of.players - 1, -1)[:, where].astype(np.int64)
            terms = slices.payoff[where] * plan[columns].prod(axis=0)
        contribution[slices.slot[item]] += terms.sum()
    first = plexes.contribution_first.astype(np.int64)
    return np.array([contribution[a:b].sum() for a, b in pairwise(first)])


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("longest", [2, 16])
def test_slices_hold_all_payoffs(name: str, longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payoff_slices, "LONGEST_SEGMENT", longest)
    of = tree(name)
    plan = of.plan(np.random.default_rng(3).uniform(0, 1, of.sequences))
    expected = np.empty(of.sequences)
    for player in range(of.players):
        player_gradient(of.form, player, plan, expected)
    assert gradient_from_slices(of, plan) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", GAMES)
def test_contributions_are_all_different(name: str) -> None:
    form = tree(name).form
    segments = cut_into_segments(form)
    plexes, slot = treeplexes(form, segments, lay_out_levels(form, 8))
    everyone = np.concatenate([slot, plexes.infoset_slot])
    assert np.array_equal(np.sort(everyone), np.arange(plexes.contribution_first[-1]))
    first = plexes.contribution_first
    assert np.all(first[form.parent] <= plexes.infoset_slot) and np.all(plexes.infoset_slot < first[form.parent + 1])


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("threads", [4, 32])
def test_tiles_hold_every_infoset_once_after_its_parents(name: str, threads: int) -> None:
    of = tree(name)
    levels, labels = lay_out_levels(of.form, threads), of.labels
    found = np.full(of.infosets, -1)
    for player in range(of.players):
        for level, (begin, end) in enumerate(
            zip(levels.tile_first[player], levels.tile_first[player][1:], strict=False)
        ):
            for tile in levels.tiles[begin:end]:
                infosets = np.arange(tile[TILE_INFOSET], tile[TILE_INFOSET] + tile[TILE_INFOSETS])
                assert np.all(found[infosets] == -1) and np.all(labels.owner[infosets] == player)
                assert np.array_equal(labels.first[infosets], tile[TILE_SEQUENCE] + np.arange(len(infosets)))
                assert all(len(labels.actions[i]) == tile[TILE_ACTIONS] for i in infosets)
                found[infosets] = level
    above = labels.infoset_of_sequence[of.form.parent]
    assert np.array_equal(found, np.where(above >= 0, found[above] + 1, 0))


def test_different_payoffs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payoff_slices, "LOOKED_AT", 3)
    payoff = np.array([1.0, -2.0, 1.0, 3.0, 3.0, 0.5, -2.0])
    found = different_payoffs(payoff, 5)
    assert found is not None and found.tolist() == [-2.0, 0.0, 0.5, 1.0, 3.0]
    assert different_payoffs(payoff, 4) is None


# -- on the device ------------------------------------------------------------------------------------------------


def check_iterations(of: rg.Tree, variant: Variant, launch: Launch, dtype: str, off: float, **fixed: Any) -> None:
    """Three iterations and a measurement from random regrets: from nothing, rounding would decide ties."""
    cpu = CFRLearner(of, variant, Settings(dtype=dtype, **fixed))
    generator, begin = np.random.default_rng(7), cpu.iterate
    begin.regret[:] = generator.uniform(0.1, 2, of.sequences)
    begin.guess[:] = generator.uniform(0.1, 2, begin.guess.size)
    gpu = DeviceTree(of.form, launch)
    state = gpu.state(begin.regret, begin.guess, begin.plan, begin.average)
    for scratch in (state.strategy, state.gradient, state.contribution):
        scratch.copy_to_device(np.full(scratch.shape, np.nan, dtype))  # nothing is read that no phase has written
    gpu.run(
        state, gpu.iteration_phases(cpu.learners, variant.alternating), variant.steps(1, 3), bool(variant.predictive)
    )
    cpu.advance(3)
    for name in ("regret", "guess", "plan", "average"):
        expected, found = getattr(begin, name), getattr(state, name).copy_to_host()
        assert found == pytest.approx(expected, rel=off, abs=off), name
    measured = gpu.measure(state.average, cpu.learners)
    gaps = plan_gaps(of, state.average.copy_to_host(), cpu.learners)
    assert measured.values == pytest.approx(gaps.values, abs=1e-12)
    assert measured.best == pytest.approx(gaps.best, abs=1e-12)


@in_the_simulator
@pytest.mark.parametrize(
    ("name", "variant", "launch"),
    [
        ("kuhn", rg.CFR_PLUS, Launch(8)),
        ("kuhn", rg.PDCFR_PLUS, Launch(4, 3, together=False)),
        ("kuhn", rg.LINEAR_CFR.replace(alternating=False), Launch(6)),
        ("three players", rg.DCFR.replace(alternating=False), Launch(8, 2, together=False)),
        ("three players", rg.PCFR_PLUS, Launch(8)),
        ("random", rg.CFR, Launch(4, 2, together=False)),
        ("general sum", rg.SAPCFR_PLUS, Launch(8)),
        ("matrix", rg.HS_DCFR, Launch(2)),
        ("dice", rg.CFR_PLUS, Launch(8, 3, together=False)),
    ],
)
def test_iterations_agree(name: str, variant: Variant, launch: Launch) -> None:
    sys.setswitchinterval(1e-5)  # the simulator's threads wait for each other all the time
    check_iterations(tree(name), variant, launch, "float64", 1e-11)


@in_the_simulator
def test_single_precision() -> None:
    sys.setswitchinterval(1e-5)
    check_iterations(tree("kuhn"), rg.PCFR_PLUS, Launch(8), "float32", 1e-5)


@in_the_simulator
def test_players_held_still() -> None:
    sys.setswitchinterval(1e-5)
    of = tree("three players")
    fixed = of.hold_fixed({1: rg.Strategy.uniform(of)})
    check_iterations(of, rg.DCFR, Launch(8), "float64", 1e-11, fixed=fixed)


@in_the_simulator
def test_plans_of_deep_trees_in_several_phases(monkeypatch: pytest.MonkeyPatch) -> None:
    sys.setswitchinterval(1e-5)
    monkeypatch.setattr("regretless.gpu.tree_phases.LEVELS_OF_PLANS", 1)
    monkeypatch.setattr(payoff_slices, "LONGEST_SEGMENT", 2)
    check_iterations(tree("dice"), rg.DCFR, Launch(8), "float64", 1e-11)


@in_the_simulator
def test_the_same_bits_however_the_work_is_shared_out() -> None:
    sys.setswitchinterval(1e-5)
    of, found = tree("random"), []
    start = CFRLearner(of, rg.CFR_PLUS, Settings()).iterate
    for launch in (Launch(8), Launch(8, 3, together=False), Launch(8, 2, together=False)):
        gpu = DeviceTree(of.form, launch)
        state = gpu.state(*start[:4])
        gpu.run(state, gpu.iteration_phases([0, 1], True), rg.CFR_PLUS.steps(1, 2))
        found.append([array.copy_to_host() for array in (state.regret, state.plan, state.average)])
    for other in found[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(found[0], other, strict=True))


@in_the_simulator
def test_a_whole_solve_is_resumed_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sys.setswitchinterval(1e-5)
    monkeypatch.setattr(device_trees, "DEFAULT_LAUNCH", Launch(8))
    game = rg.games.Kuhn()
    whole = rg.solve(game, rg.PCFR_PLUS, iterations=5, device="cuda", measure=5)
    rg.solve(game, rg.PCFR_PLUS, iterations=2, device="cuda", measure="never", checkpoint=tmp_path / "kuhn.run")
    resumed = rg.resume(tmp_path / "kuhn.run", iterations=3, game=game, measure=5)
    assert resumed.settings["device"] == "cuda"
    for name, array in whole.arrays.items():
        assert np.array_equal(array, resumed.arrays[name]), name
    assert whole.exploitability == resumed.exploitability
    on_cpu = rg.resume(tmp_path / "kuhn.run", iterations=1, game=game, device="cpu")
    assert on_cpu.iterations == 3


@in_the_simulator
def test_measuring_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    sys.setswitchinterval(1e-5)
    monkeypatch.setattr(device_trees, "DEFAULT_LAUNCH", Launch(8))
    of = rg.build(rg.games.Kuhn())
    uniform = rg.Strategy.uniform(of)
    assert rg.exploitability(of, uniform, device="cuda") == pytest.approx(11 / 24, abs=1e-12)
    for player in range(2):
        gpu, cpu = (rg.best_response(of, uniform, player, device=device) for device in ("cuda", "cpu"))
        assert gpu.value == pytest.approx(cpu.value, abs=1e-12)
        assert np.array_equal(gpu.strategy.probabilities, cpu.strategy.probabilities)
    assert device_tree(of) is device_tree(of)
