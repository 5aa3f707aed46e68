"""The tabular core beside its limits and its peers.

    python -m benchmarks.tabular [iterations] [convergence] [threads] [build] [startup]

Needs `pip install -e '.[bench]'`. Every time is the least of several, taken in turns in one process; what counts are
the ratios. The limit of an iteration is the pair of sparse products A·y and Aᵀ·x, which no method of this kind can do
without; scipy computes it on the same matrix.
"""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np

import regretless as rg
from benchmarks.peers import OPENSPIEL, LiteEFGCFRPlus, OpenSpielCFRPlus
from benchmarks.record import write
from benchmarks.timing import Row, in_turns, row
from regretless.apps.commands.bench import exploitability_seconds, iteration_seconds, product_pair_seconds
from regretless.tree import Tree

GAMES = tuple(OPENSPIEL)
VARIANTS = ("cfr+", "dcfr", "dcfr+", "pcfr+", "pdcfr+", "sapcfr+")


def iterations(trees: dict[str, Tree]) -> list[Row]:
    """One CFR+ iteration and one exploitability beside scipy, OpenSpiel and LiteEFG."""
    rows = []
    faster = {"leduc": (400, 60), "liars_dice": (200, 300), "goofspiel:cards=6": (500, None)}
    for name in GAMES:
        tree = trees[name]
        peer = OpenSpielCFRPlus(OPENSPIEL[name])
        ours, pair, theirs = in_turns(
            lambda t=tree: iteration_seconds(t),
            lambda t=tree: product_pair_seconds(t),
            lambda p=peer: p.iteration(budget=1.0),
            rounds=6,
        )
        what = f"one CFR+ iteration, {name}"
        limit = "≤ 2.0×" if name != "leduc" else "–"
        rows.append(row(what, "scipy A·y and Aᵀ·x", ours, pair, limit, ours <= 2 * pair or limit == "–"))
        spiel, lite = faster[name]
        rows.append(row(what, "OpenSpiel C++", ours, theirs, f"≥ {spiel}×", theirs >= spiel * ours))
        if (tree.capabilities.threads or 1) > 1:
            ours = min(iteration_seconds(tree, threads=(tree.capabilities.threads or 1)) for _ in range(4))
            said = f"{what}, with the {(tree.capabilities.threads or 1)} threads that solve takes by itself"
            rows.append(row(said, "OpenSpiel C++", ours, theirs, f"≥ {spiel}×", theirs >= spiel * ours))
        if lite is not None:
            light = LiteEFGCFRPlus(OPENSPIEL[name])
            theirs, bare = light.iteration(budget=2.0), light.bare_iteration(budget=2.0)
            rows.append(row(what, "LiteEFG 1.0", ours, theirs, f"≥ {lite}×", theirs >= lite * ours))
            rows.append(row(what, "LiteEFG 1.0, without its average", ours, bare, "–", True))
        if name == "liars_dice":
            gap = exploitability_seconds(tree)
            what = f"one exploitability, {name}"
            theirs, other = peer.exploitability(), light.exploitability()
            rows.append(row(what, "OpenSpiel C++", gap, theirs, "≥ 2,000×", theirs >= 2000 * gap))
            rows.append(row(what, "LiteEFG 1.0", gap, other, "≥ 80×", other >= 80 * gap))
            rows.append(row(what, "one of our iterations", gap, ours, "≤ 1.0×", gap <= ours))
    return rows


def convergence(trees: dict[str, Tree]) -> list[Row]:
    """Seconds to exploitability 1e-4, the best variant, beside HiGHS solving the game exactly."""
    rows = []
    for name in GAMES:
        tree = trees[name]
        took = {}
        for variant in VARIANTS:
            runs = [rg.solve(tree, variant, until=1e-4, seconds=60, threads=1) for _ in range(3)]
            if runs[0].exploitability <= 1e-4:
                took[variant] = (min(run.seconds for run in runs), runs[0].iterations)
        best = min(took, key=lambda v: took[v][0])
        highs = []
        for _ in range(3 if name != "goofspiel:cards=6" else 1):
            began = time.perf_counter()
            rg.equilibrium(tree)
            highs.append(time.perf_counter() - began)
        what = f"to exploitability 1e-4, {name}: {best}, {took[best][1]:,} iterations"
        rows.append(row(what, "HiGHS, exactly", took[best][0], min(highs), "faster", took[best][0] < min(highs)))
        print({v: f"{s:.4f} s, {n} iterations" for v, (s, n) in took.items()}, file=sys.stderr)
    return rows


