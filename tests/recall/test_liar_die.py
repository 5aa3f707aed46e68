"""Liar Die: its rules, its values, and that remembering two claims loses nothing."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

import regretless as rg
from regretless.testing import check_game_conformance


@cache
def exact_value(sides: int, accepted: int = 0) -> float:
    """What the player who must claim above `accepted` wins, before the roll: each round is a small matrix game, since
    the die is rolled anew. Solved as a linear program for the answerer, by claim: the probability to doubt."""
    claims = range(accepted + 1, sides + 1)
    # The claimer with roll r picks the claim c of highest q_c · (1 if r ≥ c else −1) − (1 − q_c) · V(c);
    # minimise the mean over rolls of t_r ≥ each of those, over doubts q_c.
    count, first = len(claims), accepted + 1
    rows, bounds = [], []
    for roll, claim in product(range(1, sides + 1), claims):
        passed = exact_value(sides, claim) if claim < sides else 0.0
        row = np.zeros(count + sides)
        row[claim - first] = (1 if roll >= claim else -1) + passed
        row[count + roll - 1] = -1
        rows.append(row)
        bounds.append(passed)
    doubts = [(1, 1) if claim == sides else (0, 1) for claim in claims]
    cost = np.concatenate([np.zeros(count), np.full(sides, 1 / sides)])
    found = linprog(cost, A_ub=np.array(rows), b_ub=np.array(bounds), bounds=[*doubts, *[(None, None)] * sides])
    return float(found.fun)


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_rounds_are_worth_what_the_whole_game_is(sides: int) -> None:
    assert rg.equilibrium(rg.build(rg.games.LiarDie(sides))).value == pytest.approx(exact_value(sides), abs=1e-9)


def test_values() -> None:
    known = [1 / 2, 4 / 9, 5 / 12, 28 / 75, 11 / 30]
    assert [exact_value(sides) for sides in (2, 3, 4, 5, 6)] == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize("sides", [2, 3, 4, 5])
def test_two_claims_are_all_one_needs(sides: int) -> None:
    run = rg.solve(rg.games.LiarDie(sides, recall=2), rg.FSICFR(variant=rg.PCFR_PLUS), iterations=5_000)
    assert run.history["exact"][-1] == 1
    assert run.value == pytest.approx(exact_value(sides), abs=1e-6)
    assert run.exploitability < 1e-4


def test_six_sides_come_within_a_ten_thousandth() -> None:
    run = rg.solve(rg.games.LiarDie(recall=2), rg.FSICFR(variant=rg.PCFR_PLUS, listed=False), iterations=20_000)
    assert run.value == pytest.approx(exact_value(6), abs=1e-6)


def test_one_claim_is_not_enough() -> None:
    game = rg.games.LiarDie(4, recall=1)
    assert rg.solve(game, rg.FSICFR(variant=rg.DCFR), iterations=5_000).exploitability > 0.01


def state_after(game: rg.games.LiarDie, *moves: str) -> tuple[int, ...]:
    state = game.root()
    for move in moves:
        state = game.play(state, next(a for a in game.actions(state) if game.action_label(a) == move))
    return state


def test_rules() -> None:
    game = rg.games.LiarDie()
    label = lambda *moves: game.infoset_label(game.infoset(state_after(game, *moves)))  # noqa: E731
    assert label("roll 3") == "3/?"
    assert label("roll 3", "4") == "4?"
    assert label("roll 3", "4", "accept", "roll 2") == "4 2/?"
    assert label("roll 3", "4", "accept", "roll 2", "5") == "3/4 5?"
    assert label("roll 3", "4", "accept", "roll 2", "5", "accept", "roll 1") == "3/4 5 1/?"
    state = state_after(game, "roll 3", "4", "accept", "roll 2")
    assert [game.action_label(a) for a in game.actions(state)] == ["5", "6"]
    state = state_after(game, "roll 3", "6")
    assert [game.action_label(a) for a in game.actions(state)] == ["doubt"]
    assert game.payoffs(state_after(game, "roll 3", "4", "doubt")) == (-1, 1)
    assert game.payoffs(state_after(game, "roll 4", "4", "doubt")) == (1, -1)
    assert game.payoffs(state_after(game, "roll 1", "2", "accept", "roll 5", "4", "doubt")) == (-1, 1)


def test_forgetful_labels() -> None:
    game = rg.games.LiarDie(recall=2)
    label = lambda *moves: game.infoset_label(game.infoset(state_after(game, *moves)))  # noqa: E731
    assert not game.perfect_recall and game.remembering() == rg.games.LiarDie()
    assert label("roll 1", "2", "accept", "roll 3", "4", "accept", "roll 6") == "4 6/?"
    assert label("roll 1", "2", "accept", "roll 3", "4", "accept", "roll 6", "5") == "4 5?"


@pytest.mark.parametrize("sides", [2, 3, 4, 5])
@pytest.mark.parametrize("recall", [None, 1, 2, 3])
def test_counts(sides: int, recall: int | None) -> None:
    """Each claim is either left out or made with one of `sides` rolls: (sides + 1)^sides ways, one of them empty."""
    ways = (sides + 1) ** sides
    infosets = {2: sides**2 + sides * (sides + 1) // 2}.get(recall or 0)
    game = rg.games.LiarDie(sides, recall)
    check_game_conformance(game, histories=3 * ways - 2, terminals=ways - 1, infosets=infosets)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sides": 1}, "LiarDie needs at least 2 sides, got sides=1"),
        ({"recall": 0}, "LiarDie needs at least 1 last claim, got recall=0"),
        ({"recall": 1.5}, "LiarDie needs a whole number of last claims, got recall=1.5"),
    ],
)
def test_parameters(given: dict[str, float], sentence: str) -> None:
    with pytest.raises(rg.OptionError, match=sentence):
        rg.games.LiarDie(**given)
