"""Parameters in writing: `ranks=5,suits=2` read into a game's constructor, and written back."""

from __future__ import annotations

import ast
import inspect
import re
import types
import typing
from typing import Any

from regretless.errors import OptionError, RegretlessError
from regretless.game import Game, shortened
from regretless.games.not_offered import why_not

__all__ = ["HOLDEM_WORDS", "construct", "parameter_in", "why_no_holdem", "written"]

HOLDEM = ("hunl", "hulh", "fhp")
"""Names of games that `not_offered` is about."""

HOLDEM_WORDS = ("holdem", "hold'em", "texas", "texas_holdem", "nlhe", "nlh", "lhe", "poker")
"""Words for hold'em that name none of its games."""


def why_no_holdem(word: str, text: str) -> str:
    """What is wrong with a word for hold'em and its parameters in writing: what is not offered, or the right names."""
    keys = [key for key, _ in map(_key_and_value, _parts(text, word)) if key]
    sentence = next(filter(None, map(why_not, keys)), None)
    return sentence or f"there is no game named {word!r}: hold'em is hunl (no-limit), hulh (limit) or fhp (flop)"


def construct(kind: type[Game], name: str, text: str) -> Game:
    """Make the game; an OptionError names a parameter that is missing, unknown or invalid."""
    signature = inspect.signature(kind)
    known = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    right = ", ".join(
        parameter.name if parameter.default is parameter.empty else f"{parameter.name}={parameter.default!r}"
        for parameter in known
    )
    right = f"its parameters are {right}" if right else "it has no parameters"
    try:
        hints = typing.get_type_hints(kind.__init__)
    except (NameError, TypeError):
        hints = {}
    positional = [parameter.name for parameter in known if parameter.default is parameter.empty]
    given: dict[str, Any] = {}
    for part in _parts(text, name):
        key, value = _key_and_value(part)
        if not key:
            if not positional:
                raise OptionError(f"{name}: {shortened(part)} is not of the form key=value; {right}")
            key = positional[0]
        if key not in signature.parameters:
            raise OptionError(
                (why_not(key) if name in HOLDEM else None) or f"{name} has no parameter {shortened(key)}; {right}"
            )
        if key in given:
            raise OptionError(f"{name}: parameter {shortened(key)} is given twice")
        if key in positional:
            positional.remove(key)
        given[key] = _value(name, key, value, hints.get(key, Any))
    if positional:
        raise OptionError(f"{name} needs {' and '.join(positional)}: write {name}:{positional[0]}=…")
    try:
        return kind(**given)
    except RegretlessError:
        raise
    except Exception as error:
        raise OptionError(f"{name} cannot be made: {type(error).__name__}: {error}") from error


def parameter_in(spec: str, key: str) -> str | None:
    """The text of a parameter in the name of a game, without quotes; None if the name does not have it.

    >>> parameter_in("hunl:abstraction='a, b.abs',stack=1000", "abstraction")
    'a, b.abs'
    """
    try:
        given = dict(map(_key_and_value, _parts(spec.partition(":")[2], spec)))
    except OptionError:
        return None
    return str(_value(spec, key, given[key], str)) if key in given else None


def _parts(text: str, name: str) -> list[str]:
    """Split at the commas that stand outside brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
            if letter == "," and depth == 0:
                parts.append("")
                continue
        parts[-1] += letter
    if depth or quote:
        raise OptionError(f"{name}: brackets or quotes do not close in {shortened(text)}")
    parts = [part.strip() for part in parts]
    if parts == [""]:
        return []
    if "" in parts:
        raise OptionError(f"{name}: nothing stands between two commas in {shortened(text)}")
    return parts


def _key_and_value(part: str) -> tuple[str, str]:
    match = re.match(r"(\w+)\s*=\s*(.*)", part, re.DOTALL)
    return (match[1], match[2]) if match else ("", part)


def _value(name: str, key: str, text: str, hint: Any) -> Any:
    """Read a value as the parameter's type; it stays text only where the parameter may be text."""
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    options = typing.get_args(hint) if union else (hint,)
    value: Any = text
    if text.lower() in ("none", "true", "false"):
        value = {"none": None, "true": True, "false": False}[text.lower()]
    elif re.fullmatch(r"\d{1,18}(x\d{1,18})+", text):
        value = tuple(int(number) for number in text.split("x"))  # of at most 18 digits each
    else:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = text
    for candidate in (value, tuple(value) if isinstance(value, list) else value):
        if any(_fits(candidate, option) for option in options):
            return candidate
    if str in options:
        return text
    wanted = " or ".join(_in_words(option) for option in options)
    raise OptionError(f"{name} needs {wanted} as {key}, got {key}={text if len(text) <= 80 else text[:79] + '…'}")


def _fits(value: Any, hint: Any) -> bool:
    if hint is Any or hint is object:
        return True
    kind = typing.get_origin(hint) or hint
    if kind in (type(None), None):
        return value is None
    if not isinstance(kind, type):
        return True
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _in_words(hint: Any) -> str:
    kind = typing.get_origin(hint) or hint
    words = {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        str: "a word",
        tuple: "numbers like 2x1",
        type(None): "none",
    }
    return words.get(kind, getattr(kind, "__name__", str(kind)))


def written(value: Any) -> str:
    """A value as `by_name` reads it: words without quotes, tuples of whole numbers as 2x1, the rest as Python."""
    if isinstance(value, str):
        return value if re.fullmatch(r"[A-Za-z_]\w*(\(.*\))?", value) else repr(value)
    if isinstance(value, tuple) and len(value) > 1 and all(type(part) is int and part >= 0 for part in value):
        return "x".join(map(str, value))
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return repr(value).replace(" ", "") if not _has_text(value) else repr(value)


def _has_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and any(_has_text(part) for part in value))
