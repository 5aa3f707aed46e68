"""What the label of an infoset shows: cards, dice and boards that can be drawn, and moves in words.

Every family of games writes its labels in its own way. This module is the only one that parses them. The label of a
game that is not known here is shown as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from regretless.game import Game
from regretless.games.claims import ClaimGame
from regretless.games.goofspiel import Goofspiel
from regretless.games.hidden_board import HiddenBoard
from regretless.games.leduc import Leduc
from regretless.games.liar_die import LiarDie
from regretless.games.matrix import OneShot
from regretless.games.one_card_poker import OneBetPoker

__all__ = ["Board", "Card", "Die", "InfosetView", "Piece", "infoset_view"]

RANKS = "23456789TJQKA"
SUITS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


@dataclass(frozen=True, order=True)
class Card:
    """A playing card; without a suit where the game has none."""

    rank: str
    suit: str = ""

    @property
    def text(self) -> str:
        """As text, for a terminal."""
        return f"[{'10' if self.rank == 'T' else self.rank}{SUITS.get(self.suit, self.suit)}]"

    @property
    def order(self) -> tuple[int, str]:
        """The sort key: lower cards first."""
        known = RANKS.find(self.rank)
        return (known if known >= 0 else int(self.rank) if self.rank.isdecimal() else 99, self.suit)


@dataclass(frozen=True)
class Die:
    """A die and its face; faces above six are written as numbers."""

    face: int

    @property
    def text(self) -> str:
        """As text, for a terminal."""
        return f"{'⚀⚁⚂⚃⚄⚅'[self.face - 1]} {self.face}" if 1 <= self.face <= 6 else f"<{self.face}>"

    @property
    def order(self) -> tuple[int, str]:
        """The sort key: lower faces first."""
        return self.face, ""


Piece = Card | Die


@dataclass(frozen=True)
class Board:
    """A board as one player knows it; cells are "own", "taken" (by the other player) or empty."""

    cells: tuple[tuple[str, ...], ...]  # rows from the top
    slanted: bool = False
    """Whether each row is shifted to the right, as in hex."""

    @property
    def text(self) -> str:
        """As text, for a terminal."""
        marks = {"own": "O", "taken": "x", "": "·"}
        lines = [
            " " * (2 * row if self.slanted else 0) + f"{row + 1} " + " ".join(marks[cell] for cell in cells)
            for row, cells in enumerate(self.cells)
        ]
        return "\n".join(["  " + " ".join("abcdefghijklmnopqrstuvwxyz"[: len(self.cells[0])]), *lines])


@dataclass(frozen=True)
class InfosetView:
    """What a player sees at an infoset."""

    label: str
    own: tuple[Piece, ...] = ()
    """What only this player sees."""
    shared: tuple[Piece, ...] = ()
    """What all players see."""
    moves: tuple[str, ...] = ()
    """The moves so far, in words, the oldest first."""
    board: Board | None = None
    known: bool = True
    """Whether the label could be parsed; if not, only the label itself can be shown."""

    @property
    def order(self) -> tuple[Any, ...]:
        """The sort key of infosets at one node: what the player holds."""
        return tuple(piece.order for piece in self.own)


def infoset_view(game: Game | None, label: str) -> InfosetView:
    """Parse the label of an infoset of a game.

    >>> from regretless.games import Kuhn, LiarsDice
    >>> infoset_view(Kuhn(), "Qpb").own, infoset_view(Kuhn(), "Qpb").moves
    ((Card(rank='Q', suit=''),), ('pass', 'bet'))
    >>> infoset_view(LiarsDice(), "3 1x2").own[0].text
    '⚂ 3'
    """
    for kind, read in READERS.items():
        if isinstance(game, kind):
            try:
                return read(game, label)
            except (ValueError, IndexError, KeyError):
                break
    return InfosetView(label, known=False)


def _one_bet(game: Any, label: str) -> InfosetView:
    found = re.fullmatch(r"(\d+|[2-9TJQKA])([pb]*)", label)
    if found is None:
        raise ValueError
    return InfosetView(label, (Card(found[1]),), moves=tuple({"p": "pass", "b": "bet"}[move] for move in found[2]))


def _card(text: str) -> Card:
    if not re.fullmatch(r"(\d+|[2-9TJQKA])[a-z]", text):
        raise ValueError
    return Card(text[:-1], text[-1])


def _leduc(game: Any, label: str) -> InfosetView:
    own, *rest = label.split(" ")
    words = {"f": "fold", "c": "call", "r": "raise"}
    moves: list[str] = []
    shared: list[Card] = []
    for part in rest:
        if part and set(part) <= set(words):
            moves += [words[letter] for letter in part]
        else:
            shared.append(_card(part))
            moves.append(f"board {part}")
    return InfosetView(label, (_card(own),), tuple(shared), tuple(moves))


def _claims(game: Any, label: str) -> InfosetView:
    dice, *claims = label.split(" ")
    return InfosetView(label, tuple(Die(int(face)) for face in dice.split(",")), moves=tuple(claims))


def _liar_die(game: Any, label: str) -> InfosetView:
    own: tuple[Die, ...] = ()
    moves = []
    for part in label.split(" "):
        roll, stroke, claim = part.rpartition("/")
        own = (Die(int(roll)),) if stroke and claim == "?" else ()
        if claim != "?":
            who = "you claim" if stroke else "they claim"
            moves.append(f"{who} {int(claim.rstrip('?'))}")
    return InfosetView(label, own, moves=tuple(moves))


def _goofspiel(game: Any, label: str) -> InfosetView:
    _, *rounds, prize = label.split(" ")
    results = {"+": "won", "-": "lost", "=": "equal"}
    moves, spent = [], set()
    for entry in rounds:
        worth, _, bid = entry.partition(":")
        mine, _, theirs = bid.partition("/")
        said = f"against {theirs}" if theirs else results[bid[-1]]
        mine = mine if theirs else mine[:-1]
        spent.add(int(mine))
        moves.append(f"prize {worth}: you bid {mine}, {said}")
    hand = tuple(Card(str(card)) for card in range(1, game.cards + 1) if card not in spent)
    return InfosetView(label, hand, (Card(str(int(prize))),), tuple(moves))


def _hidden_board(game: Any, label: str) -> InfosetView:
    _, *tried = label.split(" ")
    cells = [[""] * game.columns for _ in range(game.rows)]
    for cell in tried:
        found = re.fullmatch(r"([a-z])(\d+)(\*?)", cell)
        if found is None:
            raise ValueError
        cells[int(found[2]) - 1]["abcdefghijklmnopqrstuvwxyz".index(found[1])] = "taken" if found[3] else "own"
    board = Board(tuple(map(tuple, cells)), slanted=type(game).__name__ == "DarkHex")
    return InfosetView(
        label, moves=tuple(cell.rstrip("*") + (" was taken" if "*" in cell else "") for cell in tried), board=board
    )


def _one_shot(game: Any, label: str) -> InfosetView:
    return InfosetView(label)


READERS: dict[type, Callable[[Any, str], InfosetView]] = {
    OneBetPoker: _one_bet,
    Leduc: _leduc,
    ClaimGame: _claims,
    LiarDie: _liar_die,
    Goofspiel: _goofspiel,
    HiddenBoard: _hidden_board,
    OneShot: _one_shot,
}
"""The parser of each family of games."""
