"""Neural fictitious self-play on a listed game, with exact exploitability of the average networks."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
import torch

from regretless.deep.games.listed_game import ListedGame
from regretless.deep.learners.fictitious_learner import FictitiousLearner
from regretless.deep.learners.fictitious_player import FictitiousPlayer
from regretless.deep.methods import NFSP
from regretless.deep.pytorch import torch_device
from regretless.deep.walks.selfplay import MixedPlays, play_mixed
from regretless.evaluation.responses import plan_of
from regretless.method import Settings
from regretless.methods.tree_learner import TreeLearner, opening_of
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["ListedNFSP"]

Array = npt.NDArray[Any]


class ListedFictitiousPlayer(FictitiousPlayer):
    """A player whose target network is stored as its values at all own infosets."""

    game: ListedGame

    def __init__(self, game: ListedGame, method: NFSP, player: int, seed: int, unit: float) -> None:
        super().__init__(game, method, player, seed, unit)
        self.own = game.infosets_of([player])  # [i]
        self.values = torch.zeros(game.tree.infosets, device=game.device)  # [I] of the target network
        self.update_target()

    @property
    def target(self) -> torch.Tensor:
        """The values at all infosets."""
        return self.values

    def update_target(self) -> None:
        """Compute the values at all own infosets."""
        outputs = self.response.outputs(self.game.features(self.own))
        self.values[self.own] = outputs.masked_fill(~self.game.legal(self.own), -torch.inf).amax(1)

    def target_values(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n] the stored values."""
        return self.values[infosets]

    def outputs_are_finite(self) -> bool:
        """Whether the outputs of both networks at all own infosets are finite."""
        features = self.game.features(self.own)
        return all(bool(torch.isfinite(net.outputs(features)).all()) for net in (self.response, self.average))


class ListedNFSP(FictitiousLearner, TreeLearner):
    """The networks of all players on a tree.

    Once in an iteration networks are evaluated at all infosets of their players, not at every visit.
    """

    def __init__(self, tree: Tree, method: NFSP, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.method = method
        self.game = ListedGame(tree, torch_device(settings.device))
        self.device = self.game.device
        self.opening = opening_of(tree, settings)
        self.own = {player: self.game.infosets_of([player]) for player in range(tree.players)}
        unit = tree.listing.largest_payoff or 1.0
        self.players = {
            player: ListedFictitiousPlayer(self.game, method, player, settings.seed, unit) for player in self.learners
        }
        self.check_memory()
        fixed = self.game.by_infoset(self.opening.probabilities)
        self.tables = torch.stack([fixed, fixed])  # [2, I, A] the strategies of averages and of best responses
        self.update_tables()

    def update_tables(self) -> None:
        """Evaluate all networks at all infosets."""
        for player, networks in self.players.items():
            own = self.own[player]
            self.tables[0, own] = networks.average_strategy(own)
            self.tables[1, own] = networks.best_response(own)

    def play(self, generator: torch.Generator) -> MixedPlays:
        """The plays of one iteration."""
        return play_mixed(self.game, self.tables, self.method.anticipation, self.method.plays, generator)

    def current(self) -> Array:
        """[S] the current best responses, exploration included."""
        return self.game.by_sequence(self.tables[1])

    def profile(self) -> Array:
        """[S] the plan of the average networks."""
        return plan_of(self.tree, Strategy(self.tree.labels, self.game.by_sequence(self.tables[0])))

    def arrays(self) -> dict[str, Array]:
        """Memories, networks, counts, and the plan of the average networks."""
        return {"average": self.profile()} | self.learned_arrays()

    def measure(self) -> dict[str, float]:
        """Also histories visited, samples in all memories, and the mean losses of the latest updates."""
        return super().measure() | self.counts()
