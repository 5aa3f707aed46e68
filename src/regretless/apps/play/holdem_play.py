"""Hold'em as a `Game` that can be played: deals, betting and showdowns of the game of a run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.apps.views.holdem_nodes import affordable
from regretless.apps.views.infoset_views import Card, InfosetView
from regretless.game import CHANCE, TERMINAL, Game
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.cards.evaluator import strengths
from regretless.poker.results.board_strategy import BoardTree
from regretless.poker.results.hand_lookups import lookup_of
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.tree.board_lookup import find_board
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["Dealt", "HoldemGame", "HoldemOpponent"]

REMEMBERED = 64
"""Nodes whose expected values are cached."""


class Dealt(NamedTuple):
    """A hand in progress."""

    hands: tuple[int, ...]  # numbers of the hands dealt so far, player 0's first
    board: tuple[int, ...]
    node: int  # of the betting tree


class HoldemGame(Game):
    """A game on a public tree, as a `Game`; chance deals whole hands, and the board card by card.

    A label is the own hand, the board and the line of play: "AsKh | QsJh2h | raise call / check".
    """

    players = 2

    def __init__(self, tree: PublicTree | BoardTree) -> None:
        self.tree, self.betting, self.rules = tree, tree.betting_tree, tree.game
        self.deals = self.rules.deck.hands(self.rules.hand_size)

    @cached_property
    def _disjoint(self) -> npt.NDArray[np.bool_]:
        """[hands, hands] which hands can be dealt together."""
        cards = np.zeros((len(self.deals), self.rules.deck.size), np.int32)
        np.put_along_axis(cards, self.deals, 1, axis=1)
        return np.asarray(cards @ cards.T == 0)

    @cached_property
    def _first(self) -> list[float]:
        """The probability of each hand of player 0."""
        mine, theirs = self.rules.hand_weights()
        joint = mine * (self._disjoint @ theirs)
        return list((joint / joint.sum()).tolist())

    def root(self) -> Dealt:
        """Before the deal."""
        return Dealt((), self.rules.first_board, 0)

    def player(self, state: Dealt) -> int:
        """Who moves."""
        kind = int(self.betting.kind[state.node])
        if len(state.hands) < 2 or kind == DEAL:
            return CHANCE
        return TERMINAL if kind > DEAL else kind

    def actions(self, state: Dealt) -> Sequence[int]:
        """Hands to deal and cards to deal by their numbers, or moves by their order."""
        if len(state.hands) < 2:
            return range(len(self.deals))
        if self.betting.kind[state.node] == DEAL:
            gone = {*state.board, *(int(card) for hand in state.hands for card in self.deals[hand])}
            return [card for card in range(self.rules.deck.size) if card not in gone]
        return range(len(self.betting.actions[state.node]))

    def chance(self, state: Dealt) -> Sequence[float]:
        """Hands by their weights, cards uniformly."""
        if len(state.hands) == 0:
            return self._first
        if len(state.hands) == 1:
            left = self.rules.hand_weights()[1] * self._disjoint[state.hands[0]]
            return list((left / left.sum()).tolist())
        return super().chance(state)

    def play(self, state: Dealt, action: int) -> Dealt:
        """The state after a deal or a move."""
        if len(state.hands) < 2:
            return state._replace(hands=(*state.hands, action))
        if self.betting.kind[state.node] != DEAL:
            return state._replace(node=int(self.betting.first_child[state.node]) + action)
        board = (*state.board, action)
        street = int(self.betting.street[state.node])
        whole = len(board) == len(self.rules.first_board) + sum(self.rules.board_cards[: street + 1])
        return Dealt(state.hands, board, int(self.betting.first_child[state.node]) if whole else state.node)

    def infoset(self, state: Dealt) -> tuple[int, tuple[int, ...], int]:
        """The own hand, the board and the node of the betting."""
        return state.hands[self.player(state)], state.board, state.node

    def pot_at(self, state: Dealt) -> float:
        """Chips in the middle."""
        return float(self.betting.paid[state.node].sum()) + float(self.rules.betting.pot)

    def situation(self, state: Dealt) -> str:
        """The mover's position, the pot and the stacks, in words."""
        rules, mover = self.rules.betting, self.player(state)
        seats = ("the first player", "the second player")
        if any(rules.blinds):
            seats = ("the small blind", "the big blind")
        elif rules.pot:
            seats = ("out of position", "in position")
        parts = [f"You are {seats[mover]}", f"pot {spell_chips(self.pot_at(state))}"]
        stack = getattr(rules, "stack", None)
        if stack is not None:
            own, other = (float(stack) - float(self.betting.paid[state.node, p]) for p in (mover, 1 - mover))
            behind = spell_chips(own) if own == other else f"{spell_chips(own)} against {spell_chips(other)}"
            parts.append(f"{behind} behind")
        return ", ".join(parts) + "."

    def payoffs(self, state: Dealt) -> tuple[float, float]:
        """Chips, net."""
        tree, node, better = self.betting, state.node, 0
        if tree.kind[node] == SHOWDOWN:
            hands = np.array([self.deals[hand] for hand in state.hands])
            mine, theirs = strengths(self.rules.deck, state.board, hands).tolist()
            better = (mine > theirs) - (mine < theirs)
        outcomes = {1: tree.win, 0: tree.tie, -1: tree.lose}
        return float(outcomes[better][node, 0]), float(outcomes[-better][node, 1])

    def infoset_label(self, infoset: tuple[int, tuple[int, ...], int]) -> str:
        """The own hand, the board and the line of play."""
        hand, board, node = infoset
        deck = self.rules.deck
        return " | ".join([deck.hand_name(self.deals[hand].tolist()), deck.names(board), self.betting.line(node)])

    def action_label(self, action: int) -> str:
        """The number of an action; its name depends on the state, see `name_of`."""
        return str(action)

    def name_of(self, state: Dealt, action: int) -> str:
        """The name of an action at a state."""
        deck = self.rules.deck
        if len(state.hands) < 2:
            return str(deck.hand_name(self.deals[action].tolist()))
        if self.betting.kind[state.node] == DEAL:
            return str(deck.name(action))
        return self.betting.actions[state.node][action]

    def infoset_view(self, label: str) -> InfosetView:
        """Parse the label of an infoset."""
        hand, board, line = label.split(" | ")
        return InfosetView(label, _cards(hand), _cards(board), _moves(line))


