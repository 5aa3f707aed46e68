"""The control variate of samples of flops: known equities, sums over all flops, and its effect."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_buckets import drawn, merged

import regretless as rg
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.cards.deck import STANDARD
from regretless.poker.measuring import checked_down as control
from regretless.poker.measuring.checked_down import CheckedDown, checked_down
from regretless.poker.measuring.flop_measurement import measure_by_flops
from regretless.poker.measuring.flops import FlopGame

SMALL = PublicGame(Deck("9TJQKA", "sh"), 2, (1, 1, 1), Limit(streets=4, bets=2, caps=1, blinds=(1, 2)))


def flops_of(strategy: Any) -> FlopGame:
    return strategy.flop_game("float64", 1, "cpu", False, elsewhere=False)


def test_the_mean_over_all_flops_has_the_known_equities() -> None:
    """Where nobody folds before the flop: equities against a random hand, as published in every table of odds."""
    game = rg.poker.LimitHoldem()
    flops = flops_of(rg.poker.card_blind(game, call=1))
    found = CheckedDown(flops)
    line = int(np.argmax(found.every[0].max(axis=1)))  # call, check: all hands arrive
    boards = 1_225 * 17_296  # opposing hands × flops that neither hand holds a card of
    names = STANDARD.hands(2).tolist()
    for hand, equity in (("AsAh", 0.8520), ("KsKh", 0.8240), ("AsKs", 0.6704), ("7s2h", 0.3458), ("3s2h", 0.3230)):
        cards = sorted(STANDARD.cards(hand))
        number = next(n for n, each in enumerate(names) if sorted(each) == cards)
        net = found.every[0, line, flops.class_of[number]] / boards
        assert (1 + net) / 2 == pytest.approx(equity, abs=1e-4), hand
    assert found.every.shape == (2, 7, 169)


@pytest.mark.full
def test_flops_that_stand_for_all_are_near_the_mean() -> None:
    game = rg.poker.LimitHoldem()
    flops = flops_of(rg.poker.card_blind(game, fold=1, call=2, raise_=1))
    found, lowest = CheckedDown(flops), {flop.cards: flop for flop in flops.flops}
    total = np.zeros(found.every.shape)
    for text, weight in rg.poker.flops(25).items():
        cards = np.array(STANDARD.cards(text))
        kept = next(flop for flop in lowest.values() if same_flop(cards, np.array(flop.cards)))
        total += 22_100 * weight * found.on(kept)
    weighed = flops.class_size * found.every
    assert np.allclose((weighed * total).sum(-1) / (weighed * found.every).sum(-1), 1, atol=0.08)


def same_flop(one: np.ndarray[Any, Any], two: np.ndarray[Any, Any]) -> bool:
    """Whether two flops differ by a permutation of suits only."""
    suits = len(STANDARD.suits)
    return any(
        sorted(int(c) // suits * suits + order[int(c) % suits] for c in one) == sorted(two.tolist())
        for order in permutations(range(suits))
    )


def test_all_flops_of_a_small_deck_add_up_to_the_mean() -> None:
    flops = flops_of(drawn(merged(SMALL, (9, 9, 9, 9))))
    found = CheckedDown(flops)
    total = sum(flop.deals * found.on(flop) for flop in flops.flops)
    assert np.allclose(found.every, total, rtol=0, atol=1e-9) and np.abs(total).max() > 1


@pytest.mark.full  # compiles for long
def test_most_of_the_luck_of_a_sample_is_subtracted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = rg.solve(merged(SMALL, (9, 9, 9, 9)), rg.MCCFR("public-chance", boards=4), iterations=200, seed=1)
    path = tmp_path / "all.flops"
    monkeypatch.setattr(control, "LEAST_SAMPLE", 4)
    exact = float(measure_by_flops(run.strategy, checkpoint=path))

    def errors() -> tuple[float, float]:
        found = [measure_by_flops(run.strategy, flops=5, seed=seed, checkpoint=path) for seed in range(40)]
        inside = np.mean([one.low <= exact <= one.high for one in found])
        return float(np.std([float(one) - exact for one in found])), float(inside)

    smaller, inside = errors()
    monkeypatch.setattr(control, "LEAST_SAMPLE", 1_000)
    larger, _ = errors()
    assert smaller < 0.9 * larger and inside > 0.75


def test_small_samples_and_other_games_do_without() -> None:
    flops = flops_of(drawn(merged(SMALL, (9, 9, 9, 9))))
    assert checked_down(flops, control.LEAST_SAMPLE) is not None
    assert checked_down(flops, control.LEAST_SAMPLE - 1) is None
    one_card = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
    assert checked_down(flops_of(drawn(merged(one_card, (2, 4)))), 10) is None
