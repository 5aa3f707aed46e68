"""Deep CFR, SD-CFR and NFSP: how fast they walk and learn, how far they get, beside OpenSpiel's PyTorch Deep CFR.

    python -m benchmarks.deep [traversal] [variance] [refits] [kuhn] [leduc] [equal_time] [ablations] [gpu]
                              [seconds=60] [only=NAME] [resume=yes]

Needs `pip install -e '.[bench,deep]' dm-tree`. Exploitability is the average over players, in chips. Everything on the
CPU runs on one thread, and seconds are the processor's. `seconds` shortens or lengthens every run of a section, `only`
makes the runs whose names have that in them, `resume` goes on with the runs of section leduc. Whole curves are kept in
`results/deep/`, of which `benchmarks.deep_pictures` draws pictures. `gpu` needs a GPU and times flop hold'em with the
network of the paper.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

import regretless as rg
from benchmarks.deep_openspiel import OpenSpielDeepCFR
from benchmarks.deep_runs import Kept, about, keep, keep_run, kept, processor_seconds, solved
from benchmarks.record import write
from benchmarks.timing import Row, in_turns, row
from regretless.deep.games.listed_game import ListedGame
from regretless.deep.learners.advantage_network import AdvantageNetwork
from regretless.deep.learners.listed_deep_cfr import ListedDeepCFR
from regretless.deep.memories.merged_samples import MergedMemory
from regretless.deep.walks.baselines import HistoryBaseline
from regretless.deep.walks.traversal import Samples, traverse
from regretless.method import Settings

LENGTHS = {"equal_time": 300.0, "kuhn": 120.0, "leduc": 1_800.0, "ablations": 180.0}
"""Seconds for each run of a section, unless told otherwise."""

RUNS = Path(__file__).parents[1] / "runs"
"""Where checkpoints of long runs lie."""

PAPER: dict[str, Any] = {
    "memory": "reservoir", "refit": "fresh", "schedule": "constant", "steps": 200, "batch": 512, "rate": 3e-3,
    "traversals": 1_000,
}  # fmt: skip
"""Reservoirs and networks fitted anew every iteration, as published; numbers for a game of this size."""


@dataclass(frozen=True)
class Wanted:
    """What the command line asks of a section."""

    seconds: float
    only: str = ""
    resume: bool = False

    def has(self, name: str) -> bool:
        """Whether a run is to be made now."""
        return self.only.lower() in name.lower()


def traversal(_: Wanted) -> list[Row]:
    """Histories touched per second by the walks of Leduc poker, all that goes into memories included."""
    tree = rg.build(rg.games.Leduc())
    game = ListedGame(tree, torch.device("cpu"))
    table = game.by_infoset(rg.Strategy.uniform(tree).probabilities)
    peer, generator = OpenSpielDeepCFR(), torch.Generator().manual_seed(1)

    def ours() -> float:
        began = time.process_time()
        walked = traverse(game, 0, 3_000, lambda _, infosets: table[infosets], generator)
        return (time.process_time() - began) / walked.nodes

    def theirs() -> float:
        before, began = peer.nodes, time.process_time()
        peer.walk(20)
        return (time.process_time() - began) / (peer.nodes - before)

    mine, other = in_turns(ours, theirs, rounds=10)
    what = f"walks on Leduc, one history ({1 / mine / 1e6:.3g} M histories/s against {1 / other:,.0f})"
    return [row(what, "OpenSpiel, PyTorch Deep CFR", mine, other, "≥ 50×", other >= 50 * mine)]


def variance(_: Wanted) -> list[Row]:
    """How much an advantage varies about the mean of its infoset, with and without a baseline that has learned."""
    rows = []
    for name in ("kuhn", "leduc", "liars_dice:sides=4"):
        tree = rg.build(rg.games.by_name(name))
        game = ListedGame(tree, torch.device("cpu"))
        near = rg.solve(tree, rg.CFR_PLUS, iterations=200).strategy
        for played, strategy in (("uniform", rg.Strategy.uniform(tree)), ("near the equilibrium", near)):
            table = game.by_infoset(strategy.probabilities)
            plain, reduced = (scatter(game, table, baseline) for baseline in (None, HistoryBaseline(game)))
            what = {"game": name, "strategy": played, "plain": f"{plain:.3g}", "baseline": f"{reduced:.3g}"}
            rows.append({**what, "plain ÷ baseline": f"{plain / reduced:.3g}"})
    return rows


def scatter(game: ListedGame, table: torch.Tensor, baseline: HistoryBaseline | None) -> float:
    """Chips squared, over all that 20,000 walks find; a baseline has learned from 30,000 before."""
    generator = torch.Generator().manual_seed(1)
    for _ in range(10 if baseline else 0):
        traverse(game, 0, 3_000, lambda _, infosets: table[infosets], generator, baseline)
    found = traverse(game, 0, 20_000, lambda _, infosets: table[infosets], generator, baseline).advantages
    count = torch.bincount(found.infosets, minlength=len(table)).clamp(min=1)[:, None]
    means = torch.zeros(table.shape).index_add_(0, found.infosets, found.values) / count
    return float((found.values - means[found.infosets]).square().sum(1).mean())


def refits(_: Wanted) -> list[Row]:
    """How fits of one memory differ from each other (noise) and, in the mean, from what they should be (bias)."""
    learner = ListedDeepCFR(rg.build(rg.games.Leduc()), rg.SD_CFR.replace(**PAPER), Settings(seed=1))
    learner.advance(30)
    memory, own = learner.advantages[0].memory, learner.own[0]
    merged = MergedMemory(learner.game, [0])
    held = slice(len(memory))
    for weight in memory.weights[held].unique().tolist():
        which = (memory.weights[held] == weight).nonzero()[:, 0]
        merged.add(Samples(memory.infosets[which], memory.targets[which]), weight, torch.Generator())
    merged.prepare(1, scaled=False)
    targets = merged.targets / memory.prepare(1, scaled=True)
    rows = []
    for steps in (200, 1_000):
        for name, change in (("constant", {}), ("cosine", {"schedule": "cosine"}), ("averaged", {"ema": 0.98})):
            values = AdvantageNetwork(learner.game, rg.SD_CFR.replace(**{**PAPER, **change, "steps": steps}), 0, 1)
            values.memory, said = memory, []
            for number in range(6):
                values.refit(number + 1)
                said.append(values.trainer.outputs(learner.game.features(own)) * learner.game.legal(own))
            mean = torch.stack(said).mean(0)
            noise, bias = (
                float((merged.shares[:, None] * (one - other).square()).sum())
                for one, other in ((torch.stack(said), mean), (mean, targets))
            )
            rows.append({"rate": name, "steps": steps, "noise": f"{noise / 5:.4f}", "bias": f"{bias:.4f}"})
    return rows


def equal_time(wanted: Wanted) -> list[Row]:
    """Exploitability on Leduc after the same seconds: OpenSpiel's now, ours read off the curves of section leduc."""
    peer, limit = "OpenSpiel, PyTorch Deep CFR", wanted.seconds
    if wanted.has(peer):
        gap, iterations = OpenSpielDeepCFR().solve(limit)
        curve = {"iteration": [iterations], "seconds": [limit], "exploitability": [gap]}
        found: Kept = {"game": "leduc", "method": peer, "settings": "of its example", "device": "cpu, one thread"}
        found |= {"seconds": limit, "gpu_seconds": 0, "iterations": iterations, "exploitability": gap}
        keep("equal-time", peer, {**found, "curve": curve})
    theirs = kept("equal-time")[peer]
    gap = theirs["exploitability"]
    rows = [{"method": peer, "seconds": limit, "iterations": theirs["iterations"], "exploitability": f"{gap:.4f}"}]
    for name in ("SD-CFR", "Deep CFR"):
        curve = kept("leduc")[name]["curve"]
        last = int(np.searchsorted(curve["seconds"], limit, side="right")) - 1
        times = gap / curve["exploitability"][last]
        rows.append(
            {"method": name, "seconds": f"{curve['seconds'][last]:.0f}", "iterations": int(curve["iteration"][last]),
             "exploitability": f"{curve['exploitability'][last]:.4f}", "theirs ÷ ours": f"{times:.3g}",
             "target": "≥ 5×", "met": "yes" if times >= 5 else "no"}
        )  # fmt: skip
    return rows


