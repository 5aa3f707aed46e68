"""Walks on arrays against exact counterfactual values, reach probabilities and payoffs."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from exact_walks import BiasedCoin, exact_advantages, random_strategy  # noqa: E402

import regretless as rg  # noqa: E402
from regretless.deep.games.batched_game import sample_heads  # noqa: E402
from regretless.deep.games.listed_game import ListedGame  # noqa: E402
from regretless.deep.walks.selfplay import play_games  # noqa: E402
from regretless.deep.walks.traversal import WalkResult, traverse  # noqa: E402
from regretless.evaluation.responses import plan_of  # noqa: E402
from regretless.tree import Tree  # noqa: E402

CPU = torch.device("cpu")


def walked(tree: Tree, strategy: rg.Strategy, walker: int, count: int) -> tuple[ListedGame, WalkResult]:
    game = ListedGame(tree, CPU)
    table = game.by_infoset(strategy.probabilities)
    return game, traverse(game, walker, count, lambda _, infosets: table[infosets], torch.Generator().manual_seed(7))


@pytest.mark.parametrize(
    ("name", "count"), [("kuhn", 50_000), ("kuhn:players=3", 30_000), ("leduc:ranks=2", 20_000), ("biased", 50_000)]
)
def test_advantages_are_unbiased(name: str, count: int) -> None:
    """The sum of advantages sampled at an infoset, per walk, is its counterfactual regret."""
    tree = rg.build(BiasedCoin() if name == "biased" else rg.games.by_name(name))
    strategy = random_strategy(tree, 3)
    for walker in range(tree.players):
        game, found = walked(tree, strategy, walker, count)
        sums = torch.zeros(tree.infosets, game.heads, dtype=torch.float64)
        squares = torch.zeros_like(sums)
        numbers = found.advantages.values.double()
        sums.index_add_(0, found.advantages.infosets, numbers)
        squares.index_add_(0, found.advantages.infosets, numbers.square())
        exact = exact_advantages(tree, game, strategy, walker)
        often = torch.bincount(found.advantages.infosets, minlength=tree.infosets) >= 30
        error = (sums / count - exact)[often].abs()
        bound = 5 * (squares / count**2)[often].sqrt() + 1e-6
        assert int(often.sum()) > len(game.infosets_of([walker])) // 2 and bool((error <= bound).all())


def test_strategies_are_sampled_in_proportion_to_their_owners_reach() -> None:
    """Another player's decision is visited with its own reach × chance's, once for each path of the walking player."""
    tree, count = rg.build(rg.games.Kuhn()), 50_000
    strategy = random_strategy(tree, 5)
    game, found = walked(tree, strategy, 0, count)
    noted = found.strategies[1]
    table = game.by_infoset(strategy.probabilities)
    assert torch.equal(noted.values, table[noted.infosets])
    # Player 1 acts once, after "pass" and after "bet", with any of 3 cards: six infosets, one visit in three walks.
    visits = torch.bincount(noted.infosets, minlength=tree.infosets)[game.infosets_of([1])]
    assert torch.allclose(visits / count, torch.full((6,), 1 / 3), atol=0.02)


def test_values_at_the_root_are_those_of_the_strategy() -> None:
    tree = rg.build(rg.games.Leduc())
    strategy = random_strategy(tree, 1)
    table = ListedGame(tree, CPU)
    policy = table.by_infoset(strategy.probabilities)
    decisions, nodes = play_games(table, 20_000, lambda _, i, __: policy[i], torch.Generator().manual_seed(3))
    first = decisions[0]
    _, play = np.unique(first.plays.numpy(), return_index=True)
    won = first.won.numpy()[play]  # player 0 decides in every play
    assert len(won) == 20_000 and nodes > 4 * 20_000
    assert abs(won.mean() - rg.value(tree, strategy)) < 5 * won.std() / len(won) ** 0.5


def test_decisions_are_linked_to_those_that_follow() -> None:
    tree = rg.build(rg.games.Leduc())
    game = ListedGame(tree, CPU)
    policy = game.by_infoset(rg.Strategy.uniform(tree).probabilities)
    decisions, _ = play_games(game, 500, lambda _, i, __: policy[i], torch.Generator().manual_seed(1))
    parent = tree.labels.infoset_of_sequence[tree.form.parent]  # [I] the own infoset before each, −1 for none
    for mine in decisions:
        linked = mine.following >= 0
        assert torch.equal(mine.plays[linked], mine.plays[mine.following[linked]])
        before = torch.from_numpy(parent)[mine.infosets[mine.following[linked]]]
        assert torch.equal(before, mine.infosets[linked].long())
        assert int((~linked).sum()) == len(mine.plays.unique())  # one last decision in every play with any


def test_nodes_are_all_histories_where_nothing_is_drawn() -> None:
    tree = rg.build(Solitaire())
    _, found = walked(tree, rg.Strategy.uniform(tree), 0, 1)
    assert found.nodes == tree.histories == 15
    assert len(found.advantages.infosets) == 7


class Solitaire(rg.Game):
    """One player, three coins to put down."""

    players = 1

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return 0 if len(state) < 3 else rg.TERMINAL

    def actions(self, state: str) -> str:
        return "HT"

    def play(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> str:
        return state

    def payoffs(self, state: str) -> tuple[float]:
        return (float(state.count("H")),)


def test_heads_are_actions_and_lead_to_their_children() -> None:
    tree = rg.build(rg.games.Leduc())
    game = ListedGame(tree, CPU)
    assert game.heads == 3  # fold, call, raise wherever they stand in an infoset's list
    name = {}
    for infoset, actions in enumerate(tree.labels.actions):
        for head in game.legal(torch.tensor([infoset]))[0].nonzero()[:, 0].tolist():
            name.setdefault(head, actions[int(game.choice[infoset, head])])
            assert name[head] == actions[int(game.choice[infoset, head])]
    assert sorted(name.values(), key=str) == ["call", "fold", "raise"]
    strategy = random_strategy(tree, 9)
    assert np.allclose(game.by_sequence(game.by_infoset(strategy.probabilities)), strategy.probabilities, atol=1e-6)
    assert plan_of(tree, strategy).shape == (tree.sequences,)


def test_draws_follow_probabilities_and_never_hit_zero() -> None:
    strategy = torch.tensor([[0.0, 0.2, 0.0, 0.8, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]]).repeat_interleave(50_000, dim=0)
    heads = sample_heads(strategy, torch.Generator().manual_seed(2))
    assert bool((strategy.gather(1, heads[:, None]) > 0).all())
    assert abs(float((heads[:50_000] == 1).float().mean()) - 0.2) < 0.01
