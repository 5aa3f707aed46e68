"""Deep CFR and SD-CFR on hold'em: walks over sampled deals or boards, exact exploitability on the public tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.advantage_network import AdvantageNetwork
from regretless.deep.learners.holdem.holdem_learner import HoldemLearner
from regretless.deep.learners.holdem.holdem_policy import PublicTreeLayout
from regretless.deep.learners.strategy_network import StrategyNetwork
from regretless.deep.memories.reservoir import check_memory
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.methods import DeepCFR
from regretless.deep.pytorch import tensor_core_products, torch_device, torch_threads
from regretless.deep.walks.board_walks import all_boards, check_walk
from regretless.errors import OptionError
from regretless.method import Settings
from regretless.poker.solving.responses import Responses
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["HoldemDeepCFR"]

Array = npt.NDArray[Any]


class HoldemDeepCFR(HoldemLearner):
    """The networks of both players on a public tree, where averages and exploitability are exact."""

    copies = False
    """Its tables are gigabytes: a run takes them over without a copy."""

    def __init__(self, tree: PublicTree, method: DeepCFR, settings: Settings) -> None:
        if method.memory == "merged" and method.refit != "recursive" and method.boards != "all":
            raise OptionError(
                "memory='merged' follows some infosets in all iterations: on hold'em it needs boards='all'"
            )
        game = HoldemGame(tree.game, torch_device(settings.device), strength=method.strength)
        chosen = method.replace(memory=method.memory or "reservoir", network=method.network or "holdem")
        super().__init__(tree, game, chosen, settings)
        self.public = tree
        check_memory(8 * tree.numbers, f"the strategy of {tree!r}", game.device, "take a smaller game, or more memory")
        if method.boards:
            last = int(np.diff(tree.book.arrays.street_boards)[-1])
            count = last if method.boards == "all" else method.boards
            check_walk(game, count)
        if method.boards == "all":
            self.every_board = all_boards(game, tree)
        self.layout = PublicTreeLayout(tree, game)
        self.responses = Responses(tree, settings.device, settings.threads)
        self.sums = torch.zeros(tree.numbers if self.network is None else 0, device=game.device)  # weighted plans
        self.noted: dict[int, tuple[float, bool, torch.Tensor]] = {}
        """By player: the weight of this iteration, whether its network had been fitted, and the weights it played."""

    def add_to_average(self, player: int, weight: float) -> None:
        """Note a player's network, unless a network averages: the sum is gigabytes and no iteration that may still fail
        is added to it."""
        if self.network is None:
            source = self.advantages[player]
            self.noted[player] = weight, source.ready, source.trainer.played.clone()

    def complete(self, log: UndoLog) -> None:
        """Add the plans of both players in this iteration to the sum."""
        log.possible = not self.noted
        for player, (weight, ready, played) in self.noted.items():
            source = self.advantages[player]
            with torch.no_grad(), tensor_core_products(self.game.device), source.trainer.with_weights(played):
                self.layout.add(self.sums, player, self._strategy_of(source, ready=ready), weight)
        self.noted.clear()

    def _filled(self, sources: Mapping[int, AdvantageNetwork | StrategyNetwork]) -> torch.Tensor:
        """[numbers] the probabilities of each player's network on the tree."""
        out = torch.zeros(self.public.numbers, device=self.game.device)
        with torch.no_grad(), tensor_core_products(self.game.device), torch_threads(self.settings.threads):
            for player, source in sources.items():
                with source.trainer.with_played_weights():
                    self.layout.fill(out, player, self._strategy_of(source))
        return out

    def averaged(self) -> torch.Tensor:
        """[numbers] proportional to the average strategy; the current one before the first iteration."""
        if self.iteration == 0:
            return self.played()
        if self.network is None:
            return self.sums
        with torch_threads(self.settings.threads):
            self.network.fit(self.iteration)
        return self._filled({0: self.network, 1: self.network})

    def played(self) -> torch.Tensor:
        """[numbers] the probabilities of the last iterate."""
        return self._filled(self.advantages)

    def measure(self) -> dict[str, float]:
        """Exact exploitability in chips and in the units of poker, and counts."""
        return self.responses.measured(self.averaged()) | self.counts()

    def arrays(self) -> dict[str, Array]:
        """The average strategy on the tree, memories, networks and counts."""
        return {"average": self.averaged().cpu().numpy(), "nodes": np.array([self.nodes])} | self.learned_arrays()

    def result_arrays(self) -> dict[str, Array]:
        """The state, and the probabilities of the last iterate on the tree."""
        return self.arrays() | {"current": self.played().cpu().numpy()}

    def stand_ins(self) -> dict[str, Array]:
        """The shape and type of the average strategy without computing it."""
        like = np.broadcast_to(np.float32(0), self.public.numbers)
        return {"average": like, "nodes": np.array([self.nodes])} | self.learned_arrays()

    def restore_game(self, arrays: Mapping[str, Array]) -> None:
        """Restore the sum of plans."""
        if self.network is None:
            self.sums.copy_(torch.from_numpy(arrays["average"]))