def kuhn(wanted: Wanted) -> list[Row]:
    """Default settings on Kuhn poker, several seeds."""
    targets = {"Deep CFR": 0.02, "SD-CFR": 0.02, "NFSP": 0.06}
    for name in targets:
        for seed in (1, 2, 3):
            if wanted.has(name):
                solved("kuhn", f"{name}, seed {seed}", "kuhn", by_name(name), wanted.seconds, seed)
    rows = []
    for run in kept("kuhn").values():
        target = targets[run["method"]]
        seconds, gaps = (np.array(run["curve"][column]) for column in ("seconds", "exploitability"))
        below = np.flatnonzero(gaps > target)  # from the measurement after the last of these on it stays at the target
        first = 0 if not len(below) else below[-1] + 1
        rows.append(
            {"method": run["method"], "seed": run["seed"], "seconds": run["seconds"],
             "exploitability": f"{run['exploitability']:.4f}", "target": target,
             "met": "yes" if run["exploitability"] <= target else "no",
             "at the target for good after": f"{seconds[first]:.1f} s" if first < len(seconds) else "never"}
        )  # fmt: skip
    return rows


TABLE = "external sampling, a table"
"""What the same walks make of a table in place of networks: linear CFR, as many walks in an iteration."""


def leduc(wanted: Wanted) -> list[Row]:
    """Curves on Leduc poker: exploitability at some iterations and the seconds they took."""
    RUNS.mkdir(exist_ok=True)
    for name in ("SD-CFR", "Deep CFR", "NFSP"):
        if wanted.has(name):
            place = RUNS / f"leduc-{by_name(name)}.run"
            with processor_seconds():
                run = (
                    rg.resume(place, seconds=wanted.seconds, checkpoint=place)
                    if wanted.resume
                    else rg.solve("leduc", by_name(name), seconds=wanted.seconds, seed=1, threads=1, checkpoint=place)
                )
            keep_run("leduc", name, run)
    if wanted.has(TABLE):
        method = rg.MCCFR(sampling="external", variant=rg.LINEAR_CFR, traversals=rg.SD_CFR.traversals)
        with processor_seconds():
            keep_run("leduc", TABLE, rg.solve("leduc", method, iterations=3_300, seed=1, threads=1))
    return [row for name, run in kept("leduc").items() for row in points_of(name, run, 12)]


