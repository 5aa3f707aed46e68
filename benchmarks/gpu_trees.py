"""Listed games on a GPU beside the limit of its memory and beside the CPU of the same machine.

    python -m benchmarks.gpu_trees [small] [dice8] [variants] [profile] [tune] [large] [--out FILE] [--tables]

Every finished piece is written to FILE (gpu_trees.json), and a piece that is there is not measured again: started a
second time, it goes on where it was stopped. With --tables nothing is measured, and the tables benchmarks/results/
gpu-trees*.md are written from FILE, on any machine. The limit is what the CPU's layout of the game moves in
an iteration (12 bytes for a payoff entry, 80 for a sequence in double precision), divided by 4 TB/s.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import regretless as rg
from benchmarks.record import circumstances, write
from benchmarks.timing import spelled
from regretless.gpu.device_tree import DeviceTree, Launch
from regretless.kernels.tree_cuda.phase_layout import PHASE_FIRST, PHASE_KIND, PHASE_LAST, PHASE_RECORD, TOTALS
from regretless.method import Settings
from regretless.methods.cfr import CFRLearner, start
from regretless.tree import Tree
from regretless.variants import VARIANTS, Variant

BANDWIDTH = 4e12
SMALL = ("kuhn", "leduc", "goofspiel:cards=5", "liars_dice", "goofspiel:cards=6")
DICE = "liars_dice:sides=8"
LARGE = "liars_dice:sides=10"
KINDS = ("products", "update", "first plans", "plans", "best", "totals")
Row = dict[str, Any]


@cache
def tree_of(name: str) -> Tree:
    return rg.build(name)


def limit_bytes(tree: Tree) -> int:
    """What one iteration moves in the CPU's layout, double precision."""
    return 12 * len(tree.form.payoff) + 80 * tree.sequences


def moved_bytes(device: DeviceTree, dtype: str) -> int:
    """What one iteration moves in the GPU's layout: see `phase_kernel`."""
    slices, size = device.slices["float64"], np.dtype(dtype).itemsize
    entries = slices.packed.size * 4 if slices.packed.size else slices.payoff.size * (4 * (device.players - 1) + size)
    return int(
        entries + 12 * slices.slot.size / 4 + 2 * size * device.contributions + (9 * size + 8) * device.sequences
    )


class Work:
    """A solve on the GPU, to be timed."""

    def __init__(self, tree: Tree, variant: Variant, dtype: str = "float64", launch: Launch | None = None) -> None:
        begin = start(tree, variant, Settings(dtype=dtype))
        self.variant, self.device = variant, DeviceTree(tree.form, launch)
        self.state = self.device.state(begin.regret, begin.guess, begin.plan, begin.average)
        self.phases = self.device.iteration_phases(range(tree.players), variant.alternating)

    def advance(self, first: int, count: int) -> None:
        """Run iterations first … first + count − 1 in one launch."""
        steps = self.variant.steps(first, count)
        self.device.run(self.state, self.phases, steps, bool(self.variant.predictive))

    def seconds(self, budget: float = 0.5) -> float:
        """Seconds of one iteration: the least of five launches of many."""
        self.advance(1, 8)
        once = clocked(lambda: self.advance(9, 8)) / 8
        count = int(np.clip(budget / 5 / once, 8, 1_000))
        return min(clocked(lambda: self.advance(17, count)) for _ in range(5)) / count

    @property
    def blocks(self) -> int:
        """Blocks of the latest launch."""
        return next(int(configured.griddim[0]) for _, configured in self.device.compiled.values())


