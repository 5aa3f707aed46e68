"""Flops measured on a GPU against flops measured on the CPU, in Numba's CUDA simulator.

The simulator must be asked for before Numba is imported, so this file runs itself in a process of its own, with the
compiler off.
"""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from drawn_buckets import drawn, merged
from simulated_gpu import check_toolchain, run_in_the_simulator

import regretless as rg
from regretless.errors import OptionError
from regretless.gpu.availability import cuda_available
from regretless.gpu.launching import KernelLauncher, Launch
from regretless.kernels.flops.cuda_flop_layout import ADD_AFTER, ADD_BEFORE, VALUES, WHAT_SHIFT
from regretless.poker import Deck, Limit, NoLimit, PublicGame
from regretless.poker.measuring.bucket_walker import node_tables
from regretless.poker.measuring.flops import FlopGame
from regretless.poker.measuring.gpu import flop_walker
from regretless.poker.measuring.gpu.flop_walker import FlopWalker
from regretless.poker.measuring.gpu.gpu_flops import GpuFlops

SIMULATED = bool(os.environ.get("NUMBA_ENABLE_CUDASIM"))
in_the_simulator = pytest.mark.skipif(not SIMULATED, reason="runs in a process of its own")

ONE_CARD = PublicGame(
    Deck("QK", "sh"), 1, (1, 1), Limit(streets=3, bets=(1, 2, 3), caps=(1, 0, 1), blinds=(0, 0), ante=1)
)
RAKED = PublicGame(Deck("QK", "sh"), 1, (1,), NoLimit(stack=7, streets=2, blinds=(1, 2), rake=0.05, caps=1))
TWO_CARDS = PublicGame(Deck("QK", "shd"), 2, (1,), Limit(streets=2, bets=(2, 4), caps=1, blinds=(0, 0), ante=1))
FOUR = PublicGame(
    Deck("QKA", "sh"), 1, (1, 1, 1), Limit(streets=4, bets=(1, 1, 2, 2), caps=(1, 0, 0, 1), blinds=(0, 0), ante=1)
)
SHAPES = PublicGame(Deck("QKA", "sh"), 1, (1,), NoLimit(stack=9, streets=2, blinds=(1, 2), caps=2))
HOPPER = (9, 0)
"""Compute capability of an H200."""


@pytest.mark.skipif(SIMULATED, reason="this is the process of its own")
@pytest.mark.full
def test_in_the_simulator() -> None:
    done = run_in_the_simulator(__file__)
    assert done.returncode == 0, done.stdout[-4_000:]


GAMES = {
    "one card": (ONE_CARD, (2, 3, 3)),
    "rake": (RAKED, (2, 3)),
    "two cards": (TWO_CARDS, (2, 3)),
    "four streets": (FOUR, (2, 3, 4, 5)),
    "shapes": (SHAPES, (2, 3)),
}
INTERPRETED = ("one card", "two cards")
"""Games whose last street is also walked without kernels of its own; that of "shapes" always is."""
CASES = [(name, True) for name in GAMES] + [(name, False) for name in INTERPRETED]


def flop_game(name: str, device: str, *seeds: int) -> FlopGame:
    """A game and strategies drawn with one seed, or with one for each player and other buckets."""
    game, buckets = GAMES[name]
    tables = [
        node_tables(drawn(merged(game, tuple(count + number for count in buckets)), seed))
        for number, seed in enumerate(seeds)
    ]
    return FlopGame(game, (tables[0], tables[-1]), "float64", 1, device)


def engine(
    name: str, monkeypatch: pytest.MonkeyPatch, *seeds: int, compiled: bool = True, blocks: int | None = 2
) -> GpuFlops:
    """The engine for a GPU, with as few threads as all lanes of the last street need."""
    threads, wide = {"rake": (10, 1), "shapes": (8, 8)}.get(name, (8, 2))
    monkeypatch.setattr(flop_walker, "WIDEST", wide)
    launch = Launch(threads=threads, blocks=blocks, chip_bytes=16_384)
    return GpuFlops(flop_game(name, "cuda", *seeds), launch, compiled)


def compare(on_cpu: FlopGame, on_gpu: GpuFlops, flops: int) -> None:
    """Both engines find the same values of the last flops."""
    chosen = on_cpu.flops[-flops:]
    for flop, found in zip(chosen, on_gpu.in_turn(chosen), strict=True):
        assert np.allclose(found.rows, on_cpu.values(flop).rows, rtol=1e-6, atol=1e-6)  # probabilities are float32


