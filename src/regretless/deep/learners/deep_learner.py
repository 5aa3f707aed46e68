"""What Deep CFR does on every kind of game: all players in turn walk, remember and refit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import GameOnArrays
from regretless.deep.learners.network_learner import NetworkLearner, part_of
from regretless.deep.learners.strategy_network import StrategyNetwork
from regretless.deep.learners.value_network import Values
from regretless.deep.memories.fixed_infosets import FollowedMemory
from regretless.deep.memories.memory import Memory
from regretless.deep.memories.reservoir import need_room_for_all
from regretless.deep.methods import DeepCFR
from regretless.deep.walks.baselines import baseline_of
from regretless.deep.walks.random_streams import Purpose, stream
from regretless.deep.walks.traversal import Walked, traverse
from regretless.errors import OptionError
from regretless.method import Settings

__all__ = ["DeepLearner"]

Array = npt.NDArray[Any]


class DeepLearner(NetworkLearner):
    """Networks of all players at work on a game; how strategies are kept and measured is the game's own."""

    method: DeepCFR
    has_boards = False
    """Whether there are boards to walk on with all hands at once."""

    def __init__(self, tree: Any, game: GameOnArrays, method: DeepCFR, settings: Settings) -> None:
        super().__init__(tree, settings)
        if method.boards and not self.has_boards:
            raise OptionError("boards= walks hold'em with all hands at once: leave it out of methods for other games")
        if method.strength and not self.has_boards:
            raise OptionError("strength= tells networks how good a hand of hold'em is: leave it out for other games")
        self.game, self.method = game, method
        self.values = {player: Values(game, method, player, settings.seed) for player in self.learners}
        guessed = self.learners if method.baseline else []
        self.baselines = {player: baseline_of(method, game) for player in guessed}
        keeps = method.averaging == "strategy-network"
        self.network = StrategyNetwork(game, method, settings.seed) if keeps else None
        followed = any(isinstance(memory, FollowedMemory) for memory in self.memories)
        setting = "traversals or capacity" if followed else "capacity"
        needed = [memory.room_to_take for memory in self.memories]
        need_room_for_all(needed, game.device, f"set {setting} lower")

    @property
    def measured_every(self) -> float:  # type: ignore[override]
        """Measuring fits the strategy network, where there is one: it is done less often then."""
        return 1.05 if self.network is None else 1.3

    @abstractmethod
    def strategy_at(self, player: int, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] what a player does now at infosets [n, …]."""

    @abstractmethod
    def average_in(self, player: int, weight: float) -> None:
        """Add what a player does in this iteration to the average of all iterations, before its network is refitted."""

    @abstractmethod
    def play_anew(self, player: int) -> None:
        """A player's network has been refitted."""

    def iterate(self, iteration: int) -> None:
        """Every player in turn walks, remembers and refits."""
        weight = float(iteration) if self.method.linear else 1.0
        device, seed = self.game.device, self.settings.seed
        for player in range(self.game.players):
            values = self.values.get(player)
            if values is None and self.network is None:
                continue
            walks = stream(device, seed, iteration, player, Purpose.WALK)
            walked = self.walk(player, walks)
            self.nodes += walked.nodes
            places = stream(device, seed, iteration, player, Purpose.MEMORY)
            if self.network is not None:
                for found in walked.strategies.values():
                    self.network.memory.add(found, weight, places)
            if values is not None:
                self.average_in(player, weight)
                values.learn(walked.advantages, weight, places, iteration)
                self.play_anew(player)

    def walk(self, player: int, generator: torch.Generator) -> Walked:
        """The walks of a player in one iteration."""
        baseline = self.baselines.get(player)
        return traverse(self.game, player, self.method.traversals, self.strategy_at, generator, baseline)

    @property
    def memories(self) -> list[Memory]:
        """Of all players, and of strategies."""
        held = [values.memory for values in self.values.values()]
        return held if self.network is None else [*held, self.network.memory]

    def learned(self) -> dict[str, Array]:
        """Memories, networks and baselines, by name."""
        found: dict[str, Array] = {}
        for player, values in self.values.items():
            found |= {f"player_{player}_{name}": array for name, array in values.arrays().items()}
        for player, baseline in self.baselines.items():
            found |= {f"baseline_{player}_{name}": array for name, array in baseline.arrays().items()}
        if self.network is not None:
            found |= {f"strategy_{name}": array for name, array in self.network.memory.arrays().items()}
        return found

    def restore_learned(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Go on with all memories, networks and baselines."""
        self.restore_game(arrays)
        for player, values in self.values.items():
            values.restore(part_of(arrays, f"player_{player}_"), iteration)
        for player, baseline in self.baselines.items():
            baseline.restore(part_of(arrays, f"baseline_{player}_"))
        if self.network is not None:
            self.network.memory.restore(part_of(arrays, "strategy_"))

    def restored(self) -> None:
        """What networks call for."""
        for player in self.values:
            self.play_anew(player)

    @abstractmethod
    def restore_game(self, arrays: Mapping[str, Array]) -> None:
        """Continue with what is kept besides memories and networks."""

    def counted(self) -> dict[str, float]:
        """Histories touched, samples held in all memories, and the mean loss of the latest refits."""
        return {
            "nodes": float(self.nodes),
            "samples": float(sum(len(memory) for memory in self.memories)),
            "loss": float(np.mean([values.loss for values in self.values.values()])),
        }
