"""Whether a solve may write its checkpoint to a file that exists: not where that replaces the run of another solve."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regretless.errors import FileError, OptionError
from regretless.lookup.game_name import name_of
from regretless.lookup.methods import method_to_json, with_defaults
from regretless.lookup.problems import kind_in
from regretless.method import Method
from regretless.problem import Problem
from regretless.storage import read_header

__all__ = ["check_checkpoint"]

COMPARED = ("seed", "dtype", "fixed")
"""Settings that a run of the same numbers has in common, besides game and method."""


def check_checkpoint(path: str | os.PathLike[str], problem: Problem, method: Method, plan: Mapping[str, Any]) -> None:
    """Raise OptionError if the file holds another run, or no run at all; `plan` has the settings of the new one."""
    if not Path(path).is_file():
        return
    name = os.fspath(path)
    advice = "name another file, or pass overwrite=True to replace it"
    try:
        header = read_header(path)
    except FileError:
        raise OptionError(f"{name} exists and is not a run: {advice}") from None
    if "method" not in header:
        raise OptionError(f"{name} exists and is not a run: {advice}")
    difference = _difference(header, problem, method, plan)
    if difference:
        iterations = int(header.get("iterations", 0))
        raise OptionError(f"{name} holds {iterations:,} iterations of another solve, {difference}: {advice}")


def _difference(header: Mapping[str, Any], problem: Problem, method: Method, plan: Mapping[str, Any]) -> str:
    """In what the run of a header differs from a new one, or an empty text."""
    same, kind = header.get("fingerprint") == problem.fingerprint, kind_in(header)
    shaped = not same and kind != problem.kind and header.get("game") == name_of(problem.game)
    if not same and not shaped:
        return f"on {header.get('game')}, which is another game or has changed"
    old, new = header["method"], json.loads(json.dumps(method_to_json(method)))
    if not isinstance(old, dict) or old.get("class") != new.get("class"):
        return f"by {old.get('class') if isinstance(old, dict) else old} and not by {new.get('class')}"
    old = with_defaults(old, method)
    changed = sorted(field for field in {*old, *new} if old.get(field) != new.get(field))
    if changed:
        return "by " + ", ".join(f"{field}={old.get(field)} and not {new.get(field)}" for field in changed)
    if shaped:  # by the same method, which was given the game as another problem
        return f"on {header.get('game')} as a {kind} and not as a {problem.kind}"
    settings = header.get("settings", {})
    for setting in COMPARED:
        if settings.get(setting) != plan[setting]:
            return f"with {setting}={settings.get(setting)} and not {plan[setting]}"
    return ""
