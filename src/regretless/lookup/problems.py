"""How runs of each kind of problem are read from files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from regretless.errors import FileError
from regretless.lookup.plugins import plugin
from regretless.problem import Arrays, Problem, Reader, reader_of
from regretless.storage import PUBLIC_FORMAT, check_run_header, read_header

__all__ = ["kind_in", "read_problem"]


def kind_in(meta: Mapping[str, Any]) -> str:
    """The kind of problem that a run's header describes; headers of the first version do not name it."""
    if "problem" in meta:
        return str(meta["problem"])
    if meta.get("format") == PUBLIC_FORMAT:
        return "public tree"
    return "compiled game" if "infoset_numbers" in meta else "tree"


def read_problem(path: str | os.PathLike[str], game: Any = None) -> tuple[Problem, Arrays, dict[str, Any]]:
    """The problem, the arrays and the description in a run's file; `game` helps where the file cannot name it."""
    meta = read_header(path)
    check_run_header(path, meta)
    kind = kind_in(meta)
    return _reader(path, kind)(path, game)


def _reader(path: str | os.PathLike[str], kind: str) -> Reader:
    if kind in ("tree", "graph"):
        from regretless.tree import read_labelled_run

        return read_labelled_run
    if kind == "compiled game":
        from regretless.sampling.unlisted_problem import read_table_run

        return read_table_run
    if kind == "public tree":
        from regretless.poker.formats.run_files import open_public_run

        return open_public_run
    if kind == "bucketed tree":
        from regretless.poker.abstraction.bucketed_tree import read_bucketed_run

        return read_bucketed_run
    if kind == "sampled hold'em":
        from regretless.deep.games.sampled_holdem import read_sampled_run

        return read_sampled_run
    if kind == "walked game":
        from regretless.sampling.in_python.walked_game import read_walked_run

        return read_walked_run
    found = reader_of(kind) or plugin("regretless.problems", kind)
    if found is None:
        raise FileError(
            f"{os.fspath(path)} is a run of a {kind[:80]!r} problem, which no installed package knows how to read"
        )
    reader: Reader = found
    return reader
