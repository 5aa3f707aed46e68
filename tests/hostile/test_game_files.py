"""The short version of the harness: some hundred cases of game and run files and of wrong games."""

from __future__ import annotations

import pytest
from game_files import Case, attempt, cases

import regretless as rg
from conftest import INTERPRETED


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.full
def test_nothing_breaks(seed: int) -> None:
    for case in cases(seed, 6 if INTERPRETED else 60):
        attempt(case)


def test_the_same_seed_gives_the_same_cases() -> None:
    one, other = (list(cases(7, 30)) for _ in range(2))
    assert [(case.kind, case.name) for case in one] == [(case.kind, case.name) for case in other]
    assert [case.payload for case in one if isinstance(case.payload, bytes)] == [
        case.payload for case in other if isinstance(case.payload, bytes)
    ]


def test_a_failure_is_told() -> None:
    """What would be found: another exception than ours."""

    def breaks() -> rg.Game:
        raise ZeroDivisionError("oops")

    with pytest.raises(AssertionError, match="wrong game, mine: ZeroDivisionError: oops"):
        attempt(Case("wrong game", "mine", breaks))
