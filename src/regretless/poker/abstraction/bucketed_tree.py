"""A game with a card abstraction as methods work on it: the betting tree, with a table by bucket at each node.

Nothing is laid out per board. The table of a decision node has a row for each action and a column for each bucket of
its street (with perfect recall, for each sequence of buckets).
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError, OptionError
from regretless.games.spelling import parameter_in
from regretless.gpu.availability import cuda_available
from regretless.kernels.constants import DEAL
from regretless.method import processors
from regretless.poker.abstraction.abstraction import Abstraction
from regretless.poker.abstraction.abstraction_files import load_abstraction
from regretless.poker.abstraction.coded_numbers import CodedNumbers, TableBlocks
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.tree.hand_numbers import hand_numbers
from regretless.poker.tree.memory_estimate import check_game_size, free_memory, readable
from regretless.poker.tree.public_tree import PublicTree, build_public_tree, of_another_game
from regretless.problem import CPU, Arrays, Capabilities, Which, found, the_game
from regretless.storage import check_format, map_arrays, needed, verify_mapped, write_arrays

if TYPE_CHECKING:
    from regretless.poker.games import PublicGame
    from regretless.poker.results.bucket_strategy import BucketStrategy

__all__ = ["BUCKETED_TREE", "CAPABILITIES", "BucketedTree", "open_bucketed", "with_abstraction"]

Array = npt.NDArray[Any]

BUCKETED_TREE = "bucketed tree"
FORMAT, VERSION = "regretless.bucketed-run", 1

CAPABILITIES = Capabilities(
    precisions=("float32", "float64", "int16"),
    devices={**CPU, "cuda": cuda_available},
    fixed=False,
    threads=processors(),
    advice="take rg.MCCFR(sampling='public-chance') or rg.CFRBR()",
    usual_method="mccfr:sampling=public-chance,variant=linear,boards=16",
)
"""What can be asked of any game with an abstraction."""


@dataclass(frozen=True, eq=False)
class BucketedTree:
    """A game with an abstraction; `tree.infosets` and `tree.infoset_actions` say how large it is."""

    game: PublicGame
    betting_tree: BettingTree
    abstraction: Abstraction
    players: int = 2

    kind = BUCKETED_TREE
    capabilities = CAPABILITIES

    @cached_property
    def known(self) -> Array:
        """[streets] what a player can know on each street: buckets, or with perfect recall sequences of them."""
        return np.array(self.abstraction.sequence_counts, np.int64)

    @cached_property
    def first(self) -> Array:
        """[nodes] the first number of each decision node: a table [actions, known]; player 0's nodes come first."""
        tree = self.betting_tree
        size = np.where(tree.kind < DEAL, tree.children * self.known[tree.street], 0).astype(np.int64)
        order = np.argsort(tree.kind, kind="stable")
        first = np.zeros(len(tree), np.int64)
        first[order] = np.cumsum(size[order]) - size[order]
        return first

    @cached_property
    def bounds(self) -> tuple[int, int, int]:
        """Where the numbers of player 0 begin, those of player 1, and where they end."""
        tree = self.betting_tree
        counts = [int((tree.children * self.known[tree.street])[tree.kind == player].sum()) for player in range(2)]
        return 0, counts[0], sum(counts)

    @property
    def infosets(self) -> int:
        """Infosets of both players."""
        return self.abstraction.infosets(self.game)

    @property
    def infoset_actions(self) -> int:
        """The number of probabilities in a strategy."""
        return self.bounds[2]

    @property
    def sizes(self) -> Mapping[str, int]:
        """Infosets, infoset-actions and bytes of a solve in 32 bits."""
        return {
            "infosets": self.infosets,
            "infoset_actions": self.infoset_actions,
            "bytes": self.bytes_needed("float32"),
        }

    def bytes_needed(self, dtype: str, predictive: bool = False) -> int:
        """Memory of the tables of a solve: regrets, averages, and the gains of an iteration; no method predicts."""
        if dtype == "int16":  # codes and scales of regrets and averages; gains exist for a few lines at a time
            return self.infoset_actions * 4 + self.blocks.count * 8
        return self.infoset_actions * 3 * np.dtype(dtype).itemsize

    @cached_property
    def blocks(self) -> TableBlocks:
        """The blocks of numbers that share a scale in 16 bits."""
        return TableBlocks(self.betting_tree, self.first, self.known)

    def numbers(self, arrays: Arrays, name: str) -> Array | CodedNumbers:
        """The regrets or averages of a run's arrays; those of 16 bits are decoded when they are read.

        Those of a large file are compared with its checksum at their first use.
        """
        verify_mapped(arrays)
        if arrays[name].dtype == np.int16:
            return CodedNumbers(arrays[name], arrays[f"{name}_scale"], self.blocks)
        return np.asarray(arrays[name])

    def check_memory(self, dtype: str, buffers: int = 0) -> None:
        """Refuse a solve that does not fit into the free memory; buffers: bytes that its walks need."""
        required, free = self.bytes_needed(dtype) + buffers, free_memory()
        if free is not None and required > free:
            raise OptionError(
                f"{self.infoset_actions:,} infoset-actions need {readable(required)} as {dtype}, and {readable(free)} "
                f"are free: take fewer buckets{' or boards' if buffers else ''}"
            )

    # -- exact measurement, where the game fits hand by hand -----------------------------------------------------------

    @cached_property
    def exact(self) -> bool:
        """Whether the game without its abstraction fits into memory, so that best responses can be computed."""
        try:
            check_game_size(self.unabstracted)
        except OptionError:
            return False
        return True

    @cached_property
    def unabstracted(self) -> PublicGame:
        """The same game without the abstraction."""
        return with_abstraction(self.game, None)

    @cached_property
    def public_tree(self) -> PublicTree:
        """The game laid out hand by hand."""
        if not self.exact:
            raise OptionError(
                f"{self.game.name} does not fit into memory hand by hand, so its exploitability is not known"
            )
        return build_public_tree(self.unabstracted, self.game.isomorphism)

    @cached_property
    def number_of(self) -> Array:
        """[numbers of the public tree] the number of each (board, node, action, class) here; −1 in padding."""
        tree = self.public_tree
        book, betting = tree.book.arrays, tree.betting_tree
        out = np.full(tree.numbers, -1, np.int64)
        for board, cards in enumerate(tree.book.cards):
            street = int(tree.board_street[board])
            bucket = self.abstraction.sequences_on(cards)
            for player in range(2):
                begin, count, stride = (int(of[player, board]) for of in (book.begin, book.count, book.stride))
                own = bucket[hand_numbers(tree, tree.book.hands[begin : begin + count])]
                for node in np.flatnonzero((betting.kind == player) & (betting.street == street)).tolist():
                    at = int(tree.order.number[node])
                    row = int(book.first[player, board]) + int(tree.betting.slot[at]) * stride
                    for action in range(int(betting.children[node])):
                        here = row + action * stride
                        out[here : here + count] = self.first[node] + action * self.known[street] + own
        return out

    def public_numbers(self, numbers: Array | CodedNumbers) -> npt.NDArray[np.float32]:
        """[numbers of the public tree] a strategy by buckets as one hand by hand."""
        out = np.asarray(numbers, np.float32)[self.number_of]
        out[self.number_of < 0] = 0
        return out

    # -- the interface of problems -------------------------------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """A digest of betting, cards, ranges and abstraction."""
        tree, digest = self.betting_tree, hashlib.sha256(self.abstraction.fingerprint.encode())
        for array in (tree.kind, tree.parent, tree.win, tree.tie, tree.lose, *self.game.hand_weights()):
            digest.update(np.ascontiguousarray(array).tobytes())
        digest.update(repr(self.game.first_board).encode())
        return digest.hexdigest()[:32]

    def hold_fixed(self, given: Mapping[int, Any]) -> Mapping[int, Any]:
        """Refused, unless nothing is given."""
        if given:
            raise OptionError("players of a game with an abstraction cannot be held fixed")
        return {}

    def check_same_game(self, game: Any) -> None:
        """Refuse a game other than the one of this tree; its abstraction may be another one, or none."""
        from regretless.poker.formats.game_json import same_game
        from regretless.poker.games import PublicGame

        other = the_game(found(game))
        if other is self.game:
            return
        plain = with_abstraction(other, None) if isinstance(other, PublicGame) else None
        if plain is None or not same_game(plain, self.unabstracted):
            raise OptionError(of_another_game(self.unabstracted, other if plain is None else plain))

    def uniform(self) -> BucketStrategy:
        """The strategy that takes all actions with the same probability."""
        return self.strategy({"average": np.zeros(self.infoset_actions, np.float32)}, "average")

    def infosets_in(self, arrays: Arrays) -> int:
        """Infosets of both players."""
        return self.infosets

    def strategy(self, arrays: Arrays, which: Which) -> BucketStrategy:
        """The average strategy of a run's arrays, or the last iterate."""
        from regretless.poker.results.bucket_strategy import BucketStrategy

        return BucketStrategy(self, self.numbers(arrays, "average" if which == "average" else "regret"))

    def write(self, path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Any]) -> None:
        """Write a run to a file, atomically; the abstraction stays in its own file."""
        from regretless.poker.formats.game_json import game_to_json

        verify_mapped(arrays)  # damaged numbers must not get a checksum of their own
        described = {"format": FORMAT, "version": VERSION, **meta, "problem": self.kind}
        write_arrays(
            path,
            {name: np.asarray(array) for name, array in arrays.items()},
            {**described, "bucketed_game": game_to_json(self.game)},
        )

    def __repr__(self) -> str:
        return f"<BucketedTree {self.abstraction.name}: {self.infosets:,} infosets, {self.infoset_actions:,} actions>"


