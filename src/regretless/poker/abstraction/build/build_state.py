"""Where a build stands, in memory and in a checkpoint: finished streets, and the stage of the next one."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt

from regretless.errors import FileError
from regretless.poker.abstraction.street_buckets import StreetBuckets
from regretless.storage import needed, read_arrays, write_arrays

__all__ = ["BuildState", "load_state", "save_state"]

FORMAT, VERSION = "regretless abstraction build", 1
STAGES = ("sample", "seeds", "clusters", "buckets")


@dataclass
class BuildState:
    """Everything that the rest of a build depends on, besides its settings."""

    finished: list[StreetBuckets] = field(default_factory=list)
    stage: str = "sample"
    """The stage of the next street: one of STAGES."""
    piece: int = 0
    """Pieces of this stage that are done."""
    iteration: int = 0
    total: int = -1
    """Lloyd's iterations that are done, and the sum of distances in the last of them."""
    arrays: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    """Arrays of the next street by name."""

    def enter(self, stage: str) -> None:
        """Begin a stage."""
        self.stage, self.piece, self.iteration, self.total = stage, 0, 0, -1

    def finish(self, street: StreetBuckets) -> None:
        """Keep a street, and begin the next one."""
        self.finished.append(street)
        self.arrays = {}
        self.enter("sample")


def save_state(path: str | os.PathLike[str], state: BuildState, request: dict[str, Any]) -> None:
    """Write the state to a file, atomically."""
    arrays = {f"{n}.{name}": array for n, s in enumerate(state.finished) for name, array in s.arrays.items()}
    arrays |= {f"next.{name}": array for name, array in state.arrays.items()}
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "request": request,
        "features": [street.feature for street in state.finished],
        "stage": state.stage,
        "counters": [state.piece, state.iteration, state.total],
    }
    write_arrays(path, arrays, meta)


def load_state(path: str | os.PathLike[str], request: dict[str, Any]) -> BuildState:
    """The state in a file, or a new one where there is no file; FileError if it belongs to another build."""
    if not Path(path).exists():
        return BuildState()
    arrays, meta = read_arrays(path, FORMAT, VERSION)
    if meta.get("request") != request:
        raise FileError(
            f"{os.fspath(path)} is the checkpoint of another build (other cards, buckets, features, seed or sample): "
            f"remove it, or name another file"
        )
    try:
        finished = []
        for n, feature in enumerate(meta["features"]):
            own: dict[str, Any] = {name: needed(path, arrays, f"{n}.{name}") for name in StreetBuckets.ARRAYS}
            finished.append(StreetBuckets(feature, **own))
        piece, iteration, total = meta["counters"]
        current = {name.removeprefix("next."): arrays[name] for name in arrays if name.startswith("next.")}
        state = BuildState(finished, str(meta["stage"]), int(piece), int(iteration), int(total), current)
        if state.stage not in STAGES or len(finished) > len(request["buckets"]):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise FileError(f"{os.fspath(path)} is no checkpoint of a build, or damaged") from None
    return state
