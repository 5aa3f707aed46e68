"""What a player knows, as a vector of numbers that a network reads.

A game may say it itself, by a method `features(infoset)` that returns equally many numbers for every infoset; what it
is given is what its `infoset` returned, so nothing hidden can leak. Features may be the same for two infosets: the
network then treats them alike.

Without that method features are read off the infoset's label, which records what its owner has observed. A label is
taken apart into words (tuples at their parts, texts at spaces), and every character is one-hot at its place:

    "Qs rc Jh"   ->   word 0: Q, s    word 1: r, c    word 2: J, h

so that the same place means the same thing in all infosets of most games. These features tell all infosets of a player
apart: where two labels have the same characters, bits are added that number them. Columns that are the same for all
infosets are left out, and a game of several players gets a bit for each of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import GameError
from regretless.game import Game
from regretless.layout.listing import Histories
from regretless.tree import Tree

__all__ = ["has_features", "label_features", "tree_features"]

Array = npt.NDArray[Any]
Bits = npt.NDArray[np.uint8]


def tree_features(tree: Tree) -> Array:
    """[I, F] what the owner of each infoset knows; uint8 for bits, float32 where the game says it in numbers."""
    if has_features(tree.game):
        return stated_features(tree.game, infosets_of(tree))
    return label_features(tree.labels.names, tree.labels.owner, tree.players)


def has_features(game: Game) -> bool:
    """Whether a game says itself how its infosets become features."""
    return callable(getattr(game, "features", None))


def stated_features(game: Any, infosets: Sequence[Hashable]) -> Array:
    """[I, F] float32, as the game's own method states them."""
    rows: list[Array] = []
    for infoset in infosets:
        try:
            row = np.asarray(game.features(infoset), np.float32)
        except (TypeError, ValueError):
            raise GameError(
                f"{type(game).__name__}: features({infoset!r}) returned {game.features(infoset)!r}, not numbers"
            ) from None
        if row.ndim != 1 or len(row) == 0 or not np.all(np.isfinite(row)):
            raise GameError(f"{type(game).__name__}: features({infoset!r}) is no vector of finite numbers: {row}")
        if rows and len(row) != len(rows[0]):
            raise GameError(
                f"{type(game).__name__}: features({infoset!r}) are {len(row)} numbers, and {len(rows[0])} of "
                f"{infosets[0]!r}; every infoset needs equally many"
            )
        rows.append(row)
    return np.stack(rows)


def label_features(names: Sequence[Hashable], owner: Array, players: int) -> Bits:
    """[I, F] the characters of labels, one-hot at their places. names, owner [I]."""
    columns: dict[tuple[int, int, str], int] = {}
    row, column = [], []
    for number, name in enumerate(names):
        for place in _characters(name):
            row.append(number)
            column.append(columns.setdefault(place, len(columns)))
    bits = np.zeros((len(names), len(columns) + players), np.uint8)
    bits[row, column] = 1
    bits[np.arange(len(names)), len(columns) + np.asarray(owner)] = 1
    bits = bits[:, bits.min(axis=0, initial=1) < bits.max(axis=0, initial=0)]
    return np.concatenate([bits, _numbered_twins(bits)], axis=1)


def _characters(label: Hashable) -> Iterator[tuple[int, int, str]]:
    """Where each character of a label stands: word, place in the word, character. A word's end is marked too."""
    for number, word in enumerate(_words(label)):
        for place, character in enumerate(word):
            yield number, place, character
        yield number, len(word), ""


def _words(label: Hashable) -> Iterator[str]:
    if isinstance(label, tuple):
        for part in label:
            yield from _words(part)
    else:
        yield from str(label).split(" ")


def _numbered_twins(bits: Bits) -> Bits:
    """[I, N] the number, among those with equal bits, of every infoset, in binary; usually N is 0."""
    _, kind = np.unique(bits, axis=0, return_inverse=True)
    order = np.argsort(kind, kind="stable")
    first = np.searchsorted(kind[order], kind[order])
    twin = np.empty(len(bits), np.int64)
    twin[order] = np.arange(len(bits)) - first
    digits = int(twin.max(initial=0)).bit_length()
    return (twin[:, None] >> np.arange(digits) & 1).astype(np.uint8)


def infosets_of(tree: Tree) -> list[Hashable]:
    """What the game's `infoset` returns at each infoset of a tree: asked at one history of each."""
    wanted = first_histories(tree.listing, tree.infosets)
    on_the_way = _ways_to(tree.listing, wanted)
    infoset_at = {int(history): infoset for infoset, history in enumerate(wanted)}
    found: list[Hashable] = [None] * len(wanted)
    stack = [(tree.game.root(), 0)]
    while stack:
        state, history = stack.pop()
        if history in infoset_at:
            found[infoset_at[history]] = tree.game.infoset(state)
        first, count = int(tree.listing.first_child[history]), int(tree.listing.children[history])
        choices = np.flatnonzero(on_the_way[first : first + count]).tolist()
        if choices:
            actions = tree.game.actions(state)
            stack += [(tree.game.play(state, actions[choice]), first + choice) for choice in choices]
    return found


def first_histories(listing: Histories, infosets: int) -> Array:
    """[I] the first history of each infoset."""
    decisions = np.flatnonzero(listing.mover >= 0)
    first = np.empty(infosets, np.int64)
    first[listing.index[decisions[::-1]]] = decisions[::-1]
    return first


def _ways_to(listing: Histories, wanted: Array) -> npt.NDArray[np.bool_]:
    """[H] the histories that lie on the way to one that is wanted, itself included."""
    inner = np.flatnonzero(listing.children)
    inner = inner[np.argsort(listing.first_child[inner])]
    parent = np.concatenate([[0], np.repeat(inner, listing.children[inner])])  # [H]
    marked = np.zeros(len(listing.mover), bool)
    while len(wanted):
        marked[wanted] = True
        wanted = np.unique(parent[wanted])
        wanted = wanted[~marked[wanted]]
    return marked
