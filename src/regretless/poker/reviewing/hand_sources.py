"""Hands in texts of PokerStars and GGPoker, in PHH files and in logs of the poker competition, read by PokerKit.

GGPoker writes hands almost as PokerStars does, so its header is rewritten and PokerKit's parser for PokerStars reads
the rest. A log of the poker competition does not say what the blinds and stacks are. Those of its usual games are
taken: 50 and 100, with 20,000 chips in no-limit games, and it is checked that the winnings agree.
"""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from regretless.errors import FileError
from regretless.poker.formats.histories.history_reading import read_history
from regretless.poker.formats.histories.history_writing import pokerkit
from regretless.poker.formats.text_files import parse_toml, read_text_file
from regretless.poker.quoting import quoted

__all__ = ["HandSource", "hands_in_file", "hands_in_text", "read_hands"]

MOST_FILE = 50_000_000
"""Bytes of the largest file of hands."""
MOST_HAND, MOST_LINE = 50_000, 500
"""Characters of a hand, and of a line in it: PokerKit searches lines in time that grows with their square."""
MOST_REASON = 120
"""Characters of PokerKit's reason that are shown."""

ROOM_HAND = re.compile(r"^\ufeff?(?:PokerStars |Poker Hand #)", re.MULTILINE)
GG_HEADER = re.compile(r"^Poker Hand #[A-Za-z]*(\d+):")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
STATE = re.compile(r"^STATE:(?P<hand>\d{1,12}):(?P<betting>[^:]{1,10000}):[^:]*:(?P<won>[^:]*):[^:]*$", re.ASCII)
LOG_STACK, LOG_LIMIT_STACK = 20_000, 100_000
"""Starting stacks of no-limit games of the competition; limit games have none, so any large stack will do."""


@dataclass(frozen=True)
class HandSource:
    """A hand as PokerKit's `HandHistory`, or why it cannot be read."""

    name: str  # the file or the site, and the number of the hand
    history: Any | None
    problem: str = ""

    @property
    def players(self) -> list[str]:
        """The names of the players in the order of PHH."""
        named = getattr(self.history, "players", None)
        count = len(getattr(self.history, "starting_stacks", None) or [])
        return [str(name) for name in named] if named else [f"p{seat}" for seat in range(1, count + 1)]


def hands_in_file(path: str | os.PathLike[str]) -> list[HandSource]:
    """The hands of a file; FileError if it is none of the formats."""
    text = read_text_file(path, "file of hands", MOST_FILE)
    return hands_in_text(text, Path(path).name)


def hands_in_text(text: str, name: str = "the text") -> list[HandSource]:
    """The hands of a text in any of the formats; name: of the text, for messages."""
    return list(read_hands(text, name))


def read_hands(text: str, name: str = "the text") -> Iterator[HandSource]:
    """The same, one hand at a time; FileError at once if the text is none of the formats."""
    pokerkit()
    if ROOM_HAND.search(text):
        return _room_hands(text, name)
    if re.search(r"^STATE:", text, re.MULTILINE):
        return _logged_hands(text, name)
    if re.search(r"^\s*(?:variant|actions)\s*=", text, re.MULTILINE):
        return _phh_hands(parse_toml(text, name, "hand history"), name)
    raise FileError(f"{name} has no hand of PokerStars, of GGPoker, in the PHH format or in a log of the ACPC")


def _room_hands(text: str, name: str) -> Iterator[HandSource]:
    """Hands of PokerStars or GGPoker, one at a time, so that a hand that cannot be read spoils no other."""
    begins = [found.start() for found in ROOM_HAND.finditer(text)]
    for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
        hand = THOUSANDS.sub("", text[begin:end].replace("\r", "").lstrip("\ufeff").rstrip() + "\n")
        number = re.search(r"#([A-Za-z]*\d+)", hand)
        title = f"{name}, hand {number[1] if number else '?'}"
        if problem := _unreadable(hand):
            yield HandSource(title, None, problem)
        else:
            parser = pokerkit().HandHistory.from_pokerstars
            yield _parsed(title, parser, GG_HEADER.sub(r"PokerStars Hand #\1:", hand))


