"""Strategies of games with a card abstraction: what each hand does, by its bucket."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.gpu.availability import cuda_available
from regretless.kernels.constants import DEAL
from regretless.kernels.numpy_matching import matched
from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.public_strategy import PublicStrategy

if TYPE_CHECKING:
    from regretless.poker.abstraction.bucketed_tree import BucketedTree
    from regretless.poker.abstraction.coded_numbers import CodedNumbers
    from regretless.poker.measuring.bucket_walker import NodeTables
    from regretless.poker.measuring.flops import FlopGame

__all__ = ["BucketStrategy"]

Array = npt.NDArray[Any]


class BucketStrategy(BoardStrategy):
    """The strategy of a game with an abstraction: `strategy.at("raise call", "Qs Jh 2h")["AsKh"]`."""

    tree: BucketedTree
    source_name = "strategy by buckets"

    def __init__(self, tree: BucketedTree, source: Array | CodedNumbers) -> None:
        self.tree, self.source = tree, source

    def block(self, node: int, columns: Array | None = None) -> npt.NDArray[np.float64]:
        """[actions, buckets] probabilities at a node of the betting tree; or of the buckets in `columns` only."""
        tree, betting = self.tree, self.tree.betting_tree
        actions, known = int(betting.children[node]), int(tree.known[betting.street[node]])
        first = int(tree.first[node])
        table = self.source[first : first + actions * known].reshape(actions, known)
        return matched((table if columns is None else table[:, columns]).astype(np.float64))

    def hand_probabilities(self, node: int, board: Sequence[int]) -> npt.NDArray[np.float64]:
        """[actions, hands] the probabilities of every hand by its bucket on a board."""
        column = self.tree.abstraction.sequences_on(tuple(board))
        return self.block(node, np.maximum(column, 0))

    def tables_on_boards(self) -> Callable[[tuple[int, ...]], NodeTables]:
        """The same tables on all boards."""
        from regretless.poker.measuring.bucket_walker import node_tables

        tables = node_tables(self)
        return lambda board: tables

    def flop_game(
        self, dtype: str, threads: int, device: str, values: bool = False, *, elsewhere: bool = False
    ) -> FlopGame:
        """The game cut into flops, walked by machine code on the CPU or on a GPU."""
        from regretless.poker.measuring.bucket_walker import node_tables
        from regretless.poker.measuring.flops import FlopGame

        missing = cuda_available() if device == "cuda" and not elsewhere else None
        if missing:
            raise OptionError(missing)
        tables = node_tables(self)
        return FlopGame(self.tree.unabstracted, (tables, tables), dtype, threads, device, values)

    @cached_property
    def public(self) -> PublicStrategy:
        """The same strategy hand by hand, where the game fits into memory that way."""
        tree = self.tree.public_tree
        return PublicStrategy(tree, {"average": self.tree.public_numbers(self.source)}, "average")

    def __eq__(self, other: object) -> bool:
        """Whether all probabilities are the same, node by node; sums that differ by a factor may be the same."""
        if not isinstance(other, BucketStrategy):
            return NotImplemented
        if self.tree.fingerprint != other.tree.fingerprint:
            return False
        nodes = np.flatnonzero(self.betting_tree.kind < DEAL).tolist()
        return all(np.array_equal(self.block(node), other.block(node)) for node in nodes)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<BucketStrategy of {self.tree.game.name}: {self.tree.infosets:,} infosets>"
