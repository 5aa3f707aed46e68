"""Walks from strategies that are held still: what a sampled method would add to regrets and averages, and by the exact
numbers what it should add on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import regretless as rg
from regretless.evaluation.responses import counterfactual_values
from regretless.kernels.walk_rules import AVERAGE, BASELINE, LEARNS, REGRET, SHOWS
from regretless.methods import Settings
from regretless.sampling.table_strategy import TableStrategy
from regretless.sampling.windows import stretch_of

Array = npt.NDArray[Any]


class Frozen:
    """A sampled method whose regrets call for a given strategy, whatever it walks."""

    def __init__(self, tree: rg.Tree, method: rg.MCCFR, strategy: rg.Strategy, *, seed: int = 0) -> None:
        self.tree, self.method, self.strategy = tree, method, strategy
        place = tree if method.listed is not False else method.opened(tree.game)
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
        walks = self.learner.walks
        while self.learner.store.infosets < self.tree.infosets:
            self.learner.advance(500)
        walks.nodes = 0

    def _spots(self) -> tuple[Array, Array, Array]:
        """The sequences that end in an action [N], and where their regrets and averages lie [N]."""
        store, labels = self.learner.store, self.tree.labels
        if self.method.listed is not False:
            return store.sequences, store.spot, store.spot + store.run
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
        walks.learning[:] = SHOWS
        self.learner.advance(iterations)
        walks.learning[:] = LEARNS
        self.set_regrets()

    def walked(self, player: int, first: int, last: int) -> tuple[Array, Array]:
        """What walks first … last − 1 of a player add to regrets and to averages, [S] each, all of them together."""
        walks = self.learner.walks
        room, learning = walks.rooms[0], np.zeros(len(walks.learning), np.int8)
        learning[player] = LEARNS
        stretch, status = stretch_of(rg.CFR, 1), 1
        while status:
            span = np.array([1, 2, player, 0])
            _, status = walks._call(room, span, (first, last), learning, stretch, settles=False)
        entries, numbers, newcomers, _ = room.log.fill.tolist()
        assert newcomers == 0
        codes = room.log.codes[: 2 * entries].reshape(-1, 2)
        place, kind, count = codes[:, 0] >> 4, codes[:, 0] & 15, codes[:, 1]
        where = np.repeat(place + kind * count - (np.cumsum(count) - count), count) + np.arange(numbers)
        kinds = np.repeat(kind, count)
        deltas = room.log.deltas[:numbers]
        room.log.fill[:] = 0
        out = []
        for wanted, spots in ((REGRET, self.regrets), (AVERAGE, self.averages)):
            mine = kinds == wanted
            sums = np.bincount(where[mine], deltas[mine], minlength=len(self.learner.store.values))
            out.append(np.zeros(self.tree.sequences))
            out[-1][self.sequences] = sums[spots]
        assert kinds.max(initial=0) < BASELINE or self.method.baseline
        return out[0], out[1]


@dataclass(frozen=True)
class Means:
    """Means of batches and their standard errors, [S]."""

    mean: Array
    error: Array

    def distances(self, exact: Array) -> Array:
        """How many standard errors each mean is away; where there is no spread it must be exact."""
        still = self.error < 1e-12
        assert np.allclose(self.mean[still], exact[still], atol=1e-9)
        return np.asarray((self.mean - exact)[~still] / self.error[~still])


def means(frozen: Frozen, walks: int, batches: int = 100) -> tuple[Means, Means]:
    """Of what one walk of everybody adds to regrets and averages."""
    regrets, averages = np.zeros((2, batches, frozen.tree.sequences))
    size = walks // batches
    for batch in range(batches):
        for player in range(frozen.tree.players):
            new, plan = frozen.walked(player, batch * size, (batch + 1) * size)
            regrets[batch] += new / size
            averages[batch] += plan / size
    return tuple(Means(x.mean(axis=0), x.std(axis=0, ddof=1) / batches**0.5) for x in (regrets, averages))  # type: ignore[return-value]


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
