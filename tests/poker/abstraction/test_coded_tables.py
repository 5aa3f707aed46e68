"""Solving an abstraction in 16 bits: codes, the same bits on threads and after resuming, and what rounding costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_bucketed_tree import LEDUC, METHOD, PAIRS, lossless, merged

import regretless as rg
from regretless.errors import FileError, OptionError
from regretless.kernels.buckets.bucket_codes import BLOCK, LARGEST, decode_tables, encode_tables
from regretless.method import Settings
from regretless.poker.solving.buckets.coded_learner import CodedBucketLearner
from regretless.storage import array_files, read_arrays, write_arrays

pytestmark = pytest.mark.full  # the walks compile for many seconds


def tables(sizes: tuple[int, ...]) -> tuple[np.ndarray[Any, Any], int]:
    """[tables, 4] places of tables one after the other, in reverse order in the buffer; and their blocks."""
    first = np.cumsum((0, *sizes))
    blocks = np.cumsum([0, *(-(-size // BLOCK) for size in sizes)])
    local = int(first[-1]) - first[1:]
    return np.stack([first[:-1], blocks[:-1], np.array(sizes), local], axis=1).astype(np.int64), int(blocks[-1])


def test_codes_are_right_on_average() -> None:
    places, blocks = tables((5, 130, 64))
    draw = np.random.default_rng(1)
    numbers = (draw.normal(size=199) * np.exp(draw.normal(size=199) * 3)).astype(np.float32)
    mean, back = np.zeros(199), np.zeros(199, np.float32)
    codes, scale = np.zeros(199, np.int16), np.zeros(blocks, np.float32)
    for seed in range(400):
        encode_tables(numbers, places, np.uint64(seed * 7919), codes, scale)
        decode_tables(codes, scale, places, back)
        mean += back / 400
        assert np.abs(codes).max() == LARGEST
    for first, block, size, local in places.tolist():
        for k in range(size):
            unit = float(scale[block + k // BLOCK])
            assert abs(mean[local + k] - numbers[local + k]) < 5 * unit / 2 / 20 + 1e-6 * abs(numbers[local + k])
        assert codes[first : first + size].any()


def test_small_amounts_are_not_lost() -> None:
    """A thousandth of a unit, added a hundred thousand times to the second of two numbers."""
    places, blocks = tables((2,))
    numbers, codes, scale = np.zeros(2, np.float32), np.zeros(2, np.int16), np.zeros(blocks, np.float32)
    numbers[0] = LARGEST
    encode_tables(numbers, places, np.uint64(0), codes, scale)
    for seed in range(20_000):
        decode_tables(codes, scale, places, numbers)
        numbers[1] += 0.01
        encode_tables(numbers, places, np.uint64(seed << 20), codes, scale)
    decode_tables(codes, scale, places, numbers)
    assert numbers[1] == pytest.approx(200, abs=5 * np.sqrt(200))
    encode_tables(np.zeros(2, np.float32), places, np.uint64(0), codes, scale)
    assert not codes.any() and not scale.any()


def test_one_iteration_is_that_of_32_bits() -> None:
    game = merged(PAIRS, (6, 9, 11))
    method = METHOD.replace(boards=3)
    coded = method.learner(game.problem(), Settings(seed=4, dtype="int16"))
    plain = method.learner(game.problem(), Settings(seed=4, dtype="float32"))
    assert isinstance(coded, CodedBucketLearner)
    for each in (coded, plain):
        each.advance(0)
        each.advance(1)
    problem: Any = game.problem()
    for name in ("regret", "average"):
        found, expected = np.asarray(problem.numbers(coded.arrays(), name)), plain.arrays()[name]
        unit = np.repeat(coded.arrays()[f"{name}_scale"], problem.blocks.widths())
        assert (np.abs(found - expected) <= unit * 1.001).all() and expected.any()


def test_the_same_bits_on_threads_and_resumed(tmp_path: Path) -> None:
    game, method = merged(PAIRS, (6, 9, 11)), METHOD.replace(boards=4)
    settings: dict[str, Any] = {"seed": 5, "dtype": "int16", "measure": "never"}
    one = rg.solve(game, method, iterations=30, threads=1, **settings)
    two = rg.solve(game, method, iterations=30, threads=2, **settings)
    rg.solve(game, method, iterations=10, **settings).save(tmp_path / "a.run")
    again = rg.resume(tmp_path / "a.run", iterations=20, game=game)
    for name, array in one.arrays.items():
        assert (array == two.arrays[name]).all() and (array == again.arrays[name]).all()
    assert one.arrays["regret"].dtype == np.int16 and set(one.arrays) > {"regret_scale", "average_scale"}
    problem: Any = game.problem()
    assert 2.5 * problem.bytes_needed("int16") < problem.bytes_needed("float32")
    assert 2 * sum(array.nbytes for array in one.arrays.values()) < 12 * problem.infoset_actions


def test_strategies_are_read_where_they_are_asked_for(tmp_path: Path) -> None:
    game = merged(PAIRS, (6, 9, 11))
    run = rg.solve(game, METHOD, iterations=50, seed=5, dtype="int16")
    run.save(tmp_path / "a.run")
    loaded: Any = rg.load(tmp_path / "a.run", game=game)
    strategy = loaded.strategy
    whole = np.asarray(strategy.source)
    assert (strategy.source[7:300] == whole[7:300]).all()
    scattered = np.array([[300, 2], [5, 299]])
    assert (strategy.source[scattered] == whole[scattered]).all()
    assert strategy.at("").probabilities.sum(axis=1) == pytest.approx(1)
    assert rg.exploitability(game, strategy) == pytest.approx(run.exploitability, rel=1e-5)
    bound = rg.poker.local_best_response(PAIRS, strategy, boards=None)
    assert 0 < bound.mean <= run.exploitability + 1e-6
    arrays, meta = read_arrays(tmp_path / "a.run")
    write_arrays(tmp_path / "b.run", {**arrays, "average_scale": arrays["average_scale"][:-1]}, meta)
    with pytest.raises(FileError, match="'average' does not fit the game"):
        rg.load(tmp_path / "b.run", game=game)


def test_rounding_costs_little() -> None:
    game, method = lossless(LEDUC), METHOD.replace(boards=4)
    exploitable = [
        rg.solve(game, method, iterations=2_000, seed=1, dtype=d).exploitability for d in ("float32", "int16")
    ]
    assert exploitable[1] == pytest.approx(exploitable[0], rel=0.25) and exploitable[1] < 0.06


def test_what_16_bits_cannot_do() -> None:
    game = merged(PAIRS, (6, 9, 11))
    with pytest.raises(OptionError, match=r"one batch: give boards= instead of traversals=3"):
        rg.solve(game, METHOD.replace(traversals=3), iterations=1, dtype="int16")
    with pytest.raises(OptionError, match="computes in float64 and float32 only"):
        rg.solve(game, rg.MCCFR("external"), iterations=1, dtype="int16")
    with pytest.raises(OptionError, match="dtype"):
        rg.solve(game, rg.CFRBR(), iterations=1, dtype="int16")
    with pytest.raises(OptionError, match="dtype is 'float64' or 'float32', got 'int16'"):
        rg.solve("kuhn", rg.MCCFR("external"), iterations=1, dtype="int16")


@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_large_runs_open_as_views_of_their_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dtype: str) -> None:
    game, settings = merged(PAIRS, (6, 9, 11)), {"seed": 5, "dtype": dtype, "measure": "never"}
    path = tmp_path / "a.run"
    rg.solve(game, METHOD, iterations=10, **settings).save(path)  # type: ignore[arg-type]
    whole = rg.solve(game, METHOD, iterations=30, **settings)  # type: ignore[arg-type]
    monkeypatch.setattr(array_files, "MAPPED_FROM", 0)
    loaded: Any = rg.load(path, game=game)
    assert all(isinstance(array, np.memmap) for array in loaded.arrays.values())
    assert loaded.strategy.at("").probabilities.sum(axis=1) == pytest.approx(1)
    again = rg.resume(path, iterations=20, game=game)
    for name, array in whole.arrays.items():
        assert (array == again.arrays[name]).all()
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    damaged: Any = rg.load(path, game=game)  # damage is found at the first use
    with pytest.raises(FileError, match="its checksum does not agree"):
        _ = damaged.strategy
    with pytest.raises(FileError, match="its checksum does not agree"):
        damaged.save(tmp_path / "copy.run")
    assert not (tmp_path / "copy.run").exists()
    with pytest.raises(FileError, match="its checksum does not agree"):
        rg.resume(path, iterations=20, game=game)
    path.write_bytes(raw[:-100])
    with pytest.raises(FileError, match="is cut short"):
        rg.load(path, game=game)
