"""Players of hold'em that are asked hand by hand: functions, and strategies of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, quoted
from regretless.poker.measuring.local_response.range_lookups import RangeLookup
from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.hand_lookups import lookup_of
from regretless.poker.results.hand_rows import HandRows, rows_on
from regretless.poker.results.hand_state import HandState
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.sampling.playing.bots import probabilities_of

__all__ = ["FunctionPlayer", "HandPlayer", "StrategyPlayer", "is_strategy", "player_of"]

Floats = npt.NDArray[np.float64]

Function = Callable[[HandState, Sequence[str]], Any]
"""(state, names of the legal actions) → an action, a probability for each action, or {action: probability}."""


def is_strategy(player: Any) -> bool:
    """Whether a player is a strategy of hold'em, which can be asked for all hands at once."""
    return isinstance(player, PublicStrategy | BoardStrategy | RangeLookup)


def player_of(name: str, player: Any) -> HandPlayer:
    """A player by what the user gave; OptionError where it is neither a strategy nor a function."""
    if is_strategy(player):
        return StrategyPlayer(player)
    if callable(getattr(player, "probabilities", None)) and hasattr(player, "betting_tree"):
        return LookupPlayer(player)
    if callable(player):
        return FunctionPlayer(name, player)
    hint = "; of a run pass its .strategy" if is_strategy(getattr(player, "strategy", None)) else ""
    raise OptionError(
        f"a match of hold'em is between strategies of the same game or functions player(state, legal_actions), got "
        f"{quoted(player)} as {name}{hint}"
    )


class FunctionPlayer:
    """A function of the user's: it sees a `HandState` and returns what it does."""

    def __init__(self, name: str, function: Function) -> None:
        self.name, self.function = name, function

    def probabilities(self, state: HandState) -> Sequence[float]:
        """The probability of each action; OptionError for anything that is not one of the legal actions."""
        actions = state.actions
        try:
            answer = self.function(state, actions)
        except Exception as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())
            raise OptionError(f"player {self.name} raised {why} ({self._place(state)})") from error
        found = probabilities_of(answer, actions)
        if found is None:
            raise OptionError(
                f"player {self.name} answered {quoted(answer)} where {', '.join(actions)} are legal "
                f"({self._place(state)}): return one of them, or a probability for each"
            )
        return found

    def _place(self, state: HandState) -> str:
        board = f" on {state.board}" if state.board_cards else ""
        after = f"after {state.line!r}" if state.line else "at the beginning of the hand"
        return f"with {state.hand}{board} {after}"


class LookupPlayer:
    """An object that knows the probabilities of one hand at a time."""

    def __init__(self, strategy: Any) -> None:
        self.lookup = lookup_of(strategy)

    def probabilities(self, state: HandState) -> Sequence[float]:
        """The probability of each action."""
        return self.lookup.probabilities(state.node, state.cards, state.board_cards)


class StrategyPlayer:
    """A strategy that is known for all hands at once."""

    def __init__(self, strategy: Any) -> None:
        self.strategy = strategy
        one_hand = isinstance(strategy, PublicStrategy | BoardStrategy)
        self.lookup = lookup_of(strategy) if one_hand else None
        self._board: tuple[int, ...] | None = None
        self._rows: HandRows | None = None

    def probabilities(self, state: HandState) -> Sequence[float]:
        """The probability of each action of one hand."""
        if self.lookup is not None:
            return self.lookup.probabilities(state.node, state.cards, state.board_cards)
        number = state.game.deck.hand_number(state.cards)
        own: list[float] = self.rows(state.node, state.street, state.board_cards)[:, number].tolist()
        return own

    def rows(self, node: int, street: int, board: tuple[int, ...]) -> Floats:
        """[actions, hands of the deck] the probabilities of all hands at a node on a board."""
        if not isinstance(self.strategy, PublicStrategy | BoardStrategy):
            return np.asarray(self.strategy.probabilities_on([node], board)[0], np.float64)
        if self._rows is None or board != self._board:
            self._board, self._rows = board, rows_on(self.strategy, street, board)
        return np.asarray(self._rows(node), np.float64)


HandPlayer = FunctionPlayer | LookupPlayer | StrategyPlayer
