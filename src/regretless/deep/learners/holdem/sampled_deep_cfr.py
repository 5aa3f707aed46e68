"""Deep CFR and SD-CFR on hold'em of any size: only networks and memories are stored, nothing per board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.games.sampled_holdem import SampledHoldem
from regretless.deep.learners.holdem.holdem_learner import HoldemLearner
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.methods import DeepCFR
from regretless.deep.pytorch import torch_device, torch_threads
from regretless.deep.walks.board_walks import check_walk
from regretless.deep.walks.traversal import WalkResult, joined, traverse
from regretless.errors import OptionError
from regretless.method import Settings

__all__ = ["SampledDeepCFR"]

Array = npt.NDArray[Any]

WALKS_AT_ONCE = 1_000
"""Deals of one batch: limit hold'em has up to some 2,000 states of a walk on one level, so a batch takes gigabytes."""


class SampledDeepCFR(HoldemLearner):
    """The networks of both players; for SD-CFR those of all iterations are kept, with their weights."""

    exact = False  # `measure` knows no exploitability, even of games small enough to be laid out
    known_instead = "nothing is known during a solve (rg.exploitability measures a finished run flop by flop)"

    def __init__(self, problem: SampledHoldem, method: DeepCFR, settings: Settings) -> None:
        _check(problem, method)
        game = HoldemGame(problem.game, torch_device(settings.device), strength=method.strength)
        chosen = method.replace(memory=method.memory or "reservoir", network=method.network or "holdem")
        if method.boards:
            check_walk(game, int(method.boards))
        super().__init__(problem, game, chosen, settings)
        self.kept: dict[int, list[tuple[float, Array]]] = {player: [] for player in self.advantages}
        """By player and iteration: the weight of the network that was played, and its weights [N]."""

    def add_to_average(self, player: int, weight: float) -> None:
        """Keep the network of this iteration, unless a strategy network averages."""
        if self.network is None:
            source = self.advantages[player].trainer.played
            played = source if self.advantages[player].ready else torch.zeros_like(source)
            self.kept[player].append((weight, played.cpu().numpy().copy()))

    def remember(self, log: UndoLog) -> None:
        """Also how many networks are kept."""
        super().remember(log)
        counts = {player: len(kept) for player, kept in self.kept.items()}

        def forget() -> None:
            for player, count in counts.items():
                del self.kept[player][count:]

        log.on_undo(forget)

    def walk(self, player: int, generator: torch.Generator) -> WalkResult:
        """Boards with all hands; or deals, some at a time: each visits thousands of histories."""
        if self.method.boards:
            return super().walk(player, generator)
        count, baseline = self.method.traversals, self.baselines.get(player)
        pieces = [min(WALKS_AT_ONCE, count - done) for done in range(0, count, WALKS_AT_ONCE)]
        return joined([traverse(self.game, player, piece, self.strategy_at, generator, baseline) for piece in pieces])

    def measure(self) -> dict[str, float]:
        """Counts; exploitability is not known during a solve."""
        return {"exploitability": np.nan, "nash_conv": np.nan, "value": np.nan} | self.counts()

    def arrays(self) -> dict[str, Array]:
        """The networks of the average strategy, memories, networks and counts."""
        arrays: dict[str, Array] = {"nodes": np.array([self.nodes])}
        if self.network is not None:
            if self.iteration:
                with torch_threads(self.settings.threads):
                    self.network.fit(self.iteration)
            played = self.network.trainer.played  # zeros before the first fit: all actions alike
            arrays["average_network"] = played.cpu().numpy()
        else:
            for player, kept in self.kept.items():
                count = len(self.advantages[player].trainer.played)
                arrays[f"average_{player}_weights"] = np.array([w for _, w in kept], np.float32).reshape(-1, count)
                arrays[f"average_{player}_shares"] = np.array([share for share, _ in kept])
        return arrays | self.learned_arrays()

    def restore_game(self, arrays: Mapping[str, Array]) -> None:
        """Restore the networks of all iterations."""
        if self.network is None:
            for player in self.kept:
                shares, weights = arrays[f"average_{player}_shares"], arrays[f"average_{player}_weights"]
                self.kept[player] = list(zip(shares.tolist(), np.asarray(weights), strict=True))


def _check(problem: SampledHoldem, method: DeepCFR) -> None:
    """Refuse settings that need all boards at once."""
    if method.boards == "all":
        raise OptionError(
            f"boards='all' walks every board in every iteration, and {problem.game.name} has too many and is not laid "
            f"out: set boards to a number such as 10, or listed=True where the game is small enough"
        )
    if method.floor:
        raise OptionError(
            "floor= cuts the mean advantages of memory='merged', which needs boards='all' and a game that is laid out: "
            "leave it out here"
        )
    if method.targets == "strategies" or method.predictive:
        raise OptionError(
            "targets='strategies' and predictive= use the means of memory='merged', which needs boards='all' and a "
            "game that is laid out: leave them out here"
        )
    if method.memory == "merged" and method.refit != "recursive":
        raise OptionError(
            "memory='merged' follows the same infosets in all iterations, which needs boards='all' and a game that is "
            "laid out: use memory='reservoir' here"
        )
