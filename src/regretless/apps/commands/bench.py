"""`regretless bench`: what this machine does, as ratios measured in one run; `benchmarks/` uses the same functions.

Every time is the minimum of several repeats: other load on the machine only adds to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regretless.method import Method
    from regretless.tree import Tree
    from regretless.variants import Variant

__all__ = [
    "GAMES",
    "Figures",
    "bench_and_tell",
    "exploitability_seconds",
    "figures",
    "iteration_seconds",
    "least_seconds",
    "openspiel_iteration_seconds",
    "processor",
    "product_pair_seconds",
    "versions",
]

GAMES = {
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker",
    "liars_dice": "liars_dice",
    "goofspiel:cards=5": "turn_based_simultaneous_game(game="
    "goofspiel(imp_info=True,num_cards=5,points_order=descending))",
}
"""What is timed, and what OpenSpiel calls it."""


@dataclass(frozen=True)
class Figures:
    """Times of one game, in seconds."""

    game: str
    histories: int
    nonzeros: int
    """Entries of the payoff matrix A."""
    build_seconds: float
    iteration_seconds: float
    """One CFR+ iteration, both players."""
    products_seconds: float
    """A·y and Aᵀ·x by scipy on the same matrix: a lower bound of any iteration's work."""
    exploitability_seconds: float
    openspiel_iteration_seconds: float | None = None


def least_seconds(work: Callable[[], object], *, budget: float = 0.3, repeats: int = 7) -> float:
    """Seconds of one call, the least of `repeats` batches that together take about `budget`."""
    work()  # compiled and warm
    began = time.perf_counter()
    work()
    once = max(time.perf_counter() - began, 1e-9)
    calls = max(1, int(budget / repeats / once))
    least = once
    for _ in range(repeats if once < budget else 1):
        began = time.perf_counter()
        for _ in range(calls):
            work()
        least = min(least, (time.perf_counter() - began) / calls)
    return least


def iteration_seconds(
    tree: Tree, method: Variant | Method | None = None, *, threads: int = 1, dtype: str = "float64"
) -> float:
    """One iteration of a method (CFR+), all players, without measuring or saving."""
    import regretless.methods  # noqa: F401 - registers how CFR runs on trees
    from regretless.method import Settings
    from regretless.variants import CFR_PLUS

    learner = (method or CFR_PLUS).learner(tree, Settings(threads=threads, dtype=dtype))
    learner.advance(1)
    batch = max(1, min(1_000, int(0.01 / least_seconds(lambda: learner.advance(1), budget=0.02, repeats=2))))
    return least_seconds(lambda: learner.advance(batch)) / batch


def product_pair_seconds(tree: Tree) -> float:
    """A·y and Aᵀ·x by scipy, both in rows."""
    import numpy as np

    from regretless.evaluation.equilibrium import payoff_matrix

    matrix = payoff_matrix(tree)
    transposed = matrix.T.tocsr()
    x, y = np.full(matrix.shape[0], 0.5), np.full(matrix.shape[1], 0.5)
    return least_seconds(lambda: (matrix @ y, transposed @ x))


def exploitability_seconds(tree: Tree) -> float:
    """Values and best responses of all players, from a plan."""
    from regretless.evaluation.responses import plan_gaps, plan_of
    from regretless.strategy import Strategy

    plan = plan_of(tree, Strategy.uniform(tree))
    return least_seconds(lambda: plan_gaps(tree, plan))


def openspiel_iteration_seconds(game: str, *, budget: float = 1.0) -> float:
    """One iteration of OpenSpiel's C++ CFR+ on one of its own games."""
    import pyspiel

    solver = pyspiel.CFRPlusSolver(pyspiel.load_game(game))
    return least_seconds(solver.evaluate_and_update_policy, budget=budget)


def figures(spec: str, *, openspiel: str | None = None) -> Figures:
    """Build a game and time all of it."""
    from regretless.games import by_name
    from regretless.tree import build

    game = by_name(spec)
    began = time.perf_counter()
    tree = build(game)
    took = time.perf_counter() - began
    if took < 0.1:
        took = least_seconds(lambda: build(game), budget=0.2)
    return Figures(
        game=spec,
        histories=tree.histories,
        nonzeros=tree.entries,
        build_seconds=took,
        iteration_seconds=iteration_seconds(tree),
        products_seconds=product_pair_seconds(tree),
        exploitability_seconds=exploitability_seconds(tree),
        openspiel_iteration_seconds=openspiel_iteration_seconds(openspiel) if openspiel else None,
    )


def bench_and_tell(*, peers: bool, json: bool) -> None:
    """The whole command."""
    import platform

    from regretless.apps.printing import console, print_json
    from regretless.apps.startup import started
    from regretless.games import by_name
    from regretless.tree import build

    openspiel = peers and _installed("pyspiel")
    build(by_name("kuhn"))  # so that compiling is not timed
    started()
    rows = []
    out = console()
    for spec, name in GAMES.items():
        if not json and out.is_terminal:
            out.print(f"timing {spec} …", end="\r")
        rows.append(figures(spec, openspiel=name if openspiel else None))
    machine = {"processor": processor(), "python": platform.python_version(), **versions()}
    if json:
        print_json({"command": "bench", "machine": machine, "openspiel": openspiel, "games": [asdict(r) for r in rows]})
        return
    tell(out, rows, machine)
    if peers and not openspiel:
        out.print("OpenSpiel is not installed: pip install open_spiel")


def tell(out: Any, rows: list[Figures], machine: dict[str, str]) -> None:
    """The figures as a table."""
    from regretless.apps.printing import facts, plain_table, spent

    with_peer = any(row.openspiel_iteration_seconds for row in rows)
    head = ["game", "build", "CFR+", "products", "ratio", "evaluation"]
    table = [
        [
            row.game,
            f"{row.histories / row.build_seconds / 1000:,.0f} k/s",
            f"{1 / row.iteration_seconds:,.0f}/s",
            f"{1 / row.products_seconds:,.0f}/s",
            f"{row.iteration_seconds / row.products_seconds:.2f}×",
            spent(row.exploitability_seconds),
        ]
        for row in rows
    ]
    if with_peer:
        head.append("OpenSpiel")
        for line, row in zip(table, rows, strict=True):
            theirs = row.openspiel_iteration_seconds or float("nan")
            line.append(f"{theirs / row.iteration_seconds:,.0f}×")
    out.print(", ".join(f"{name} {value}" if name != "processor" else value for name, value in machine.items()))
    out.print(plain_table(head, table, right=range(1, len(head))))
    notes = [
        ("build", "thousand histories a second, from the Python class"),
        ("CFR+", "iterations a second, both players, one thread"),
        ("products", "A·y and Aᵀ·x by scipy on the same payoffs, pairs a second"),
        ("ratio", "time of an iteration to time of the products"),
        ("evaluation", "time of one exploitability"),
    ]
    if with_peer:
        notes.append(("OpenSpiel", "how many times longer an iteration of its C++ CFR+ takes"))
    out.print()
    out.print(facts(notes))


def _installed(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def versions() -> dict[str, str]:
    """Of the libraries that do the work."""
    from importlib.metadata import version

    return {name: version(name) for name in ("numpy", "scipy", "numba")}


def processor() -> str:
    """The processor's own name, where the system tells."""
    import os
    import platform
    from pathlib import Path

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), name)
    except OSError:
        pass
    return f"{name.strip()}, {cores} cores"
