"""Deep CFR on a compiled game that is never listed: exploitability is bounded from below.

The strategy of a run is what the strategy network says at the infosets that were met, and uniform elsewhere, as a
table; that is also what the bound is of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.compiled_game import UnlistedGame
from regretless.deep.learners.deep_learner import DeepLearner
from regretless.deep.learners.strategy_network import StrategyNetwork
from regretless.deep.methods import DeepCFR
from regretless.deep.torch_extra import device_of, threads_of_torch
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


class UnlistedDeepCFR(DeepLearner):
    """Networks of all players at work on a game that is never listed."""

    game: UnlistedGame
    network: StrategyNetwork
    known_instead = "only a lower bound is known for a game that is not listed"
    measured_every = 1.5
    """Bounding exploitability takes a while: it is done each time the iterations have grown by this factor."""

    def __init__(self, unlisted: Unlisted, method: DeepCFR, settings: Settings) -> None:
        name = type(unlisted.game).__name__
        if method.averaging == "value-networks":
            raise OptionError(
                f"{name} is not listed, and the average of all value networks is exact on listed games only: use "
                "averaging='strategy-network' (deep-cfr)"
            )
        device = device_of(settings.device)
        game = UnlistedGame(unlisted, device, stream(device, settings.seed, 0, 0, Purpose.PLAY))
        super().__init__(unlisted, game, method.replace(memory=method.memory or "merged"), settings)
        self.unlisted = unlisted
        self.said = {p: torch.zeros(0, game.heads) for p in self.values}  # [I, A] what networks said of infosets …
        self.asked = {p: torch.zeros(0, dtype=torch.bool) for p in self.values}  # [I] … where they were asked
        self.bound = LowerBound(unlisted.compiled, game.store, settings, "external")

    def play_anew(self, player: int) -> None:
        """Forget what a player's network said."""
        self.asked[player].zero_()

    def average_in(self, player: int, weight: float) -> None:
        """Nothing: strategies are averaged by their network alone."""

    def strategy_at(self, player: int, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] what a player's network calls for; it is asked once for each infoset until the next refit."""
        room = len(self.asked[player])
        if room < self.game.met:
            more = 2 * self.game.met - room
            self.asked[player] = torch.cat([self.asked[player], torch.zeros(more, dtype=torch.bool)])
            self.said[player] = torch.cat([self.said[player], torch.zeros(more, self.game.heads)])
        infosets = infosets.long()
        new = infosets[~self.asked[player][infosets]].unique()
        if len(new):
            self.said[player][new] = self.values[player].strategy(new)
            self.asked[player][new] = True
        return self.said[player][infosets]

    def _fill_table(self) -> None:
        """Write what networks say of all infosets met into the table."""
        game, store = self.game, self.game.store
        with threads_of_torch(self.settings.threads):
            if self.iteration:
                self.network.fit(self.iteration)
            everything = torch.arange(game.met)
            average = self.network.strategy(everything)
            current = torch.zeros_like(average)
            for player, values in self.values.items():
                own = everything[game.owner[: game.met] == player]
                if len(own):
                    current[own] = values.strategy(own)
        row, head = game.legal(everything).nonzero(as_tuple=True)
        choice = game.choice[game.menu[row], head]
        for kind, table in ((REGRET, current), (AVERAGE, average)):
            spot = game.place[row] + kind * game.length[game.menu[row]] + choice
            store.values[spot.numpy()] = table[row, head].numpy()
        store.values[store.table.used[VALUES] :] = 0.0

    def arrays(self) -> dict[str, Array]:
        """The table, memories, networks and what has been counted."""
        self._fill_table()
        heads = self.game.head_of or {}
        found = {
            **self.game.store.arrays(),
            "nodes": np.array([self.nodes, 0]),
            "heads": np.array([[action, head] for action, head in heads.items()], np.int64).reshape(-1, 2),
        }
        return found | self.learned()

    def restore_game(self, arrays: Mapping[str, Array]) -> None:
        """Go on with the table of infosets and the heads of actions."""
        self.game.restore({name: arrays[name] for name in self.game.store.arrays()}, arrays["heads"])

    def average_strategy(self) -> TableStrategy:
        """What the strategy network says, at the infosets met."""
        self._fill_table()
        return TableStrategy(self.unlisted.labels, self.game.store, AVERAGE)

    def current_strategy(self) -> TableStrategy:
        """What the value networks call for now, at the infosets met."""
        self._fill_table()
        return TableStrategy(self.unlisted.labels, self.game.store, REGRET)

    def measure(self) -> dict[str, float]:
        """A lower bound on exploitability with its confidence interval, the value, and how much has been met."""
        self._fill_table()
        met = {"infosets": float(self.game.met)}
        return {**self.bound.measured(self.iteration, self.nodes), **met, **self.counted()}
