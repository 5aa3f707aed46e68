"""Methods beyond CFR beside CFR.

    python -m benchmarks.beyond_cfr [iterations] [families] [accuracy] [correlated] [picture]

- iterations: what an iteration of each first-order method costs beside one of CFR+
- families: seconds and iterations to 1e-4, the best method of each family; the curves are kept
- accuracy: seconds to 1e-6 beside the exact linear program (HiGHS)
- correlated: the EFCE gap of trigger regret on Sheriff and on Kuhn poker for three; the curves are kept
- picture: draws the curves

Times are the least of several runs in one process; the ratios count. Set SHARED=1 where other programs run at the same
time: the results then say so.
"""

from __future__ import annotations

import json
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import regretless as rg
from benchmarks.record import RESULTS, circumstances, write
from benchmarks.timing import Row, in_turns, row, spelled
from regretless.method import Learner, Method, Settings
from regretless.plots import COLOURS, STYLES, save_figure
from regretless.tree import Tree

GAMES = ("leduc", "liars_dice", "goofspiel:cards=5")
CURVES = RESULTS / "beyond-cfr-curves.json"
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "beyond-cfr-families.png"

TARGET, LIMIT = 1e-4, 30.0
FLOOR = 1e-7
"""Exploitability below this is drawn here: the result is exact up to rounding."""
EFCE_TARGET, EFCE_ITERATIONS = 1e-3, 20_000
EFCE_GAMES = {"Kuhn poker for three": "kuhn:players=3", "Sheriff": "sheriff"}

FAMILIES: dict[str, list[Method]] = {
    "CFR": [rg.CFR_PLUS, rg.DCFR, rg.PCFR_PLUS, rg.PDCFR_PLUS],
    "optimistic mirror descent": [rg.OMD(), rg.OMD(averaging=rg.Polynomial(3)), rg.OMD(weights="global")],
    "excessive gap technique": [rg.EGT(), rg.EGT("global"), rg.EGT("reach")],
    "magnetic mirror descent": [rg.MMD(), rg.MMD(iterate="average")],
    "double oracle": [rg.DoubleOracle()],
    "extensive-form double oracle": [rg.XDO(), rg.XDO(rg.DCFR)],
    "CFR and linear programs": [rg.PolishedCFR()],
}


def started(tree: Tree, method: Method) -> Learner:
    """A learner in full stride: EGT checks its condition after every step at first, and later after every sixteenth."""
    learner = method.learner(method.open(tree), Settings())
    learner.advance(512)
    return learner


def iteration_seconds(learner: Learner, batch: int) -> float:
    """Seconds that a processor works on one iteration, the mean of a batch; other programs do not count."""
    began = time.thread_time()
    learner.advance(batch)
    return (time.thread_time() - began) / batch


