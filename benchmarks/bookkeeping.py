"""What happens around the iterations: the clock of `seconds=`, measuring, and the rest of a solve.

    python -m benchmarks.bookkeeping [--rounds 3]

Measuring is compared with one iteration of CFR+ on one thread; the bookkeeping of a solve is its wall time less that
of its iterations, on a tree of 667,896 infosets.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Callable

import regretless as rg
from benchmarks.record import circumstances, write
from benchmarks.timing import Row, in_turns, spelled

LARGE = "goofspiel:cards=7"
ITERATIONS = 40
"""A short solve: what surrounds the iterations is a larger part of it than of any longer one."""


def clocked(work: Callable[[], object]) -> float:
    """Wall seconds of one call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def per_iteration(tree: rg.Tree, few: int, many: int) -> float:
    """Seconds of one iteration alone: the difference of two solves that are never measured."""

    def solve(iterations: int) -> float:
        return clocked(lambda: rg.solve(tree, rg.CFR_PLUS, iterations=iterations, measure="never", threads=1))

    return (solve(many) - solve(few)) / (many - few)


def measuring(name: str, rounds: int) -> Row:
    """One exact measurement beside one iteration of CFR+."""
    tree = rg.build(name)
    strategy = rg.solve(tree, rg.MCCFR(), iterations=200, seed=1, measure="never").strategy
    rg.exploitability(tree, strategy)

    measured, iteration = in_turns(
        lambda: min(clocked(lambda: rg.exploitability(tree, strategy)) for _ in range(10)),
        lambda: per_iteration(tree, 20, 220),
        rounds=rounds,
    )
    return {
        "what": f"measuring a sampled run of {name}",
        "measured": spelled(measured),
        "beside": f"{spelled(iteration)} for an iteration of CFR+",
        "ratio": f"{measured / iteration:.2f}",
        "target": "≤ 1",
        "met": "yes" if measured <= iteration else "no",
    }


def around_a_solve(rounds: int) -> Row:
    """Everything but iterations and measurements in a short solve of a large tree that is listed already."""
    tree = rg.build(LARGE)

    def solve(iterations: int) -> float:
        return clocked(lambda: rg.solve(tree, rg.CFR_PLUS, iterations=iterations, measure="never", threads=1))

    one, whole = in_turns(lambda: solve(1), lambda: solve(ITERATIONS), rounds=2 * rounds)
    rest = (ITERATIONS * one - whole) / (ITERATIONS - 1)  # what is left at no iteration
    return {
        "what": f"bookkeeping of {ITERATIONS} iterations of {LARGE} ({tree.infosets:,} infosets)",
        "measured": spelled(max(rest, 0.0)),
        "beside": f"{spelled(whole)} for the solve",
        "ratio": f"{rest / whole:.3f}",
        "target": "≤ 0.05",
        "met": "yes" if rest <= 0.05 * whole else "no",
    }


def the_clock(seconds: float) -> Row:
    """How long a call takes that may take `seconds`, listing and measuring included."""
    rg.solve("goofspiel", rg.CFR_PLUS, iterations=100, threads=2)  # compiling does not count
    taken = clocked(lambda: rg.solve(LARGE, rg.CFR_PLUS, iterations=10**9, seconds=seconds))
    return {
        "what": f"seconds={seconds:g} on {LARGE}, from the call to the answer",
        "measured": spelled(taken),
        "beside": spelled(seconds),
        "ratio": f"{taken / seconds:.3f}",
        "target": "≤ 1.05",
        "met": "yes" if taken <= 1.05 * seconds else "no",
    }


def main() -> None:
    """Measure all of it and keep the rows."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    about = circumstances()
    rows = [measuring(name, rounds) for name in ("leduc", "liars_dice", "goofspiel:cards=6")]
    write("bookkeeping", [*rows, around_a_solve(rounds), the_clock(60.0)], about)


if __name__ == "__main__":
    main()
