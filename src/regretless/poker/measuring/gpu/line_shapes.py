"""Betting trees of one street by shape, and what a walk over a tree of one shape does.

Most lines of a street have betting trees of the same shape: in limit hold'em all of them. A *program* lists what a walk
over a tree of one shape does, for one walking player.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy.typing as npt

from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.poker.betting.betting_tree import BettingTree

__all__ = ["Lane", "Program", "Shape", "shapes_of"]

Array = npt.NDArray[Any]


class Lane(NamedTuple):
    """A row of the other player's reach that ends the game."""

    row: int
    show: int
    """The place of the showdown, or −1."""
    fold: int
    """The place of the fold, or −1."""
    raked: bool
    """Whether winning and losing at the showdown do not add up to 0, so that it needs the sum over all hands too."""

    @property
    def both(self) -> bool:
        """Whether it needs two sums: one that a showdown changes, and one over all hands."""
        return self.show >= 0 and (self.fold >= 0 or self.raked)


class Decision(NamedTuple):
    """A decision, by its place in preorder."""

    place: int
    children: tuple[int, ...]
    row: int
    """Of the other player's reach."""
    child_row: int
    """The row after the first action, where the other player decides."""
    action: int
    """How many actions of the same player come before."""
    own: bool


@dataclass
class Program:
    """What a player's walk over a tree of one shape does; nodes by their place in preorder."""

    decisions: list[Decision] = field(default_factory=list)  # in preorder
    lanes: list[Lane] = field(default_factory=list)  # those with two sums first, those with a fold only last
    deals: list[tuple[int, int]] = field(default_factory=list)  # row and slot
    slot: list[int] = field(default_factory=list)  # [nodes]
    rows: int = 1
    slots: int = 0

    @property
    def boths(self) -> int:
        """Lanes with two sums."""
        return sum(lane.both for lane in self.lanes)

    @property
    def shows(self) -> int:
        """Lanes with a showdown."""
        return sum(lane.show >= 0 for lane in self.lanes)

    @property
    def sums(self) -> int:
        """Lane i adds up in sum i; those with two sums have the second ones behind, in order."""
        return len(self.lanes) + self.boths

    def sum_of_all(self, lane: int) -> int:
        """The sum of a lane over all hands, while showdowns change the others; −1 where none is needed."""
        if self.lanes[lane].both:
            return len(self.lanes) + lane
        return lane if self.lanes[lane].show < 0 else -1


@dataclass(frozen=True, eq=False)
class Shape:
    """The trees of a street that differ by payoffs only."""

    kind: tuple[int, ...]  # [nodes] in preorder
    children: tuple[tuple[int, ...], ...]  # [nodes] their places
    lines: list[list[int]] = field(default_factory=list)  # the nodes of each line in preorder

    def places(self, kind: int) -> list[int]:
        """The nodes of a kind: of a player, folds, showdowns or deals."""
        return [place for place, found in enumerate(self.kind) if found == kind]

    def actions(self, player: int) -> int:
        """The number of actions of a player."""
        return sum(len(self.children[place]) for place in self.places(player))

    def program(self, player: int, raked: Callable[[int], bool]) -> Program:
        """The walk of a player; raked: of the place of a showdown, see `Lane`."""
        out, row = Program(), [0] * len(self.kind)
        first_action = self._first_actions()
        for place, kind in enumerate(self.kind):
            if kind >= DEAL:
                continue
            own, children = kind == player, self.children[place]
            out.decisions.append(Decision(place, children, row[place], out.rows, first_action[place], own))
            for child in children:
                row[child] = row[place]
                if not own:
                    row[child], out.rows = out.rows, out.rows + 1
        self._number_slots(out)
        ends: dict[int, list[int]] = {}
        for place, kind in enumerate(self.kind):
            if kind in (FOLD, SHOWDOWN):
                ends.setdefault(row[place], [-1, -1])[kind == FOLD] = place
            elif kind == DEAL:
                out.deals.append((row[place], out.slot[place]))
        lanes = [Lane(row, show, fold, show >= 0 and raked(show)) for row, (show, fold) in ends.items()]
        out.lanes = sorted(lanes, key=lambda lane: (not lane.both, lane.show < 0))
        return out

    def _first_actions(self) -> list[int]:
        """[nodes] how many actions of the same player come before a decision."""
        seen, out = [0, 0], [0] * len(self.kind)
        for place, kind in enumerate(self.kind):
            if kind < DEAL:
                out[place] = seen[kind]
                seen[kind] += len(self.children[place])
        return out

    def _number_slots(self, out: Program) -> None:
        """A leaf has a slot of its own; a decision takes the one of its first child."""
        out.slot = [-1] * len(self.kind)
        for place in reversed(range(len(self.kind))):
            if self.kind[place] < DEAL:
                out.slot[place] = out.slot[self.children[place][0]]
            else:
                out.slot[place], out.slots = out.slots, out.slots + 1


def shapes_of(tree: BettingTree, roots: Array) -> list[Shape]:
    """The lines with these roots, by shape."""
    found: dict[Any, Shape] = {}
    for root in roots.tolist():
        nodes: list[int] = []
        children: list[tuple[int, ...]] = []
        _list(tree, root, nodes, children)
        kind = tuple(tree.kind[nodes].tolist())
        key = kind, tuple(children)
        found.setdefault(key, Shape(*key)).lines.append(nodes)
    return list(found.values())


def _list(tree: BettingTree, node: int, nodes: list[int], children: list[tuple[int, ...]]) -> int:
    """Append a node and what follows on its street, in preorder; returns the node's place."""
    place = len(nodes)
    nodes.append(node)
    children.append(())
    if tree.kind[node] < DEAL:
        first = int(tree.first_child[node])
        below = range(first, first + int(tree.children[node]))
        children[place] = tuple(_list(tree, child, nodes, children) for child in below)
    return place
