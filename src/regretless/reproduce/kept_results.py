"""Numbers that were kept: those of all rows with the package, and files of long runs in the repository."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from regretless.errors import FileError

__all__ = ["MEASURED", "kept_content", "measured_content"]

MEASURED = Path(__file__).parent / "measured.json"
"""What `regretless reproduce --all --keep` wrote last; part of the package."""

CHECKOUT = Path(__file__).parents[3]
"""The root of the repository, where the package is not installed from a wheel."""


def kept_content(name: str) -> Any:
    """The content of a JSON file that a long run has written, by its path in the repository."""
    return _content(CHECKOUT / name, name)


def measured_content() -> Any:
    """The numbers of all rows as they were kept."""
    return _content(MEASURED, MEASURED.name)


@cache
def _content(path: Path, name: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise FileError(f"the kept result {name} is not here: it is a file of the repository of regretless") from None
    except ValueError as error:
        raise FileError(f"the kept result {name} is no JSON file: {error}") from None
