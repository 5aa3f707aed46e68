"""The method of a solve that names none."""

from __future__ import annotations

import pytest

import regretless as rg
from regretless.solver import usual_method


def test_each_kind_of_problem_has_one() -> None:
    spot = rg.poker.Spot("Qs Jh 2h 7c 3d", ("QQ+", "JJ+"), pot=100, stack=100)
    assert usual_method(spot) == usual_method(spot.public_tree()) == "dcfr:power=4"
    assert usual_method(rg.poker.FlopHoldem()) == "dcfr:power=4"
    assert usual_method(rg.games.Kuhn()) == usual_method(rg.build(rg.games.Kuhn())) == "cfr+"
    assert rg.solve(spot, iterations=1).method == rg.DCFR.replace(averaging=rg.Polynomial(4))
    assert rg.solve("kuhn", iterations=1).method == rg.CFR_PLUS


@pytest.mark.full  # compiles for long
def test_an_abstraction_is_solved_by_public_chance_sampling() -> None:
    rules = rg.poker.Limit(streets=2, bets=(2, 4), caps=2, blinds=(1, 2))
    deck = rg.poker.Deck("JQKA", "sh")
    a = rg.poker.abstract(rg.poker.PublicGame(deck, 2, (3,), rules), buckets=(5, 6), seed=1)
    run = rg.solve(rg.poker.PublicGame(deck, 2, (3,), rules, abstraction=a), iterations=2)
    assert isinstance(run.method, rg.MCCFR) and run.method.sampling == "public-chance"
