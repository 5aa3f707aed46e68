"""Names of a package that are imported when they are first used, so that a program loads only what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["on_demand"]


def on_demand(
    package: str, homes: Mapping[str, str], why_not: Callable[[str], str | None] = lambda _: None
) -> Callable[[str], Any]:
    """The `__getattr__` of a package: homes are the modules of its names, "" for a name that is a module itself.

    why_not: what else to say about a name that the package does not have.
    """

    def find(name: str) -> Any:
        if name not in homes:
            further = f": {sentence}" if (sentence := why_not(name)) else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{further}")
        home = homes[name]
        found = getattr(import_module(f"{package}.{home}"), name) if home else import_module(f"{package}.{name}")
        setattr(sys.modules[package], name, found)
        return found

    return find
