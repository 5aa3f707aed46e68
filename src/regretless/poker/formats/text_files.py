"""Text files with a limit on their size, and TOML with limits that keep its parser fast.

Python's TOML parser takes time and memory that grow with the square of the number of parts in a dotted key: 50,000
parts took three minutes and 10 GB. It also recurses into nested arrays.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from regretless.errors import FileError

__all__ = ["MOST_BYTES", "parse_toml", "read_text_file"]

MOST_BYTES = 1_000_000
"""Size of the largest spot, game definition or hand history that is read. Those of people have a few thousand bytes."""

MOST_KEY_PARTS = 16
"""Parts of a dotted key."""

STRINGS = re.compile(r'"(?:\\.|[^"\\\n])*"?|\'[^\'\n]*\'?|#[^\n]*')
"""Strings and comments; an unclosed string ends with its line, so that the search takes linear time."""
LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){{{MOST_KEY_PARTS},}}")


def read_text_file(path: str | os.PathLike[str], kind: str, most: int = MOST_BYTES) -> str:
    """The text of a file; FileError if it cannot be read, is no text, or is larger than `most` bytes.

    kind: what the file should be, for messages.
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror or error}") from None
    except ValueError as error:  # a path with a zero byte
        raise FileError(f"cannot read {name!r}: {error}") from None
    if len(data) > most:
        raise FileError(f"{name} is too large for a {kind}: at most {most:,} bytes are read")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"{name} is no text file, so it is no {kind}") from None


def parse_toml(text: str, name: str, kind: str) -> dict[str, Any]:
    """The table that a text in TOML describes; FileError with `name` if it cannot be parsed."""
    if len(text) > MOST_BYTES:
        raise FileError(f"{name} is too large for a {kind}: at most {MOST_BYTES:,} characters are read")
    if LONG_KEY.search(STRINGS.sub("s", text)):
        raise FileError(f"{name} is not written as TOML: it has a key of more than {MOST_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise FileError(f"{name} is not written as TOML: its values are nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{name} is not written as TOML: {error}") from None
    except ValueError:  # Python converts integers of at most 4,300 digits
        raise FileError(f"{name} is not written as TOML: it has a number of too many digits") from None
