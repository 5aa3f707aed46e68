"""Battleship: Farina, Ling, Fang & Sandholm, "Correlation in extensive-form games" (2019); rules as in OpenSpiel."""

# What the methods of a game mean is said once, in Game.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.compiled import compiled
from regretless.errors import OptionError
from regretless.game import TERMINAL, Game
from regretless.games.parameters import need_number, need_whole

__all__ = ["Battleship"]

WATER, HIT, SUNK = 0, 1, 2
MOST_CELLS = 16
"""Whether ships still fit is looked up by the set of taken cells, in a table of 2^cells entries."""


@compiled
@dataclass(frozen=True)
class Battleship(Game):
    """Battleship: both place their ships in secret, then fire `shots` shots each in turn at the other's board.

    `size` is a number of rows and one of columns, or one number for both. `ships` are the lengths of each player's
    ships, placed in turn, and `values` what each is worth, 1 unless given. A shot tells whether it fell into water,
    hit, or sank a ship. The game ends early when all ships of a player are sunk. A player wins what it has sunk and
    loses `loss` times what it has lost: with loss=1 the game is zero-sum. `repeat` allows to fire at a cell again.

    Labels: the player, the own ships by their upper left cell (h across, v down), the own shots (w water, h hit, s
    sunk), then the other's: "P0", "P1 b1v", "P0 a1h shots b2w a1s seen a2w".
    """

    size: int | tuple[int, int] = 2
    ships: tuple[int, ...] = (1,)
    values: tuple[float, ...] | None = None
    shots: int = 3
    loss: float = 2.0
    repeat: bool = False

    def __post_init__(self) -> None:
        size = self.size if isinstance(self.size, tuple | list) else (self.size, self.size)
        if len(size) != 2:
            raise OptionError(
                f"Battleship needs one size or a number of rows and one of columns, got size={self.size!r}"
            )
        for side in size:
            need_whole("Battleship", "rows and columns", side, least=1, name="size")
        ships = tuple(self.ships) if isinstance(self.ships, tuple | list) else (self.ships,)
        for ship in ships:
            need_whole("Battleship", "cells for each ship", ship, least=1, name="ships")
        values = (1.0,) * len(ships) if self.values is None else self.values
        values = tuple(values) if isinstance(values, tuple | list) else (values,)
        for value in values:
            need_number("Battleship", "values", value)
        if len(values) != len(ships) or not ships:
            raise OptionError(f"Battleship needs a value for each of its ships, got ships={ships} and values={values}")
        need_whole("Battleship", "shots", self.shots, least=1)
        need_number("Battleship", "loss", self.loss)
        if not isinstance(self.repeat, bool):
            raise OptionError(f"Battleship needs repeat to be True or False, got repeat={self.repeat!r}")
        object.__setattr__(self, "size", size[0] if size[0] == size[1] else tuple(size))
        object.__setattr__(self, "ships", ships)
        object.__setattr__(self, "values", values)
        self._check_sizes()

    def _check_sizes(self) -> None:
        if self._cells > MOST_CELLS:
            raise OptionError(f"Battleship takes at most {MOST_CELLS} cells, got size={self.size!r}")
        if not self.repeat and self.shots > self._cells:
            raise OptionError(f"Battleship has {self._cells} cells to fire at, got shots={self.shots}")
        if (3 * self._cells) ** self.shots >= 2**62 or 2 * (2 * self._cells) ** len(self.ships) >= 2**62:
            raise OptionError(
                f"Battleship keeps the shots of a player in a 64-bit number, too small for shots={self.shots} and "
                f"{len(self.ships)} ships on {self._cells} cells"
            )
        if not self._fits[0][0]:
            raise OptionError(f"Battleship needs ships that fit on the board, got ships={self.ships}")

    # A state is the integers (mover, moves, fleet0, fleet1, struck0, struck1, line0, line1): moves made so far; the
    # placements of each player as digits after a leading 1; bit masks of the cells of each board that were fired at;
    # and each player's shots, cell · 3 + outcome, as digits after a leading 1. Actions are the cells to fire at, then
    # placements: cells + corner across, 2 · cells + corner down.

    @cached_property
    def _rows(self) -> int:
        return self.size[0] if isinstance(self.size, tuple) else self.size

    @cached_property
    def _columns(self) -> int:
        return self.size[1] if isinstance(self.size, tuple) else self.size

    @cached_property
    def _cells(self) -> int:
        return self._rows * self._columns

    @cached_property
    def _masks(self) -> npt.NDArray[np.int64]:
        """[ships, 2 · cells] the cells that each placement of a ship covers; 0 where it does not fit on the board."""
        masks = np.zeros((len(self.ships), 2 * self._cells), np.int64)
        for ship, length in enumerate(self.ships):
            for corner in range(self._cells):
                row, column = divmod(corner, self._columns)
                if column + length <= self._columns:
                    masks[ship, corner] = sum(1 << corner + i for i in range(length))
                if row + length <= self._rows and length > 1:
                    masks[ship, self._cells + corner] = sum(1 << corner + i * self._columns for i in range(length))
        return masks

    @cached_property
    def _fits(self) -> npt.NDArray[np.int64]:
        """[ships + 1, 2^cells] whether ships s, s + 1, … fit on the cells that a mask of taken ones leaves."""
        taken = np.arange(1 << self._cells)
        fits = np.zeros((len(self.ships) + 1, len(taken)), np.int64)
        fits[-1] = 1
        for ship in range(len(self.ships) - 1, -1, -1):
            for mask in self._masks[ship].tolist():
                if mask:
                    fits[ship] |= (taken & mask == 0) & (fits[ship + 1][taken | mask] > 0)
        return fits

    @cached_property
    def _worth(self) -> tuple[float, ...]:
        return tuple(float(value) for value in self.values or ())

    @cached_property
    def _fleet(self) -> int:
        return len(self.ships)

    def _ship(self, fleet: int, placed: int, ship: int) -> int:
        """The cells of a ship, of a fleet of which `placed` ships are on the board."""
        radix = 2 * self._cells
        for _ in range(placed - 1 - ship):
            fleet //= radix
        return int(self._masks[ship, fleet % radix])

    def _taken(self, fleet: int, placed: int) -> int:
        taken = 0
        for ship in range(placed):
            taken |= self._ship(fleet, placed, ship)
        return taken

    def root(self) -> tuple[int, ...]:
        return (0, 0, 1, 1, 0, 0, 1, 1)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover, moves = state[0], state[1]
        ship, cells = moves // 2, self._cells
        if ship >= self._fleet:
            struck = state[5 - mover]
            return tuple([cell for cell in range(cells) if self.repeat or not struck >> cell & 1])
        taken = self._taken(state[2 + mover], ship)
        return tuple([cells + spot for spot in range(2 * cells) if self._may_place(ship, spot, taken)])

    def _may_place(self, ship: int, spot: int, taken: int) -> bool:
        mask = self._masks[ship, spot]
        return bool(mask != 0 and mask & taken == 0 and self._fits[ship + 1, taken | mask] != 0)

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, moves, fleet0, fleet1, struck0, struck1, line0, line1 = state
        cells = self._cells
        if moves < 2 * self._fleet:
            if mover == 0:
                return (1, moves + 1, fleet0 * 2 * cells + action - cells, fleet1, 0, 0, 1, 1)
            return (0, moves + 1, fleet0, fleet1 * 2 * cells + action - cells, 0, 0, 1, 1)
        fleet = fleet1 if mover == 0 else fleet0
        struck = (struck1 if mover == 0 else struck0) | 1 << action
        outcome, afloat = WATER, 0
        for ship in range(self._fleet):
            mask = self._ship(fleet, self._fleet, ship)
            if mask >> action & 1:
                outcome = SUNK if mask & struck == mask else HIT
            afloat += mask & struck != mask
        over = afloat == 0 or moves + 1 == 2 * (self._fleet + self.shots)
        shot, following = 3 * action + outcome, TERMINAL if over else 1 - mover
        if mover == 0:
            return (following, moves + 1, fleet0, fleet1, struck0, struck, line0 * 3 * cells + shot, line1)
        return (following, moves + 1, fleet0, fleet1, struck, struck1, line0, line1 * 3 * cells + shot)

    def infoset(self, state: tuple[int, ...]) -> tuple[int, int, int]:
        mover = state[0]
        return (2 * state[2 + mover] + mover, state[6 + mover], state[7 - mover])

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
        lost0, lost1 = 0.0, 0.0
        for ship in range(self._fleet):
            mask0 = self._ship(state[2], self._fleet, ship)
            mask1 = self._ship(state[3], self._fleet, ship)
            if mask0 & state[4] == mask0:
                lost0 += self._worth[ship]
            if mask1 & state[5] == mask1:
                lost1 += self._worth[ship]
        return (lost1 - self.loss * lost0, lost0 - self.loss * lost1)

    def infoset_label(self, infoset: tuple[int, int, int]) -> str:
        fleet, mover = divmod(infoset[0], 2)
        words = [f"P{mover}"]
        for spot in _digits(fleet, 2 * self._cells):
            words.append(f"{self._cell(spot % self._cells)}{'hv'[spot // self._cells]}")
        for title, line in (("shots", infoset[1]), ("seen", infoset[2])):
            shots = [f"{self._cell(shot // 3)}{'whs'[shot % 3]}" for shot in _digits(line, 3 * self._cells)]
            words += [title, *shots] if shots else []
        return " ".join(words)

    def action_label(self, action: int) -> str:
        if action < self._cells:
            return self._cell(action)
        spot = action - self._cells
        return f"{self._cell(spot % self._cells)} {('across', 'down')[spot // self._cells]}"

    def _cell(self, cell: int) -> str:
        row, column = divmod(cell, self._columns)
        return f"{'abcdefghijklmnop'[column]}{row + 1}"


def _digits(number: int, radix: int) -> list[Any]:
    """The digits after the leading 1."""
    digits = []
    while number > 1:
        number, digit = divmod(number, radix)
        digits.append(digit)
    return digits[::-1]
