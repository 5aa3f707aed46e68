"""Deep CFR on every kind of problem: in every iteration each player in turn walks, stores samples and refits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame
from regretless.deep.learners.advantage_network import AdvantageNetwork
from regretless.deep.learners.network_learner import NetworkLearner, with_prefix
from regretless.deep.learners.strategy_network import StrategyNetwork
from regretless.deep.memories.fixed_infosets import FixedInfosetMemory
from regretless.deep.memories.memory import Memory
from regretless.deep.memories.reservoir import check_total_memory
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.methods import DeepCFR
from regretless.deep.walks.baselines import make_baseline
from regretless.deep.walks.random_streams import Purpose, stream
from regretless.deep.walks.traversal import WalkResult, traverse
from regretless.errors import OptionError
from regretless.method import Settings

__all__ = ["DeepCFRLearner"]

Array = npt.NDArray[Any]


class DeepCFRLearner(NetworkLearner):
    """The networks of all players; subclasses store and measure strategies for their kind of problem."""

    method: DeepCFR
    has_boards = False
    """Whether there are boards that can be walked with all hands at once."""
    walks_elsewhere: Callable[[int, torch.Generator], WalkResult] | None = None
    """Walks in place of `walk`, on other machines; None walks here."""

    def __init__(self, problem: Any, game: BatchedGame, method: DeepCFR, settings: Settings) -> None:
        super().__init__(problem, settings)
        if method.boards and not self.has_boards:
            raise OptionError("boards= walks hold'em with all hands at once: leave it out of methods for other games")
        if method.strength and not self.has_boards:
            raise OptionError("strength= tells networks how good a hand of hold'em is: leave it out for other games")
        if method.strength == "expected" and not method.boards:
            raise OptionError(
                "strength='expected' is computed for all hands on a board together: set boards to a number or 'all', "
                "or strength to True"
            )
        if method.off_path < 1 and not method.boards:
            raise OptionError("off_path= draws samples on boards with all hands: set boards too, or leave it out")
        self.game, self.method = game, method
        self.advantages = {player: AdvantageNetwork(game, method, player, settings.seed) for player in self.learners}
        with_baseline = self.learners if method.baseline else []
        self.baselines = {player: make_baseline(method, game) for player in with_baseline}
        keeps = method.averaging == "strategy-network"
        self.network = StrategyNetwork(game, method, settings.seed) if keeps else None
        fixed = any(isinstance(memory, FixedInfosetMemory) for memory in self.memories)
        setting = "traversals or capacity" if fixed else "capacity"
        needed = [memory.bytes_to_allocate for memory in self.memories]
        check_total_memory(needed, game.device, f"set {setting} lower")

    @property
    def measured_every(self) -> float:  # type: ignore[override]
        """With a strategy network a measurement includes its fit, so there are fewer of them."""
        return 1.05 if self.network is None else 1.3

    @abstractmethod
    def strategy_at(self, player: int, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] a player's current strategy at infosets [n, …]."""

    @abstractmethod
    def add_to_average(self, player: int, weight: float) -> None:
        """Add a player's current strategy to the average, before its network is refitted."""

    @abstractmethod
    def update_strategy(self, player: int) -> None:
        """Called after a player's network was refitted."""

    def iterate(self, iteration: int) -> None:
        """Each player in turn walks, stores samples and refits."""
        weight = float(iteration) if self.method.linear else 1.0
        device, seed = self.game.device, self.settings.seed
        for player in range(self.game.players):
            advantages = self.advantages.get(player)
            if advantages is None and self.network is None:
                continue
            walk = self.walks_elsewhere or self.walk
            walked = walk(player, stream(device, seed, iteration, player, Purpose.WALK))
            self.nodes += walked.nodes
            slots = stream(device, seed, iteration, player, Purpose.MEMORY)
            if self.network is not None:
                for samples in walked.strategies.values():
                    self.network.memory.add(samples, weight, slots)
            if advantages is not None:
                self.add_to_average(player, weight)
                advantages.learn(walked.advantages, weight, slots, iteration)
                self.update_strategy(player)

    def remember(self, log: UndoLog) -> None:
        """Log counts, networks and baselines, and watch all memories."""
        log.fields(self, "nodes")
        log.watch(*self.memories)
        for advantages in self.advantages.values():
            log.tensors(advantages.trainer.state().values())
            log.fields(advantages, "loss", "ready")
        for baseline in self.baselines.values():
            baseline.remember(log)

    def walk(self, player: int, generator: torch.Generator) -> WalkResult:
        """The walks of a player in one iteration."""
        baseline = self.baselines.get(player)
        return traverse(self.game, player, self.method.traversals, self.strategy_at, generator, baseline)

    @property
    def memories(self) -> list[Memory]:
        """The memories of all players, and of strategies."""
        held = [advantages.memory for advantages in self.advantages.values()]
        return held if self.network is None else [*held, self.network.memory]

    def learned_arrays(self) -> dict[str, Array]:
        """Memories, networks and baselines, by name."""
        arrays: dict[str, Array] = {}
        for player, advantages in self.advantages.items():
            arrays |= {f"player_{player}_{name}": array for name, array in advantages.arrays().items()}
        for player, baseline in self.baselines.items():
            arrays |= {f"baseline_{player}_{name}": array for name, array in baseline.arrays().items()}
        if self.network is not None:
            arrays |= {f"strategy_{name}": array for name, array in self.network.arrays().items()}
        return arrays

    def restore_learned(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Restore all memories, networks and baselines."""
        self.restore_game(arrays)
        for player, advantages in self.advantages.items():
            advantages.restore(with_prefix(arrays, f"player_{player}_"), iteration)
        for player, baseline in self.baselines.items():
            baseline.restore(with_prefix(arrays, f"baseline_{player}_"))
        if self.network is not None:
            self.network.restore(with_prefix(arrays, "strategy_"))

    def after_restore(self) -> None:
        """Recompute the current strategies."""
        for player in self.advantages:
            self.update_strategy(player)

    @property
    def failure(self) -> str | None:
        """A fit of the strategy network that diverged."""
        failure = None if self.network is None else self.network.failure
        return failure and (
            f"{failure}: resume from a checkpoint, which fits it again after later iterations, or solve anew with a "
            f"rate lower than {self.method.rate:g}"
        )

    @abstractmethod
    def restore_game(self, arrays: Mapping[str, Array]) -> None:
        """Restore what is stored besides memories and networks."""

    def counts(self) -> dict[str, float]:
        """Histories visited, samples in all memories, and the mean loss of the latest refits."""
        return {
            "nodes": float(self.nodes),
            "samples": float(sum(len(memory) for memory in self.memories)),
            "loss": float(np.mean([advantages.loss for advantages in self.advantages.values()])),
        }
