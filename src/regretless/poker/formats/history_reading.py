"""The decisions of hands in PHH files, as lines and boards of a game; see `hand_histories`."""

from __future__ import annotations

import math
import os
import re
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from regretless.errors import FileError, OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.checks import MOST_CHIPS
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.cards.deck import STANDARD
from regretless.poker.formats.history_writing import first_player, pokerkit, street_total
from regretless.poker.formats.text_files import parse_toml, read_text_file
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted

__all__ = ["Decision", "decisions_of", "node_of", "read_history"]

SAME = 0.005
"""Bets are equal if they differ by less than this share of the pot, because files round to chips."""

MOST_PLAYERS = 10
MOST_ACTIONS = 10_000

SEAT = re.compile(r"p([1-9][0-9]?)")


class Decision(NamedTuple):
    """One decision of a hand."""

    line: str
    board: str
    player: int  # of the game; without a game, PHH's p1 is 0
    hand: str  # the mover's cards, if they are known
    action: str  # the chosen action, in the game's words


class _Damaged(Exception):
    """A field or an action of a hand history that cannot be read; the reader adds the name of the file."""


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
    try:
        table = _Table(history)
        actions = _field(history, "actions", list, MOST_ACTIONS)
    except _Damaged as damage:
        raise FileError(f"{name}: {damage}") from None
    follower = _Words(table) if game is None else _Follower(table, game, nearest)
    for number, text in enumerate(actions, 1):
        try:
            if table.read(text, follower):
                break
        except _Damaged as damage:
            raise FileError(f"{name}: action {number}, {quoted(text)}, cannot be read: {damage}") from None
    return follower.decisions


def _field(history: Any, name: str, kind: type[list[Any]] | type[str], most: int) -> Any:
    """A field of a history, with a type and at most `most` entries."""
    value = getattr(history, name, None)
    if not isinstance(value, kind) or len(value) > most:
        entries = f"a list of at most {most:,} entries" if kind is list else "a text"
        raise _Damaged(f"{name} must be {entries}, got {quoted(value)}")
    return value


def _chips(value: Any, name: str, signed: bool = False) -> float:
    """A number of chips as a float; `signed` ignores its sign."""
    try:
        chips = abs(float(value)) if signed else float(value)
    except (TypeError, ValueError, ArithmeticError):
        chips = math.nan
    if isinstance(value, bool) or not 0 <= chips <= MOST_CHIPS:
        raise _Damaged(f"{name} must be from 0 to {MOST_CHIPS:,.0f} chips, got {quoted(value)}")
    return chips


