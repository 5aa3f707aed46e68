"""Public chance sampling with buckets on a GPU against the CPU, in Numba's CUDA simulator, and compiled for a GPU.

The simulator must be asked for before Numba is imported, so this file runs itself in a process of its own, with the
compiler off.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from drawn_buckets import merged
from simulated_gpu import check_toolchain, run_in_the_simulator

import regretless as rg
from regretless.errors import OptionError
from regretless.gpu.availability import cuda_available
from regretless.gpu.launching import Launch
from regretless.kernels.buckets import card_lists
from regretless.kernels.buckets.bucket_layout import BucketTables
from regretless.kernels.public.cuda_layout import BEGIN, BLOCKERS, COUNT, LIST_FIRST, LISTS, PLACES, UNIT_RECORD
from regretless.poker import Deck, Limit, NoLimit, PublicGame, Range
from regretless.poker.solving.buckets import cuda_batch_walker, cuda_boards
from regretless.poker.solving.buckets.batch_walker import BatchWalker
from regretless.poker.solving.buckets.board_batches import BoardBatches
from regretless.poker.solving.buckets.cuda_batch_walker import CudaBatchWalker

SIMULATED = bool(os.environ.get("NUMBA_ENABLE_CUDASIM"))
in_the_simulator = pytest.mark.skipif(not SIMULATED, reason="runs in a process of its own")

METHOD = rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR, boards=3)
SMALL = Launch(4, 2, 8_192, 2)
HOPPER = (9, 0)
"""Compute capability of an H200."""


@cache
def game(name: str) -> PublicGame:
    """Games of every shape that is small enough."""
    six, eight = Deck("QK", "shd"), Deck("TJQK", "sh")
    uneven = Range(np.array([0, 1, 0.5, 0, 1, 0.25, 1, 0, 1, 0, 0, 1, 0, 0.75, 1]), six)
    leduc = Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1)
    jam = NoLimit(pot=4, stack=7, streets=2, sizes="bet 90%, raise all-in", caps=(1, 2), rake=0.05)
    return {
        "one street": lambda: merged(
            PublicGame(Deck("JQK", "s"), 1, (), Limit(streets=1, bets=1, caps=1, blinds=(0, 0), ante=1)), (2,)
        ),
        "one card": lambda: merged(PublicGame(Deck("JQK", "sh"), 1, (1,), leduc), (3, 4)),
        "two cards": lambda: merged(
            PublicGame(eight, 2, (1, 1), Limit(streets=3, bets=2, caps=(1, 0, 1), blinds=(1, 2))), (4, 5, 6)
        ),
        "perfect recall": lambda: merged(
            PublicGame(six, 2, (1,), Limit(streets=2, bets=(2, 4), caps=1, blinds=(0, 0), ante=1)), (2, 3), "perfect"
        ),
        "raked spot": lambda: merged(PublicGame(six, 2, (1,), jam, "Qs", (uneven, None)), (3, 4)),
    }[name]()  # fmt: skip


def beginning(numbers: int, dtype: str) -> list[Any]:
    """Random regrets, gains and averages; a third of the regrets is the same, so that some buckets play uniformly."""
    draw = np.random.default_rng(7)
    regret = draw.uniform(-1, 2, numbers) * (draw.random(numbers) < 0.67)
    return [array.astype(dtype) for array in (regret, draw.uniform(-1, 1, numbers), draw.random(numbers))]


def check_walk(name: str, boards: int, dtype: str, off: float, launch: Launch = SMALL) -> None:
    """One batch and the regret update, on both devices."""
    tree: Any = game(name).problem()
    batches = BoardBatches(tree, boards, dtype)
    cpu = BatchWalker(tree, batches.counts, dtype, 1)
    gpu = CudaBatchWalker(tree, batches.counts, dtype, launch)
    start = beginning(tree.infoset_actions, dtype)
    tables, device = BucketTables(*(array.copy() for array in start)), gpu.tables()
    buffers: list[Any] = [gpu.scratch, device.strategy]
    for buffer in buffers:
        buffer.copy_to_device(np.full(buffer.shape, np.nan, dtype))  # nothing is read that no walk has written
    for target, source in zip(device[:3], start, strict=True):
        target.copy_to_device(source)
    gpu.match(device)
    for seed in range(2):  # the second batch finds what the first one left between streets
        prepared = batches.prepared(batches.draw(5, seed))
        values = cpu.walk(prepared, tables, 0.5)
        gpu.walk(prepared, device, 0.5)
    assert np.abs(values - gpu.root_values()).max() <= off * np.abs(values).max()
    for own, other in zip(device[1:3], tables[1:3], strict=True):
        assert np.abs(own.copy_to_host() - other).max() <= off * np.abs(other).max()
    step = rg.DCFR.steps(3, 1)[0]
    for walker, numbers in ((cpu, tables), (gpu, device)):
        walker.decay(numbers, 0.25)  # type: ignore[attr-defined]
        walker.update(numbers, 0.125, step)  # type: ignore[attr-defined]
    assert not device.gain.copy_to_host().any()
    assert np.abs(device.regret.copy_to_host() - tables.regret).max() <= off * np.abs(tables.regret).max()
    assert np.abs(device.average.copy_to_host() - tables.average).max() <= off * np.abs(tables.average).max()


@pytest.mark.skipif(SIMULATED, reason="this is the process of its own")
@pytest.mark.full
def test_in_the_simulator() -> None:
    done = run_in_the_simulator(__file__)
    assert done.returncode == 0, done.stdout[-4_000:]


@in_the_simulator
@pytest.mark.parametrize(
    ("name", "boards"),
    [("one street", 1), ("one card", 2), ("two cards", 4), ("two cards", 1), ("perfect recall", 3), ("raked spot", 2)],
)
def test_a_batch_agrees_with_the_cpu(name: str, boards: int) -> None:
    sys.setswitchinterval(1e-5)  # the simulator's threads wait for each other all the time
    check_walk(name, boards, "float64", 1e-11)


@in_the_simulator
def test_single_precision() -> None:
    sys.setswitchinterval(1e-5)
    check_walk("perfect recall", 2, "float32", 1e-5)


@in_the_simulator
@pytest.mark.parametrize("name", ["two cards", "one card"])
def test_hands_in_several_segments(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sys.setswitchinterval(1e-5)
    for module in (card_lists, cuda_boards):
        monkeypatch.setattr(module, "SEGMENT", 4)
    check_walk(name, 3, "float64", 1e-11)


@in_the_simulator
def test_the_same_bits_however_the_work_is_shared_out() -> None:
    """With tiles on the chip and beside it, on one block and on three."""
    sys.setswitchinterval(1e-5)
    tree: Any = game("perfect recall").problem()
    batches, found = BoardBatches(tree, 2, "float32"), []
    prepared = batches.prepared(batches.draw(1))
    for launch in (Launch(4, 1, 8_192, 2), Launch(4, 3, 300, 2), Launch(2, 2, 1_024, 2)):
        walker = CudaBatchWalker(tree, batches.counts, "float32", launch)
        tables = walker.tables()
        tables.regret.copy_to_device(beginning(tree.infoset_actions, "float32")[0])  # type: ignore[attr-defined]
        walker.match(tables)
        walker.walk(prepared, tables, 1.0)
        found.append([array.copy_to_host() for array in tables[1:3]])  # type: ignore[attr-defined]
    assert all(np.array_equal(*pair) for other in found[1:] for pair in zip(found[0], other, strict=True))


@pytest.fixture
def small_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    sys.setswitchinterval(1e-5)
    monkeypatch.setattr(cuda_batch_walker, "Launch", lambda: SMALL)


def solved(device: str, iterations: int, **options: Any) -> rg.Run:
    return rg.solve(game("one card"), METHOD, iterations=iterations, seed=3, device=device, dtype="float64", **options)


@in_the_simulator
def test_a_solve_is_that_of_the_cpu(small_launches: None) -> None:
    on_cpu, on_gpu = solved("cpu", 4), solved("cuda", 4)
    for name in ("regret", "average"):
        assert np.abs(on_cpu.arrays[name] - on_gpu.arrays[name]).max() <= 1e-11 * np.abs(on_cpu.arrays[name]).max()
    assert on_gpu.exploitability == pytest.approx(on_cpu.exploitability, rel=1e-6)
    assert on_gpu.settings["device"] == "cuda"


@in_the_simulator
def test_runs_go_on_bit_for_bit_and_on_the_other_device(small_launches: None, tmp_path: Path) -> None:
    whole, file = solved("cuda", 4), tmp_path / "a.run"
    solved("cuda", 2).save(file)
    again = rg.resume(file, iterations=2, game=game("one card"))
    for name in ("regret", "average"):
        assert np.array_equal(again.arrays[name], whole.arrays[name])
    for first, then in (("cuda", "cpu"), ("cpu", "cuda")):
        solved(first, 2).save(file)
        moved = rg.resume(file, iterations=2, game=game("one card"), device=then)
        assert moved.settings["device"] == then
        assert np.abs(moved.arrays["regret"] - whole.arrays["regret"]).max() <= 1e-11


@in_the_simulator
def test_several_batches_in_an_iteration(small_launches: None) -> None:
    method = METHOD.replace(traversals=2, variant=rg.DCFR)
    found = [rg.solve(game("one card"), method, iterations=2, seed=1, device=device) for device in ("cpu", "cuda")]
    assert np.abs(found[0].arrays["regret"] - found[1].arrays["regret"]).max() <= 1e-5


@in_the_simulator
@pytest.mark.parametrize(
    ("method", "options", "said"),
    [
        (METHOD, {"dtype": "int16"}, "16-bit tables need device='cpu'"),
        (rg.MCCFR("external", rg.LINEAR_CFR), {}, "has no GPU path here: use device='cpu'"),
        (rg.CFRBR(rg.LINEAR_CFR), {}, "has no GPU path here: use device='cpu'"),
    ],
)
def test_what_has_no_gpu_path_says_so(method: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        rg.solve(game("one card"), method, iterations=1, device="cuda", **options)


@in_the_simulator
def test_public_chance_sampling_of_a_listed_game_stays_on_the_cpu() -> None:
    with pytest.raises(OptionError, match="for games with a card abstraction alone"):
        rg.solve(rg.games.Kuhn(), rg.MCCFR("public-chance"), iterations=1, device="cuda")


@in_the_simulator
def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tree: Any = game("perfect recall").problem()
    with pytest.raises(OptionError, match=r"a block can hold 10 numbers and a showdown needs"):
        CudaBatchWalker(tree, [1, 2], "float32", Launch(4, 1, 40, 2))
    monkeypatch.setattr(cuda_batch_walker, "WINDOW", 150)
    with pytest.raises(OptionError, match="take fewer buckets or boards, or device='cpu'"):
        CudaBatchWalker(tree, [1, 2], "float32", SMALL)


def random_buckets(count: int) -> Any:
    """What batches of boards need of limit hold'em with an abstraction of random buckets."""
    holdem = rg.poker.LimitHoldem()
    cards, draw = holdem.deck.hands(2), np.random.default_rng(1)

    def sequences_on(board: tuple[int, ...]) -> Any:
        return np.where(np.isin(cards, board).any(axis=1), -1, draw.integers(0, count, len(cards)))

    abstraction = SimpleNamespace(rounds=SimpleNamespace(boards=(0, 3, 4, 5)), sequences_on=sequences_on)
    return SimpleNamespace(game=holdem, abstraction=abstraction)


