"""Hold'em of any size as a problem of deep methods: cards are dealt on demand, and only the betting is laid out.

Limit hold'em has 2.4 billion hands with their boards, which no table holds. Networks need none: they are asked for the
hands and boards that a walk, a match or a measurement visits.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.deep.problems import SAMPLED_HOLDEM
from regretless.errors import FileError, OptionError
from regretless.method import processors
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.games import PublicGame
from regretless.poker.tree.memory_estimate import check_game_size
from regretless.poker.tree.public_tree import PublicTree, build_public_tree, of_another_game
from regretless.problem import CPU, Arrays, Capabilities, Which, found, the_game
from regretless.storage import check_format, read_arrays, write_arrays

if TYPE_CHECKING:
    from regretless.deep.playing.network_strategy import NetworkStrategy
    from regretless.poker.results.bucket_strategy import BucketStrategy

__all__ = ["SampledHoldem", "read_sampled_run"]

FORMAT, VERSION = "regretless.network-run", 1
LEVELS = 2_048
"""Steps of a weight in 16 bits between a power of two and the next."""

CAPABILITIES = Capabilities(
    precisions=("float32",),
    devices=CPU,
    listed=False,
    fixed=False,
    threads=processors(),
    advice="take rg.DeepCFR(), rg.SD_CFR or rg.NFSP()",
)


@dataclass(frozen=True, eq=False)
class SampledHoldem:
    """A game of hold'em whose cards are dealt on demand, and the method whose networks play it."""

    game: PublicGame
    method: Any
    """Its settings say what the networks of a run are like."""
    players: int = 2

    kind = SAMPLED_HOLDEM
    capabilities = CAPABILITIES

    def with_method(self, method: Any) -> SampledHoldem:
        """The same game with the networks of another method."""
        return dataclasses.replace(self, method=method)

    @cached_property
    def betting_tree(self) -> BettingTree:
        """The betting; all boards share it."""
        return self.game.betting_tree()

    @property
    def unabstracted(self) -> PublicGame:
        """The game itself."""
        return self.game

    @cached_property
    def exact(self) -> bool:
        """Whether the game also fits into memory hand by hand, so that best responses can be computed at once."""
        try:
            check_game_size(self.game)
        except OptionError:
            return False
        return True

    @cached_property
    def public_tree(self) -> PublicTree:
        """The game laid out hand by hand."""
        return build_public_tree(self.game, self.game.isomorphism)

    @property
    def sizes(self) -> Mapping[str, int]:
        """Lines of betting: nothing else is laid out."""
        return {"lines": sum(street.decisions for street in self.betting_tree.counts)}

    @cached_property
    def fingerprint(self) -> str:
        """A digest of betting and cards."""
        tree, game = self.betting_tree, self.game
        digest = hashlib.sha256(repr((game.deck.ranks, game.deck.suits, game.hand_size, game.board_cards)).encode())
        for array in (tree.kind, tree.parent, tree.win, tree.tie, tree.lose):
            digest.update(np.ascontiguousarray(array).tobytes())
        digest.update(repr(game.first_board).encode())
        return digest.hexdigest()[:32]

    def hold_fixed(self, given: Mapping[int, Any]) -> Mapping[int, Any]:
        """Refused, unless nothing is given."""
        if given:
            raise OptionError("networks of both players walk hold'em, so that none can be held fixed: leave fixed= out")
        return {}

    def check_same_game(self, game: Any) -> None:
        """Refuse a game other than this one; it may have an abstraction."""
        from regretless.poker.abstraction.bucketed_tree import with_abstraction
        from regretless.poker.formats.game_json import same_game

        other = the_game(found(game))
        plain = with_abstraction(other, None) if isinstance(other, PublicGame) else None
        if plain is None or not same_game(plain, self.game):
            raise OptionError(of_another_game(self.game, other if plain is None else plain))

    def uniform(self) -> BucketStrategy:
        """The strategy that takes all actions with the same probability."""
        from regretless.poker.results.card_blind import uniform_by_bucket

        return uniform_by_bucket(self.game)

    def infosets_in(self, arrays: Arrays) -> int:
        """Infosets that have a place of their own: none, networks tell all of them apart."""
        return 0

    def strategy(self, arrays: Arrays, which: Which) -> NetworkStrategy:
        """The average strategy of a run's networks, or that of the latest ones."""
        from regretless.deep.playing.network_strategy import NetworkStrategy
        from regretless.deep.problems import with_torch

        with with_torch():
            return NetworkStrategy(self, arrays, which)

    def write(self, path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Any]) -> None:
        """Write a run to a file, atomically: memories, networks and the game."""
        from regretless.poker.formats.game_json import game_to_json

        described = {"format": FORMAT, "version": VERSION, **meta, "problem": self.kind}
        write_arrays(
            path,
            {name: np.asarray(array) for name, array in arrays.items()},
            {**described, "sampled_game": game_to_json(self.game)},
        )

    def write_compact(self, path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Any]) -> None:
        """Write the networks of the average strategy alone, in 16 bits, without memories."""
        from regretless.deep.playing.stored_networks import in_16_bits, played_arrays

        kept = {name: in_16_bits(array) for name, array in played_arrays(self.method, arrays, "average").items()}
        self.write(path, kept, {**meta, "settings": {**meta.get("settings", {}), "rounded": LEVELS}})

    def __repr__(self) -> str:
        return f"<SampledHoldem {self.game.name}: {self.sizes['lines']:,} lines of betting>"


def read_sampled_run(path: str | os.PathLike[str], game: Any = None) -> tuple[SampledHoldem, Arrays, dict[str, Any]]:
    """The problem, the arrays and the description of a run; the caller sets the method that the description names."""
    from regretless.poker.formats.game_json import game_from_json

    arrays, meta = read_arrays(path)
    check_format(path, meta, FORMAT, VERSION)
    description = meta.get("sampled_game")
    if not isinstance(description, dict):
        raise FileError(f"{os.fspath(path)} is damaged: it does not describe its game")
    return SampledHoldem(game_from_json(description), None), arrays, meta
