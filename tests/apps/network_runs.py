"""Runs of networks on hold'em: on a small deck with four streets, limit hold'em and flop hold'em."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import regretless as rg
from regretless.poker import Deck, Limit, PublicGame

FOUR = PublicGame(
    Deck("9TJQKA", "sh"), 2, (3, 1, 1), Limit(streets=4, bets=(2, 2, 4, 4), caps=2, blinds=(1, 2)), big_blind=2
)
"""Four streets with a flop of three cards, as in limit hold'em."""
DEEP = rg.DeepCFR(traversals=3, steps=2, batch=16, widths=(8,), strategy_steps=5, listed=False)
METHODS = {
    "deep-cfr": DEEP,
    "sd-cfr": DEEP.replace(averaging="value-networks", strength=True),
    "nfsp": rg.NFSP(plays=8, every=8, batch=8, widths=(8,), response_capacity=500, average_capacity=500, listed=False),
}
GAMES = {
    "small": (FOUR, "call check / check check", "9s Th Jh Qs"),
    "hulh": (rg.poker.LimitHoldem(), "raise call / bet call", "Qs Jh 2h 7c"),
    "fhp": (rg.poker.FlopHoldem(), "call check", "Qs Jh 2h"),
}
"""Games with a line and a board on which the line ends."""
QUICK = (("small", "sd-cfr"), ("hulh", "deep-cfr"))
CASES = [
    pytest.param((game, method), marks=() if (game, method) in QUICK else pytest.mark.full, id=f"{game}-{method}")
    for game in GAMES
    for method in METHODS
]


class NetworkRun:
    """A run of networks, also in a file."""

    def __init__(self, game: str, method: str, folder: Path) -> None:
        self.game, self.line, self.board = GAMES[game]
        self.run = rg.solve(self.game, METHODS[method], iterations=2, seed=1, threads=1)
        self.path = folder / f"{game}-{method}.run"
        self.run.save(self.path)

    @property
    def strategy(self) -> Any:
        return self.run.strategy
