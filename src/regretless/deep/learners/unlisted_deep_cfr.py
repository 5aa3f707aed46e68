"""Deep CFR on a compiled game that is not listed, with a lower bound on exploitability.

The strategy of a run is a table: the outputs of the strategy network at the visited infosets, uniform elsewhere. The
bound is that of this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.compiled_game import UnlistedGame
from regretless.deep.learners.deep_cfr_learner import DeepCFRLearner
from regretless.deep.learners.strategy_network import StrategyNetwork
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.methods import DeepCFR
from regretless.deep.pytorch import torch_device, torch_threads
from regretless.deep.walks.random_streams import Purpose, stream
from regretless.errors import OptionError
from regretless.kernels.constants import AVERAGE, REGRET
from regretless.kernels.sampling.infoset_table import VALUES
from regretless.method import Settings
from regretless.sampling.lower_bound import LowerBound
from regretless.sampling.table_strategy import TableStrategy
from regretless.sampling.unlisted_problem import Unlisted

__all__ = ["UnlistedDeepCFR"]

Array = npt.NDArray[Any]


class UnlistedDeepCFR(DeepCFRLearner):
    """The networks of all players on a game that is not listed."""

    game: UnlistedGame
    network: StrategyNetwork
    known_instead = "only a lower bound is known for a game that is not listed"
    measured_every = 1.5
    """The bound is expensive: it is computed each time the iterations have grown by this factor."""

    def __init__(self, unlisted: Unlisted, method: DeepCFR, settings: Settings) -> None:
        name = type(unlisted.game).__name__
        if method.averaging == "value-networks":
            raise OptionError(
                f"{name} is not listed, and the average of all value networks is exact on listed games only: use "
                "averaging='strategy-network' (deep-cfr)"
            )
        device = torch_device(settings.device)
        game = UnlistedGame(unlisted, device, stream(device, settings.seed, 0, 0, Purpose.PLAY))
        super().__init__(unlisted, game, method.replace(memory=method.memory or "merged"), settings)
        self.unlisted = unlisted
        players = self.advantages
        self.cached = {player: torch.zeros(0, game.heads) for player in players}  # [I, A] strategies …
        self.is_cached = {player: torch.zeros(0, dtype=torch.bool) for player in players}  # [I] … where computed
        self.bound = LowerBound(unlisted.compiled, game.store, settings, "external")

    def update_strategy(self, player: int) -> None:
        """Clear the cache of a player's strategy."""
        self.is_cached[player].zero_()

    def add_to_average(self, player: int, weight: float) -> None:
        """Nothing: only the strategy network averages."""

    def remember(self, log: UndoLog) -> None:
        """Also the infosets that have been visited."""
        super().remember(log)
        log.on_undo(self.game.mark())

    def iterate(self, iteration: int) -> None:
        """Begin with empty caches, as a run that goes on does: the last bits of outputs depend on the batch."""
        for player in self.is_cached:
            self.update_strategy(player)
        super().iterate(iteration)

    def strategy_at(self, player: int, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] a player's strategy; the network is evaluated once for each infoset until the next refit."""
        size = len(self.is_cached[player])
        if size < self.game.visited:
            more = 2 * self.game.visited - size
            self.is_cached[player] = torch.cat([self.is_cached[player], torch.zeros(more, dtype=torch.bool)])
            self.cached[player] = torch.cat([self.cached[player], torch.zeros(more, self.game.heads)])
        infosets = infosets.long()
        new = infosets[~self.is_cached[player][infosets]].unique()
        if len(new):
            self.cached[player][new] = self.advantages[player].strategy(new)
            self.is_cached[player][new] = True
        return self.cached[player][infosets]

    def _fill_table(self) -> None:
        """Write the strategies at all visited infosets into the table."""
        game, store = self.game, self.game.store
        with torch_threads(self.settings.threads):
            if self.iteration:
                self.network.fit(self.iteration)
            everything = torch.arange(game.visited)
            average = self.network.strategy(everything)
            current = torch.zeros_like(average)
            for player, advantages in self.advantages.items():
                own = everything[game.owner[: game.visited] == player]
                if len(own):
                    current[own] = advantages.strategy(own)
        row, head = game.legal(everything).nonzero(as_tuple=True)
        choice = game.choice[game.action_list[row], head]
        for kind, table in ((REGRET, current), (AVERAGE, average)):
            index = game.slot[row] + kind * game.length[game.action_list[row]] + choice
            store.values[index.numpy()] = table[row, head].numpy()
        store.values[store.table.used[VALUES] :] = 0.0

    def arrays(self) -> dict[str, Array]:
        """The table, memories, networks and counts."""
        self._fill_table()
        heads = self.game.head_of or {}
        kept = {
            **self.game.store.arrays(),
            "nodes": np.array([self.nodes, 0]),
            "heads": np.array([[action, head] for action, head in heads.items()], np.int64).reshape(-1, 2),
        }
        return kept | self.learned_arrays()

    def restore_game(self, arrays: Mapping[str, Array]) -> None:
        """Restore the table of infosets and the heads of actions."""
        self.game.restore({name: arrays[name] for name in self.game.store.arrays()}, arrays["heads"])

    def average_strategy(self) -> TableStrategy:
        """The strategy network's strategy at the visited infosets."""
        self._fill_table()
        return TableStrategy(self.unlisted.labels, self.game.store, AVERAGE)

    def current_strategy(self) -> TableStrategy:
        """The current strategy at the visited infosets."""
        self._fill_table()
        return TableStrategy(self.unlisted.labels, self.game.store, REGRET)

    def measure(self) -> dict[str, float]:
        """A lower bound on exploitability with its confidence interval, the value, and counts."""
        self._fill_table()
        visited = {"infosets": float(self.game.visited)}
        return {**self.bound.measured(self.iteration, self.nodes), **visited, **self.counts()}
