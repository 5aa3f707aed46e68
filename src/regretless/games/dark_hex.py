"""Dark hex, also called Kriegspiel hex or phantom hex, with the rules of OpenSpiel's `dark_hex`."""

# The methods of a game are documented in Game.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from regretless.compiled import compiled
from regretless.errors import OptionError
from regretless.games.hidden_board import HiddenBoard
from regretless.games.parameters import need_whole

__all__ = ["DarkHex"]


@compiled
@dataclass(frozen=True)
class DarkHex(HiddenBoard):
    """Dark hex: player 0 joins top and bottom, player 1 left and right; players see only their own stones.

    The board is a rhombus of `size` rows and columns, or (rows, columns); a cell touches its row's and its column's
    neighbours, the upper right and the lower left one. A player who tries a cell that is taken learns that and tries
    again; with abrupt=True the turn passes instead. Labels: the player, then the cells tried, with a star where one
    was found taken: "P0", "P1 b2* a1".
    """

    size: int | tuple[int, int] = 3
    abrupt: bool = False

    def __post_init__(self) -> None:
        size = self.size
        if isinstance(size, tuple | list):
            if len(size) != 2:
                raise OptionError(f"Dark hex needs one size or a number of rows and one of columns, got size={size!r}")
            object.__setattr__(self, "size", size[0] if size[0] == size[1] else tuple(size))
        for side in (self.rows, self.columns):
            need_whole("Dark hex", "rows and columns", side, least=2, most=26, name="size")
        self._check_abrupt("Dark hex")

    @cached_property
    def rows(self) -> int:
        return self.size[0] if isinstance(self.size, tuple) else self.size

    @cached_property
    def columns(self) -> int:
        return self.size[1] if isinstance(self.size, tuple) else self.size

    @cached_property
    def _edges(self) -> tuple[int, int, int, int]:
        """The cells at the top, the left, the bottom and the right, as bit masks."""
        top, left = (1 << self.columns) - 1, sum(1 << self.columns * row for row in range(self.rows))
        return (top, left, top << self.columns * (self.rows - 1), left << self.columns - 1)

    def wins(self, player: int, stones: int) -> bool:
        columns, edges = self.columns, self._edges
        reached, before = stones & edges[player], 0
        while reached != before:
            before = reached
            inner_left, inner_right = reached & ~edges[1], reached & ~edges[3]  # which have a neighbour on that side
            reached |= reached << columns | reached >> columns | inner_left >> 1 | inner_right << 1
            reached |= inner_right >> columns - 1 | inner_left << columns - 1
            reached &= stones
        return reached & edges[2 + player] != 0
