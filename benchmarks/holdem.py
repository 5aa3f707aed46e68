"""Hold'em on public trees: flop hold'em (FHP) and no-limit spots, against the memory's speed and published figures.

    python -m benchmarks.holdem [iteration] [memory] [calibration] [targets] [spots] [variants] [--device cuda]

`iteration` and `memory` time single iterations; `targets` solves FHP to 5 and 1 mbb/g (minutes); `variants` writes the
convergence of eight variants on FHP (an hour and more on two cores, three minutes on a large GPU).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import regretless as rg
from benchmarks.record import RESULTS, circumstances, write
from benchmarks.timing import Row, spelled
from regretless.method import Settings, processors
from regretless.poker.solving.vector_cfr import VectorLearner
from regretless.poker.tree.memory_estimate import readable, size_sentence

VARIANTS = ("dcfr", "dcfr+", "hs-dcfr", "cfr+", "pdcfr+", "pcfr+", "linear", "cfr")
FASTEST = "dcfr+"
"""The variant that the targets are measured with; `variants` is why."""

OUT_OF_POSITION = "99+,ATs+,A5s-A2s,KTs+,QTs+,JTs,T9s,98s,87s,76s,AQo+,KQo"
IN_POSITION = "QQ-22,AQs-A2s,K9s+,Q9s+,J9s+,T8s+,97s+,86s+,75s+,65s,54s,AQo-ATo,KJo+,QJo"
"""A 3-bet pot, heads-up, 100 big blinds of 10 chips: raise to 25, 3-bet to 90, call; 180 in the pot, 910 behind."""

SPOTS: dict[str, dict[str, Any]] = {
    "river, any two cards, two bet sizes": {
        "board": "Qs Jh 2h 7c 3d", "ranges": ("random", "random"), "pot": 100, "stack": 300,
        "sizes": "bet 50% 100%, raise 60%", "until": 0.001, "target": 0.5,
    },
    "turn, any two cards, two bet sizes": {
        "board": "Qs Jh 2h 7c", "ranges": ("random", "random"), "pot": 100, "stack": 300,
        "sizes": "bet 50% 100%, raise 60%", "until": 0.001, "target": 20.0,
    },
    "flop, 3-bet pot, one bet size": {
        "board": "Qs Jh 2h", "ranges": (OUT_OF_POSITION, IN_POSITION), "pot": 180, "stack": 910,
        "sizes": "bet 50%, raise 60%", "until": 0.003, "target": None,
    },
}  # fmt: skip


def learner(game: Any, variant: str = "cfr+", dtype: str = "float32", device: str = "cpu") -> VectorLearner:
    made = VectorLearner(
        game.public_tree(),
        rg.variants.VARIANTS[variant],
        Settings(dtype=dtype, threads=processors(), device=device),
        device,
    )
    made.measure()
    return made


def least_seconds(work: Any, times: int) -> float:
    best = np.inf
    for _ in range(times):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return float(best)


def stream(device: str) -> float:
    """Bytes a second that all processors together, or a GPU, read and write when they do nothing else."""
    if device == "cuda":
        return gpu_stream()
    parts = [np.ones(1 << 26, np.float32) for _ in range(processors())]

    def double(part: np.ndarray) -> None:
        np.multiply(part, np.float32(1.0), out=part)

    with ThreadPoolExecutor(len(parts)) as pool:
        spent = least_seconds(lambda: list(pool.map(double, parts)), 5)
    return 2 * sum(part.nbytes for part in parts) / spent


def gpu_stream() -> float:
    from regretless.kernels.public.cuda_target import cuda

    source, target = (cuda.device_array(1 << 30, np.float32) for _ in range(2))

    def copy() -> None:
        target.copy_to_device(source)
        cuda.synchronize()

    copy()
    return 2 * source.nbytes / least_seconds(copy, 5)


def bytes_moved(made: VectorLearner) -> int:
    """What an iteration must move: regrets are read by both players and written, averages are read and written."""
    return 5 * made.public.numbers * np.dtype(made.settings.dtype).itemsize


def iteration(device: str = "cpu") -> list[Row]:
    """One CFR+ iteration and one exact best response of FHP, beside the time that its bytes take to stream."""
    rows, speed = [], stream(device)
    most, at_once = (1.2, 1) if device == "cpu" else (0.010, 20)
    for dtype in ("float32", "int16") if device == "cpu" else ("float32",):
        made = learner(rg.poker.FlopHoldem(), dtype=dtype, device=device)

        def advance(made: VectorLearner = made) -> None:
            made.advance(at_once)
            finished(device)

        advance()
        seconds = least_seconds(advance, 8) / at_once
        response = least_seconds(made.measure, 4)
        limit = bytes_moved(made) / speed
        where = f"{processors()} threads" if device == "cpu" else "one GPU"
        rows.append({
            "what": f"FHP, CFR+, {dtype}, {where}", "seconds per iteration": f"{seconds:.5f}",
            "target": f"≤ {most:g} s", "met": "yes" if seconds <= most else "no",
            "bytes moved": readable(bytes_moved(made)), "memory streams": f"{speed / 1e9:.1f} GB/s",
            "limit": spelled(limit), "measured ÷ limit": f"{seconds / limit:.1f}",
            "both best responses": f"{response:.3f} s = {response / seconds:.2f} iterations", "target ": "≤ 2",
        })  # fmt: skip
        del made
    return rows


def finished(device: str) -> None:
    """Wait for a GPU."""
    if device == "cuda":
        from regretless.kernels.public.cuda_target import cuda

        cuda.synchronize()


def memory() -> list[Row]:
    """The most memory that a solve of FHP takes, each in a process of its own."""
    rows = []
    for dtype, most in (("float32", 4.0), ("int16", 2.2)):
        command = [sys.executable, "-m", "benchmarks.holdem", "--peak", dtype]
        peak = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])
        rows.append({"what": f"FHP, CFR+, {dtype}, 3 iterations, whole process", "peak": f"{peak:.2f} GB",
                     "target": f"≤ {most} GB", "met": "yes" if peak <= most else "no"})  # fmt: skip
    return rows


def peak(dtype: str) -> None:
    rg.solve(rg.poker.FlopHoldem(), rg.CFR_PLUS, iterations=3, dtype=dtype)
    lines = Path("/proc/self/status").read_text().splitlines()  # getrusage would count what the parent held before
    print(int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024 / 1e9)


def calibration() -> list[Row]:
    """Figures that another program published for the same game."""
    made = learner(rg.poker.FlopHoldem(), "linear")
    rows = []
    for iterations, published in ((0, 3045.0), (20, 115.0), (30, 64.7)):
        made.advance(iterations - made.iteration)
        found = made.measure()["mbb_total"]
        what = f"linear CFR, {iterations} iterations" if iterations else "uniform play"
        rows.append({"what": what, "mbb/g total": f"{found:.2f}", "published": published,
                     "off by": f"{found / published - 1:+.2%}", "target": "± 2 %",
                     "met": "yes" if abs(found / published - 1) <= 0.02 else "no"})  # fmt: skip
    return rows


def targets(device: str = "cpu") -> list[Row]:
    """FHP to 5 and to 1 mbb/g total, measurements of exploitability included."""
    rows: list[Row] = []
    wanted = {5.0: 180.0, 1.0: 600.0} if device == "cpu" else {5.0: None, 1.0: 20.0}
    left = sorted(wanted, reverse=True)

    def look(snapshot: Any) -> bool:
        total = snapshot.nash_conv * 10
        while left and total <= left[0]:
            limit = wanted[left[0]]
            rows.append({"what": f"FHP to {left[0]:g} mbb/g total, {FASTEST}, {device}",
                         "seconds": f"{snapshot.seconds:.1f}", "iterations": snapshot.iteration,
                         "mbb/g total": f"{total:.3f}",
                         "target": f"≤ {limit:g} s" if limit else "–",
                         "met": "–" if limit is None else "yes" if snapshot.seconds <= limit else "no"})  # fmt: skip
            left.pop(0)
        return not left

    run = rg.solve(rg.poker.FlopHoldem(), FASTEST, seconds=1_200, callback=look, device=device)
    last = run.history.rows()[-1]
    rows.append({"what": "value to the small blind", "seconds": f"{last['value']:.4f} chips",
                 "iterations": f"between {last['value_least']:.4f} and {last['value_most']:.4f}"})  # fmt: skip
    return rows


def spots() -> list[Row]:
    """No-limit spots that anybody can set up again."""
    rows = []
    for name, setting in SPOTS.items():
        until, target = setting["until"], setting["target"]
        game = rg.poker.Spot(**{k: v for k, v in setting.items() if k not in ("until", "target")})
        rg.solve(game, rg.DCFR, iterations=1)
        best = None
        for _ in range(3 if target else 1):
            run = rg.solve(game, rg.DCFR, until=until * game.pot, seconds=1_800)
            best = run if best is None or run.seconds < best.seconds else best
        assert best is not None
        tree = best.problem
        rows.append({
            "what": name,
            "how": f"{setting['board']}; pot {setting['pot']}, stack {setting['stack']}; {setting['sizes']}",
            "to": f"{until:.1%} of the pot", "seconds": f"{best.seconds:.3g}", "iterations": best.iterations,
            "seconds per iteration": f"{best.seconds / best.iterations:.3g}",
            "target": f"≤ {target:g} s" if target else "–",
            "met": "–" if not target else "yes" if best.seconds <= target else "no",
            "memory": f"{readable(tree.bytes_needed('float32'))} ({readable(tree.bytes_needed('int16'))} in 16 bits)",
            "size": size_sentence(tree, "float32"),
        })  # fmt: skip
    return rows


def variants(device: str = "cpu") -> list[Row]:
    """Convergence of eight variants on FHP, to 0.2 mbb/g total or a limit in seconds, kept as curves."""
    seconds, curves, rows = 45.0 if device == "cuda" else 900.0, {}, []
    for name in VARIANTS:
        run = rg.solve(rg.poker.FlopHoldem(), name, seconds=seconds, until=0.01, device=device)
        history = run.history
        columns = ("iteration", "seconds", "mbb_total", "value", "value_least", "value_most")
        curves[name] = {key: np.asarray(history[key]).tolist() for key in columns}
        reached = {f"to {total:g} mbb/g": first_below(history, total) for total in (5.0, 1.0, 0.5)}
        rows.append({"variant": name, "iterations": run.iterations, "seconds": f"{run.seconds:.1f}", **reached,
                     "mbb/g total": f"{history['mbb_total'][-1]:.3f}",
                     "value from": f"{history['value_least'][-1]:.4f}",
                     "to": f"{history['value_most'][-1]:.4f}"})  # fmt: skip
        keep = RESULTS / f"holdem-curves-{device}.json"
        keep.write_text(json.dumps({**circumstances(), "curves": curves}, indent=None) + "\n")
    return rows


def first_below(history: Any, total: float) -> str:
    """Iterations and seconds after which exploitability was first at or below a level in mbb/g."""
    below = np.flatnonzero(np.asarray(history["mbb_total"]) <= total)
    if not len(below):
        return "–"
    return f"{history['iteration'][below[0]]} in {history['seconds'][below[0]]:.2f} s"


SECTIONS: dict[str, Any] = {
    "iteration": iteration,
    "memory": memory,
    "calibration": calibration,
    "targets": targets,
    "spots": spots,
    "variants": variants,
}


def main() -> None:
    """Run the sections named on the command line, or all but the hour of `variants`."""
    if sys.argv[1:2] == ["--peak"]:
        peak(sys.argv[2])
        return
    device = "cuda" if "cuda" in sys.argv else "cpu"
    chosen = [word for word in sys.argv[1:] if word in SECTIONS]
    for name in chosen or [name for name in SECTIONS if name != "variants"]:
        if name in ("iteration", "targets", "variants"):
            write(f"holdem-{name}" + ("-cuda" if device == "cuda" else ""), SECTIONS[name](device))
        else:
            write(f"holdem-{name}", SECTIONS[name]())


if __name__ == "__main__":
    Path(RESULTS).mkdir(exist_ok=True)
    main()
