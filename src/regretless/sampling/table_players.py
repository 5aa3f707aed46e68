"""Strategies that a table of infosets holds: how to know one, and how to say it by the names of a listed game."""

from __future__ import annotations

from typing import Any

import numpy as np

from regretless.compiled import CompiledGame
from regretless.errors import OptionError
from regretless.kernels.table import row_columns
from regretless.strategy import Strategy, uniform_probabilities
from regretless.tree import Tree

__all__ = ["is_table", "strategy_of"]


def is_table(player: Any) -> bool:
    """Whether a player has a table of infosets, their values and the kind of numbers to play by."""
    return not isinstance(player, Strategy) and all(hasattr(player, name) for name in ("table", "numbers", "kind"))


def strategy_of(player: Any, tree: Tree, compiled: CompiledGame) -> Strategy:
    """A table's strategy on a listed game whose infosets are one or two numbers; uniform where the table has none."""
    game, labels = compiled.game, tree.labels
    keys, places, owners, _, counts = row_columns(player.table, np.diff(player.table.menu_first))
    numbers = uniform_probabilities(labels)
    rows = zip(keys.tolist(), places.tolist(), owners.tolist(), counts.tolist(), strict=True)
    for (first, second), place, owner, count in rows:
        label = game.infoset_label(compiled.infoset_of((first, second)))
        infoset = labels.by_player.get((owner, label), -1)
        if infoset < 0 or len(labels.actions[infoset]) != count:
            raise OptionError(f"the table belongs to another game: it holds infoset {label!r} of player {owner}")
        start = place + player.kind * count
        weights = np.maximum(player.numbers[start : start + count], 0.0).astype(np.float64)
        if weights.sum() > 0:
            numbers[labels.sequences_of(infoset)] = weights / weights.sum()
    return Strategy(labels, numbers)
