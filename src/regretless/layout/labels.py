"""The names of infosets and actions, where their sequences lie, and how both are kept in files."""

from __future__ import annotations

import hashlib
import json
import operator
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError, GameError
from regretless.game import Game, shortened
from regretless.layout.label_text import label_from_text, label_text
from regretless.storage import needed

__all__ = ["Labels", "NamesOnDemand", "distinct_action_labels", "labels_from_arrays", "labels_to_arrays"]

COLUMNS = ("actions", "owner", "first", "stride", "reading_order")
"""Arrays of a file with one number for each infoset."""

TEXTS_AT_ONCE = 4_096
"""Infosets whose spelled names are hashed together."""


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
    reading_order: npt.NDArray[np.int32]  # [I] infosets in the order of their first visit
    sequences: int

    def sequences_of(self, infoset: int) -> slice:
        """Where the actions of an infoset lie among the sequences."""
        first, stride = int(self.first[infoset]), int(self.stride[infoset])
        return slice(first, first + stride * (len(self.actions[infoset]) - 1) + 1, stride)

    @cached_property
    def widths(self) -> npt.NDArray[np.int64]:
        """[I] how many actions each infoset offers."""
        return np.fromiter(map(len, self.actions), np.int64, len(self.actions))

    @cached_property
    def uniform(self) -> npt.NDArray[np.float64]:
        """[S] one over the number of actions; 1 at empty sequences. Read-only."""
        owner = self.infoset_of_sequence
        shares = np.ones(self.sequences)
        shares[owner >= 0] = 1.0 / self.widths[owner[owner >= 0]]
        shares.flags.writeable = False
        return shares

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
        for action in range(int(self.widths.max(initial=0))):
            offered = np.flatnonzero(self.widths > action)
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
        spelled: dict[int, str] = {}  # rows of actions by identity: a tree has few different ones
        texts: list[str] = []
        for owner, name, actions in zip(self.owner.tolist(), self.names, self.actions, strict=True):
            row = spelled.get(id(actions))
            if row is None:
                row = spelled[id(actions)] = "".join(f", {label_text(action)!r}" for action in actions)
            texts.append(f"({owner}, [{label_text(name)!r}{row}])")
            if len(texts) == TEXTS_AT_ONCE:
                digest.update("".join(texts).encode())
                texts.clear()
        digest.update("".join(texts).encode())
        return digest.hexdigest()[:16]


def distinct_action_labels(game: Game, actions: Sequence[Any]) -> tuple[Hashable, ...]:
    """The labels of some actions of an infoset; two actions with one label could not be told apart in a strategy."""
    labels = tuple([game.action_label(action) for action in actions])
    if len(set(labels)) < len(labels):
        raise GameError(
            f"{type(game).__name__}: action_label gives two actions of an infoset the same name, among "
            f"{shortened(list(labels), 200)}"
        )
    return labels


def labels_to_arrays(labels: Labels) -> dict[str, npt.NDArray[Any]]:
    """Labels as arrays for a file; names as one JSON text."""
    rows = {id(row): row for row in labels.actions}  # by identity: equal rows are mostly one object
    actions = sorted(set(rows.values()), key=repr)
    number = {row: i for i, row in enumerate(actions)}
    number_of = {key: number[row] for key, row in rows.items()}
    text = json.dumps(
        {
            "names": [label_text(name) for name in labels.names],
            "actions": [[label_text(action) for action in row] for row in actions],
        }
    )
    return {
        "label_text": np.frombuffer(text.encode(), np.uint8),
        "label_actions": np.fromiter((number_of[id(row)] for row in labels.actions), np.int32, len(labels.actions)),
        "label_owner": labels.owner,
        "label_first": labels.first,
        "label_stride": labels.stride,
        "label_reading_order": labels.reading_order,
        "label_sequences": np.array([labels.sequences], np.int64),
    }


def labels_from_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> Labels:
    """Labels back from a file; FileError where they do not describe a game."""
    columns = {name: needed(path, arrays, f"label_{name}") for name in ("text", *COLUMNS, "sequences")}
    try:
        text = json.loads(columns["text"].tobytes())
        rows = [tuple(map(label_from_text, row)) for row in text["actions"]]
        names = tuple(map(label_from_text, text["names"]))
        players, sequences = operator.index(meta["players"]), columns["sequences"]
        _check_columns(columns, len(names))
        if min(columns["actions"], default=0) < 0 or sequences.shape != (1,) or sequences.dtype.kind != "i":
            raise ValueError
        labels = Labels(
            players=players,
            names=names,
            actions=tuple(rows[i] for i in columns["actions"].tolist()),
            owner=columns["owner"],
            first=columns["first"],
            stride=columns["stride"],
            reading_order=columns["reading_order"],
            sequences=int(sequences[0]),
        )
        _check_ranges(labels)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, SyntaxError, RecursionError, MemoryError):
        raise FileError(f"{os.fspath(path)}: the table of labels is damaged") from None
    return labels


def _check_columns(columns: Mapping[str, npt.NDArray[Any]], infosets: int) -> None:
    """Every column holds one whole number for each infoset."""
    for name in COLUMNS:
        if columns[name].dtype.kind != "i" or columns[name].shape != (infosets,):
            raise ValueError(name)


def _check_ranges(labels: Labels) -> None:
    """Owners are players or none, the reading order names every infoset once, and sequences lie apart."""
    infosets, widths = len(labels.names), labels.widths
    if labels.players < 1 or labels.sequences != labels.players + int(widths.sum()):
        raise ValueError("sequences")
    if np.any(widths < 1) or np.any(labels.stride < 1) or np.any(labels.first < 0):
        raise ValueError("sequences")
    if np.any(labels.owner < -1) or np.any(labels.owner >= labels.players):
        raise ValueError("owner")
    if not np.array_equal(np.sort(labels.reading_order), np.arange(infosets)):
        raise ValueError("reading order")
    last = labels.first.astype(np.int64) + (widths - 1) * labels.stride.astype(np.int64)
    if np.any(last >= labels.sequences) or np.sum(labels.infoset_of_sequence < 0) != labels.players:
        raise ValueError("sequences")
