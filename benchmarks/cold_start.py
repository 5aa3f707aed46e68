"""The first use on a machine: commands with an empty cache of compiled kernels, and once more with a full one.

    python -m benchmarks.cold_start [--rounds 3]

Seconds of user and system time are what counts: on a machine that does something else as well, they vary less than
wall time. The least of all rounds is kept.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import NamedTuple

from benchmarks.record import circumstances, write
from benchmarks.timing import Row

RIVER = """
board = "Qs Jh 2h 7c 3d"
pot = 100
stack = 200
[ranges]
oop = "QQ+,AK,JTs"
ip = "JJ-99,AQ,KQs,T9s:0.5"
[sizes]
bet = "50% 100%"
raise = "2.5x"
"""

COMMANDS = {
    "Kuhn poker by CFR+": (["solve", "kuhn"], 5.0),
    "Leduc poker by MCCFR": (["solve", "leduc", "-a", "mccfr"], 8.0),
    "a river spot by CFR+": (["solve", "river.toml", "-n", "100"], 8.0),
    "Dudo with recall 2 by FSICFR": (["solve", "dudo:sides=3,recall=2", "-a", "fsicfr", "-n", "100"], 8.0),
}
"""What is run, and the seconds that the issue on first use allows with an empty cache."""


class Taken(NamedTuple):
    """Seconds of one command."""

    processor: float
    wall: float


def taken(command: list[str], folder: str, cache: str) -> Taken:
    """Run `regretless` with kernels cached in a folder."""
    source = Path(__file__).parent.parent / "src"
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": os.fspath(source)}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "regretless", *command], cwd=folder, env=environment, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(spent, time.perf_counter() - began)


def cold_and_warm(command: list[str]) -> tuple[Taken, Taken]:
    """The same command with an empty cache, and again with what the first one compiled."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        (Path(folder) / "river.toml").write_text(RIVER)
        return taken(command, folder, cache), taken(command, folder, cache)


def row(what: str, rounds: int) -> Row:
    """One command: the least times of some rounds."""
    command, allowed = COMMANDS[what]
    cold, warm = zip(*(cold_and_warm(command) for _ in range(rounds)), strict=True)
    least = min(each.processor for each in cold)
    return {
        "what": what,
        "command": f"regretless {' '.join(command)}",
        "cold, processor": f"{least:.1f} s",
        "cold, wall": f"{min(each.wall for each in cold):.1f} s",
        "warm, processor": f"{min(each.processor for each in warm):.2f} s",
        "target": f"≤ {allowed:g} s cold",
        "met": "yes" if least <= allowed else "no",
    }


def main() -> None:
    """Measure all commands and write the table."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    about = {**circumstances(), "load": f"{os.getloadavg()[0]:.1f} (processes that wanted to run when it began)"}
    write("cold-start", [row(what, rounds) for what in COMMANDS], about)


if __name__ == "__main__":
    main()
