"""Game definitions of the Annual Computer Poker Competition: the rules of a poker game in a dozen lines of text.

    GAMEDEF
    limit
    numPlayers = 2
    numRounds = 2
    blind = 1 1
    raiseSize = 2 4
    maxRaises = 2 2
    numSuits = 2
    numRanks = 3
    numHoleCards = 1
    numBoardCards = 0 1
    END GAMEDEF

Case, the equals sign and the order of lines do not matter; lines that begin with # are comments. Files count players
from 1, regretless from 0. In the usual heads-up files player 1 is the big blind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike

from regretless.errors import FileError, OptionError, suggest
from regretless.poker.betting.limit import Limit
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.sizes import Sizes, SizesLike
from regretless.poker.cards.deck import RANKS, SUITS, Deck
from regretless.poker.formats.text_files import MOST_BYTES, read_text_file
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted

__all__ = ["AcpcGame", "read_game", "read_public_game"]

KEYS = (
    "numPlayers",
    "numRounds",
    "blind",
    "raiseSize",
    "stack",
    "firstPlayer",
    "maxRaises",
    "numSuits",
    "numRanks",
    "numHoleCards",
    "numBoardCards",
)
UNCAPPED = 255
"""The value of maxRaises where a file has none, as in the competition's server; also the largest value."""

MOST_SUITS, MOST_RANKS, MOST_ROUNDS = 4, 13, 4
MOST_PLAYERS = 10
MOST_AMOUNT = 10**12
"""The largest number of chips."""
MOST_DIGITS = 13


@dataclass(frozen=True)
class AcpcGame:
    """A game definition: its betting, its deck and the numbers of cards that are dealt."""

    betting: Limit | NoLimit
    suits: int
    ranks: int
    hole_cards: int  # of each player
    board_cards: tuple[int, ...]  # [rounds] new on each

    @property
    def deck(self) -> int:
        """Cards in the deck."""
        return self.suits * self.ranks


def read_game(source: str | PathLike[str], sizes: SizesLike = Sizes()) -> AcpcGame:  # noqa: B008 - frozen
    """The game in a file, or in a text of several lines; `sizes` are the bet sizes of no-limit games.

    Equal blinds are read as an ante, because there is no bet to call. Of unequal stacks the smaller one is used.
    """
    if isinstance(source, str) and ("\n" in source or source.strip().lower() == "gamedef"):
        return _Definition(source, "the game definition").game(sizes)
    return _Definition(read_text_file(source, "game definition"), str(source)).game(sizes)


def read_public_game(source: str | PathLike[str], sizes: SizesLike = Sizes()) -> PublicGame:  # noqa: B008 - frozen
    """The game in a file, ready to be solved. Its deck has the highest ranks and suits, as in the competition.

    The big blind is the larger of the blinds.
    """
    game = read_game(source, sizes)
    name = "the game definition" if isinstance(source, str) and "\n" in source else str(source)
    if game.board_cards[0]:
        raise FileError(f"{name}: board cards come after the first round here, got {game.board_cards[0]} before it")
    rules = game.betting
    try:
        return PublicGame(
            Deck(RANKS[-game.ranks :], SUITS[-game.suits :]),
            game.hole_cards,
            game.board_cards[1:],
            rules,
            big_blind=float(max(rules.ante, *rules.blinds)),
        )
    except OptionError as error:
        raise FileError(f"{name}: {error}") from None


