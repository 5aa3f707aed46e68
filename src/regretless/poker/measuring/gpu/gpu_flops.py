"""Flops of strategies by buckets on a GPU: the same values as `FlopGame.values`, with all lines and players at once."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from time import perf_counter

import numpy as np
import numpy.typing as npt

from regretless.gpu.launching import Launch
from regretless.poker.measuring.flops import Flop, FlopGame, FlopValues
from regretless.poker.measuring.gpu.flop_boards import BoardLayout, StreetBoards
from regretless.poker.measuring.gpu.flop_walker import FlopWalker

__all__ = ["GpuFlops"]


class GpuFlops:
    """Measures flops of a game with `FlopWalker`. While the GPU walks over a flop, the processor lays out the next.

    The GPU is taken at the first flop: a machine that only hands out flops to others needs none.
    """

    def __init__(self, game: FlopGame, launch: Launch | None = None, own_kernels: bool = True) -> None:
        """own_kernels: whether lines of one shape may have kernels of their own."""
        self.game, self.launch, self.own_kernels, self.compiled = game, launch, own_kernels, False

    @cached_property
    def walker(self) -> FlopWalker:
        """The game on the GPU."""
        game, whole = self.game, self.game.game
        return FlopWalker(
            game.betting_tree, game.nodes, game.tables, whole.deck.size, whole.hand_size, game.dtype, self.launch,
            self.own_kernels,
        )  # fmt: skip

    @cached_property
    def layout(self) -> BoardLayout:
        """What lays out the boards of a flop."""
        game = self.game
        columns = game.tables[0].abstraction, game.tables[1].abstraction
        return BoardLayout(game.game, game.symmetry, columns, self.walker.tile, game.threads)

    @cached_property
    def entries(self) -> npt.NDArray[np.float64]:
        """[2, lines, hands] with which reach both players come to the flop."""
        return np.stack([self.game.trunk.entries(player) for player in range(2)])

    def values(self, flop: Flop) -> FlopValues:
        """What each player gets on each line if this flop comes."""
        return next(self.in_turn([flop]))

    def in_turn(self, flops: Sequence[Flop]) -> Generator[FlopValues, None, None]:
        """The values of flops, one after the other."""
        with ThreadPoolExecutor(1) as thread:
            ahead = thread.submit(self.layout.lay_out, flops[0].cards)
            for number in range(len(flops)):
                began = perf_counter()
                boards = ahead.result()
                if number + 1 < len(flops):
                    ahead = thread.submit(self.layout.lay_out, flops[number + 1].cards)
                if not self.compiled:  # kernels are compiled when they are first launched
                    self._walk(boards)
                    self.compiled, began = True, perf_counter()
                rows = self._walk(boards)
                yield FlopValues(rows, perf_counter() - began)

    def _walk(self, boards: list[StreetBoards]) -> npt.NDArray[np.float64]:
        """[kinds, 2, lines, classes before the flop] means over the hands of each class."""
        found = self.walker.values(boards, self.entries, self.game.kinds)
        return self.game.class_means(found)
