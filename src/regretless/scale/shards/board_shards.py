"""Shards of a public tree: boards after the first chance move, with everything below them, and their numbers.

A shard owns neighbouring boards of the second street. Their children are neighbours too, so on each street the shard
owns one run of boards, and the numbers of these boards are one slice of the arrays of the whole tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.public.layout import SolveState
from regretless.poker.solving.cpu_walker import Walker, kernel_state
from regretless.poker.solving.locking import lock_numbers
from regretless.poker.solving.vector_cfr import blocks_of
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["BoardShard", "ShardLayout", "StateFormat", "WalkRequest", "empty_state", "named_arrays", "split_boards"]

Array = npt.NDArray[Any]


class WalkRequest(NamedTuple):
    """One walk for one player, as the driver sends it to every shard."""

    player: int
    iteration: int
    learning: bool
    source: str  # the array that strategies are proportional to: "regret", "guess" or "average"
    step: Array  # [8] step weights
    mine: Array  # [rows, classes] the player's reach on the first street
    theirs: Array  # [rows + 1, classes] the other player's


@dataclass(frozen=True)
class StateFormat:
    """The number format of a solve, whether its variant is predictive, and where shards compute."""

    dtype: str
    predictive: bool
    device: str = "cpu"

    @property
    def compute(self) -> str:
        """The format of reach and values."""
        return "float64" if self.dtype == "float64" else "float32"


class ShardLayout:
    """The boards of one shard, and where their numbers and blocks lie in the arrays of the whole tree."""

    def __init__(self, tree: PublicTree, roots: range) -> None:
        """roots: boards of the second street; range(0, 1), the board of the first street, is the trunk."""
        runs = [roots]
        if roots.start > 0:
            first = tree.book.arrays.child_first
            while len(runs) < tree.streets - 1:
                runs.append(range(int(first[runs[-1].start]), int(first[runs[-1].stop])))
        self.roots, self.runs = roots, tuple(runs)  # [streets] boards
        first_block, blocks = blocks_of(tree)
        self.numbers = _slices(np.append(tree.book.arrays.first[0], tree.numbers), runs)
        self.blocks = _slices(np.append(first_block, blocks), runs)

    @property
    def count(self) -> int:
        """Numbers of the shard."""
        return sum(piece.stop - piece.start for piece in self.numbers)

    def pieces(self, name: str) -> Iterator[tuple[Any, Any]]:
        """(index into an array of the whole tree, index into the shard's) of each street."""
        at = 0
        for piece in self.blocks if name == "scale" else self.numbers:
            own = slice(at, at + piece.stop - piece.start)
            at = own.stop
            yield ((slice(None), piece), (slice(None), own)) if name == "scale" else (piece, own)

    def cut(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """The shard's part of arrays of the whole tree."""
        return {
            name: np.concatenate([array[there] for there, _ in self.pieces(name)], axis=-1)
            for name, array in arrays.items()
        }

    def paste(self, part: Mapping[str, Array], arrays: Mapping[str, Array]) -> None:
        """Write the shard's part into arrays of the whole tree."""
        for name, array in arrays.items():
            for there, own in self.pieces(name):
                array[there] = part[name][own]

    def rebased(self, tree: PublicTree) -> tuple[PublicTree, Array]:
        """The tree with the shard's numbers counted from 0, and [boards] the first block of each board likewise."""
        first, (blocks, _) = tree.book.arrays.first.copy(), blocks_of(tree)
        at = at_block = 0
        for run, numbers, piece in zip(self.runs, self.numbers, self.blocks, strict=True):
            inside = slice(run.start, run.stop)
            first[:, inside] += at - numbers.start
            blocks[inside] += at_block - piece.start
            at, at_block = at + numbers.stop - numbers.start, at_block + piece.stop - piece.start
        book = replace(tree.book, arrays=tree.book.arrays._replace(first=first))
        return replace(tree, book=book), blocks


def _slices(bounds: Array, runs: list[range]) -> tuple[slice, ...]:
    return tuple(slice(int(bounds[run.start]), int(bounds[run.stop])) for run in runs)


def split_boards(tree: PublicTree, shards: int) -> list[ShardLayout]:
    """Shards with about the same number of numbers each, in the order of boards."""
    begin, end = (int(bound) for bound in tree.book.arrays.street_boards[1:3])
    sizes = np.array([ShardLayout(tree, range(board, board + 1)).count for board in range(begin, end)], np.float64)
    share = (np.cumsum(sizes) - sizes / 2) / sizes.sum() * shards
    owner = np.minimum(share.astype(np.int64), shards - 1)  # [boards] ascending
    bounds = np.searchsorted(owner, np.arange(shards + 1)) + begin
    return [ShardLayout(tree, range(a, b)) for a, b in pairwise(bounds.tolist()) if a < b]


def empty_state(tree: PublicTree, layout: ShardLayout, kind: StateFormat) -> tuple[PublicTree, SolveState]:
    """The tree with the shard's numbers counted from 0, and a state for these numbers before the first iteration."""
    own, first_block = layout.rebased(tree)
    storage = np.dtype(kind.dtype)
    blocks = sum(piece.stop - piece.start for piece in layout.blocks)
    state = SolveState(
        regret=np.zeros(layout.count, storage),
        guess=np.zeros(layout.count, storage) if kind.predictive else None,
        average=np.zeros(layout.count, storage),
        scale=np.zeros((3, blocks), np.float32) if storage == np.int16 else None,
        scale_first=first_block,
        locked=np.zeros(blocks, np.bool_) if tree.game.locks else None,
    )
    if tree.game.locks:
        lock_numbers(own, state, {board for run in layout.runs for board in run})
    return own, state


def named_arrays(state: SolveState) -> dict[str, Array]:
    """The arrays that a solve changes, by name."""
    found = {"regret": state.regret, "average": state.average, "guess": state.guess, "scale": state.scale}
    return {name: array for name, array in found.items() if array is not None}


class BoardShard:
    """A shard at work: it owns regrets and averages of its boards and walks them."""

    def __init__(self, tree: PublicTree, roots: range, kind: StateFormat, threads: int) -> None:
        self.layout = ShardLayout(tree, roots)
        own, self.state = empty_state(tree, self.layout, kind)
        self.walker = Walker(own, kind.compute, threads, items=roots)

    def walk(self, request: WalkRequest) -> None:
        """Walk the shard's boards; their values for the street above are kept until the next walk."""
        walker, scratch = self.walker, self.walker.first_scratch
        scratch.mine[...], scratch.theirs[...] = request.mine, request.theirs
        walker.set_phase(request.iteration)
        state, step = kernel_state(self.state), np.array(request.step)
        walker.walk_below(request.player, state, getattr(state, request.source), request.learning, step)

    def values(self, kinds: int) -> Array:
        """[boards, kinds, lines, classes] the values of the latest walk."""
        return np.ascontiguousarray(self.walker.risen[:, :kinds])

    def add(self, player: int, sums: Array) -> Array:
        """Sums of values [1 or 2, lines, classes] with those of the latest walk added, in the order of boards."""
        total = np.array(sums)
        self.walker.add_below(player, total)
        return total

    def arrays(self) -> dict[str, Array]:
        """Regrets, averages and what else the next iteration depends on."""
        return named_arrays(self.state)

    def load(self, arrays: Mapping[str, Array]) -> None:
        """Continue from what `arrays` once returned."""
        for name, array in self.arrays().items():
            array[...] = arrays[name]
