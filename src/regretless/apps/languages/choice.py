"""Which language help and pages are in: `--lang`, else the locale, else English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

__all__ = ["Language", "language_of", "with_language_first"]

OPTION = "--lang"


class Language(StrEnum):
    """The languages of help and pages."""

    en = "en"
    zh = "zh"


def with_language_first(words: Sequence[str]) -> list[str]:
    """The words of a command line with `--lang LANGUAGE` in front, wherever it was given.

    It is an option of the whole command line; so it may also follow the name of a command.

    >>> with_language_first(["solve", "kuhn", "--lang", "zh", "--help"])
    ['--lang=zh', 'solve', 'kuhn', '--help']
    >>> with_language_first(["games", "--", "--lang"])
    ['games', '--', '--lang']
    """
    found, rest, left = [], [], list(words)
    while left and left[0] != "--":
        word = left.pop(0)
        if word == OPTION and left:
            found.append(f"{OPTION}={left.pop(0)}")
        elif word.startswith(f"{OPTION}="):
            found.append(word)
        else:
            rest.append(word)
    return [*found, *rest, *left]


def language_of(words: Sequence[str], environment: Mapping[str, str]) -> Language:
    """The language that a command line asks for, else that of the locale; a wrong name is reported by the parser.

    >>> language_of(["--lang=zh", "games"], {}), language_of([], {"LC_ALL": "zh_CN.UTF-8", "LANG": "C"})
    (<Language.zh: 'zh'>, <Language.zh: 'zh'>)
    >>> language_of(["--lang=en"], {"LANG": "zh_CN.UTF-8"}), language_of([], {})
    (<Language.en: 'en'>, <Language.en: 'en'>)
    """
    asked = [word.partition("=")[2] for word in words if word.startswith(f"{OPTION}=")]
    if asked:
        return Language.zh if asked[-1] == Language.zh else Language.en
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return Language.zh if locale.lower().startswith("zh") else Language.en
