"""The parameters of a game and the settings of a method as fields of a form: default, limits and meaning."""

from __future__ import annotations

import ast
import inspect
import textwrap
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from regretless.apps.views.game_parameters import GAME_PARAMETERS

__all__ = ["SettingField", "game_fields", "method_fields", "spec_from_fields"]


@dataclass(frozen=True)
class SettingField:
    """One parameter or setting."""

    name: str
    default: str
    """As a user writes it; "none" where nothing is given."""
    meaning: str = ""
    limits: str = ""
    choices: tuple[str, ...] = ()
    """All values, where there are few; otherwise empty."""


@lru_cache(maxsize=64)
def game_fields(name: str) -> tuple[SettingField, ...]:
    """The parameters of a ready-made game; none for a game that is not known."""
    from regretless.apps.commands.catalogue import parameters
    from regretless.lookup.games import game_names

    kind = game_names().get(name)
    known = GAME_PARAMETERS.get(name, {})
    if name == "hunl":  # sizes and blinds are no plain words
        from regretless.apps.views.holdem_fields import HUNL_DEFAULTS

        return tuple(SettingField(field, HUNL_DEFAULTS[field], *texts) for field, texts in known.items())
    found = []
    for parameter, default in parameters(kind).items() if isinstance(kind, type) else ():
        if name in GAME_PARAMETERS and parameter not in known:
            continue  # it does not fit into a field
        meaning, limits = known.get(parameter, ("", ""))
        choices = ("true", "false") if default in ("true", "false") else ()
        found.append(SettingField(parameter, default or "", meaning, limits, choices))
    return tuple(found)


@lru_cache(maxsize=64)
def method_fields(name: str) -> tuple[SettingField, ...]:
    """The settings of a method that can be written as text; none for a method that is not known."""
    from regretless.errors import OptionError
    from regretless.lookup.methods import method_by_name
    from regretless.methods.text_settings import WORDS, setting_parsers

    try:
        method = method_by_name(name.partition(":")[0])
    except OptionError:
        return ()
    meanings, hints = attribute_texts(type(method)), getattr(method, "text_hints", {})
    found = []
    for setting in setting_parsers(method):
        value = getattr(method, setting, None)
        meaning = meanings.get(setting, "").replace("`", "").replace("; see the table above", "")
        limits = hints.get(setting) or WORDS.get(type(value), "")
        found.append(SettingField(setting, _written(value), meaning, limits, _choices(type(method), setting, value)))
    return tuple(found)


def _written(value: Any) -> str:
    """The default of a setting as a user writes it."""
    from regretless.variants import VARIANTS, Polynomial, Variant

    if isinstance(value, Variant):
        return next((name for name, variant in VARIANTS.items() if variant == value), value.name)
    if isinstance(value, Polynomial):
        return f"{value.power:g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _choices(kind: type, setting: str, value: Any) -> tuple[str, ...]:
    """All values of a switch, of a list of words, and of a variant."""
    from regretless.variants import VARIANTS, Variant

    if isinstance(value, bool):
        return ("yes", "no")
    if isinstance(value, Variant):
        return tuple(VARIANTS)
    try:
        hint = get_type_hints(kind).get(setting)
    except (NameError, TypeError):
        return ()
    words = [word for part in _parts(hint) if get_origin(part) is Literal for word in get_args(part)]
    return tuple(map(str, words)) if words and isinstance(value, str) and value in words else ()


def _parts(hint: Any) -> Sequence[Any]:
    return get_args(hint) if get_origin(hint) is Union or type(hint).__name__ == "UnionType" else (hint,)


PARSING = threading.Lock()
"""Python 3.11 loses count of recursion where two threads parse at once."""


@lru_cache(maxsize=64)
def attribute_texts(kind: type) -> dict[str, str]:
    """The first sentence of the documentation of each attribute of a class and of its bases."""
    found: dict[str, str] = {}
    for part in reversed(kind.__mro__):
        try:
            with PARSING:
                body = ast.parse(textwrap.dedent(inspect.getsource(part))).body[0]
        except (OSError, TypeError, SyntaxError):
            continue
        lines = body.body if isinstance(body, ast.ClassDef) else []
        for line, after in pairwise(lines):
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and isinstance(after, ast.Expr):
                text = after.value.value if isinstance(after.value, ast.Constant) else ""
                if isinstance(text, str) and text:
                    found[line.target.id] = " ".join(text.split()).partition(". ")[0].rstrip(".")
    return found


def spec_from_fields(name: str, fields: Sequence[SettingField], text_of: Callable[[str], str]) -> str:
    """The name of a game or method with the parameters that differ from their defaults.

    >>> given = {"ranks": "5", "suits": "2"}
    >>> spec_from_fields("leduc", game_fields("leduc"), lambda field: given.get(field, ""))
    'leduc:ranks=5'
    """
    if name == "hunl":
        from regretless.apps.views.holdem_fields import hunl_spec

        return hunl_spec(text_of)
    given = [(field, text_of(field.name).strip()) for field in fields]
    changed = [f"{field.name}={text}" for field, text in given if text not in ("", field.default)]
    return f"{name}:{','.join(changed)}" if changed else name
