"""The decisions of hands in PHH files, as lines and boards of a game; see `hand_histories`."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from regretless.errors import FileError, OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.cards.deck import STANDARD
from regretless.poker.formats.histories.history_table import MOST_ACTIONS, DamagedHand, HandTable, hand_field
from regretless.poker.formats.histories.history_writing import first_player, pokerkit, street_total
from regretless.poker.formats.text_files import parse_toml, read_text_file
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted

__all__ = ["Decision", "Follower", "decisions_of", "follow_hand", "node_of", "read_history"]

SAME = 0.005
"""Bets are equal if they differ by less than this share of the pot, because files round to chips."""


class Decision(NamedTuple):
    """One decision of a hand."""

    line: str
    board: str
    player: int  # of the game; without a game, PHH's p1 is 0
    hand: str  # the mover's cards, if they are known
    action: str  # the chosen action, in the game's words


def read_history(source: Any) -> Any:
    """PokerKit's `HandHistory` of a .phh file; a `HandHistory` is returned unchanged."""
    kit = pokerkit()
    if isinstance(source, kit.HandHistory):
        return source
    if not isinstance(source, str | os.PathLike):
        raise OptionError(f"a hand history is a .phh file or PokerKit's HandHistory, got {quoted(source)}")
    name, text = os.fspath(source), read_text_file(source, "hand history")
    try:
        table = parse_toml(text, name, "hand history")  # within limits that PokerKit's own reader does not have
        known = {field.name for field in fields(kit.HandHistory)} - {"user_defined_fields"}
        return kit.HandHistory(
            **{key: value for key, value in table.items() if key in known},
            user_defined_fields={key: value for key, value in table.items() if key not in known},
        )
    except FileError as error:
        raise FileError(f"{name} is no hand history in the PHH format: {error}") from None
    except Exception as error:  # PokerKit does not document what it raises on malformed fields
        raise FileError(f"{name} is no hand history in the PHH format: {quoted(str(error))}") from None


def node_of(
    source: Any, game: PublicGame | None = None, decision: int = -1, *, nearest: bool = False
) -> tuple[str, str]:
    """The line and the board at a decision of a hand (by default the last one), as `strategy.at` takes them.

    `decisions_of` lists all decisions.
    """
    found = decisions_of(source, game, nearest=nearest)
    if not isinstance(decision, int) or not -len(found) <= decision < len(found):
        decisions = f"{len(found)} decision{'' if len(found) == 1 else 's'}"
        raise OptionError(f"this hand has {decisions} in the game, got decision={quoted(decision)}")
    return found[decision].line, found[decision].board


def decisions_of(source: Any, game: PublicGame | None = None, *, nearest: bool = False) -> list[Decision]:
    """The decisions of a hand in a PHH file, or of a `HandHistory`.

    Without a game, lines begin with the deal, and the hand must have two players. With a game, lines begin on the first
    street of the game and use its actions. Chips are scaled so that the pots are equal there. `nearest` takes the
    nearest bet of the game where it does not have the bet that was made.
    """
    history = read_history(source)
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else "the hand history"
    return (_read_words(history, name) if game is None else follow_hand(history, game, name, nearest)).decisions


def _read_words(history: Any, name: str) -> _Words:
    table, actions = _opened(history, name)
    words = _Words(table)
    _read_all(table, actions, words, name)
    return words


def follow_hand(
    history: Any, game: PublicGame, name: str, nearest: bool = False, tree: BettingTree | None = None
) -> Follower:
    """A hand followed through the betting tree of a game, which is built if it is not given.

    name: of the hand, for messages.
    """
    table, actions = _opened(history, name)
    follower = Follower(table, game, game.betting_tree() if tree is None else tree, nearest)
    _read_all(table, actions, follower, name)
    return follower


def _opened(history: Any, name: str) -> tuple[HandTable, list[Any]]:
    try:
        return HandTable(history), hand_field(history, "actions", list, MOST_ACTIONS)
    except DamagedHand as damage:
        raise FileError(f"{name}: {damage}") from None


def _read_all(table: HandTable, actions: list[Any], follower: _Words | Follower, name: str) -> None:
    for number, text in enumerate(actions, 1):
        try:
            if table.read(text, follower):
                break
        except DamagedHand as damage:
            raise FileError(f"{name}: action {number}, {quoted(text)}, cannot be read: {damage}") from None