def _unreadable(hand: str) -> str:
    """Why PokerKit would not read a hand, or would read it wrongly; empty if it can be read."""
    header = hand.split("\n", 1)[0]
    if len(hand) > MOST_HAND or max(map(len, hand.split("\n"))) > MOST_LINE:
        return "it is too long for a hand"
    if "Hold'em No Limit" not in header:
        return f"only no-limit hold'em is read from such texts, not {quoted(header[:80])}"
    if re.search(r": posts (?:the )?(?:ante|straddle|small & big blinds|dead)", hand):
        return "it has antes, straddles or dead blinds, which PokerKit does not read from such texts"
    return ""


def _parsed(title: str, parser: Any, *given: Any) -> HandSource:
    """The one hand that PokerKit reads; where it cannot, it prints a traceback, of which the reason is kept."""
    printed = io.StringIO()
    try:
        with warnings.catch_warnings(), redirect_stderr(printed):
            warnings.simplefilter("ignore")
            return HandSource(title, next(parser(*given, error_status=True)))
    except Exception as error:  # PokerKit does not document what it raises on malformed texts
        return HandSource(title, None, f"PokerKit cannot read it: {_reason(printed.getvalue(), error)}")


def _reason(traceback: str, error: Exception) -> str:
    """The last line of a traceback, such as "ValueError: the bet is too small", in a few words."""
    lines = [line for line in traceback.splitlines() if line.strip() and not line.startswith(" ")]
    kind, _, words = (lines[-1] if lines else type(error).__name__).partition(": ")
    if kind == "KeyError":
        return f"{quoted(words.strip(chr(39)), MOST_REASON)} is missing"
    return quoted(words.strip().rstrip("."), MOST_REASON) if words.strip() else kind


def _logged_hands(text: str, name: str) -> Iterator[HandSource]:
    kit = pokerkit()
    lines = [line.split(" #")[0].rstrip() for line in text.splitlines() if line.startswith("STATE:")]
    limit = not any(re.match(r"STATE:\d+:[^:]*r\d", line) for line in lines)
    if limit:
        table, stack = kit.FixedLimitTexasHoldem((), True, 0, (50, 100), 100, 200), LOG_LIMIT_STACK
    else:
        table, stack = kit.NoLimitTexasHoldem((), True, 0, (50, 100), 100), LOG_STACK
    for line in lines:
        found = STATE.match(line)
        if found is None:
            yield HandSource(f"{name}, {quoted(line, 60)}", None, "it is no STATE line of the ACPC")
            continue
        title = f"{name}, hand {found['hand']}"
        hand = _parsed(title, kit.HandHistory.from_acpc_protocol, table, stack, line)
        if hand.history is not None and not limit and not _agrees(hand.history, found["won"]):
            hand = HandSource(title, None, f"its winnings are not those of blinds 50 and 100 and {LOG_STACK:,} chips")
        yield hand


def _agrees(history: Any, won: str) -> bool:
    *_, end = history
    return [float(chips) for chips in end.payoffs] == [float(chips) for chips in won.split("|")]


def _phh_hands(table: dict[str, Any], name: str) -> Iterator[HandSource]:
    kit = pokerkit()
    several = {key: value for key, value in table.items() if isinstance(value, dict) and "actions" in value}
    known = {field.name for field in fields(kit.HandHistory)} - {"user_defined_fields"}
    for key, entries in several.items() or {"": table}.items():
        title = f"{name}, hand {key}" if key else name
        try:
            given = {field: value for field, value in entries.items() if field in known}
            yield HandSource(title, read_history(kit.HandHistory(**given)))
        except Exception as error:  # PokerKit does not document what it raises on malformed fields
            yield HandSource(title, None, f"it is no hand in the PHH format: {quoted(str(error))}")
