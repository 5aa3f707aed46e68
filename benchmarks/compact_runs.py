"""Compact runs of hold'em: what probabilities cost in bits, how large files become, and what rounding does.

    python -m benchmarks.compact_runs                # a turn spot and a small flop hold'em, solved here
    python -m benchmarks.compact_runs FILES…         # runs in files, for example one of flop hold'em

The cost model: a number of an exact run costs 8 bytes in memory (a regret and an average). A strategy needs the average
alone, and of A actions A − 1 probabilities. In L levels a probability costs at most log₂ L bits; with the level of the
neighbouring hand known it costs the entropy of the difference. Rows state that entropy (order 0, over all boards that
are looked at), beside what zstd takes. Sizes are parts of the file as version 2 of the format wrote it; exploitability
is exact. Speeds are per second of processor time in one thread, so that other work on the machine does not count:
megabytes of numbers that are packed, and milliseconds to read, check and unpack one board of an open file.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import regretless as rg
from benchmarks.packed_runs import RANGES, SPOT, sorted_bytes
from benchmarks.record import write
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.formats.piece_codecs import ExactNumbers, RoundedStrategies, board_bounds
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.storage import decompress_exactly

Array = npt.NDArray[Any]

LEVELS = (240, 2_520, 27_720)
LOOKED_AT = 100
"""Boards, evenly spread, whose entropies are computed."""

FLOPS = PublicGame(Deck("89TJQKA", "shdc"), 2, (3,), Limit(bets=100, caps=(3, 4), blinds=(50, 100)), big_blind=100)
"""Flop hold'em with 28 cards: 266 flops."""


def runs(paths: list[str]) -> Iterator[tuple[str, Any]]:
    """What is measured, by name."""
    if paths:
        for path in paths:
            run: Any = rg.load(path)
            yield f"{run.game}, {run.method.name}, {run.iterations} iterations", run
        return
    spot = rg.poker.Spot(ranges=(RANGES, RANGES), **SPOT)
    for name, game, method, iterations in (
        ("turn spot", spot, rg.DCFR, 200),
        ("flop hold'em, 28 cards", FLOPS, rg.CFR_PLUS, 100),
        ("flop hold'em, 28 cards", FLOPS, rg.DCFR, 100),
    ):
        solved: Any = rg.solve(game, method, iterations=iterations, dtype="float32", measure="never")
        yield f"{name}, {method.name}, {iterations} iterations", solved


def entropy(symbols: Array) -> float:
    """Bits of a symbol, of order 0."""
    share = np.bincount(symbols)
    share = share[share > 0] / len(symbols)
    return float(-(share * np.log2(share)).sum())


def entropies(codec: RoundedStrategies, pieces: list[bytes]) -> tuple[float, float]:
    """Bits of a probability by itself, and with the neighbouring hand known, on some boards."""
    tree, levels, changes = codec.tree, [], []
    boards = np.linspace(0, codec.pieces - 1, min(LOOKED_AT, codec.pieces)).astype(int)
    for board in boards.tolist():
        raw = np.frombuffer(decompress_exactly(pieces[board], 2 * int(codec.symbols[board])), np.uint8)
        codes = raw.reshape(2, -1)[0].astype(np.int64) + 256 * raw.reshape(2, -1)[1].astype(np.int64)
        changes.append(codes)
        numbers = np.zeros(tree.numbers, np.float32)
        codec.unpack(pieces[board], numbers, board)
        decisions, first, stride, count = codec._layout(board)
        for player, slot, actions in decisions.tolist():
            begin = int(codec.bounds[board] + first[player] + slot * stride[player])
            rows = numbers[begin : begin + (actions - 1) * stride[player]].reshape(actions - 1, -1)
            levels.append(np.rint(rows[:, : count[player]] * codec.levels).astype(np.int64).ravel())
    return entropy(np.concatenate(levels)), entropy(np.concatenate(changes))


def packed(codec: Any, numbers: Array) -> tuple[list[bytes], float]:
    """All pieces, and the megabytes of numbers per second of processor time."""
    codec.pack(numbers, 0)  # compiled
    began = time.process_time()
    pieces = [codec.pack(numbers, piece) for piece in range(codec.pieces)]
    return pieces, numbers.nbytes / (time.process_time() - began) / 1e6


def reading(run: Any) -> tuple[float, float]:
    """(mean, largest) milliseconds to read, check and unpack one board of a compact file that is open."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "compact.run"
        run.save(path, compact=True)
        arrays: Any = rg.load(path).arrays  # type: ignore[union-attr]
        spent = []
        for board in np.linspace(0, run.problem.boards - 1, LOOKED_AT).astype(int).tolist():
            began = time.process_time()
            arrays.need("average", [board])
            spent.append(time.process_time() - began)
    return 1e3 * float(np.mean(spent[1:])), 1e3 * max(spent[1:])


def measured(name: str, run: Any) -> Iterator[dict[str, Any]]:
    """The rows of one run."""
    tree, bounds = run.problem, board_bounds(run.problem)
    average, regret = (np.asarray(run.arrays[array]) for array in ("average", "regret"))
    version_2 = sum(
        len(sorted_bytes(array[bounds[board] : bounds[board + 1]]))
        for array in (average, regret)
        for board in range(tree.boards)
    )
    before = run.strategy.nash_conv()
    exact = ExactNumbers(bounds, average.itemsize)
    found = [packed(exact, array) for array in (average, regret)]
    size = sum(len(piece) for pieces, _ in found for piece in pieces)
    speed = 1 / np.mean([1 / fast for _, fast in found])
    row = {"run": name, "NashConv": f"{before:.4g}", "form": "exact", "of version 2": f"{size / version_2:.1%}"}
    yield {**row, "MB/s of one core": f"{speed:,.0f}", "NashConv changes by": "0"}
    del found, regret
    mean, most = reading(run)
    for levels in LEVELS:
        codec = RoundedStrategies(tree, levels)
        pieces, fast = packed(codec, average)
        out = np.zeros_like(average)
        for board, piece in enumerate(pieces):
            codec.unpack(piece, out, board)
        after = PublicStrategy(tree, {"average": out}, "average").nash_conv()
        plain, known = entropies(codec, pieces)
        size = sum(map(len, pieces))
        yield {
            **row, "form": f"{levels:,} levels", "of version 2": f"{size / version_2:.1%}",
            "MB/s of one core": f"{fast:,.0f}", "NashConv changes by": f"{after / before - 1:+.2%}",
            "bits/probability": f"{plain:.2f}", "neighbour known": f"{known:.2f}",
            "zstd": f"{8 * size / codec.symbols.sum():.2f}",
            "read a board, ms": f"{mean:.1f} (at most {most:.1f})" if levels == 2_520 else "",
        }  # fmt: skip


def main() -> None:
    """Measure and write the table."""
    rows = []
    for name, run in runs(sys.argv[1:]):
        for row in measured(name, run):
            rows.append(row)
            print(row, flush=True)
    write("compact-runs", rows)


if __name__ == "__main__":
    main()
