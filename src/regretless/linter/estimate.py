"""The size of a game before anything is built, from random descents.

Knuth (1975, "Estimating the efficiency of backtrack programs") descends to one random child after another;
the product of the branching factors on the way is an unbiased estimate of the nodes at that depth. Chen
(1992, "Heterogeneous sampling") keeps one random representative of each stratum of like nodes instead of one
node in all. Here nodes are alike when depth, mover and number of actions are equal. Both are unbiased; strata
cut the variance by orders of magnitude where branching is uneven (liar's dice 1×6: none is left).

Deviation from Chen: of a node with very many children only `MOST_CHILDREN` random ones are looked at.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from regretless.errors import GameError, OptionError
from regretless.game import CHANCE, TERMINAL, Game, State
from regretless.linter.memory import build_scratch_bytes, in_units, solver_bytes, tree_bytes
from regretless.problem import refuse_to_list

__all__ = ["DEEPEST", "Estimate", "estimate_size"]

DEEPEST = 1_000
"""Moves after which a play is taken to be endless; a game that deep could not be listed anyway."""

MOST_CHILDREN = 24
"""Children of one representative that are looked at."""

HISTORIES_TO_LOOK_AT = 30_000
"""Unless told how often, probing ends when this many histories were looked at: a fraction of a second."""

FEWEST_PROBES = 10


@dataclass(frozen=True)
class Estimate:
    """How large a game is: counted where `exact`, else guessed from `probes` random descents.

    Histories, terminals and decisions are unbiased, with their standard error beside them; the error is
    itself estimated, and too small where most of the game hides below moves that no probe made. Infosets are
    biased (see `_Strata.infosets`) and right within a factor of four on the games tried; they surely
    lie between `infosets_seen` and `decisions`.
    """

    players: int
    histories: float
    terminals: float
    decisions: float
    infosets: float
    sequences: float
    """Pairs of infoset and action, and one empty sequence for each player."""
    depth: int
    """Moves in the longest play; when guessed, in the longest that was met."""
    histories_error: float = 0.0
    terminals_error: float = 0.0
    infosets_seen: int = 0
    probes: int = 0
    exact: bool = False

    @property
    def tree_bytes(self) -> float:
        """Memory of the built tree."""
        return tree_bytes(self.players, self.histories, self.terminals, self.infosets, self.sequences)

    @property
    def build_bytes(self) -> float:
        """Memory at the peak of `build`."""
        return self.tree_bytes + build_scratch_bytes(self.players, self.histories, self.terminals)

    @property
    def solve_bytes(self) -> float:
        """Memory while solving."""
        return self.tree_bytes + solver_bytes(self.sequences)

    @property
    def about(self) -> str:
        """The word before a number of this estimate: none when it was counted."""
        return "" if self.exact else "about "

    def __str__(self) -> str:
        memory = f"{in_units(self.build_bytes)} to build, {in_units(self.solve_bytes)} to solve"
        if self.exact:
            return f"memory: {memory}"
        return (
            f"estimated from {self.probes:,} probes: {_rounded(self.histories)} ±"
            f" {_rounded(self.histories_error)} histories, {_rounded(self.terminals)} ±"
            f" {_rounded(self.terminals_error)} terminal, roughly {_rounded(self.infosets)} infosets,"
            f" depth at least {self.depth}; memory: {memory}"
        )


def estimate_size(game: Game, *, probes: int | None = None, seed: int = 0) -> Estimate:
    """Guess the size of `game` from random descents, without listing it.

    `probes` descents are made, or as many as fit into looking at 30,000 histories. Same seed, same estimate.
    """
    refuse_to_list(game)
    if probes is not None and probes < 1:
        raise OptionError(f"probes is {probes}, but an estimate needs at least 1")
    rng = random.Random(seed)
    strata = _Strata()
    histories: list[float] = []
    terminals: list[float] = []
    looked_at = 0
    depth = 0
    while len(histories) < (probes or FEWEST_PROBES) or (probes is None and looked_at < HISTORIES_TO_LOOK_AT):
        probe = _Probe(game, rng)
        probe.descend()
        histories.append(probe.histories)
        terminals.append(probe.terminals)
        strata.add(probe)
        looked_at += probe.looked_at
        depth = max(depth, probe.depth)
    infosets, sequences = strata.infosets()
    return Estimate(
        players=game.players,
        histories=_mean(histories),
        terminals=_mean(terminals),
        decisions=strata.decisions(),
        infosets=infosets,
        sequences=sequences + game.players,
        depth=depth,
        histories_error=_standard_error(histories),
        terminals_error=_standard_error(terminals),
        infosets_seen=strata.seen(),
        probes=len(histories),
    )


class _Stratum(NamedTuple):
    """Decisions that are taken to be alike."""

    depth: int
    player: int
    actions: int


class _Representative:
    """One random node of a stratum that a probe met, and how many histories it stands for."""

    __slots__ = ("actions", "state", "weight")

    def __init__(self, state: State, actions: Sequence[Any]) -> None:
        self.state, self.actions, self.weight = state, actions, 0.0


class _Probe:
    """One descent, level by level."""

    def __init__(self, game: Game, rng: random.Random) -> None:
        self.game, self.rng = game, rng
        self.histories = self.terminals = 0.0
        self.looked_at = self.depth = 0
        self.infosets: dict[tuple[_Stratum, Hashable], float] = defaultdict(float)  # histories each stands for

    def descend(self) -> None:
        level: dict[tuple[int, int], _Representative] = {}
        self.meet(self.game.root(), 1.0, level)
        while level:
            self.depth += 1
            if self.depth > DEEPEST:
                raise GameError(f"{self.game!r}: a play did not end within {DEEPEST:,} moves")
            below: dict[tuple[int, int], _Representative] = {}
            for node in level.values():
                count = len(node.actions)
                chosen: Sequence[int] = range(count)
                if count > MOST_CHILDREN:
                    chosen = self.rng.sample(chosen, MOST_CHILDREN)
                for choice in chosen:
                    child = self.game.play(node.state, node.actions[choice])
                    self.meet(child, node.weight * count / len(chosen), below)
            level = below

    def meet(self, state: State, weight: float, level: dict[tuple[int, int], _Representative]) -> None:
        """Count a node that stands for `weight` histories, and let it compete to represent its stratum."""
        self.looked_at += 1
        self.histories += weight
        mover = self.game.player(state)
        if mover == TERMINAL:
            self.terminals += weight
            return
        actions = self.game.actions(state)
        if mover != CHANCE:
            self.infosets[_Stratum(self.depth, mover, len(actions)), self.game.infoset(state)] += weight
        rival = level.setdefault((mover, len(actions)), _Representative(state, actions))
        rival.weight += weight
        if self.rng.random() * rival.weight < weight:
            rival.state, rival.actions = state, actions


class _Strata:
    """What all probes together met at decisions."""

    def __init__(self) -> None:
        self.probes = 0
        # By stratum, then infoset: the histories it stands for, summed over probes, and their squares.
        self.weights: dict[_Stratum, dict[Hashable, list[float]]] = defaultdict(dict)
        self.totals: dict[_Stratum, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def add(self, probe: _Probe) -> None:
        self.probes += 1
        totals: dict[_Stratum, float] = defaultdict(float)
        for (stratum, infoset), weight in probe.infosets.items():
            sums = self.weights[stratum].setdefault(infoset, [0.0, 0.0])
            sums[0] += weight
            sums[1] += weight * weight
            totals[stratum] += weight
        for stratum, weight in totals.items():
            self.totals[stratum][0] += weight
            self.totals[stratum][1] += weight * weight

    def seen(self) -> int:
        return sum(len(infosets) for infosets in self.weights.values())

    def decisions(self) -> float:
        return sum(total for total, _ in self.totals.values()) / self.probes

    def infosets(self) -> tuple[float, float]:
        """How many infosets there are, and how many pairs of infoset and action.

        With |I| the histories of infoset I and D = Σ|I| the decisions of a stratum, a history drawn by one
        probe and one drawn by another share an infoset with chance Σ|I|²/D². Were all infosets of the stratum
        equally large, their number would be the inverse; as they are not, it is a lower bound (Cauchy and
        Schwarz). Where too few infosets were met twice to tell, they are taken to be as large as in the last
        shallower stratum that told: too many if players lose sight of more and more, too few if what was
        hidden comes to light.
        """
        histories_per_infoset: dict[int, float] = {}  # by player, as the last stratum told
        infosets = pairs = 0.0
        for stratum in sorted(self.weights):
            met = self.weights[stratum]
            decisions = self.totals[stratum][0] / self.probes
            size = self.infoset_size(stratum)
            if size is None:
                size = histories_per_infoset.get(stratum.player, 1.0)
            # Never fewer than were seen; else never more than one for each decision.
            count = max(float(len(met)), decisions / max(size, 1.0))
            histories_per_infoset[stratum.player] = decisions / count
            infosets += count
            pairs += count * stratum.actions
        return infosets, pairs

    def infoset_size(self, stratum: _Stratum) -> float | None:
        """Histories per infoset, from infosets that several probes met; None when too few were."""
        met = self.weights[stratum].values()
        twice = [weight for weight, squares in met if weight * weight > squares * (1 + 1e-9)]
        total, total_squares = self.totals[stratum]
        told = len(twice) == len(met) or (len(twice) >= 5 and sum(twice) >= total / 100)
        if not told or self.probes < 2:
            return None
        shared = sum(weight * weight - squares for weight, squares in met)
        pairs = total * total - total_squares
        return (total / self.probes) * shared / pairs


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _standard_error(values: Sequence[float]) -> float:
    if len(values) < 2:
        return math.inf
    mean = _mean(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))


def _rounded(count: float) -> str:
    """Three digits, as much as an estimate is worth."""
    return f"{float(f'{count:.3g}'):,.0f}" if count < 1e15 else f"{count:.2e}"
