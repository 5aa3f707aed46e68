"""What limits a fit on limit hold'em: how well it holds on boards that it has not seen.

    python -m benchmarks.hulh_fits [RUN] [--boards 2400] [--device cuda] [--tiny]

Both players play the networks of RUN. The advantages of player 0 are sampled on drawn boards with all hands. Networks
are fitted to them with one thing changed at a time: what they know of a hand's strength, how much samples count where
the player does not go itself, Adam steps, boards. On other boards every fit is asked for its strategy, regret matching
on its outputs: `gain` is what this wins per sample, `own gain` the same × the player's own reach. Neither has a bias
from the noise of advantages. Rows are written to benchmarks/results/hulh-fits.md.

An H200 takes about 0.35 s for 96 boards and 0.3 ms for a step. --tiny tries all of it on a game of eight cards.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

import regretless as rg
from benchmarks.deep_runs import about
from benchmarks.hulh_networks import SMALL_DEEP_CFR, TINY
from benchmarks.record import write
from benchmarks.timing import Row
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.holdem.holdem_policy import DecisionFunction, HandStrategy, network_outputs
from regretless.deep.learners.network_building import build_network
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.networks.regret_matching import match_regrets
from regretless.deep.networks.training import FitOptions, Trainer
from regretless.deep.playing.network_strategy import NetworkStrategy
from regretless.deep.pytorch import tensor_core_products
from regretless.deep.walks.board_walks import BoardWalk, boards_with_hands
from regretless.deep.walks.traversal import Samples

RUN = Path(__file__).parents[1] / "results" / "hulh" / "deep-cfr-expected-small.run"
KINDS: tuple[Any, ...] = (False, True, "expected")
AT_ONCE, CHUNK = 96, 100_000
"""Boards of a walk, and samples of a forward pass."""


@dataclass(frozen=True)
class Sampled:
    """Samples on some boards; n of them."""

    infosets: dict[Any, torch.Tensor]  # by kind of strength [n, cards + 1]
    values: torch.Tensor  # [n, A] advantages, chips
    weights: torch.Tensor  # [n] of the walk
    own: torch.Tensor  # [n] the player's own reach
    boards: torch.Tensor  # [n] the number of the walk

    def first(self, walks: int) -> Sampled:
        """The samples of the first walks."""
        some = self.boards < walks
        rows = {kind: infosets[some] for kind, infosets in self.infosets.items()}
        return Sampled(rows, self.values[some], self.weights[some], self.own[some], self.boards[some])


def main() -> None:
    """Sample, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, nargs="?", default=RUN)
    parser.add_argument("--boards", type=int, default=2_400, help="to learn from; 960 others are asked")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--tiny", action="store_true")
    given = parser.parse_args()
    strategy = tiny_strategy() if given.tiny else rg.load(given.run).strategy
    if not isinstance(strategy, NetworkStrategy):
        raise SystemExit(f"{given.run} is no run of networks that are read board by board")
    strategy = strategy.on(given.device)
    games = {kind: HoldemGame(strategy.game, strategy.holdem.device, strength=kind) for kind in KINDS}
    walks, each = (4, 500) if given.tiny else (max(4, given.boards // AT_ONCE), 1_500_000)
    learned, asked = (
        sampled(strategy, games, count, each, seed) for seed, count in ((1, walks), (2, 2 if given.tiny else 10))
    )
    rows = list(compared(games, learned, asked, walks, 20 if given.tiny else 2_000))
    if given.tiny:
        print(*rows, sep="\n")
    else:
        write("hulh-fits", rows, about())


def tiny_strategy() -> Any:
    """Networks that have learned for two iterations on a game of eight cards."""
    method = rg.DeepCFR(**SMALL_DEEP_CFR, boards=2, listed=False)
    return rg.solve(TINY, method, iterations=2, seed=1, progress=False).strategy


def sampled(strategy: NetworkStrategy, games: dict[Any, HoldemGame], walks: int, each: int, seed: int) -> Sampled:
    """Samples of player 0 from some walks over drawn boards."""
    game, found = strategy.holdem, []
    generator = torch.Generator(game.device).manual_seed(seed)
    for walk in range(walks):
        _, board = game.sample_cards(AT_ONCE, 0, generator)
        found.append(of_boards(strategy, games, board, each, generator, walk))
    infosets = {kind: torch.cat([one.infosets[kind] for one in found]) for kind in games}
    columns = (torch.cat([getattr(one, name) for one in found]) for name in ("values", "weights", "own", "boards"))
    return Sampled(infosets, *columns)


def of_boards(
    strategy: NetworkStrategy,
    games: dict[Any, HoldemGame],
    board: torch.Tensor,
    each: int,
    generator: torch.Generator,
    walk_number: int,
) -> Sampled:
    """The samples of one walk."""
    game, weight = strategy.holdem, torch.ones(len(board), device=board.device)
    with torch.no_grad(), tensor_core_products(game.device):
        walk = BoardWalk(game, 0, boards_with_hands(game, board, weight), [played(strategy, who) for who in range(2)])
        own = walk._reach_of(0, weight)[walk.own].flatten()
        samples = walk.advantages(each, generator, None)
    if samples.positions is None or samples.weights is None:
        raise ValueError("samples of drawn boards have positions and weights")
    index = samples.positions.indices
    infosets = {}
    for kind, known in games.items():
        walk.boards = boards_with_hands(known, board, weight)
        infosets[kind] = walk._infosets(walk.own, index)
    number = torch.full((len(index),), walk_number, device=board.device)
    return Sampled(infosets, samples.values, samples.weights, own[index], number)


def played(strategy: NetworkStrategy, player: int) -> HandStrategy:
    """A player's network, of which there is one."""
    networks, game = strategy.players[player], strategy.holdem
    weights = torch.from_numpy(networks.weights[-1]).to(game.device)

    def on(infosets: torch.Tensor) -> DecisionFunction:
        networks.network.weights.copy_(weights)
        outputs = network_outputs(networks.network.network, game, infosets)
        return lambda decisions: networks.to_strategy(outputs(decisions), game.allowed[decisions][:, None])

    return on


def compared(games: dict[Any, HoldemGame], learned: Sampled, asked: Sampled, walks: int, steps: int) -> Iterator[Row]:
    """The rows: one thing changed at a time."""
    fit: Callable[..., Row] = partial(fitted, games, asked=asked)
    for kind in KINDS:
        yield fit(learned, strength=kind, off_path=1.0, steps=steps)
    for off_path in (0.1, 0.02, 0.0):
        yield fit(learned, strength="expected", off_path=off_path, steps=steps)
    for share in (4, 2):
        yield fit(learned.first(walks // share), strength="expected", off_path=0.02, steps=steps)
    for more in (steps // 4, 4 * steps):
        yield fit(learned, strength="expected", off_path=0.02, steps=more)


def fitted(
    games: dict[Any, HoldemGame], learned: Sampled, *, asked: Sampled, strength: Any, off_path: float, steps: int
) -> Row:
    """Fit a network, and ask it on the other boards."""
    game, generator = games[strength], torch.Generator(learned.values.device).manual_seed(1)
    memory = SampleMemory(game, len(learned.values), "reservoir")
    weights = learned.weights * (off_path + (1 - off_path) * learned.own.double())
    memory.add(Samples(learned.infosets[strength], learned.values, None, weights), 1.0, generator)
    method = rg.DeepCFR(network="holdem", boards=1, strength=strength)
    trainer = Trainer(build_network(method, game), FitOptions(steps, 10_000, 2e-3, "cosine"))
    trainer.reset(generator)
    began = time.perf_counter()
    trainer.fit(memory, generator)
    seconds, rows = time.perf_counter() - began, asked.infosets[strength]
    with torch.no_grad(), tensor_core_products(game.device):
        pieces = [trainer.outputs(game.features(some)) for some in rows.split(CHUNK)]
    outputs, legal = torch.cat(pieces) * memory.scale, game.legal(rows)
    gain = (match_regrets(outputs, legal) * asked.values).sum(1)
    error = ((outputs - asked.values) * legal).square().sum(1)
    return {
        "strength": str(strength), "off_path": off_path, "steps": steps,
        "boards": AT_ONCE * int(learned.boards.max() + 1), "gain, chips": round(float(gain.mean()), 2),
        "own gain, chips": round(float((gain * asked.own).mean()), 3),
        "RMS error, chips": round(float(error.mean()) ** 0.5),
        "RMS error × own reach": round(float((error * asked.own).mean()) ** 0.5), "seconds": round(seconds, 2),
    }  # fmt: skip


if __name__ == "__main__":
    main()
