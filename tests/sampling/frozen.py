"""Walks from strategies that are held still: what a sampled method would add to regrets and averages, and by the exact
numbers what it should add on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import regretless as rg
from regretless.evaluation.responses import counterfactual_values
from regretless.kernels.constants import AVERAGE, BASELINE, REGRET
from regretless.kernels.sampling.walk_records import AVERAGES, LEARNS
from regretless.method import Settings
from regretless.sampling.iteration_windows import window_of
from regretless.sampling.table_strategy import TableStrategy

Array = npt.NDArray[Any]


class Frozen:
    """A sampled method whose regrets call for a given strategy, whatever it walks."""

    def __init__(self, tree: rg.Tree, method: rg.MCCFR, strategy: rg.Strategy, *, seed: int = 0) -> None:
        self.tree, self.method, self.strategy, self.nodes = tree, method, strategy, 0
        place = tree if method.listed is not False else method.open(tree.game)
        self.learner: Any = method.learner(place, Settings(seed=seed))
        if method.listed is False:
            self._meet_everybody()
        self.sequences, self.regrets, self.averages = self._spots()
        self.set_regrets()

    def set_regrets(self) -> None:
        """Regrets in proportion to the strategy; averages of all sizes, which average-strategy sampling looks at."""
        values = self.learner.store.values
        values[self.regrets] = 3.0 * self.strategy.probabilities[self.sequences]
        values[self.averages] = np.random.default_rng(4).random(len(self.averages)) * 10

    def _meet_everybody(self) -> None:
        self.learner.walks.learning[:] = AVERAGES
        while self.learner.store.infosets < self.tree.infosets:
            self.learner.advance(500)
        self.learner.walks.learning[:] = LEARNS

    def _spots(self) -> tuple[Array, Array, Array]:
        """The sequences that end in an action [N], and where their regrets and averages lie [N]."""
        store, labels = self.learner.store, self.tree.labels
        if self.method.listed is not False:
            return store.sequences, store.regret_at, store.regret_at + store.width
        known = TableStrategy(self.learner.unlisted.labels, store)
        _, place, _, _, actions = store.rows()
        sequences, regrets, averages = [], [], []
        for key, row in known._rows.items():
            mine = np.arange(labels.sequences)[labels.sequences_of(labels.by_player[key])]
            sequences.append(mine)
            regrets.append(place[row] + np.arange(len(mine)))
            averages.append(place[row] + actions[row] + np.arange(len(mine)))
        return np.concatenate(sequences), np.concatenate(regrets), np.concatenate(averages)

    def warm_up(self, iterations: int) -> None:
        """Let baselines learn while regrets stay as they are."""
        walks = self.learner.walks
        walks.learning[:] = AVERAGES
        self.learner.advance(iterations)
        walks.learning[:] = LEARNS
        self.set_regrets()

    def walked(self, player: int, first: int, last: int) -> tuple[Array, Array, Array]:
        """What walks first … last − 1 of a player add to regrets and to averages, all of them together, and how often
        they changed each regret; [S] each."""
        walks = self.learner.walks
        learning = np.zeros(len(walks.learning), np.int8)
        learning[player] = LEARNS
        stretch, status = window_of(rg.CFR, 1), 1
        while status:
            span = np.array([[1, 2, player, 0]])
            nodes, status = walks.call(span, np.array([first, last]), learning, stretch, end_turns=False)
            if status:
                walks.buffers.grow(status)
        self.nodes += nodes
        log = walks.buffers.log_of(0)
        entries, numbers, new_infosets, _ = log.fill[:4].tolist()
        assert new_infosets == 0
        codes = log.codes[: 2 * entries].reshape(-1, 2)
        place, kind, count = codes[:, 0] >> 4, codes[:, 0] & 15, codes[:, 1]
        where = np.repeat(place + kind * count - (np.cumsum(count) - count), count) + np.arange(numbers)
        kinds = np.repeat(kind, count)
        deltas = log.deltas[:numbers]
        log.fill[:] = 0
        assert kinds.max(initial=0) < BASELINE or self.method.baseline
        new, plans, visits = np.zeros((3, self.tree.sequences))
        size, mine = len(self.learner.store.values), kinds == REGRET
        new[self.sequences] = np.bincount(where[mine], deltas[mine], minlength=size)[self.regrets]
        visits[self.sequences] = np.bincount(where[mine], minlength=size)[self.regrets]
        mine = kinds == AVERAGE
        plans[self.sequences] = np.bincount(where[mine], deltas[mine], minlength=size)[self.averages]
        return new, plans, visits


@dataclass(frozen=True)
class Means:
    """Means of batches of walks, [batches, S]."""

    batches: Array

    def distances(self, exact: Array) -> Array:
        """How many standard errors the means are away from exact numbers [S], where walks come by often enough to say.

        Where they all agree the mean must be exact.
        """
        mean, error = self.batches.mean(axis=0), self.batches.std(axis=0, ddof=1) / len(self.batches) ** 0.5
        often = np.mean(self.batches != 0, axis=0) > 0.3
        assert often.sum() > 0.7 * np.count_nonzero(exact)
        still = error < 1e-12
        assert np.allclose(mean[still & often], exact[still & often], atol=1e-9)
        return np.asarray((mean - exact)[often & ~still] / error[often & ~still])


def means(frozen: Frozen, walks: int, batches: int = 100) -> tuple[Means, Means]:
    """Of what one walk of everybody adds to regrets and averages."""
    regrets, averages = np.zeros((2, batches, frozen.tree.sequences))
    size = walks // batches
    for batch in range(batches):
        for player in range(frozen.tree.players):
            new, plan, _ = frozen.walked(player, batch * size, (batch + 1) * size)
            regrets[batch] += new / size
            averages[batch] += plan / size
    return Means(regrets), Means(averages)


def exact_regrets(tree: rg.Tree, strategy: rg.Strategy) -> Array:
    """[S] instantaneous counterfactual regrets."""
    out, labels = np.zeros(tree.sequences), tree.labels
    for player in range(tree.players):
        values = counterfactual_values(tree, strategy, player)
        for key, row in values.items():
            worth = np.array(list(row.values()))
            number = labels.by_player[key if key in labels.by_player else (player, key)]  # type: ignore[index]
            mine = labels.sequences_of(number)
            out[mine] = worth - worth @ strategy.probabilities[mine]
    return out


def exact_averages(tree: rg.Tree, strategy: rg.Strategy, sampling: str, seen: Array | None = None) -> Array:
    """[S] what one walk of everybody adds to averages: own reach times strategy, times what no own action changes.

    Schemes that walk all actions count a player's strategy in its own walks, weighted with how often chance's draws
    lead there; the others count it in everybody else's, at the histories that these reach.
    seen [H]: the moves of chance that are drawn; None for all.
    """
    h, labels = tree.listing, tree.labels
    reach = np.ones((tree.histories, tree.players + 1))  # by each player, and last by what is drawn of chance
    out = np.zeros(tree.sequences)
    for node in range(tree.histories):
        mover, first = int(h.mover[node]), int(h.first_child[node])
        below = slice(first, first + int(h.children[node]))
        if mover == rg.TERMINAL:
            continue
        reach[below] = reach[node]
        if mover == rg.CHANCE:
            if seen is None or seen[node]:
                reach[below, -1] *= h.probability[below]
            continue
        mine = labels.sequences_of(h.index[node])
        chances = strategy.probabilities[mine]
        if sampling in ("chance", "public-chance"):
            out[mine] += reach[node, mover] * reach[node, -1] * chances
        else:
            for walker in set(range(tree.players)) - {mover}:
                out[mine] += np.delete(reach[node], walker).prod() * chances
        reach[below, mover] *= chances
    return out
