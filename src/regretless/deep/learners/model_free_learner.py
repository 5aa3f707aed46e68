"""DREAM and ESCHER: Deep CFR whose advantages come from sampled paths and from a network of history values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import torch

from regretless.deep.learners.deep_cfr_learner import DeepCFRLearner
from regretless.deep.learners.history_values import HistoryValues
from regretless.deep.learners.listed_deep_cfr import ListedDeepCFR
from regretless.deep.learners.network_learner import with_prefix
from regretless.deep.learners.unlisted_deep_cfr import UnlistedDeepCFR
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.model_free_methods import DREAM, ESCHER
from regretless.deep.walks.outcome_sampling import (
    Paths,
    corrected_values,
    explore,
    sample_paths,
    strategies_of_others,
)
from regretless.deep.walks.traversal import Samples, WalkResult
from regretless.method import Settings
from regretless.sampling.unlisted_problem import Unlisted
from regretless.tree import Tree

__all__ = ["ListedModelFree", "UnlistedModelFree"]

Array = npt.NDArray[Any]


class ModelFreeLearner(DeepCFRLearner):
    """Walks by outcome sampling; subclasses say how all players' strategies are read."""

    model_free: DREAM | ESCHER
    values: HistoryValues

    def walk(self, player: int, generator: torch.Generator) -> WalkResult:
        """Sample paths, and compute advantages from them and from the network of history values."""
        method, game = self.model_free, self.game
        corrected = isinstance(method, DREAM)
        share = method.exploration if isinstance(method, DREAM) else 1.0
        if corrected:  # estimates must not depend on the paths that they correct
            self.values.refit(self.iteration + 1, player)
        paths = sample_paths(game, player, method.traversals, self.strategy_at, explore(share), generator)
        self.values.learn(paths)
        if not corrected:
            self.values.refit(self.iteration + 1, player)
        advantages = self._advantages(paths, player, corrected=corrected)
        strategies = strategies_of_others(paths, player, game.players, weighted=corrected)
        return WalkResult(advantages, strategies, paths.nodes)

    def remember(self, log: UndoLog) -> None:
        """Also the network of history values and its memory."""
        super().remember(log)
        log.watch(self.values.memory)
        log.tensors(self.values.trainer.state().values())
        log.fields(self.values, "loss", "ready")

    def _advantages(self, paths: Paths, player: int, *, corrected: bool) -> Samples:
        """The advantages at the player's decisions.

        DREAM's weights are divided by the probabilities that the player's own actions were sampled with. ESCHER's
        sampling policy never changes, so this factor is the same in all iterations, and is left out.
        """
        moves = paths.moves
        estimates = self.values.estimates(moves.states, player)
        own = (moves.movers == player).nonzero()[:, 0]
        if corrected:
            of_action, of_decision = corrected_values(paths, player, estimates)
            of_action, of_decision, weights = of_action[own], of_decision[own], 1 / moves.reach[own]
        else:
            of_action, weights = estimates[own], None
            of_decision = (moves.strategy[own] * of_action).sum(1)
        values = (of_action - of_decision[:, None]) * moves.legal[own]
        return Samples(moves.infosets[own], values, weights=weights)

    def learned_arrays(self) -> dict[str, Array]:
        """Also the network of history values and its memory."""
        return super().learned_arrays() | {f"values_{name}": array for name, array in self.values.arrays().items()}

    def restore_learned(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Also the network of history values and its memory."""
        super().restore_learned(arrays, iteration)
        self.values.restore(with_prefix(arrays, "values_"))

    def counts(self) -> dict[str, float]:
        """Also the decisions sampled so far, and the loss of the history values."""
        sampled = float(self.values.memory.seen)
        return super().counts() | {"decisions": sampled, "value_loss": self.values.loss}


class ListedModelFree(ModelFreeLearner, ListedDeepCFR):
    """DREAM or ESCHER on a listed game, with exact exploitability."""

    def __init__(self, tree: Tree, method: DREAM | ESCHER, settings: Settings) -> None:
        super().__init__(tree, method.advantage_settings(listed=True), settings)
        self.model_free, self.named = method, method.name
        mirrored = tree.players == 2 and tree.zero_sum
        self.values = HistoryValues(
            self.game, method, settings.seed, lambda _, infosets: self.strategy[infosets], mirrored=mirrored
        )


class UnlistedModelFree(ModelFreeLearner, UnlistedDeepCFR):
    """DREAM or ESCHER on a compiled game that is not listed, with a lower bound on exploitability."""

    def __init__(self, unlisted: Unlisted, method: DREAM | ESCHER, settings: Settings) -> None:
        super().__init__(unlisted, method.advantage_settings(listed=False), settings)
        self.model_free, self.named = method, method.name
        self.values = HistoryValues(self.game, method, settings.seed, self._strategies, mirrored=False)

    def _strategies(self, movers: torch.Tensor, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] the current strategies of movers [n]."""
        found = torch.zeros((len(movers), self.game.heads), device=self.game.device)
        for player in range(self.game.players):
            which = (movers == player).nonzero()[:, 0]
            found[which] = self.strategy_at(player, infosets[which])
        return found
