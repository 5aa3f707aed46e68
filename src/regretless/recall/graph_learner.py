"""CFR on a graph of positions at work: FSICFR, and plain recursion to compare it with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.evaluation.responses import plan_gaps, plan_of
from regretless.game import Game
from regretless.kernels.numpy_matching import matched_groups
from regretless.kernels.recall.deal_vectors import Blocks, Dealt, deal_values, iterate_deals
from regretless.kernels.recall.infoset_updates import Learned, TurnOrder
from regretless.kernels.recall.path_walks import iterate_paths
from regretless.kernels.recall.position_sweeps import Positions, Reach, iterate, position_values
from regretless.layout.labels import Labels
from regretless.method import Learner, Settings
from regretless.methods.opening import too_large
from regretless.recall.deal_blocks import blocks_of
from regretless.recall.fsicfr import FSICFR
from regretless.recall.graph import Graph
from regretless.recall.remembering import lifted, lifting
from regretless.strategy import Strategy, uniform_probabilities
from regretless.tree import Tree, build

__all__ = ["GraphLearner"]

Array = npt.NDArray[Any]


class GraphLearner(Learner):
    """FSICFR at work on a graph."""

    known_instead = "nothing is known without a twin of the game with perfect recall that can be listed"

    def __init__(self, graph: Graph, method: FSICFR, settings: Settings) -> None:
        super().__init__(graph, settings)
        self.graph, self.method = graph, method
        self.predictive = bool(method.variant.predictive)
        self.learned = _blank(graph.labels, self.predictive)
        self.empty = np.flatnonzero(graph.labels.infoset_of_sequence < 0)
        self.teams, self.team = teams_of(graph, method.variant.alternating)
        self.sweeps = _Sweeps(graph, vector=method.merge)
        self.nodes = np.zeros(1, np.int64)
        self._match()

    def advance(self, iterations: int) -> None:
        """Run more iterations; the average begins anew where the method says so."""
        reset = self.method.reset
        if reset is not None and self.iteration < reset <= self.iteration + iterations:
            before = int(reset) - self.iteration
            self._advance(before)
            self.learned.average[:] = 0.0
            iterations -= before
        self._advance(iterations)

    def _advance(self, iterations: int) -> None:
        steps = self.method.variant.steps(self.iteration + 1, iterations)
        self.nodes[0] += self.sweeps.iterate(self, steps)
        self.iteration += iterations

    def arrays(self) -> dict[str, Array]:
        """Regret, the guess of it, the average, and the positions visited."""
        learned = self.learned
        return {"regret": learned.regret, "guess": learned.guess, "average": learned.average, "nodes": self.nodes}

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        super().restore(arrays, iteration)
        self._match()

    def _match(self) -> None:
        """Match regrets, or the guesses of them, at all infosets."""
        labels, learned = self.graph.labels, self.learned
        real = labels.infoset_of_sequence >= 0
        source = (learned.guess if self.predictive else learned.regret)[real]
        uniform = uniform_probabilities(labels)[real]
        learned.strategy[real] = matched_groups(source, labels.infoset_of_sequence[real], uniform)

    def current(self) -> Array:
        """[S] the strategy of the last iterate; 1 at empty sequences."""
        strategy = self.learned.strategy.copy()
        strategy[self.empty] = 1.0
        return strategy

    def result_arrays(self) -> dict[str, Array]:
        """The state, and the last iterate."""
        return {**self.arrays(), "current": self.current()}

    def measure(self) -> dict[str, float]:
        """One row of a run's history: exploitability in the twin of the game with perfect recall.

        Where there is no twin, exploitability is NaN, and `local_regret` is measured instead.
        """
        strategy = self.average_strategy()
        row = {"nodes": float(self.nodes[0]), "exact": float(self.twin is not None)}
        if self.twin is None:
            regret, worth = self.sweeps.local_regret(strategy)
            unknown = {"exploitability": np.nan, "nash_conv": np.nan}
            return {**unknown, "value": worth, **row, "local_regret": regret / self.graph.players}
        tree, source = self.twin
        gaps = plan_gaps(tree, plan_of(tree, Strategy(tree.labels, lifted(strategy.probabilities, source))))
        conv = gaps.nash_conv
        return {"exploitability": conv / self.graph.players, "nash_conv": conv, "value": float(gaps.values[0]), **row}

    @property
    def exact(self) -> bool:
        """Whether exploitability is measured in the real game."""
        return self.twin is not None

    @cached_property
    def twin(self) -> tuple[Tree, Array] | None:
        """The tree of the real game and how a strategy is lifted to it; None where there is none to be listed."""
        tree = self.graph.twin or self._listed_twin()
        return None if tree is None else (tree, lifting(tree, self.graph.game, self.graph.labels))

    def _listed_twin(self) -> Tree | None:
        game = self.graph.game
        twin: Game | None = game.remembering()
        if self.method.listed is False or twin is None:
            if self.method.listed:
                raise OptionError(
                    f"listed=True measures in the game with perfect recall, and {type(game).__name__} has no "
                    "remembering() that returns it"
                )
            return None
        return build(twin) if self.method.listed or not too_large(twin) else None


class _Sweeps:
    """The arrays that a graph is swept with: blocks of deals where chance only deals, else position by position."""

    def __init__(self, graph: Graph, *, vector: bool) -> None:
        self.graph, self.form = graph, graph.form
        self.blocks: Blocks | None = blocks_of(graph) if vector else None
        self.probe: Learned | None = None
        if self.blocks is not None:
            self.dealt = _dealt(self.blocks)
        else:
            self.reach = _reach(self.form)

    def iterate(self, at_work: GraphLearner, steps: Array) -> int:
        """Run one iteration for each row of `steps`; returns the positions (or blocks of them) visited."""
        method, settings = at_work.method, at_work.settings
        sampled, seed = method.chance == "sampled", np.uint64(settings.seed)
        order = TurnOrder(at_work.empty, at_work.teams, at_work.team)
        if self.blocks is not None:
            visited = iterate_deals(
                self.blocks, at_work.learned, self.dealt, order, steps, at_work.iteration, sampled, seed,
                self.graph.zero_sum, at_work.predictive,
            )  # fmt: skip
        else:
            go = iterate if method.merge else iterate_paths
            visited = go(
                self.form, at_work.learned, self.reach, order, steps, at_work.iteration, sampled, seed,
                at_work.predictive,
            )  # fmt: skip
        return int(visited)

    def local_regret(self, strategy: Strategy) -> tuple[float, float]:
        """What changing a strategy at one infoset alone would gain, summed over infosets; its value to player 0."""
        if self.probe is None:
            self.probe = _blank(self.graph.labels, predictive=False)
        probe, worth = self.probe, 0.0
        probe.strategy[:] = strategy.probabilities
        probe.gain[:] = 0.0
        for player in range(self.graph.players):
            if self.blocks is not None:
                value = deal_values(self.blocks, probe, self.dealt, player)
            else:
                value = self._values(probe, player)
            worth = float(value) if player == 0 else worth
        best = np.maximum.reduceat(probe.gain, probe.first) if len(probe.first) else np.zeros(1)
        return float(best.sum()), worth

    def _values(self, probe: Learned, player: int) -> float:
        reach = self.reach._replace(chance=self.form.chance)
        return float(position_values(self.form, probe, reach, player, self.graph.players))


def teams_of(graph: Graph, alternating: bool) -> tuple[Array, Array]:
    """In whose turn each player's regrets are taken [P], and each infoset is updated [I].

    Players who share an infoset have one strategy between them, so they take their turn together.
    """
    form, players = graph.form, graph.players
    decisions = np.flatnonzero(form.mover >= 0)
    moves = np.zeros((graph.infosets, players), bool)
    moves[form.number[decisions], form.mover[decisions]] = True
    teams = np.arange(players) if alternating else np.zeros(players, np.int64)
    for together in np.unique(moves, axis=0):
        merged = np.unique(teams[together])
        if len(merged):
            teams[np.isin(teams, merged)] = merged[0]
    teams = np.unique(teams, return_inverse=True)[1].reshape(-1)
    return teams.astype(np.int64), teams[moves.argmax(axis=1)].astype(np.int64)


def _blank(labels: Labels, predictive: bool) -> Learned:
    """No regret, nothing averaged."""
    sequences, infosets = labels.sequences, len(labels.names)
    return Learned(
        first=labels.first,
        actions=np.array([len(a) for a in labels.actions], np.int32),
        regret=np.zeros(sequences),
        guess=np.zeros(sequences if predictive else 0),
        average=np.zeros(sequences),
        strategy=np.ones(sequences),
        gain=np.zeros(sequences),
        reach=np.zeros(infosets),
        queue=np.zeros(infosets, np.int32),
        visited=np.zeros(infosets, np.int8),
        queued=np.zeros(1, np.int64),
    )


def _reach(form: Positions) -> Reach:
    positions = len(form.mover)
    return Reach(np.zeros(positions), np.zeros(positions), np.zeros(positions), form.chance.copy())


def _dealt(blocks: Blocks) -> Dealt:
    count, (rows, columns) = len(blocks.mover), blocks.deal.shape
    return Dealt(
        mine=np.zeros((count, rows)),
        theirs=np.zeros((count, columns)),
        value=np.zeros((count, rows, columns)),
        others=np.zeros((rows, columns)),
        probability=np.zeros((rows, columns)),
        worth=np.zeros((rows, columns)),
        mean=np.zeros(max(rows, columns)),
        sequence=np.zeros(max(rows, columns), np.int64),
    )