def sums_at_places(filled: card_lists.BatchLists, board: int, reach: Any) -> Any:
    """[PLACES] running sums of reach [hands] along the lists of a board, as blocks of a GPU write them."""
    unit = filled.unit[board * UNIT_RECORD : (board + 1) * UNIT_RECORD]
    sums, carry = np.full(unit[PLACES], np.nan), 0.0
    sums[0] = 0
    for nth in range(unit[LISTS]):
        at = unit[LIST_FIRST] + nth
        place, total = filled.list_place[at], carry if nth >= unit[BLOCKERS] else 0.0
        sums[place] = total
        for entry in filled.entry_class[filled.list_entries[at] : filled.list_entries[at + 1]]:
            total += reach[max(entry, ~entry)]
            if entry < 0:
                place += 1
                sums[place] = total
        assert place == filled.list_place[at + 1] - 1
        carry = total if nth >= unit[BLOCKERS] else 0.0
    return sums


class FilledBatch:
    """A batch of limit hold'em as a GPU reads it, beside what it was made of."""

    def __init__(self) -> None:
        tree = random_buckets(200)
        self.batches = BoardBatches(tree, 2, "float64")
        self.boards = cuda_boards.CudaBoards(tree, self.batches.counts, np.array([0, 1, 8, 71, 638]), "float64")
        self.given = self.batches.prepared(self.batches.draw(3))
        self.filled = self.boards.filled(self.given)

    def of(self, board: int) -> tuple[Any, dict[str, Any]]:
        """The record of a board, and what was given of its hands, in the order of the GPU: by bucket."""
        street = int(self.boards.street_of[board])
        given, number = self.given[street], board - int(self.boards.street_first[street])
        unit = self.filled.unit[board * UNIT_RECORD : (board + 1) * UNIT_RECORD]
        order = np.argsort(self.filled.position[unit[BEGIN] : unit[BEGIN] + unit[COUNT]])
        own = slice(given.first[number], given.first[number + 1])
        hands = {name: getattr(given, name)[own][order] for name in ("low", "high", "group_end", "local")}
        hands["bucket"] = given.bucket[given.bucket_first[number] + hands["local"]]
        hands["parent"] = int(self.boards.street_first[street - 1] + given.parent[number]) if street else -1
        return unit, hands


