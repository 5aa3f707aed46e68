"""Games that a run file or a web page may name: those that run no foreign code and read no files.

A run file is data, and it may come from anywhere. Its game is opened only if it is one of the library's own or of an
installed package, with parameters that cannot name a file. The user may name any game with `--game`.
"""

from __future__ import annotations

import re
from typing import Any

from regretless.errors import OptionError, RegretlessError
from regretless.games.registry import GAMES

__all__ = ["LARGEST_PARAMETER", "check_parameters", "game_again", "may_open"]

LARGEST_PARAMETER = 10_000
"""Larger numbers in the parameters of a game are refused before the game is made."""

FILE_GAMES = frozenset({"efg_game", "nfg_game"})
"""Games of OpenSpiel that are read from a file."""

FILE_PARAMETER = re.compile(r"file|path|root|dir")
"""Parameters of OpenSpiel's games whose name has one of these words are file names (boards_file, puzzles_root)."""

FILE_ENDINGS = (".efg", ".toml", ".game", ".py")
OPENSPIEL_GAME = re.compile(r"([a-z]\w*)\(([^()]*)\)")
HARMLESS = re.compile(r"(\w+)=(?:-?\d+(?:\.\d+)?|[\w;+-]*)")
"""A parameter whose value is a number or a word: neither contains a dot with letters, or a slash."""


def may_open(spec: str) -> bool:
    """Whether a game can be opened without running foreign code or reading files.

    >>> may_open("leduc:ranks=5"), may_open("mygame.py:Guess"), may_open("spot.toml")
    (True, False, False)
    >>> may_open("openspiel:leduc_poker(players=3)"), may_open("openspiel:efg_game(filename=/etc/passwd)")
    (True, False)
    """
    head, _, parameters = spec.strip().partition(":")
    if spec.strip().lower().endswith(FILE_ENDINGS):
        return False
    if head == "openspiel":
        return _reads_no_file(parameters.strip())
    if head in GAMES:
        return True
    from regretless.lookup.plugins import plugin_names

    return head in plugin_names("regretless.games") and _are_harmless(parameters)


def game_again(spec: str) -> Any:
    """The game that a run's file names, if it may be opened and still exists; otherwise None."""
    if not may_open(spec):
        return None
    from regretless.lookup.games import find_game

    try:
        check_parameters(spec)
        return find_game(spec)
    except RegretlessError:
        return None


def _reads_no_file(text: str) -> bool:
    """Whether a game string of OpenSpiel names no file, at any depth of games within games."""
    text = text.removeprefix("name=")
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    while found := OPENSPIEL_GAME.search(text):
        name, parameters = found.groups()
        if name in FILE_GAMES or not _are_harmless(parameters):
            return False
        text = f"{text[: found.start()]}game{text[found.end() :]}"
    return re.fullmatch(r"[a-z]\w*", text) is not None and text not in FILE_GAMES


def _are_harmless(parameters: str) -> bool:
    """Whether no parameter can name a file."""
    found = [HARMLESS.fullmatch(part.strip()) for part in parameters.split(",") if part.strip()]
    return all(part is not None and FILE_PARAMETER.search(part[1].lower()) is None for part in found)


def check_parameters(spec: str) -> None:
    """Refuse numbers that no game of this library can be solved with, before anything is allocated for them.

    >>> check_parameters("leduc:ranks=999999999")
    Traceback (most recent call last):
    regretless.errors.OptionError: leduc:ranks=999999999 is too large: parameters are numbers up to 10,000
    """
    if spec.strip().startswith("matrix:"):  # its numbers are payoffs
        return
    if any(len(digits) > 9 or int(digits) > LARGEST_PARAMETER for digits in re.findall(r"[0-9]+", spec)):
        raise OptionError(f"{spec[:80]} is too large: parameters are numbers up to {LARGEST_PARAMETER:,}")
