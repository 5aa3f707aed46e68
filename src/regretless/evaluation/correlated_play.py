"""Correlated equilibria of any tree: how far a mixture of strategy profiles is from one, exactly.

A mediator draws one of the profiles, tells every player its own moves as the game goes on. How much a
player can gain depends on when it may stop listening:

- NFCCE, normal-form coarse correlated equilibrium (Moulin & Vial 1978): before the game
  begins, to one plan for all of it;
- EFCCE, extensive-form coarse correlated (Farina, Bianchi & Sandholm 2020): at an infoset, before the recommendation;
- EFCE, extensive-form correlated (von Stengel & Forges 2008): at an infoset, after the recommendation.

The gap is the most that any single player gains by one such deviation, in chips; it is zero exactly at an equilibrium.
Every EFCE is an EFCCE, and every EFCCE is an NFCCE. In a game with one move each, the first two are coarse correlated
equilibria and the last are the correlated ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.evaluation.responses import plan_of
from regretless.kernels.correlated.correlated_play import Gains, PlayArrays, add_profile, deviation_gains
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.strategy import Strategy
from regretless.tree import Tree, as_tree

__all__ = [
    "CorrelatedGaps",
    "CorrelatedPlay",
    "PlaySums",
    "correlated_gaps",
    "efcce_gap",
    "efce_gap",
    "nfcce_gap",
]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class CorrelatedPlay:
    """A mixture of strategy profiles, such as the history of play of a regret minimiser.

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.BattleOfTheSexes())
    >>> both = [rg.Strategy.from_dict(tree, {"player 0": p, "player 1": p}) for p in ([1, 0], [0, 1])]
    >>> coin = rg.CorrelatedPlay.of(tree, both)                          # a fair coin decides for both
    >>> rg.efce_gap(tree, coin), rg.nfcce_gap(tree, coin)
    (0.0, 0.0)
    """

    plans: Array  # [T, S] realisation plans of all players: the product of own probabilities along each sequence
    weights: Array  # [T] how often each profile is drawn; they need not sum to one

    def __post_init__(self) -> None:
        plans, weights = np.asarray(self.plans, np.float64), np.asarray(self.weights, np.float64)
        if plans.ndim != 2 or weights.shape != plans.shape[:1] or not len(weights):
            raise OptionError(
                "correlated play is plans [T, S] and weights [T] of at least one profile, "
                f"got shapes {plans.shape} and {weights.shape}"
            )
        if not (np.all(np.isfinite(weights)) and weights.min() >= 0 and weights.sum() > 0):
            raise OptionError("the weights of correlated play are numbers from 0 on, and not all of them 0")
        object.__setattr__(self, "plans", plans)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def of(cls, tree: Tree, strategies: Sequence[Strategy], weights: npt.ArrayLike | None = None) -> CorrelatedPlay:
        """Play that draws one of some strategies, all alike unless weights are given."""
        if not strategies:
            raise OptionError("correlated play needs at least one strategy")
        plans = np.stack([plan_of(tree, strategy) for strategy in strategies])
        return cls(plans, np.ones(len(plans)) if weights is None else np.asarray(weights, np.float64))


@dataclass(frozen=True, eq=False)
class CorrelatedGaps:
    """What each player wins under correlated play, and what its best deviation of each kind gains; chips per game."""

    values: Array  # [P]
    nfcce: Array  # [P]
    efcce: Array  # [P]
    efce: Array  # [P]

    @property
    def welfare(self) -> float:
        """What all players win together."""
        return float(self.values.sum())


class PlaySums:
    """All that the gaps of correlated play depend on, as sums: play may go on for ever in the same memory.

    The memory grows with the tree alone: for each infoset its actions times the sequences at it and below.
    """

    arrays_of_runs: ClassVar[tuple[str, ...]] = tuple(f"play_{name}" for name in PlayArrays._fields)
    """The names of the sums among the arrays of a run."""

    def __init__(self, tree: Tree, arrays: PlayArrays | None = None) -> None:
        self.tree, self.subtrees = tree, tree.subtrees
        slots, entries = len(self.subtrees.sequence), int(self.subtrees.entry[-1])
        sizes = (1, tree.players, slots, entries)
        self.arrays = arrays if arrays is not None else PlayArrays(*map(np.zeros, sizes))
        if any(array.shape != (size,) for array, size in zip(self.arrays, sizes, strict=True)):
            raise OptionError("the sums of this play belong to another game")

    def add(self, plan: Array, gradient: Array, *, weight: float = 1.0, decay: float = 1.0) -> None:
        """Multiply the sums by `decay`, then add a profile. plan [S]; gradient [S] as `gradients` returns it."""
        add_profile(self.tree.form, self.subtrees, plan, gradient, decay, weight, self.arrays)

    def gradients(self, plan: Array) -> Array:
        """[S] what each sequence of each player is worth against the others' plans, before own later choices."""
        gradient = np.zeros(self.tree.sequences)
        for player in range(self.tree.players):
            player_gradient(self.tree.form, player, plan, gradient)
        return gradient

    def gaps(self) -> CorrelatedGaps:
        """The gains of the best deviations from the play so far."""
        total = float(self.arrays.weight[0])
        if total <= 0:
            raise OptionError("nothing has been played yet, so there is no gap")
        subtrees, players = self.subtrees, self.tree.players
        gains = Gains(np.zeros(players), np.zeros(len(subtrees.infoset)), np.zeros(len(subtrees.sequence)))
        deviation_gains(subtrees, self.arrays, gains)
        owner = self.tree.labels.owner[subtrees.infoset]
        owner_of_slot = self.tree.labels.player_of_sequence[subtrees.sequence]
        return CorrelatedGaps(
            values=self.arrays.value / total,
            nfcce=np.maximum(gains.whole, 0.0),
            efcce=_highest(gains.infoset, owner, players),
            efce=_highest(gains.sequence, owner_of_slot, players),
        )