def with_abstraction(game: PublicGame, abstraction: Abstraction | None) -> PublicGame:
    """The same game with another abstraction, or with none."""
    made: PublicGame = object.__new__(type(game))
    for entry in dataclasses.fields(game):
        object.__setattr__(made, entry.name, getattr(game, entry.name))
    object.__setattr__(made, "abstraction", abstraction)
    return made


def open_bucketed(game: PublicGame) -> BucketedTree:
    """A game with an abstraction as a problem."""
    if game.locks:
        raise OptionError("a game with an abstraction cannot have locked nodes")
    import regretless.poker.solving.buckets.bucket_cfr_br  # noqa: F401 - registers how CFR-BR runs on bucketed trees

    assert game.abstraction is not None
    return BucketedTree(game, game.betting_tree(), game.abstraction)


def read_bucketed_run(path: str | os.PathLike[str], game: Any = None) -> tuple[BucketedTree, Arrays, dict[str, Any]]:
    """The problem, the arrays and the description of a run; `game` is the game with its abstraction.

    Without it, the file of the abstraction is looked for. The arrays of a large file are read, and compared with its
    checksum, when they are first used.
    """
    from regretless.poker.formats.game_json import game_from_json

    arrays, meta = map_arrays(path)
    check_format(path, meta, FORMAT, VERSION)
    description = meta.get("bucketed_game")
    if not isinstance(description, dict):
        raise FileError(f"{os.fspath(path)} is damaged: it does not describe its game")
    abstraction = None if game is None else getattr(the_game(found(game)), "abstraction", None)
    if abstraction is None:
        abstraction = _looked_for(path, meta.get("game"), description)
    tree = open_bucketed(game_from_json(description, abstraction, _not_found(path, meta.get("game"))))
    for name in ("regret", "average"):
        given = needed(path, arrays, name)
        coded = given.dtype == np.int16
        if given.shape != (tree.infoset_actions,) or (
            coded and needed(path, arrays, f"{name}_scale").shape != (tree.blocks.count,)
        ):
            raise FileError(f"{os.fspath(path)} is damaged: {name!r} does not fit the game")
    return tree, arrays, meta


