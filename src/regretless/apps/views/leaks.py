"""Leaks: what each infoset of a strategy loses against a best response, and what the best response does there.

Let q*(I, a) be the value of action a at I for a player who continues with a best response to the others' strategy, and
π(I) the probability that the game reaches I when all follow the strategy. What the strategy loses at I is

    cost(I) = π(I) · (max_a q*(I, a) − Σ_a σ(I, a) q*(I, a)),

and these add up, over the infosets of a player, to exactly what a best response would gain (the performance difference
lemma: Kakade & Langford 2002, lemma 6.1); over all players, to NashConv.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.apps.views.infoset_measures import Measures

__all__ = ["Leak", "PlayerLeaks", "costs", "leaks_of"]


@dataclass(frozen=True)
class Leak:
    """An infoset at which the strategy loses chips against a best response."""

    infoset: int
    label: str
    cost: float
    """Chips per game."""
    reach: float
    """The probability that a game comes here when all follow the strategy."""
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]
    values: tuple[float, ...]
    """Expected chips of each action for a player who then plays a best response."""
    best: int
    """The action of a best response; the first one where several are best."""
    response_reach: float
    """The probability that a game comes here when this player plays a best response."""


@dataclass(frozen=True, eq=False)
class PlayerLeaks:
    """What one player's strategy loses against the others' strategy."""

    player: int
    value: float
    """Chips per game that the strategy wins."""
    best_value: float
    """Chips per game that a best response wins in its place."""
    order: npt.NDArray[np.int64]  # infosets by falling cost, or by falling reach of the best response
    cost: npt.NDArray[np.float64]  # [I] chips per game
    measures: Measures

    @property
    def gain(self) -> float:
        """Chips per game that a best response wins more."""
        return self.best_value - self.value

    def page(self, first: int, count: int) -> list[Leak]:
        """Some of the leaks, in their order."""
        return [self._leak(int(infoset)) for infoset in self.order[first : first + count]]

    def _leak(self, infoset: int) -> Leak:
        m = self.measures
        labels, where = m.tree.labels, m.tree.labels.sequences_of(infoset)
        others = float(m.others_reach[infoset])
        worth = m.best_counterfactual[where] / others if others > 0 else m.best_counterfactual[where]
        return Leak(
            infoset=infoset,
            label=str(labels.names[infoset]),
            cost=float(self.cost[infoset]),
            reach=float(m.own_reach[infoset]) * others,
            actions=tuple(map(str, labels.actions[infoset])),
            probabilities=tuple(m.strategy.probabilities[where].tolist()),
            values=tuple(worth.tolist()),
            best=int(m.response[infoset]),
            response_reach=float(m.response_reach[infoset]),
        )


def costs(measures: Measures) -> npt.NDArray[np.float64]:
    """[I] chips per game lost at each infoset."""
    labels = measures.tree.labels
    owner = labels.infoset_of_sequence
    real = np.flatnonzero(owner >= 0)
    worth, infoset = measures.best_counterfactual[real], owner[real]
    best = np.full(len(labels.names), -np.inf)
    np.maximum.at(best, infoset, worth)
    mean = np.bincount(infoset, measures.strategy.probabilities[real] * worth, len(labels.names))
    return np.asarray(measures.own_reach * np.maximum(best - mean, 0.0))


def leaks_of(measures: Measures, player: int, by: str = "cost") -> PlayerLeaks:
    """What one player's strategy loses, infoset by infoset.

    Sorted by cost, without infosets that cost nothing; with `by="response"`, sorted by how often a best response comes
    there.
    """
    cost = costs(measures)
    own = np.flatnonzero(measures.tree.labels.owner == player)
    weight = cost if by == "cost" else measures.response_reach
    some = own[weight[own] > 1e-15]
    return PlayerLeaks(
        player=player,
        value=float(measures.values[player]),
        best_value=float(measures.best_values[player]),
        order=some[np.argsort(-weight[some], kind="stable")],
        cost=cost,
        measures=measures,
    )
