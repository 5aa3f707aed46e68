"""The network that a method names, for a game."""

from __future__ import annotations

from torch import nn

from regretless.deep.games.batched_game import BatchedGame
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.methods import DeepCFR
from regretless.deep.networks.custom_network import CustomNetwork
from regretless.deep.networks.flat_network import FlatNetwork
from regretless.deep.networks.gradients import flatten
from regretless.deep.networks.holdem_network import HoldemNetwork
from regretless.deep.networks.multilayer import Perceptron, ResidualPerceptron
from regretless.errors import OptionError

__all__ = ["build_network", "build_perceptron", "holdem_network"]


def build_network(method: DeepCFR, game: BatchedGame) -> FlatNetwork:
    """A network of the kind and the widths that a method names."""
    if callable(method.network):
        return CustomNetwork(method.network, game.feature_size, game.heads, game.device)
    if method.network == "holdem":
        if not isinstance(game, HoldemGame):
            raise OptionError("network='holdem' reads the cards of hold'em: use 'perceptron' or 'residual' here")
        if not method.widths:
            raise OptionError("the network of hold'em needs a width, and widths=() has none: the paper's is (64,)")
        return flatten(holdem_network(game, method.widths[0]))
    if method.network == "residual":
        return flatten(ResidualPerceptron(game.feature_size, game.heads, method.widths).to(game.device))
    return build_perceptron(game, method.widths)


def build_perceptron(game: BatchedGame, widths: tuple[int, ...]) -> FlatNetwork:
    """Rectified layers of some widths."""
    return flatten(Perceptron(game.feature_size, game.heads, widths).to(game.device))


def holdem_network(game: HoldemGame, width: int) -> nn.Module:
    """The paper's network for a game of hold'em; its card layers are three times as wide as the others."""
    deck = game.game.deck
    network = HoldemNetwork(
        groups=len(game.groups), bets=game.bets.shape[1], heads=game.heads, width=width,
        card_width=3 * width, ranks=len(deck.ranks), suits=len(deck.suits),
    )  # fmt: skip
    return network.to(game.device)