@in_the_simulator
@pytest.mark.parametrize(("name", "compiled"), CASES)
def test_values_of_flops_are_those_of_the_cpu(name: str, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    on_gpu = engine(name, monkeypatch, 3, compiled=compiled)
    assert bool(on_gpu.walker.shapes) == (compiled and name != "shapes")
    compare(flop_game(name, "cpu", 3), on_gpu, 1 if name == "four streets" else 2)


@in_the_simulator
def test_compiled_walks_take_ties_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    on_gpu = engine("two cards", monkeypatch, 3)
    flop = on_gpu.game.flops[-1]
    steps = on_gpu.layout.lay_out(flop.cards)[-1].arrays.step
    assert on_gpu.walker.shapes and on_gpu.walker.tile == 4
    assert {step >> WHAT_SHIFT for step in steps.ravel().tolist()} > {ADD_BEFORE, VALUES, ADD_AFTER}
    compare(flop_game("two cards", "cpu", 3), on_gpu, 1)


@in_the_simulator
def test_players_may_have_different_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    compare(flop_game("one card", "cpu", 3, 4), engine("one card", monkeypatch, 3, 4), 1)


@in_the_simulator
def test_large_streets_get_fewer_lines_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def walker(chip_bytes: int) -> FlopWalker:
        monkeypatch.setattr(flop_walker, "FLOP_LAUNCH", Launch(threads=64, blocks=1, chip_bytes=chip_bytes))
        return GpuFlops(flop_game("shapes", "cuda", 3)).walker

    sizes = {chip_bytes: walker(chip_bytes) for chip_bytes in (50_000, 24_000, 12_000)}
    assert [(each.wide, each.launch.threads) for each in sizes.values()] == [(8, 64), (2, 64), (1, 32)]
    with pytest.raises(OptionError, match="take device='cpu', or fewer bet sizes"):
        walker(8_000)


@in_the_simulator
def test_every_block_has_an_entry_of_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """On some GPUs more than four times as many blocks of a small shape fit as of the other kernels."""
    monkeypatch.setattr(KernelLauncher, "fitting_blocks", lambda self: 9 if "shape" in str(self.kernels) else 2)
    on_gpu = engine("one card", monkeypatch, 3, blocks=None)
    started: dict[str, int] = {}
    start = KernelLauncher.start

    def watched(self: KernelLauncher, name: str, blocks: int, *arguments: Any) -> None:
        started[name] = max(blocks, started.get(name, 0))
        start(self, name, blocks, *arguments)

    monkeypatch.setattr(KernelLauncher, "start", watched)
    compare(flop_game("one card", "cpu", 3), on_gpu, 1)
    assert started["ascend_shape"] > on_gpu.walker.blocks == 2
    assert 2 + max(started.values()) <= len(on_gpu.walker.queue)


@pytest.mark.skipif(SIMULATED or cuda_available() is None, reason="there is a GPU")
def test_a_missing_gpu_is_said() -> None:
    with pytest.raises(OptionError, match="GPU"):
        rg.exploitability(ONE_CARD, rg.poker.card_blind(ONE_CARD, call=1), device="cuda")


@pytest.mark.skipif(SIMULATED, reason="the simulator compiles nothing")
@pytest.mark.full
def test_kernels_compile_for_a_gpu_that_is_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulator takes what the compiler may refuse."""
    check_toolchain()
    import numba
    from numba import cuda
    from numba.cuda import dispatcher

    for name, instead in (("to_device", np.asarray), ("device_array", np.zeros), ("synchronize", lambda: None)):
        monkeypatch.setattr(cuda, name, instead)
    monkeypatch.setattr(flop_walker, "cuda_available", lambda: None)
    monkeypatch.setattr(flop_walker, "check_device_memory", lambda *_: None)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=HOPPER))
    monkeypatch.setattr(FlopWalker, "_enter", lambda *_: None)
    monkeypatch.setattr(FlopWalker, "_roots", lambda *_: np.zeros(1))
    monkeypatch.setattr(KernelLauncher, "fitting_blocks", lambda *_: 1)
    compiled: dict[tuple[int, str], str] = {}

    def compile_only(self: KernelLauncher, name: str, _: int, *arguments: Any) -> None:
        if (id(self), name) not in compiled:
            kernel, types = getattr(self.kernels, name).py_func, tuple(map(numba.typeof, arguments))
            compiled[id(self), name] = cuda.compile_ptx(kernel, types, cc=HOPPER)[0]

    monkeypatch.setattr(KernelLauncher, "start", compile_only)
    tables = node_tables(drawn(merged(*GAMES["four streets"])))
    game = FlopGame(FOUR, (tables, tables), "float32", 1, "cuda", values=True)
    engine = GpuFlops(game)
    engine.walker.values(engine.layout.lay_out(game.flops[0].cards), engine.entries, game.kinds)
    names = sorted(name for _, name in compiled)
    assert names == ["ascend", *["ascend_shape"] * 4, "descend", "gather", "transpose"]
    assert all("sm_90" in code for code in compiled.values())
    # nothing is computed in double precision by mistake
    assert not [name for name, code in compiled.items() if ".f64" in code.replace(".param .f64", "")]
