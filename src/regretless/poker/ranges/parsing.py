"""Ranges in the usual notation of poker, parsed into weights.

| written | means |
|---|---|
| QQ, AKs, AKo, AK | a pair, suited, offsuit, both |
| AhKh, A♥K♥ | one combination |
| 99+ | this pair and all higher ones |
| A9s+ | the second card rises up to just below the first: A9s, ATs, AJs, AQs, AKs (so JTs+ is JTs alone) |
| JJ-88 | the pairs between, both ends included, either end first |
| A5s-A2s | same first card, second card between |
| JTs-54s | same distance between the two cards |
| QQ:0.5, QQ:50%, [50]QQ,JJ[/50] | with this weight |
| random, any, 100% | every hand |

Entries are separated by commas, semicolons or spaces, in upper or lower case; 10 is T. Where two entries name the same
hand, the later one counts: "AK,AhKh:0.25" is all of AK, but AhKh with the weight 0.25.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.games.not_offered import NOT_OFFERED
from regretless.poker.cards.deck import SYMBOLS, Deck
from regretless.poker.cards.hand_classes import class_table
from regretless.poker.quoting import quoted

__all__ = ["read_range"]

RANK = "(?:10|[2-9tjqka])"
HAND = f"{RANK}[cdhs]{RANK}[cdhs]|{RANK}{RANK}[so]?"
ENTRY = re.compile(
    rf"(?P<first>{HAND})(?:\s*(?P<plus>\+)|\s*-\s*(?P<last>{HAND}))?(?:\s*:\s*(?P<weight>[^\s,;\[]+))?",
    re.IGNORECASE,
)
EVERYTHING = re.compile(r"(?P<word>random|any|100%)(?:\s*:\s*(?P<weight>[^\s,;\[]+))?", re.IGNORECASE)
BRACKET = re.compile(r"\[(?P<end>/)?(?P<percent>\d+(?:\.\d+)?)\]")
SEPARATOR = re.compile(r"[\s,;]*")
CHUNK = re.compile(r"[^\s,;\[]+|\[[^\]]*\]?")
FOUR_CARDS = re.compile(r"(?:[2-9TJQKA][cdhs]){4}", re.IGNORECASE)
MOST_TEXT = 100_000
"""Characters of a range; a weight for each of 1,326 hands takes about 30,000."""
EXAMPLE = "ranges are written like 'QQ+, AKs, A5s-A2s, JJ-99:0.5, AhKh'"

Cell = tuple[int, int]


class RangeText:
    """The parser of a range. It keeps its position in the text for error messages."""

    def __init__(self, text: str, deck: Deck) -> None:
        self.text = text
        self.symbols = text.translate(SYMBOLS)
        self.deck = deck
        self.at = 0  # characters read
        self.weights = np.zeros(len(deck.hands(2)))  # [hands]
        self.known: dict[str, npt.NDArray[np.bool_]] = {}  # by entry: [hands] those that it names

    def read(self, may_be_empty: bool = False) -> npt.NDArray[np.float64]:
        """[hands] the weights of the range."""
        usual = 1.0
        while self.more():
            if found := BRACKET.match(self.symbols, self.at):
                usual = 1.0 if found["end"] else self.weight(found["percent"] + "%")
            elif found := EVERYTHING.match(self.symbols, self.at):
                self.ended(found.end())
                self.weights[:] = self.weight(found["weight"], usual)
            elif found := ENTRY.match(self.symbols, self.at):
                self.ended(found.end())
                name = found[0].partition(":")[0]
                if name not in self.known:
                    self.known[name] = self.hands(found)
                self.weights[self.known[name]] = self.weight(found["weight"], usual)
            else:
                raise self.wrong(EXAMPLE)
            self.at = found.end()
        if not may_be_empty and not self.weights.any():
            raise OptionError(f"the range {quoted(self.text)} is empty; {EXAMPLE}")
        return self.weights

    def more(self) -> bool:
        """Skip separators; returns whether an entry follows."""
        found = SEPARATOR.match(self.symbols, self.at)
        self.at = found.end() if found else self.at
        return self.at < len(self.symbols)

    def ended(self, end: int) -> None:
        """Refuse an entry that is not followed by a separator."""
        if end < len(self.symbols) and not re.match(r"[\s,;\[]", self.symbols[end]):
            raise self.wrong(EXAMPLE)

    def wrong(self, instead: str) -> OptionError:
        """The error for the entry at the present position."""
        found = CHUNK.match(self.text, self.at)
        chunk = found[0] if found else self.text[self.at :]
        if FOUR_CARDS.match(chunk):
            instead = NOT_OFFERED["omaha"]
        return OptionError(
            f"{quoted(chunk)} at character {self.at + 1} of the range {quoted(self.text)} cannot be read: {instead}"
        )

    def weight(self, text: str | None, usual: float = 1.0) -> float:
        """A weight as written after a colon."""
        if text is None:
            return usual
        try:
            number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            raise self.wrong("a weight is between 0 and 1, or 0% and 100%")
        return number

    def hands(self, entry: re.Match[str]) -> npt.NDArray[np.bool_]:
        """[hands] those that an entry names."""
        first = entry["first"].upper().replace("10", "T")
        last = (entry["last"] or first).upper().replace("10", "T")
        if len(first) == 4:
            return self.combination(first, alone=not entry["plus"] and not entry["last"])
        if first[2:] != last[2:] or len(last) == 4:
            raise self.wrong("both ends of a span are of one kind, like 'JJ-99', 'A5s-A2s' or 'JTs-54s'")
        kind, top, bottom = first[2:], self.cell(first), self.cell(last)
        if kind and (top[0] == top[1] or bottom[0] == bottom[1]):
            raise self.wrong("a pair is neither suited nor offsuit; write 'QQ'")
        table = class_table(self.deck)
        chosen = np.zeros(table.suited.size, np.bool_)
        for high, low in self.plus(top) if entry["plus"] else self.span(top, bottom):
            chosen |= (table.high == high) & (table.low == low)
        if kind:
            chosen &= table.suited == (kind == "S")
        if not chosen.any():
            raise self.wrong(
                f"this deck has the ranks {self.deck.ranks} in the suits {self.deck.suits} and no such hand"
            )
        return chosen

    def combination(self, name: str, alone: bool) -> npt.NDArray[np.bool_]:
        """[hands] the hand of these two cards."""
        if not alone:
            raise self.wrong("a combination like 'AhKh' stands alone, without + or -")
        try:
            number = self.deck.hand_number(self.deck.cards(name))
        except OptionError as error:
            raise self.wrong(str(error)) from None
        chosen = np.zeros(self.weights.size, np.bool_)
        chosen[number] = True
        return chosen

    def cell(self, name: str) -> Cell:
        """The higher and the lower rank of a class."""
        for rank in name[:2]:
            if rank not in self.deck.ranks:
                raise self.wrong(f"this deck has no {rank}, only {self.deck.ranks}")
        low, high = sorted(self.deck.ranks.index(rank) for rank in name[:2])
        return high, low

    def plus(self, cell: Cell) -> Iterator[Cell]:
        """The classes of an entry with a plus: higher pairs, or higher second cards."""
        high, low = cell
        if high == low:
            return ((rank, rank) for rank in range(low, len(self.deck.ranks)))
        return ((high, rank) for rank in range(low, high))

    def span(self, first: Cell, last: Cell) -> Iterator[Cell]:
        """The classes between two, both included."""
        (high, low), (top, bottom) = min(first, last), max(first, last)
        if high == top and (high == low) == (top == bottom):
            return ((high, rank) for rank in range(low, bottom + 1))
        if high - low == top - bottom:
            return ((high + step, low + step) for step in range(top - high + 1))
        raise self.wrong(
            "the ends of a span share their first card or the distance of their cards, like 'A5s-A2s' or 'JTs-54s'"
        )


def read_range(text: str, deck: Deck, *, may_be_empty: bool = False) -> npt.NDArray[np.float64]:
    """[hands] the weights of a range, in the order of `deck.hands(2)`; a range without a hand is refused or allowed."""
    if not isinstance(text, str):
        raise OptionError(f"a range is a text, got {quoted(text)}; {EXAMPLE}")
    if len(text) > MOST_TEXT:
        raise OptionError(f"a range has at most {MOST_TEXT:,} characters, got {len(text):,}; {EXAMPLE}")
    return RangeText(text, deck).read(may_be_empty)
