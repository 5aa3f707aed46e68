"""What a player of hold'em sees when it is asked for an action."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.games import PublicGame

__all__ = ["HandState"]


@dataclass(frozen=True, eq=False, repr=False)
class HandState:
    """A hand of hold'em as the player who is to act sees it: its own cards, the board, and the betting.

    The cards of the other player are not in it. `rg.match` hands it to functions `player(state, legal_actions)`.
    """

    game: PublicGame
    betting_tree: BettingTree
    player: int
    """The seat of the player who is to act, 0 or 1; of hold'em, player 0 is the small blind."""
    node: int
    """The node of the betting tree."""
    cards: tuple[int, ...]
    """The own cards by their numbers in `game.deck`, ascending."""
    board_cards: tuple[int, ...]
    """The board so far in the order dealt, by numbers."""
    number: int = 0
    """The number of the hand in its match, from 0; hands of one number have the same cards in both seats."""

    @cached_property
    def hand(self) -> str:
        """The own cards, "AsKh"."""
        return self.game.deck.hand_name(self.cards)

    @cached_property
    def board(self) -> str:
        """The board so far, "QsJh2h"; empty before the flop."""
        return self.game.deck.names(self.board_cards)

    @cached_property
    def line(self) -> str:
        """The line of play, "raise call / check"."""
        return self.betting_tree.line(self.node)

    @property
    def actions(self) -> tuple[str, ...]:
        """The legal actions by name: ("fold", "call", "raise")."""
        return self.betting_tree.actions[self.node]

    @property
    def street(self) -> int:
        """Deals of board cards so far."""
        return int(self.betting_tree.street[self.node])

    @property
    def paid(self) -> tuple[float, float]:
        """The chips that each player has put into the pot since the beginning, blinds included."""
        first, second = self.betting_tree.paid[self.node].tolist()
        return first, second

    @property
    def pot(self) -> float:
        """Chips in the middle, with the bets of this street."""
        return sum(self.paid) + float(self.game.betting.pot)

    @property
    def to_call(self) -> float:
        """Chips that a call costs; 0 where the player can check."""
        return max(self.paid) - self.paid[self.player]

    @property
    def stack(self) -> float | None:
        """The player's chips behind; None in a limit game without stacks."""
        stack = self.game.betting.stack
        return None if stack is None else float(stack) - self.paid[self.player]

    def __repr__(self) -> str:
        board = f" on {self.board}" if self.board_cards else ""
        after = f"after {self.line!r}" if self.line else "at the beginning"
        return f"<player {self.player} with {self.hand}{board} {after}: {', '.join(self.actions)}>"
