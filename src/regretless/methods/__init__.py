"""Solution methods: a name, a few numbers, and a learner that puts them to work on a tree."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from regretless.errors import FileError, OptionError, suggest
from regretless.methods.cfr import CFRLearner
from regretless.methods.cfr_br import CFRBR
from regretless.methods.deep import NFSP, SD_CFR, DeepCFR
from regretless.methods.epsilon_cfr import EpsilonCFR
from regretless.methods.fictitious import XFP, FictitiousPlay
from regretless.methods.fsicfr import FSICFR
from regretless.methods.learner import Learner, Settings
from regretless.methods.mccfr import MCCFR
from regretless.methods.regret_matching import RegretMatching
from regretless.tree import Tree
from regretless.variants import VARIANTS, Discounted, Polynomial, Ramp, Variant

__all__ = [
    "METHODS",
    "Learner",
    "Method",
    "Settings",
    "learner_for",
    "method_by_name",
    "method_from_json",
    "method_to_json",
]


@runtime_checkable
class Method(Protocol):
    """Anything `rg.solve` takes as its second argument, apart from a `Variant`."""

    @property
    def name(self) -> str:
        """As plots and tables call it."""

    def learner(self, tree: Tree, settings: Settings) -> Learner:
        """The method at work on a tree."""


METHODS: dict[str, Variant | Method] = {
    **VARIANTS,
    "cfr-br": CFRBR(),
    "fictitious-play": FictitiousPlay(),
    "xfp": XFP,
    "regret-matching": RegretMatching(),
    "mccfr": MCCFR(),
    "fsicfr": FSICFR(),
    "deep-cfr": DeepCFR(),
    "sd-cfr": SD_CFR,
    "nfsp": NFSP(),
}
"""Every method by the name that the command line knows it under."""

STORED: dict[str, type] = {
    c.__name__: c
    for c in (
        Variant,
        Discounted,
        Polynomial,
        Ramp,
        CFRBR,
        EpsilonCFR,
        FictitiousPlay,
        RegretMatching,
        MCCFR,
        FSICFR,
        DeepCFR,
        NFSP,
    )
}
"""The classes that may occur in the description of a method in a file."""


def learner_for(method: Variant | Method, tree: Tree, settings: Settings) -> Learner:
    """Put a method to work."""
    if isinstance(method, Variant):
        own: Learner | None = tree.learner(method, settings) if hasattr(tree, "learner") else None
        return own or CFRLearner(tree, method, settings)
    if hasattr(tree, "learner") and not isinstance(method, DeepCFR):
        raise OptionError(f"{method.name} does not work on public trees; take a variant of CFR such as rg.CFR_PLUS")
    if isinstance(method, Method) and not isinstance(method, type):
        return method.learner(tree, settings)
    raise OptionError(f"the second argument of solve is a method such as rg.CFR_PLUS, got {method!r}")


def method_by_name(text: str) -> Variant | Method:
    """The method of a name like `cfr+`, with changes after a colon: `cfr+:delay=100`, `hs-dcfr:horizon=5000`."""
    name, _, changes = text.strip().partition(":")
    key = name.strip().lower().replace("_", "-")
    key = {"linear-cfr": "linear", "lcfr": "linear", "cfr-plus": "cfr+", "fp": "fictitious-play"}.get(key, key)
    if key not in METHODS:
        raise OptionError(f"unknown algorithm {name!r}; {suggest(key, METHODS)}")
    method = METHODS[key]
    for change in filter(None, changes.split(",")):
        method = _changed(method, text, change)
    return method


def _changed(method: Variant | Method, text: str, change: str) -> Variant | Method:
    field, equals, value = (part.strip() for part in change.partition("="))
    if isinstance(method, MCCFR):
        return method.replace(**_setting("mccfr", MCCFR_SETTINGS, text, field, value))
    if isinstance(method, FSICFR):
        return method.replace(**_setting("fsicfr", FSICFR_SETTINGS, text, field, value))
    if isinstance(method, DeepCFR | NFSP):
        name = "nfsp" if isinstance(method, NFSP) else "deep-cfr"
        return method.replace(**_setting(name, deep_settings(method), text, field, value))
    if not isinstance(method, Variant) or field not in ("delay", "alternating", "horizon") or not equals:
        raise OptionError(
            f"{text!r}: {change!r} is no setting; variants take delay=N, alternating=yes|no and horizon=N"
        )
    if field == "alternating":
        if value.lower() not in ("yes", "no", "true", "false"):
            raise OptionError(f"{text!r}: alternating is yes or no, got {value!r}")
        return method.replace(alternating=value.lower() in ("yes", "true"))
    if not value.removeprefix("-").isdigit():
        raise OptionError(f"{text!r}: {field} is a number of iterations, got {value!r}")
    return method.with_horizon(int(value)) if field == "horizon" else method.replace(delay=int(value))


def _setting(name: str, kinds: dict[str, Callable[[str], Any]], text: str, field: str, value: str) -> dict[str, Any]:
    """One setting of a method as the command line spells it, by its field."""
    if field not in kinds:
        raise OptionError(f"{text!r}: {name} has no setting {field!r}; it has {', '.join(kinds)}")
    try:
        return {field: kinds[field](value)}
    except OptionError:
        raise
    except (ValueError, KeyError):
        kind = {"traversals": "a whole number", "memory": "a number of bytes", "widths": "of the form 64x64"}
        kind |= {"boards": "a whole number or all"}
        kind |= dict.fromkeys(YES_OR_NO, "yes or no")
        raise OptionError(f"{text!r}: {field} is {kind.get(field, 'a number')}, got {value!r}") from None


YES_OR_NO = ("linear", "listed", "merge", "scaled", "strength")


def _yes_or_no(word: str) -> bool:
    return {"yes": True, "no": False}[word]


def _unless_none(word: str) -> str | None:
    return None if word == "none" else word


def _variant(name: str) -> Variant:
    found = method_by_name(name)
    if not isinstance(found, Variant):
        raise OptionError(f"variant is a variant of CFR such as linear or dcfr, got {name!r}")
    return found


MCCFR_SETTINGS: dict[str, Callable[[str], Any]] = {
    "sampling": str,
    "variant": _variant,
    "baseline": _unless_none,
    "epsilon": float,
    "beta": float,
    "tau": float,
    "prune": float,
    "traversals": int,
    "memory": int,
    "listed": _yes_or_no,
}

FSICFR_SETTINGS: dict[str, Callable[[str], Any]] = {
    "chance": str,
    "variant": _variant,
    "reset": lambda word: int(word) if word.isdigit() else float(word),
    "merge": _yes_or_no,
    "listed": _yes_or_no,
}


def deep_settings(method: DeepCFR | NFSP) -> dict[str, Callable[[str], Any]]:
    """How the command line spells the settings of a deep method: as their kinds say; widths are 64x64x64."""
    kinds: dict[type, Callable[[str], Any]] = {
        bool: _yes_or_no,
        int: int,
        float: float,
        str: str,
        type(None): _unless_none,
        tuple: lambda word: tuple(int(width) for width in word.split("x")),
    }
    made = {field.name: kinds[type(getattr(method, field.name))] for field in dataclasses.fields(method)}
    boards = {"boards": lambda word: word if word == "all" else int(word)} if "boards" in made else {}
    return made | {"listed": _yes_or_no} | boards


def method_to_json(method: Any) -> Any:
    """A method as JSON: its class and its fields."""
    if dataclasses.is_dataclass(method) and not isinstance(method, type):
        fields = {f.name: method_to_json(getattr(method, f.name)) for f in dataclasses.fields(method)}
        return {"class": type(method).__name__, **fields}
    return method


def method_from_json(description: Any) -> Any:
    """A method back from JSON; only the classes in `STORED` are made."""
    if not isinstance(description, dict):
        return description
    fields = {k: method_from_json(v) for k, v in description.items() if k != "class"}
    kind = description.get("class")
    if kind not in STORED:
        raise FileError(f"the file names a method {kind!r} that this version does not know")
    try:
        return STORED[kind](**fields)
    except TypeError:
        raise FileError(f"the file's description of {kind} is damaged or from a later version") from None
