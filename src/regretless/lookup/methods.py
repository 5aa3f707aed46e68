"""Methods by name, with settings as text, and as JSON in files."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple, cast

from regretless.errors import FileError, OptionError, RegretlessError, suggest
from regretless.lookup.field_types import misfit
from regretless.lookup.plugins import all_plugins, plugin, plugin_names
from regretless.method import Method
from regretless.methods.checks import function_name
from regretless.methods.text_settings import configured
from regretless.variants import VARIANTS, Discounted, Polynomial, Ramp, Variant

__all__ = [
    "METHODS",
    "all_methods",
    "check_storable",
    "method_by_name",
    "method_from_json",
    "method_to_json",
    "stored_method",
    "with_defaults",
]

GROUP = "regretless.methods"


class _Home(NamedTuple):
    """Where a method that is loaded when needed is found."""

    module: str
    name: str  # of a class, or of a method that is ready-made
    settings: tuple[str, ...] = ()

    def kind(self) -> type:
        """The class of the method."""
        found = getattr(import_module(f"regretless.{self.module}"), self.name)
        return found if isinstance(found, type) else type(found)

    def make(self) -> Method:
        """The method with its usual settings."""
        found = getattr(import_module(f"regretless.{self.module}"), self.name)
        return cast(Method, found(*self.settings) if isinstance(found, type) else found)


class _Methods(Mapping[str, Method]):
    """Every method by the name that the command line knows it under; all but variants are loaded when needed."""

    def __init__(self, ready: Mapping[str, Method], homes: Mapping[str, _Home]) -> None:
        self._ready, self._homes = dict(ready), homes

    def __getitem__(self, name: str) -> Method:
        if name not in self._ready:  # two threads may both make it: the methods are equal
            self._ready[name] = self._homes[name].make()
        return self._ready[name]

    def __iter__(self) -> Iterator[str]:
        return iter(ORDER)

    def __len__(self) -> int:
        return len(ORDER)


_LAZY = {
    "cfr-br": _Home("methods.cfr_br", "CFRBR"),
    "fictitious-play": _Home("methods.fictitious", "FictitiousPlay"),
    "xfp": _Home("methods.fictitious", "XFP"),
    "regret-matching": _Home("methods.regret_matching", "RegretMatching"),
    "efce": _Home("methods.trigger_regret", "TriggerRegret", ("efce",)),
    "efcce": _Home("methods.trigger_regret", "TriggerRegret", ("efcce",)),
    "nfcce": _Home("methods.trigger_regret", "TriggerRegret", ("nfcce",)),
    "polished-cfr": _Home("methods.polished.polished_cfr", "PolishedCFR"),
    "omd": _Home("methods.first_order.omd", "OMD"),
    "egt": _Home("methods.first_order.egt", "EGT"),
    "mmd": _Home("methods.first_order.mmd", "MMD"),
    "double-oracle": _Home("methods.double_oracle.double_oracle", "DoubleOracle"),
    "xdo": _Home("methods.double_oracle.xdo", "XDO"),
    "mccfr": _Home("sampling.mccfr", "MCCFR"),
    "fsicfr": _Home("recall.fsicfr", "FSICFR"),
    "deep-cfr": _Home("deep.methods", "DeepCFR"),
    "sd-cfr": _Home("deep.methods", "SD_CFR"),
    "dream": _Home("deep.model_free_methods", "DREAM"),
    "escher": _Home("deep.model_free_methods", "ESCHER"),
    "nfsp": _Home("deep.methods", "NFSP"),
}
_UNNAMED = (_Home("methods.epsilon_cfr", "EpsilonCFR"),)
"""Methods that need settings, so that they have no name at the command line."""

ORDER = (*VARIANTS, *_LAZY)
METHODS: Mapping[str, Method] = _Methods(VARIANTS, _LAZY)

_ALIASES = {"linear-cfr": "linear", "lcfr": "linear", "cfr-plus": "cfr+", "fp": "fictitious-play"}

_PLAIN: dict[str, type] = {kind.__name__: kind for kind in (Variant, Discounted, Polynomial, Ramp)}


def _stored(name: str) -> type | None:
    """The class of a name that may occur in the description of a method in a file."""
    if name in _PLAIN:
        return _PLAIN[name]
    for home in (*_UNNAMED, *_LAZY.values()):
        if home.name == name:
            return home.kind()
    for added in all_plugins(GROUP).values():
        kind = added if isinstance(added, type) else type(added)
        if kind.__name__ == name:
            return kind
    return None


def all_methods() -> dict[str, Method]:
    """Every method by its name, ours and those of installed packages."""
    added = {name: found() if isinstance(found, type) else found for name, found in all_plugins(GROUP).items()}
    return {**METHODS, **added}


def method_by_name(text: str) -> Method:
    """The method of a name like `cfr+`, with settings after a colon: `cfr+:delay=100`, `mccfr:sampling=outcome`.

    Installed packages add names through the entry points `regretless.methods`.
    """
    name, _, settings = text.strip().partition(":")
    key = name.strip().lower().replace("_", "-")
    key = _ALIASES.get(key, key)
    if key in METHODS:
        method = METHODS[key]
    else:
        added = plugin(GROUP, key) or plugin(GROUP, name.strip())
        if added is None:
            spelled = key.replace("-plus", "+").replace("plus", "+")
            raise OptionError(f"unknown algorithm {name!r}; {suggest(spelled, [*METHODS, *plugin_names(GROUP)])}")
        method = added() if isinstance(added, type) else added
    for setting in filter(None, settings.split(",")):
        method = configured(method, key, text, setting)
    return method


def method_to_json(method: Any) -> Any:
    """A method as JSON: its class and its fields."""
    if dataclasses.is_dataclass(method) and not isinstance(method, type):
        values = {f.name: getattr(method, f.metadata.get("stored_as", f.name)) for f in dataclasses.fields(method)}
        optional = {f.name for f in dataclasses.fields(method) if "stored_as" in f.metadata}
        fields = {
            name: method_to_json(value) for name, value in values.items() if value is not None or name not in optional
        }
        return {"class": type(method).__name__, **fields}
    name = function_name(method)
    return method if name is None else {FUNCTION: name}


def with_defaults(description: Mapping[str, Any], method: Any) -> dict[str, Any]:
    """A method's description from a file, with the defaults of settings that did not exist when it was written."""
    fields = dataclasses.fields(method) if dataclasses.is_dataclass(method) else ()
    known = [f for f in fields if f.default is not dataclasses.MISSING and "stored_as" not in f.metadata]
    plain = {f.name: method_to_json(f.default) for f in known}
    return {**json.loads(json.dumps(plain)), **description}


