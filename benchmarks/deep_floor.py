"""What a floor is for: how much of what networks fit is asked for, and how well they fit that with a floor and without.

    python -m benchmarks.deep_floor [RANKS]

Linear CFR without networks plays hold'em with a short deck for some iterations, all boards walked; what it found in the
mean is then fitted by the paper's network, narrow as suits so small a game. Regret matching asks for positive means.
"""

from __future__ import annotations

import sys

import torch

from benchmarks.deep_runs import about
from benchmarks.record import write
from benchmarks.timing import Row
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.holdem.holdem_policy import DecisionFunction, HandStrategy
from regretless.deep.learners.network_building import holdem_network
from regretless.deep.memories.fixed_infosets import FixedInfosetMemory
from regretless.deep.networks.gradients import flatten
from regretless.deep.networks.regret_matching import match_regrets
from regretless.deep.networks.training import FitOptions, Trainer
from regretless.deep.walks.board_walks import Boards, BoardWalk, all_boards
from regretless.poker import Deck, Limit, PublicGame

ITERATIONS, FOLLOWED, WIDTH = 20, 1_000_000, 16
RECIPE = FitOptions(steps=800, batch=2_000, rate=3e-3, schedule="cosine")
FLOORS = (0.0, 1.0, 3.0, 10.0)
CHUNK = 50_000

Tables = list[dict[int, torch.Tensor]]
"""Of each player, by decision: regrets [B · H, A], all boards with all hands."""


def main() -> None:
    torch.set_num_threads(1)
    ranks = sys.argv[1] if len(sys.argv) > 1 else "9TJQKA"
    rules = Limit(bets=(100, 100), caps=(3, 3), blinds=(50, 100))
    game = PublicGame(Deck(ranks, "shdc"), 2, (3,), rules, big_blind=100)
    arrays = HoldemGame(game, torch.device("cpu"))
    memory = means_of(arrays, all_boards(arrays, game.public_tree()))
    write("deep-floor", [fitted(arrays, memory, floor) for floor in FLOORS], about())


def means_of(game: HoldemGame, boards: Boards) -> FixedInfosetMemory:
    """What player 0's actions gained in the mean, at infosets drawn as often as the first walk came there."""
    memory, generator = FixedInfosetMemory(game, FOLLOWED), torch.Generator().manual_seed(1)
    tables: Tables = [{}, {}]
    for iteration in range(1, ITERATIONS + 1):
        for player in (0, 1):
            with torch.no_grad():
                walk = BoardWalk(game, player, boards, [said_by(game, table) for table in tables])
            add_regrets(game, walk, tables[player], iteration)
            if player == 0:
                memory.add(walk.advantages(FOLLOWED, generator, memory.positions), float(iteration), generator)
    return memory


def said_by(game: HoldemGame, table: dict[int, torch.Tensor]) -> HandStrategy:
    """Regret matching on a table, for any cards: tables have the order of all boards with all hands."""

    def on(infosets: torch.Tensor) -> DecisionFunction:
        none = torch.zeros((len(infosets), game.heads))

        def at(decisions: torch.Tensor) -> torch.Tensor:
            said = torch.stack([table.get(decision, none) for decision in decisions.tolist()])
            return match_regrets(said, game.allowed[decisions][:, None])

        return at

    return on


def add_regrets(game: HoldemGame, walk: BoardWalk, table: dict[int, torch.Tensor], weight: float) -> None:
    """Count an iteration's gains; before the flop those of all boards are one."""
    for node, gains in zip(walk.own.tolist(), walk.gains, strict=True):
        decision, found = int(game.decision[node]), gains.clone()
        if walk.tree.street[node] < walk.tree.streets - 1:
            only = torch.zeros(1, dtype=torch.int64)
            walk.sum_over_boards(int(walk.tree.street[node]), only, found[None], torch.zeros(1, len(found)))
        table[decision] = table.get(decision, 0.0) + weight * found


def fitted(game: HoldemGame, memory: FixedInfosetMemory, floor: float) -> Row:
    """How much of the mean square of all means, and of positive ones, a fit misses."""
    memory.floor, generator = floor, torch.Generator().manual_seed(2)
    memory.lowest.fill_(-torch.finfo(torch.float32).max)
    trainer = Trainer(flatten(holdem_network(game, WIDTH)), RECIPE)
    trainer.reset(generator)
    trainer.fit(memory, generator)
    parts = zip(memory.infosets.split(CHUNK), memory.targets.split(CHUNK), memory.weights.split(CHUNK), strict=True)
    sums = torch.zeros(4, dtype=torch.float64)
    for infosets, means, weights in parts:
        said = trainer.outputs(game.features(infosets)) * memory.scale * game.legal(infosets)
        means = torch.maximum(means, memory.lowest)
        for number, square in enumerate(
            (means.square(), (said - means).square(), means.relu().square(), (said.relu() - means.relu()).square())
        ):
            sums[number] += (weights[:, None] * square).double().sum()
    whole, missed, positive, positive_missed = sums.tolist()
    print(f"floor {floor:g}: {100 * positive_missed / positive:.0f} % of positive means missed", flush=True)
    return {
        "floor": f"{floor:g}" if floor else "none",
        "positive, of the mean square of targets": f"{100 * positive / whole:.2g} %",
        "missed, of all targets": f"{100 * missed / whole:.2g} %",
        "missed, of the positive part": f"{100 * positive_missed / positive:.2g} %",
    }


if __name__ == "__main__":
    main()
