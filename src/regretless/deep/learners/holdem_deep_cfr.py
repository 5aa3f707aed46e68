"""Deep CFR and SD-CFR on hold'em: walks over sampled deals, strategies and exploitability on the whole public tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.deep_learner import DeepLearner
from regretless.deep.learners.holdem_policy import Layout, StrategyAt, StrategyOn, outputs_on
from regretless.deep.learners.strategy_network import StrategyNetwork
from regretless.deep.learners.value_network import Values
from regretless.deep.memories.fixed_infosets import FollowedMemory
from regretless.deep.memories.reservoir import need_room
from regretless.deep.methods import DeepCFR
from regretless.deep.torch_extra import device_of, quick_products, threads_of_torch
from regretless.deep.walks.board_walks import all_boards, drawn_boards, room_for, walk_boards
from regretless.deep.walks.traversal import Walked
from regretless.errors import OptionError
from regretless.method import Settings
from regretless.poker.solving.responses import Responses
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["HoldemDeepCFR"]

Array = npt.NDArray[Any]


class HoldemDeepCFR(DeepLearner):
    """Networks of both players at work on a game of hold'em."""

    game: HoldemGame
    has_boards = True
    copies = False
    """Its tables are gigabytes: a run takes them over as they are."""

    def __init__(self, tree: PublicTree, method: DeepCFR, settings: Settings) -> None:
        if method.memory == "merged" and method.refit != "recursive" and method.boards != "all":
            raise OptionError(
                "memory='merged' follows some infosets in all iterations: on hold'em it needs boards='all'"
            )
        game = HoldemGame(tree.game, device_of(settings.device), strength=method.strength)
        chosen = method.replace(memory=method.memory or "reservoir", network=method.network or "holdem")
        super().__init__(tree, game, chosen, settings)
        self.public = tree
        need_room(8 * tree.numbers, f"the strategy of {tree!r}", game.device, "take a smaller game, or more memory")
        if method.boards:
            last = int(np.diff(tree.book.arrays.street_boards)[-1])
            count = last if method.boards == "all" else method.boards
            need_room(room_for(game, count), f"walking {count:,} boards", game.device, "set boards to a lower number")
        self.every_board = all_boards(game, tree) if method.boards == "all" else None
        self.layout = Layout(tree, game)
        self.responses = Responses(tree, settings.device, settings.threads)
        self.sums = torch.zeros(tree.numbers if self.network is None else 0, device=game.device)  # weighted plans

    def strategy_at(self, player: int, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] what a player's network calls for."""
        return self.values[player].strategy(infosets)

    def average_in(self, player: int, weight: float) -> None:
        """Add a player's plan of this iteration to the sum, unless a network averages."""
        if self.network is None:
            with torch.no_grad(), quick_products(self.game.device), self.values[player].trainer.playing():
                self.layout.add(self.sums, player, self._said_by(self.values[player]), weight)

    def play_anew(self, player: int) -> None:
        """Nothing: a network is asked whenever it is needed."""

    def walk(self, player: int, generator: torch.Generator) -> Walked:
        """All hands on some boards, if the method says so; else external sampling."""
        if not self.method.boards:
            return super().walk(player, generator)
        boards = self.every_board or drawn_boards(self.game, int(self.method.boards), generator)
        strategies = [self._said_by(self.values[who]) for who in range(2)]
        playing = [self.values[who].trainer.playing() for who in range(2)]
        memory = self.values[player].memory
        with torch.no_grad(), quick_products(self.game.device), playing[0], playing[1]:
            return walk_boards(
                self.game, player, boards, self.method.traversals, strategies, generator,
                remember=self.network is not None,
                followed=memory.places if isinstance(memory, FollowedMemory) else None,
            )  # fmt: skip

    def _said_by(self, source: Values | StrategyNetwork) -> StrategyOn:
        """What a network makes a player do with some cards; its weights must be those that are played."""

        def strategy_on(infosets: torch.Tensor) -> StrategyAt:
            none = torch.zeros((len(infosets), self.game.heads), device=self.game.device)
            network = source.trainer.network.network
            says = outputs_on(network, self.game, infosets) if source.ready else (lambda _: none)
            return lambda decision: source.turned(says(decision), self.game.allowed[decision].expand(len(none), -1))

        return strategy_on

    def _filled(self, sources: Mapping[int, Values | StrategyNetwork]) -> torch.Tensor:
        """[numbers] the probabilities that networks call for."""
        out = torch.zeros(self.public.numbers, device=self.game.device)
        with torch.no_grad(), quick_products(self.game.device), threads_of_torch(self.settings.threads):
            for player, source in sources.items():
                with source.trainer.playing():
                    self.layout.fill(out, player, self._said_by(source))
        return out

    def averaged(self) -> torch.Tensor:
        """[numbers] what the average strategy is proportional to; the current one before there is any."""
        if self.iteration == 0:
            return self.played()
        if self.network is None:
            return self.sums
        with threads_of_torch(self.settings.threads):
            self.network.fit(self.iteration)
        return self._filled({0: self.network, 1: self.network})

    def played(self) -> torch.Tensor:
        """[numbers] the probabilities of the last iterate."""
        return self._filled(self.values)

    def measure(self) -> dict[str, float]:
        """Exact exploitability in chips and in the units of poker, and what has been touched, held and lost."""
        return self.responses.measured(self.averaged()) | self.counted()

    def arrays(self) -> dict[str, Array]:
        """The average strategy on the tree, memories, networks and what has been counted."""
        return {"average": self.averaged().cpu().numpy(), "nodes": np.array([self.nodes])} | self.learned()

    def result_arrays(self) -> dict[str, Array]:
        """The state, and the probabilities of the last iterate on the tree."""
        return self.arrays() | {"current": self.played().cpu().numpy()}

    def stand_ins(self) -> dict[str, Array]:
        """The average strategy without laying it out."""
        like = np.broadcast_to(np.float32(0), self.public.numbers)
        return {"average": like, "nodes": np.array([self.nodes])} | self.learned()

    def restore_game(self, arrays: Mapping[str, Array]) -> None:
        """Go on with the sum of plans."""
        if self.network is None:
            self.sums.copy_(torch.from_numpy(arrays["average"]))
