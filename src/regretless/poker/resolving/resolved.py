"""What re-solving a subgame of hold'em gives: a strategy of the subgame, and what the opponent can win against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.games import PublicGame
from regretless.poker.resolving.subgame import HoldemSubgame, copy_rows
from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.hand_rows import HoldemStrategy, rows_on
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.board_lookup import find_board
from regretless.poker.tree.public_tree import PublicTree
from regretless.variants import Variant

__all__ = ["Margins", "Resolved"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Margins:
    """What the opponent of one re-solved player wins by a best response in the subgame, hand by hand, exactly.

    Chips are counted as in the whole game, on average over the player's hands that arrive and share no card.
    """

    player: int
    """The player of the whole game whose strategy was solved again."""
    names: tuple[str, ...]
    """[hands] the opponent's hands that can be dealt together with a hand of the player that arrives."""
    before: Array
    """[hands] chips of a best response to the blueprint."""
    after: Array
    """[hands] chips of a best response to the new strategy."""
    mass: Array
    """[hands] the weight of the hand times that of the player's hands that arrive: as if the opponent always came."""
    arriving: Array
    """[hands] the probability of the opponent's own actions up to here by the blueprint."""
    chance: float
    """What makes of a sum over `mass` chips per game."""

    @property
    def margins(self) -> Array:
        """[hands] `before` less `after`: from 0 on, the hand wins no more than against the blueprint."""
        return np.asarray(self.before - self.after)

    @property
    def smallest(self) -> float:
        """The smallest margin of all hands, chips."""
        return float(self.margins.min())

    @property
    def most_lost(self) -> float:
        """A bound of what the opponent's best response in the whole game gains by the change, chips per game."""
        return float(self.mass @ np.maximum(-self.margins, 0.0)) * self.chance

    @property
    def value_before(self) -> float:
        """The mean of `before` over the hands with which the opponent arrives by the blueprint; nan if never."""
        return self._mean(self.before, self.arriving)

    @property
    def value_after(self) -> float:
        """The mean of `after` over the hands with which the opponent arrives by the blueprint; nan if never."""
        return self._mean(self.after, self.arriving)

    @property
    def mean(self) -> float:
        """The mean margin, of an opponent that comes with every hand."""
        return self._mean(self.margins, np.ones(len(self.names)))

    def _mean(self, values: Array, often: Array) -> float:
        total = float(self.mass @ often)
        return float((self.mass * often) @ values) / total if total > 0 else float("nan")

    def __getitem__(self, hand: str) -> float:
        """The margin of one hand, such as "AsKh"."""
        cards = hand.strip() if isinstance(hand, str) else ""
        asked = {cards[at : at + 2].capitalize() for at in range(0, len(cards), 2)}
        for at, name in enumerate(self.names):
            if {name[:2], name[2:]} == asked:
                return float(self.margins[at])
        raise OptionError(f"there is no margin of {hand!r}: the opponent cannot hold it here; {self.names[0]} is one")

    def frame(self) -> Any:
        """A row for each hand, as a pandas data frame; a dictionary of columns if pandas is not installed."""
        from regretless.poker.formats.exports import as_frame

        names = ("before", "after", "margins", "mass", "arriving")
        return as_frame({"hand": list(self.names)} | {name: getattr(self, name) for name in names})

    def __repr__(self) -> str:
        lost = f", at most {self.most_lost:.3g} chips per game lost" if self.smallest < 0 else ""
        return f"<player {self.player}: margins {self.smallest:.4g} to {self.margins.max():.4g} chips{lost}>"


@dataclass(frozen=True, eq=False)
class Resolved:
    """A subgame that was solved again. `strategy` is its strategy, `margins` what is known about its safety."""

    subgame: HoldemSubgame
    numbers: Array
    """[numbers of the subgame's tree] the new strategy; the blueprint's for a player who was not solved again."""
    method: str
    margins: Mapping[int, Margins]
    """For each player who was solved again, what its opponent wins."""
    iterations: int
    seconds: float
    variant: Variant
    """The variant of CFR that solved it."""
    settings: Mapping[str, Any]
    """How it was solved: dtype, threads and device."""

    @property
    def line(self) -> str:
        """The line of play that leads to the subgame."""
        return self.subgame.blueprint.tree.betting_tree.line(self.subgame.place.node)

    @property
    def game(self) -> PublicGame:
        """The subgame as a game of its own, with the ranges that arrive; see `spot` of strategies."""
        return self.subgame.spot

    @cached_property
    def strategy(self) -> PublicStrategy:
        """The new strategy of the subgame: `strategy.at("check bet")`, grids, exports and play as of any other."""
        return self._on_spot(self._everywhere)

    @cached_property
    def blueprint(self) -> PublicStrategy:
        """The strategy from before, in the same game."""
        tree, numbers = self.subgame.tree, self.subgame.numbers("float32")
        return self._on_spot(PublicStrategy(tree, {"average": numbers}, "average"))

    @cached_property
    def _everywhere(self) -> PublicStrategy:
        """The new strategy for all hands, also those that never arrive."""
        return PublicStrategy(self.subgame.tree, {"average": self.numbers}, "average")

    @cached_property
    def _spot_tree(self) -> PublicTree:
        return self.game.public_tree()

    def _on_spot(self, everywhere: PublicStrategy) -> PublicStrategy:
        tree = self._spot_tree
        out, every = np.zeros(tree.numbers, np.float32), np.arange(len(tree.game.deck.hands(tree.game.hand_size)))
        for board, cards in enumerate(tree.book.cards):
            rows = rows_on(everywhere, int(tree.board_street[board]), cards)
            copy_rows(out, tree, board, np.arange(len(tree.betting_tree)), rows, every)
        return PublicStrategy(tree, {"average": out}, "average")

    def spliced(self) -> PublicStrategy:
        """The strategy of the whole game with the subgame replaced, where the whole game fits into memory.

        Where boards that differ by suits only are merged, it is replaced on all of them.
        """
        subgame, whole = self.subgame, hand_by_hand(self.subgame.blueprint)
        whole.need(range(whole.tree.boards))
        tree, place = whole.tree, subgame.place
        numbers = np.array(whole.source, np.float64 if whole.source.dtype == np.float64 else np.float32)
        found = find_board(tree, place.street, place.cards)
        back = np.argsort(found.moved)  # from the suits of the tree's boards to those of the subgame
        hands = tree.game.deck.hands(tree.game.hand_size).astype(np.int64)
        codes = tree.book.symmetry.codes
        there = np.searchsorted(codes(hands), codes(np.sort(back[hands], axis=1)))
        nodes = np.full(len(tree.betting_tree), -1)
        nodes[subgame.nodes] = np.arange(len(subgame.nodes))
        for board in [found.number, *tree.below(found.number)]:
            cards = tuple(int(card) for card in back[list(tree.book.cards[board])])
            rows = rows_on(self._everywhere, int(tree.board_street[board]) - place.street, cards)
            copy_rows(numbers, tree, board, nodes, rows, there, tuple(self.margins))
        return PublicStrategy(tree, {"average": numbers}, "average")

    def __repr__(self) -> str:
        board = self.game.deck.names(self.subgame.place.cards)
        known = "; ".join(repr(each)[1:-1] for each in self.margins.values())
        return f"<Resolved {self.line!r} on {board} ({self.method}): {known}>"


def hand_by_hand(strategy: HoldemStrategy) -> PublicStrategy:
    """A strategy hand by hand; OptionError where the whole game does not fit into memory."""
    return strategy.public if isinstance(strategy, BoardStrategy) else strategy
