"""Runs of hold'em as files: zstd and deflate with bytes sorted by significance, beside the codecs of blosc2.

    python -m benchmarks.packed_runs            # needs `pip install blosc2`, which the library itself does not

Every array of a solved turn spot is compressed board by board, as `poker.formats.run_files` does. Sizes are exact;
speeds are megabytes of numbers per second of processor time in one thread, all measured in one run.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

import regretless as rg
from benchmarks.record import write
from regretless.poker.formats.piece_codecs import board_bounds, pack_numbers, unpack_numbers
from regretless.storage import compress

Array = npt.NDArray[Any]
Codec = tuple[Callable[[Array], bytes], Callable[[bytes, np.dtype[Any], int], Array]]

SPOT = {"board": "Qs Jh 2h 8d", "pot": 100, "stack": 300}
RANGES = "22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,86s+,75s+,64s+,54s,A8o+,K9o+,QTo+,JTo"
ITERATIONS = 200


def deflated(numbers: Array) -> bytes:
    """As files of version 1 were written."""
    raw = np.ascontiguousarray(numbers).view(np.uint8).reshape(-1, numbers.dtype.itemsize)
    return zlib.compress(raw.T.tobytes(), 1)


def sorted_bytes(numbers: Array) -> bytes:
    """As files of version 2 were written."""
    raw = np.ascontiguousarray(numbers).view(np.uint8).reshape(-1, numbers.dtype.itemsize)
    return compress(np.ascontiguousarray(raw.T))


def blosc_codec(codec: Any, shuffle: Any, level: int) -> Codec:
    """Compression by blosc2, and its inverse."""
    import blosc2

    def pack(numbers: Array) -> bytes:
        data = np.ascontiguousarray(numbers)
        return bytes(blosc2.compress2(data, codec=codec, clevel=level, filters=[shuffle], typesize=data.itemsize))

    def unpack(data: bytes, dtype: np.dtype[Any], count: int) -> Array:
        return np.frombuffer(blosc2.decompress2(data), dtype)

    return pack, unpack


def codecs() -> dict[str, Codec]:
    """What is compared, by name."""
    import blosc2

    blosc2.set_nthreads(1)
    found: dict[str, Codec] = {
        "deflate 1, bytes sorted": (deflated, partial(unpack_numbers, version=1)),
        "zstd 1, bytes sorted": (sorted_bytes, partial(unpack_numbers, version=2)),
        "zstd 1, neighbours, bytes sorted": (pack_numbers, unpack_numbers),
    }
    for name, codec, level in (("zstd", "ZSTD", 1), ("zstd", "ZSTD", 5), ("lz4", "LZ4", 5), ("blosclz", "BLOSCLZ", 5)):
        for filtering in ("SHUFFLE", "BITSHUFFLE"):
            chosen = getattr(blosc2.Codec, codec), getattr(blosc2.Filter, filtering), level
            found[f"blosc2 {name} {level}, {filtering.lower()}"] = blosc_codec(*chosen)
    return found


def measured(codec: Codec, arrays: dict[str, Array], bounds: Array) -> tuple[float, float, float]:
    """Part of the size, and megabytes per second of writing and of reading, over all boards of all arrays."""
    pack, unpack = codec
    size = total = 0
    writing = reading = 0.0
    for array in arrays.values():
        for begin, end in pairwise(bounds):
            piece = array[begin:end]
            if not len(piece):
                continue
            began = time.process_time()
            data = pack(piece)
            between = time.process_time()
            again = unpack(data, piece.dtype, len(piece))
            reading += time.process_time() - between
            writing += between - began
            if not np.array_equal(again, piece):
                raise AssertionError("numbers are not what they were")
            size, total = size + len(data), total + piece.nbytes
    return size / total, total / writing / 1e6, total / reading / 1e6


def main() -> None:
    """Measure and write the table."""
    spot = rg.poker.Spot(ranges=(RANGES, RANGES), **SPOT)
    rows: list[dict[str, Any]] = []
    for method, dtype in ((rg.DCFR, "float32"), (rg.CFR_PLUS, "float32"), (rg.DCFR, "int16")):
        run = rg.solve(spot, method, iterations=ITERATIONS, dtype=dtype)
        tree: Any = run.problem
        bounds = board_bounds(tree)
        arrays = {name: array for name, array in run.arrays.items() if array.ndim == 1 and len(array) == tree.numbers}
        for name, codec in codecs().items():
            part, fast, read = measured(codec, arrays, bounds)
            numbers = f"{method.name}, {dtype}"
            row = {"numbers": numbers, "codec": name, "size": f"{part:.1%}", "write MB/s": f"{fast:,.0f}"}
            rows.append({**row, "read MB/s": f"{read:,.0f}"})
            print(rows[-1], flush=True)
    write("packed-runs", rows)


if __name__ == "__main__":
    main()
