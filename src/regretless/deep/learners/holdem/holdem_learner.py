"""What Deep CFR does alike on every kind of hold'em: walks over sampled deals, or over boards with all hands."""

from __future__ import annotations

import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.advantage_network import AdvantageNetwork
from regretless.deep.learners.deep_cfr_learner import DeepCFRLearner
from regretless.deep.learners.holdem.holdem_policy import DecisionFunction, HandStrategy, network_outputs, zero_outputs
from regretless.deep.learners.strategy_network import StrategyNetwork
from regretless.deep.memories.fixed_infosets import FixedInfosetMemory
from regretless.deep.pytorch import tensor_core_products
from regretless.deep.walks.board_walks import Boards, positions_to_follow, sample_boards, walk_boards
from regretless.deep.walks.traversal import WalkResult

__all__ = ["HoldemLearner"]


class HoldemLearner(DeepCFRLearner):
    """The networks of both players on a game of hold'em."""

    game: HoldemGame
    has_boards = True
    every_board: Boards | None = None
    """All boards, for methods that walk all of them."""

    def strategy_at(self, player: int, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] a player's current strategy."""
        return self.advantages[player].strategy(infosets)

    def update_strategy(self, player: int) -> None:
        """Nothing: networks are evaluated when they are needed."""

    def walk(self, player: int, generator: torch.Generator) -> WalkResult:
        """All hands on some boards, if the method has `boards`; else external sampling."""
        if not self.method.boards:
            return super().walk(player, generator)
        boards = self.every_board or sample_boards(self.game, int(self.method.boards), generator)
        strategies = [self._strategy_of(self.advantages[who]) for who in range(2)]
        weights = [self.advantages[who].trainer.with_played_weights() for who in range(2)]
        memory, fixed = self.advantages[player].memory, None
        if isinstance(memory, FixedInfosetMemory):
            if memory.positions is None:
                memory.follow(positions_to_follow(self.game, player, boards, self.method.traversals, generator))
            fixed = memory.positions
        with torch.no_grad(), tensor_core_products(self.game.device), weights[0], weights[1]:
            return walk_boards(
                self.game, player, boards, self.method.traversals, strategies, generator,
                sample_other=self.network is not None,
                fixed=fixed, off_path=self.method.off_path,
            )  # fmt: skip

    def _strategy_of(self, source: AdvantageNetwork | StrategyNetwork, *, ready: bool | None = None) -> HandStrategy:
        """The strategy of a network; the caller has given it the weights that are played, and may say whether they were
        fitted, if they are not the latest."""
        fitted = source.ready if ready is None else ready

        def strategy_of(infosets: torch.Tensor) -> DecisionFunction:
            network, game = source.trainer.network.network, self.game
            outputs = network_outputs(network, game, infosets) if fitted else zero_outputs(game, len(infosets))
            return lambda decisions: source.to_strategy(outputs(decisions), game.allowed[decisions][:, None])

        return strategy_of
