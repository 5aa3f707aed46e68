"""The runs that were given on the command line: known by number, loaded when a page needs them.

A request names a run by its number in this list. Nothing that a browser sends is ever used as a path.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from regretless.apps.views.loaded_run import GameTree, LoadedRun
from regretless.apps.views.run_headers import FORMATS, RunFile, RunHeader, without_folders
from regretless.errors import FileError, RegretlessError
from regretless.storage import read_header

if TYPE_CHECKING:
    from regretless.game import Game

__all__ = ["Entry", "Library", "NotFound"]

ABSTRACTION, ABSTRACTION_FORMAT = ".abs", "regretless abstraction"
"""How the names of files with card abstractions end, and their format (`poker.abstraction.abstraction_files`)."""

MOST_LOADED = 6
"""Runs that are kept in memory at a time."""


class NotFound(RegretlessError):
    """There is no such run or page."""


@dataclass(frozen=True)
class Entry:
    """A run by its number."""

    number: int
    file: RunFile
    game: str | None = None
    """The game with its card abstraction, of a run that was solved here; a run by buckets does not hold it."""

    @property
    def name(self) -> str:
        """The name on the pages."""
        return self.file.name

    def header(self) -> RunHeader:
        """The current header of its file."""
        return self.file.header()


class Library:
    """All runs, by number. Numbers do not change while the explorer runs."""

    def __init__(self, given: Sequence[str] = (), game: str | None = None) -> None:
        self.game_given = game
        self._entries: list[Entry] = []
        self._folders: list[Path] = []
        self._abstractions: list[Path] = []
        self._loaded: OrderedDict[int, LoadedRun] = OrderedDict()
        self._trees: dict[str, GameTree] = {}
        self._lock = threading.Lock()
        for text in given:
            path = Path(text).expanduser()
            if path.is_dir():
                self._folders.append(path)
            elif path.exists():
                if not self._is_abstraction(path):
                    self.add(path)
            else:
                raise FileError(f"cannot read {text}: no such file; regretless solve GAME --out {text} makes one")
        self._search_folders()
        if self._folders and not self._entries and not self.abstractions():
            raise FileError(f"there is no run in {self._folders[0]}: regretless solve GAME --out FILE makes one")

    def _is_abstraction(self, path: Path) -> bool:
        """Whether a file holds a card abstraction, which is kept in a list of its own."""
        if path in self._abstractions:
            return True
        try:
            found = path.suffix == ABSTRACTION and read_header(path).get("format") == ABSTRACTION_FORMAT
        except FileError:
            return False
        if found:
            self._abstractions.append(path)
        return found

    def abstractions(self, further: Path | None = None) -> list[Path]:
        """Card abstractions that were given, and those in the given folders and in a further one, such as hulh.abs."""
        with self._lock:
            for folder in (*self._folders, *([further] if further else [])):
                for path in sorted(folder.glob(f"*{ABSTRACTION}")) if folder.is_dir() else ():
                    if not path.name.startswith(".") and not path.is_symlink() and path.is_file():
                        self._is_abstraction(path)
            return list(self._abstractions)

    def add(self, path: Path, name: str | None = None, game: str | None = None) -> Entry:
        """Add a file; a file that is known keeps its number."""
        with self._lock:
            known = next((entry for entry in self._entries if entry.file.path == path), None)
            if known is not None:
                return known
            entry = Entry(len(self._entries), RunFile(path, name or self._unique_name(path)), game)
            self._entries.append(entry)
            return entry

    def _unique_name(self, path: Path) -> str:
        """The file's name, with as many of its folders as make it unique."""
        taken = {entry.name for entry in self._entries}
        parts = path.absolute().parts
        return next((n for k in range(1, len(parts)) if (n := "/".join(parts[-k:])) not in taken), str(path))

    def _search_folders(self) -> None:
        """Add files that were written into the given folders since the last search."""
        for folder in self._folders:
            known = {entry.file.path for entry in self._entries}
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                if path in known or path.name.startswith(".") or path.is_symlink() or not path.is_file():
                    continue
                try:
                    if read_header(path).get("format") in FORMATS:
                        self.add(path)
                except FileError:
                    continue  # not one of our files

    def entries(self) -> list[Entry]:
        """All runs, including new files in the given folders."""
        self._search_folders()
        return list(self._entries)

    def entry(self, number: int) -> Entry:
        """The run with a number."""
        if not 0 <= number < len(self._entries):
            raise NotFound(f"there is no run number {number}: this explorer was given {len(self._entries)}")
        return self._entries[number]

    def load(self, number: int) -> LoadedRun:
        """A run with its strategy, loaded again if its file has changed."""
        entry = self.entry(number)
        header = entry.header()
        if header.problem:
            raise FileError(header.problem)
        with self._lock:
            known = self._loaded.get(number)
            if known is None or known.header.signature != header.signature:
                known = self._loaded[number] = LoadedRun(self, entry, header)
            self._loaded.move_to_end(number)
            while len(self._loaded) > MOST_LOADED:
                self._loaded.popitem(last=False)
        return known

    def hide_folders(self, sentence: str) -> str:
        """A message for a browser: files are named without the folders of this machine."""
        for entry in self._entries:
            sentence = without_folders(sentence, entry.file.path)
        return sentence

    def tree_of(self, game: Game, key: str) -> GameTree:
        """The tree of a game with its outline, built once for all runs of the game."""
        with self._lock:
            return self._trees.setdefault(key, GameTree(game))
