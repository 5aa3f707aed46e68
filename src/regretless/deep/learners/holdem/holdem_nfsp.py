"""Neural fictitious self-play on hold'em: parallel plays of sampled deals (Heinrich & Silver 2016, §5)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.games.sampled_holdem import SampledHoldem
from regretless.deep.learners.fictitious_learner import FictitiousLearner
from regretless.deep.learners.fictitious_player import FictitiousPlayer
from regretless.deep.learners.holdem.holdem_policy import DecisionFunction, PublicTreeLayout, network_outputs
from regretless.deep.learners.network_building import build_perceptron
from regretless.deep.memories.reservoir import check_memory
from regretless.deep.methods import NFSP
from regretless.deep.networks.flat_network import FlatNetwork
from regretless.deep.networks.regret_matching import masked_softmax
from regretless.deep.pytorch import tensor_core_products, torch_device, torch_threads
from regretless.deep.walks.selfplay import MixedPlays, play_games
from regretless.method import Settings
from regretless.poker.solving.responses import Responses
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["HoldemNFSP", "PublicNFSP", "SampledNFSP"]

Array = npt.NDArray[Any]


class HoldemFictitiousPlayer(FictitiousPlayer):
    """A player of hold'em, whose target network is a network of its own."""

    def __init__(self, game: HoldemGame, method: NFSP, player: int, seed: int, unit: float) -> None:
        super().__init__(game, method, player, seed, unit)
        self.earlier = build_perceptron(game, method.widths)
        self.update_target()

    @property
    def target(self) -> torch.Tensor:
        """The weights of the target network."""
        return self.earlier.weights

    def update_target(self) -> None:
        """Copy the weights."""
        self.earlier.weights.copy_(self.response.weights)

    def target_values(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n] the highest value of an action, by the target network."""
        outputs = self.earlier.outputs(self.game.features(infosets))
        return outputs.masked_fill(~self.game.legal(infosets), -torch.inf).amax(1)

    def outputs_are_finite(self) -> bool:
        """Whether both networks have finite outputs at some infosets of the memory."""
        held = min(len(self.transitions), self.method.batch)
        features = self.game.features(self.transitions.infosets[:held])
        return all(bool(torch.isfinite(net.outputs(features)).all()) for net in (self.response, self.average))


class HoldemNFSP(FictitiousLearner):
    """The networks of both players; subclasses store and measure strategies."""

    def __init__(self, problem: PublicTree | SampledHoldem, method: NFSP, settings: Settings) -> None:
        super().__init__(problem, settings)
        self.method = method
        self.game = HoldemGame(problem.game, torch_device(settings.device))
        self.device = self.game.device
        unit = float(max(self.game.win.abs().max(), self.game.lose.abs().max())) or 1.0
        self.players = {
            player: HoldemFictitiousPlayer(self.game, method, player, settings.seed, unit) for player in self.learners
        }
        self.check_memory()

    def play(self, generator: torch.Generator) -> MixedPlays:
        """The plays of one iteration; each player follows its average or its best response for a whole play."""
        count = self.method.plays
        responds = torch.rand(2, count, device=self.game.device, generator=generator) < self.method.anticipation

        def strategy_at(player: int, infosets: torch.Tensor, plays: torch.Tensor) -> torch.Tensor:
            networks, chosen = self.players[player], responds[player, plays]
            out = torch.empty((len(plays), self.game.heads), device=self.game.device)
            for mask, strategy in ((chosen, networks.best_response), (~chosen, networks.average_strategy)):
                if mask.any():
                    out[mask] = strategy(infosets[mask])
            return out

        decisions, nodes = play_games(self.game, count, strategy_at, generator)
        return MixedPlays(decisions, responds, nodes)


class SampledNFSP(HoldemNFSP):
    """On hold'em whose cards are dealt on demand."""

    exact = False  # `measure` knows no exploitability, even of games small enough to be laid out
    known_instead = "nothing is known during a solve (rg.exploitability measures a finished run flop by flop)"

    def arrays(self) -> dict[str, Array]:
        """Memories, networks and counts."""
        return self.learned_arrays()

    def measure(self) -> dict[str, float]:
        """Counts; exploitability is not known during a solve."""
        return {"exploitability": np.nan, "nash_conv": np.nan, "value": np.nan} | self.counts()


class PublicNFSP(HoldemNFSP):
    """On a public tree, with exact exploitability of the average networks."""

    copies = False
    """Its tables may be gigabytes: a run takes them over without a copy."""

    def __init__(self, tree: PublicTree, method: NFSP, settings: Settings) -> None:
        super().__init__(tree, method, settings)
        self.public = tree
        check_memory(8 * tree.numbers, f"the strategy of {tree!r}", self.device, "take a smaller game, or listed=False")
        self.layout = PublicTreeLayout(tree, self.game)
        self.responses = Responses(tree, settings.device, settings.threads)

    def _filled(self, *, average: bool) -> torch.Tensor:
        """[numbers] the probabilities of the average networks, or of the best responses, on the tree."""
        out = torch.zeros(self.public.numbers, device=self.game.device)
        with torch.no_grad(), tensor_core_products(self.game.device), torch_threads(self.settings.threads):
            for player, networks in self.players.items():
                to_strategy = masked_softmax if average else networks.greedy
                network = networks.average if average else networks.response
                self.layout.fill(out, player, partial(self._strategy, network, to_strategy))
        return out

    def _strategy(self, network: FlatNetwork, to_strategy: Any, infosets: torch.Tensor) -> DecisionFunction:
        outputs, allowed = network_outputs(network.network, self.game, infosets), self.game.allowed
        return lambda decisions: to_strategy(outputs(decisions), allowed[decisions][:, None])

    def measure(self) -> dict[str, float]:
        """Exact exploitability in chips and in the units of poker, and counts."""
        return self.responses.measured(self._filled(average=True)) | self.counts()

    def arrays(self) -> dict[str, Array]:
        """The average strategy on the tree, memories, networks and counts."""
        return {"average": self._filled(average=True).cpu().numpy()} | self.learned_arrays()

    def result_arrays(self) -> dict[str, Array]:
        """The state, and the best responses on the tree."""
        return self.arrays() | {"current": self._filled(average=False).cpu().numpy()}

    def stand_ins(self) -> dict[str, Array]:
        """The shape and type of the average strategy without computing it."""
        return {"average": np.broadcast_to(np.float32(0), self.public.numbers)} | self.learned_arrays()
