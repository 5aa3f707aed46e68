"""The header of a run's file: the type and the range of every field, checked before anything uses it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from regretless.errors import FileError

__all__ = ["PUBLIC_FORMAT", "PUBLIC_VERSION", "check_run_header"]

PUBLIC_FORMAT, PUBLIC_VERSION = "regretless.public-run", 3
"""Of runs of public trees, and the version that is written; `poker.formats.run_files` lists the versions."""

LONGEST_GAME = 1_000_000
"""Characters; the name of a matrix game holds its payoffs."""
LONGEST_WORD = 200
MOST_PLAYERS = 1_000
LARGEST = 1 << 62


def _whole(value: Any, least: int = 0, most: int = LARGEST) -> bool:
    return type(value) is int and least <= value <= most


def _number(value: Any) -> bool:
    return isinstance(value, float) or (type(value) is int and -LARGEST <= value <= LARGEST) or isinstance(value, bool)


def _word(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_WORD


def _history(value: Any) -> bool:
    """Rows of numbers; every row has the names of the first one."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return False
    names = {*value[0], "iteration"} if value else set()
    return all(names <= set(row) and _whole(row["iteration"]) and all(map(_number, row.values())) for row in value)


FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "players": lambda value: _whole(value, 1, MOST_PLAYERS),
    "game": lambda value: isinstance(value, str) and len(value) <= LONGEST_GAME,
    "iterations": _whole,
    "seconds": lambda value: _number(value) and value >= 0,
    "history": _history,
    "settings": lambda value: isinstance(value, dict),
    "fingerprint": _word,
    "stopped": _word,
    "problem": _word,
}

SETTINGS: Mapping[str, Callable[[Any], bool]] = {
    "dtype": _word,
    "device": _word,
    "threads": lambda value: _whole(value, 1, 1 << 20),
    "seed": lambda value: _whole(value, 0, (1 << 64) - 1),
    "planned": lambda value: value is None or _whole(value),
    "rounded": lambda value: value is None or _whole(value, 2),
    "fixed": lambda value: isinstance(value, list) and all(_whole(player, 0, MOST_PLAYERS) for player in value),
}


def check_run_header(path: str | os.PathLike[str], meta: Mapping[str, Any]) -> None:
    """Raise FileError for a field that no run has; fields that other versions add or leave out are not looked at."""
    for name, fits in FIELDS.items():
        if name in meta and not fits(meta[name]):
            raise FileError(f"{os.fspath(path)}: the header is damaged: {name!r} cannot be that")
    settings = meta.get("settings", {})
    for name, fits in SETTINGS.items():
        if name in settings and not fits(settings[name]):
            raise FileError(f"{os.fspath(path)}: the header is damaged: the setting {name!r} cannot be that")
