"""Sampled paths, features of histories and targets of history values against exact values."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from exact_walks import BiasedCoin, exact_advantages, random_strategy  # noqa: E402

import regretless as rg  # noqa: E402
from regretless.deep.games import history_features as of_histories  # noqa: E402
from regretless.deep.games.compiled_game import UnlistedGame  # noqa: E402
from regretless.deep.games.history_features import history_features  # noqa: E402
from regretless.deep.games.listed_game import ListedGame  # noqa: E402
from regretless.deep.memories.history_transitions import HistoryMemory  # noqa: E402
from regretless.deep.walks.outcome_sampling import (  # noqa: E402
    Paths,
    corrected_values,
    explore,
    sample_paths,
    strategies_of_others,
)
from regretless.tree import Tree  # noqa: E402

CPU = torch.device("cpu")


def seeded(seed: int = 7) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def sampled(tree: Tree, strategy: rg.Strategy, walker: int, count: int, share: float = 0.5) -> tuple[ListedGame, Paths]:
    game = ListedGame(tree, CPU)
    table = game.by_infoset(strategy.probabilities)
    return game, sample_paths(game, walker, count, lambda _, i: table[i], explore(share), seeded())


def history_values(tree: Tree, game: ListedGame, strategy: rg.Strategy, player: int) -> tuple[torch.Tensor, np.ndarray]:
    """[H, A] the exact value of each action at each decision, and [H] the value of each history, to a player."""
    h, table = tree.listing, game.by_infoset(strategy.probabilities).double().numpy()
    of_action, value = np.zeros((len(h.mover), game.heads)), np.zeros(len(h.mover))

    def fill(history: int) -> float:
        mover, first, count = h.mover[history], h.first_child[history], h.children[history]
        below = [fill(child) for child in range(first, first + count)]
        if mover == rg.TERMINAL:
            value[history] = h.payoffs[h.index[history], player]
        elif mover == rg.CHANCE:
            value[history] = sum(h.probability[first + n] * v for n, v in enumerate(below))
        else:
            choice = game.choice[h.index[history]].numpy()
            of_action[history] = [below[c] if c >= 0 else 0.0 for c in choice]
            value[history] = of_action[history] @ table[h.index[history]]
        return float(value[history])

    fill(0)
    return torch.from_numpy(of_action), value


@pytest.mark.parametrize(("name", "count"), [("kuhn", 60_000), ("kuhn:players=3", 60_000), ("biased", 60_000)])
@pytest.mark.parametrize("estimated", ["nothing", "random", "exact"])
def test_advantages_are_unbiased_for_any_estimates(name: str, count: int, estimated: str) -> None:
    """The weighted sum of advantages sampled at an infoset, per play, is its counterfactual regret."""
    tree = rg.build(BiasedCoin() if name == "biased" else rg.games.by_name(name))
    strategy = random_strategy(tree, 3)
    for walker in range(tree.players):
        game, paths = sampled(tree, strategy, walker, count)
        moves = paths.moves
        table = {
            "nothing": torch.zeros(len(game.mover), game.heads),
            "random": torch.randn(len(game.mover), game.heads, generator=seeded(1)),
            "exact": history_values(tree, game, strategy, walker)[0].float(),
        }[estimated]
        of_action, of_decision = corrected_values(paths, walker, table[moves.states])
        own = (moves.movers == walker).nonzero()[:, 0]
        numbers = ((of_action - of_decision[:, None]) * moves.legal)[own].double() / moves.reach[own, None]
        sums = torch.zeros(tree.infosets, game.heads, dtype=torch.float64)
        squares = torch.zeros_like(sums)
        sums.index_add_(0, moves.infosets[own], numbers)
        squares.index_add_(0, moves.infosets[own], numbers.square())
        exact = exact_advantages(tree, game, strategy, walker)
        often = torch.bincount(moves.infosets[own], minlength=tree.infosets) >= 30
        error = (sums / count - exact)[often].abs()
        bound = 5 * (squares / count**2)[often].sqrt() + 1e-6
        assert int(often.sum()) > len(game.infosets_of([walker])) // 2 and bool((error <= bound).all())


def test_exact_estimates_leave_no_variance_but_that_of_chance() -> None:
    """At one history, all samples of an action's value are then the same."""
    tree = rg.build(rg.games.Kuhn())
    strategy = random_strategy(tree, 4)
    game, paths = sampled(tree, strategy, 0, 2_000)
    exact, value = history_values(tree, game, strategy, 0)
    of_action, of_decision = corrected_values(paths, 0, exact[paths.moves.states].float())
    assert torch.allclose(of_action, exact[paths.moves.states].float(), atol=1e-4)
    assert np.allclose(of_decision, value[paths.moves.states], atol=1e-4)


