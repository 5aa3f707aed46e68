"""The match of Dudo: its rounds against the linear program, and the job that works them up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import regretless as rg
from regretless.evaluation.claim_games import hands_of
from regretless.games.dudo import Dudo
from regretless.recall.dudo_match import DudoMatch, solve_dudo_match
from regretless.recall.dudo_round import Round, memories_of


def dice_lost(lost: int, loser: int) -> float:
    return float(lost if loser else -lost)


@pytest.mark.parametrize(("recall", "infosets"), [(1, 78), (2, 474), (3, 1_794)])
def test_infosets_are_those_of_the_paper(recall: int, infosets: int) -> None:
    assert Round((1, 1), 6, recall, dice_lost, rg.CFR_PLUS).infosets == infosets


def test_memories_come_after_those_that_lead_to_them() -> None:
    memories = memories_of(8, 3)
    assert len(memories.last) == 1 + 8 + 28 + 56
    for memory, row in enumerate(memories.child):
        assert all(child > memory for child in row[row >= 0])
        assert np.all(memories.last[row[row >= 0]] == np.flatnonzero(row >= 0))


def test_wild_dice_count_for_every_claim() -> None:
    matching, odds = hands_of(2, 3)  # faces 2, 3 and the wild 1
    assert odds.sum() == pytest.approx(1) and len(odds) == 6
    assert sorted(matching.T.tolist()) == sorted([[2, 0, 0], [1, 1, 0], [2, 1, 1], [0, 2, 0], [1, 2, 1], [2, 2, 2]])


class Last(Dudo):
    """A round whose payoffs are what the match is worth afterwards."""

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
        won = super().payoffs(state)
        loser = 0 if won[0] < 0 else 1
        worth = self.worth(int(abs(won[0])), loser)  # type: ignore[attr-defined]
        return (worth, -worth)


def exact_match(dice: int, sides: int) -> DudoMatch:
    """Every round by the linear program, with perfect recall."""
    match = DudoMatch.fresh(dice, sides, sides)
    for pair in match.rounds():
        game = Last(pair, sides)
        object.__setattr__(game, "worth", match.worth(pair))
        match.value[pair] = rg.equilibrium(rg.build(game)).value
    return match


def test_rounds_with_perfect_recall_have_the_values_of_the_linear_program() -> None:
    exact = exact_match(2, 2)
    found = solve_dudo_match(2, sides=2, recall=8, iterations=1_500, seed=1)
    assert np.nanmax(np.abs(found.value - exact.value)) < 0.02
    assert np.all(found.iterations[1:, 1:] == 1_500)
    assert "value to who begins" in str(found)


def test_one_round_of_one_die_each_is_worth_what_is_published() -> None:
    played = Round((1, 1), 6, 12, dice_lost, rg.CFR_PLUS, seed=2)
    played.advance(400)
    assert played.value() == pytest.approx(-7 / 258, abs=0.01)


def test_a_match_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    file = tmp_path / "match"
    whole = solve_dudo_match(2, sides=2, recall=2, iterations=200, seed=3)
    some = solve_dudo_match(2, sides=2, recall=2, iterations=200, seed=3, most=3, checkpoint=file)
    assert np.isnan(some.value[2, 2]) and not np.isnan(some.value[2, 1])
    told: list[tuple[int, int]] = []
    rest = solve_dudo_match(
        2, sides=2, recall=2, iterations=200, seed=3, checkpoint=file, progress=lambda match, pair, _: told.append(pair)
    )
    assert set(told) == {(2, 2)}
    np.testing.assert_array_equal(rest.value, whole.value)
    np.testing.assert_array_equal(DudoMatch.load(file).value, whole.value)


def test_mistakes_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(rg.OptionError, match="takes at most 5 dice, got dice=6"):
        solve_dudo_match(6)
    with pytest.raises(rg.OptionError, match="needs at least 1 last claim, got recall=0"):
        solve_dudo_match(2, recall=0)
    file = tmp_path / "match"
    solve_dudo_match(1, sides=2, recall=1, iterations=1, checkpoint=file)
    with pytest.raises(rg.OptionError, match="is a match with 1 dice of 2 sides and recall 1, not 2, 2 and 1"):
        solve_dudo_match(2, sides=2, recall=1, iterations=1, checkpoint=file)
