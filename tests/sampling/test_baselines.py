"""Baselines take variance out of outcome sampling and leave its mean alone (which `test_unbiased` shows)."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from frozen import Frozen

import regretless as rg
from conftest import INTERPRETED, built

pytestmark = pytest.mark.skipif(INTERPRETED, reason="many walks take too long where nothing is compiled")

WALKS = 6_000
WARM = 600_000


@cache
def variance(baseline: str | None) -> tuple[float, float, float]:
    """Of the counterfactual regrets that outcome sampling sees on Leduc, for player 0, at strategies held still (the
    average of 200 iterations of CFR+) and after baselines have learned for 600,000 iterations:

    - given that a walk comes to an infoset, Var r̂(I, a), summed over all infosets met at least 50 times and actions;
    - of a walk wherever it goes, Var r̂(I, a), averaged over all infosets and actions: here the luck of coming by is in;
    - histories visited by a walk.
    """
    tree = built("leduc")
    strategy = rg.solve(tree, iterations=200).strategy
    frozen = Frozen(tree, rg.MCCFR(sampling="outcome", baseline=baseline), strategy, seed=5)  # type: ignore[arg-type]
    if baseline:
        frozen.warm_up(WARM)
    total, squares, visits = np.zeros((3, tree.sequences))
    for number in range(WALKS):
        new, _, visited = frozen.walked(0, number, number + 1)
        total += new
        squares += new**2
        visits += visited
    often = visits >= 50
    given = squares[often] / visits[often] - (total[often] / visits[often]) ** 2
    own = (tree.labels.player_of_sequence == 0) & (tree.labels.infoset_of_sequence >= 0)
    anywhere = squares[own] / WALKS - (total[own] / WALKS) ** 2
    return float(given.sum()), float(anywhere.mean()), frozen.nodes / WALKS


def test_by_history_variance_is_fifty_times_lower() -> None:
    (plain, anywhere, nodes), (reduced, reduced_anywhere, same) = variance(None), variance("history")
    assert nodes == pytest.approx(same, rel=0.03)
    assert plain > 50 * reduced
    assert anywhere > 5 * reduced_anywhere


def test_by_infoset_variance_is_lower() -> None:
    (plain, anywhere, nodes), (reduced, reduced_anywhere, same) = variance(None), variance("infoset")
    assert nodes == pytest.approx(same, rel=0.03)
    assert plain > 1.2 * reduced
    assert anywhere > 2 * reduced_anywhere


def test_perfect_baselines_leave_no_variance_but_that_of_hidden_cards() -> None:
    """Kuhn, where every history is met often: what a walk sees at a history is what the history is worth."""
    tree = built("kuhn")
    uniform = rg.Strategy.uniform(tree)
    frozen = Frozen(tree, rg.MCCFR(sampling="outcome", baseline="history"), uniform, seed=5)
    frozen.warm_up(50_000)
    from regretless.sampling.playing.match_play import values_of_histories

    worth = values_of_histories(tree, uniform, uniform)
    kept = frozen.learner.store.memory.reshape(2, tree.histories)
    assert np.abs(kept - worth)[:, 1:].max() < 1e-6