def by_name(name: str) -> str:
    """A method of the tables as the command line calls it."""
    return name.lower().replace(" ", "-")


def points_of(name: str, run: Kept, points: int) -> list[Row]:
    """Some rows of a run's curve, evenly spaced in log iterations."""
    curve = run["curve"]
    wanted = np.unique(np.geomspace(1, run["iterations"], points).astype(int))
    places = np.unique(np.searchsorted(curve["iteration"], wanted).clip(max=len(curve["iteration"]) - 1))
    return [
        {
            "method": name,
            "iteration": int(curve["iteration"][at]),
            "seconds": f"{curve['seconds'][at]:.1f}",
            "exploitability": f"{curve['exploitability'][at]:.4f}",
            "histories touched": f"{curve['nodes'][at]:,.0f}",
            "loss": f"{curve['loss'][at]:.3g}" if "loss" in curve else "",
        }
        for at in places
    ]


USUAL = "as usual"
ABLATIONS: dict[str, dict[str, dict[str, Any]]] = {
    "traversals": {"300": {"traversals": 300}, "1,000": {"traversals": 1_000}, "10,000": {"traversals": 10_000}},
    "Adam steps of a refit": {"20": {"steps": 20}, "200": {"steps": 200}},
    "width": {f"{width}": {"widths": (width, width, width)} for width in (16, 32, 128)},
    "weight of iterations": {"not linear": {"linear": False}},
    "refit": {"fresh": {"refit": "fresh"}, "fresh, 500 steps": {"refit": "fresh", "steps": 500}},
    "memory": {
        "reservoir of a million": {"memory": "reservoir"},
        "reservoir of 100,000": {"memory": "reservoir", "capacity": 100_000},
        "window of 100,000": {"memory": "window", "capacity": 100_000},
    },
    "fallback": {"uniform": {"fallback": "uniform"}},
    "network": {"residual": {"network": "residual"}},
    "targets": {
        "not scaled": {"scaled": False},
        "baseline": {"baseline": "history"},
        "baseline, 300 traversals": {"baseline": "history", "traversals": 300},
        "floor 1": {"floor": 1.0},
        "floor 3": {"floor": 3.0},
    },
    "reservoirs, fresh networks": {
        "constant rate": PAPER,
        "cosine": {**PAPER, "schedule": "cosine"},
        "weights averaged": {**PAPER, "ema": 0.98},
        "uniform fallback": {**PAPER, "fallback": "uniform"},
        "not fresh": {**PAPER, "refit": "continued"},
    },
}
"""Changes of SD-CFR's usual settings, by what they change."""


