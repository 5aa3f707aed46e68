"""Players for the tests of matches: good and bad strategies, and the same as tables of infosets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import regretless as rg
from conftest import INTERPRETED, built


@cache
def pair(spec: str) -> tuple[rg.Tree, rg.Strategy, rg.Strategy]:
    """A game, a good strategy and a bad one."""
    tree = built(spec)
    generator = np.random.default_rng(5)
    weak = rg.Strategy.from_plan(tree.labels, generator.random(tree.sequences) + 0.1)
    return tree, rg.solve(tree, iterations=20 if INTERPRETED else 200).strategy, weak


def by_infoset(game: rg.Game, strategy: rg.Strategy) -> Callable[[int, Any], list[float]]:
    def row(player: int, infoset: Any) -> list[float]:
        return list(strategy[player, game.infoset_label(infoset)].values())

    return row


@dataclass(frozen=True)
class ByTable:
    """A strategy as sampled methods leave it on games that are not listed."""

    table: Any
    numbers: Any
    kind: int


def table_of(game: rg.Game, strategy: rg.Strategy, *, baselines: bool = False, dtype: str = "float64") -> ByTable:
    """A strategy in a table: an unused run of numbers, then weights, then what actions are worth to each player."""
    from regretless.compiled import compile_game
    from regretless.kernels.sampling.infoset_table import insert
    from regretless.sampling.infoset_store import TableStore

    compiled = compile_game(game)
    store = TableStore(
        words=compiled.infoset_numbers or 2, lead=0, parts=2 + game.players * baselines, dtype=dtype
    )  # fmt: skip
    row = by_infoset(game, strategy)
    places: dict[Any, int] = {}
    totals: dict[Any, Any] = defaultdict(float)
    reached: dict[Any, float] = defaultdict(float)

    def walk(state: Any, reach: float) -> Any:
        mover = game.player(state)
        if mover == rg.TERMINAL:
            return np.array(game.payoffs(state))
        actions = game.actions(state)
        chances = game.chance(state) if mover == rg.CHANCE else row(mover, game.infoset(state))
        worth = [walk(game.play(state, action), reach * p) for action, p in zip(actions, chances, strict=True)]
        if mover >= 0:
            key = mover, game.infoset(state)
            if key not in places:
                first, second = compiled.functions.infoset_key(compiled.rules, state)
                moves = np.array(actions, np.int64)
                while (place := insert(store.table, store.values, first, second, mover, len(actions), moves, 0, 0)) < 0:
                    store.grow()
                places[key] = int(place)
                start = places[key] + len(actions)
                store.values[start : start + len(actions)] = 7 * np.array(chances)
            totals[key] += (reach + 1e-9) * np.array(worth).T
            reached[key] += reach + 1e-9
        return sum(p * v for p, v in zip(chances, worth, strict=True))

    walk(game.root(), 1.0)
    for key, place in places.items() if baselines else ():
        means = totals[key] / reached[key]  # [P, A]
        store.values[place + 2 * means.shape[1] : place + 2 * means.shape[1] + means.size] = means.reshape(-1)
    return ByTable(store.table, store.values, 1)
