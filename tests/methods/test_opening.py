"""Whether a game is listed: small ones are counted, others are estimated."""

from __future__ import annotations

from typing import Any

import pytest

import regretless as rg
from regretless.methods import opening


class Endless(rg.Game):
    """Never ends."""

    players = 2

    def root(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return state % 2

    def actions(self, state: int) -> tuple[int, ...]:
        return (1,)

    def play(self, state: int, action: int) -> int:
        return state + action

    def infoset(self, state: int) -> int:
        return state

    def payoffs(self, state: int) -> tuple[float, float]:
        return 0.0, 0.0


class Broken(Endless):
    """Fails at once."""

    def actions(self, state: int) -> Any:
        raise ValueError("no actions today")


def refused(*_: Any, **__: Any) -> Any:
    raise AssertionError("a small game is not estimated")


def test_small_games_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "estimate_size", refused)
    monkeypatch.setattr(opening, "SMALL_SECONDS", 60.0)
    assert not opening.too_large(rg.games.Leduc()) and not opening.too_large(rg.games.Kuhn())


@pytest.mark.parametrize("game", [Endless(), rg.games.LiarsDice(), Broken()], ids=lambda game: type(game).__name__)
def test_other_games_are_not_small(game: rg.Game) -> None:
    assert not opening._is_small(game)


def test_a_slow_game_is_not_counted_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "SMALL_SECONDS", -1.0)
    assert not opening._is_small(rg.games.Kuhn())


def test_mistakes_are_reported_by_the_estimate() -> None:
    with pytest.raises(rg.GameError, match="no actions today"):
        opening.too_large(Broken())