def _cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(text[at], text[at + 1]) for at in range(0, len(text), 2))


def _moves(line: str) -> tuple[str, ...]:
    """The moves of a line of play; a number belongs to the word before it ("bet 50")."""
    moves: list[str] = []
    for word in line.replace("/", " ").split():
        if moves and word[:1].isdigit():
            moves[-1] += f" {word}"
        else:
            moves.append(word)
    return tuple(moves)


class HoldemOpponent:
    """A strategy of hold'em; values of actions are known where the tree below is small enough."""

    def __init__(self, strategy: PublicStrategy) -> None:
        self.strategy = strategy
        self.holdem = HoldemGame(strategy.tree)
        self._lookup = lookup_of(strategy)
        self._known: OrderedDict[tuple[int, tuple[int, ...]], NodeStrategy | None] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.holdem

    def _board(self, state: Dealt) -> Any:
        tree = self.strategy.tree
        return find_board(tree, int(tree.betting_tree.street[state.node]), state.board)

    def probabilities(self, state: Dealt) -> Sequence[float]:
        """The probability of each of the mover's actions."""
        hand = tuple(int(card) for card in self.holdem.deals[state.hands[self.holdem.player(state)]])
        with self._lock:  # boards of a file are read on first use
            return self._lookup.probabilities(state.node, hand, state.board)

    def values(self, state: Dealt) -> Sequence[float] | None:
        """Expected chips of each action from here on, against the hands with which the other player comes here."""
        key = (state.node, state.board)
        with self._lock:
            if key not in self._known:
                found = self._board(state)
                cheap = affordable(self.strategy, found)
                self._known[key] = self.strategy.at_board([state.node], found)[0] if cheap else None
                while len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
            node = self._known[key]
        if node is None:
            return None
        hand = self.holdem.deals[state.hands[self.holdem.player(state)]]
        at = int(np.flatnonzero((node.hands == hand).all(axis=1))[0])
        row = node.action_ev[at]
        return None if np.isnan(row).any() else list(row.tolist())
