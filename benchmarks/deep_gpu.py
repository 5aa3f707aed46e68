"""Flop hold'em on a GPU: what `benchmarks.deep gpu` times. Every time is the least of several."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import torch

import regretless as rg
from benchmarks.deep_fhp import BOARDS
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.holdem.holdem_deep_cfr import HoldemDeepCFR
from regretless.deep.learners.network_building import holdem_network
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.networks.flat_network import FlatNetwork
from regretless.deep.networks.gradients import flatten
from regretless.deep.networks.regret_matching import match_regrets
from regretless.deep.networks.training import FitOptions, Trainer
from regretless.deep.walks.traversal import Samples, traverse
from regretless.method import Settings

CUDA = torch.device("cuda")
SAMPLES, BATCH, STEPS, WALKS = 40_000_000, 10_000, 1_000, 10_000


@cache
def game() -> HoldemGame:
    return HoldemGame(rg.poker.FlopHoldem(), CUDA)


def network(width: int = 64) -> FlatNetwork:
    return flatten(holdem_network(game(), width))


def least(work: Callable[[], object], rounds: int = 5) -> float:
    """Seconds of the quickest of several rounds."""
    work()
    found = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        began = time.perf_counter()
        work()
        torch.cuda.synchronize()
        found.append(time.perf_counter() - began)
    return min(found)


def uniform(_: int, infosets: torch.Tensor) -> torch.Tensor:
    legal = game().legal(infosets)
    return legal / legal.sum(1, keepdim=True)


def filled_memory() -> SampleMemory:
    """A full memory of real samples, repeated."""
    memory, generator = SampleMemory(game(), SAMPLES), torch.Generator(CUDA).manual_seed(1)
    found = traverse(game(), 0, 200_000, uniform, generator).advantages
    while memory.seen < SAMPLES:
        memory.add(Samples(found.infosets, found.values), 1.0, generator)
    return memory


def step_seconds(width: int = 64) -> float:
    """Of one step, in a refit of many."""
    memory, trainer = filled_memory(), Trainer(network(width), FitOptions(STEPS, BATCH, 1e-3, "cosine"))
    generator = torch.Generator(CUDA).manual_seed(2)
    return least(lambda: trainer.fit(memory, generator)) / STEPS


def walk_seconds() -> float:
    """Of all walks of one player with a network for each, asked level by level."""
    networks, generator = [network(), network()], torch.Generator(CUDA).manual_seed(3)

    def strategy_at(player: int, infosets: torch.Tensor) -> torch.Tensor:
        return match_regrets(networks[player].outputs(game().features(infosets)), game().legal(infosets))

    return least(lambda: traverse(game(), 0, WALKS, strategy_at, generator))


def whole_seconds() -> dict[str, float]:
    """Of what is done on the whole public tree: walks of all boards, averaging, and measuring."""
    tree, settings = rg.poker.FlopHoldem().public_tree(), Settings(dtype="float32", seed=1, device="cuda")
    learner = HoldemDeepCFR(tree, BOARDS.replace(steps=100), settings)
    learner.advance(1)
    generator = torch.Generator(CUDA).manual_seed(4)
    return {
        "walk": least(lambda: learner.walk(0, generator)),
        "average": least(lambda: (learner.add_to_average(0, 1.0), learner.complete(UndoLog()))),
        "measure": least(lambda: (learner.measure(), learner.responses.measured(learner.played()))),
    }