def ablations(wanted: Wanted) -> list[Row]:
    """SD-CFR on Leduc poker with one thing changed at a time, the same seconds each; the usual settings thrice."""
    settings: dict[str, tuple[dict[str, Any], int]] = {f"{USUAL}, seed {seed}": ({}, seed) for seed in (1, 2, 3)}
    settings |= {
        f"{knob}: {name}": (change, 1) for knob, changes in ABLATIONS.items() for name, change in changes.items()
    }
    for name, (change, seed) in settings.items():
        if wanted.has(name):
            solved("ablations", name, "leduc", rg.SD_CFR.replace(**change), wanted.seconds, seed)
    return [
        {"setting": name, "seconds": run["seconds"], "iterations": run["iterations"],
         "exploitability": f"{run['exploitability']:.4f}", "histories touched": f"{run['curve']['nodes'][-1]:,.0f}"}
        for name, run in kept("ablations").items()
    ]  # fmt: skip


def gpu(_: Wanted) -> list[Row]:
    """Flop hold'em on a GPU: one step of training, walks, averaging, and measuring."""
    from benchmarks.deep_gpu import step_seconds, walk_seconds, whole_seconds

    step, wide, walks, whole = step_seconds(), step_seconds(128), walk_seconds(), whole_seconds()
    return [
        timed("a step, batch 10,000 of a memory of 40 million, network of the paper", step, 0.25e-3),
        timed("the same step with a network twice as wide", wide),
        timed("10,000 walks of one player, networks asked at every level", walks, 50e-3),
        timed("all 1,755 boards walked with all hands, for one player", whole["walk"]),
        timed("a player's strategy at all infosets, added to the average", whole["average"]),
        timed("exact exploitability of the average and of the last strategy", whole["measure"]),
    ]


def timed(what: str, seconds: float, most: float | None = None) -> Row:
    """A row of what took so long, and at most how long it should."""
    asked = {} if most is None else {"target": f"≤ {1e3 * most:g} ms", "met": "yes" if seconds <= most else "no"}
    return {"what": what, "ms": f"{1e3 * seconds:.3g}", "target": "–", "met": "–"} | asked


def main() -> None:
    torch.set_num_threads(1)
    works = {f.__name__: f for f in (traversal, variance, refits, kuhn, leduc, equal_time, ablations, gpu)}
    given = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    for name in [word for word in sys.argv[1:] if "=" not in word] or [
        "traversal",
        "variance",
        "kuhn",
        "leduc",
        "equal_time",
    ]:
        wanted = Wanted(float(given.get("seconds", LENGTHS.get(name, 0.0))), given.get("only", ""), "resume" in given)
        write(f"deep-{name.replace('_', '-')}", works[name](wanted), about())


if __name__ == "__main__":
    main()
