"""Infosets as the pages show them: probabilities, reach, the value of each action, regrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.layout.labels import Labels
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = [
    "ActionRow",
    "InfosetRow",
    "Measures",
    "action_numbers",
    "matching",
    "names_of",
    "rows_of",
    "shares_at",
    "stored_regret",
]

Floats = npt.NDArray[np.float64]


class Measures:
    """Everything that can be computed for a strategy on a listed game; each number is computed once, on first use."""

    def __init__(self, tree: Tree, strategy: Strategy) -> None:
        self.tree, self.strategy = tree, strategy.laid_out(tree.labels)

    @cached_property
    def plan(self) -> Floats:
        """[S] the product of the player's own probabilities along each sequence."""
        from regretless.evaluation.responses import plan_of

        return plan_of(self.tree, self.strategy)

    @cached_property
    def own_reach(self) -> Floats:
        """[I] the probability that the mover's own choices lead to each infoset."""
        return np.asarray(self.plan[self.tree.form.parent])

    @cached_property
    def others_reach(self) -> Floats:
        """[I] the probability that chance and the other players lead there, if the mover plays towards it."""
        from regretless.kernels.sequence_form.counterfactual_reach import others_reach

        h, labels = self.tree.listing, self.tree.labels
        total = np.zeros(self.tree.infosets)
        for player in range(self.tree.players):
            found = others_reach(
                h.mover, h.index, h.first_child, h.children, h.probability, labels.first, labels.stride,
                self.strategy.probabilities, player,
            )  # fmt: skip
            total[labels.owner == player] = found[labels.owner == player]
        return total

    @property
    def reach(self) -> Floats:
        """[I] the probability that a game reaches each infoset."""
        return self.own_reach * self.others_reach

    def _swept(self, best: bool) -> tuple[Floats, Floats]:
        """([S] counterfactual value of every sequence if its player continues by the strategy, or by a best response;
        [P] the value of the game to each player)."""
        from regretless.kernels.sequence_form.gradients import player_gradient
        from regretless.kernels.sequence_form.treeplex import player_best, player_expected

        worth, total = np.empty(self.tree.sequences), np.zeros(self.tree.players)
        for player in range(self.tree.players):
            player_gradient(self.tree.form, player, self.plan, worth)
            if best:
                total[player] = player_best(self.tree.form, player, worth)
            else:
                total[player] = player_expected(self.tree.form, player, self.strategy.probabilities, worth)
        return worth, total

    @cached_property
    def _followed(self) -> tuple[Floats, Floats]:
        return self._swept(best=False)

    @cached_property
    def _perfect(self) -> tuple[Floats, Floats]:
        return self._swept(best=True)

    @property
    def counterfactual(self) -> Floats:
        """[S] v(I, a): the value of an action times `others_reach` (Zinkevich et al. 2007, §3); chips."""
        return self._followed[0]

    @property
    def values(self) -> Floats:
        """[P] chips per game when all follow the strategy."""
        return self._followed[1]

    @property
    def best_counterfactual(self) -> Floats:
        """[S] the same when the mover continues with a best response to the others' strategy; chips."""
        return self._perfect[0]

    @cached_property
    def response(self) -> npt.NDArray[np.int64]:
        """[I] the action of a best response to the others; the first one where several are best."""
        labels, worth = self.tree.labels, self.best_counterfactual
        best, chosen = np.full(len(labels.names), -np.inf), np.zeros(len(labels.names), np.int64)
        counts = np.array([len(actions) for actions in labels.actions], np.int64)
        for action in range(int(counts.max(initial=0))):
            offered = np.flatnonzero(counts > action)
            value = worth[labels.first[offered] + action * labels.stride[offered]]
            better = value > best[offered]
            best[offered[better]], chosen[offered[better]] = value[better], action
        return chosen

    @cached_property
    def response_reach(self) -> Floats:
        """[I] the probability that a player who plays the best response reaches each infoset."""
        from regretless.kernels.sequence_form.treeplex import lay_plan

        labels = self.tree.labels
        pure = np.where(labels.infoset_of_sequence < 0, 1.0, 0.0)
        pure[labels.first + self.response * labels.stride] = 1.0
        plan = np.ones(self.tree.sequences)
        lay_plan(self.tree.form, pure, plan)
        return np.asarray(plan[self.tree.form.parent] * self.others_reach)

    @property
    def best_values(self) -> Floats:
        """[P] chips per game of a best response to the others."""
        return self._perfect[1]