def test_paths_are_plays() -> None:
    tree = rg.build(rg.games.Leduc(ranks=2))
    game, paths = sampled(tree, random_strategy(tree, 2), 1, 500, share=1.0)
    moves = paths.moves
    assert sum(paths.steps) == len(moves.heads) == len(paths.following)
    children = game.after(moves.states, moves.heads)
    last = paths.following < 0
    assert int(last.sum()) == 500 and sorted(moves.paths[last].tolist()) == list(range(500))
    ends = children[last]
    assert bool((game.mover[ends] == rg.TERMINAL).all())
    assert torch.equal(paths.payoffs[1, moves.paths[last]], game.payoffs(ends, 1))
    linked = ~last
    assert torch.equal(moves.paths[paths.following[linked]], moves.paths[linked])
    direct = linked & (game.mover[children] >= 0)
    assert torch.equal(moves.states[paths.following[direct]], children[direct])
    own = moves.movers == 1
    assert torch.allclose(moves.probability[own], 1 / moves.legal[own].sum(1).float())


def test_strategies_of_others_are_divided_by_the_walkers_reach() -> None:
    """Kuhn: each of player 1's infosets follows one action of player 0, and is dealt in one play of three."""
    tree, count = rg.build(rg.games.Kuhn()), 40_000
    game, paths = sampled(tree, random_strategy(tree, 5), 0, count)
    found = strategies_of_others(paths, 0, 2, weighted=True)[1]
    assert found.weights is not None
    total = torch.zeros(tree.infosets, dtype=torch.float64).index_add_(0, found.infosets, found.weights)
    assert torch.allclose(total[game.infosets_of([1])] / count, torch.full((6,), 1 / 3, dtype=torch.float64), atol=0.02)
    assert strategies_of_others(paths, 0, 2, weighted=False)[1].weights is None


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars_dice:sides=3", "goofspiel:cards=3", "kuhn:players=3"])
@pytest.mark.parametrize("kept", [True, False])
def test_features_tell_all_decisions_apart(name: str, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not kept:
        monkeypatch.setattr(of_histories, "TABLE_BYTES", 0)
        monkeypatch.setattr(of_histories, "ONE_HOT_UP_TO", 2)
    game = ListedGame(rg.build(rg.games.by_name(name)), CPU)
    features = history_features(game, seeded())
    decisions = (game.mover >= 0).nonzero()[:, 0]
    rows = features(decisions)
    assert rows.shape == (len(decisions), features.size) and rows.dtype == torch.float32
    assert len(rows.unique(dim=0)) == len(decisions)


@pytest.mark.full
def test_features_of_compiled_games_tell_all_decisions_of_plays_apart() -> None:
    unlisted = rg.MCCFR(listed=False).open(rg.games.Leduc())
    game = UnlistedGame(unlisted, CPU, seeded())
    features = history_features(game, seeded(2))
    paths = sample_paths(
        game, 0, 300, lambda _, i: game.legal(i) / game.legal(i).sum(1, keepdim=True), explore(1.0), seeded()
    )
    states = paths.moves.states.unique(dim=0)
    assert len(features(states).unique(dim=0)) == len(states)


def test_targets_are_payoffs_or_expected_values() -> None:
    tree = rg.build(rg.games.Kuhn())
    strategy = random_strategy(tree, 6)
    game, paths = sampled(tree, strategy, 0, 400)
    table, features = game.by_infoset(strategy.probabilities), history_features(game, seeded())
    exact = [history_values(tree, game, strategy, player)[0].float() for player in range(2)]
    row = {tuple(features(torch.tensor([h]))[0].tolist()): h for h in (game.mover >= 0).nonzero()[:, 0].tolist()}

    def known(rows: torch.Tensor) -> torch.Tensor:
        histories = [row[tuple(one)] for one in rows.tolist()]
        return torch.cat([values[histories] for values in exact], dim=1) / memory.unit

    memory = HistoryMemory(game, features, 10_000, 2, lambda _, infosets: table[infosets], known)
    memory.add(paths)
    assert memory.prepare(256, scaled=True) == pytest.approx(float(paths.payoffs.square().mean().sqrt()))
    batch = memory.batch(seeded(3))
    taken = batch.legal > 0
    assert bool((taken.view(-1, 2, game.heads).sum(2) == 1).all())
    assert torch.allclose(batch.targets[taken], known(batch.features)[taken], atol=1e-5)  # Kuhn: chance moves first
    assert float(batch.weights.sum()) == pytest.approx(1)


def test_the_memory_of_moves_keeps_the_latest() -> None:
    tree = rg.build(rg.games.Kuhn())
    game, paths = sampled(tree, random_strategy(tree, 6), 0, 40)
    memory = HistoryMemory(game, history_features(game, seeded()), 25, 1, lambda _, i: i, lambda rows: rows)
    memory.add(paths)
    memory.add(paths)
    count = len(paths.moves.heads)
    assert len(memory) == 25 and memory.seen == 2 * count
    order = torch.arange(2 * count - 25, 2 * count)
    assert torch.equal(memory.states[order % 25], paths.moves.states[order % count])
    again = HistoryMemory(game, memory.features, 25, 1, memory.strategies, memory.outputs)
    again.restore(memory.arrays())
    assert all(np.array_equal(array, again.arrays()[name]) for name, array in memory.arrays().items())
    with pytest.raises(rg.OptionError, match=r"a memory of .* moves takes .*: set value_capacity lower"):
        HistoryMemory(game, memory.features, 10**13, 1, memory.strategies, memory.outputs)
