"""The names of infosets and actions, where their sequences lie, and how both are kept in files."""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError
from regretless.storage import needed

__all__ = ["Labels", "NamesOnDemand", "labels_from_arrays", "labels_to_arrays"]


class NamesOnDemand(Sequence[Hashable]):
    """Names that are worked out when the first of them is asked for: those of a large game take longer than its tree.

    `name` gives the name of an infoset and `check` looks at all of them; neither is called before.
    """

    def __init__(
        self,
        name: Callable[[Any], Hashable],
        infosets: Sequence[Hashable],
        check: Callable[[tuple[Hashable, ...]], None],
    ) -> None:
        self._name, self._infosets, self._check = name, infosets, check

    @cached_property
    def _names(self) -> tuple[Hashable, ...]:
        names = tuple(map(self._name, self._infosets))
        self._check(names)
        return names

    def __len__(self) -> int:
        return len(self._infosets)

    @overload
    def __getitem__(self, index: int) -> Hashable: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hashable, ...]: ...
    def __getitem__(self, index: int | slice) -> Hashable:
        return self._names[index]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._names)


@dataclass(frozen=True)
class Labels:
    """The names of infosets and actions, and where their sequences lie: all that a `Strategy` needs of a game."""

    players: int
    names: Sequence[Hashable]  # [I] infoset label, players in turn, in the order of the tree's blocks
    actions: tuple[tuple[Hashable, ...], ...]  # [I] action labels
    owner: npt.NDArray[np.int32]  # [I] the player who decides there
    first: npt.NDArray[np.int32]  # [I] sequence of action 0
    stride: npt.NDArray[np.int32]  # [I] step from action to action
    reading_order: npt.NDArray[np.int32]  # [I] infosets as a reader of the game meets them
    sequences: int

    def sequences_of(self, infoset: int) -> slice:
        """Where the actions of an infoset lie among the sequences."""
        first, stride = int(self.first[infoset]), int(self.stride[infoset])
        return slice(first, first + stride * (len(self.actions[infoset]) - 1) + 1, stride)

    @cached_property
    def by_player(self) -> dict[tuple[int, Hashable], int]:
        """Infoset number by (player, label)."""
        return {(int(p), name): i for i, (p, name) in enumerate(zip(self.owner, self.names, strict=True))}

    @cached_property
    def by_name(self) -> dict[Hashable, int]:
        """Infoset number by label alone; −1 where two players share it."""
        found: dict[Hashable, int] = {}
        for infoset, name in enumerate(self.names):
            found[name] = -1 if name in found else infoset
        return found

    @cached_property
    def infoset_of_sequence(self) -> npt.NDArray[np.int64]:
        """[S] the infoset at which a sequence ends; −1 for the empty ones."""
        owner = np.full(self.sequences, -1, np.int64)
        counts = np.array([len(a) for a in self.actions], np.int64)
        for action in range(int(counts.max(initial=0))):
            offered = np.flatnonzero(counts > action)
            owner[self.first[offered] + action * self.stride[offered]] = offered
        return owner

    @cached_property
    def player_of_sequence(self) -> npt.NDArray[np.int64]:
        """[S] whose sequence it is."""
        empty = self.infoset_of_sequence < 0
        return np.cumsum(empty) - 1

    @cached_property
    def fingerprint(self) -> str:
        """A short digest of all names: equal for strategies of the same game."""
        digest = hashlib.sha256()
        for infoset in range(len(self.names)):
            words = [self.names[infoset], *self.actions[infoset]]
            digest.update(repr((int(self.owner[infoset]), [_spelled(word) for word in words])).encode())
        return digest.hexdigest()[:16]


def labels_to_arrays(labels: Labels) -> dict[str, npt.NDArray[Any]]:
    """Labels as arrays for a file; names as one JSON text."""
    actions = sorted(set(labels.actions), key=repr)
    number = {a: i for i, a in enumerate(actions)}
    text = json.dumps(
        {
            "names": [_spelled(n) for n in labels.names],
            "actions": [[_spelled(a) for a in row] for row in actions],
        }
    )
    return {
        "label_text": np.frombuffer(text.encode(), np.uint8),
        "label_actions": np.array([number[a] for a in labels.actions], np.int32),
        "label_owner": labels.owner,
        "label_first": labels.first,
        "label_stride": labels.stride,
        "label_reading_order": labels.reading_order,
        "label_sequences": np.array([labels.sequences], np.int64),
    }


def labels_from_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> Labels:
    """Labels back from a file."""
    try:
        text = json.loads(needed(path, arrays, "label_text").tobytes())
        rows = [tuple(_read(a) for a in row) for row in text["actions"]]
        return Labels(
            players=int(meta["players"]),
            names=tuple(_read(n) for n in text["names"]),
            actions=tuple(rows[i] for i in needed(path, arrays, "label_actions")),
            owner=needed(path, arrays, "label_owner"),
            first=needed(path, arrays, "label_first"),
            stride=needed(path, arrays, "label_stride"),
            reading_order=needed(path, arrays, "label_reading_order"),
            sequences=int(needed(path, arrays, "label_sequences")[0]),
        )
    except (KeyError, IndexError, TypeError, ValueError, SyntaxError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{os.fspath(path)}: the table of labels is damaged") from None


def _spelled(label: Any) -> list[str]:
    """A label as text: as itself, as a Python literal, or, for any other object, as what it prints."""
    if isinstance(label, str):
        return ["text", label]
    text = _literal(label)
    try:
        if _frozen(ast.literal_eval(text)) == label:
            return ["literal", text]
    except (TypeError, ValueError, SyntaxError):
        pass
    return ["text", str(label)]


def _literal(label: Any) -> str:
    """Python source for plain values and tuples of them; frozen sets as sets in a fixed order."""
    if isinstance(label, tuple):
        return "(" + "".join(f"{_literal(part)}, " for part in label) + ")"
    if isinstance(label, frozenset):
        return "{" + ", ".join(sorted(map(_literal, label))) + "}" if label else "set()"
    return repr(label.item() if isinstance(label, np.generic) else label)


def _frozen(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_frozen(part) for part in value)
    return frozenset(value) if isinstance(value, set) else value


def _read(spelled: list[str]) -> Hashable:
    kind, text = spelled
    label: Hashable = text if kind == "text" else _frozen(ast.literal_eval(text))
    return label
