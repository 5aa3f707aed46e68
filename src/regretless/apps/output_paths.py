"""Paths that a command writes to: a mistyped folder is refused before anything is computed, and never created."""

from __future__ import annotations

from pathlib import Path

from regretless.errors import OptionError

__all__ = ["USUAL", "in_existing_folder"]

USUAL = "runs"
"""The folder of runs; it is created where it is missing."""


def in_existing_folder(path: str | None) -> str | None:
    """The path of a file or folder to write, if the folder around it exists; else OptionError."""
    if path is None:
        return None
    folder = Path(path).parent
    if not folder.exists() and folder != Path(USUAL):
        raise OptionError(f"cannot write {path}: there is no folder {str(folder)!r}; create it, or name another")
    return path
