"""Whether the fields of a method that was read from a file have the types that its class declares."""

from __future__ import annotations

import dataclasses
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

__all__ = ["misfit"]

LONGEST_TEXT = 1_000
LONGEST_LIST = 1_000
LARGEST = 1 << 63


def misfit(found: Any) -> str:
    """The first field of a dataclass whose value is not of its declared type; empty where all fit.

    >>> from regretless.variants import CFR_PLUS
    >>> misfit(CFR_PLUS), misfit(CFR_PLUS.replace(alternating=[1]))
    ('', 'alternating')
    """
    try:
        hints = get_type_hints(type(found))
    except (NameError, TypeError):  # a type that only the type checker knows
        return ""
    for field in dataclasses.fields(found):
        if not _fits(getattr(found, field.name), hints.get(field.name, Any)):
            return field.name
    return ""


def _fits(value: Any, hint: Any) -> bool:
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, str | int | NoneType) and value in parts
    if origin is not None:  # a list or tuple of something
        known = [part for part in parts if part is not Ellipsis] or [Any]
        listed = isinstance(value, list | tuple) and len(value) <= LONGEST_LIST
        return listed and all(any(_fits(item, part) for part in known) for item in value)
    if isinstance(hint, type) and hasattr(hint, "__get__"):  # a descriptor: the value is what it stores, a name
        return value is None or _fits(value, str)
    if hint is bool:
        return isinstance(value, bool | int) and value in (0, 1)
    if hint is float:
        return isinstance(value, float) or (isinstance(value, int) and abs(value) < LARGEST)
    if hint is int:  # also 10.0, which a user may have given
        return isinstance(value, int | float) and abs(value) < LARGEST and value == int(value)
    if hint is str:
        return isinstance(value, str) and len(value) <= LONGEST_TEXT
    return _is(value, hint)


def _is(value: Any, hint: Any) -> bool:
    try:
        return isinstance(value, hint)
    except TypeError:  # a protocol that is not checked at run time
        return not isinstance(value, str | int | float | list | dict)
