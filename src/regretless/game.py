"""A game is one small class: who moves, what they may do, what they know, what they win.

States may be anything (strings, tuples, NamedTuples, frozen dataclasses); a state stands for the whole history that
led to it. The library never looks inside one: it only passes states back to the game that made them.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from regretless.errors import GameError
from regretless.kernels.constants import CHANCE, LARGEST_PAYOFF, TERMINAL

__all__ = [
    "CHANCE",
    "LARGEST_PAYOFF",
    "MOST_ACTIONS",
    "MOST_PLAYERS",
    "TERMINAL",
    "Game",
    "State",
    "found_as",
    "refuse_players",
    "shortened",
]

MOST_PLAYERS = 128
"""A listing keeps the mover of a history in one signed byte."""

MOST_ACTIONS = 1 << 20
"""Actions at one history; a game with more offers them in steps."""

State = Any
"""A history of the game, in any form that suits its author."""


class Game(ABC):
    """The rules of a game, as a user writes them.

    Six methods describe any finite game with hidden information; a seventh is needed where chance moves are not
    uniform. Two more give readable names where compact ones are used inside.

    >>> import regretless as rg
    >>> class Guess(rg.Game):
    ...     '''Player 0 hides a coin, player 1 guesses the side.'''
    ...     def root(self): return ""
    ...     def player(self, h): return rg.TERMINAL if len(h) == 2 else len(h)
    ...     def actions(self, h): return "HT"
    ...     def play(self, h, a): return h + a
    ...     def infoset(self, h): return len(h)
    ...     def payoffs(self, h): return (-1, 1) if h[0] == h[1] else (1, -1)
    >>> rg.solve(Guess(), iterations=100).strategy[0]
    {'H': 0.5, 'T': 0.5}
    """

    players: int = 2
    """How many players sit at the table; they are numbered from 0."""

    perfect_recall: bool = True
    """Whether players remember all they have seen and done; a game that forgets on purpose says False."""

    walked_in_python: ClassVar[bool] = False
    """Whether sampled methods may walk it in Python, slowly, where it is not listed: rules that cannot be compiled."""

    source: str = ""
    """The name or file that the game was found by, such as "mygame.py:Guess"; set by the lookup."""

    @abstractmethod
    def root(self) -> State:
        """The state before anything has happened."""

    @abstractmethod
    def player(self, state: State) -> int:
        """Who moves: a player's number, `CHANCE` or `TERMINAL`."""

    @abstractmethod
    def actions(self, state: State) -> Sequence[Hashable]:
        """What the mover may do, in an order that is the same throughout an infoset."""

    @abstractmethod
    def play(self, state: State, action: Any) -> State:
        """The state after `action`; the given state must not change."""

    @abstractmethod
    def infoset(self, state: State) -> Hashable:
        """All that the mover knows: equal exactly for the states that the mover cannot tell apart."""

    @abstractmethod
    def payoffs(self, state: State) -> Sequence[float]:
        """What each player has won at a terminal state, in chips."""

    def chance(self, state: State) -> Sequence[float]:
        """The probabilities of `actions(state)` where chance moves; uniform unless the game says otherwise."""
        count = len(self.actions(state))
        return [1.0 / count] * count

    def public(self, state: State) -> bool:
        """Whether all players see the chance move made at this state.

        Asked by public chance sampling on games that are not listed; a listed game shows it by its infosets.
        """
        return False

    def remembering(self) -> Game | None:
        """The same game with perfect recall, move for move, where it is known: to measure forgetful strategies in."""
        return self if self.perfect_recall else None

    def infoset_label(self, infoset: Any) -> Hashable:
        """A readable name for what `infoset` returned: the key under which a `Strategy` files it."""
        label: Hashable = infoset
        return label

    def action_label(self, action: Any) -> Hashable:
        """A readable name for an action."""
        label: Hashable = action
        return label


def refuse_players(game: Game) -> None:
    """Raise a GameError unless the number of players is a whole number from 1 to `MOST_PLAYERS`."""
    players: object = getattr(game, "players", None)
    try:
        count = -1 if isinstance(players, bool) else operator.index(players)  # type: ignore[arg-type]
    except TypeError:
        count = -1
    if not 1 <= count <= MOST_PLAYERS:
        raise GameError(
            f"{type(game).__name__}: players is {shortened(players)}; a game has from 1 to {MOST_PLAYERS} players, "
            "e.g. players = 2"
        )


def shortened(value: object, length: int = 60) -> str:
    """What a value prints, cut off where it is long; also of whole numbers that Python refuses to print."""
    try:
        text = repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= length else text[: length - 1] + "…"


def found_as(game: Any, source: str) -> Any:
    """Note what a game was found by; frozen dataclasses too."""
    object.__setattr__(game, "source", source)
    return game