@dataclass(frozen=True)
class ActionRow:
    """An action at an infoset; unknown numbers are None."""

    label: str
    probability: float
    value: float | None = None
    """Expected chips of taking it and then following the strategy, given that the infoset is reached."""
    counterfactual: float | None = None
    """v(I, a), chips: the same, times the probability that chance and the others lead there."""
    gain: float | None = None
    """Chips more than the strategy expects there: the instantaneous regret."""
    regret: float | None = None
    """R(I, a), the regret that the solve has stored, in chips summed over iterations."""


@dataclass(frozen=True)
class InfosetRow:
    """An infoset with its actions."""

    number: int
    player: int
    label: str
    actions: tuple[ActionRow, ...]
    reach: float | None = None
    """The probability that a game comes here when all follow the strategy."""
    others_reach: float | None = None
    """The same if the mover plays towards this infoset."""
    value: float | None = None
    """Chips that the mover expects here."""


def rows_of(
    strategy: Strategy, infosets: Sequence[int], measures: Measures | None = None, regret: Floats | None = None
) -> list[InfosetRow]:
    """Some infosets, with values if the game is listed and regrets [S] if the run has stored them."""
    return [_row(strategy, int(infoset), measures, regret) for infoset in infosets]


def _row(strategy: Strategy, infoset: int, measures: Measures | None, regret: Floats | None) -> InfosetRow:
    labels = strategy.labels
    where = labels.sequences_of(infoset)
    probabilities = strategy.probabilities[where]
    columns: dict[str, list[float | None]] = {"probability": probabilities.tolist()}
    reach = others = value = None
    if regret is not None:
        columns["regret"] = np.asarray(regret[where], float).tolist()
    if measures is not None:
        worth = measures.counterfactual[where]
        others = float(measures.others_reach[infoset])
        reach = float(measures.own_reach[infoset]) * others
        columns["counterfactual"] = worth.tolist()
        if others > 0:
            value = float(worth @ probabilities) / others
            columns["value"] = (worth / others).tolist()
            columns["gain"] = (worth / others - value).tolist()
    actions = [
        ActionRow(str(label), **{name: column[number] for name, column in columns.items()})  # type: ignore[arg-type]
        for number, label in enumerate(labels.actions[infoset])
    ]
    return InfosetRow(
        infoset, int(labels.owner[infoset]), str(labels.names[infoset]), tuple(actions), reach, others, value
    )


def shares_at(measures: Measures, infosets: Sequence[int]) -> dict[str, float]:
    """The frequency of each action over some infosets, weighted by their reach."""
    labels, strategy = measures.tree.labels, measures.strategy
    total, sums = 0.0, dict[str, float]()
    for infoset in infosets:
        weight = float(measures.own_reach[infoset] * measures.others_reach[infoset])
        total += weight
        probabilities = strategy.probabilities[labels.sequences_of(infoset)].tolist()
        for action, probability in zip(labels.actions[infoset], probabilities, strict=True):
            sums[str(action)] = sums.get(str(action), 0.0) + weight * probability
    return {action: share / total for action, share in sums.items()} if total > 0 else dict.fromkeys(sums, 0.0)


def action_numbers(labels: Labels) -> dict[str, int]:
    """A number for each action of a game, in the order in which its infosets first offer it."""
    rows = {id(row): row for row in labels.actions}  # a game has few different rows, and each is mostly one object
    return {name: at for at, name in enumerate(dict.fromkeys(str(name) for row in rows.values() for name in row))}


def names_of(labels: Labels) -> list[str]:
    """[I] labels in lower case, for the search."""
    return [str(name).lower() for name in labels.names]


def matching(labels: Labels, names: Sequence[str], search: str, player: int | None, among: Any = None) -> list[int]:
    """Infosets whose label contains a text, or matches it if it has * or ?, in reading order."""
    text = search.strip().lower()
    order: list[int] = (labels.reading_order if among is None else np.asarray(among, np.int64)).tolist()
    if player is not None:
        order = [i for i in order if labels.owner[i] == player]
    if not text:
        return order
    if "*" in text or "?" in text:
        return [i for i in order if fnmatchcase(names[i], text)]
    exact = [i for i in order if names[i] == text]
    return exact + [i for i in order if text in names[i] and names[i] != text]


def stored_regret(arrays: Mapping[str, Any], labels: Labels) -> Floats | None:
    """[S] the regrets in a run's arrays; None if the method stores none by infoset and action."""
    found = arrays.get("regret")
    if found is None or len(found) != labels.sequences:
        return None
    return np.asarray(found, np.float64)
