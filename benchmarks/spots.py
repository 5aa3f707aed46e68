"""No-limit spots beside a peer, postflop-solver, where an executable that runs it is installed.

    python -m benchmarks.spots [NAME …] [--peer PROGRAM] [--rounds 3] [--write]

PROGRAM (or the environment variable SPOTS_PEER) gets the arguments

    BOARD RANGE RANGE POT STACK BETS RAISES UNTIL BITS ITERATIONS

and prints one JSON object: lines (of play, to the end), seconds (of solving, measurements included), built (seconds to
lay the tree out), first (seconds of the first iteration), iterations, exploitability, value (chips), estimate and peak
(bytes). Its all-in is added from 1.5 pots on and never forced, and bets within 5 % are merged. Both programs solve the
same tree with two threads and DCFR as each of them has it for spots, each in a process of its own, in turns; the least
time counts. Trees that differ in the number of lines are refused. Without a peer only our own figures are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import regretless as rg
from benchmarks.holdem import IN_POSITION, OUT_OF_POSITION
from benchmarks.record import write
from benchmarks.timing import Row, spelled
from regretless.poker.tree.memory_estimate import whole_memory

THREADS = 2

WIDE = "22+,A2s+,K2s+,Q4s+,J6s+,T6s+,96s+,85s+,75s+,64s+,53s+,A2o+,K7o+,Q8o+,J8o+,T8o+,98o"
"""40 % of all hands."""

CALLER = "99-22,AJs-A2s,KJs-K5s,Q7s+,J7s+,T7s+,97s+,86s+,75s+,64s+,53s+,AJo-A5o,K9o+,QTo+,JTo,T9o"
OPENER = "22+,A2s+,K4s+,Q6s+,J7s+,T7s+,97s+,86s+,75s+,65s,54s,A4o+,K9o+,QTo+,JTo"
"""A single-raised pot: the big blind calls the button."""


RULES: dict[str, Any] = {"chip": 1, "all_in_from": 1}
"""With these both programs find the same bets; all-in is added from 1.5 pots on, and bets within 5 % are one."""


class Setting(NamedTuple):
    """A spot, and how far it is solved."""

    board: str
    ranges: tuple[str, str]
    pot: int
    stack: int
    bets: str  # shares of the pot
    raises: str
    until: float  # share of the pot
    dtype: str = "float32"
    iterations: int = 1_000
    target: float | None = None  # ours ÷ theirs

    def game(self) -> Any:
        """The spot."""
        sizes = f"bet {self.bets}" + (f", raise {self.raises}" if self.raises else "")
        return rg.poker.Spot(self.board, self.ranges, pot=self.pot, stack=self.stack, sizes=sizes, **RULES)


THREE_BET = Setting("Qs Jh 2h", (OUT_OF_POSITION, IN_POSITION), 180, 910, "50%", "60%", 0.003, target=0.4)
SINGLE = Setting("Ts 7h 3c", (CALLER, OPENER), 60, 970, "33% 75%", "60%", 0.0, iterations=4, target=0.4)
TURN = Setting("Qs Jh 2h 7c", (WIDE, WIDE), 100, 300, "50% 100%", "60%", 0.003, target=0.5)
RIVER = Setting("Qs Jh 2h 7c 3d", (WIDE, WIDE), 100, 300, "50% 100%", "60%", 0.003, target=1.0)
ALL_IN = Setting("Qs Jh 2h", (OUT_OF_POSITION, IN_POSITION), 180, 200, "50%", "60%", 0.003)

SETTINGS = {
    "flop, 3-bet pot, one size": THREE_BET,
    "monotone flop, one size": THREE_BET._replace(board="Qh Jh 2h"),
    "monotone flop, one size, 16 bits": THREE_BET._replace(board="Qh Jh 2h", dtype="int16"),
    "flop, 3-bet pot, short stacks": ALL_IN,
    "turn, 40 % ranges, two sizes": TURN,
    "turn, 40 % ranges, two sizes, to 0.1 %": TURN._replace(until=0.001),
    "river, 40 % ranges, two sizes": RIVER,
    "single-raised pot, two sizes and a raise, 16 bits": SINGLE._replace(dtype="int16"),
}
LARGE = ("single-raised pot, two sizes and a raise, 16 bits",)
"""Settings that need gigabytes and are run only by name."""


def ours(setting: Setting) -> dict[str, float]:
    """Solve a spot in this process."""
    small = Setting("Qs Jh 2h 7c 3d", ("QQ+", "QQ+"), 100, 300, "50%", "", 0.1, setting.dtype)
    rg.solve(small.game(), rg.DCFR, iterations=1, dtype=small.dtype, threads=1)  # load the compiled code
    game = setting.game()
    began = time.perf_counter()
    tree = game.public_tree()
    built = time.perf_counter() - began
    first: list[float] = []
    began = time.perf_counter()

    def look(snapshot: Any) -> bool:
        if snapshot.iteration and not first:
            first.append((time.perf_counter() - began) / snapshot.iteration)
        return False

    run = rg.solve(  # by the usual method of spots
        tree, until=setting.until * setting.pot or None, iterations=setting.iterations, dtype=setting.dtype,
        threads=THREADS, callback=look,
    )  # fmt: skip
    status = Path("/proc/self/status").read_text().splitlines()
    peak = int(next(line for line in status if line.startswith("VmHWM")).split()[1]) * 1024
    return {
        "lines": lines(tree.betting_tree), "seconds": run.seconds, "built": built, "first": first[0],
        "iterations": run.iterations, "exploitability": run.exploitability,
        "value": run.value + setting.pot / 2, "estimate": whole_memory(tree.bytes_needed(setting.dtype)), "peak": peak,
    }  # fmt: skip


def lines(tree: Any, node: int = 0) -> int:
    """Lines of play that end a hand from a node on."""
    if not tree.children[node]:
        return 1
    first = int(tree.first_child[node])
    return sum(lines(tree, child) for child in range(first, first + int(tree.children[node])))


def theirs(program: str, setting: Setting) -> dict[str, float]:
    """Solve a spot with the peer."""
    bits = "16" if setting.dtype == "int16" else "32"
    words = [setting.board, *setting.ranges, setting.pot, setting.stack, setting.bets.replace(" ", ","),
             setting.raises, setting.until, bits, setting.iterations]  # fmt: skip
    return _json([program, *map(str, words)])


def _json(command: list[str]) -> dict[str, float]:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def least(found: list[dict[str, float]]) -> dict[str, float]:
    """The least of each figure over several rounds."""
    return {name: min(one[name] for one in found) for name in found[0]}


def measured(name: str, setting: Setting, program: str | None, rounds: int) -> Row:
    """One row: both programs in turns, each in a process of its own."""
    own, peer = [], []
    for _ in range(rounds):
        own.append(_json([sys.executable, "-m", "benchmarks.spots", "--one", name]))
        if program:
            peer.append(theirs(program, setting))
    mine = least(own)
    each = mine["seconds"] / mine["iterations"]
    out: Row = {
        "what": name, "seconds": spelled(mine["seconds"]), "iterations": int(mine["iterations"]),
        "per iteration": spelled(each), "first iteration": spelled(mine["first"]),
        "laid out in": spelled(mine["built"]),
        "exploitability": f"{mine['exploitability'] / setting.pot:.3%} of the pot", "value": f"{mine['value']:.3f}",
        "most memory": f"{mine['peak'] / 1e6:,.0f} MB", "estimated": f"{mine['estimate'] / 1e6:,.0f} MB",
    }  # fmt: skip
    if peer:
        other = least(peer)
        if other["lines"] != mine["lines"]:
            raise SystemExit(f"{name}: {mine['lines']:,} lines of play, and {other['lines']:,} of the peer")
        ratio = mine["seconds"] / other["seconds"]
        compared = ratio if setting.until else each / (other["seconds"] / other["iterations"])
        out |= {
            "their seconds": spelled(other["seconds"]), "their iterations": int(other["iterations"]),
            "their exploitability": f"{other['exploitability'] / setting.pot:.3%}",
            "their value": f"{other['value']:.3f}", "their memory": f"{other['peak'] / 1e6:,.0f} MB",
            "ours ÷ theirs": f"{compared:.2f}",
            "per iteration, ours ÷ theirs": f"{each / other['seconds'] * other['iterations']:.2f}",
            "memory ÷ theirs": f"{mine['peak'] / other['peak']:.2f}",
            "target": f"≤ {setting.target:g}" if setting.target else "–",
        }  # fmt: skip
        if not setting.until:  # in the first iteration the memory is touched for the first time
            later = [(one["seconds"] - one["first"]) / (one["iterations"] - 1) for one in (mine, other)]
            out |= {
                "their first iteration": spelled(other["first"]), "later iterations": spelled(later[0]),
                "their later iterations": spelled(later[1]), "later, ours ÷ theirs": f"{later[0] / later[1]:.2f}",
            }  # fmt: skip
    return out


def main() -> None:
    """Run the settings whose names contain a word of the command line, or all but the large ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="words: settings whose name has one of them")
    parser.add_argument("--peer", default=os.environ.get("SPOTS_PEER"), help="program that runs the peer")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="keep the table in benchmarks/results")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(ours(SETTINGS[given.one])))
        return
    rows = []
    for name, setting in SETTINGS.items():
        if any(word in name for word in given.names) if given.names else name not in LARGE:
            rows.append(measured(name, setting, given.peer, given.rounds))
            print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
    if given.write:
        write("spots", rows)


if __name__ == "__main__":
    main()
