"""A hold'em-like game laid out for vector CFR: the public betting tree, all boards, and a vector over hands at each.

Where a `Tree` has one number per infoset, a public tree has one row per public state, with an entry for each class of
hands. Nothing is listed per history: flop hold'em has more than 10¹² of them and 90 million infosets up to suits.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.gpu.availability import cuda_available
from regretless.kernels.constants import DEAL
from regretless.kernels.public.layout import Betting
from regretless.method import processors
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.tree.all_in_tables import AllInLayout, all_in_layout, table_bytes
from regretless.poker.tree.betting_arrays import WalkOrder, betting_arrays
from regretless.poker.tree.boards import BoardBook, build_boards
from regretless.poker.tree.memory_estimate import check_game_size
from regretless.problem import CPU, Arrays, Capabilities, Which, found, opens_itself, the_game

if TYPE_CHECKING:
    from regretless.poker.results.public_strategy import PublicStrategy

__all__ = ["CAPABILITIES", "PUBLIC_TREE", "PublicTree", "build_public_tree", "of_another_game"]

Array = npt.NDArray[Any]

THREADS_FROM = 200_000
"""Numbers from which on several threads are faster than one."""

PUBLIC_TREE = "public tree"

CURRENT = ("current", "guess", "regret")
"""Arrays of a run that the last iterate is proportional to, the first that is there."""


USUAL_METHOD = "dcfr:power=4"
"""DCFR whose iteration t counts t⁴ in the average instead of t². To 0.3 % of the pot it takes 0.9 of DCFR's iterations,
and on flop hold'em it has 0.8 of its exploitability from 30 iterations on (benchmarks/results/spots-notes.md)."""

CAPABILITIES = Capabilities(
    precisions=("float32", "float64", "int16"),
    devices={**CPU, "cuda": cuda_available},
    fixed=False,
    advice="take a variant of CFR such as rg.CFR_PLUS (cfr+), or rg.DeepCFR(); sampling needs a card abstraction, "
    "abstraction=rg.poker.abstract(game, buckets=…)",
    usual_method=USUAL_METHOD,
)
"""What can be asked of any public tree."""


