"""Sampled CFR on a listed game: every infoset has a slot from the start and exploitability is exact."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.game import TERMINAL
from regretless.kernels.sampling.chance_tables import alias_tables, distinct_rows, path_sizes, public_chance
from regretless.kernels.sampling.listed_averages import average_plan
from regretless.kernels.sampling.listed_steps import ListedRules, ListedTable
from regretless.kernels.sampling.walk_records import AVERAGES, LEARNS
from regretless.method import Settings
from regretless.methods.tree_learner import TreeLearner, opening_of
from regretless.sampling.iteration_windows import fades_by_sign
from regretless.sampling.mccfr import MCCFR
from regretless.sampling.walks import KERNELS, Store, Walks
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["ListedLearner", "ListedStore", "listed_rules"]

Array = npt.NDArray[Any]

MOST_PAYOFFS = 4_096
"""Different payoffs up to which each is kept once: a table that fits the nearest cache."""

COUNTS_OTHERS = ("external", "outcome", "average-strategy")
"""Schemes in which a walk counts the strategies of the players whose moves it draws, not of the one who walks."""


def listed_rules(tree: Tree, slots: Array | None = None, *, public: bool = False) -> ListedRules:
    """A tree's histories as walks step through them; with `public`, also which chance moves all players see.

    slots [I]: where the numbers of each infoset begin; by default as in a store of one part.
    """
    h = tree.listing
    slots = ListedStore(tree, parts=1).slots if slots is None else slots
    index = h.index.copy()
    decisions = h.mover >= 0
    index[decisions] = slots[h.index[decisions]]
    first, which = distinct_rows(np.ascontiguousarray(h.payoffs), MOST_PAYOFFS)
    ends = h.mover == TERMINAL
    index[ends] = which[h.index[ends]]
    node = np.empty((len(h.mover), 4), np.int32)
    columns: tuple[Array, ...] = h.mover, index, h.first_child, h.children
    for column, array in enumerate(columns):
        node[:, column] = array
    stay, other = alias_tables(h.mover, h.first_child, h.children, h.probability)
    seen = np.zeros(len(h.mover), np.bool_)
    if public:
        seen = public_chance(h.mover, h.index, h.first_child, h.children, tree.infosets)
    return ListedRules(node, stay, other, h.probability, seen, np.ascontiguousarray(h.payoffs[first]), tree.players)


class ListedStore(Store):
    """The numbers of all infosets of a tree, those of an infoset together."""

    listed = True

    def __init__(self, tree: Tree, *, lead: int = 0, parts: int = 2, dtype: str = "float64", memory: int = 0) -> None:
        self.actions = tree.labels.widths
        width = parts * self.actions + lead
        self.slots = np.cumsum(width) - width + lead
        self.table = ListedTable(self.slots)
        self.values = np.zeros(int(width.sum()), dtype)
        self.memory = np.zeros(max(memory, 1))
        self.histories = tree.histories
        labels = tree.labels
        owner = labels.infoset_of_sequence
        self.sequences = np.flatnonzero(owner >= 0)  # [numbers] the sequences that end in an action …
        infoset = owner[self.sequences]
        number = (self.sequences - labels.first[infoset]) // labels.stride[infoset]
        self.regret_at = self.slots[infoset] + number  # [numbers] … where their regrets are
        self.width = self.actions[infoset]  # [numbers] … and how far behind them their averages

    def columns(self) -> tuple[Array, Array]:
        """Slot [I] and number of actions [I] of every infoset."""
        return self.slots, self.actions

    def grow(self, *, lists_only: bool = False) -> None:
        """Never asked for."""
        raise AssertionError("every infoset of a listed game has a slot")


class ListedLearner(TreeLearner):
    """A sampled method at work on a tree."""

    def __init__(self, tree: Tree, method: MCCFR, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.method = method
        self.opening = opening_of(tree, settings)
        parts = 2 + (tree.players if method.baseline == "infoset" else 0)
        memory = tree.histories * tree.players if method.baseline == "history" else 0
        lead = int(fades_by_sign(method.variant))
        self.store = ListedStore(tree, lead=lead, parts=parts, dtype=settings.dtype, memory=memory)
        for player in settings.fixed:  # regrets in proportion to a strategy call for that strategy
            mine = tree.labels.player_of_sequence[self.store.sequences] == player
            self.store.values[self.store.regret_at[mine]] = self.opening.probabilities[self.store.sequences[mine]]
        self.visited = 0  # infosets, as of the latest measurement
        self.fixed = np.array([player in settings.fixed for player in range(tree.players)])
        self.fixed_probabilities = self.opening.probabilities
        if settings.fixed:
            self.fixed_probabilities = Strategy.from_plan(tree.labels, self.opening.probabilities).probabilities
        module, function = KERNELS[str(method.sampling)]
        kernel = getattr(importlib.import_module(f"regretless.kernels.{module}"), function)
        rules = listed_rules(tree, self.store.slots, public=method.sampling == "public-chance")
        h = tree.listing
        sizes = path_sizes(h.mover, h.first_child, h.children)
        self.walks = Walks(method, kernel, rules, self.store, self._walkers(), settings, path_sizes=sizes)

    def _walkers(self) -> Array:
        """[P] LEARNS for all players who are not fixed.

        Some schemes count a player's strategy in its average only when another one walks. Where just one player learns,
        one of the others therefore walks as well: AVERAGES.
        """
        walkers = np.array([LEARNS * (p not in self.settings.fixed) for p in range(self.tree.players)], np.int8)
        if self.settings.fixed and len(self.learners) == 1 and self.method.sampling in COUNTS_OTHERS:
            walkers[min(self.settings.fixed)] = AVERAGES
        return walkers

    def advance(self, iterations: int) -> None:
        """Run more iterations."""

        def note(done: int) -> None:
            self.iteration = done

        self.walks.advance(self.iteration + 1, iterations, note)

    def arrays(self) -> dict[str, Array]:
        """The numbers of all infosets, baselines by history, histories visited and whose turn it is; and the average by
        sequence."""
        store = self.store
        average = np.zeros(self.tree.sequences)
        average[store.sequences] = np.maximum(store.values[store.regret_at + store.width], 0.0)
        mine = np.isin(self.tree.labels.player_of_sequence, list(self.settings.fixed))
        average[mine] = self.opening.probabilities[mine]
        average[self.tree.form.sequence_first[:-1]] = float(self.iteration > 0)
        done = np.array([self.walks.nodes, self.walks.turn])
        return {"values": store.values, "memory": store.memory, "nodes": done, "average": average}

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        self.store.values[...] = arrays["values"]
        self.store.memory[...] = arrays["memory"]
        self.walks.nodes, self.walks.turn = arrays["nodes"].tolist()
        self.iteration = iteration

    def current(self) -> Array:
        """[S] the strategy that regrets call for now."""
        store = self.store
        regret = np.ones(self.tree.sequences)
        regret[store.sequences] = np.maximum(store.values[store.regret_at], 0.0)
        strategy = Strategy.from_plan(self.tree.labels, regret).probabilities.copy()
        mine = np.isin(self.tree.labels.player_of_sequence, list(self.settings.fixed))
        strategy[mine] = self.opening.probabilities[mine]
        return strategy

    def profile(self) -> Array:
        """[S] the plan of the average strategy; before the first iteration, of what players begin with."""
        plan, smallest = np.ones(self.tree.sequences), float(np.finfo(np.float64).tiny)
        fixed = self.fixed, self.fixed_probabilities
        self.visited = int(average_plan(self.tree.form, self.store.slots, self.store.values, smallest, *fixed, plan))
        return plan

    def measure(self) -> dict[str, float]:
        """Also how many histories and how many infosets were visited."""
        row = super().measure()
        return {**row, "nodes": float(self.walks.nodes), "infosets": float(self.visited)}
