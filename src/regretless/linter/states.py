"""Comparing states that the library knows nothing about.

A *picture* is a hashable value taken from a state: equal pictures mean equal states, and a picture taken
twice shows whether the state changed in between.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

__all__ = ["changed", "is_opaque", "picture"]

LEVELS = 6
"""How deep containers are looked into."""


class _Opaque:
    """Stands for an object that shows nothing of itself: equal to nothing but itself."""


@dataclass(frozen=True)
class _Attributes:
    """The picture of an object."""

    kind: Hashable
    values: tuple[tuple[str, Hashable], ...]


def picture(state: Any, levels: int = LEVELS) -> Hashable:
    """What can be seen of a state; the state itself where it is compared by value."""
    kind: Any = type(state)
    if kind.__hash__ is not None and kind.__hash__ is not object.__hash__:
        try:
            hash(state)
        except TypeError:
            pass  # a tuple that holds a list
        else:
            return state  # type: ignore[no-any-return]
    if levels == 0:
        return _Opaque()
    if isinstance(state, list | tuple):
        return (kind, *[picture(item, levels - 1) for item in state])
    if isinstance(state, dict):
        return (kind, *[(picture(k, levels - 1), picture(v, levels - 1)) for k, v in state.items()])
    if isinstance(state, set):
        return (kind, frozenset(state))
    if hasattr(state, "tobytes") and hasattr(state, "shape"):
        return (kind, state.shape, state.tobytes())
    attributes = _attributes(state)
    if not attributes:
        return _Opaque()
    return _Attributes(kind, tuple((name, picture(value, levels - 1)) for name, value in attributes))


def is_opaque(seen: Hashable) -> bool:
    """Whether a picture shows nothing, so that only the game's answers can tell states apart."""
    return isinstance(seen, _Opaque)


def changed(before: Hashable, after: Hashable) -> bool:
    """Whether a state is another than it was; attributes missing or None may be filled, as caches are."""
    if is_opaque(before) or before == after:
        return False
    if isinstance(before, _Attributes) and isinstance(after, _Attributes):
        now = dict(after.values)
        return any(value is not None and name in now and changed(value, now[name]) for name, value in before.values)
    return True


def _attributes(state: Any) -> list[tuple[str, Any]]:
    names = [name for kind in type(state).__mro__ for name in _slots(kind) if hasattr(state, name)]
    return [*((name, getattr(state, name)) for name in names), *getattr(state, "__dict__", {}).items()]


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))
