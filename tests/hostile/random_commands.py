"""Random command lines: each ends in time with exit code 0, or with one sentence and exit code 2."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import poker_files
from trials import Trial

import regretless as rg
from regretless.apps.cli import main

__all__ = ["trials"]

SECONDS, MEMORY = 60.0, 3 << 30
"""Of processor time and bytes for a command in this process."""

AS_PROCESS = 0.03
"""Part of the command lines that run as a process of their own."""

FILES = {
    "kuhn.run": None,
    "kuhn.strategy": None,
    "notes.txt": b"nothing\n",
    "empty.run": b"",
    "spot.toml": poker_files.SPOT.replace("Qs Jh 2h", "Qs Jh 2h 7c 3d").encode(),
    "leduc.game": poker_files.GAME.encode(),
    "hand.phh": poker_files.HAND.encode(),
    "broken.py": b"import nothing_like_this\n",
    "loops.py": b"import regretless as rg\nclass Loop(rg.Game):\n    players = 2\n",
}

GAMES = (
    "kuhn", "rps", "leduc", "kuhn:players=3", "kuhn:players=99999999999", "leduc:ranks=999999999", "goofspiel:cards=3",
    "kuhn:", "kuhn:=", "kuhn:players", "kuhn:players=x", "nosuch", "", " ", "spot.toml", "leduc.game", "hand.phh",
    "kuhn.run", "broken.py:Game", "loops.py:Loop", "loops.py:Missing", "loops.py", "missing.py:Game", "..", "/dev/null",
    "openspiel:kuhn_poker", "openspiel:efg_game(filename=/etc/passwd)", "x" * 5_000, "kuhn\0", "☃", "-", "matrix:[[1]]",
    "liar_die:sides=2", "dudo:dice=9,sides=9", "blotto:soldiers=-1", "fhp:caps=1", "os:kuhn_poker",
)  # fmt: skip

METHODS = (
    "cfr", "cfr+", "dcfr", "pcfr+", "mccfr", "fsicfr", "cfr-br", "mccfr:sampling=outcome", "cfr+:delay=-1",
    "cfr+:delay=1e999", "nosuch", "", "cfr,cfr+", "mccfr:variant=pcfr+", "omd", "regret-matching", "cfr+:", "☃",
)  # fmt: skip

NUMBERS = ("0", "1", "3", "-1", "1e-3", "1e999", "nan", "inf", "9" * 400, "x", "", "0.3%", "5mbb", "2.5")

PATHS = (
    "kuhn.run", "kuhn.strategy", "out.run", "new/out.run", "notes.txt", "empty.run", "/dev/null", "/proc/x", ".", "",
    "/nosuch/out.run", "out.png", "out.svg", "out.csv", "out.xyz", "x" * 300, "a\0b", "☃.run", "missing.run",
)  # fmt: skip

OPTIONS = {
    "-n": NUMBERS, "--until": NUMBERS, "--seconds": ("0.1", "0", "nan", "x", "-1"), "--out": PATHS, "-o": PATHS,
    "--plot": PATHS, "--seed": NUMBERS, "--threads": ("1", "2", "0", "-1", "x", "99999999999999999999"),
    "--dtype": ("float64", "float32", "int16", "x"), "--device": ("cpu", "cuda", "x"), "-a": METHODS,
    "--checkpoint-every": ("0", "-1", "nan", "x"), "--measure": ("never", "1", "1.1", "0", "-1", "x", "1e999"),
    "--resume": (), "--overwrite": (), "--json": (), "-q": (), "--csv": PATHS, "--player": ("0", "1", "7", "-1", "x"),
    "--limit": ("1", "0", "x"), "--current": (), "--threshold": NUMBERS, "--at": ("K", "Kp", "☃", ""),
    "--history": ("J, Q", ""), "--hands": ("5", "0", "x"), "--histories": ("2", "1", "x"), "--workers": ("1", "0"),
    "--seeds": ("1", "0"), "--board": ("Qs Jh 2h", "x"), "--nonsense": (), "--help": (), "--version": (), "--": (),
}  # fmt: skip

COMMANDS = {
    "solve": (GAMES,),
    "compare": (GAMES,),
    "check": (GAMES,),
    "show": (PATHS, ("K", "Q*", "", "☃")),
    "clean": (PATHS,),
    "resolve": (PATHS,),
    "match": (GAMES, PATHS, PATHS),
    "export": (GAMES, PATHS),
    "games": (),
    "algorithms": (),
    "nosuch": (PATHS,),
}


def trials(seed: int) -> Iterator[Trial]:
    """Command lines without end."""
    draw = random.Random(f"commands {seed}")
    while True:
        words = _words(draw)
        evidence = "\n".join(map(repr, words)).encode("utf-8", "surrogatepass")
        if draw.random() < AS_PROCESS:
            yield Trial("process", repr(words)[:300], lambda words=words: attempt_process(words), evidence)
        else:
            yield Trial(f"regretless {words[0]}", repr(words)[:300], lambda words=words: attempt(words), evidence)


def _words(draw: random.Random) -> list[str]:
    """A command, its arguments and some options; large solves are kept short."""
    command = draw.choice(list(COMMANDS))
    words = [command]
    for choices in COMMANDS[command]:
        if draw.random() < 0.95:
            words.append(draw.choice(choices))
    for option in draw.sample(list(OPTIONS), draw.randrange(4)):
        words.append(option)
        if OPTIONS[option] and draw.random() < 0.97:
            words.append(draw.choice(OPTIONS[option]))
    if command in ("solve", "compare") and "-n" not in words and "--seconds" not in words:
        words[1:1] = ["-n", "3"]
    return words


def _fill(folder: Path) -> None:
    run = rg.solve("kuhn", iterations=3)
    for name, content in FILES.items():
        if content is not None:
            (folder / name).write_bytes(content)
    run.save(folder / "kuhn.run")
    run.strategy.save(folder / "kuhn.strategy")


def attempt(words: list[str]) -> None:
    """Run a command line in this process, in a folder of its own."""
    out, err = io.StringIO(), io.StringIO()
    code: object = None
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        _fill(Path(folder))
        os.chdir(folder)
        try:
            with redirect_stdout(out), redirect_stderr(err), poker_files.bounded(SECONDS, MEMORY):
                main(list(words))
        except SystemExit as ended:
            code = ended.code
        except BaseException as error:
            raise AssertionError(f"{type(error).__name__}: {error}") from error
        finally:
            os.chdir(before)
        _check(words, 0 if code is None else code, err.getvalue(), Path(folder))


def attempt_process(words: list[str]) -> None:
    """Run a command line as a process, its output read, closed or full."""
    if any("\0" in word for word in words):  # no system passes it on
        return
    source = str(Path(rg.__file__).parents[1])
    with tempfile.TemporaryDirectory() as folder:
        _fill(Path(folder))
        process = subprocess.Popen(
            [sys.executable, "-m", "regretless", *words],
            cwd=folder, env={**os.environ, "PYTHONPATH": source}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        )  # fmt: skip
        try:
            _, err = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            raise AssertionError("no end after 300 s") from None
        _check(words, process.returncode, err, Path(folder))


def _check(words: list[str], code: object, err: str, folder: Path) -> None:
    assert code in (0, 2), f"exit code {code}: {err[-2_000:]}"
    assert "Traceback" not in err, err[-2_000:]
    if code == 2 and (err or words[0] != "check"):  # check prints its report and exits with 2 for a broken game
        lines = [line for line in err.splitlines() if not line.startswith("regretless: warning: ")]
        assert lines and lines[-1].startswith("regretless: "), f"no sentence but {err[-500:]!r}"
        assert len(lines[-1]) < 12_000, f"a sentence of {len(lines[-1]):,} characters"
    left = [file.name for file in folder.rglob("*") if file.name.endswith((".part", ".lock"))]
    assert not left, f"left behind: {left}"