def clocked(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def cpu_seconds(tree: Tree, variant: Variant, threads: int, budget: float = 1.0) -> float:
    learner = CFRLearner(tree, variant, Settings(threads=threads))
    learner.advance(2)
    once = clocked(lambda: learner.advance(2)) / 2
    count = max(1, min(200, int(budget / 4 / once)))
    return min(clocked(lambda: learner.advance(count)) for _ in range(3)) / count


def difference(tree: Tree, variant: Variant, dtype: str = "float64", iterations: int = 10) -> tuple[float, bool]:
    """The largest difference from the CPU after some iterations, in units of the largest number; and whether a second
    run has the same bits. Random regrets at the beginning: from nothing, rounding would decide ties."""
    cpu = CFRLearner(tree, variant, Settings(dtype=dtype))
    begin, generator = cpu.iterate, np.random.default_rng(7)
    begin.regret[:] = generator.uniform(0.1, 2, tree.sequences)
    begin.guess[:] = generator.uniform(0.1, 2, begin.guess.size)
    device, found = DeviceTree(tree.form), []
    phases = device.iteration_phases(range(tree.players), variant.alternating)
    for _ in range(2):
        state = device.state(begin.regret, begin.guess, begin.plan, begin.average)
        device.run(state, phases, variant.steps(1, iterations), bool(variant.predictive))
        found.append({name: getattr(state, name).copy_to_host() for name in ("regret", "guess", "plan", "average")})
    cpu.advance(iterations)
    off = max(
        float(np.abs(array - getattr(begin, name)).max() / np.abs(array).max())
        for name, array in found[0].items() if array.size
    )  # fmt: skip
    return off, all(np.array_equal(found[0][name], found[1][name]) for name in found[0])


def beside_the_cpu(name: str, threads: int = 2) -> Row:
    tree, variant = tree_of(name), rg.CFR_PLUS
    work, single = Work(tree, variant), Work(tree, variant, "float32")
    ours, least = work.seconds(), limit_bytes(tree) / BANDWIDTH
    cpu, (off, same) = cpu_seconds(tree, variant, threads), difference(tree, variant)
    plan = work.device.cuda.to_device(work.state.average.copy_to_host())
    measure = min(clocked(lambda: work.device.measure(plan, [0, 1])) for _ in range(5))
    return {
        "game": name,
        "terminals": tree.terminals,
        "blocks": work.blocks,
        "barriers": len(work.phases),
        "one CFR+ iteration": spelled(ours),
        "float32": spelled(single.seconds()),
        "limit": spelled(least),
        "÷ limit": round(ours / least, 2),
        "moved": f"{moved_bytes(work.device, 'float64') / 1e6:,.1f} MB",
        f"CPU, {threads} threads": spelled(cpu),
        "times faster": round(cpu / ours, 1),
        "one exploitability": spelled(measure),
        "off": f"{off:.1e}",
        "same bits twice": same,
    }


def variants(name: str = "leduc") -> list[Row]:
    rows = []
    for title, variant in VARIANTS.items():
        off, same = difference(tree_of(name), variant)
        apart, again = difference(tree_of(name), variant.replace(alternating=False), "float32")
        rows.append({"game": name, "variant": title, "off": f"{off:.1e}", "simultaneous, float32": f"{apart:.1e}",
                     "same bits twice": same and again})  # fmt: skip
    run, cpu = (rg.solve(tree_of(name), rg.PCFR_PLUS, iterations=500, device=device) for device in ("cuda", "cpu"))
    rows.append(
        {
            "game": name,
            "exploitability after 500 iterations of PCFR+": run.exploitability,
            "CPU": cpu.exploitability,
            "the same strategy measured on the CPU": rg.exploitability(tree_of(name), run.strategy),
            "and on the GPU": rg.exploitability(tree_of(name), run.strategy, device="cuda"),
        }
    )
    return rows


def profile(name: str) -> list[Row]:
    """Each phase by itself, again and again: its time with the barrier behind it."""
    work = Work(tree_of(name), rg.CFR_PLUS)
    work.advance(1, 2)
    records, rows, steps = work.phases.copy_to_host(), [], rg.CFR_PLUS.steps(10, 500)
    nothing = np.zeros(PHASE_RECORD, np.int32)
    nothing[PHASE_KIND] = TOTALS
    for number, record in enumerate([nothing, *records]):
        phase = work.device.cuda.to_device(record[None])
        seconds = min(clocked(lambda p=phase: work.device.run(work.state, p, steps)) for _ in range(3)) / 500
        kind = KINDS[record[PHASE_KIND]] if number else "a barrier alone"
        items = int(record[PHASE_LAST] - record[PHASE_FIRST])
        rows.append({"game": name, "phase": number, "kind": kind, "items": items, "time": spelled(seconds)})
    return rows


def tune(name: str) -> list[Row]:
    rows = []
    for threads in (256, 512, 1024):
        for blocks in (1, 33, 66, 132, 264, 528):
            work = Work(tree_of(name), rg.CFR_PLUS, launch=Launch(threads, blocks))
            seconds = work.seconds(0.2)
            if work.blocks == blocks:
                rows.append({"game": name, "threads": threads, "blocks": blocks, "time": spelled(seconds)})
    return rows


def large(name: str = LARGE) -> list[Row]:
    """A tree of 10⁸ terminals: the seconds and bytes of listing it, of copying it, and of an iteration."""
    building = clocked(lambda: tree_of(name))
    tree = tree_of(name)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    row = {"game": name, "terminals": tree.terminals, "listed in": spelled(building),
           "bytes per terminal": round(tree.nbytes / tree.terminals, 1), "peak": f"{peak / 1e9:.1f} GB"}  # fmt: skip
    began = time.perf_counter()
    work = Work(tree, rg.CFR_PLUS)
    row["laid out and copied in"] = spelled(time.perf_counter() - began)
    row["on the GPU"] = f"{(work.device.nbytes + 8 * (5 * tree.sequences + work.device.contributions)) / 1e9:.2f} GB"
    seconds, least = work.seconds(2.0), limit_bytes(tree) / BANDWIDTH
    row |= {"one CFR+ iteration": spelled(seconds), "limit": spelled(least), "÷ limit": round(seconds / least, 2)}
    measure = clocked(lambda: work.device.measure(work.state.average, [0, 1], list(work.state[4:])))
    return [row | {"one exploitability": spelled(measure)}]


PIECES: dict[str, dict[str, Callable[[], list[Row]]]] = {
    "small": {name: lambda n=name: [beside_the_cpu(n)] for name in SMALL},  # type: ignore[misc]
    "dice8": {DICE: lambda: [beside_the_cpu(DICE)]},
    "variants": {"variants": variants},
    "profile": {f"profile {name}": lambda n=name: profile(n) for name in ("liars_dice", "goofspiel:cards=6", DICE)},  # type: ignore[misc]
    "tune": {f"tune {name}": lambda n=name: tune(n) for name in ("leduc", "liars_dice", "goofspiel:cards=6", DICE)},  # type: ignore[misc]
    "large": {LARGE: large},
}


TABLES = {"profile": "gpu-trees-profile", "tune": "gpu-trees-launches", "variants": "gpu-trees-variants"}


def write_tables(kept: dict[str, Any]) -> None:
    """Keep what was measured in the form of all results: a table for each kind of piece."""
    rows: dict[str, list[Row]] = {}
    for name, found in kept.items():
        if name != "about":
            table = "gpu-trees-large" if name == LARGE else TABLES.get(name.partition(" ")[0], "gpu-trees")
            rows.setdefault(table, []).extend(found)
    for table, found in rows.items():
        write(table, found, kept["about"])


def about_this_run() -> dict[str, Any]:
    """Command without the path of a file, GPU and processor, versions and commit."""
    from regretless.kernels.cuda_target import cuda

    known = circumstances()
    gpu = cuda.get_current_device().name
    gpu = gpu.decode() if isinstance(gpu, bytes) else gpu
    return known | {"command": known["command"].partition(" --out")[0], "machine": f"{gpu}, host {known['machine']}"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pieces", nargs="*", choices=[*PIECES, []], help="what to measure; all but large by default")
    parser.add_argument("--out", type=Path, default=Path("gpu_trees.json"))
    parser.add_argument("--tables", action="store_true", help="write the tables of what is in FILE, measure nothing")
    options = parser.parse_args()
    kept = json.loads(options.out.read_text()) if options.out.exists() else {}
    if options.tables:
        write_tables(kept)
        return
    for piece in options.pieces or [name for name in PIECES if name != "large"]:
        for name, work in PIECES[piece].items():
            if name not in kept:
                began = time.perf_counter()
                kept[name] = work()
                kept["about"] = about_this_run()
                options.out.write_text(json.dumps(kept, indent=1) + "\n")
                print(f"-- {name}: {time.perf_counter() - began:.1f} s", flush=True)
                gc.collect()
            for row in kept[name]:
                print(" | ".join(f"{key}: {value}" for key, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
