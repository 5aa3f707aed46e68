"""An abstraction of limit hold'em solved for a long time: its exploitability, and what its states win from each other.

    python -m benchmarks.hulh_curve FOLDER solve [--buckets 200] [--to 512000]
    python -m benchmarks.hulh_curve FOLDER measure [--flops 16]
    python -m benchmarks.hulh_curve FOLDER meet [--hands 300]
    python -m benchmarks.hulh_curve FOLDER meet --other FOLDER [--hands 300]

FOLDER keeps the abstraction, the states and the flops that were measured; every call goes on where the one before it
stopped. Boards are doubled from state to state, and all states are measured on the same flops. With --other, the newest
state meets the newest state of another folder, which has another abstraction. The results are written to
results/hulh/abstraction-BUCKETS.json.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import regretless as rg
from benchmarks.record import circumstances

RESULTS = Path(__file__).parents[1] / "results" / "hulh"
BATCH = 16
FIRST = 2_000
"""Boards of an iteration, and of the first state."""


def kept(buckets: int) -> Path:
    """Where the results of an abstraction are."""
    return RESULTS / f"abstraction-{buckets}.json"


def add(buckets: int, part: str, row: dict[str, Any], about: dict[str, Any]) -> None:
    """Keep a row; it replaces the row of the same states."""
    path, keys = kept(buckets), ("boards", "against", "opponent", "flops")
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
        clock, spent = time.perf_counter(), time.process_time()
        abstraction = rg.poker.abstract(game, (169, *[given.buckets] * 3), seed=1, threads=given.threads)
        abstraction.save(stored)
        row = {"clock, s": round(time.perf_counter() - clock, 1), "processor, s": round(time.process_time() - spent, 1)}
        add(given.buckets, "abstraction", row, about)
    method = rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR, boards=BATCH)
    solved = rg.poker.LimitHoldem(abstraction=abstraction)
    boards = FIRST
    while boards <= given.to:
        path, before = folder / f"state-{boards}.run", folder / f"state-{boards // 2}.run"
        if not path.exists():
            clock, spent = time.perf_counter(), time.process_time()
            if boards == FIRST:
                run = rg.solve(solved, method, iterations=boards // BATCH, seed=1, threads=given.threads)
            else:
                more = (boards - boards // 2) // BATCH
                run = rg.resume(before, iterations=more, game=solved, threads=given.threads)
            run.save(path)
            row = {
                "boards": boards, "iterations": run.iterations,
                "clock since the state before, s": round(time.perf_counter() - clock, 1),
                "processor since the state before, s": round(time.process_time() - spent, 1),
            }  # fmt: skip
            add(given.buckets, "states", row, about)
        boards *= 2


def measure(folder: Path, given: argparse.Namespace, about: dict[str, Any]) -> None:
    """Exploitability of the states on the same flops, the newest first."""
    abstraction, game = rg.poker.load_abstraction(folder / "a.abs"), rg.poker.LimitHoldem()
    solved = rg.poker.LimitHoldem(abstraction=abstraction)
    for boards, path in reversed(states(folder).items()):
        if given.boards and boards not in given.boards:
            continue
        clock, spent = time.perf_counter(), time.process_time()
        found: Any = rg.exploitability(
            game, rg.load(path, game=solved).strategy, flops=given.flops, seed=given.seed, threads=given.threads,
            checkpoint=folder / f"flops-{boards}", progress=False,
        )  # fmt: skip
        low, high = (1_000 * end / game.big_blind for end in (found.low, found.high))
        row = {
            "boards": boards, "flops": given.flops, "seed": given.seed, "mbb/g": round(found.mbb, 2),
            "low": round(low, 2), "high": round(high, 2),
            "best responses, chips": [round(value, 4) for value in found.best_responses],
            "clock, s": round(time.perf_counter() - clock, 1), "processor, s": round(time.process_time() - spent, 1),
        }  # fmt: skip
        add(given.buckets, "exploitability", row, about)


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
        add(given.buckets, "matches with others", row | played(one, other, given), about)
        return
    for against, path in states(folder).items():
        if against < boards:
            row = {"boards": boards, "against": against}
            add(given.buckets, "matches", row | played(one, rg.load(path, game=one.game).strategy, given), about)


def played(one: Any, other: Any, given: argparse.Namespace) -> dict[str, Any]:
    """A match of two strategies."""
    clock = time.process_time()
    won: Any = rg.match(
        rg.poker.LimitHoldem(), one, other, hands=given.hands, seed=given.seed, threads=given.threads
    )  # fmt: skip
    low, high = (round(1_000 * end / one.game.big_blind, 2) for end in (won.low, won.high))
    return {
        "boards of the match": given.hands, "seed": given.seed, "mbb/g": round(won.mbb, 2), "low": low, "high": high,
        "processor, s": round(time.process_time() - clock, 1),
    }  # fmt: skip


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("task", choices=("solve", "measure", "meet"))
    parser.add_argument("--buckets", type=int, default=200)
    parser.add_argument("--to", type=int, default=512_000)
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
    {"solve": solve, "measure": measure, "meet": meet}[given.task](given.folder, given, about)


if __name__ == "__main__":
    main()
