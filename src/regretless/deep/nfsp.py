"""Neural fictitious self-play on a listed game: plays side by side, exploitability of the average networks exact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.extras import device_of, threads_of_torch
from regretless.deep.fictitious_player import FictitiousPlayer
from regretless.deep.listed import ListedGame
from regretless.deep.seeds import Purpose, stream
from regretless.deep.selfplay import play_out
from regretless.errors import FileError
from regretless.evaluation.responses import plan_of
from regretless.methods.deep import NFSP
from regretless.methods.learner import Learner, Settings
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["ListedNFSP"]

Array = npt.NDArray[Any]


class ListedNFSP(Learner):
    """All players' networks at work on a tree.

    Networks are asked once in an iteration for all infosets of their players, not at every visit.
    """

    grows = True

    def __init__(self, tree: Tree, method: NFSP, settings: Settings) -> None:
        super().__init__(tree, settings)
        self.method = method
        self.game = ListedGame(tree, device_of(settings.device))
        self.opening = settings.opening(tree)
        self.own = {player: self.game.infosets_of([player]) for player in range(tree.players)}
        unit = float(np.abs(tree.listing.payoffs).max(initial=0.0)) or 1.0
        self.players = {
            player: FictitiousPlayer(self.game, method, player, settings.seed, unit) for player in self.learners
        }
        fixed = self.game.by_infoset(self.opening.probabilities)
        self.tables = torch.stack([fixed, fixed])  # [2, I, A] what averages and best responses do
        self._play()
        self.nodes = 0
        """Histories touched."""

    def _play(self) -> None:
        """What networks call for now, at all infosets."""
        for player, networks in self.players.items():
            own = self.own[player]
            self.tables[0, own] = networks.average_strategy(own)
            self.tables[1, own] = networks.best_response(own)

    def advance(self, iterations: int) -> None:
        """Run so many more iterations."""
        with threads_of_torch(self.settings.threads):
            for _ in range(iterations):
                self._iterate(self.iteration + 1)
                self.iteration += 1

    def _iterate(self, iteration: int) -> None:
        """Play, remember, learn."""
        device, seed, plays = self.game.device, self.settings.seed, self.method.plays
        generator = stream(device, seed, iteration, 0, Purpose.PLAY)
        draws = torch.rand(self.tree.players, plays, device=device, generator=generator)
        responds = draws < self.method.anticipation  # [P, plays]

        def strategy_at(player: int, infosets: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
            return self.tables[responds[player, numbers].long(), infosets]

        decisions, nodes = play_out(self.game, plays, strategy_at, generator)
        self.nodes += nodes
        for player, networks in self.players.items():
            networks.remember(decisions[player], responds[player], generator)
            networks.learn(generator)
        self._play()

    def current(self) -> Array:
        """[S] what best responses do now, exploration included."""
        return self.game.by_sequence(self.tables[1])

    def profile(self) -> Array:
        """[S] the plan of the average networks."""
        return plan_of(self.tree, Strategy(self.tree.labels, self.game.by_sequence(self.tables[0])))

    def arrays(self) -> dict[str, Array]:
        """Memories, networks, counts, and the plan of the average networks."""
        found = {"average": self.profile(), "nodes": np.array([self.nodes])}
        for player, networks in self.players.items():
            found |= {f"player_{player}_{name}": array for name, array in networks.arrays().items()}
        return found

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        try:
            self.nodes = int(arrays["nodes"][0])
            for player, networks in self.players.items():
                prefix = f"player_{player}_"
                own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
                networks.restore(own)
        except (KeyError, IndexError, ValueError, RuntimeError):
            raise FileError(
                f"the memories of this run are not those of {self.method.name}: the file is damaged"
            ) from None
        self.iteration = iteration
        self._play()

    def measure(self) -> dict[str, float]:
        """Also histories touched, samples held in all memories, and the mean losses of the latest updates."""
        held = [len(n.transitions) + len(n.imitated) for n in self.players.values()]
        losses = np.mean([networks.losses.tolist() for networks in self.players.values()], axis=0)
        return {
            **super().measure(),
            "nodes": float(self.nodes),
            "samples": float(sum(held)),
            "loss": float(losses[1]),
            "response_loss": float(losses[0]),
        }
