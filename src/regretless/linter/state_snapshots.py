"""Comparing states that the library knows nothing about.

A *picture* tells states apart: it is a hashable value, and equal pictures mean equal states. A *snapshot* tells whether
one state has changed: it looks into every object down to its plain values, also into objects that define their own
equality. Neither can see into objects of compiled extensions; of those only the identity is known.
"""

from __future__ import annotations

import pickle
from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any

from regretless.game import Game

__all__ = ["changed", "is_opaque", "picture", "snapshot"]

LEVELS = 6
"""How deep containers are looked into; what lies deeper is pickled."""

PLAIN = frozenset({int, bool, float, complex, str, bytes, type(None), range})
"""Types whose values cannot change."""

IDENTITIES = (Enum, Game, ModuleType, type)
"""Objects that are not part of a state, though states may refer to them; a game may keep a cache."""


class _Opaque:
    """Stands for an object that shows nothing of itself: equal only to what stands for the same object."""

    def __init__(self, hidden: Any) -> None:
        self.hidden = hidden

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Opaque) and self.hidden is other.hidden

    def __hash__(self) -> int:
        return id(self.hidden)


@dataclass(frozen=True)
class _Attributes:
    """What is seen of an object with attributes."""

    kind: Hashable
    values: tuple[tuple[str, Hashable], ...]


def picture(state: Any, levels: int = LEVELS) -> Hashable:
    """What tells a state apart from others; the state itself where it is compared by value."""
    kind: Any = type(state)
    if kind.__hash__ is not None and kind.__hash__ is not object.__hash__:
        try:
            hash(state)
        except TypeError:
            pass  # a tuple that holds a list
        else:
            return state  # type: ignore[no-any-return]
    return _seen(state, levels, picture)


def snapshot(state: Any, levels: int = LEVELS) -> Hashable:
    """All that can be seen of a state now, to be compared with a snapshot taken later by `changed`."""
    if type(state) in PLAIN:
        return state  # type: ignore[no-any-return]
    if type(state) is tuple and all(type(item) in PLAIN for item in state):
        return state
    return _seen(state, levels, snapshot)


def _seen(state: Any, levels: int, look: Any) -> Hashable:
    """Containers item by item, arrays by their bytes, objects by their attributes."""
    if levels == 0:
        return _pickled(state)
    kind: Any = type(state)
    if isinstance(state, IDENTITIES) or callable(state):
        return _Opaque(state)
    if isinstance(state, list | tuple):
        return (kind, *[look(item, levels - 1) for item in state])
    if isinstance(state, dict):
        return (kind, *[(look(k, levels - 1), look(v, levels - 1)) for k, v in state.items()])
    if isinstance(state, set | frozenset):
        return (kind, frozenset(state))
    if hasattr(state, "tobytes") and hasattr(state, "shape"):
        return (kind, state.shape, state.tobytes())
    attributes = _attributes(state)
    if not attributes:
        return _Opaque(state)
    return _Attributes(kind, tuple((name, look(value, levels - 1)) for name, value in attributes))


def _pickled(state: Any) -> Hashable:
    try:
        return pickle.dumps(state)
    except Exception:  # what an object's own methods may raise
        return _Opaque(state)


def is_opaque(seen: Hashable) -> bool:
    """Whether a picture shows nothing, so that only the game's answers can tell states apart."""
    return isinstance(seen, _Opaque)


def changed(before: Hashable, after: Hashable) -> bool:
    """Whether a state is another than it was; attributes missing or None may be filled, as caches are."""
    if before == after:
        return False
    if isinstance(before, _Attributes) and isinstance(after, _Attributes):
        now = dict(after.values)
        return any(value is not None and name in now and changed(value, now[name]) for name, value in before.values)
    if isinstance(before, tuple) and isinstance(after, tuple) and len(before) == len(after):
        return any(changed(one, other) for one, other in zip(before, after, strict=True))
    return True


def _attributes(state: Any) -> list[tuple[str, Any]]:
    names = [name for kind in type(state).__mro__ for name in _slots(kind) if hasattr(state, name)]
    return [*((name, getattr(state, name)) for name in names), *getattr(state, "__dict__", {}).items()]


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))
