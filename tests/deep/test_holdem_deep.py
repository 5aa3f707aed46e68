"""Deep methods on hold'em: what networks say is laid out on the public tree, and measured exactly there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from two_pieces import goes_on_bit_for_bit

import regretless as rg
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.holdem.holdem_deep_cfr import HoldemDeepCFR
from regretless.deep.learners.strategy_network import StrategyNetwork
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.networks.gradients import AutogradNetwork
from regretless.deep.walks.traversal import sample_heads
from regretless.game import CHANCE, TERMINAL
from regretless.method import Settings
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.results.public_strategy import PublicStrategy

LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
FLOP = PublicGame(Deck("TJQKA", "sh"), 2, (2,), Limit(bets=(2, 4), caps=(2, 1), blinds=(1, 2)), big_blind=2)
SMALL = rg.DeepCFR(traversals=200, steps=30, batch=256, widths=(16,), strategy_steps=200)


def learner(game: PublicGame, method: rg.DeepCFR = SMALL) -> HoldemDeepCFR:
    made = HoldemDeepCFR(game.public_tree(), method, Settings(dtype="float32", seed=5))
    for values in made.advantages.values():  # networks that say something, as if they had been fitted
        values.trainer.reset(torch.Generator().manual_seed(7 + values.player))
        values.trainer.network.weights.mul_(1.5)
        values.trainer.played.copy_(values.trainer.network.weights)
        values.ready = True
    return made


def played_value(learning: HoldemDeepCFR, count: int) -> tuple[float, float]:
    """What player 0 wins in sampled plays, and the error of that."""
    game, generator = learning.game, torch.Generator().manual_seed(1)
    states = game.begin(count)
    won = []
    while len(states):
        mover = game.movers(states)
        ended = (mover == TERMINAL).nonzero()[:, 0]
        won.append(game.payoffs(game.select(states, ended), 0))
        following = []
        for who in (CHANCE, 0, 1):
            here = game.select(states, (mover == who).nonzero()[:, 0])
            if not len(here):
                continue
            if who == CHANCE:
                following.append(game.after_chance(here, generator))
            else:
                strategy = learning.strategy_at(who, game.infosets(here))
                following.append(game.after(here, sample_heads(strategy, generator)))
        states = game.concatenate(following) if following else game.select(states, ended[:0])
    paid = torch.cat(won).double()
    return float(paid.mean()), float(paid.std()) / count**0.5


@pytest.mark.parametrize("game", [LEDUC, FLOP], ids=["leduc", "flop"])
def test_the_tree_gets_what_networks_say_where_they_are_asked(game: PublicGame) -> None:
    learning = learner(game)
    (_, exact), _ = learning.responses.values(learning.played())
    sampled, error = played_value(learning, 200_000)
    assert error < 0.02
    assert abs(sampled - exact) < 4 * error


def test_classes_of_hands_are_spelled_as_walks_spell_them() -> None:
    learning = learner(FLOP)
    game, generator = learning.game, torch.Generator().manual_seed(2)
    dealt = game.after_chance(game.begin(300), generator)
    assert dealt.deals is not None
    for street in range(2):
        known = {tuple(row) for row in learning.layout.classes[0][street].infosets[:, :-1].tolist()}
        visited = {tuple(row) for row in dealt.deals.seen[:, 0, street].tolist()}
        assert visited <= known


def test_the_sum_of_plans_is_the_mixture_of_networks() -> None:
    """What a mixture wins from a fixed opponent is the weighted mean of what its parts win."""
    learning = learner(FLOP, SMALL.replace(averaging="value-networks"))
    tree, opponent = learning.public, learning.played()
    values: list[float] = []
    weights, advantages = (1.0, 3.0), learning.advantages[0]
    for number, weight in enumerate(weights):
        advantages.trainer.reset(torch.Generator().manual_seed(20 + number))
        advantages.trainer.played.copy_(advantages.trainer.network.weights)
        learning.add_to_average(0, weight)
        learning.complete(UndoLog())
        values.append(learning.responses.values(learning.played())[0][1])
    mixed = seated(tree, learning.sums, opponent)
    (_, found), _ = learning.responses.values(mixed)
    assert found == pytest.approx(np.average(values, weights=weights), abs=1e-4)
    assert abs(values[0] - values[1]) > 0.01


def seated(tree: Any, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    out, arrays = second.clone(), tree.book.arrays
    for board in range(tree.boards):
        begin, end = int(arrays.first[0, board]), int(arrays.first[1, board])
        out[begin:end] = first[begin:end]
    return out


def test_slopes_of_the_network_are_those_of_pytorch() -> None:
    learning = learner(FLOP)
    written = learning.advantages[0].trainer.network
    rows = learning.layout.classes[0][1].infosets.clone()
    rows[:, -1] = torch.arange(len(rows)) % len(learning.game.bets)
    features = learning.game.features(rows)
    gradient = torch.randn(len(rows), learning.game.heads, generator=torch.Generator().manual_seed(4))
    said = written.forward(features)
    written.backward(gradient)
    found = written.gradient.clone()
    assert type(written).__name__ == "FlatHoldemNetwork"
    automatic = AutogradNetwork(written.network)
    assert torch.allclose(said, automatic.forward(features), atol=1e-5)
    automatic.backward(gradient)
    assert torch.allclose(found, automatic.gradient, rtol=1e-4, atol=1e-4 * float(found.abs().max()))
    assert float(found.abs().max()) > 0


def test_cards_are_read_once_for_all_bettings() -> None:
    learning = learner(FLOP)
    game, network = learning.game, learning.advantages[0].trainer.network.network
    classes = learning.layout.classes[0][1]
    said = network.on_cards(game.features(classes.infosets))(game.bets)
    for decision in range(len(game.bets)):
        rows = classes.infosets.clone()
        rows[:, -1] = decision
        assert torch.allclose(said[decision], network(game.features(rows)), atol=1e-5)


@pytest.mark.parametrize("network", ["holdem", "perceptron", "residual"])
def test_any_network_fills_the_tree(network: str) -> None:
    learning = learner(LEDUC, SMALL.replace(network=network))
    table = learning.played().numpy()
    assert table.min() >= 0
    block = PublicStrategy(learning.public, {"regret": table}, "regret").at("", ev=False).probabilities
    rows = learning.game.infosets(learning.game.after_chance(learning.game.begin(50), torch.Generator()))
    said = learning.strategy_at(0, rows).numpy()
    apart = np.abs(said[:, None, learning.game.allowed[0].numpy()] - block[None]).max(axis=2)  # [asked, hands]
    assert apart.min(axis=1).max() < 1e-4


@pytest.mark.parametrize("method", [rg.SD_CFR, rg.DeepCFR(strategy_steps=100)], ids=["sd-cfr", "deep-cfr"])
@pytest.mark.full
def test_leduc_is_learned(method: rg.DeepCFR) -> None:
    quick = method.replace(traversals=500, steps=60, batch=500, widths=(16,), capacity=100_000)
    run = rg.solve(LEDUC, quick, iterations=12, seed=3)
    assert run.history["exploitability"][0] > 2 and run.exploitability < 1.2
    assert run.history["nodes"][-1] > 100_000 and run.history["samples"][-1] > 10_000


def test_what_a_strategy_wins_from_another_is_exact() -> None:
    uniform = rg.solve(LEDUC, SMALL, iterations=1)
    exact = rg.solve(LEDUC, rg.CFR_PLUS, iterations=200)
    assert rg.head_to_head(LEDUC, exact.strategy, exact.strategy) == pytest.approx(0, abs=1e-6)
    won = exact.strategy.against(uniform.strategy)
    assert won == pytest.approx(-uniform.strategy.against(exact.strategy), abs=1e-6)
    assert won > 0.2
    with pytest.raises(rg.OptionError, match="different games"):
        rg.head_to_head(LEDUC, exact.strategy, rg.solve(FLOP, rg.CFR, iterations=1).strategy)


@pytest.mark.parametrize("averaging", ["value-networks", "strategy-network"])
def test_files_are_compared_with_what_looks_like_the_arrays(averaging: str) -> None:
    learning = learner(LEDUC, SMALL.replace(averaging=averaging))
    wanted, arrays = learning.stand_ins(), learning.arrays()
    assert {name: (like.dtype, like.shape) for name, like in wanted.items()} == {
        name: (array.dtype, array.shape) for name, array in arrays.items()
    }


@pytest.mark.parametrize("averaging", ["value-networks", "strategy-network"])
def test_runs_of_holdem_go_on_bit_for_bit(averaging: str, tmp_path: Path) -> None:
    goes_on_bit_for_bit(LEDUC, SMALL.replace(averaging=averaging), (2, 2), tmp_path, seed=2)


@pytest.mark.parametrize(
    ("game", "options", "said"),
    [
        (rg.games.Kuhn(), {"boards": 2}, "boards= walks hold'em with all hands at once"),
        (LEDUC, {"boards": -1}, "boards is a whole number from 0 on, got -1"),
        (LEDUC, {"memory": "merged"}, "follows some infosets in all iterations"),
        (rg.games.Kuhn(), {"network": "holdem"}, "network='holdem' reads the cards of hold'em"),
        (rg.poker.Spot("Ks 7h 2d 2c", ranges=("AA,KK", "QQ,JJ"), pot=10, stack=20), {}, "give the game no ranges"),
    ],
)
def test_what_cannot_be_meant(game: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        rg.solve(game, SMALL.replace(**options), iterations=1)


def test_the_strategy_network_is_uniform_before_it_is_fitted() -> None:
    learning = learner(LEDUC)
    assert isinstance(learning.network, StrategyNetwork) and not learning.network.ready
    assert isinstance(learning.game, HoldemGame)
    learning.advantages[0].ready = learning.advantages[1].ready = False
    assert learning.measure()["exploitability"] == pytest.approx(4.747222 / 2, abs=1e-4)