FUNCTION = "function"
"""The key of a class or function of the user, which a file names and cannot hold."""


def stored_method(description: Any) -> Method:
    """The method that a run's file describes; FileError where it describes something else."""
    found = method_from_json(description)
    if not isinstance(found, Method):
        raise FileError(f"the file describes a {type(found).__name__} where a method should be")
    return found


def method_from_json(description: Any) -> Any:
    """A method back from JSON; only classes that are known by name are made."""
    if not isinstance(description, dict):
        return description
    if set(description) == {FUNCTION}:
        raise FileError(
            f"the run's method uses {str(description[FUNCTION])[:200]}, a class or function that a file cannot hold: "
            "pass the method itself, method=…"
        )
    fields = {k: method_from_json(v) for k, v in description.items() if k != "class"}
    name = description.get("class")
    kind = _stored(name) if isinstance(name, str) else None
    if kind is None:
        raise FileError(
            f"the file names a method {str(name)[:80]!r} that is not known here: pass the method itself, method=…, or "
            "install the package that offers it"
        )
    try:
        found = kind(**fields)
    except RegretlessError as error:
        raise FileError(f"the file's description of {name} is damaged: {str(error)[:400]}") from None
    except (TypeError, ValueError, OverflowError):
        raise FileError(f"the file's description of {name} is damaged or from a later version") from None
    wrong = misfit(found)
    if wrong:
        raise FileError(f"the file's description of {name} is damaged: {wrong!r} cannot be that")
    return found


def check_storable(method: Any) -> None:
    """Refuse a method whose settings a file cannot hold, before hours are spent on a run."""
    plain = (str, int, float, bool, type(None))

    def check(part: Any, where: str) -> None:
        if dataclasses.is_dataclass(part) and not isinstance(part, type):
            for field in dataclasses.fields(part):
                check(getattr(part, field.name), f"{where}.{field.name}")
        elif isinstance(part, list | tuple):
            for item in part:
                check(item, where)
        elif not isinstance(part, plain) and function_name(part) is None:
            raise OptionError(
                f"{where} is {part!r} of type {type(part).__name__}, which a run's file cannot hold: make the method a "
                "dataclass of numbers, texts and dataclasses of these, or solve without checkpoint="
            )

    if not dataclasses.is_dataclass(method):
        raise OptionError(
            f"{type(method).__name__} is no dataclass, so a run's file cannot hold its settings: write @dataclass("
            "frozen=True) above it, or solve without checkpoint="
        )
    check(method, type(method).__name__)
