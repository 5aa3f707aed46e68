"""Two strategies of one game side by side, the infosets where they differ most first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from regretless.apps.views.infoset_measures import Measures
from regretless.strategy import Strategy

__all__ = ["Difference", "Differences", "compare_strategies", "distances"]


@dataclass(frozen=True)
class Difference:
    """An infoset where two strategies differ."""

    infoset: int
    player: int
    label: str
    distance: float
    """Total variation: half the sum of the differences of probabilities."""
    weight: float | None
    """The probability that a game comes here, averaged over both strategies; None if the game is not listed."""
    actions: tuple[str, ...]
    one: tuple[float, ...]
    other: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Differences:
    """All infosets, sorted by distance × weight, or by distance alone."""

    strategies: tuple[Strategy, Strategy]
    order: npt.NDArray[np.int64]  # infosets that differ
    distance: npt.NDArray[np.float64]  # [I]
    weight: npt.NDArray[np.float64] | None  # [I]
    mean: float
    """Expected number of different actions in a game: Σ distance × weight; without weights, the mean distance."""

    def page(self, first: int, count: int) -> list[Difference]:
        """Some of the differences."""
        return [self._difference(int(infoset)) for infoset in self.order[first : first + count]]

    def _difference(self, infoset: int) -> Difference:
        one, other = self.strategies
        labels = one.labels
        where = labels.sequences_of(infoset)
        return Difference(
            infoset=infoset,
            player=int(labels.owner[infoset]),
            label=str(labels.names[infoset]),
            distance=float(self.distance[infoset]),
            weight=None if self.weight is None else float(self.weight[infoset]),
            actions=tuple(map(str, labels.actions[infoset])),
            one=tuple(one.probabilities[where].tolist()),
            other=tuple(other.probabilities[where].tolist()),
        )


def distances(one: Strategy, other: Strategy) -> npt.NDArray[np.float64]:
    """[I] total variation: half the sum over actions of the differences of probabilities."""
    one.check_same_game(other.labels)
    other = other.laid_out(one.labels)
    owner = one.labels.infoset_of_sequence
    real = owner >= 0
    apart = np.abs(one.probabilities - other.probabilities)
    return np.asarray(0.5 * np.bincount(owner[real], apart[real], len(one.labels.names)))


def compare_strategies(
    one: Strategy, other: Strategy, measures: tuple[Measures, Measures] | None, player: int | None = None
) -> Differences:
    """Where two strategies of one game differ; with measures, weighted by reach."""
    distance = distances(one, other)
    other = other.laid_out(one.labels)
    weight = None if measures is None else 0.5 * (measures[0].reach + measures[1].reach)
    owner = one.labels.owner
    chosen = np.arange(len(owner)) if player is None else np.flatnonzero(owner == player)
    some = chosen[distance[chosen] > 1e-12]
    matter = distance[some] if weight is None else distance[some] * weight[some]
    order = some[np.lexsort((-distance[some], -matter))]
    mean = float(distance[chosen].mean()) if weight is None else float(distance[chosen] @ weight[chosen])
    return Differences((one, other), order, distance, weight, mean)
