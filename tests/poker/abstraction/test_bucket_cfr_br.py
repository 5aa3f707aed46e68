"""CFR-BR with buckets, compared with plain Python on one flop and with public chance sampling."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_bucketed_tree import PAIRS, SlowWalk, lossless, merged

import regretless as rg
from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.method import Settings
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.solving.buckets.bucket_cfr_br import BucketCFRBR

TWELVE = PublicGame(Deck("9TJQKA", "sh"), 2, (3,), Limit(streets=2, bets=2, caps=1, blinds=(1, 2)))


class SlowAnswer(SlowWalk):
    """A walk of a learner against a best response below the first street, pair of hands by pair of hands."""

    made: BucketCFRBR
    choice: dict[tuple[int, int, int], int]

    def strategy(self, node: int, number: int, hand: int) -> list[float]:
        """Of the learner by bucket; of the other player by hand on the first street, else as it was chosen."""
        if self.betting.kind[node] == self.player:
            return super().strategy(node, number, hand)
        actions = int(self.betting.children[node])
        if self.betting.street[node]:
            return [float(a == self.choice[node, number, hand]) for a in range(actions)]
        first, hands = int(self.made.by_hand[node]), len(self.hands)
        positive = [max(float(self.made.tables.regret[first + a * hands + hand]), 0.0) for a in range(actions)]
        return [p / sum(positive) if sum(positive) else 1 / actions for p in positive]

    def choose(self, node: int, number: int, mine: dict[int, float]) -> dict[int, float]:
        """Best values of the other player's hands, with all boards below; mine: reach of the learner's hands."""
        kind, street, child = (int(a[node]) for a in (self.betting.kind, self.betting.street, self.betting.first_child))
        self.player = 1 - self.player
        try:
            if kind > DEAL:
                factor = self.complete(street, number) * self.missed(street)
                return {h: factor * self.ended(node, street, number, h, mine) for h in mine}
        finally:
            self.player = 1 - self.player
        if kind == DEAL:
            total = dict.fromkeys(mine, 0.0)
            for n in self.boards_below(street, number):
                live = {h: r for h, r in mine.items() if self.known[street + 1][n][h] >= 0}
                for h, found in self.choose(child, n, live).items():
                    total[h] += found
            return total
        actions = range(int(self.betting.children[node]))
        if kind == self.player:
            sigma = {h: super(SlowAnswer, self).strategy(node, number, h) for h in mine}
            parts = [self.choose(child + a, number, {h: r * sigma[h][a] for h, r in mine.items()}) for a in actions]
            return {h: sum(part[h] for part in parts) for h in mine}
        parts = [self.choose(child + a, number, mine) for a in actions]
        for h in mine if street else ():
            best = max(part[h] for part in parts)
            self.choice[node, number, h] = next(a for a in actions if parts[a][h] >= best)
        return {h: max(part[h] for part in parts) for h in mine}


@pytest.mark.full
@pytest.mark.parametrize("game", [merged(PAIRS, (6, 9, 11)), merged(TWELVE, (5, 7))], ids=["three", "two streets"])
def test_a_walk_is_that_of_plain_python(game: PublicGame) -> None:
    made, draw = BucketCFRBR(game.problem(), rg.CFRBR(), Settings()), np.random.default_rng(4)  # type: ignore[arg-type]
    made.tables.regret[:] = draw.uniform(0.1, 1.0, len(made.tables.regret))  # all hands come everywhere: no ties
    for learner in range(2):
        made.tables.gain[:], made.tables.average[:] = 0, 0
        batch = made.batches.draw(9, 1, learner)
        assert len(batch[-1]) == made.batches.counts[-1]
        values = made.walkers[learner].walk(made.batches.prepared(batch), made.tables, 2.0)
        slow = SlowAnswer(made, learner, batch)  # type: ignore[arg-type]
        slow.made, slow.choice = made, {}
        ranges = [dict(enumerate(weights.tolist())) for weights in game.hand_weights()]
        slow.choose(0, 0, ranges[learner])
        expected = slow.values(0, 0, ranges[learner], ranges[1 - learner])
        assert values[learner].tolist() == pytest.approx(list(expected.values()), abs=1e-9)
        numbers, low, high = made.tree.infoset_actions, *made.tree.bounds[learner : learner + 2]
        assert made.tables.gain[low:high] == pytest.approx(slow.gain[low:high], abs=1e-9)
        assert made.tables.average[:numbers] == pytest.approx(2 * slow.average[:numbers], abs=1e-9)
        assert np.abs(made.tables.gain[numbers:]).sum() > 0  # regrets of the answer by hand


@pytest.mark.full
def test_less_exploitable_than_public_chance_sampling() -> None:
    """In the same abstraction of twelve cards, with exact best responses that know all cards."""
    game = merged(TWELVE, (6, 8))
    sampled = rg.solve(
        game, rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR, boards=8), iterations=300, seed=1
    )
    answered = rg.solve(game, rg.CFRBR(rg.LINEAR_CFR), iterations=500, seed=1)
    assert 0 < answered.exploitability <= sampled.exploitability
    free = rg.solve(lossless(PAIRS), rg.CFRBR(rg.LINEAR_CFR), iterations=60, seed=1)
    assert free.exploitability < 0.25


@pytest.mark.full
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_same_bits_resumed_and_on_threads(tmp_path: Path, dtype: str) -> None:
    game, method = merged(PAIRS, (6, 9, 11)), rg.CFRBR(rg.DCFR)
    whole = rg.solve(game, method, iterations=6, seed=5, threads=1, dtype=dtype, measure="never")
    rg.solve(game, method, iterations=2, seed=5, threads=2, dtype=dtype, measure="never").save(tmp_path / "a.run")
    again = rg.resume(tmp_path / "a.run", iterations=4, game=game)
    assert set(again.arrays) >= {"regret", "average", "answer_regret"}
    for name, array in whole.arrays.items():
        assert array.dtype == dtype and (array == again.arrays[name]).all()


def test_refused_settings() -> None:
    game = merged(PAIRS, (6, 9, 11))
    with pytest.raises(OptionError, match="predicts, which CFR-BR with buckets does not"):
        rg.solve(game, rg.CFRBR(rg.PCFR_PLUS), iterations=1)
    with pytest.raises(OptionError, match="CFR-BR computes in float64 and float32 only: leave out dtype='int16'"):
        rg.solve(game, rg.CFRBR(), iterations=1, dtype="int16")


@pytest.mark.full
def test_32_bits_are_the_usual_precision_and_agree_with_64() -> None:
    game, method = merged(TWELVE, (6, 8)), rg.CFRBR(rg.LINEAR_CFR)
    usual, exact = (rg.solve(game, method, iterations=100, seed=1, dtype=dtype) for dtype in (None, "float64"))
    assert usual.arrays["regret"].dtype == "float32" and exact.arrays["regret"].dtype == "float64"
    assert usual.exploitability == pytest.approx(exact.exploitability, rel=0.02)
