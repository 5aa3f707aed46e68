"""From the arrays of a run to the networks that play: which weights, and how outputs become probabilities."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.network_building import build_network, build_perceptron
from regretless.deep.methods import NFSP, DeepCFR
from regretless.deep.networks.regret_matching import masked_softmax, match_regrets
from regretless.deep.playing.player_networks import PlayerNetworks, ToStrategy
from regretless.errors import FileError, OptionError
from regretless.problem import Arrays, Which

__all__ = ["in_16_bits", "networks_of", "played_arrays"]

UNFIT = "the networks of this run do not fit its method: the file is damaged"


def played_arrays(method: Any, arrays: Arrays, which: Which) -> dict[str, Any]:
    """Those arrays of a run that its networks are made of, without the memories, which may be gigabytes.

    A single network is copied, because the learner that it comes from may go on.
    """
    needed: list[str] = []
    if isinstance(method, NFSP):
        part = "average" if which == "average" else "response"
        needed = [f"player_{player}_weights_{part}" for player in range(2)]
    elif isinstance(method, DeepCFR) and which == "current":
        needed = [f"player_{player}_network_played" for player in range(2)]
    elif isinstance(method, DeepCFR) and method.averaging == "strategy-network":
        needed = ["average_network"]
    elif isinstance(method, DeepCFR):
        needed = [f"average_{player}_{part}" for player in range(2) for part in ("weights", "shares")]
    if which == "current" and not any(name in arrays for name in needed):
        raise OptionError("a compact run holds the average strategy only: the last iterate is in the run as solved")
    if not all(name in arrays for name in needed):
        raise FileError(UNFIT)
    return {name: np.array(arrays[name]) if arrays[name].ndim == 1 else arrays[name] for name in needed}


def in_16_bits(array: Any) -> Any:
    """Weights of networks as numbers of 16 bits; shares of networks, and weights beyond their range, as they are."""
    if array.dtype != np.float32 or (array.size and float(np.abs(array).max()) > float(np.finfo(np.float16).max)):
        return array
    return array.astype(np.float16)


def networks_of(game: HoldemGame, method: Any, arrays: Arrays, which: Which, player: int) -> PlayerNetworks:
    """A player's networks from the arrays of a run: of the average strategy, or the latest."""
    if isinstance(method, DeepCFR):
        found = _of_deep_cfr(game, method, arrays, which, player)
    elif isinstance(method, NFSP):
        found = _of_nfsp(game, method, arrays, which, player)
    else:
        raise OptionError(f"networks of {getattr(method, 'name', method)} do not play hold'em that is not laid out")
    weights = found.weights
    if weights.ndim != 2 or weights.shape[1] != len(found.network.weights) or len(weights) != len(found.shares):
        raise FileError(UNFIT)
    if not (np.isfinite(weights).all() and np.isfinite(found.shares).all()):
        raise FileError("networks of this run have diverged, some of their weights are not finite: solve it again")
    return found


def _of_deep_cfr(game: HoldemGame, method: DeepCFR, arrays: Arrays, which: Which, player: int) -> PlayerNetworks:
    network = build_network(method.replace(network=method.network or "holdem"), game)
    matching: ToStrategy = partial(match_regrets, fallback=method.fallback)
    if which == "current":
        return PlayerNetworks(game, player, network, _row(arrays[f"player_{player}_network_played"]), ONE, matching)
    if method.averaging == "strategy-network":
        weights = _row(arrays["average_network"])
        return PlayerNetworks(game, player, network, weights, ONE, masked_softmax)
    weights, shares = arrays[f"average_{player}_weights"], arrays[f"average_{player}_shares"]
    if not len(shares):  # before the first iteration: the network of zeros
        weights, shares = np.zeros((1, len(network.weights)), np.float32), ONE
    return PlayerNetworks(game, player, network, np.asarray(weights, np.float32), np.asarray(shares), matching)


def _of_nfsp(game: HoldemGame, method: NFSP, arrays: Arrays, which: Which, player: int) -> PlayerNetworks:
    part = "average" if which == "average" else "response"
    weights = _row(arrays[f"player_{player}_weights_{part}"])
    network = build_perceptron(game, method.widths)
    return PlayerNetworks(game, player, network, weights, ONE, masked_softmax if which == "average" else _greedy)


ONE = np.ones(1)


def _row(weights: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.asarray(weights, np.float32).reshape(1, -1)


def _greedy(values: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """[…, A] the action of the highest value."""
    best = values.masked_fill(~legal, -torch.inf).argmax(-1)
    return torch.nn.functional.one_hot(best, legal.shape[-1]).float()
