"""External sampling with buckets: deals against look-ups, estimates against public chance sampling."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_bucketed_tree import LEDUC, PAIRS, learner, lossless, merged

import regretless as rg
from regretless.method import Settings
from regretless.poker.solving.buckets.bucket_external import BucketExternalLearner, SampledDeals

METHOD = rg.MCCFR("external", rg.LINEAR_CFR, traversals=200)


@pytest.mark.full
def test_deals_are_those_of_the_game() -> None:
    for game in (lossless(LEDUC), merged(PAIRS, (6, 9, 11), "perfect")):
        tree = game.problem()
        deals = SampledDeals(tree)  # type: ignore[arg-type]
        draw = np.random.default_rng(1)
        hands = deals._hands(draw, 40)
        boards = deals._boards(draw, hands)
        buckets, winners = deals._buckets(hands, boards), deals._winners(hands, boards)
        numbers = game.deck.hands(game.hand_size).tolist()
        for n in range(40):
            cards = [*hands[n].ravel().tolist(), *boards[n].tolist()]
            assert len(set(cards)) == len(cards)
            for street, count in enumerate(tree.abstraction.rounds.boards):  # type: ignore[union-attr]
                known = tree.abstraction.sequences_on(tuple(boards[n, :count].tolist()))  # type: ignore[union-attr]
                for player in range(2):
                    assert buckets[n, player, street] == known[numbers.index(hands[n, player].tolist())]
        assert set(winners.tolist()) <= {-1, 0, 1} and winners.any()


@pytest.mark.full
def test_gains_are_unbiased() -> None:
    """At fixed strategies the mean gains of many walks are those of public chance sampling, up to a factor."""
    game = merged(LEDUC, (2, 5))
    sampled = BucketExternalLearner(game.problem(), METHOD, Settings(seed=3))  # type: ignore[arg-type]
    whole = learner(game, rg.MCCFR("public-chance", rg.LINEAR_CFR, boards=6))  # all boards of Leduc
    regret = np.random.default_rng(4).normal(size=len(sampled.tables.regret))
    sampled.tables.regret[:], whole.tables.regret[:] = regret, regret
    walks = 40_000
    for player in range(2):
        sampled._walk(player, range(walks), 0.0)
    whole.walker.walk(whole.batches.prepared(whole.batches.draw(1)), whole.tables, 0.0)
    pairs = 6 * 5 * 4  # hands and boards
    assert sampled.tables.gain / walks == pytest.approx(whole.tables.gain / pairs, abs=0.06)
    assert np.abs(whole.tables.gain / pairs).max() > 0.3


@pytest.mark.full
def test_solves_and_resumes(tmp_path: Path) -> None:
    game = lossless(LEDUC)
    run = rg.solve(game, METHOD, iterations=1_000, seed=1)
    assert run.exploitability < 0.05 and run.value == pytest.approx(-0.0856, abs=0.03)
    pruned = rg.solve(game, METHOD.replace(prune=100.0), iterations=1_000, seed=1)
    assert pruned.exploitability < 0.05 and (pruned.arrays["regret"] != run.arrays["regret"]).any()
    rg.solve(game, METHOD, iterations=4, seed=1, measure="never").save(tmp_path / "a.run")
    again = rg.resume(tmp_path / "a.run", iterations=6, game=game)
    ten = rg.solve(game, METHOD, iterations=10, seed=1, threads=2, measure="never")
    for name, array in ten.arrays.items():
        assert (array == again.arrays[name]).all()
