"""What the tests of the command line share: a way to run it, and games that users get wrong."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

import regretless
from regretless.apps.cli import main


@dataclass(frozen=True)
class Answer:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    def refused(self) -> str:
        """The one sentence of a command that was refused."""
        assert self.code == 2, (self.code, self.out, self.err)
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("regretless: ")
        assert "Traceback" not in self.out + self.err
        return lines[0]


def command(*arguments: object) -> Answer:
    """Run the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    code = ended.value.code
    return Answer(code if isinstance(code, int) else 0 if code is None else 1, out.getvalue(), err.getvalue())


def surroundings() -> dict[str, str]:
    """The environment of a process that must find this very package from any folder."""
    return {**os.environ, "PYTHONPATH": str(Path(regretless.__file__).parents[1])}


def start(*arguments: object, folder: Path) -> subprocess.Popen[str]:
    """Start the command line as a process of its own, in a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "regretless", *map(str, arguments)],
        cwd=folder, env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def write_games(file: Path) -> Path:
    """Write a file with a sound game and with broken ones."""
    file.write_text(
        dedent(
            '''
            import regretless as rg

            class Guess(rg.Game):
                """Player 0 hides a coin, player 1 guesses the side."""
                def root(self): return ""
                def player(self, h): return rg.TERMINAL if len(h) == 2 else len(h)
                def actions(self, h): return "HT"
                def play(self, h, a): return h + a
                def infoset(self, h): return len(h)
                def payoffs(self, h): return (-1, 1) if h[0] == h[1] else (1, -1)

            class Raises(Guess):
                def play(self, h, a):
                    if h + a == "TT":
                        raise KeyError("oops")
                    return h + a

            class RaisesInLabels(Guess):
                def infoset_label(self, infoset): return {0: "first"}[infoset]

            class OtherActions(Guess):
                def actions(self, h): return "HTX" if h == "T" else "HT"

            class Endless(Guess):
                def player(self, h): return len(h) % 2

            class Short(Guess):
                def payoffs(self, h): return (1,)

            class Forgetful(Guess):
                def player(self, h): return rg.TERMINAL if len(h) == 3 else 0
                def payoffs(self, h): return (1, -1)

            class Huge(Guess):
                def player(self, h): return rg.TERMINAL if len(h) == 60 else len(h) % 2
                def infoset(self, h): return h

            class Unfinished(rg.Game):
                def root(self): return ""
            '''
        )
    )
    return file


def leftovers(folder: Path) -> list[Path]:
    """Files that a write which failed has left behind."""
    return [path for path in folder.rglob("*") if path.name.endswith(".part")]