class _Table:
    """The bets, the pot and the cards of a hand while it is read; players are counted from 0."""

    def __init__(self, history: Any) -> None:
        stacks = _field(history, "starting_stacks", list, MOST_PLAYERS)
        count = len(stacks)
        if count < 2:
            raise _Damaged(f"starting_stacks must have 2 to {MOST_PLAYERS} entries, got {count}")
        antes = self._by_player(history, "antes", count)
        self.limit = _field(history, "variant", str, 10).startswith("F")
        self.bets = self._by_player(history, "blinds_or_straddles", count)
        self.stacks = [_chips(x, "starting_stacks") - a - b for x, a, b in zip(stacks, antes, self.bets, strict=True)]
        if min(self.stacks) < 0:
            raise _Damaged("a player's starting stack does not cover the ante and the blind")
        self.pot, self.alive = sum(antes), set(range(count))
        self.board: tuple[int, ...] = ()
        self.holes: dict[int, str] = {}

    @staticmethod
    def _by_player(history: Any, name: str, count: int) -> list[float]:
        """Forced bets in the order of players; of two players PHH lists the small blind first."""
        values = getattr(history, name, None) or [0] * count
        if not isinstance(values, list) or len(values) != count:
            raise _Damaged(f"{name} must have an entry for each of the {count} players, got {quoted(values)}")
        chips = [_chips(x, name, signed=True) for x in values]  # straddles may be negative
        return chips[::-1] if count == 2 else chips

    def read(self, text: Any, follower: _Words | _Follower) -> bool:
        """Apply one action of the file; returns whether the game is over."""
        if not isinstance(text, str):
            raise _Damaged("it is no text")
        words = text.split("#")[0].split()
        if words[:1] == ["d"]:
            self._deal(words[1:])
        elif len(words) > 1 and words[1] in ("f", "cc", "cbr"):
            player = self._player(words[0])
            if player not in self.alive:
                raise _Damaged(f"{words[0]} has folded")
            if words[1] == "cbr":
                _chips(words[2] if len(words) > 2 else None, "a bet")
            if follower.follow(player, words[1:]):
                return True
            self._act(player, words[1:])
        return False

    def _player(self, word: str) -> int:
        seat = SEAT.fullmatch(word)
        if seat is None or int(seat[1]) > len(self.bets):
            raise _Damaged(f"{quoted(word)} is no player; they are p1 to p{len(self.bets)}")
        return int(seat[1]) - 1

    def _deal(self, words: list[str]) -> None:
        try:
            if words[:1] == ["db"] and len(words) > 1:
                self.board = STANDARD.cards((*self.board, *STANDARD.cards(words[1])))
                self.pot += sum(self.bets)
                self.bets = [0.0] * len(self.bets)
            elif words[:1] == ["dh"] and len(words) > 2:
                if "?" not in words[2]:
                    self.holes[self._player(words[1])] = STANDARD.hand_name(STANDARD.cards(words[2]))
            elif words[:1] in (["db"], ["dh"]):
                raise _Damaged("it has no cards")
        except OptionError as error:
            raise _Damaged(str(error)) from None

    def _act(self, player: int, words: list[str]) -> None:
        if words[0] == "f":
            self.alive.discard(player)
            return
        total = max(self.bets) if words[0] == "cc" else float(words[1])
        paid = min(total - self.bets[player], self.stacks[player])
        self.stacks[player] -= paid
        self.bets[player] += paid

    def spelled_board(self) -> str:
        return " ".join(STANDARD.name(card) for card in self.board)


class _Words:
    """Writes the actions of a hand of two players as a line, without a game."""

    def __init__(self, table: _Table) -> None:
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


class _Follower:
    """Follows a hand through the betting tree of a game."""

    def __init__(self, table: _Table, game: PublicGame, nearest: bool) -> None:
        self.table, self.game, self.nearest = table, game, nearest
        self.first = first_player(game)
        self.tree = game.betting_tree()
        self.node, self.scale = -1, 1.0
        self.players: dict[int, int] = {}  # of the game, by player of the hand
        self.decisions: list[Decision] = []

    def follow(self, player: int, words: list[str]) -> bool:
        """Apply one action of the file; returns whether the game is over."""
        table, tree = self.table, self.tree
        if self.node < 0 and not self._begins():
            return False
        mover = int(tree.kind[self.node])
        if self.players.get(player) != mover:
            raise _Damaged(f"it is not p{player + 1}'s turn")
        names = tree.actions[self.node]
        if words[0] == "cbr":
            step = self._bet(float(words[1]), all_in=float(words[1]) >= table.bets[player] + table.stacks[player])
        elif words[0] == "f" and "fold" not in names:
            raise _Damaged("there is no bet to fold to")
        else:
            step = names.index("fold") if words[0] == "f" else [name in ("check", "call") for name in names].index(True)
        line = tree.line(self.node)
        self.decisions.append(Decision(line, table.spelled_board(), mover, table.holes.get(player, ""), names[step]))
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
            raise _Damaged("the pot is empty where the game begins")
        early, late = sorted(table.alive)
        self.players = {early: self.first, late: 1 - self.first}
        self.node = 0
        self.scale = (float(self.game.betting.pot) + float(self.tree.paid[0].sum())) / pot
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
        return offered[int(np.argmin(off))]