def _looked_for(path: str | os.PathLike[str], name: Any, description: Mapping[str, Any]) -> Abstraction | None:
    """The abstraction of a run, if its file is where the name of the run's game says or in the folder of the run.

    A name such as "hulh:abstraction=a.abs" says the file; in the folder any name is taken. The fingerprint must agree.
    """
    wanted = description.get("abstraction")
    if not isinstance(wanted, Mapping):
        return None
    for place in _places(Path(path).parent, name if isinstance(name, str) else ""):
        try:
            there = load_abstraction(place)
        except FileError:  # there is no such file, or another one
            continue
        if there.fingerprint == wanted.get("fingerprint"):
            return there
    return None


def _not_found(path: str | os.PathLike[str], name: Any) -> str:
    """Where the abstraction of a run has been looked for, for a message."""
    named = parameter_in(name, "abstraction") if isinstance(name, str) else None
    beside = f"an .abs file in {os.fspath(Path(path).parent)!r}"
    return f", which is neither {named!r} nor {beside}" if named else f", which is not {beside}"


def _places(folder: Path, name: str) -> Iterator[Path]:
    """Files that may hold the abstraction of a run in a folder, the most likely ones first."""
    # After a game in a file all of the text is one name, which may have commas: "small.game:abstraction=a,b.abs".
    for file in dict.fromkeys((parameter_in(name, "abstraction"), name.partition("abstraction=")[2])):
        if file:
            yield from (Path(file), folder / Path(file).name)
    yield from sorted(folder.glob("*.abs"))
