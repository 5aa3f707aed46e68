"""An abstraction of limit hold'em solved for a long time: its exploitability, and what its states win from each other.

    python -m benchmarks.hulh_curve FOLDER solve [--buckets 200] [--states 2000 4000 …] [--seconds 400] [--device cuda]
    python -m benchmarks.hulh_curve FOLDER measure [--flops 16 | --exact] [--boards 128000] [--device cuda]
    python -m benchmarks.hulh_curve FOLDER meet [--hands 300]
    python -m benchmarks.hulh_curve FOLDER meet --other FOLDER [--hands 300]

FOLDER keeps the abstraction, the states and the flops that were measured; every call goes on where the one before it
stopped. States are numbered by the boards that they have seen: those of --states, or with --seconds one state after
this time. All states are measured on the same flops, --exact on all of them. With --other, the newest state meets the
newest state of another folder, which has another abstraction. Rows of a CPU are written to
results/hulh/abstraction-BUCKETS.json, those of a GPU and those with --name cuda to results/hulh/cuda-BUCKETS.json.
With --results they are written to another folder than results/hulh. --features compares hands in another way, and needs
a --name of its own.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import regretless as rg
from benchmarks.record import circumstances, gpu_name
from benchmarks.timing import interval
from regretless.storage import read_arrays

RESULTS = Path(__file__).parents[1] / "results" / "hulh"
BATCH = 16
"""Boards of an iteration."""

STATES = [2_000 * 2**k for k in range(9)]


def add(given: argparse.Namespace, part: str, row: dict[str, Any], about: dict[str, Any]) -> None:
    """Keep a row; it replaces the row of the same states."""
    name = given.name or ("cuda" if given.device == "cuda" else "abstraction")
    path, keys = given.results / f"{name}-{given.buckets}.json", ("boards", "against", "opponent", "flops")
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    found.setdefault("about", {})[part] = about
    same = [tuple(old.get(key) for key in keys) for old in found.get(part, [])]
    rows = found.setdefault(part, [])
    this = tuple(row.get(key) for key in keys)
    if this in same:
        rows[same.index(this)] = row
    else:
        rows.append(row)
    rows.sort(key=lambda each: tuple(str(each.get(key)).rjust(20) for key in keys))
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(row), flush=True)


def states(folder: Path) -> dict[int, Path]:
    """The states that are kept, by boards."""
    found = {int(path.stem.removeprefix("state-")): path for path in folder.glob("state-*.run")}
    return dict(sorted(found.items()))


def solve(folder: Path, given: argparse.Namespace, about: dict[str, Any]) -> None:
    """Build the abstraction, and go on from the last state."""
    stored, game = folder / "a.abs", rg.poker.LimitHoldem()
    if stored.exists():
        abstraction = rg.poker.load_abstraction(stored)
    else:
        timed = Timed()
        abstraction = rg.poker.abstract(
            game, (169, *[given.buckets] * 3), given.features, seed=1, threads=given.threads,
            device=given.build_on or given.device,
        )  # fmt: skip
        abstraction.save(stored)
        add(given, "abstraction", {"fingerprint": abstraction.fingerprint, **timed.spent()}, about)
    solved = rg.poker.LimitHoldem(abstraction=abstraction)
    if given.seconds:
        advance(folder, solved, given, about, {"seconds": given.seconds})
        return
    for boards in STATES if given.states is None else given.states:
        if not (folder / f"state-{boards}.run").exists():
            before = list(states(folder))
            more = boards - (before[-1] if before else 0)
            advance(folder, solved, given, about, {"iterations": more // BATCH})


def advance(folder: Path, solved: Any, given: argparse.Namespace, about: dict[str, Any], until: dict[str, Any]) -> None:
    """Go on from the newest state, and keep the new one."""
    timed, before = Timed(), list(states(folder).values())
    options = {"threads": given.threads, "device": given.device, "progress": False, **until}
    if before:
        run = rg.resume(before[-1], game=solved, **options)
    else:
        method = rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR, boards=BATCH)
        run = rg.solve(solved, method, seed=1, **options)
    solving = timed.spent(" since the state before, s")
    boards = run.iterations * BATCH
    run.save(folder / f"state-{boards}.run")
    row = {"boards": boards, "iterations": run.iterations, "seconds of all solves": round(run.seconds, 1)}
    add(given, "states", row | solving, about)


class Timed:
    """The clock and the processor since it was made."""

    def __init__(self) -> None:
        self.clock, self.processor = time.perf_counter(), time.process_time()

    def spent(self, after: str = ", s") -> dict[str, float]:
        """Seconds of both."""
        return {
            f"clock{after}": round(time.perf_counter() - self.clock, 1),
            f"processor{after}": round(time.process_time() - self.processor, 1),
        }


def measure(folder: Path, given: argparse.Namespace, about: dict[str, Any]) -> None:
    """Exploitability of the states on the same flops, the newest first."""
    abstraction, game = rg.poker.load_abstraction(folder / "a.abs"), rg.poker.LimitHoldem()
    solved = rg.poker.LimitHoldem(abstraction=abstraction)
    for boards, path in reversed(states(folder).items()):
        if given.boards and boards not in given.boards:
            continue
        timed, file = Timed(), folder / f"flops-{boards}"
        found: Any = rg.exploitability(
            game, rg.load(path, game=solved).strategy, flops=None if given.exact else given.flops, seed=given.seed,
            threads=given.threads, checkpoint=file, progress=False, device=given.device,
        )  # fmt: skip
        row = {
            "boards": boards, "flops": found.flops, "seed": given.seed, "exact": found.exact,
            "mbb/g": round(found.mbb, 4 if found.exact else 2),
            **interval(found, game.big_blind),
            "best responses, chips": [round(value, 4) for value in found.best_responses],
            "seconds of the flops in the file": round(read_arrays(file)[1]["seconds"], 1), **timed.spent(),
        }  # fmt: skip
        add(given, "exploitability", row, about)


def newest(folder: Path) -> tuple[int, Any]:
    """The last state of a folder: its boards and its strategy."""
    abstraction = rg.poker.load_abstraction(folder / "a.abs")
    boards, path = list(states(folder).items())[-1]
    return boards, rg.load(path, game=rg.poker.LimitHoldem(abstraction=abstraction)).strategy


def meet(folder: Path, given: argparse.Namespace, about: dict[str, Any]) -> None:
    """What the newest state wins from the others, or from that of another folder, on drawn boards with all hands."""
    boards, one = newest(folder)
    if given.other:
        against, other = newest(given.other)
        row = {"boards": boards, "against": against, "opponent": other.game.abstraction.name}
        add(given, "matches with others", row | played(one, other, given), about)
        return
    for against, path in states(folder).items():
        if against < boards:
            row = {"boards": boards, "against": against}
            add(given, "matches", row | played(one, rg.load(path, game=one.game).strategy, given), about)


def played(one: Any, other: Any, given: argparse.Namespace) -> dict[str, Any]:
    """A match of two strategies."""
    timed = Timed()
    won: Any = rg.match(
        rg.poker.LimitHoldem(), one, other, hands=given.hands, seed=given.seed, threads=given.threads
    )  # fmt: skip
    return {
        "boards of the match": given.hands, "seed": given.seed, "mbb/g": round(won.mbb, 2),
        **interval(won, one.game.big_blind), **timed.spent(),
    }  # fmt: skip


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("task", choices=("solve", "measure", "meet"))
    parser.add_argument("--buckets", type=int, default=200)
    parser.add_argument("--features", help="of all streets, if not the usual ones")
    parser.add_argument("--states", type=int, nargs="*", help="boards of the states that are kept")
    parser.add_argument("--seconds", type=float, help="go on for this time instead")
    parser.add_argument("--exact", action="store_true", help="measure all flops")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--build-on", choices=("cpu", "cuda"), help="where the abstraction is built, if elsewhere")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--name", help="of the file of results")
    parser.add_argument("--flops", type=int, default=16, help="flops of a measurement")
    parser.add_argument("--hands", type=int, default=300, help="boards of a match")
    parser.add_argument("--boards", type=int, nargs="*", help="measure only the states after these numbers of boards")
    parser.add_argument("--other", type=Path, help="a folder with the opponent of a match")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--note")
    given = parser.parse_args()
    if given.task == "solve":
        given.folder.mkdir(parents=True, exist_ok=True)
    about = circumstances() | ({"note": given.note} if given.note else {})
    about |= {"gpu": gpu_name()} if given.device == "cuda" else {}
    {"solve": solve, "measure": measure, "meet": meet}[given.task](given.folder, given, about)


if __name__ == "__main__":
    main()
