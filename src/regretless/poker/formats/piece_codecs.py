"""How the arrays of a hold'em run become compressed pieces, one for each board.

`ExactNumbers` keeps every bit, for runs that are resumed. `RoundedStrategies` keeps probabilities only, rounded, for
finished runs; see `kernels.public.strategy_codes`. Both predict a number from the neighbouring hand, sort bytes by
significance and compress them by zstd. A piece is packed and unpacked without the others, by any thread.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL
from regretless.kernels.public.number_codes import decode_bits, encode_bits
from regretless.kernels.public.strategy_codes import decode_board, encode_board
from regretless.poker.tree.public_tree import PublicTree
from regretless.storage import compress, decompress_exactly

__all__ = [
    "LEVELS",
    "MOST_LEVELS",
    "ROUNDED",
    "ExactNumbers",
    "PieceCodec",
    "RoundedStrategies",
    "board_bounds",
    "codec_for",
    "pack_numbers",
    "unpack_numbers",
]

Array = npt.NDArray[Any]

LEVELS = 2_520
"""Steps that a probability is rounded to. Every number up to 10 divides it, so equal probabilities stay equal.
Exploitability changes by less than 1 % (benchmarks/results/compact-runs.md)."""

MOST_LEVELS = (1 << 15) - 1
"""A code, up to twice the levels, takes two bytes."""

ROUNDED = "rounded"
"""The field of a file's header that names the arrays of rounded probabilities, each with its levels."""

NEIGHBOUR = 3
"""The version of files from which on exact numbers are differences between neighbouring hands."""


class PieceCodec(Protocol):
    """Packs and unpacks the pieces of one array."""

    @property
    def pieces(self) -> int:
        """How many pieces there are."""

    @property
    def stream_bytes(self) -> int:
        """Bytes of all pieces before compression."""

    def pack(self, flat: Array, piece: int) -> bytes:
        """One piece of a flat array, compressed."""

    def unpack(self, data: bytes, flat: Array, piece: int) -> None:
        """Write one piece into a flat array of zeros; zlib.error or ValueError if it is damaged."""


def board_bounds(tree: PublicTree) -> Array:
    """[boards + 1] where each board's numbers begin."""
    return np.append(tree.book.arrays.first[0], tree.numbers).astype(np.int64)


def pack_numbers(numbers: Array) -> bytes:
    """Numbers as compressed bytes: differences of neighbours, the bytes of one significance together."""
    size = numbers.dtype.itemsize
    planes = np.empty(size * len(numbers), np.uint8)
    encode_bits(np.ascontiguousarray(numbers).view(f"i{size}"), size, planes)
    return compress(planes)


def unpack_numbers(data: bytes, dtype: np.dtype[Any], count: int, version: int = NEIGHBOUR) -> Array:
    """What `pack_numbers` was given; files of earlier versions hold the numbers instead of differences."""
    size = dtype.itemsize
    planes = np.frombuffer(decompress_exactly(data, size * count), np.uint8)
    if version < NEIGHBOUR:
        return np.ascontiguousarray(planes.reshape(size, count).T).view(dtype).ravel()
    bits = np.empty(count, f"i{size}")
    decode_bits(planes, size, bits)
    return bits.view(dtype)


class ExactNumbers:
    """Every bit of an array [numbers of the tree], a piece for each board; a small table of another shape is one piece.

    >>> import numpy as np
    >>> numbers = np.array([0.5, -2, 0, 1e-30], np.float32)
    >>> codec, again = ExactNumbers(np.array([0, 4]), 4), np.zeros(4, np.float32)
    >>> codec.unpack(codec.pack(numbers, 0), again, 0)
    >>> np.array_equal(numbers, again)
    True
    """

    def __init__(self, bounds: Array, itemsize: int, version: int = NEIGHBOUR) -> None:
        """bounds [pieces + 1]: where pieces begin, in numbers of `itemsize` bytes."""
        self.bounds, self.itemsize, self.version = bounds, itemsize, version

    @property
    def pieces(self) -> int:
        """How many pieces there are."""
        return len(self.bounds) - 1

    @property
    def stream_bytes(self) -> int:
        """Bytes of all pieces before compression."""
        return int(self.bounds[-1]) * self.itemsize

    def pack(self, flat: Array, piece: int) -> bytes:
        """One piece, compressed."""
        return pack_numbers(flat[self.bounds[piece] : self.bounds[piece + 1]])

    def unpack(self, data: bytes, flat: Array, piece: int) -> None:
        """Write one piece into a flat array."""
        begin, end = int(self.bounds[piece]), int(self.bounds[piece + 1])
        flat[begin:end] = unpack_numbers(data, flat.dtype, end - begin, self.version)


