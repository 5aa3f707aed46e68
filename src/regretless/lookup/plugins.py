"""What other packages add, through entry points.

| group | an entry is | found by |
|---|---|---|
| `regretless.methods` | a method, or a class whose settings all have defaults | `rg.solve(game, "name")`, `-a name` |
| `regretless.games` | a subclass of `Game`, or a game | `rg.solve("name")`, `regretless solve name` |
| `regretless.problems` | a function that reads a run's file, see `problem.reads` | files that name the kind |

An entry is loaded when its name is asked for; listing names loads all. A package that cannot be loaded is reported in a
sentence when it is asked for, and left out of lists with a warning.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from regretless.errors import OptionError

__all__ = ["all_plugins", "plugin", "plugin_names"]


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}


def plugin_names(group: str) -> tuple[str, ...]:
    """The names that installed packages add to a group; nothing is loaded."""
    return tuple(_entries(group))


def plugin(group: str, name: str) -> Any:
    """What an installed package offers under a name, or None."""
    entry = _entries(group).get(name)
    if entry is None:
        return None
    try:
        return entry.load()
    except Exception as error:  # code of another package may fail in any way
        raise OptionError(
            f"{name!r} is offered by the entry point {entry.value!r}, which cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error


def all_plugins(group: str) -> dict[str, Any]:
    """Everything of a group that can be loaded, by name; a warning for the rest."""
    out = {}
    for name in plugin_names(group):
        try:
            out[name] = plugin(group, name)
        except OptionError as error:
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)
    return out
