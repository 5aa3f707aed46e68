"""The bets, the pot and the cards of a hand while a PHH file is read; see `hand_histories`."""

from __future__ import annotations

import math
import re
from typing import Any, Protocol

from regretless.errors import OptionError
from regretless.poker.betting.checks import MOST_CHIPS
from regretless.poker.cards.deck import STANDARD
from regretless.poker.quoting import quoted

__all__ = ["MOST_ACTIONS", "DamagedHand", "HandTable", "hand_field"]

MOST_PLAYERS = 10
MOST_ACTIONS = 10_000

SEAT = re.compile(r"p([1-9][0-9]?)")


class DamagedHand(Exception):
    """A field or an action of a hand history that cannot be read; the reader adds the name of the file."""


class Reader(Protocol):
    """What takes the actions of a hand one at a time."""

    def follow(self, player: int, words: list[str]) -> bool:
        """Take an action of a player before it changes the table; returns whether the game is over."""


def hand_field(history: Any, name: str, kind: type[list[Any]] | type[str], most: int) -> Any:
    """A field of a history, with a type and at most `most` entries."""
    value = getattr(history, name, None)
    if not isinstance(value, kind) or len(value) > most:
        entries = f"a list of at most {most:,} entries" if kind is list else "a text"
        raise DamagedHand(f"{name} must be {entries}, got {quoted(value)}")
    return value


def read_chips(value: Any, name: str, signed: bool = False) -> float:
    """A number of chips as a float; `signed` ignores its sign."""
    try:
        chips = abs(float(value)) if signed else float(value)
    except (TypeError, ValueError, ArithmeticError):
        chips = math.nan
    if isinstance(value, bool) or not 0 <= chips <= MOST_CHIPS:
        raise DamagedHand(f"{name} must be from 0 to {MOST_CHIPS:,.0f} chips, got {quoted(value)}")
    return chips


class HandTable:
    """The bets, the pot and the cards of a hand while it is read; players are counted from 0."""

    def __init__(self, history: Any) -> None:
        stacks = hand_field(history, "starting_stacks", list, MOST_PLAYERS)
        count = len(stacks)
        if count < 2:
            raise DamagedHand(f"starting_stacks must have 2 to {MOST_PLAYERS} entries, got {count}")
        antes = self._by_player(history, "antes", count)
        self.limit = hand_field(history, "variant", str, 10).startswith("F")
        self.bets = self._by_player(history, "blinds_or_straddles", count)
        self.stacks = [
            read_chips(x, "starting_stacks") - a - b for x, a, b in zip(stacks, antes, self.bets, strict=True)
        ]
        if min(self.stacks) < 0:
            raise DamagedHand("a player's starting stack does not cover the ante and the blind")
        self.pot, self.alive = sum(antes), set(range(count))
        self.board: tuple[int, ...] = ()
        self.holes: dict[int, str] = {}

    @staticmethod
    def _by_player(history: Any, name: str, count: int) -> list[float]:
        """Forced bets in the order of players; of two players PHH lists the small blind first."""
        values = getattr(history, name, None) or [0] * count
        if not isinstance(values, list) or len(values) != count:
            raise DamagedHand(f"{name} must have an entry for each of the {count} players, got {quoted(values)}")
        chips = [read_chips(x, name, signed=True) for x in values]  # straddles may be negative
        return chips[::-1] if count == 2 else chips

    def read(self, text: Any, follower: Reader) -> bool:
        """Apply one action of the file; returns whether the game is over."""
        if not isinstance(text, str):
            raise DamagedHand("it is no text")
        words = text.split("#")[0].split()
        if words[:1] == ["d"]:
            self._deal(words[1:])
        elif len(words) > 1 and words[1] in ("f", "cc", "cbr"):
            player = self._player(words[0])
            if player not in self.alive:
                raise DamagedHand(f"{words[0]} has folded")
            if words[1] == "cbr":
                read_chips(words[2] if len(words) > 2 else None, "a bet")
            if follower.follow(player, words[1:]):
                return True
            self._act(player, words[1:])
        return False

    def _player(self, word: str) -> int:
        seat = SEAT.fullmatch(word)
        if seat is None or int(seat[1]) > len(self.bets):
            raise DamagedHand(f"{quoted(word)} is no player; they are p1 to p{len(self.bets)}")
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
                raise DamagedHand("it has no cards")
        except OptionError as error:
            raise DamagedHand(str(error)) from None

    def _act(self, player: int, words: list[str]) -> None:
        if words[0] == "f":
            self.alive.discard(player)
            return
        total = max(self.bets) if words[0] == "cc" else float(words[1])
        paid = min(total - self.bets[player], self.stacks[player])
        self.stacks[player] -= paid
        self.bets[player] += paid

    def spelled_board(self) -> str:
        """The board cards so far, with spaces."""
        return " ".join(STANDARD.name(card) for card in self.board)