def test_lists_of_hold_em_boards() -> None:
    """For each hand, all hands, the weaker ones and those not stronger, without those that share a card."""
    batch = FilledBatch()
    for board in range(len(batch.boards.street_of)):
        unit, hands = batch.of(board)
        low, high, rank = hands["low"], hands["high"], hands["group_end"]
        reach = np.random.default_rng(board).random(len(low))
        apart = (low[:, None] != low) & (low[:, None] != high) & (high[:, None] != low) & (high[:, None] != high)
        sums = sums_at_places(batch.filled, board, reach)
        places = batch.filled.place.reshape(3, -1)[:, unit[BEGIN] : unit[BEGIN] + unit[COUNT]]
        before, after, last = sums[places & 0xFFFF], sums[places >> 16 & 0xFFFF], sums[places >> 32]
        last[0] = sums[-1]
        for found, which in (
            (last[0] - last[1] - last[2] + reach, np.ones_like(apart)),
            (before[0] - before[1] - before[2], rank < rank[:, None]),
            (after[0] - after[1] - after[2] + reach, rank <= rank[:, None]),
        ):
            assert np.abs(found - (apart & which) @ reach).max() < 1e-9


def test_hands_of_hold_em_boards_by_bucket() -> None:
    batch = FilledBatch()
    for board in range(len(batch.boards.street_of)):
        unit, hands = batch.of(board)
        own, first = slice(unit[BEGIN], unit[BEGIN] + unit[COUNT]), batch.filled.segment_first[board]
        bucket, end = batch.filled.bucket[own], batch.filled.segment_first[board + 1]
        assert np.array_equal(bucket, hands["bucket"]) and (np.diff(bucket) >= 0).all()
        begins = np.flatnonzero(np.diff(bucket, prepend=-1)) + unit[BEGIN]
        assert np.array_equal(batch.filled.segment_begin[first : end + 1], [*begins, own.stop])
        cards = batch.batches.hands
        if hands["parent"] >= 0:
            above = batch.of(hands["parent"])[1]
            cards = np.column_stack([above["low"], above["high"]])
        assert np.array_equal(cards[batch.filled.above[own]], np.column_stack([hands["low"], hands["high"]]))


