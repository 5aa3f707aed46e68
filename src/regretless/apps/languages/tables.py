"""The table of translations: English texts and their Chinese, in `zh.toml` beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

__all__ = ["chinese"]


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("regretless.apps.languages").joinpath("zh.toml").read_text("utf-8"))


def chinese(part: str) -> Mapping[str, str]:
    """English text → Chinese text of a part of the table: help, labels or patterns."""
    return _table()[part]
