"""Baselines do not change the mean of samples, for any estimates, and remove most of their variance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from exact_walks import BiasedCoin, exact_advantages, random_strategy  # noqa: E402
from two_pieces import goes_on_bit_for_bit  # noqa: E402

import regretless as rg  # noqa: E402
from regretless.deep.games.listed_game import ListedGame  # noqa: E402
from regretless.deep.walks.baselines import HistoryBaseline  # noqa: E402
from regretless.deep.walks.traversal import Samples, traverse  # noqa: E402
from regretless.tree import Tree  # noqa: E402

CPU = torch.device("cpu")


def found_by(game: ListedGame, strategy: rg.Strategy, count: int, baseline: HistoryBaseline | None) -> Samples:
    """Advantages of player 0; a baseline does not learn from these walks."""
    table, generator = game.by_infoset(strategy.probabilities), torch.Generator().manual_seed(7)
    if baseline is not None:
        baseline.learn = lambda children, value: None  # type: ignore[method-assign]
    return traverse(game, 0, count, lambda _, infosets: table[infosets], generator, baseline).advantages


def with_estimates(game: ListedGame, estimates: torch.Tensor) -> HistoryBaseline:
    """A baseline with given estimates [H]."""
    baseline = HistoryBaseline(game)
    baseline.weights.fill_(1.0)
    baseline.sums.copy_(estimates)
    baseline._update_estimates()
    return baseline


def taught(game: ListedGame, strategy: rg.Strategy, rounds: int) -> HistoryBaseline:
    """A baseline that has seen some iterations of walks of player 0."""
    table, generator, baseline = game.by_infoset(strategy.probabilities), torch.Generator(), HistoryBaseline(game)
    for _ in range(rounds):
        traverse(game, 0, 1_000, lambda _, infosets: table[infosets], generator, baseline)
    return baseline


def values_of_histories(tree: Tree, strategy: rg.Strategy) -> torch.Tensor:
    """[H] the value of every history to player 0, by a sweep from the last to the first."""
    h, game = tree.listing, ListedGame(tree, CPU)
    chance = np.array(h.probability, float)  # [H] of each history after the one before
    table = game.by_infoset(strategy.probabilities).numpy()
    value = np.zeros(len(h.mover))
    for history in range(len(h.mover) - 1, -1, -1):
        first, count, mover = int(h.first_child[history]), int(h.children[history]), h.mover[history]
        if mover == rg.TERMINAL:
            value[history] = h.payoffs[h.index[history], 0]
            continue
        probabilities = chance[first : first + count]
        if mover >= 0:
            choice = game.choice[h.index[history]].numpy()
            probabilities = table[h.index[history]][[int(np.flatnonzero(choice == a)[0]) for a in range(count)]]
        value[history] = probabilities @ value[first : first + count]
    return torch.from_numpy(value).float()


@pytest.mark.parametrize("estimates", ["nonsense", "learned", "exact"])
@pytest.mark.parametrize(("name", "count"), [("kuhn", 40_000), ("leduc:ranks=2", 20_000), ("biased", 40_000)])
def test_advantages_stay_unbiased(name: str, count: int, estimates: str) -> None:
    """The sum of advantages found at an infoset, per walk, is its counterfactual regret."""
    tree = rg.build(BiasedCoin() if name == "biased" else rg.games.by_name(name))
    strategy, game = random_strategy(tree, 3), ListedGame(tree, CPU)
    wild = torch.randn(tree.histories, generator=torch.Generator().manual_seed(1))
    baseline = {
        "nonsense": lambda: with_estimates(game, wild),
        "learned": lambda: taught(game, strategy, 5),
        "exact": lambda: with_estimates(game, values_of_histories(tree, strategy)),
    }[estimates]()
    found = found_by(game, strategy, count, baseline)
    sums = torch.zeros(tree.infosets, game.heads, dtype=torch.float64)
    squares = torch.zeros_like(sums)
    sums.index_add_(0, found.infosets, found.values.double())
    squares.index_add_(0, found.infosets, found.values.double().square())
    often = torch.bincount(found.infosets, minlength=tree.infosets) >= 30
    error = (sums / count - exact_advantages(tree, game, strategy, 0))[often].abs()
    assert int(often.sum()) > len(game.infosets_of([0])) // 2
    assert bool((error <= 5 * (squares / count**2)[often].sqrt() + 1e-6).all())


def test_exact_estimates_leave_only_the_variance_of_the_history() -> None:
    """A card of Kuhn poker leaves two for the other player: two advantages at an infoset, however the play goes on."""
    tree = rg.build(rg.games.Kuhn())
    strategy, game = random_strategy(tree, 4), ListedGame(tree, CPU)

    def most_kinds(baseline: HistoryBaseline | None) -> int:
        found = found_by(game, strategy, 2_000, baseline)
        return max(
            len(np.unique(found.values[found.infosets == infoset].numpy().round(4), axis=0))
            for infoset in game.infosets_of([0]).tolist()
        )

    assert most_kinds(with_estimates(game, values_of_histories(tree, strategy))) == 2
    assert most_kinds(None) > 2


@pytest.mark.parametrize(("name", "factor"), [("kuhn", 1.4), ("leduc", 2.0)])
def test_advantages_vary_less(name: str, factor: float) -> None:
    """The variance of an advantage about the mean of its infoset, over all that walks find."""
    tree = rg.build(rg.games.by_name(name))
    strategy, game = rg.solve(tree, rg.CFR_PLUS, iterations=50).strategy, ListedGame(tree, CPU)

    def variance(found: Samples) -> float:
        count = torch.bincount(found.infosets, minlength=tree.infosets).double().clamp(min=1)[:, None]
        sums = torch.zeros(tree.infosets, game.heads, dtype=torch.float64)
        sums.index_add_(0, found.infosets, found.values.double())
        return float((found.values - (sums / count)[found.infosets]).square().sum(1).mean())

    plain = variance(found_by(game, strategy, 5_000, None))
    assert plain > factor * variance(found_by(game, strategy, 5_000, taught(game, strategy, 15)))


def test_findings_fade() -> None:
    game = ListedGame(rg.build(rg.games.Kuhn()), CPU)
    baseline = HistoryBaseline(game)
    baseline.learn(torch.tensor([5, 5, 6]), torch.tensor([1.0, 3.0, 4.0]))
    assert baseline.estimate[5] == 2 and baseline.estimate[6] == 4 and baseline.estimate[7] == 0
    baseline.learn(torch.tensor([5]), torch.tensor([-1.0]))
    assert float(baseline.estimate[5]) == pytest.approx((0.9 * 4 - 1) / (0.9 * 2 + 1)) and baseline.estimate[6] == 4


def test_runs_go_on_bit_for_bit_and_learn(tmp_path: Path) -> None:
    method = rg.SD_CFR.replace(traversals=60, steps=10, widths=(16,), baseline="history")
    assert method.name == "SD-CFR (widths (16,), baseline history)"
    goes_on_bit_for_bit(rg.games.Kuhn(), method, (4, 3), tmp_path, seed=3)
    better = method.replace(traversals=200, steps=30)
    assert rg.solve(rg.games.Kuhn(), better, iterations=60, seed=1).exploitability < 0.03


def test_what_needs_a_listed_game() -> None:
    with pytest.raises(rg.OptionError, match="baseline='history' keeps a mean for every history, and this game is not"):
        rg.solve(rg.games.Kuhn(), rg.DeepCFR(baseline="history", listed=False), iterations=1)
    with pytest.raises(rg.OptionError, match="unknown baseline 'infoset'; known: history"):
        rg.DeepCFR(baseline="infoset")  # type: ignore[arg-type]
