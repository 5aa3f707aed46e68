"""Walks on a GPU against walks on the CPU, in Numba's CUDA simulator.

The simulator must be asked for before Numba is imported, so this file runs itself in a process of its own, with the
compiler off: what a GPU would do in parallel is done by Python threads, and the walks it is compared with by slices.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import regretless as rg
from regretless.errors import OptionError
from regretless.gpu.launching import KernelLauncher
from regretless.kernels.public.layout import SolveState
from regretless.method import Settings
from regretless.poker import Deck, Limit, NoLimit, PublicGame, Range
from regretless.poker.solving import cuda_walker as cuda_walks
from regretless.poker.solving.cpu_walker import NO_STEP, Walker
from regretless.poker.solving.cuda_walker import CudaNumbers, CudaWalker, Launch, cuda_available
from regretless.poker.solving.locking import lock_numbers
from regretless.poker.solving.vector_cfr import VectorLearner, blocks_of
from regretless.poker.tree.public_tree import PublicTree
from regretless.variants import Variant

SIMULATED = bool(os.environ.get("NUMBA_ENABLE_CUDASIM"))
in_the_simulator = pytest.mark.skipif(not SIMULATED, reason="runs in a process of its own")

SIX = Deck("QK", "shd")
ONE_BET = Limit(streets=2, bets=(2, 4), caps=1, blinds=(0, 0), ante=1)


@cache
def game(name: str) -> PublicGame:
    """Games of every shape that is small enough."""
    uneven = Range(np.array([0, 1, 0.5, 0, 1, 0.25, 1, 0, 1, 0, 0, 1, 0, 0.75, 1]), SIX)
    jam = NoLimit(pot=4, stack=7, streets=2, sizes="bet 90%, raise all-in", caps=(1, 2), rake=0.05)
    return {
        "kuhn": lambda: PublicGame(Deck("JQK", "s"), 1, (), Limit(streets=1, bets=1, caps=1, blinds=(0, 0), ante=1)),
        "leduc": lambda: PublicGame(
            Deck("JQK", "sh"), 1, (1,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1)
        ),
        "two cards": lambda: PublicGame(SIX, 2, (1,), ONE_BET),
        "two cards, all suits": lambda: PublicGame(SIX, 2, (1,), ONE_BET, isomorphism=False),
        "two cards, a flop": lambda: PublicGame(Deck("QKA", "sh"), 2, (2,), ONE_BET),
        "three cards": lambda: PublicGame(
            Deck("JQKA", "sh"), 3, (1,), Limit(streets=2, bets=(2, 4), caps=(0, 1), blinds=(0, 0), ante=1)
        ),
        "three streets": lambda: PublicGame(
            Deck("QK", "sh"), 1, (1, 1), Limit(streets=3, bets=(1, 2, 3), caps=(1, 0, 1), blinds=(0, 0), ante=1)
        ),
        "raked spot": lambda: PublicGame(SIX, 2, (1,), jam, "Qs", (uneven, None)),
    }[name]()  # fmt: skip


@cache
def tree(name: str) -> PublicTree:
    built: PublicTree = game(name).public_tree()
    return built


def beginning(of: PublicTree, dtype: str, predictive: bool) -> SolveState:
    """Random regrets and averages, zeros where rows are only filled up: from nothing, rounding would decide ties."""
    generator, boards = np.random.default_rng(7), of.book.arrays
    used = np.zeros(of.numbers)
    for player in range(2):
        for board in range(of.boards):
            rows, stride, first = (
                of.slots[player, of.board_street[board]],
                boards.stride[player, board],
                boards.first[player, board],
            )
            used[first : first + rows * stride].reshape(rows, stride)[:, : boards.count[player, board]] = 1
    first, blocks = blocks_of(of)
    numbers = SolveState(
        regret=(used * generator.uniform(-1, 2, of.numbers)).astype(dtype),
        guess=(used * generator.uniform(-1, 2, of.numbers)).astype(dtype) if predictive else None,
        average=(used * generator.uniform(0, 1, of.numbers)).astype(dtype),
        scale=None,
        scale_first=first,
        locked=np.zeros(blocks, np.bool_) if of.game.locks else None,
    )
    lock_numbers(of, numbers)
    return numbers


def check_walks(of: PublicTree, variant: Variant, launch: Launch, dtype: str = "float64", off: float = 1e-11) -> None:
    """An iteration and a measurement, walk by walk: each begins where the CPU has come to."""
    cpu, gpu = Walker(of, dtype, 1), CudaWalker(of, dtype, launch=launch)
    scratches: list[Any] = [gpu.scratch, gpu.between.dealt, gpu.between.risen]
    for scratch in scratches:
        scratch.copy_to_device(np.full(scratch.shape, np.nan, dtype))  # nothing is read that no walk has written
    numbers = beginning(of, dtype, bool(variant.predictive))
    step = variant.steps(3, 1)[0]
    for player in range(2):
        device = CudaNumbers.to_device(numbers)
        sources = [numbers.guess, device.guess] if variant.predictive else [numbers.regret, device.regret]
        room = gpu.walk(player, device, sources[1], True, step)
        expected = cpu.walk(player, numbers, sources[0], True, step).value[0]
        found = device.from_device()
        for name in ("regret", "guess", "average"):
            old, new = getattr(numbers, name), getattr(found, name)
            assert old is None or np.abs(old - new).max() <= off * np.abs(old).max()
        near = cpu.worth(player, expected)
        assert gpu.worth(player, room.value[0]) == pytest.approx(near, rel=10 * off, abs=10 * off)
    device = CudaNumbers.to_device(numbers)
    for player in range(2):
        seen = cpu.walk(player, numbers, numbers.average, False, NO_STEP)
        room = gpu.walk(player, device, device.average, False, NO_STEP)
        for slow, fast in ((seen.value[0], room.value[0]), (seen.played[0], room.played[0])):
            assert np.abs(slow[: fast.size] - fast).max() <= off * np.abs(slow).max()


@pytest.mark.skipif(SIMULATED, reason="this is the process of its own")
@pytest.mark.full
def test_in_the_simulator() -> None:
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", str(Path(__file__))],
        env=environment, capture_output=True, text=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-4_000:] + run.stderr[-2_000:]


@pytest.mark.skipif(SIMULATED or cuda_available() is None, reason="there is a GPU, or the simulator of one")
def test_no_gpu_is_said_in_one_sentence() -> None:
    with pytest.raises(OptionError, match=r"device='cuda' needs"):
        CudaWalker(tree("kuhn"), "float32")


@in_the_simulator
@pytest.mark.parametrize(
    ("name", "variant", "launch"),
    [
        ("kuhn", rg.CFR_PLUS, Launch(3, 2, 4_096, 3)),
        ("leduc", rg.DCFR, Launch(4, 2, 4_096, 2)),
        ("two cards", rg.CFR_PLUS, Launch(4, 2, 4_096, 2)),
        ("two cards", rg.PCFR_PLUS, Launch(4, 2, 600, 2)),
        ("two cards, a flop", rg.PDCFR_PLUS, Launch(4, 1, 8_192, 4)),
        ("three cards", rg.CFR_PLUS, Launch(4, 3, 8_192, 2)),
        ("three streets", rg.LINEAR_CFR, Launch(3, 2, 2_048, 1)),
        ("raked spot", rg.DCFR, Launch(2, 3, 4_096, 2)),
    ],
)
def test_walks_agree(name: str, variant: Variant, launch: Launch) -> None:
    sys.setswitchinterval(1e-5)  # the simulator's threads wait for each other all the time
    check_walks(tree(name), variant, launch)


@in_the_simulator
def test_single_precision() -> None:
    sys.setswitchinterval(1e-5)
    check_walks(tree("two cards"), rg.CFR_PLUS, Launch(4, 2, 4_096, 2), "float32", 1e-5)


@in_the_simulator
def test_players_enter_with_a_given_reach() -> None:
    """As the gadgets of re-solving set it before each walk."""
    sys.setswitchinterval(1e-5)
    of = tree("two cards")
    cpu, gpu = Walker(of, "float64", 1), CudaWalker(of, "float64", launch=Launch(4, 2, 4_096, 2))
    numbers = beginning(of, "float64", False)
    device = CudaNumbers.to_device(numbers)
    for player in range(2):
        plain = gpu.walk(player, device, device.average, False, NO_STEP).value[0].copy()
        reach = np.random.default_rng(player).random(int(of.book.arrays.count[1 - player, 0]))
        for walker in (cpu, gpu):
            walker.enter_with(1 - player, reach)
        expected = cpu.walk(player, numbers, numbers.average, False, NO_STEP).value[0]
        found = gpu.walk(player, device, device.average, False, NO_STEP).value[0]
        assert np.abs(expected[: found.size] - found).max() <= 1e-11 * np.abs(expected).max()
        assert np.abs(plain - found).max() > 0.01


@in_the_simulator
def test_locked_nodes_are_held_still() -> None:
    sys.setswitchinterval(1e-5)
    locked = (
        game("two cards")
        .lock("check", {"check": 0.25, "bet": 0.75})
        .lock("check check bet", {"fold": 0.4, "call": 0.6})
    )
    check_walks(locked.public_tree(), rg.PCFR_PLUS, Launch(4, 2, 4_096, 2))


@in_the_simulator
def test_the_same_bits_however_the_work_is_shared_out() -> None:
    """With few lanes at a time, with many, with tiles on the chip and beside it, on one block and on three."""
    sys.setswitchinterval(1e-5)
    step, found = rg.CFR_PLUS.steps(5, 1)[0], []
    for launch in (Launch(4, 1, 8_192, 2), Launch(4, 3, 600, 2), Launch(2, 2, 1_024, 1)):
        device = CudaNumbers.to_device(beginning(tree("two cards"), "float32", False))
        walker = CudaWalker(tree("two cards"), "float32", launch=launch)
        for player in range(2):
            walker.walk(player, device, device.regret, True, step)
        found.append(device.from_device())
    for other in found[1:]:
        assert np.array_equal(found[0].regret, other.regret) and np.array_equal(found[0].average, other.average)


@in_the_simulator
def test_arrays_that_are_longer_than_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    sys.setswitchinterval(1e-5)
    monkeypatch.setattr(cuda_walks, "WINDOW", 1_500)
    walker = CudaWalker(tree("two cards, all suits"), "float64", launch=Launch(4, 2, 600, 2))
    assert [len(windows) for windows in walker.windows] == [1, 3]
    assert sum(window.boards for window in walker.windows[1]) == 6
    check_walks(tree("two cards, all suits"), rg.PCFR_PLUS, Launch(4, 2, 600, 2))


@in_the_simulator
def test_files_are_compared_with_arrays_where_they_lie() -> None:
    learner: Any = VectorLearner(tree("kuhn"), rg.PCFR_PLUS, Settings(dtype="float32"))
    learner.device, learner.numbers = "cuda", CudaNumbers.to_device(learner.numbers)
    wanted, arrays = learner.stand_ins(), learner.arrays()
    assert {name: (like.dtype, like.shape) for name, like in wanted.items()} == {
        name: (array.dtype, array.shape) for name, array in arrays.items()
    }
    assert len(wanted) == 3 and not any(isinstance(like, np.ndarray) for like in wanted.values())


@in_the_simulator
def test_too_many_hands_for_the_chip() -> None:
    with pytest.raises(OptionError, match=r"a block can hold 10 numbers and a showdown needs"):
        CudaWalker(tree("two cards"), "float32", launch=Launch(4, 1, 40, 2))


@in_the_simulator
def test_sixteen_bits_stay_on_the_cpu() -> None:
    numbers = beginning(tree("kuhn"), "float32", False)._replace(scale=np.zeros((3, 4), np.float32))
    with pytest.raises(OptionError, match="16-bit numbers"):
        CudaNumbers.to_device(numbers)


class WarningKernel:
    """Stands for a compiled kernel: configuring a launch of few blocks warns, as Numba does."""

    configured = 0
    launched: list[tuple[int, int]]

    def __init__(self) -> None:
        self.launched = []

    def __getitem__(self, configuration: tuple[int, int, int, int]) -> Any:
        warnings.warn(f"Grid size {configuration[0]} will likely result in GPU under-utilization", stacklevel=2)
        self.configured += 1
        blocks, threads, stream, shared = configuration
        return SimpleNamespace(griddim=blocks, blockdim=threads, stream=stream, sharedmem=shared)

    def compile(self, signature: tuple[Any, ...]) -> WarningKernel:
        return self

    def typeof_pyval(self, value: Any) -> str:
        return type(value).__name__

    def launch(self, arguments: tuple[Any, ...], blocks: int, threads: int, stream: int, shared: int) -> None:
        self.launched.append((blocks, threads))


def test_warnings_about_few_blocks_do_not_reach_the_user() -> None:
    walker, kernel = CudaWalker.__new__(CudaWalker), WarningKernel()
    walker.launcher = KernelLauncher(SimpleNamespace(descend=kernel), Launch(threads=32), False)
    walker.blocks = 100
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for items in (3, 3, 1_000):
            walker._start("descend", items, 1.0)
    assert kernel.launched == [(3, 32), (3, 32), (100, 32)] and kernel.configured == 2
