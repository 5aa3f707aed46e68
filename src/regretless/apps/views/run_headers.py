"""Headers of run files, read again when another process has rewritten the file.

A run file is replaced as a whole (`regretless.storage`), so a header is never read half written. Arrays are not read:
following a run of gigabytes costs as little as following one of Kuhn poker.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regretless.errors import FileError
from regretless.storage import check_run_header, read_header

__all__ = ["FORMATS", "RunFile", "RunHeader", "Signature", "without_folders"]

FORMATS = {
    "regretless.run": "run",
    "regretless.public-run": "holdem",
    "regretless.bucketed-run": "buckets",
    "regretless.network-run": "networks",
    "regretless.strategy": "strategy",
}
"""File formats that can be shown, and the kind of each."""

Signature = tuple[int, int, int]
"""Inode, size and modification time. A file that was replaced differs in at least one of them."""


@dataclass(frozen=True)
class RunHeader:
    """A run file without its arrays. If the file cannot be read, `problem` says why."""

    name: str
    kind: str = ""
    """"run", "holdem" (on a public tree), "buckets" (with a card abstraction), "networks" (of hold'em that is not
    laid out) or "strategy"; empty with a problem."""
    game: str = ""
    method: str = ""
    iterations: int = 0
    seconds: float = 0.0
    stopped: str = ""
    players: int = 2
    listed: bool = True
    """Whether exploitability is exact; for a game that was not listed it is a lower bound."""
    history: Sequence[Mapping[str, float]] = field(default=(), repr=False)
    """One row for each measurement: iteration, seconds, exploitability, …"""
    written: float = 0.0
    """Modification time, in seconds since the epoch."""
    signature: Signature = (0, 0, 0)
    problem: str = ""

    @property
    def running(self) -> bool:
        """Whether the solve is still running, or was killed while it ran."""
        return self.stopped == "running"

    @property
    def exploitability(self) -> float | None:
        """The last measurement, chips per game."""
        return self.history[-1].get("exploitability") if self.history else None

    @property
    def value(self) -> float | None:
        """What player 0 wins per game by the last measurement, chips."""
        return self.history[-1].get("value") if self.history else None

    def seconds_since_written(self) -> float:
        """The age of the file."""
        return max(0.0, time.time() - self.written)


class RunFile:
    """A run file that another process may replace at any time."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path, self.name = path, name or path.name
        self._last = RunHeader(self.name)

    def signature(self) -> Signature | None:
        """The current version of the file; None if there is no file."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def header(self) -> RunHeader:
        """The current header; the file is opened only if it has changed since the last call."""
        now = self.signature()
        if now is None:
            return RunHeader(self.name, problem=f"{self.name} is not there any more")
        if now != self._last.signature:
            self._last = self._read(now)
        return self._last

    def _read(self, signature: Signature) -> RunHeader:
        try:
            meta = read_header(self.path)
            check_run_header(self.path, meta)
            return _header_of(self.name, meta, signature)
        except FileError as error:
            return RunHeader(self.name, signature=signature, problem=without_folders(str(error), self.path))


def without_folders(sentence: str, path: Path) -> str:
    """A message in which a file is named without its folder."""
    return sentence.replace(str(path), path.name)


def _header_of(name: str, meta: Mapping[str, Any], signature: Signature) -> RunHeader:
    kind = FORMATS.get(str(meta.get("format")))
    if kind is None:
        raise FileError(f"{name} is not a run or a strategy of regretless")
    written = signature[2] / 1e9
    try:
        if kind == "strategy":
            return RunHeader(name, kind, players=int(meta.get("players", 2)), written=written, signature=signature)
        return RunHeader(
            name=name,
            kind=kind,
            game=str(meta["game"]),
            method=_method_name(meta["method"]),
            iterations=int(meta["iterations"]),
            seconds=float(meta["seconds"]),
            stopped=str(meta["stopped"]),
            players=int(meta["players"]),
            listed="infoset_numbers" not in meta,
            history=[{str(key): float(value) for key, value in row.items()} for row in meta["history"]],
            written=written,
            signature=signature,
        )
    except FileError as error:
        raise FileError(f"{name}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        raise FileError(f"{name}: the header is damaged") from None


def _method_name(description: Any) -> str:
    """The name used in plots. A variant is named without loading the compiler, to show the first page quickly."""
    from regretless.variants import Discounted, Polynomial, Ramp, Variant

    simple = {kind.__name__: kind for kind in (Variant, Discounted, Polynomial, Ramp)}

    def decode(part: Any) -> Any:
        if not isinstance(part, dict):
            return part
        return simple[part["class"]](**{key: decode(value) for key, value in part.items() if key != "class"})

    if isinstance(description, dict) and description.get("class") == "Variant":
        return str(decode(description).name)
    from regretless.lookup.methods import method_from_json

    return str(method_from_json(description).name)
