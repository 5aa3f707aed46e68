"""Phantom tic-tac-toe with the rules of OpenSpiel's `phantom_ttt`."""

# The methods of a game are documented in Game.

from __future__ import annotations

from dataclasses import dataclass

from regretless.compiled import compiled
from regretless.games.hidden_board import HiddenBoard

__all__ = ["PhantomTicTacToe"]

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o124, 0o421)
"""Three in a row as bit masks, one octal digit for each row of the board: rows, columns, diagonals."""


@compiled
@dataclass(frozen=True)
class PhantomTicTacToe(HiddenBoard):
    """Phantom tic-tac-toe: three in a row wins, and players see only their own stones.

    A player who tries a cell that is taken learns that and tries again; with abrupt=True the turn passes instead.
    Labels: the player, then the cells tried, with a star where one was found taken: "P0", "P1 b2* a1".
    """

    abrupt: bool = False

    rows = columns = 3

    def __post_init__(self) -> None:
        self._check_abrupt("Phantom tic-tac-toe")

    def wins(self, player: int, stones: int) -> bool:
        for line in LINES:  # noqa: SIM110 - compiled, a loop allocates nothing
            if stones & line == line:
                return True
        return False
