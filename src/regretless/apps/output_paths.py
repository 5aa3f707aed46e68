"""Paths that a command writes to, checked before anything is computed.

A mistyped folder is refused and never created; a file that the command reads is never replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from regretless.errors import OptionError

__all__ = ["USUAL", "in_existing_folder", "refuse_existing", "refuse_inputs"]

USUAL = "runs"
"""The folder of runs; it is created where it is missing."""


def in_existing_folder(path: str | None) -> str | None:
    """The path of a file or folder to write, if the folder around it exists; else OptionError."""
    if path is None:
        return None
    if not path.strip():
        raise OptionError("the name of a file to write is empty: name one")
    folder = Path(path).parent
    if not folder.exists() and folder != Path(USUAL):
        raise OptionError(f"cannot write {path}: there is no folder {str(folder)!r}; create it, or name another")
    return path


def refuse_inputs(inputs: Sequence[str], outputs: Mapping[str, str | None]) -> None:
    """OptionError where one of the files to write, by option, is one of the files that are read."""
    for option, path in outputs.items():
        if path is None or not Path(path).exists():
            continue
        for read in inputs:
            if Path(read).exists() and Path(path).samefile(read):
                raise OptionError(f"{option} {path} would replace {read}, which is read here: name another file")


def refuse_existing(path: str | None, *, overwrite: bool) -> None:
    """OptionError where the file to write exists and may not be replaced."""
    if path is not None and not overwrite and Path(path).exists():
        raise OptionError(f"{path} exists: name another file, or add --overwrite to replace it")