def iterations() -> list[Row]:
    """One iteration of each first-order method beside one of CFR+."""
    rows = []
    for name in (*GAMES, "goofspiel:cards=6"):
        tree = rg.build(name)
        methods: list[Method] = [rg.CFR_PLUS, rg.OMD(), rg.MMD(), rg.MMD(alpha=0.1), rg.EGT()]
        learners = [started(tree, method) for method in methods]
        batch = max(16, int(0.003 / iteration_seconds(learners[0], 16)) // 16 * 16)
        base, *others = in_turns(*(partial(iteration_seconds, learner, batch) for learner in learners), rounds=150)
        for method, took in zip(methods[1:], others, strict=True):
            what = f"one iteration of {method.name}, {name}"
            rows.append(row(what, "CFR+", took, base, "≤ 2.0×", took <= 2.0 * base))
    return rows


def families() -> list[Row]:
    """Seconds and iterations to 1e-4 on each game, the best of each family, beside the exact linear program."""
    rows: list[Row] = []
    curves: dict[str, Any] = {}
    for name in GAMES:
        tree = rg.build(name)
        highs = min(_highs_seconds(tree) for _ in range(3))
        rows.append({"game": name, "family": "linear program (HiGHS)", "method": "exact", "seconds": spelled(highs)})
        curves[name] = {}
        for family, methods in FAMILIES.items():
            runs = [_best_run(tree, method) for method in methods]
            run = min(runs, key=lambda r: (r.exploitability > TARGET, r.seconds, r.exploitability))
            reached = run.exploitability <= TARGET
            rows.append(
                {
                    "game": name,
                    "family": family,
                    "method": run.method.name,
                    "seconds": spelled(run.seconds) if reached else f"{run.exploitability:.1e} after {LIMIT:g} s",
                    "iterations": f"{run.iterations:,}",
                }
            )
            columns = ("iteration", "seconds", "exploitability", "current_exploitability")
            curves[name][run.method.name] = _thinned(run, columns)
            print(rows[-1], file=sys.stderr, flush=True)
    _keep_curves(curves)
    return rows


def _keep_curves(curves: dict[str, Any]) -> None:
    """Add curves to those of other parts; a curve has at most some 150 points."""
    old = json.loads(CURVES.read_text()) if CURVES.exists() else {}
    CURVES.write_text(json.dumps({**old, **curves}) + "\n")


def _thinned(run: rg.Run, names: tuple[str, ...]) -> dict[str, list[float]]:
    """Some columns of a history, with four digits and at most 150 points."""
    length = len(run.history["iteration"])
    kept = np.unique(np.linspace(0, length - 1, min(length, 150)).astype(int))
    return {
        name: [float(f"{number:.4g}") for number in run.history[name][kept]] for name in names if name in run.history
    }


def correlated() -> list[Row]:
    """The EFCE gap of trigger regret: how fast it falls, and when it is at most 1e-3."""
    rows: list[Row] = []
    curves: dict[str, Any] = {}
    for title, name in EFCE_GAMES.items():
        run = rg.solve(name, rg.TriggerRegret("efce"), iterations=EFCE_ITERATIONS, seconds=240)
        iteration, gap = run.history["iteration"], run.history["efce_gap"]
        later = (iteration >= 10) & (gap > 1e-12)
        slope = np.polyfit(np.log(iteration[later]), np.log(gap[later]), 1)[0]
        reached = np.flatnonzero(gap <= EFCE_TARGET)
        rows.append(
            {
                "game": title,
                "iterations": f"{run.iterations:,}",
                "seconds": spelled(run.seconds),
                "EFCE gap": f"{gap[-1]:.1e}",
                "falls as T to the power": f"{slope:.2f}",
                "1e-3 at iteration": f"{iteration[reached[0]]:,}" if len(reached) else "not reached",
                "target": "−0.5 or faster, to 1e-3",
                "met": "yes" if slope <= -0.5 and len(reached) else "no",
            }
        )
        curves[title] = {"trigger regret": _thinned(run, ("iteration", "efce_gap"))}
    _keep_curves(curves)
    return rows


def _best_run(tree: Tree, method: Method) -> rg.Run:
    """The fastest of a few runs to the target."""
    first = rg.solve(tree, method, until=TARGET, seconds=LIMIT, threads=1)
    repeats = 4 if first.seconds < 2 else 1 if first.seconds < 20 else 0
    again = [rg.solve(tree, method, until=TARGET, seconds=LIMIT, threads=1) for _ in range(repeats)]
    return min([first, *again], key=lambda run: run.seconds)


def _highs_seconds(tree: Tree) -> float:
    began = time.perf_counter()
    rg.equilibrium(tree)
    return time.perf_counter() - began


def accuracy() -> list[Row]:
    """Seconds to 1e-6: CFR with linear programs at its end beside the linear program of the whole game."""
    rows = []
    for name in ("leduc", "liars_dice", "goofspiel:cards=6"):
        tree = rg.build(name)
        gaps: list[float] = []

        def ours(tree: Tree = tree, gaps: list[float] = gaps) -> float:
            began = time.perf_counter()
            run = rg.solve(tree, rg.PolishedCFR(), until=1e-6, threads=1)
            gaps.append(rg.exploitability(tree, run.strategy))
            return time.perf_counter() - began

        took, highs = in_turns(ours, lambda t=tree: _highs_seconds(t), rounds=5 if name != "goofspiel:cards=6" else 2)
        what = f"to exploitability 1e-6, {name} (reached {max(gaps):.1e})"
        met = took < highs and max(gaps) <= 1e-6
        rows.append(row(what, "HiGHS, the whole program", took, highs, "faster", met))
    return rows


def picture() -> list[Row]:
    """Exploitability against seconds, the best of each family, last iterates dotted; and EFCE gaps."""
    from matplotlib.figure import Figure

    curves = json.loads(CURVES.read_text())
    figure = Figure(figsize=(11.0, 8.0), layout="constrained")
    panels = figure.subplots(2, 2)
    for axes, game in zip(panels.flat, GAMES, strict=False):
        _draw_families(axes, game, curves[game])
    for number, game in enumerate(EFCE_GAMES):
        columns = curves[game]["trigger regret"]
        axes = panels[1, 1]
        axes.plot(
            columns["iteration"], columns["efce_gap"], color=COLOURS[number], linestyle=STYLES[number], label=game
        )
    steps = np.array([1.0, EFCE_ITERATIONS])
    axes.plot(steps, steps**-0.5, color="#999999", linewidth=0.8, label="1/√T")
    axes.set(
        xscale="log", yscale="log", title="trigger regret", xlabel="iterations", ylabel="EFCE gap (chips per game)"
    )
    for axes in panels.flat:
        axes.grid(visible=True, which="major", color="#dddddd", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=7, loc="lower left")
    save_figure(figure, PICTURE)
    return []


def _draw_families(axes: Any, game: str, lines: dict[str, Any]) -> None:
    """The curves of one game."""
    families = [[method.name for method in methods] for methods in FAMILIES.values()]
    for name, columns in lines.items():
        number = next(n for n, names in enumerate(families) if name in names)
        x, y = np.array(columns["seconds"]), np.array(columns["exploitability"])
        shown, y = x > 0, np.maximum(y, FLOOR)
        style = {"color": COLOURS[number], "linestyle": STYLES[number % 4], "linewidth": 1.5}
        axes.plot(x[shown], y[shown], label=name, **style)
        if "current_exploitability" in columns:
            last = np.array(columns["current_exploitability"])
            axes.plot(x[last > FLOOR], last[last > FLOOR], color=COLOURS[number], linestyle=":", linewidth=0.8)
    axes.set(xscale="log", yscale="log", title=game, xlabel="seconds", ylim=(FLOOR / 2, 3))
    axes.set_ylabel("exploitability (chips per game)")
    axes.axhline(TARGET, color="#bbbbbb", linewidth=0.8)


def main() -> None:
    parts = {
        "iterations": iterations,
        "families": families,
        "accuracy": accuracy,
        "correlated": correlated,
        "picture": picture,
    }
    about = circumstances()
    if os.environ.get("SHARED"):
        about["machine"] += "; shared with other programs during the run, so that only ratios count"
    for name in sys.argv[1:] or parts:
        rows = parts[name]()
        if rows:
            write(f"beyond-cfr-{name}", rows, about)


if __name__ == "__main__":
    main()
