"""The kernels one at a time, against NumPy on the same arrays."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from compare_tables import random_strategy
from random_games import RandomGame, random_games
from regretless.evaluation.equilibrium import payoff_matrix
from regretless.evaluation.responses import plan_of
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.sequence_form.sequence_tracing import path_to, strip_ends
from regretless.kernels.sequence_form.treeplex import lay_plan, player_best, pure_plan


@given(random_games(players=(2,)), st.integers(0, 99))
def test_the_gradient_is_the_sparse_product(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    plan = plan_of(tree, random_strategy(tree, seed))
    first = tree.form.sequence_first
    for player in range(2):
        gradient = np.full(tree.sequences, np.nan)
        player_gradient(tree.form, player, plan, gradient)
        mine, theirs = (slice(first[p], first[p + 1]) for p in (player, 1 - player))
        np.testing.assert_allclose(gradient[mine], payoff_matrix(tree, player) @ plan[theirs], atol=1e-14)
        assert np.isnan(gradient[theirs]).all()


@given(random_games(), st.integers(0, 99))
def test_plans_are_products_along_sequences(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    strategy = random_strategy(tree, seed)
    plan = np.ones(tree.sequences)
    lay_plan(tree.form, strategy.probabilities, plan)
    owner = tree.labels.infoset_of_sequence
    for sequence in range(tree.sequences):
        product, here = 1.0, sequence
        while owner[here] >= 0:
            product *= strategy.probabilities[here]
            here = int(tree.form.parent[owner[here]])
        assert plan[sequence] == pytest.approx(product, abs=1e-15)


@given(random_games(), st.integers(0, 99))
def test_the_best_plan_is_worth_the_best_value(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    plan = plan_of(tree, random_strategy(tree, seed))
    for player in range(tree.players):
        gradient = np.zeros(tree.sequences)
        player_gradient(tree.form, player, plan, gradient)
        terminal = gradient.copy()
        best = player_best(tree.form, player, gradient)
        answer, strategy = plan.copy(), np.ones(tree.sequences)
        pure_plan(tree.form, player, gradient, strategy, answer)
        mine = tree.labels.player_of_sequence == player
        assert terminal[mine] @ answer[mine] == pytest.approx(best, abs=1e-12)
        assert set(answer[mine].tolist()) <= {0.0, 1.0}


def test_strips_never_part_children_of_one_parent() -> None:
    parent = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 4], np.int64)
    assert strip_ends(parent, 0, 11, 2).tolist() == [0, 3, 5, 10, 11] or all(
        parent[cut] != parent[cut - 1] for cut in strip_ends(parent, 0, 11, 2)[1:-1]
    )
    assert strip_ends(parent, 0, 11, 100).tolist() == [0, 11]
    assert strip_ends(np.zeros(5, np.int64), 0, 5, 2).tolist() == [0, 5]


def test_a_path_from_the_root(kuhn: rg.Tree) -> None:
    listing = kuhn.listing
    for history in range(kuhn.histories):
        path = path_to(listing.first_child, listing.children, history).tolist()
        assert path[0] == 0
        assert path[-1] == history
        for parent, child in pairwise(path):
            first = listing.first_child[parent]
            assert first <= child < first + listing.children[parent]
