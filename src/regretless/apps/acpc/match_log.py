"""The log of a match in the format of the competition's dealer.

    # name/game/hands/seed match hulh 3000 1
    STATE:0:rc/rf:AsKh|7c2d/QsJh2h:100|-100:Alice|Bob
    SCORE:100|-100:Alice|Bob

The players and chips of a STATE line are by position, so they change sides with the seats. Those of the SCORE line are
by seat. A match that was cut short has no SCORE line; a comment says why.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from regretless.errors import FileError
from regretless.poker.betting.sizes import spell_chips

__all__ = ["MatchLog"]


class MatchLog:
    """A log file that is written line by line, so that a match that is cut short keeps its finished hands."""

    def __init__(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        self.path, self.hands = Path(path), 0
        try:
            self._file = self.path.open("w" if overwrite else "x", encoding="utf-8", newline="\n")
        except FileExistsError:
            raise FileError(f"{self.path} is there already: add --overwrite to replace it") from None
        except OSError as error:
            raise FileError(f"cannot write {self.path}: {error.strerror or error}") from None

    def comment(self, text: str) -> None:
        """Write a comment."""
        self._write("# " + " ".join(text.split()))

    def setting(self, name: str, seconds: float) -> None:
        """Write a time limit as the competition's dealer does, in milliseconds."""
        self._write(f"#--{name} {round(1000 * seconds)}")

    def hand(self, number: int, betting: str, cards: str, won: Sequence[float], names: Sequence[str]) -> None:
        """Write a finished hand; chips and names are by position."""
        self._write(f"STATE:{number}:{betting}:{cards}:{'|'.join(map(spell_chips, won))}:{'|'.join(names)}")
        self.hands += 1

    def score(self, total: Sequence[float], names: Sequence[str]) -> None:
        """Write the result; chips and names are by seat."""
        self._write(f"SCORE:{'|'.join(map(spell_chips, total))}:{'|'.join(names)}")

    def _write(self, line: str) -> None:
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except OSError as error:
            raise FileError(f"cannot write {self.path}: {error.strerror or error}") from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()
