"""The runs that the explorer was given: known by their numbers, read when somebody looks at them.

Nothing that comes from a browser is ever taken for a path: a request names a run by its place in this list.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from regretless.apps.views.loaded_run import GameTree, Opened
from regretless.apps.views.run_headers import KINDS, Followed, Glance, without_folders
from regretless.errors import FileError, RegretlessError
from regretless.storage import read_header

if TYPE_CHECKING:
    from regretless.game import Game

__all__ = ["Entry", "Library", "Missing"]

MOST_OPEN = 6
"""Runs that are kept in memory at a time."""


class Missing(RegretlessError):
    """There is no such run."""


@dataclass(frozen=True)
class Entry:
    """A run by its number."""

    number: int
    followed: Followed

    @property
    def name(self) -> str:
        """As the pages call it."""
        return self.followed.name

    def look(self) -> Glance:
        """What its file says of itself now."""
        return self.followed.look()


class Library:
    """All runs, by number; numbers never change while the explorer runs."""

    def __init__(self, given: Sequence[str] = (), game: str | None = None) -> None:
        self.game_given = game
        self._entries: list[Entry] = []
        self._folders: list[Path] = []
        self._opened: OrderedDict[int, Opened] = OrderedDict()
        self._trees: dict[str, GameTree] = {}
        self._lock = threading.Lock()
        for text in given:
            path = Path(text).expanduser()
            if path.is_dir():
                self._folders.append(path)
            elif path.exists():
                self.add(path)
            else:
                raise FileError(f"cannot read {text}: no such file; regretless solve GAME --out {text} makes one")
        self._look_through_folders()
        if self._folders and not self._entries:
            raise FileError(f"there is no run in {self._folders[0]}: regretless solve GAME --out FILE makes one")

    def add(self, path: Path, name: str | None = None) -> Entry:
        """Take in one more file."""
        with self._lock:
            known = next((e for e in self._entries if e.followed.path == path), None)
            if known is not None:
                return known
            entry = Entry(len(self._entries), Followed(path, name or self._name(path)))
            self._entries.append(entry)
            return entry

    def _name(self, path: Path) -> str:
        """The file's name, with as much of its folder as tells it from the others."""
        taken = {entry.name for entry in self._entries}
        parts = path.absolute().parts
        return next((n for k in range(1, len(parts)) if (n := "/".join(parts[-k:])) not in taken), str(path))

    def _look_through_folders(self) -> None:
        """Take in what has been written into the folders that were given."""
        for folder in self._folders:
            known = {entry.followed.path for entry in self._entries}
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                if path in known or path.name.startswith(".") or path.is_symlink() or not path.is_file():
                    continue
                try:
                    if read_header(path).get("format") in KINDS:
                        self.add(path)
                except FileError:
                    continue  # some other file

    def entries(self) -> list[Entry]:
        """All runs, those included that have been written into a given folder since."""
        self._look_through_folders()
        return list(self._entries)

    def entry(self, number: int) -> Entry:
        """The run of a number."""
        if not 0 <= number < len(self._entries):
            raise Missing(f"there is no run number {number}: this explorer was given {len(self._entries)}")
        return self._entries[number]

    def opened(self, number: int) -> Opened:
        """A run with its strategy, read again if its file has been written since."""
        entry = self.entry(number)
        glance = entry.look()
        if glance.problem:
            raise FileError(glance.problem)
        with self._lock:
            known = self._opened.get(number)
            if known is None or known.glance.signature != glance.signature:
                known = self._opened[number] = Opened(self, entry, glance)
            self._opened.move_to_end(number)
            while len(self._opened) > MOST_OPEN:
                self._opened.popitem(last=False)
        return known

    def discreet(self, sentence: str) -> str:
        """A sentence that speaks of files by their names: where they lie is nobody's business in a browser."""
        for entry in self._entries:
            sentence = without_folders(sentence, entry.followed.path)
        return sentence

    def tree_of(self, game: Game, key: str) -> GameTree:
        """The tree of a game with its outline, built once for all runs of the game."""
        with self._lock:
            return self._trees.setdefault(key, GameTree(game))
