"""Agents of the poker competition: which move to make in a state of a match.

An agent answers the same state with the same move, because all its draws depend on the seed, the number of the hand and
the number of moves before.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np

from regretless.apps.acpc.translation import TreeFollower
from regretless.errors import OptionError, suggest
from regretless.kernels.constants import DEAL
from regretless.poker.betting.hand_play import CALL, FOLD, RAISE, HandPlay, Move
from regretless.poker.betting.limit import Limit
from regretless.poker.formats.acpc_messages import MatchState, ProtocolError, check_whole_game, player_at
from regretless.poker.games import PublicGame
from regretless.poker.results.hand_lookups import HandLookup, lookup_of

__all__ = ["NAMED_AGENTS", "Agent", "NamedAgent", "StrategyAgent", "find_agent"]

NAMED_AGENTS = ("always-call", "always-fold", "always-raise", "random")


class Agent(Protocol):
    """Chooses the moves of one player in a match."""

    @property
    def game(self) -> PublicGame:
        """The game that is played."""

    def move(self, state: MatchState, hand: HandPlay) -> Move:
        """The move in a state in which it is the agent's turn."""


def drawn(seed: int, hand: HandPlay, number: int, stream: int) -> float:
    """A uniform number in [0, 1) that depends on the seed, the number of a hand, and the number of moves before."""
    return float(np.random.default_rng([seed, number, len(hand.moves), stream]).random())


class NamedAgent:
    """An agent that does not look at its cards. A move that is not legal becomes a check or a call."""

    def __init__(self, name: str, game: PublicGame, seed: int = 0) -> None:
        if name not in NAMED_AGENTS:
            raise OptionError(f"there is no agent {name!r}: {suggest(name, NAMED_AGENTS)}")
        self.name, self.game, self.seed = name, game, seed

    def move(self, state: MatchState, hand: HandPlay) -> Move:
        """The move of the agent; "random" takes each legal kind of move with the same probability."""
        kind = {"always-call": CALL, "always-fold": FOLD, "always-raise": RAISE}.get(self.name)
        if kind is None:
            kinds = [CALL, *([FOLD] if hand.faces_bet else []), *([RAISE] if hand.raise_bounds else [])]
            kind = kinds[int(drawn(self.seed, hand, state.hand, 0) * len(kinds))]
        return hand.legal(Move(kind, self._total(state, hand) if kind == RAISE else None))

    def _total(self, state: MatchState, hand: HandPlay) -> float | None:
        """The total of a no-limit raise: a pot-sized one, or for "random" any whole number of chips that is legal."""
        if isinstance(self.game.betting, Limit) or hand.raise_bounds is None:
            return None
        if self.name != "random":
            return 3.0 * max(hand.situation.paid)
        least, most = hand.raise_bounds
        return float(least + int(drawn(self.seed, hand, state.hand, 1) * (most - least + 1)))


class StrategyAgent:
    """An agent that plays a strategy; see `translation` for bets that the strategy's tree does not have.

    Where a no-limit hand has left the tree (a raise where the tree has none), the agent checks and calls.
    """

    def __init__(self, strategy: Any, seed: int = 0) -> None:
        self.lookup: HandLookup = lookup_of(strategy)
        self.game, self.seed = check_whole_game(self.lookup.game), seed
        self.tree = self.lookup.betting_tree
        self.follower = TreeFollower(self.tree, isinstance(self.game.betting, Limit))
        self._hand = -1
        self._own: dict[str, int] = {}  # own actions in the tree, by the betting before them

    def move(self, state: MatchState, hand: HandPlay) -> Move:
        """A move drawn from the strategy."""
        if state.hand != self._hand:
            self._hand, self._own = state.hand, {}
        node = self._node(state, hand)
        if node is None:
            return Move(CALL)
        deck = self.game.deck
        cards, board = deck.cards(state.holes[state.position]), deck.cards("".join(state.board))
        up_to = np.cumsum(self.lookup.probabilities(node, cards, board))
        action = int(np.searchsorted(up_to, drawn(self.seed, hand, state.hand, 0) * up_to[-1], side="right"))
        action = min(action, len(up_to) - 1)
        move = self.follower.move_of(node, action, hand)
        self._own[hand.betting] = action
        return move

    def _node(self, state: MatchState, hand: HandPlay) -> int | None:
        """The node of the betting tree that the moves of a hand lead to; None if they have left the tree."""
        node = 0
        for before, move in hand.moves:
            if self.tree.kind[node] > DEAL:
                return None
            action = self._own.get(before.betting) if before.mover == player_at(self.game, state.position) else None
            if action is None or self.follower.move_of(node, action, before) != move:
                action = self.follower.action_of(node, before, move, drawn(self.seed, before, state.hand, 2))
            if action is None:
                if isinstance(self.game.betting, Limit):
                    raise ProtocolError(
                        f"hand {state.hand} has {str(move)!r} after {before.betting!r}, which {self.game.name} does "
                        f"not have: the dealer deals another game"
                    )
                return None
            node = self.follower.after(node, action)
        return None if self.tree.kind[node] > DEAL or self.tree.kind[node] != hand.mover else node


def find_agent(name: str, game: str | None, seed: int) -> Agent:
    """The strategy in a file, or an agent by name, which needs the game that is dealt."""
    if name in NAMED_AGENTS and not Path(name).exists():
        from regretless.lookup.games import find_game

        if game is None:
            raise OptionError(f"{name} needs the game that is dealt: --game hulh, hunl, fhp or FILE.game")
        return NamedAgent(name, check_whole_game(find_game(game)), seed)
    from regretless.run import Run, load

    if not Path(name).expanduser().exists():
        raise OptionError(f"there is no run {name!r}, and agents by name are {', '.join(NAMED_AGENTS)}")
    loaded = load(name)
    return StrategyAgent(loaded.strategy if isinstance(loaded, Run) else loaded, seed)
