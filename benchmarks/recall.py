"""Fixed-strategy iteration on the graph of positions beside recursive CFR on the same forgetful game.

    python -m benchmarks.recall [visits] [liar_die] [cost]

Every time is the least of several, taken in turns in one process; what counts are the ratios.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

import regretless as rg
from benchmarks.record import write
from benchmarks.timing import Row, in_turns, row, spelled
from regretless.method import Learner, Settings


def learner(game: rg.Game, **options: Any) -> Learner:
    method = rg.FSICFR(listed=False, **options)
    made = method.learner(method.open(game), Settings())
    made.advance(0)
    made.advance(1)
    return made


def seconds_of(made: Learner, iterations: int) -> Callable[[], float]:
    def timed() -> float:
        began = time.perf_counter()
        made.advance(iterations)
        return (time.perf_counter() - began) / iterations

    return timed


def visited(made: Learner) -> float:
    before, at = made.measure()["nodes"], made.iteration
    made.advance(2)
    return (made.measure()["nodes"] - before) / (made.iteration - at)


@njit
def textbook(mover, number, first_edge, child, odds, payoff, first, regret, average, player, n, theirs, mine):
    """CFR as it is taught: a function that calls itself for every move."""
    who, begin, end = mover[n], first_edge[n], first_edge[n + 1]
    if who == rg.TERMINAL:
        return payoff[number[n], player]
    worth, count = 0.0, end - begin
    place = first[number[n]] if who >= 0 else 0
    strategy, values = np.empty(count), np.empty(count)
    if who >= 0:
        for a in range(count):
            strategy[a] = max(regret[place + a], 0.0)
        total = strategy.sum()
        for a in range(count):
            strategy[a] = strategy[a] / total if total > 0 else 1.0 / count
    for a in range(count):
        chance = odds[begin + a] if who < 0 else strategy[a]
        reach = (theirs, mine * chance) if who == player else (theirs * chance, mine)
        values[a] = textbook(
            mover, number, first_edge, child, odds, payoff, first, regret, average, player, child[begin + a],
            reach[0], reach[1],
        )  # fmt: skip
        worth += chance * values[a]
    if who == player:
        for a in range(count):
            regret[place + a] += theirs * (values[a] - worth)
            average[place + a] += mine * strategy[a]
    return worth


def textbook_seconds(graph: rg.Graph) -> Callable[[], float]:
    form, labels = graph.form, graph.labels
    regret, average = np.zeros(labels.sequences), np.zeros(labels.sequences)
    arrays = (form.mover, form.number, form.first_edge, form.child, form.odds, form.payoff, labels.first)

    def timed() -> float:
        began = time.perf_counter()
        for player in range(2):
            textbook(*arrays, regret, average, player, 0, 1.0, 1.0)
        return time.perf_counter() - began

    timed()
    return timed


def visits() -> list[Row]:
    """Dudo with one die each and the last three claims in mind."""
    game = rg.games.Dudo(1, 6, 3)
    merged, walked = learner(game), learner(game, merge=False)
    plain = textbook_seconds(rg.graph_of(game))
    ours, theirs, taught = in_turns(seconds_of(merged, 200), seconds_of(walked, 2), plain, rounds=10)
    fewer = visited(walked) / visited(merged)
    beside = "recursive CFR in numba, same game"
    what = "one iteration of FSICFR, Dudo 1v1, recall 3"
    return [
        row(what, "straightforward recursive CFR in numba", ours, taught, "≥ 50×", taught >= 50 * ours),
        row(what, "our own recursive CFR, tuned (merge=False)", ours, theirs, "–", True),
        {
            "what": "visits of an iteration, all deals at once where FSICFR takes them as a vector",
            "beside": beside,
            "ours": f"{visited(merged):,.0f}",
            "theirs": f"{visited(walked):,.0f}",
            "theirs ÷ ours": f"{fewer:,.3g}",
            "target": "≥ 100×",
            "met": "yes" if fewer >= 100 else "no",
        },
    ]


def liar_die() -> list[Row]:
    """Six sides, until the value is right to 1e-4."""
    exact = rg.equilibrium(rg.build(rg.games.LiarDie(6))).value
    game = rg.games.LiarDie(6, recall=2)
    rg.solve(game, rg.FSICFR(variant=rg.PDCFR_PLUS, listed=False), iterations=2)
    began = time.perf_counter()
    iterations, error = 100, 1.0
    while error > 1e-4:
        iterations *= 2
        run = rg.solve(game, rg.FSICFR(variant=rg.PDCFR_PLUS, listed=False), iterations=iterations)
        error = abs(run.value - exact)
    seconds = time.perf_counter() - began
    return [
        {
            "what": "Liar Die, 6 sides, FSICFR with PDCFR+, to 1e-4 of its exact value",
            "exact": f"{exact:.6f}",
            "found": f"{run.value:.6f}",
            "iterations": iterations,
            "seconds, all tries together": f"{seconds:.2f}",
            "target": "< 10 s",
            "met": "yes" if seconds < 10 else "no",
        }
    ]


def cost() -> list[Row]:
    """Seconds of an iteration against positions × out-degree, over the length of memory."""
    rows, edges, seconds = [], [], []
    for recall in (1, 2, 3, 4, 5):
        game = rg.games.Dudo(1, 6, recall)
        graph = rg.graph_of(game)
        (spent,) = in_turns(seconds_of(learner(game), 50), rounds=8)
        edges.append(graph.edges)
        seconds.append(spent)
        rows.append({"recall": recall, "infosets": graph.infosets, "positions": graph.positions, "edges": graph.edges,
                     "seconds": spelled(spent), "ns per edge": f"{1e9 * spent / graph.edges:.2f}"})  # fmt: skip
    slope = float(np.polyfit(np.log(edges), np.log(seconds), 1)[0])
    rows.append({"recall": "fit", "ns per edge": f"seconds ∝ edges^{slope:.2f}"})
    return rows


SECTIONS = {"visits": visits, "liar_die": liar_die, "cost": cost}


def main() -> None:
    """Run the sections named on the command line, or all."""
    for name in sys.argv[1:] or SECTIONS:
        write(f"recall-{name}", SECTIONS[name]())


if __name__ == "__main__":
    main()
