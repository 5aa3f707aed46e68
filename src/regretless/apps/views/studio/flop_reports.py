"""Reports over the runs that are open: which of them are one spot on several flops, and their nodes, read one by one.

A run on a flop may be gigabytes, so runs are read by one thread in the background, and only the node of each is kept.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from regretless.apps.views.library import Library
from regretless.apps.views.run_headers import RunFile, Signature
from regretless.errors import FileError, OptionError, RegretlessError
from regretless.kernels.constants import DEAL
from regretless.poker.cards.deck import STANDARD
from regretless.poker.formats.game_json import game_from_json
from regretless.poker.formats.run_files import open_public_run
from regretless.poker.games import PublicGame
from regretless.poker.results.reports import FlopNode, flop_node
from regretless.poker.tree.memory_estimate import free_memory, readable
from regretless.storage import read_header

__all__ = ["FlopReader", "FlopRun", "ReportedSpot"]

BYTES, SHARE_OF_MEMORY = 4, 0.6
"""Bytes of a number of a strategy, and the part of the free memory that one run may take while it is read."""

MOST_NODES = 8_000
"""Nodes that are kept: four lines of play on all flops."""


@dataclass(frozen=True)
class FlopRun:
    """A run of a spot that begins on a flop."""

    number: int
    name: str
    path: Path
    signature: Signature
    board: str
    spot: str
    """What all runs of one spot have in common: betting and ranges, as text."""


@dataclass(frozen=True)
class ReportedSpot:
    """A spot with its runs, one for each flop."""

    runs: tuple[FlopRun, ...]
    left_out: tuple[FlopRun, ...]
    """Further runs on one of these flops."""
    game: PublicGame
    """The spot on the first flop."""

    @property
    def title(self) -> str:
        """The spot in a list of spots."""
        rules = self.game.betting
        flops = f"{len(self.runs):,} flop{'' if len(self.runs) == 1 else 's'}"
        stack = getattr(rules, "stack", None)
        behind = "" if stack is None else f", stack {stack:,.6g}"
        return f"{flops}, pot {self.game.pot:,.6g}{behind}: {self.runs[0].name}{' …' if len(self.runs) > 1 else ''}"

    def node(self, line: str) -> int:
        """The node of a line of play on the flop; OptionError for any other line."""
        tree = self.game.betting_tree()
        node = tree.find(line)
        if tree.kind[node] >= DEAL:
            raise OptionError(f"after {line!r} nobody decides any more")
        if tree.street[node] != 0:
            raise OptionError(f"a report is about the flop, and {line!r} leads to the {tree.street_names[1]}")
        return node


class FlopReader:
    """The spots and the nodes of an explorer's runs; thread-safe."""

    def __init__(self) -> None:
        self._runs: dict[tuple[Path, Signature], FlopRun | None] = {}
        self._nodes: OrderedDict[tuple[FlopRun, str], FlopNode | RegretlessError] = OrderedDict()
        self._wanted: list[tuple[FlopRun, str]] = []
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def spots(self, library: Library) -> list[ReportedSpot]:
        """The spots of all runs on flops, those with most flops first."""
        found: dict[str, list[FlopRun]] = {}
        for entry in library.entries():
            header = entry.header()
            if header.kind == "holdem" and (run := self._run(entry.number, entry.file)):
                found.setdefault(run.spot, []).append(run)
        spots = [_spot(runs) for runs in found.values()]
        return sorted(spots, key=lambda spot: -len(spot.runs))

    def _run(self, number: int, file: RunFile) -> FlopRun | None:
        """A run on a flop; None for others. Its header is read again only if the file has changed."""
        signature = file.signature()
        if signature is None:
            return None
        key = file.path, signature
        if key not in self._runs:
            self._runs[key] = _flop_run(number, file, signature)
        return self._runs[key]

    def nodes(self, spot: ReportedSpot, line: str, seconds: float) -> tuple[list[FlopNode], int]:
        """The nodes that are known after some seconds, and how many runs are still to be read."""
        wanted = [(run, line) for run in spot.runs]
        with self._changed:
            self._wanted = [key for key in wanted if key not in self._nodes]
            if self._wanted and self._thread is None:
                self._thread = threading.Thread(target=self._read_all, daemon=True)
                self._thread.start()
            self._changed.wait_for(lambda: all(key in self._nodes for key in wanted), seconds)
            known = [self._nodes[key] for key in wanted if key in self._nodes]
        for one in known:
            if isinstance(one, RegretlessError):
                raise one
        return [one for one in known if isinstance(one, FlopNode)], len(wanted) - len(known)

    def _read_all(self) -> None:
        """Read what the last request wants, run by run."""
        while True:
            with self._changed:
                if not self._wanted:
                    self._thread = None
                    return
                run, line = self._wanted.pop(0)
            found = _read(run, line)
            with self._changed:
                self._nodes[run, line] = found
                while len(self._nodes) > MOST_NODES:
                    self._nodes.popitem(last=False)
                self._changed.notify_all()


def _read(run: FlopRun, line: str) -> FlopNode | RegretlessError:
    try:
        tree, arrays, _ = open_public_run(run.path)
        needed, free = BYTES * tree.numbers, free_memory()
        if free is not None and needed > SHARE_OF_MEMORY * free:
            raise OptionError(f"{run.name} takes {readable(needed)} of memory, and {readable(free)} are free")
        return flop_node(run.name, tree.strategy(arrays, "average"), line)
    except RegretlessError as error:
        return error
    except (MemoryError, OSError) as error:  # the file was taken away, or is too large
        return FileError(f"{run.name} cannot be read: {type(error).__name__}")


def _spot(runs: Sequence[FlopRun]) -> ReportedSpot:
    by_board: dict[str, FlopRun] = {}
    for run in runs:
        by_board.setdefault(run.board, run)
    chosen = tuple(by_board.values())
    left_out = tuple(run for run in runs if run not in chosen)
    return ReportedSpot(chosen, left_out, game_from_json(read_header(chosen[0].path)["description"]))


def _flop_run(number: int, file: RunFile, signature: Signature) -> FlopRun | None:
    try:
        told = read_header(file.path)["description"]
        board = told["board"]
        if len(board) != 3 or told["deck"] != [STANDARD.ranks, STANDARD.suits] or "abstraction" in told:
            return None
        spot = json.dumps([told["rules"], told["betting"], told["ranges"]])
        return FlopRun(number, file.name, file.path, signature, STANDARD.hand_name(tuple(map(int, board))), spot)
    except (RegretlessError, KeyError, TypeError, ValueError, IndexError):
        return None  # the page of the run says what is wrong with it
