"""Exploitability of a strategy of buckets or networks, against best responses that know all own cards, flop by flop.

Cutting the game into flops follows Johanson, Waugh, Bowling & Zinkevich 2011.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, Protocol

import numpy as np

from regretless.errors import OptionError
from regretless.method import processors
from regretless.methods.checks import check_confidence, checked_seed, checked_threads, whole
from regretless.poker.measuring.card_blind.blind_flops import BlindFlops
from regretless.poker.measuring.checked_down import checked_down
from regretless.poker.measuring.flop_engines import FlopEngine, flop_engine
from regretless.poker.measuring.flop_estimate import estimated_seconds
from regretless.poker.measuring.flop_files import FlopFile, measurement_digest
from regretless.poker.measuring.flop_sums import MeasuredExploitability, draw_flops, exploitability_of
from regretless.poker.measuring.flops import FlopGame, FlopValues
from regretless.poker.measuring.progress import shown
from regretless.poker.quoting import quoted
from regretless.poker.results.board_strategy import BoardStrategy

__all__ = ["MeasuresFlops", "measure_by_flops"]

SAVED_EVERY = 30.0
"""Seconds between two writes of a checkpoint."""

ANNOUNCED_FROM = 60.0
"""Seconds: a measurement that takes longer says so before it starts, and again after its first flop."""

LONGEST = 24 * 3_600.0
"""Seconds: a longer measurement is refused unless its flops are kept in a file."""


class MeasuresFlops(Protocol):
    """Machines that measure flops; `rg.Ray` is one."""

    def at_once(self, tasks: int) -> int:
        """The number of tasks that are done at the same time."""

    def flop_values(self, game: FlopGame, numbers: Sequence[int]) -> Generator[tuple[int, FlopValues], None, None]:
        """The values of flops, in the order in which they are done."""


def measure_by_flops(
    strategy: BoardStrategy,
    *,
    flops: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    dtype: str = "float32",
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    confidence: float = 0.95,
    device: str = "cpu",
    workers: MeasuresFlops | None = None,
    values: bool = False,
) -> MeasuredExploitability:
    """Measure all flops, or a random sample of `flops`; see `rg.exploitability`.

    A strategy that looks at no cards is measured on the CPU by `BlindFlops`, in double precision.
    """
    _check(flops, checkpoint, dtype, progress, device, values)
    check_confidence(confidence)
    flops, seed, threads = flops and int(flops), checked_seed(seed), checked_threads(threads)
    game = strategy.flop_game(dtype, threads or processors(), device, values, elsewhere=workers is not None)
    times = draw_flops(game, flops, seed)
    exact = flops is None or flops >= len(times)
    engine = flop_engine(game)
    blind = isinstance(engine, BlindFlops)
    digest = measurement_digest(game, strategy.tree.fingerprint, blind) if checkpoint else ""
    kept = FlopFile(checkpoint, game, digest)
    chosen = np.flatnonzero(times)
    left = [number for number in chosen.tolist() if number not in kept.rows]
    if left:
        with shown(progress, "first flop") as show:
            _measure(game, engine, left, workers, kept, progress, show)
    rows = np.stack([kept.rows[number] for number in chosen.tolist()])
    control = checked_down(game, len(chosen)) if not blind and not exact else None
    return exploitability_of(game, chosen, rows, times[chosen], exact, confidence, control)


def _measure(
    game: FlopGame,
    engine: FlopEngine,
    numbers: list[int],
    workers: MeasuresFlops | None,
    kept: FlopFile,
    progress: bool | None,
    show: Callable[[float, str], None],
) -> None:
    """Measure flops and keep their rows as they come; one with more symmetries has fewer boards and takes less time."""
    cost = {number: 1.0 / game.flops[number].symmetries for number in numbers}
    total, saved, done, spent = sum(cost.values()), time.monotonic(), 0.0, 0.0
    expected = estimated_seconds(game, numbers) if engine is game and workers is None else None
    if expected is not None:
        _announce(f"{len(numbers):,} flops take", expected, kept.path is not None, progress)
    values, at_once = _started(game, engine, numbers, workers)
    try:
        for at, (number, found) in enumerate(values, 1):
            kept.rows[number] = found.rows
            kept.seconds += found.seconds
            done, spent = done + cost[number], spent + found.seconds
            left = spent / done * max(total - done, 0.0) / at_once
            if at == 1:
                after = f"after the first flop, the other {len(numbers) - 1:,} take"
                _announce(after, left, kept.path is not None, progress)
            show(done / total, f"{at:,} of {len(numbers):,} flops, {duration(left)} left")
            if time.monotonic() - saved > SAVED_EVERY:
                kept.write()
                saved = time.monotonic()
    finally:
        values.close()
        kept.write()


def _started(
    game: FlopGame, engine: FlopEngine, numbers: list[int], workers: MeasuresFlops | None
) -> tuple[Generator[tuple[int, FlopValues], None, None], int]:
    """The values of flops, here one after the other, and how many are measured at once."""
    if workers is not None:
        return workers.flop_values(game, numbers), workers.at_once(len(numbers))
    return _here(game, engine, numbers), 1


def _here(game: FlopGame, engine: FlopEngine, numbers: list[int]) -> Generator[tuple[int, FlopValues], None, None]:
    yield from zip(numbers, engine.in_turn([game.flops[number] for number in numbers]), strict=True)


def _announce(flops: str, left: float, resumable: bool, progress: bool | None) -> None:
    """Say how long a measurement will take; refuse one of days that could not go on after an interruption."""
    said = f"{flops} about {duration(left)}"
    if left > LONGEST and not resumable:
        raise OptionError(
            f"{said} on this machine: give checkpoint=FILE to be able to go on after an interruption, or flops=20 for "
            f"an estimate"
        )
    if left > ANNOUNCED_FROM and progress is not False:
        print(said, file=sys.stderr)


def duration(seconds: float) -> str:
    """A time in its largest unit.

    >>> duration(42), duration(600), duration(90_000), duration(300_000)
    ('42 s', '10 minutes', '25.0 hours', '3.5 days')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 2 * 3_600:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3_600:.1f} hours" if seconds < 2 * 86_400 else f"{seconds / 86_400:.1f} days"


def _check(flops: Any, checkpoint: Any, dtype: Any, progress: Any, device: Any, values: Any) -> None:
    if flops is not None and not whole(flops, least=2):
        raise OptionError(f"flops is a number of flops from 2 on, or None for all of them, got {quoted(flops)}")
    if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
        raise OptionError(f"checkpoint is the path of a file, or None, got {quoted(checkpoint)}")
    if dtype not in ("float32", "float64"):
        raise OptionError(f"dtype is 'float32' or 'float64', got {quoted(dtype)}")
    if progress not in (None, True, False):
        raise OptionError(f"progress is True, False or None, got {quoted(progress)}")
    if device not in ("cpu", "cuda"):
        raise OptionError(f"device is 'cpu' or 'cuda', got {quoted(device)}")
    if values not in (True, False):
        raise OptionError(f"values is True or False, got {quoted(values)}")
