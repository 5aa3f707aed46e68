"""The words of a Gambit file, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from regretless.errors import FileError

__all__ = ["Tokens", "brief"]

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]|[^\s{},"]+', re.DOTALL)
SPACE = re.compile(r"[\s,]*")  # commas may stand between numbers, and mean nothing
WHOLE_NUMBER = re.compile(r"[+-]?\d{1,18}")
NUMBER = re.compile(r"[+-]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE](?P<exponent>[+-]?\d+))?)")

LONGEST_NUMBER = 3_500
"""Characters of a number; with its exponent it stays below the 4,300 digits that Python converts."""

LARGEST_EXPONENT = 400
"""Powers of ten up to which a number is worked out exactly; 1e999999999 would take all memory."""


class Tokens:
    """Reads one token after another; every error knows the line of the last one."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        self.place = 0  # of the token read last
        self.next_place = SPACE.match(text).end()  # type: ignore[union-attr]  # an empty match is a match

    def error(self, message: str) -> FileError:
        """The error to raise about the token read last."""
        line = self.text.count("\n", 0, self.place) + 1
        return FileError(f"{self.path}, line {line}: {message}")

    def at_end(self) -> bool:
        """Whether everything was read."""
        return self.next_place == len(self.text)

    def at_string(self) -> bool:
        """Whether a quoted text comes next."""
        return self.text.startswith('"', self.next_place)

    def at_brace(self) -> bool:
        """Whether a list comes next."""
        return self.text.startswith("{", self.next_place)

    def word(self) -> str:
        """The next token of any kind."""
        self.place = self.next_place
        if self.at_end():
            raise self.error("the file ends too early")
        token = TOKEN.match(self.text, self.place)
        if token is None:
            raise self.error("a quoted text does not end")
        self.next_place = SPACE.match(self.text, token.end()).end()  # type: ignore[union-attr]
        return token.group()

    def string(self) -> str:
        """A quoted text, without its quotes."""
        word = self.word()
        if not word.startswith('"'):
            raise self.error(f"a text in quotes is needed, not {brief(word)}")
        return word[1:-1].replace('\\"', '"')  # Gambit escapes nothing else

    def whole_number(self) -> int:
        """An integer."""
        word = self.word()
        if WHOLE_NUMBER.fullmatch(word) is None:
            raise self.error(f"a whole number is needed, not {brief(word)}")
        return int(word)

    def number(self) -> Fraction:
        """A number as Gambit writes them: 3, -1/18, 0.25, 1e-3."""
        word = self.word()
        match = NUMBER.fullmatch(word)
        if match is None:
            raise self.error(f"a number is needed, not {brief(word)}")
        if len(word) > LONGEST_NUMBER or abs(int(match["exponent"] or 0)) > LARGEST_EXPONENT:
            raise self.error(f"the number {brief(word)} has too many digits")
        try:
            return Fraction(word)
        except ZeroDivisionError:
            raise self.error(f"a number is needed, not {brief(word)}") from None

    def until_brace(self) -> Iterator[None]:
        """Once for each item of a list in braces; the loop must read the item."""
        if self.word() != "{":
            raise self.error("a list in braces { } is needed")
        while not self.text.startswith("}", self.next_place):
            yield
        self.word()


def brief(word: str) -> str:
    """A word on part of one line."""
    word = " ".join(word[:200].split())
    return word if len(word) <= 60 else word[:59] + "…"
