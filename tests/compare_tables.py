"""Between the dictionaries of the oracle and the arrays of the library."""

from __future__ import annotations

from typing import Any

import numpy as np

import regretless as rg
from oracle import Infoset, Table


def as_table(tree: rg.Tree, numbers: Any) -> Table:
    """Numbers by sequence as a table by (player, infoset as the game returns it)."""
    labels, game = tree.labels, tree.game
    by_label: dict[Infoset, Infoset] = {}
    from oracle import histories

    for state in histories(game):
        mover = game.player(state)
        if mover >= 0:
            infoset = game.infoset(state)
            by_label[mover, game.infoset_label(infoset)] = (mover, infoset)
    return {
        by_label[key]: np.asarray(numbers)[labels.sequences_of(number)].tolist()
        for key, number in labels.by_player.items()
    }


def worst(one: Table, other: Table) -> float:
    """The largest difference between two tables."""
    assert one.keys() == other.keys()
    return max((abs(a - b) for key in one for a, b in zip(one[key], other[key], strict=True)), default=0.0)


def random_strategy(tree: rg.Tree, seed: int) -> rg.Strategy:
    """Every infoset's distribution drawn evenly."""
    plan = np.random.default_rng(seed).exponential(size=tree.sequences)
    return rg.Strategy.from_plan(tree.labels, plan)
