"""The public betting tree: the actions of each node, the chips paid so far, and the payoffs at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.poker.betting.lines import outline, read_line, spell_line

__all__ = ["BettingTree", "StreetCounts"]


class StreetCounts(NamedTuple):
    """Numbers of nodes and lines of a betting tree on one street."""

    lines: int
    """Lines of play that reach the street, including those that are all-in."""
    decisions: int
    actions: int
    deals: int
    folds: int
    showdowns: int


@dataclass(frozen=True, eq=False, repr=False)
class BettingTree:
    """The public betting tree, without cards. Nodes are in breadth-first order, so children are contiguous.

    >>> from regretless.poker.betting.limit import FLOP_HOLDEM
    >>> tree = FLOP_HOLDEM.tree()
    >>> tree.counts[0].decisions, tree.counts[0].actions, tree.counts[1].lines
    (8, 21, 7)
    >>> tree.actions[0]
    ('fold', 'call', 'raise')
    >>> tree.line(tree.find("r c / check bet"))
    'raise call / check bet'
    """

    kind: npt.NDArray[np.int8]  # [N] 0 or 1: that player decides; DEAL; FOLD; SHOWDOWN
    street: npt.NDArray[np.int8]  # [N] from 0, the first street of the game; a DEAL node belongs to the street it ends
    parent: npt.NDArray[np.int32]  # [N] -1 at the root
    first_child: npt.NDArray[np.int32]  # [N] at terminals: where children would begin
    children: npt.NDArray[np.int32]  # [N] 0 at terminals, 1 at DEAL nodes
    folder: npt.NDArray[np.int8]  # [N] who folded, else -1
    paid: npt.NDArray[np.float64]  # [N, 2] chips paid since the beginning, without the pot of a spot
    win: npt.NDArray[np.float64]  # [N, 2] net chips of each player if that player wins; 0 before the end
    tie: npt.NDArray[np.float64]  # [N, 2] the same for a tie; after a fold the cards do not matter, so
    lose: npt.NDArray[np.float64]  # [N, 2] win, tie and lose are equal
    actions: tuple[tuple[str, ...], ...]  # [N] names, in the order of the children; empty at deals and terminals
    streets: int
    street_names: tuple[str, ...] = ()  # [streets] the flop, the turn, …; empty where streets have no names

    def __len__(self) -> int:
        return len(self.kind)

    @cached_property
    def counts(self) -> tuple[StreetCounts, ...]:
        """For each street: lines into it, decision nodes, their actions, deals, folds, showdowns."""
        return tuple(self._count(street) for street in range(self.streets))

    def _count(self, street: int) -> StreetCounts:
        here = self.street == street
        decides = here & (self.kind < DEAL)
        enters = (self.parent < 0) | (self.kind[self.parent] == DEAL)
        return StreetCounts(
            lines=int(np.count_nonzero(here & enters)),
            decisions=int(np.count_nonzero(decides)),
            actions=int(self.children[decides].sum()),
            deals=int(np.count_nonzero(here & (self.kind == DEAL))),
            folds=int(np.count_nonzero(here & (self.kind == FOLD))),
            showdowns=int(np.count_nonzero(here & (self.kind == SHOWDOWN))),
        )

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays (names are shared Python objects and not counted)."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def find(self, line: str) -> int:
        """The node that a line of play leads to: "check bet", "raise call / check, bet 50", "c r c".

        The beginning of a name is enough where only one action has it ("bet" where there is one size). Commas, slashes
        and dashes are spaces. Deals are skipped, also at the end: "call check" leads to the first node of the next
        street.
        """
        return read_line(self, line)

    def line(self, node: int) -> str:
        """The line of play to a node as text; a DEAL node has the text of the node that follows it."""
        if not 0 <= node < len(self):
            raise OptionError(f"node {node} does not exist: the tree has {len(self):,} nodes, counted from 0")
        return spell_line(self, node)

    def outline(self, nodes: int = 200, streets: Sequence[str] = ()) -> str:
        """The tree as indented text, one line for each of the first `nodes` nodes; `streets` are their names."""
        return outline(self, nodes, streets or self.street_names)

    def summary(self) -> str:
        """A table of `counts`."""
        names = ("street", *StreetCounts._fields)
        rows = [(str(street), *(f"{count:,}" for count in row)) for street, row in enumerate(self.counts)]
        if self.streets > 1:
            totals = (sum(column) for column in zip(*self.counts, strict=True))
            rows.append(("all", *(f"{count:,}" for count in totals)))
        widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (names, *rows)
        )

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        decisions = sum(street.decisions for street in self.counts)
        streets = f"{self.streets} street{'s' if self.streets > 1 else ''}"
        return f"<BettingTree: {len(self):,} nodes, {decisions:,} decisions, {streets}>"
