"""Begin a solve on a public tree with an earlier one instead of uniform play.

A whole run has its regrets: they are copied, and the solve goes on from there. Of a strategy alone regrets are set such
that regret matching plays it, as `methods.warm_start` does on listed trees:

    R(I, a) = σ(I, a) · FACTOR · (max r(I, ·) − min r(I, ·))

r(I, a) is the counterfactual regret of one iteration in which both play σ: its range is how much one iteration can
change, and it holds the reach of the other player. Regrets of a run are the better start, since they also say by how
much the actions that are not played are worse.

Variants with a discount multiply regrets by 0 in iteration 1. A solve that begins with regrets takes the step weights
of iteration 1 + SKIPPED first: old regret then fades by 3 % in an iteration of DCFR, little enough to keep what was
known and enough to forget it where it is wrong. The average begins empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public.layout import SolveState
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.solving.cpu_walker import Walker, kernel_state
from regretless.poker.tree.public_tree import PublicTree
from regretless.variants import Variant

__all__ = ["SKIPPED", "same_but_for_locks", "skipped_iterations", "warm_numbers"]

Array = npt.NDArray[Any]

SKIPPED = 10
"""Iterations whose step weights are left out."""

FACTOR = 5.0
"""Iterations of the largest change that it takes to leave a strategy."""

REGRETS_ONLY = np.array([1.0, 1.0, -np.inf, 1.0, 1.0, 0.0, 1.0, 0.0])
"""Step weights of CFR that leave the average as it is."""

LARGEST = 32_767
"""What the largest number of a block is written as in 16 bits."""


def skipped_iterations(variant: Variant, started: bool) -> int:
    """By how many iterations the step weights of a variant are ahead; 0 for a solve from the beginning."""
    return SKIPPED if started and variant.discount is not None else 0


def same_but_for_locks(tree: PublicTree, strategy: Any) -> PublicStrategy:
    """A strategy to begin with on a tree, checked: of the same game, whatever nodes are locked in either."""
    from regretless.poker.formats.game_json import same_game

    if not isinstance(strategy, PublicStrategy):
        raise OptionError(f"start is a run of this game or its strategy, hand by hand, got {strategy!r}")
    one, other = (game.with_locks(()) for game in (tree.game, strategy.tree.game))
    if not same_game(one, other):
        raise OptionError(
            f"start is a strategy of {other.name}, another game: cards, betting, board and ranges have to be the same, "
            "only locks may differ"
        )
    return strategy


def warm_numbers(tree: PublicTree, numbers: SolveState, strategy: PublicStrategy, threads: int) -> None:
    """Write the regrets to begin with into `numbers`, which are zeros so far."""
    given, compact = strategy.arrays, numbers.scale is not None
    if "regret" not in given:
        regret = _regrets_of_strategy(tree, strategy, numbers.regret.dtype, threads)
        _write(tree, numbers, regret, None)
    elif ("scale" in given) == compact and given_type(given) == numbers.regret.dtype:
        _read_into(given, "regret", numbers.regret)
        if numbers.scale is not None:
            numbers.scale[0] = given["scale"][0]
    else:
        _write(tree, numbers, given["regret"], given["scale"][0] if "scale" in given else None)
    if numbers.guess is not None:
        numbers.guess[:] = numbers.regret
        if numbers.scale is not None:
            numbers.scale[2] = numbers.scale[0]


def given_type(arrays: Mapping[str, Array]) -> np.dtype[Any]:
    """The type of the regrets of a run; those in a file are not read for it."""
    kept = getattr(arrays, "kept", arrays)
    return np.dtype(kept["regret"].dtype)


def _read_into(arrays: Mapping[str, Array], name: str, target: Array) -> None:
    """Copy an array of a run; from a file without a second copy in memory."""
    read = getattr(arrays, "read_into", None)
    if read is None:
        target[:] = arrays[name]
    else:
        read(name, target)


def _pieces(tree: PublicTree, first_block: Array) -> Iterator[tuple[slice, int, Array, Array, int]]:
    """Of each player on each board: (numbers, row length, [nodes] first row, [nodes] rows, [nodes] block).

    first_block [boards]: see `SolveState.scale_first`.
    """
    arrays, betting = tree.book.arrays, tree.betting
    nodes = {
        (street, player): np.flatnonzero(betting.kind[begin:end] == player) + begin
        for street, (begin, end) in enumerate(zip(betting.street_nodes[:-1], betting.street_nodes[1:], strict=True))
        for player in range(2)
    }
    for board in range(tree.boards):
        for player in range(2):
            here = nodes[int(tree.board_street[board]), player]
            if not len(here):
                continue
            here = here[np.argsort(betting.slot[here])]
            stride, first = int(arrays.stride[player, board]), int(arrays.first[player, board])
            count = betting.children[here]
            place = slice(first, first + int(count.sum()) * stride)
            yield place, stride, betting.slot[here], count, betting.block[here] + int(first_block[board])


def _regrets_of_strategy(tree: PublicTree, strategy: PublicStrategy, storage: Any, threads: int) -> Array:
    """[numbers] regrets that regret matching turns into a strategy."""
    dtype = np.dtype(np.float64 if storage == np.float64 else np.float32)
    strategy.need(range(tree.boards))
    source = strategy.source.astype(dtype)
    regret = np.zeros(tree.numbers, dtype)
    first = np.zeros(tree.boards, np.int64)
    state = SolveState(regret, None, np.zeros(tree.numbers, dtype), None, first, None)
    walker, smallest = Walker(tree, dtype.name, threads), float(np.sqrt(np.finfo(np.float32).tiny))
    for player in range(2):
        walker.walk(player, kernel_state(state), source, True, REGRETS_ONLY)
    for place, stride, row, count, _ in _pieces(tree, first):
        gained = regret[place].reshape(-1, stride)
        played = np.maximum(source[place].reshape(-1, stride), 0)
        total = np.add.reduceat(played, row)
        uniform = total < np.finfo(np.float32).tiny
        played[np.repeat(uniform, count, axis=0)] = 1
        total = np.where(uniform, count[:, None], total)
        spread = np.maximum.reduceat(gained, row) - np.minimum.reduceat(gained, row)
        regret[place] = (played * np.repeat(np.maximum(FACTOR * spread, smallest) / total, count, axis=0)).ravel()
    return regret


def _write(tree: PublicTree, numbers: SolveState, regret: Array, scale: Array | None) -> None:
    """numbers.regret ← regrets in another type; scale: that of 16-bit regrets by block."""
    for place, stride, row, count, block in _pieces(tree, numbers.scale_first):
        rows = regret[place].reshape(-1, stride).astype(np.float64)
        if scale is not None:
            rows *= np.repeat(scale[block], count)[:, None]
        if numbers.scale is not None:
            unit = np.maximum.reduceat(np.abs(rows).max(axis=1), row) / LARGEST
            numbers.scale[0, block] = unit
            rows = np.rint(rows / np.repeat(np.where(unit > 0, unit, 1), count)[:, None])
        numbers.regret[place] = rows.ravel()
