"""What a run's file says of itself, read again whenever another process has written it anew.

A run is put in place whole (`regretless.storage`), so the header that is read is never half of one. Arrays are left
alone: a run of gigabytes is followed as cheaply as one of Kuhn poker.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regretless.errors import FileError
from regretless.storage import read_header

__all__ = ["Followed", "Glance"]

KINDS = {"regretless.run": "run", "regretless.public-run": "holdem", "regretless.strategy": "strategy"}
"""What the format in a file's header is called here."""

Signature = tuple[int, int, int]
"""Inode, size and time of writing: a file that was put in place anew differs in one of them."""


@dataclass(frozen=True)
class Glance:
    """A file without its arrays; where it cannot be read, `problem` is a sentence about it."""

    name: str
    kind: str = ""
    """"run", "holdem" (a run in pieces) or "strategy"; empty where there is a problem."""
    game: str = ""
    method: str = ""
    iterations: int = 0
    seconds: float = 0.0
    stopped: str = ""
    players: int = 2
    listed: bool = True
    """Whether exploitability is exact; of a game that was not listed it is a lower bound."""
    history: Sequence[Mapping[str, float]] = field(default=(), repr=False)
    """One row for each measurement: iteration, seconds, exploitability, …"""
    written: float = 0.0
    """When the file was written, in seconds since the epoch."""
    signature: Signature = (0, 0, 0)
    problem: str = ""

    @property
    def running(self) -> bool:
        """Whether a solve says that it is still at it (or was cut off while it was)."""
        return self.stopped == "running"

    @property
    def exploitability(self) -> float | None:
        """The last measurement, chips per game."""
        return self.history[-1].get("exploitability") if self.history else None

    @property
    def value(self) -> float | None:
        """What player 0 wins per game by the last measurement, chips."""
        return self.history[-1].get("value") if self.history else None

    def quiet_for(self) -> float:
        """Seconds since the file was written."""
        return max(0.0, time.time() - self.written)


class Followed:
    """A file that may be written by somebody else while we look at it."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path, self.name = path, name or path.name
        self._last = Glance(self.name)

    def signature(self) -> Signature | None:
        """What tells this writing of the file from another; None where there is no file."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def look(self) -> Glance:
        """The file as it is now; the header is read only if it has been written since the last look."""
        now = self.signature()
        if now is None:
            return Glance(self.name, problem=f"{self.name} is not there any more")
        if now != self._last.signature:
            self._last = self._read(now)
        return self._last

    def _read(self, signature: Signature) -> Glance:
        try:
            return _glance(self.name, read_header(self.path), signature)
        except FileError as error:
            return Glance(self.name, signature=signature, problem=without_folders(str(error), self.path))


def without_folders(sentence: str, path: Path) -> str:
    """A sentence about a file by its name alone."""
    return sentence.replace(str(path), path.name)


def _glance(name: str, meta: Mapping[str, Any], signature: Signature) -> Glance:
    kind = KINDS.get(str(meta.get("format")))
    if kind is None:
        raise FileError(f"{name} is not a run or a strategy of regretless")
    written = signature[2] / 1e9
    if kind == "strategy":
        return Glance(name, kind, players=int(meta.get("players", 2)), written=written, signature=signature)
    try:
        return Glance(
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
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise FileError(f"{name}: the header is damaged") from None


def _method_name(description: Any) -> str:
    """As plots call it. A variant is named without loading the compiler, so that the first page comes quickly."""
    from regretless.variants import Discounted, Polynomial, Ramp, Variant

    simple = {kind.__name__: kind for kind in (Variant, Discounted, Polynomial, Ramp)}

    def made(part: Any) -> Any:
        if not isinstance(part, dict):
            return part
        return simple[part["class"]](**{key: made(value) for key, value in part.items() if key != "class"})

    if isinstance(description, dict) and description.get("class") == "Variant":
        return str(made(description).name)
    from regretless.lookup.methods import method_from_json

    return str(method_from_json(description).name)
