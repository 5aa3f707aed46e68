"""Keep trying to break the library: `python -m tests.hostile --minutes 10 [--seed S] [--kind files,commands,…]`.

Each kind runs for its share of the time. The table at the end counts what was tried and what failed; the inputs that
failed are written to a folder, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "src")]

import game_files  # noqa: E402
import killed_solves  # noqa: E402
import poker_files  # noqa: E402
import random_commands  # noqa: E402
import raw_requests  # noqa: E402
import same_bits  # noqa: E402
import saved_runs  # noqa: E402
from trials import Counts, Trial, run_trials, table  # noqa: E402


def _game_files(seed: int, wanted: Callable[[game_files.Case], bool]) -> Iterator[Trial]:
    for case in filter(wanted, game_files.cases(seed, sys.maxsize)):
        evidence = case.payload if isinstance(case.payload, bytes) else case.name.encode()
        yield Trial(case.kind, case.name, lambda case=case: game_files.attempt(case), evidence)


def _poker_files(seed: int) -> Iterator[Trial]:
    for case in poker_files.cases(seed, sys.maxsize):
        yield Trial(f"poker {case.kind}", str(case)[:300], lambda case=case: poker_files.attempt(case), case.data)


def files(seed: int) -> Iterator[Trial]:
    """Mutated files of every kind, in turn."""
    sources = [_game_files(seed, lambda case: case.kind != "wrong game"), _poker_files(seed), saved_runs.trials(seed)]
    for source in cycle(sources):
        yield from islice(source, 10)


def games(seed: int) -> Iterator[Trial]:
    """Wrong games."""
    return _game_files(seed, lambda case: case.kind == "wrong game")


KINDS: dict[str, Callable[[int], Iterator[Trial]]] = {
    "files": files,
    "commands": random_commands.trials,
    "games": games,
    "kills": killed_solves.trials,
    "requests": raw_requests.trials,
    "determinism": same_bits.trials,
}


def run(kinds: list[str], seconds: float, seed: int, folder: Path) -> dict[str, dict[str, Counts]]:
    """Run kinds one after the other, each for its share of what is left of the time."""
    counts: dict[str, dict[str, Counts]] = {}
    end = time.monotonic() + seconds
    for number, kind in enumerate(kinds):
        share = max(end - time.monotonic(), 0.0) / (len(kinds) - number)
        found = KINDS[kind](seed)
        try:
            counts[kind] = run_trials(found, share, folder / kind)
        finally:
            ended = run_trials(iter([Trial("at the end", kind, found.close, b"")]), 0, folder / kind)  # type: ignore[attr-defined]
        counts[kind] |= {group: count for group, count in ended.items() if count.failed}
        tried, failed = (sum(one[column] for one in counts[kind].values()) for column in range(2))
        print(f"{kind}: {tried:,} tried, {failed:,} failed", file=sys.stderr, flush=True)
    return counts


def main(arguments: list[str] | None = None) -> int:
    """The command; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to try (10)")
    parser.add_argument("--seed", type=int, default=None, help="the same seed tries the same things (a new one)")
    parser.add_argument("--kind", default=",".join(KINDS), help=f"some of {', '.join(KINDS)} (all)")
    parser.add_argument("--out", type=Path, default=None, help="folder for inputs that failed (a temporary one)")
    given = parser.parse_args(arguments)
    kinds = [kind.strip() for kind in given.kind.split(",")]
    for kind in kinds:
        if kind not in KINDS:
            parser.error(f"unknown kind {kind!r}: known are {', '.join(KINDS)}")
    seed = time.time_ns() % 1_000_000 if given.seed is None else given.seed
    folder = given.out or Path(tempfile.mkdtemp(prefix="regretless-hostile-"))
    print(f"seed {seed}, failures in {folder}", file=sys.stderr, flush=True)
    counts = run(kinds, 60 * given.minutes, seed, folder)
    print(table(counts))
    failed = any(found.failed for groups in counts.values() for found in groups.values())
    if failed:
        print(f"the inputs that failed are in {folder}, seed {seed}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
