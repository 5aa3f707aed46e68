"""Playing a match: batches of deals, shared by threads, and their sums."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.compiled import CompiledGame
from regretless.display.notebooks import in_notebook, live_html
from regretless.kernels.numba_ext.uncounted_arrays import uncounted_view
from regretless.kernels.sampling.listed_steps import ListedTable
from regretless.kernels.sampling.playing import match_hands as listed_hands
from regretless.kernels.sampling.playing.match_hands import BY_HISTORY, BY_INFOSET, NO_CONTROL
from regretless.kernels.sampling.playing.match_values import history_values
from regretless.method import processors
from regretless.sampling.listed_learner import ListedStore, listed_rules
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["BATCH", "Play", "Tally", "compiled_play", "listed_play", "tally", "values_of_histories"]

Array = npt.NDArray[Any]

Play = Callable[[int, int], tuple[Array, Array]]
"""Plays deals first … last − 1: the chips [deals, P] that a won in each seat, and what control variates add to them."""

Side = tuple[Any, Array, int]
"""A strategy as kernels take it: a table of infosets, their numbers, and the run of numbers to play by."""

BATCH = 4_096
"""Deals that a thread plays at a time; rounding depends on it, so it does not depend on the number of threads."""

FIRST_WIDTH = 64
"""Actions at one history that fit into the first buffers."""


@dataclass(frozen=True)
class Tally:
    """Means and variances of what a won, in chips; an observation is the mean over all seatings of a deal."""

    deals: int
    mean: float
    by_seat: Array  # [P]
    variance: float
    plain_variance: float
    """Without control variates."""


def tally(play: Play, deals: int, threads: int | None, progress: bool, batch: int = BATCH) -> Tally:
    """Play all deals. Batches are summed in their order, so the sums do not depend on the number of threads."""
    batches = list(pairwise([*range(0, deals, batch), deals]))
    count, mean, squares = 0, np.zeros(0), np.zeros(0)
    with _shown(deals, progress) as show:
        for won, added in _played(play, batches, min(threads or processors(), len(batches))):
            better = won + added
            columns = np.column_stack([better.mean(axis=1), won.mean(axis=1), better])  # [deals, 2 + P]
            fresh, middle = len(columns), columns.mean(axis=0)
            spread = np.square(columns - middle).sum(axis=0)
            if count == 0:
                mean, squares = middle, spread
            else:  # Chan, Golub & LeVeque 1983, equations 2.1
                away = middle - mean
                mean = mean + away * fresh / (count + fresh)
                squares = squares + spread + away**2 * count * fresh / (count + fresh)
            count += fresh
            show(count)
    variance, plain = (squares[:2] / (count - 1)).tolist() if count > 1 else (math.inf, math.inf)
    return Tally(count, float(mean[0]), mean[2:], variance, plain)


def _played(play: Play, batches: list[tuple[int, int]], threads: int) -> Iterator[tuple[Array, Array]]:
    if threads == 1:
        for first, last in batches:
            yield play(first, last)
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield from pool.map(lambda batch: play(*batch), batches)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


@contextlib.contextmanager
def _shown(deals: int, progress: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar, in a notebook's cell or on standard error; the function takes the number of deals played."""
    if not progress:
        yield lambda done: None
        return
    if in_notebook():
        update = live_html("")
        yield lambda done: update(f"<progress value='{done}' max='{deals}'></progress> {done:,} of {deals:,} deals")
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task("deals", total=deals)
        yield lambda done: bar.update(task, completed=done)


# -- on listed games --------------------------------------------------------------------------------------------------


def listed_play(tree: Tree, a: Strategy, b: Strategy, control: Array | None, seed: int, duplicate: bool) -> Play:
    """Hands on a tree. control [P, H]: what every history is worth to a in each seat."""
    rules, store = listed_rules(tree), ListedStore(tree, parts=1)
    mine, theirs = (_laid_out(store, strategy) for strategy in (a, b))
    by_history = np.zeros(1) if control is None else control.reshape(-1)
    mode = NO_CONTROL if control is None else BY_HISTORY
    return _batches(
        listed_hands.hands, tree.players, seed, duplicate,
        (rules, mine, theirs, (mine, by_history, mode, tree.histories)),
    )  # fmt: skip


def _laid_out(store: ListedStore, strategy: Strategy) -> Side:
    values = np.empty(len(store.values))
    values[store.regret_at] = strategy.probabilities[store.sequences]
    return ListedTable(store.slots), values, 0


def values_of_histories(tree: Tree, a: Strategy, b: Strategy) -> Array:
    """[P, H] what each history is worth to a in each seat, where b has all the others."""
    h, store = tree.listing, ListedStore(tree, parts=1)
    listing = h.mover, h.index, h.first_child, h.children, h.probability, h.payoffs
    mine, theirs = (_laid_out(store, strategy)[1] for strategy in (a, b))
    worth = np.empty((tree.players, tree.histories))
    for seat in range(tree.players):
        history_values(listing, store.slots, mine, theirs, seat, worth[seat])
    return worth


# -- on compiled games ------------------------------------------------------------------------------------------------


def compiled_play(compiled: CompiledGame, a: Side, b: Side, control: Side | None, seed: int, duplicate: bool) -> Play:
    """Hands on a game that is never listed. control: a strategy whose table holds baselines."""
    if a[1].dtype != b[1].dtype:
        a, b = ((table, np.asarray(values, np.float64), kind) for table, values, kind in (a, b))
    mode = NO_CONTROL if control is None else BY_INFOSET
    return _batches(
        compiled.kernels("sampling.playing.match_hands").hands, compiled.game.players, seed, duplicate,
        (compiled.rules, a, b, (control or a, np.zeros(1), mode, 0)),
    )  # fmt: skip


def _batches(kernel: Any, players: int, seed: int, duplicate: bool, held: tuple[Any, ...]) -> Play:
    lent = _lent(held)

    def play(first: int, last: int) -> tuple[Array, Array]:
        won, added = np.empty((last - first, players)), np.empty((last - first, players))
        done, widest = first, FIRST_WIDTH
        while done < last:
            scratch = np.empty(widest, np.int64), np.empty(widest), np.empty(widest), np.empty(players)
            results = won[done - first :], added[done - first :]
            done = kernel(*lent, done, last, np.uint64(seed), duplicate, *_lent((scratch, *results)))
            widest *= 2
        return won, added

    return play


def _lent(value: Any) -> Any:
    """The same tuple with uncounted views of its arrays: compiled code does not count references to them."""
    if isinstance(value, np.ndarray):
        return uncounted_view(value)
    if isinstance(value, tuple):
        parts = map(_lent, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