class RoundedStrategies:
    """Probabilities in steps of 1 / levels, from any numbers that they are proportional to."""

    def __init__(self, tree: PublicTree, levels: int = LEVELS) -> None:
        self.tree, self.levels, self.bounds = tree, levels, board_bounds(tree)
        self.decisions = [_decisions(tree, street) for street in range(tree.streets)]
        self.most_actions = max(int(found[:, 2].max(initial=1)) for found in self.decisions)
        rows = np.zeros((2, tree.streets), np.int64)
        for street, found in enumerate(self.decisions):
            np.add.at(rows[:, street], found[:, 0], found[:, 2] - 1)
        classes = tree.book.arrays.count.astype(np.int64)
        self.symbols = (rows[:, tree.board_street] * classes).sum(axis=0)  # [boards]

    @property
    def pieces(self) -> int:
        """How many pieces there are."""
        return len(self.symbols)

    @property
    def stream_bytes(self) -> int:
        """Bytes of all pieces before compression."""
        return 2 * int(self.symbols.sum())

    def pack(self, flat: Array, piece: int) -> bytes:
        """The strategies of one board, compressed."""
        numbers = flat[self.bounds[piece] : self.bounds[piece + 1]]
        if numbers.dtype != np.float64:
            numbers = numbers.astype(np.float32, copy=False)
        codes = np.empty(2 * int(self.symbols[piece]), np.uint8)
        carried, level, before = np.zeros(self.most_actions), *np.zeros((2, self.most_actions), np.int64)
        smallest = float(np.finfo(numbers.dtype).tiny)
        encode_board(numbers, *self._layout(piece), self.levels, smallest, carried, level, before, codes)
        return compress(codes)

    def unpack(self, data: bytes, flat: Array, piece: int) -> None:
        """Write the probabilities of one board into a flat array."""
        codes = np.frombuffer(decompress_exactly(data, 2 * int(self.symbols[piece])), np.uint8)
        before = np.zeros(self.most_actions, np.int64)
        target = flat[self.bounds[piece] : self.bounds[piece + 1]]
        if not decode_board(codes, *self._layout(piece), self.levels, before, target):
            raise ValueError("a probability lies outside 0 … 1")

    def _layout(self, board: int) -> tuple[Array, Array, Array, Array]:
        """Decisions, and first, stride and count of both players, counted from the board's first number."""
        boards = self.tree.book.arrays
        first = boards.first[:, board] - self.bounds[board]
        decisions = self.decisions[self.tree.board_street[board]]
        return decisions, first, *(of[:, board].astype(np.int64) for of in (boards.stride, boards.count))


def codec_for(
    tree: PublicTree, dtype: str, shape: tuple[int, ...], levels: int | None = None, version: int = NEIGHBOUR
) -> PieceCodec:
    """How an array of a run is packed: rounded where a number of levels is given. ValueError where that cannot be."""
    if levels is not None:
        if dtype != "float32" or shape != (tree.numbers,) or type(levels) is not int or not 2 <= levels <= MOST_LEVELS:
            raise ValueError(f"an array of {dtype} {shape} is not packed in {levels!r} levels")
        return RoundedStrategies(tree, levels)
    by_board = shape == (tree.numbers,)
    bounds = board_bounds(tree) if by_board else np.array([0, math.prod(shape)], np.int64)
    return ExactNumbers(bounds, np.dtype(dtype).itemsize, version)


def _decisions(tree: PublicTree, street: int) -> Array:
    """[nodes, 3] player, slot and actions of the nodes of a street where a player decides."""
    betting = tree.betting
    here = np.arange(betting.street_nodes[street], betting.street_nodes[street + 1])
    here = here[betting.kind[here] < DEAL]
    return np.stack([betting.kind[here], betting.slot[here], betting.children[here]], axis=1).astype(np.int64)