def threads(_: dict[str, Tree]) -> list[Row]:
    """Two threads beside one on a game of more than two million terminals, and whether the bits agree."""
    from regretless.method import Settings

    tree = rg.build(rg.games.LiarsDice(sides=8))
    one, two = in_turns(lambda: iteration_seconds(tree), lambda: iteration_seconds(tree, threads=2), rounds=2)
    states = []
    for count in (1, 2):
        learner = rg.CFR_PLUS.learner(tree, Settings(threads=count))
        learner.advance(5)
        states.append(learner.arrays())
    same = all(np.array_equal(states[0][name], states[1][name]) for name in states[0])
    moved = 2 * 12 * tree.entries + 80 * tree.sequences
    what = f"two threads, liars_dice:sides=8, {tree.terminals:,} terminals, same bits: {'yes' if same else 'NO'}"
    speeds = f" ({moved / one / 1e9:.1f} → {moved / two / 1e9:.1f} GB/s of compulsory traffic)"
    return [row(what + speeds, "one thread", two, one, "≥ 1.6×", one >= 1.6 * two and same)]


def build(_: dict[str, Tree]) -> list[Row]:
    """Listing from plain Python classes, and bytes per terminal."""
    rows = []
    for game in (rg.games.LiarsDice(), rg.games.Goofspiel(cards=6), rg.games.Leduc(ranks=6), rg.games.Dudo()):
        took = []
        for _ in range(3):
            began = time.perf_counter()
            tree = rg.build(game)
            took.append(time.perf_counter() - began)
        rate, size = tree.histories / min(took), tree.nbytes / tree.terminals
        rows.append(
            {
                "what": f"building {game!r}",
                "ours": f"{rate:,.0f} histories/s, {size:.0f} bytes per terminal",
                "target": "≥ 150,000/s, ≤ 120",
                "met": "yes" if rate >= 150_000 and size <= 120 else "no",
            }
        )
    return rows


RIVER = """
import regretless as rg
sizes = "bet 50% 100%, raise 60%"
rg.solve(rg.poker.Spot("Qs Jh 2h 7c 3d", ("random", "random"), pot=100, stack=300, sizes=sizes), iterations=1)
import os
os._exit(0)
"""
"""Ends without the interpreter's own cleaning up, which is after the first iteration."""


def startup(_: dict[str, Tree]) -> list[Row]:
    """Wall time of the import and of the shortest useful command, with a warm kernel cache."""
    rows = []
    commands = {
        "import regretless": ([sys.executable, "-c", "import regretless"], 0.4),
        "regretless solve kuhn": ([sys.executable, "-m", "regretless", "solve", "kuhn"], 1.5),
        "a river with any two cards, to the end of the first iteration": ([sys.executable, "-c", RIVER], 0.4),
    }
    for what, (command, limit) in commands.items():
        took = []
        for _ in range(6):
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            took.append(time.perf_counter() - began)
        met = "yes" if min(took[1:]) <= limit else "no"
        rows.append({"what": what, "ours": f"{min(took[1:]):.2f} s", "target": f"≤ {limit} s", "met": met})
    return rows


SECTIONS = {
    "iterations": iterations,
    "convergence": convergence,
    "threads": threads,
    "build": build,
    "startup": startup,
}


def main() -> None:
    asked = sys.argv[1:] or list(SECTIONS)
    trees = (
        {name: rg.build(rg.games.by_name(name)) for name in GAMES} if {"iterations", "convergence"} & {*asked} else {}
    )
    for section in asked:
        write(f"tabular-{section}", SECTIONS[section](trees))


if __name__ == "__main__":
    main()