def test_capabilities_name_the_gpu() -> None:
    assert "cuda" in game("one card").problem().capabilities.devices  # type: ignore[operator]
    assert "cuda" in METHOD.capabilities.devices  # type: ignore[operator]
    assert "cuda" not in rg.MCCFR("external").capabilities.devices  # type: ignore[operator]


@pytest.mark.skipif(SIMULATED or cuda_available() is None, reason="there is a GPU, or the simulator of one")
def test_a_missing_gpu_is_said() -> None:
    with pytest.raises(OptionError, match="GPU"):
        rg.solve(game("one card"), METHOD, iterations=1, device="cuda")


def test_a_cuda_target_that_cannot_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "regretless.kernels.cuda_target", None)
    assert "install a numba-cuda that fits this Numba" in str(cuda_available())


@pytest.mark.skipif(SIMULATED, reason="the simulator compiles nothing")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_kernels_compile_for_a_gpu_that_is_not_here(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulator takes what the compiler may refuse."""
    check_toolchain()
    import numba
    from numba import cuda
    from numba.cuda import dispatcher

    from regretless.kernels import cuda_target
    from regretless.kernels.buckets import cuda_bucket_walks

    arrays = SimpleNamespace(to_device=np.asarray, device_array=np.zeros)
    monkeypatch.setattr(cuda_batch_walker, "cuda_available", lambda: None)
    monkeypatch.setattr(cuda_batch_walker, "check_device_memory", lambda *_: None)
    monkeypatch.setattr(cuda_target, "cuda", arrays)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=HOPPER))
    tree: Any = game("one card").problem()
    walker = CudaBatchWalker(tree, [1, 2], dtype, SMALL)
    compiled: dict[str, str] = {}

    def compile_only(name: str, _: int, *arguments: Any) -> None:
        kernel = getattr(cuda_bucket_walks, name).py_func
        if name not in compiled:
            types = tuple(numba.typeof(argument) for argument in arguments)
            compiled[name] = cuda.compile_ptx(kernel, types, cc=HOPPER)[0]

    walker.launcher.start = compile_only  # type: ignore[method-assign]
    tables = walker.tables()
    walker.match(tables)
    walker._descend(0, tables)
    walker._ascend(1, tables, walker.dtype.type(1))
    walker.decay(tables, 0.5)
    walker.update(tables, 0.5, np.ones(3))
    assert len(compiled) == 5 and all("sm_90" in code for code in compiled.values())
    if dtype == "float32":  # nothing is computed in double precision by mistake
        assert not [name for name, code in compiled.items() if "f64" in code.replace(".param .f64", "")]
