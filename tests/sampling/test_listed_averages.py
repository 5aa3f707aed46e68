"""What a sampled run on a listed game is measured by: the plan of its averages, in one compiled pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regretless as rg
from compare_tables import random_strategy
from conftest import built
from regretless.evaluation.responses import plan_of
from regretless.method import Settings


@pytest.mark.full
@pytest.mark.parametrize("fixed", [(), (0,), (1,)])
@pytest.mark.parametrize(
    ("method", "dtype"),
    [(rg.MCCFR(), "float64"), (rg.MCCFR(), "float32"), (rg.MCCFR("outcome", baseline="infoset"), "float64")],
)
def test_the_plan_that_is_measured_is_that_of_the_average_strategy(fixed: Any, method: rg.MCCFR, dtype: str) -> None:
    tree = built("kuhn")
    settings = Settings(seed=3, dtype=dtype, fixed={player: random_strategy(tree, 5) for player in fixed})
    learner: Any = method.learner(tree, settings)
    assert learner.profile() == pytest.approx(plan_of(tree, learner.average_strategy()), abs=1e-15)
    for iterations in (1, 2, 30):  # some infosets have no average yet: there it is uniform
        learner.advance(iterations)
        expected = plan_of(tree, learner.average_strategy())
        assert np.array_equal(learner.profile(), expected)


def test_infosets_that_were_visited_are_counted() -> None:
    tree = built("leduc")
    learner: Any = rg.MCCFR().learner(tree, Settings(seed=1))
    assert learner.measure()["infosets"] == 0
    counts = []
    for _ in range(4):
        learner.advance(5)
        store = learner.store
        touched = [
            np.any(store.values[slot : slot + 2 * actions] != 0)
            for slot, actions in zip(store.slots, store.actions, strict=True)
        ]
        counts.append(learner.measure()["infosets"])
        assert counts[-1] == sum(touched)
    assert 0 < counts[0] < counts[-1] < tree.infosets