class _Words:
    """Writes the actions of a hand of two players as a line, without a game."""

    def __init__(self, table: HandTable) -> None:
        if len(table.alive) != 2:
            raise OptionError(f"this hand has {len(table.alive)} players: pass the game that two of them reach")
        self.table, self.cards = table, 0
        self.words: list[str] = []
        self.decisions: list[Decision] = []

    def follow(self, player: int, words: list[str]) -> bool:
        table = self.table
        if len(table.board) > self.cards and self.words:
            self.words.append("/")
        self.cards = len(table.board)
        highest = max(table.bets)
        if words[0] == "cbr":
            verb = ("bet" if highest == 0 else "raise") if table.limit else ("bet " if highest == 0 else "raise to ")
            action = verb if table.limit else verb + spell_chips(float(words[1]))
        else:
            action = "fold" if words[0] == "f" else "call" if table.bets[player] < highest else "check"
        line = " ".join(self.words).removesuffix(" /")
        self.decisions.append(Decision(line, table.spelled_board(), player, table.holes.get(player, ""), action))
        self.words.append(action)
        return False


class Follower:
    """Follows a hand through the betting tree of a game."""

    def __init__(self, table: HandTable, game: PublicGame, tree: BettingTree, nearest: bool) -> None:
        self.table, self.game, self.tree, self.nearest = table, game, tree, nearest
        self.first = first_player(game)
        self.node, self.scale = -1, 1.0  # chips of the game for a chip of the hand
        self.depth = 0.0  # the smaller stack where the game begins, in chips of the game
        self.players: dict[int, int] = {}  # of the game, by player of the hand
        self.decisions: list[Decision] = []
        self.seats: list[int] = []  # the player of the hand at each decision
        self.translated = False  # whether the nearest bet was taken for some bet
        self.exact: list[bool] = []  # whether all bets up to and including each decision are bets of the game

    def follow(self, player: int, words: list[str]) -> bool:
        """Apply one action of the file; returns whether the game is over."""
        table, tree = self.table, self.tree
        if self.node < 0 and not self._begins():
            return False
        mover = int(tree.kind[self.node])
        if self.players.get(player) != mover:
            raise DamagedHand(f"it is not p{player + 1}'s turn")
        names = tree.actions[self.node]
        if words[0] == "cbr":
            step = self._bet(float(words[1]), all_in=float(words[1]) >= table.bets[player] + table.stacks[player])
        elif words[0] == "f" and "fold" not in names:
            raise DamagedHand("there is no bet to fold to")
        else:
            step = names.index("fold") if words[0] == "f" else [name in ("check", "call") for name in names].index(True)
        line = tree.line(self.node)
        self.decisions.append(Decision(line, table.spelled_board(), mover, table.holes.get(player, ""), names[step]))
        self.seats.append(player)
        self.exact.append(not self.translated)
        self.node = int(tree.first_child[self.node]) + step
        while tree.kind[self.node] == DEAL:
            self.node = int(tree.first_child[self.node])
        return bool(tree.kind[self.node] > DEAL)

    def _begins(self) -> bool:
        """Whether the hand has reached the board with which the game begins; then its chips are scaled to the pot."""
        table, first = self.table, self.game.first_board
        if len(table.board) < len(first):
            return False
        if set(table.board) != set(first):
            wanted = STANDARD.names(first) or "no board"
            raise OptionError(f"the game begins with {wanted} and the hand has {table.spelled_board()}")
        if len(table.alive) != 2:
            raise OptionError(f"{len(table.alive)} players are in the hand where the game begins; it is for two")
        pot = table.pot + sum(table.bets)
        if pot <= 0:
            raise DamagedHand("the pot is empty where the game begins")
        early, late = sorted(table.alive)
        self.players = {early: self.first, late: 1 - self.first}
        self.node = 0
        self.scale = (float(self.game.betting.pot) + float(self.tree.paid[0].sum())) / pot
        ante = float(self.game.betting.ante)
        self.depth = ante + self.scale * min(table.stacks[player] + table.bets[player] for player in table.alive)
        return True

    def _bet(self, chips: float, all_in: bool) -> int:
        """The index of the bet or raise among the actions of the game."""
        tree, node = self.tree, self.node
        names, first = tree.actions[node], int(tree.first_child[node])
        offered = [at for at, name in enumerate(names) if name not in ("fold", "check", "call")]
        if not offered:
            raise OptionError(
                f"the hand has a bet of {chips:g} after {tree.line(node)!r}, where the game has no bet or raise"
            )
        if all_in and names[offered[-1]] == "all-in":
            return offered[-1]
        if self.table.limit:
            return offered[0]
        totals = np.array([street_total(self.game, tree, node, first + at) for at in offered])
        pot = float(tree.paid[node].sum()) + float(self.game.betting.pot)
        off = np.abs(totals - chips * self.scale)
        if off.min() > SAME * pot and not self.nearest:
            known = ", ".join(names[at] for at in offered)
            raise OptionError(
                f"the hand has a bet of {spell_chips(chips * self.scale)} chips of the game after "
                f"{tree.line(node)!r}, which offers {known}; nearest=True takes the nearest"
            )
        self.translated |= bool(off.min() > SAME * pot)
        return offered[int(np.argmin(off))]
