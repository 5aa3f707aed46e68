"""Labels as text and back: as themselves, as Python literals, or, for any other object, as what they print.

A label becomes a pair [kind, text], where the kind is "text" or "literal". Fingerprints and files depend on every
character of it, so the spelling of a label never changes.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Hashable
from typing import Any

import numpy as np

from regretless.errors import GameError

__all__ = ["label_from_text", "label_text"]

DEEPEST_PLAIN = 20
"""Levels of tuples that are spelled without checking that Python reads them back."""

LONGEST_DECIMAL = 1 << 13
"""Bits of a whole number up to which it is written in decimals; Python refuses to convert very long ones."""

_PLAIN = frozenset({int, bool, str, bytes, type(None)})
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")
_WHOLE_NUMBERS = re.compile(r"\((?:-?[0-9]{1,18}, )*\)")


def label_text(label: Any) -> list[str]:
    """The pair [kind, text] of a label.

    >>> label_text("K"), label_text((1, "a")), label_text(range(3))
    (['text', 'K'], ['literal', "(1, 'a', )"], ['text', 'range(0, 3)'])
    """
    if isinstance(label, str):
        return ["text", label]
    text = _plain_literal(label, DEEPEST_PLAIN)
    if text is not None:
        return ["literal", text]
    try:
        text = _literal(label)
        if _frozen(ast.literal_eval(text)) == label:
            return ["literal", text]
    except (TypeError, ValueError, SyntaxError, MemoryError):
        pass
    except RecursionError:
        raise GameError("a label is nested too deeply to be written; use a string or a flat tuple") from None
    return ["text", str(label)]


def _plain_literal(label: Any, levels: int) -> str | None:
    """Python source of built-in values and tuples of them, which is known to read back as the same; else None."""
    kind = type(label)
    if kind is tuple and levels:
        parts = [repr(part) if type(part) is str else _plain_literal(part, levels - 1) for part in label]
        if None in parts:
            return None
        return "(" + "".join([f"{part}, " for part in parts]) + ")"
    if kind is int:
        return _whole(label)
    if kind in _PLAIN or (kind is float and math.isfinite(label)):
        return repr(label)
    return None


def _literal(label: Any) -> str:
    """Python source for plain values and tuples of them; frozen sets as sets in a fixed order."""
    if isinstance(label, tuple):
        return "(" + "".join(f"{_literal(part)}, " for part in label) + ")"
    if isinstance(label, frozenset):
        return "{" + ", ".join(sorted(map(_literal, label))) + "}" if label else "set()"
    value = label.item() if isinstance(label, np.generic) else label
    return _whole(value) if type(value) is int else repr(value)


def _whole(number: int) -> str:
    return repr(number) if number.bit_length() <= LONGEST_DECIMAL else hex(number)


def _frozen(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_frozen(part) for part in value)
    return frozenset(value) if isinstance(value, set) else value


def label_from_text(pair: Any) -> Hashable:
    """The label of a pair that `label_text` made; ValueError or another Python error if it made no such pair."""
    kind, text = pair
    if not isinstance(text, str) or kind not in ("text", "literal"):
        raise ValueError("a label is a pair of kind and text")
    if kind == "text":
        return text
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if _WHOLE_NUMBERS.fullmatch(text):
        return tuple(map(int, text[1:-3].split(", "))) if text != "()" else ()
    label: Hashable = _frozen(ast.literal_eval(text))
    hash(label)
    return label
