"""Strategies of hold'em that answer board by board: nothing is stored per board, so any game fits into memory.

Strategies by buckets and strategies of networks are of this kind. Both answer one question, the probabilities of all
hands at a node on a board; matches, measurements and views need nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.cards.deck import CardText
from regretless.poker.results.node_reach import opposing_weights
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.tree.board_lookup import board_on
from regretless.poker.tree.hand_numbers import hand_names

if TYPE_CHECKING:
    from regretless.poker.betting.sizes import SizesLike
    from regretless.poker.games import PublicGame
    from regretless.poker.measuring.bucket_walker import NodeTables
    from regretless.poker.measuring.flop_sums import MeasuredExploitability
    from regretless.poker.measuring.flops import FlopGame

__all__ = ["BoardStrategy", "BoardTree", "board_size", "holds_card"]

Array = npt.NDArray[Any]


class BoardTree(Protocol):
    """What a problem of such a strategy knows about its game."""

    @property
    def game(self) -> PublicGame:
        """The game."""

    @property
    def unabstracted(self) -> PublicGame:
        """The game without an abstraction."""

    @property
    def betting_tree(self) -> BettingTree:
        """Its betting."""

    @property
    def fingerprint(self) -> str:
        """A digest of the game."""

    @property
    def exact(self) -> bool:
        """Whether the game fits into memory hand by hand."""

    def check_same_game(self, game: Any) -> None:
        """Refuse another game."""


class BoardStrategy(ABC):
    """A strategy of hold'em that answers board by board: `strategy.at("raise call", "Qs Jh 2h")["AsKh"]`."""

    tree: BoardTree
    source_name = "strategy"
    """What the strategy is made of, in sentences."""

    @abstractmethod
    def hand_probabilities(self, node: int, board: Sequence[int]) -> npt.NDArray[np.float64]:
        """[actions, hands] the probabilities of every hand of the deck at a node of the betting, on a board of the
        node's street in the order dealt; those of hands that hold a card of the board mean nothing."""

    @abstractmethod
    def tables_on_boards(self) -> Callable[[tuple[int, ...]], NodeTables]:
        """A function from a whole board to the tables of the strategy there, as walks over the board read them."""

    @abstractmethod
    def flop_game(
        self, dtype: str, threads: int, device: str, values: bool = False, *, elsewhere: bool = False
    ) -> FlopGame:
        """The game cut into flops, with this strategy for both players; elsewhere: other machines measure it."""

    @property
    @abstractmethod
    def public(self) -> PublicStrategy:
        """The same strategy hand by hand, where the game fits into memory that way."""

    @property
    def game(self) -> PublicGame:
        """The game."""
        return self.tree.game

    @property
    def betting_tree(self) -> BettingTree:
        """The betting of the game."""
        return self.tree.betting_tree

    def probabilities(self, node: int, hand: tuple[int, ...], board: tuple[int, ...]) -> Sequence[float]:
        """The probability of each action of one hand at a node; see `hand_probabilities`."""
        deck, size = self.game.deck, self.game.hand_size
        number = int(np.flatnonzero((np.sort(deck.hands(size), axis=1) == sorted(hand)).all(axis=1))[0])
        return list(self.hand_probabilities(node, board)[:, number].tolist())

    def node(self, line: str | int) -> int:
        """The node of the betting tree that a line of play leads to."""
        betting = self.betting_tree
        node = line if isinstance(line, int) else betting.find(line)
        if betting.kind[node] >= DEAL:
            raise OptionError(f"there is no decision after {betting.line(node)!r}: the hand is over there")
        return node

    def at(self, line: str | int = "", board: CardText = ()) -> NodeStrategy:
        """The strategy of the player to act after a line of play, for every hand; board cards in the order dealt.

        Expected values are not computed: they are nan.
        """
        node, game = self.node(line), self.game
        return self.at_cards(node, board_on(game, int(self.betting_tree.street[node]), board or None))

    def at_cards(self, node: int, cards: tuple[int, ...]) -> NodeStrategy:
        """The strategy at a node of the betting tree on a board of its street."""
        from regretless.poker.results.later_spots import reach_at

        game, betting = self.game, self.betting_tree
        player = int(betting.kind[node])
        weight, others = (reach_at(self, node, cards, who).astype(np.float64) for who in (player, 1 - player))
        free = np.flatnonzero(~holds_card(game, cards))
        probabilities = self.hand_probabilities(node, cards)[:, free].T
        return NodeStrategy(
            line=betting.line(node),
            board=game.deck.names(cards),
            player=player,
            actions=betting.actions[node],
            hands=game.deck.hands(game.hand_size)[free],
            names=tuple(hand_names(game.deck, game.hand_size)[free].tolist()),
            probabilities=probabilities,
            weight=weight[free],
            opposing=opposing_weights(game.deck, game.hand_size, others)[free],
            ev=np.full(len(free), np.nan),
            action_ev=np.full(probabilities.shape, np.nan),
            pot=float(betting.paid[node].sum()) + game.betting.pot,
            others=others,
            game=game,
        )

    def spot(self, line: str, board: CardText, *, sizes: SizesLike | None = None) -> PublicGame:
        """The rest of the game after a line that ends a street, with both players' ranges as they arrive there.

        Of limit hold'em it is a limit game with the same players. Of `Holdem` it is a `Spot`, whose player 0 acts
        first: after the flop that is the big blind, player 1 of the whole game. It can be solved with all cards:

        run.strategy.spot("raise call / bet call", "Qs Jh 2h 7c")

        Of no-limit games `sizes` are other bet sizes than those of the game, as `rg.poker.Spot` takes them.
        """
        from regretless.poker.results.later_spots import spot_after

        return spot_after(self, line, board, sizes)

    def nash_conv(self, game: Any = None) -> float:
        """What both players together could gain by deviating one at a time with all their cards, chips; exact."""
        if game is not None:
            self.tree.check_same_game(game)
        return self.public.nash_conv() if self.tree.exact else 2 * float(self.exploitability_by_flops())

    @property
    def needs_flops(self) -> bool:
        """Whether the game does not fit into memory hand by hand, so that it is measured flop by flop."""
        return not self.tree.exact

    def exploitability_by_flops(self, game: Any = None, **settings: Any) -> MeasuredExploitability:
        """The exploitability in chips, measured flop by flop; settings as in `rg.exploitability`."""
        from regretless.poker.measuring.flop_measurement import measure_by_flops

        if game is not None:
            self.tree.check_same_game(game)
        return measure_by_flops(self, **settings)

    def game_values(self, game: Any = None) -> Array:
        """[2] what each player wins on average, chips."""
        if game is not None:
            self.tree.check_same_game(game)
        return self._hand_by_hand("rg.exploitability(…, flops=20, values=True).trunk.value estimates it").game_values()

    def against(self, other: Any) -> float:
        """The exact winnings against another strategy, in chips per game, averaged over both seats."""
        return sum(self.against_by_seat(other)) / 2

    def against_by_seat(self, other: Any) -> tuple[float, float]:
        """The exact winnings against another strategy as player 0 and as player 1, in chips per game."""
        if isinstance(other, BoardStrategy):
            self.tree.check_same_game(other.game)
        return self._hand_by_hand("rg.match estimates them on drawn boards").against_by_seat(other)

    def _hand_by_hand(self, instead: str) -> PublicStrategy:
        """`public`; OptionError that says what to do instead, where the game does not fit into memory that way."""
        if not self.tree.exact:
            name = self.tree.unabstracted.name
            raise OptionError(f"exact winnings need {name} hand by hand, which does not fit into memory: {instead}")
        return self.public

    def against_on_boards(
        self,
        other: Any,
        boards: int,
        seed: int,
        threads: int | None,
        workers: Any = None,
        progress: bool = False,
    ) -> Array:
        """[boards, 2] the winnings against another strategy on drawn boards with all hands, in each seat; chips."""
        from regretless.poker.measuring.board_matches import match_on_boards

        if not isinstance(other, BoardStrategy):
            raise OptionError(
                f"a match on boards is between two strategies that answer board by board (of buckets or networks), got "
                f"{other!r}"
            )
        return match_on_boards(self, other, boards, seed, threads, workers, progress)


def board_size(game: PublicGame, street: int) -> int:
    """The cards of a board on a street."""
    return len(game.first_board) + sum(game.board_cards[:street])


def holds_card(game: PublicGame, board: Sequence[int]) -> Array:
    """[hands] whether each hand of the deck holds a card of a board."""
    return np.asarray(np.isin(game.deck.hands(game.hand_size), list(board)).any(axis=1))
