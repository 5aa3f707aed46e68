"""Settings of methods as the command line spells them: `mccfr:sampling=outcome,traversals=64`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from regretless.errors import OptionError
from regretless.method import Method, switch

__all__ = ["WORDS", "Parser", "configured", "setting_parsers", "unless_none"]

Parser = Callable[[str], Any]

WORDS = {bool: "yes or no", int: "a whole number", float: "a number", tuple: "of the form 64x64"}
"""What a value is, in words, by the type of a setting's default."""


def unless_none(word: str) -> str | None:
    """A word, or None for "none"."""
    return None if word == "none" else word


_BY_TYPE: dict[type, Parser] = {
    bool: switch,
    int: int,
    float: float,
    str: str,
    type(None): unless_none,
    tuple: lambda word: tuple(int(width) for width in word.split("x")),
}


def configured(method: Method, name: str, text: str, setting: str) -> Method:
    """A method with one setting changed, from `field=value`.

    A method may say how its settings are read, {field: parser}, in a class attribute `text_settings`; parsers raise
    ValueError or KeyError for what they cannot read. Other fields are read by the type of their present value.
    """
    field, equals, value = (part.strip() for part in setting.partition("="))
    parsers = setting_parsers(method)
    if field not in parsers or not equals:
        known = ", ".join(parsers) or "none"
        raise OptionError(f"{text!r}: {setting!r} is no setting of {name}; its settings are {known}")
    try:
        parsed = parsers[field](value)
    except OptionError:
        raise
    except (ValueError, KeyError):
        kind = getattr(method, "text_hints", {}).get(field) or WORDS.get(type(getattr(method, field, "")), "a number")
        raise OptionError(f"{text!r}: {field} is {kind}, got {value!r}") from None
    change = getattr(method, "with_setting", None)
    record: Any = method
    changed: Method = change(field, parsed) if change else dataclasses.replace(record, **{field: parsed})
    return changed


def setting_parsers(method: Method) -> Mapping[str, Parser]:
    """{setting: parser} of the settings that can be written as text."""
    own: Mapping[str, Parser] = getattr(method, "text_settings", {})
    if getattr(method, "only_text_settings", False):
        return own
    record: Any = method
    names = [field.name for field in dataclasses.fields(record)] if dataclasses.is_dataclass(record) else []
    parsers = {name: own.get(name) or _BY_TYPE.get(type(getattr(method, name))) for name in names}
    return {name: parser for name, parser in parsers.items() if parser is not None} | dict(own)