def of_another_game(own: Any, other: Any) -> str:
    """Says that a strategy is of the game `own` and not of `other`."""
    name = getattr(other, "name", other)
    if name != own.name:
        return f"the strategy is of {own.name}, not of {name}"
    return f"the strategy is of another game with the name {name}: cards, betting, board, ranges or locks differ"


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A public tree; `tree.infosets`, `tree.infoset_actions` and `tree.bytes_needed` say how large it is."""

    game: Any
    betting_tree: BettingTree
    order: WalkOrder
    betting: Betting
    book: BoardBook
    players: int = 2

    kind = PUBLIC_TREE
    exact = True

    @property
    def capabilities(self) -> Capabilities:
        """As any public game, and all processors for a game large enough to share."""
        return replace(CAPABILITIES, threads=processors() if self.numbers >= THREADS_FROM else 1)

    @property
    def sizes(self) -> Mapping[str, int]:
        """Boards, infosets, infoset-actions and bytes of a solve in 32 bits."""
        names = ("boards", "infosets", "infoset_actions")
        return {name: getattr(self, name) for name in names} | {"bytes": self.bytes_needed("float32")}

    def hold_fixed(self, given: Mapping[int, Any]) -> Mapping[int, Any]:
        """Refused, unless nothing is given."""
        if given:
            raise OptionError("players of a public tree are not fixed as a whole: lock nodes with game.lock(...)")
        return {}

    def begin_with(self, start: Any) -> PublicStrategy:
        """The strategy that a solve begins with, checked; of a run its average strategy. Locks may differ."""
        from regretless.poker.solving.warm_start import same_but_for_locks

        return same_but_for_locks(self, getattr(start, "strategy", start))

    def check_same_game(self, game: Any) -> None:
        """Refuse a game (or a tree, a name, a file) other than the one that this tree was laid out from."""
        from regretless.poker.formats.game_json import same_game

        other = the_game(found(game))
        if other is not self.game and (not opens_itself(other) or not same_game(other, self.game)):
            raise OptionError(of_another_game(self.game, other))

    def uniform(self) -> PublicStrategy:
        """The strategy that takes all actions with the same probability."""
        from regretless.poker.results.public_strategy import PublicStrategy

        return PublicStrategy(self, {"average": np.zeros(self.numbers, np.float32)}, "average")

    def infosets_in(self, arrays: Arrays) -> int:
        """Infosets of both players, up to suits."""
        return self.infosets

    def strategy(self, arrays: Arrays, which: Which) -> PublicStrategy:
        """The average strategy of a run's arrays (the current one before anything is averaged), or the last iterate."""
        from regretless.poker.results.public_strategy import PublicStrategy, read_boards

        if which == "average":
            first_board = int(self.book.arrays.first[0, 1]) if self.boards > 1 else self.numbers
            if read_boards(arrays, "average", [0])[:first_board].any():
                return PublicStrategy(self, arrays, "average")
        source = next((name for name in CURRENT if name in arrays), None)
        if source is None:
            raise OptionError("a compact run holds the average strategy only: the last iterate is in the run as solved")
        return PublicStrategy(self, arrays, source)

    def write(self, path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Any]) -> None:
        """Write a run to a file, compressed board by board, atomically."""
        from regretless.poker.formats.run_files import write_public_run

        write_public_run(path, self, arrays, {**meta, "problem": self.kind})

    def write_compact(self, path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Any]) -> None:
        """Write only the average strategy of a run, rounded; the file cannot be resumed."""
        from regretless.poker.formats.run_files import write_compact_run

        write_compact_run(path, self.strategy(arrays, "average"), {**meta, "problem": self.kind})

    @property
    def streets(self) -> int:
        """Betting rounds."""
        return self.betting_tree.streets

    @cached_property
    def normaliser(self) -> float:
        """The weight of all pairs of hands without a common card; probabilities are divided by it."""
        boards, (mine, theirs) = self.book.arrays, self.book.weight
        size = boards.size[boards.begin[0, 0] : boards.begin[0, 0] + boards.count[0, 0]]
        return float((size * mine) @ self.available(0, 0, theirs))

    def available(self, board: int, player: int, reach: Array) -> Array:
        """[classes] the reach of the other player's hands that share no card with each class of the player's.

        The sum over subsets of `kernels.public.terminal_lanes`, for one row.
        """
        boards = self.book.arrays
        subsets = boards.blocker.shape[1]
        there, here = (
            slice(boards.begin[p, board], boards.begin[p, board] + boards.count[p, board]) for p in (1 - player, player)
        )
        theirs = np.asarray(reach[: boards.count[1 - player, board]], np.float64)
        held = np.zeros(int(boards.blocker.max(initial=0)) + 1)
        for j in range(subsets):
            np.add.at(held, boards.blocker[there, j], boards.share[there, j] * theirs)
        free = np.full(boards.count[player, board], float(boards.size[there] @ theirs))
        for j in range(subsets):
            free += boards.sign[j] * held[boards.blocker[here, j]]
        own = np.append(theirs, 0.0)[boards.twin[here]]  # −1, no twin, is the last entry: 0
        return np.asarray(free + boards.sign[subsets] * own)

    @cached_property
    def slots(self) -> Array:
        """[2, streets] the number of actions of a player on a street, over all its nodes."""
        return slots_of(self.betting_tree)

    @cached_property
    def infoset_actions(self) -> int:
        """The number of probabilities in a strategy."""
        street = self.board_street
        return int(sum((self.slots[p, street] * self.book.arrays.count[p]).sum() for p in range(2)))

    @cached_property
    def numbers(self) -> int:
        """The length of an array of regrets: infoset-actions, with rows padded to whole vectors."""
        street = self.board_street
        return int(sum((self.slots[p, street] * self.book.arrays.stride[p]).sum() for p in range(2)))

    @cached_property
    def infosets(self) -> int:
        """Infosets of both players, up to suits."""
        tree, total = self.betting_tree, 0
        for street in range(self.streets):
            classes = self.book.arrays.count[:, self.board_street == street].sum(axis=1)
            here = tree.street == street
            total += sum(int(np.count_nonzero(here & (tree.kind == p)) * classes[p]) for p in range(2))
        return total

    @cached_property
    def board_street(self) -> Array:
        """[boards] the street of each board."""
        bounds = self.book.arrays.street_boards
        return np.searchsorted(bounds, np.arange(bounds[-1]), side="right") - 1

    @cached_property
    def all_in_layout(self) -> AllInLayout:
        """The betting without lines that are all-in, and tables of equities in their place."""
        return all_in_layout(self, self.default_threads)

    @property
    def default_threads(self) -> int:
        """All processors for a game large enough to share, else one."""
        return self.capabilities.threads or 1

    def below(self, board: int) -> list[int]:
        """All boards of later streets that can follow a board."""
        first = self.book.arrays.child_first
        out = list(range(int(first[board]), int(first[board + 1])))
        for child in tuple(out):
            out += self.below(child)
        return out

    @property
    def boards(self) -> int:
        """Boards of all streets, up to suits."""
        return len(self.book.cards)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the game: betting, cards, ranges and locked nodes."""
        digest = hashlib.sha256()
        tree, arrays = self.betting_tree, self.book.arrays
        for array in (tree.kind, tree.parent, tree.win, tree.tie, tree.lose, *self.book.weight, self.book.hands):
            digest.update(np.ascontiguousarray(array).tobytes())
        for array in (arrays.strength, arrays.above, arrays.rise):
            digest.update(np.ascontiguousarray(array).tobytes())
        for lock in self.game.locks:
            digest.update(repr((lock.line, _spelled(lock.strategy), lock.board)).encode())
        return digest.hexdigest()[:32]

    def bytes_needed(self, dtype: str, predictive: bool = False) -> int:
        """Memory of a solve: regrets and averages, and the arrays of the tree."""
        each = {"float64": 8, "float32": 4, "int16": 2}[dtype]
        arrays = sum(a.nbytes for a in (*self.book.arrays, *self.betting))
        return self.numbers * each * (3 if predictive else 2) + int(arrays) + table_bytes(self)

    def __repr__(self) -> str:
        sizes = f"{self.boards:,} boards, {self.infosets:,} infosets, {self.infoset_actions:,} infoset-actions"
        return f"<PublicTree: {sizes}>"


def _spelled(strategy: Any) -> Any:
    """A locked strategy in the form in which it comes back from JSON."""
    if isinstance(strategy, Mapping):
        return [(str(key), _spelled(value)) for key, value in strategy.items()]
    return float(strategy) if isinstance(strategy, int | float) else strategy


def slots_of(tree: BettingTree) -> Array:
    """[2, streets] the number of actions of a player on a street, over all its nodes."""
    decides = tree.kind < DEAL
    out = np.zeros((2, tree.streets), np.int64)
    np.add.at(out, (tree.kind[decides], tree.street[decides]), tree.children[decides])
    return out


def build_public_tree(game: Any, isomorphism: bool = True, bundle_lanes: int | None = None) -> PublicTree:
    """Lay a game out: its betting tree, its boards up to suits, and the hand classes on them."""
    check_game_size(game)
    tree = game.betting_tree()
    order = WalkOrder(tree)
    betting = betting_arrays(tree, order) if bundle_lanes is None else betting_arrays(tree, order, bundle_lanes)
    weights = tuple(np.asarray(w, np.float64) for w in game.hand_weights())
    book = build_boards(
        game.deck,
        game.hand_size,
        game.first_board,
        game.board_cards,
        (weights[0], weights[1]),
        isomorphism,
        slots_of(tree),
    )
    return PublicTree(game, tree, order, betting, book)