def _highest(gains: Array, owner: Array, players: int) -> Array:
    """[P] the largest gain of each player; 0 for one that gains nowhere."""
    highest = np.zeros(players)
    np.maximum.at(highest, owner, gains)
    return highest


class RunWithPlay(Protocol):
    """A run of `TriggerRegret`, also from a file: its arrays hold the sums over its play."""

    @property
    def arrays(self) -> Mapping[str, Array]:
        """All arrays of the run by name."""


Play = CorrelatedPlay | PlaySums | Strategy | RunWithPlay


def _sums(tree: Tree, play: Any) -> PlaySums:
    arrays = getattr(play, "arrays", None)
    if isinstance(arrays, Mapping):
        if any(name not in arrays for name in PlaySums.arrays_of_runs):
            raise OptionError("this run keeps no joint play; solve with rg.TriggerRegret to have it")
        return PlaySums(tree, PlayArrays(*(arrays[name] for name in PlaySums.arrays_of_runs)))
    if isinstance(play, PlaySums):
        if play.tree is not tree and play.tree.fingerprint != tree.fingerprint:
            raise OptionError("the play belongs to another game")
        return play
    if isinstance(play, Strategy):
        play = CorrelatedPlay.of(tree, [play])
    if not isinstance(play, CorrelatedPlay):
        raise OptionError(
            f"play is a rg.CorrelatedPlay, a run of rg.TriggerRegret or a Strategy, got {type(play).__name__}"
        )
    if play.plans.shape[1] != tree.sequences:
        raise OptionError(f"a plan of this game has {tree.sequences} numbers, got {play.plans.shape[1]}")
    sums = PlaySums(tree)
    for plan, weight in zip(play.plans, play.weights, strict=True):
        sums.add(plan, sums.gradients(plan), weight=float(weight))
    return sums


def correlated_gaps(tree: Any, play: Play) -> CorrelatedGaps:
    """Values and gaps of all kinds, player by player, of correlated play on a tree, a game or a game's name.

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.Kuhn(players=3))
    >>> gaps = rg.correlated_gaps(tree, rg.Strategy.uniform(tree))
    >>> gaps.nfcce.round(3).tolist(), abs(gaps.welfare) < 1e-12
    ([0.547, 0.693, 0.823], True)
    """
    return _sums(as_tree(tree), play).gaps()


def nfcce_gap(tree: Any, play: Play) -> float:
    """The most that any player gains by one plan instead of all recommendations; zero at a normal-form coarse
    correlated equilibrium. The play of a single `Strategy` has the largest of the players' gains by deviating alone."""
    return float(correlated_gaps(tree, play).nfcce.max())


def efcce_gap(tree: Any, play: Play) -> float:
    """The most that any player gains who stops listening at one infoset, before the recommendation there is seen; zero
    at an extensive-form coarse correlated equilibrium."""
    return float(correlated_gaps(tree, play).efcce.max())


def efce_gap(tree: Any, play: Play) -> float:
    """The most that any player gains who stops listening when one action is recommended at one infoset; zero at an
    extensive-form correlated equilibrium."""
    return float(correlated_gaps(tree, play).efce.max())
