"""Board games in the dark: the rules that phantom tic-tac-toe and dark hex share."""

# The methods of a game are documented in Game.

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from regretless.errors import OptionError
from regretless.game import TERMINAL, Game

__all__ = ["HiddenBoard"]

DRAW = 2
"""Stands in the place of the winner when there is none."""


class HiddenBoard(Game):
    """Two players put stones on one board in turn; each sees only their own stones, player 0 begins.

    A player who tries a cell that the other holds learns that it is taken, and tries again; in the abrupt game the
    turn passes instead. The other player learns nothing, not even that the cell was tried. The first winning shape
    pays 1, a full board without one pays 0.

    Labels: the player, then the cells tried, with a star where one was found taken: "P0", "P1 b2* a1". A cell is a
    column and a row, counted from the upper left; cells are numbered row by row. A state is the integers (mover,
    own, other, own_tried, other_tried, own_line, other_line), the mover's always first: bit masks of the stones and
    of the cells tried, and these in their order as the digits of a number that starts with 1. When the game is over
    only the winner is left, in the place of `own`. An infoset is the pair (line, stones and who they belong to).
    """

    abrupt: bool

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many rows the board has."""

    @property
    @abstractmethod
    def columns(self) -> int:
        """How many columns the board has."""

    @abstractmethod
    def wins(self, player: int, stones: int) -> bool:
        """Whether these stones of a player win."""

    @cached_property
    def _cells(self) -> int:
        return self.rows * self.columns

    @cached_property
    def _board(self) -> int:
        return (1 << self._cells) - 1

    def root(self) -> tuple[int, ...]:
        return (0, 0, 0, 0, 0, 1, 1)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        tried = state[3]
        return tuple([cell for cell in range(self._cells) if not tried >> cell & 1])

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, own, other, own_tried, other_tried, own_line, other_line = state
        cell = 1 << action
        if other & cell == 0:
            own |= cell
            if self.wins(mover, own):
                return (TERMINAL, mover, 0, 0, 0, 0, 0)
            if own | other == self._board:
                return (TERMINAL, DRAW, 0, 0, 0, 0, 0)
        own_tried |= cell
        own_line = own_line * self._cells + action
        if other & cell and not self.abrupt:
            return (mover, own, other, own_tried, other_tried, own_line, other_line)
        return (1 - mover, other, own, other_tried, own_tried, other_line, own_line)

    def infoset(self, state: tuple[int, ...]) -> tuple[int, int]:
        return (state[5], 2 * state[1] + state[0])

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
        winner = state[1]
        return (0.0, 0.0) if winner == DRAW else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def infoset_label(self, infoset: tuple[int, int]) -> str:
        line, (stones, mover) = infoset[0], divmod(infoset[1], 2)
        words = []
        while line > 1:
            line, cell = divmod(line, self._cells)
            words.append(self.action_label(cell) + ("" if stones >> cell & 1 else "*"))
        return " ".join([f"P{mover}", *reversed(words)])

    def action_label(self, action: int) -> str:
        row, column = divmod(action, self.columns)
        return f"{'abcdefghijklmnopqrstuvwxyz'[column]}{row + 1}"

    def _check_abrupt(self, game: str) -> None:
        if not isinstance(self.abrupt, bool):
            raise OptionError(f"{game} needs abrupt to be True or False, got abrupt={self.abrupt!r}")
