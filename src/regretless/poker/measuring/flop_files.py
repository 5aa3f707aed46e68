"""The flops that a measurement has done so far, in a small file: it goes on from there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError
from regretless.poker.measuring.flops import FlopGame
from regretless.storage import check_format, needed, read_arrays, write_arrays

__all__ = ["FlopFile", "measurement_digest"]

Array = npt.NDArray[Any]
FORMAT, VERSION = "regretless.flop-values", 1


def measurement_digest(game: FlopGame, fingerprint: str, blind: bool = False) -> str:
    """A digest of the game, its abstraction and the probabilities of the strategy.

    blind: whether flops are measured by `BlindFlops`, whose last digits differ from those of the general engine.
    """
    digest = hashlib.sha256(fingerprint.encode())
    digest.update(b"card-blind" if blind else game.dtype.encode())
    if game.zero_sum and game.kinds == 2:
        digest.update(b"values of the strategy")
    digest.update(game.identity)
    return digest.hexdigest()[:32]


class FlopFile:
    """The rows of measured flops by number; `path` None keeps them in memory alone."""

    def __init__(self, path: str | os.PathLike[str] | None, game: FlopGame, digest: str) -> None:
        self.path, self.digest = path, digest
        self.shape = (game.kinds, 2, game.lines, len(game.class_size))
        self.rows: dict[int, Array] = {}
        self.seconds = 0.0
        if path is not None and Path(path).exists():
            self._read(path, len(game.flops))

    def _read(self, path: str | os.PathLike[str], flops: int) -> None:
        arrays, meta = read_arrays(path)
        check_format(path, meta, FORMAT, VERSION)
        if meta.get("strategy") != self.digest:
            raise FileError(
                f"{os.fspath(path)} holds the flops of another strategy, game or precision: take another file"
            )
        numbers, rows = needed(path, arrays, "flops"), needed(path, arrays, "rows")
        right = numbers.dtype == np.int64 and rows.dtype == np.float64
        if not right or rows.shape != (len(numbers), *self.shape) or len(set(numbers.tolist())) != len(numbers):
            raise FileError(f"{os.fspath(path)} is damaged: its flops do not fit the game")
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < flops):
            raise FileError(f"{os.fspath(path)} is damaged: it has a flop that the game does not have")
        self.rows = dict(zip(numbers.tolist(), rows, strict=True))
        seconds = meta.get("seconds")
        self.seconds = float(seconds) if isinstance(seconds, int | float) else 0.0

    def write(self) -> None:
        """Write all rows, atomically; nothing without a path."""
        if self.path is None:
            return
        numbers = np.array(sorted(self.rows), np.int64)
        rows = np.stack([self.rows[n] for n in numbers.tolist()]) if len(numbers) else np.zeros((0, *self.shape))
        meta = {"format": FORMAT, "version": VERSION, "strategy": self.digest, "seconds": self.seconds}
        write_arrays(self.path, {"flops": numbers, "rows": rows}, meta)
