"""Strategies of games with a card abstraction: what each hand does, by its bucket."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.kernels.numpy_matching import matched
from regretless.poker.cards.deck import CardText
from regretless.poker.results.node_reach import opposing_weights
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.tree.hand_numbers import hand_names

if TYPE_CHECKING:
    from regretless.poker.abstraction.bucketed_tree import BucketedTree
    from regretless.poker.abstraction.coded_numbers import CodedNumbers
    from regretless.poker.games import PublicGame
    from regretless.poker.measuring.flop_sums import MeasuredExploitability

__all__ = ["BucketStrategy"]

Array = npt.NDArray[Any]


class BucketStrategy:
    """The strategy of a game with an abstraction: `strategy.at("raise call", "Qs Jh 2h")["AsKh"]`."""

    def __init__(self, tree: BucketedTree, source: Array | CodedNumbers) -> None:
        self.tree, self.source = tree, source

    def block(self, node: int, columns: Array | None = None) -> npt.NDArray[np.float64]:
        """[actions, buckets] probabilities at a node of the betting tree; or of the buckets in `columns` only."""
        tree, betting = self.tree, self.tree.betting_tree
        actions, known = int(betting.children[node]), int(tree.known[betting.street[node]])
        first = int(tree.first[node])
        table = self.source[first : first + actions * known].reshape(actions, known)
        return matched((table if columns is None else table[:, columns]).astype(np.float64))

    def node(self, line: str | int) -> int:
        """The node of the betting tree that a line of play leads to."""
        betting = self.tree.betting_tree
        node = line if isinstance(line, int) else betting.find(line)
        if betting.kind[node] >= DEAL:
            raise OptionError(f"there is no decision after {betting.line(node)!r}: the hand is over there")
        return node

    def at(self, line: str | int = "", board: CardText = ()) -> NodeStrategy:
        """The strategy of the player to act after a line of play, for every hand; board cards in the order dealt.

        Expected values are not computed: they are nan.
        """
        node, game = self.node(line), self.tree.game
        cards = game.deck.cards(board) if board else game.first_board
        wanted = self.tree.abstraction.rounds.boards[self.tree.betting_tree.street[node]]
        if len(cards) != wanted:
            raise OptionError(f"this node has a board of {wanted} cards, got {len(cards)}")
        return self.at_cards(node, cards)

    def at_cards(self, node: int, cards: tuple[int, ...]) -> NodeStrategy:
        """The strategy at a node of the betting tree on a board of its street."""
        from regretless.poker.results.later_spots import reach_at

        tree, game, betting = self.tree, self.tree.game, self.tree.betting_tree
        player = int(betting.kind[node])
        weight, others = (reach_at(self, node, cards, who).astype(np.float64) for who in (player, 1 - player))
        bucket = tree.abstraction.sequences_on(cards)
        free = np.flatnonzero(bucket >= 0)
        probabilities = self.block(node, bucket[free]).T
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

    def spot(self, line: str, board: CardText) -> PublicGame:
        """The rest of the game after a line that ends a street, with both players' ranges as they arrive there.

        Of limit hold'em it is a limit game with the same players. Of `Holdem` it is a `Spot`, whose player 0 acts
        first: after the flop that is the big blind, player 1 of the whole game. It can be solved with all cards:

        run.strategy.spot("raise call / bet call", "Qs Jh 2h 7c")
        """
        from regretless.poker.results.later_spots import spot_after

        return spot_after(self, line, board)

    @cached_property
    def public(self) -> PublicStrategy:
        """The same strategy hand by hand, where the game fits into memory that way."""
        tree = self.tree.public_tree
        return PublicStrategy(tree, {"average": self.tree.public_numbers(self.source)}, "average")

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
        return self.public.game_values()

    def against(self, other: Any) -> float:
        """The exact winnings against another strategy, in chips per game, averaged over both seats."""
        if not isinstance(other, BucketStrategy):
            return self.public.against(other)
        self.tree.check_same_game(other.tree.game)
        return self.public.against(other.public)

    def against_on_boards(self, other: Any, boards: int, seed: int, threads: int | None, workers: Any = None) -> Array:
        """[boards, 2] the winnings against another strategy on drawn boards with all hands, in each seat; chips."""
        from regretless.poker.measuring.board_matches import match_on_boards

        if not isinstance(other, BucketStrategy):
            raise OptionError(f"a match on boards is between two strategies by buckets, got {other!r}")
        return match_on_boards(self, other, boards, seed, threads, workers)

    def __repr__(self) -> str:
        return f"<BucketStrategy of {self.tree.game.name}: {self.tree.infosets:,} infosets>"
