"""Features: what a player knows as a vector of numbers, the input of a network.

A game can define them by a method `features(infoset)` that returns the same number of values for every infoset. Its
argument is what the game's `infoset` returned, so hidden information cannot leak. Two infosets may have the same
features: the network then treats them alike.

Without that method, features are derived from the infoset's label, which records what its owner has observed. A label
is split into words (tuples into their parts, texts at spaces), and every character is one-hot at its position:

    "Qs rc Jh"   ->   word 0: Q, s    word 1: r, c    word 2: J, h

so a column has the same meaning in all infosets of most games. These features distinguish all infosets of a player:
where two labels have the same characters, bits that number them are added. Columns that are the same for all infosets
are left out, and each player has a bit.
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
    """[I, F] the features of each infoset; uint8 for bits, float32 where the game defines them."""
    if has_features(tree.game):
        return stated_features(tree.game, infosets_of(tree))
    return label_features(tree.labels.names, tree.labels.owner, tree.players)


def has_features(game: Game) -> bool:
    """Whether a game defines its own features."""
    return callable(getattr(game, "features", None))


def stated_features(game: Any, infosets: Sequence[Hashable]) -> Array:
    """[I, F] float32, from the game's own method."""
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
    """[I, F] the characters of labels, one-hot at their positions. names, owner [I]."""
    columns: dict[tuple[int, int, str], int] = {}
    row, column = [], []
    for number, name in enumerate(names):
        for character in _characters(name):
            row.append(number)
            column.append(columns.setdefault(character, len(columns)))
    bits = np.zeros((len(names), len(columns) + players), np.uint8)
    bits[row, column] = 1
    bits[np.arange(len(names)), len(columns) + np.asarray(owner)] = 1
    bits = bits[:, bits.min(axis=0, initial=1) < bits.max(axis=0, initial=0)]
    return np.concatenate([bits, _numbered_twins(bits)], axis=1)


def _characters(label: Hashable) -> Iterator[tuple[int, int, str]]:
    """The characters of a label: word, position in the word, character. The end of a word has character ""."""
    for number, word in enumerate(_words(label)):
        for position, character in enumerate(word):
            yield number, position, character
        yield number, len(word), ""


def _words(label: Hashable) -> Iterator[str]:
    if isinstance(label, tuple):
        for part in label:
            yield from _words(part)
    else:
        yield from str(label).split(" ")


def _numbered_twins(bits: Bits) -> Bits:
    """[I, N] the number of every infoset among those with equal bits, in binary; usually N is 0."""
    _, kind = np.unique(bits, axis=0, return_inverse=True)
    order = np.argsort(kind, kind="stable")
    first = np.searchsorted(kind[order], kind[order])
    twin = np.empty(len(bits), np.int64)
    twin[order] = np.arange(len(bits)) - first
    digits = int(twin.max(initial=0)).bit_length()
    return (twin[:, None] >> np.arange(digits) & 1).astype(np.uint8)


def infosets_of(tree: Tree) -> list[Hashable]:
    """What the game's `infoset` returns at each infoset of a tree: called at one history of each."""
    wanted = first_histories(tree.listing, tree.infosets)
    on_the_way = _on_paths_to(tree.listing, wanted)
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


def _on_paths_to(listing: Histories, wanted: Array) -> npt.NDArray[np.bool_]:
    """[H] whether a history is on the path to a wanted one, or is one itself."""
    inner = np.flatnonzero(listing.children)
    inner = inner[np.argsort(listing.first_child[inner])]
    parent = np.concatenate([[0], np.repeat(inner, listing.children[inner])])  # [H]
    marked = np.zeros(len(listing.mover), bool)
    while len(wanted):
        marked[wanted] = True
        wanted = np.unique(parent[wanted])
        wanted = wanted[~marked[wanted]]
    return marked