class _Definition:
    """The settings of a definition and their line numbers, for error messages."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.limit = True
        self.numbers: dict[str, list[int]] = {}
        self.line: dict[str, int] = {}
        if len(text) > MOST_BYTES:
            raise FileError(f"{name} is too large for a game definition: at most {MOST_BYTES:,} characters are read")
        inside = False
        ended = False
        for line, content in enumerate(text.splitlines(), 1):
            content = content.strip()
            if not content or content.startswith("#"):
                continue
            if not inside:
                if content.lower() != "gamedef":
                    raise self.error(line, f"a game definition begins with GAMEDEF, not with {quoted(content)}")
                inside = True
            elif re.fullmatch(r"end\s+gamedef", content.lower()):
                ended = True
                break
            else:
                self.read(line, content)
        if not ended:
            raise FileError(f"{name} has no line END GAMEDEF" if inside else f"{name} has no line GAMEDEF")

    def error(self, line: int, problem: str) -> FileError:
        return FileError(f"{self.name}, line {line}: {problem}")

    def read(self, line: int, content: str) -> None:
        key, *values = content.replace("=", " ").split() or [content]
        if key.lower() in ("limit", "nolimit"):
            self.limit = key.lower() == "limit"
            return
        known = {name.lower(): name for name in KEYS}
        if key.lower() not in known:
            raise self.error(line, f"there is no setting {quoted(key)}: {suggest(key, (*KEYS, 'limit', 'nolimit'))}")
        name = known[key.lower()]
        if name in self.line:
            raise self.error(line, f"{name} is given twice, first in line {self.line[name]}")
        if not all(re.fullmatch(r"[-+]?\d+", value, re.ASCII) for value in values):
            raise self.error(line, f"{name} takes whole numbers, got {quoted(' '.join(values))}")
        if any(len(value) > MOST_DIGITS + 1 for value in values):
            raise self.error(line, f"{name} takes numbers up to {MOST_AMOUNT:,}, got {quoted(' '.join(values))}")
        self.numbers[name] = [int(value) for value in values]
        self.line[name] = line

    def several(
        self, name: str, count: int, least: int, most: int = MOST_AMOUNT, missing: int | None = None
    ) -> list[int]:
        """The first `count` numbers of a setting, each in its bounds; `missing` replaces those that are not given."""
        found = self.numbers.get(name, [])[:count]
        if missing is not None:
            found += [missing] * (count - len(found))
        if name not in self.line and missing is None:
            raise FileError(f"{self.name} has no line {name}, which needs {count} number{'s' if count > 1 else ''}")
        if len(found) < count:
            raise self.error(
                self.line[name], f"{name} needs {count} number{'s' if count > 1 else ''}, got {len(found)}"
            )
        for number in found:
            if not least <= number <= most:
                raise self.error(self.line[name], f"{name} takes numbers from {least} to {most:,}, got {number}")
        return found

    def one(self, name: str, least: int, most: int) -> int:
        return self.several(name, 1, least, most)[0]

    def game(self, sizes: SizesLike) -> AcpcGame:
        players = self.one("numPlayers", 1, MOST_PLAYERS)
        if players != 2:
            raise self.error(
                self.line["numPlayers"], f"the game is for {players} players; only games for 2 can be read"
            )
        rounds = self.one("numRounds", 1, MOST_ROUNDS)
        suits, ranks = self.one("numSuits", 1, MOST_SUITS), self.one("numRanks", 1, MOST_RANKS)
        deck = suits * ranks
        hole_cards, board_cards = self.one("numHoleCards", 1, deck), self.several("numBoardCards", rounds, 0, deck)
        dealt = 2 * hole_cards + sum(board_cards)
        if dealt > deck:
            raise self.error(
                self.line["numBoardCards"],
                f"{dealt} cards are dealt from a deck of {suits} × {ranks} = {deck}",
            )
        try:
            betting = self.limit_betting(rounds) if self.limit else self.no_limit_betting(rounds, sizes)
        except OptionError as error:
            raise FileError(f"{self.name}: {error}") from None
        return AcpcGame(betting, suits, ranks, hole_cards, tuple(board_cards))

    def forced(self) -> tuple[int, tuple[int, int]]:
        """The ante and the blinds."""
        one, other = self.several("blind", 2, 0)
        return (one, (0, 0)) if one == other else (0, (one, other))

    def first(self, rounds: int) -> tuple[int, ...]:
        return tuple(player - 1 for player in self.several("firstPlayer", rounds, 1, 2, missing=1))

    def caps(self, rounds: int) -> tuple[int, ...]:
        return tuple(self.several("maxRaises", rounds, 0, UNCAPPED, missing=UNCAPPED))

    def limit_betting(self, rounds: int) -> Limit:
        ante, blinds = self.forced()
        return Limit(
            streets=rounds,
            bets=tuple(self.several("raiseSize", rounds, 1)),
            caps=self.caps(rounds),
            blinds=blinds,
            ante=ante,
            first=self.first(rounds),
            stack=min(self.several("stack", 2, 1)) if "stack" in self.line else None,
        )

    def no_limit_betting(self, rounds: int, sizes: SizesLike) -> NoLimit:
        ante, blinds = self.forced()
        return NoLimit(
            streets=rounds,
            stack=min(self.several("stack", 2, 1)),
            caps=self.caps(rounds) if "maxRaises" in self.line else None,
            blinds=blinds,
            ante=ante,
            first=self.first(rounds),
            sizes=sizes,
            min_bet=max(ante, *blinds, 1),
            chip=1,
        )
