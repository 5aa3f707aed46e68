"""Neural fictitious self-play on any game: play, store decisions, learn (Heinrich & Silver 2016, algorithm 1)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.learners.fictitious_player import FictitiousPlayer
from regretless.deep.learners.network_learner import NetworkLearner, with_prefix
from regretless.deep.memories.reservoir import check_total_memory
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.methods import NFSP
from regretless.deep.walks.random_streams import Purpose, stream
from regretless.deep.walks.selfplay import MixedPlays
from regretless.errors import OptionError

__all__ = ["FictitiousLearner"]

Array = npt.NDArray[Any]


class FictitiousLearner(NetworkLearner):
    """The networks of all players; subclasses say how a play goes, and store and measure strategies."""

    method: NFSP
    players: Mapping[int, FictitiousPlayer]
    """The networks and memories of each player who learns."""
    device: torch.device
    plays_elsewhere: Callable[[torch.Generator], MixedPlays] | None = None
    """What plays in place of `play`, such as the actors of a cluster."""

    def check_memory(self) -> None:
        """Refuse memories that do not fit."""
        players = self.players.values()
        needed = [memory.bytes_to_allocate for player in players for memory in (player.transitions, player.imitated)]
        check_total_memory(needed, self.device, "set response_capacity or average_capacity lower")

    @abstractmethod
    def play(self, generator: torch.Generator) -> MixedPlays:
        """The plays of one iteration; each player follows its average or its best response for a whole play."""

    def update_tables(self) -> None:
        """Recompute what is derived from the networks; nothing where they are evaluated when they are needed."""

    def iterate(self, iteration: int) -> None:
        """Play, store decisions, learn."""
        generator = stream(self.device, self.settings.seed, iteration, 0, Purpose.PLAY)
        played = (self.plays_elsewhere or self.play)(generator)
        self.nodes += played.nodes
        for player, networks in self.players.items():
            networks.store(played.decisions[player], played.responds[player], generator)
            if not networks.learn(generator):  # the iteration is then undone
                raise OptionError(
                    f"networks diverged in iteration {iteration:,}: set response_rate or average_rate lower"
                )
        self.update_tables()

    def remember(self, log: UndoLog) -> None:
        """Log counts and networks, and watch all memories."""
        log.fields(self, "nodes")
        for player in self.players.values():
            player.remember(log)

    def learned_arrays(self) -> dict[str, Array]:
        """Memories, networks and counts."""
        arrays = {"nodes": np.array([self.nodes])}
        for player, networks in self.players.items():
            arrays |= {f"player_{player}_{name}": array for name, array in networks.arrays().items()}
        return arrays

    def restore_learned(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Restore all memories and networks."""
        for player, networks in self.players.items():
            networks.restore(with_prefix(arrays, f"player_{player}_"))

    def after_restore(self) -> None:
        """Recompute what is derived from the networks."""
        self.update_tables()

    def counts(self) -> dict[str, float]:
        """Histories visited, samples in all memories, and the mean losses of the latest updates."""
        held = [len(n.transitions) + len(n.imitated) for n in self.players.values()]
        losses = np.mean([networks.losses.tolist() for networks in self.players.values()], axis=0)
        return {
            "nodes": float(self.nodes),
            "samples": float(sum(held)),
            "loss": float(losses[1]),
            "response_loss": float(losses[0]),
        }
