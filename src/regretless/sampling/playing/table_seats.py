"""Strategies in a table of infosets: how to recognise one, and how to convert it to the labels of a listed game."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL
from regretless.kernels.numpy_matching import matched
from regretless.kernels.sampling.infoset_table import InfosetTable, row_columns
from regretless.kernels.sampling.playing.match_values import infoset_slot
from regretless.strategy import Strategy, uniform_probabilities
from regretless.tree import Tree

__all__ = ["is_table", "strategy_of"]


def is_table(player: Any) -> bool:
    """Whether a player has a table of infosets, their values and the kind of numbers to play by."""
    return not isinstance(player, Strategy) and all(hasattr(player, name) for name in ("table", "numbers", "kind"))


def strategy_of(player: Any, tree: Tree, infoset_numbers: int) -> Strategy:
    """A table's strategy on a listed game, uniform where the table has none.

    infoset_numbers: how many numbers make an infoset; 0 where the table keeps a digest, from which the infoset is not
    known: then the game is walked, and every infoset looked up.
    """
    labels = tree.labels
    numbers = uniform_probabilities(labels)
    rows = _kept(player.table, infoset_numbers) if infoset_numbers else _found(player, tree)
    for owner, infoset, place, count in rows:
        label = tree.game.infoset_label(infoset)
        known = labels.by_player.get((owner, label), -1)
        if known < 0 or len(labels.actions[known]) != count:
            raise OptionError(f"the table belongs to another game: it holds infoset {label!r} of player {owner}")
        start = place + player.kind * count
        weights = np.asarray(player.numbers[start : start + count], np.float64)
        numbers[labels.sequences_of(known)] = matched(weights)
    return Strategy(labels, numbers)


def _kept(table: InfosetTable, infoset_numbers: int) -> Iterator[tuple[int, Hashable, int, int]]:
    """Owner, infoset, place and number of actions of every row."""
    keys, places, owners, _, counts = row_columns(table, np.diff(table.list_first))
    for key, place, owner, count in zip(keys.tolist(), places.tolist(), owners.tolist(), counts.tolist(), strict=True):
        yield owner, key[0] if infoset_numbers == 1 else tuple(key), place, count


def _found(player: Any, tree: Tree) -> Iterator[tuple[int, Hashable, int, int]]:
    """The same of every infoset of the game that the table has."""
    game, waiting, seen = tree.game, [tree.game.root()], set()
    while waiting:
        state = waiting.pop()
        mover = game.player(state)
        if mover == TERMINAL:
            continue
        actions = game.actions(state)
        if mover != CHANCE and (key := (mover, game.infoset(state))) not in seen:
            seen.add(key)
            place = int(infoset_slot(player.table, key[1], mover))
            if place >= 0:
                yield mover, key[1], place, len(actions)
        waiting += [game.play(state, action) for action in actions]
