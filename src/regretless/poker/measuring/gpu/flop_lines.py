"""Lines of play in groups of one shape, as the kernels of `cuda_flop_walks` read them.

A line is what is played on one street after one way to come there. Most lines of a street have betting trees of the
same shape: in limit hold'em all of them. A *program* lists what a walk over a tree of one shape does, for one walking
player; all groups of lines with this shape share it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.buckets.cuda_flop_layout import (
    CLIMB_RECORD,
    DEAL_RECORD,
    EVERY,
    FOLDED,
    LANE_RECORD,
    NET,
    PAYOFFS,
    REACH_RECORD,
    FlopLines,
)
from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.poker.betting.betting_tree import BettingTree

__all__ = ["StreetLines", "lines_of_streets"]

Array = npt.NDArray[Any]

UNEVEN = 1e-9
"""Chips: a tie may differ by so much from the mean of winning and losing."""


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


class ShapeGroups(NamedTuple):
    """The groups of lines with one shape."""

    shape: Shape
    programs: tuple[Program, Program]
    """By walking player."""
    first: int
    groups: int


@dataclass(frozen=True, eq=False)
class StreetLines:
    """The lines of one street, W side by side."""

    tables: FlopLines
    wide: int
    groups: int
    lines: int
    """From hand to hand in arrays of reach and values: the lines, filled up, and where there are deals of filled-up
    lines above, places that take what those write."""
    place: Array
    """[lines of the street] where a line stands; lines in the order of their roots."""
    source: tuple[Array, Array]
    """By player [rows · W] which node and action a number of the strategy belongs to: node · 2¹⁶ + action."""
    shapes: tuple[ShapeGroups, ...]

    def most(self, of: Callable[[Program], int]) -> int:
        """The largest number of rows, slots or sums of any program."""
        return max(of(program) for shape in self.shapes for program in shape.programs)

    def numbers(self, width: int, cards: int) -> int:
        """Numbers that a block keeps in shared memory; width: from row to row."""
        columns = self.most(lambda program: program.rows) + self.most(lambda program: program.slots)
        return self.most(lambda program: program.sums) * (cards + 1) * self.wide + columns * width


ACTION_BITS = 16
"""Bits of an action in `StreetLines.source`."""


def lines_of_streets(tree: BettingTree, wide: int, dtype: npt.DTypeLike) -> list[StreetLines]:
    """The streets of a betting tree that may have several roots."""
    begins = (tree.parent < 0) | (tree.kind[tree.parent] == DEAL)
    roots = [np.flatnonzero(begins & (tree.street == street)) for street in range(tree.streets)]
    shapes = [shapes_of(tree, found) for found in roots]
    groups = [sum(-(-len(shape.lines) // wide) for shape in found) for found in shapes]
    place = np.full(len(tree), -1)
    for found in shapes:
        at = 0
        for shape in found:
            place[[nodes[0] for nodes in shape.lines]] = at + np.arange(len(shape.lines))
            at += -(-len(shape.lines) // wide) * wide
    out = []
    for street, found in enumerate(shapes):
        spare = groups[street + 1] * wide if street + 1 < len(shapes) else 0
        lines = (groups[street] + (street > 0)) * wide
        out.append(_StreetBuilder(tree, wide, np.dtype(dtype), place, spare).build(found, roots[street], lines))
    return out


class _StreetBuilder:
    """Collects the arrays of a street."""

    def __init__(self, tree: BettingTree, wide: int, dtype: np.dtype[Any], place: Array, spare: int) -> None:
        """spare: where the deals of filled-up lines lead to, on the next street."""
        self.tree, self.wide, self.dtype, self.place, self.spare = tree, wide, dtype, place, spare
        self.records: tuple[list[list[int]], list[list[int]]] = ([], [])
        self.reach: list[int] = []
        self.lane: list[int] = []
        self.climb: list[int] = []
        self.sources: list[int] = []
        self.deal: list[int] = []
        self.target: list[int] = []
        self.payoff: list[Array] = []
        self.payoffs = 0
        self.strategy: tuple[list[Array], list[Array]] = ([], [])
        self.strategy_rows = [0, 0]
        self.shapes: list[ShapeGroups] = []

    def build(self, shapes: list[Shape], roots: Array, lines: int) -> StreetLines:
        for shape in shapes:
            self._add(shape)
        groups = [number for records in self.records for record in records for number in record]
        group, reach, lane, climb, source, deal, target = (
            np.array(each, np.int32)
            for each in (groups, self.reach, self.lane, self.climb, self.sources, self.deal, self.target)
        )
        payoff = np.concatenate([np.zeros(0), *self.payoff]).astype(self.dtype)
        mine, theirs = (np.concatenate([np.zeros(0, np.int64), *parts]) for parts in self.strategy)
        tables = FlopLines(group, reach, lane, climb, source, deal, target, payoff)
        return StreetLines(
            tables, self.wide, len(self.records[0]), lines, self.place[roots], (mine, theirs), tuple(self.shapes)
        )

    def _add(self, shape: Shape) -> None:
        """The groups of a shape."""
        groups = [shape.lines[first : first + self.wide] for first in range(0, len(shape.lines), self.wide)]
        nodes = np.array([group + [group[0]] * (self.wide - len(group)) for group in groups])  # [groups, W, nodes]
        deals, first_target = shape.places(DEAL), len(self.target)
        for group, lines in zip(nodes, groups, strict=True):
            for place in deals:
                leads = self.place[self.tree.first_child[group[:, place]]]
                self.target += np.where(np.arange(self.wide) < len(lines), leads, self.spare).tolist()
        first_row = [self._add_strategy(shape, player, nodes) for player in range(2)]
        programs = []
        for player in range(2):
            program = shape.program(player, partial(self._raked, nodes, player))
            programs.append(program)
            shared = self._add_program(program)
            for number in range(len(groups)):
                theirs, own = (first_row[p] + number * shape.actions(p) for p in (1 - player, player))
                target = first_target + number * self.wide * len(deals)
                self.records[player].append([*shared, program.slot[0], program.sums, theirs, own, self.payoffs, target])
                self._add_payoffs(program, player, nodes[number])
        self.shapes.append(
            ShapeGroups(shape, (programs[0], programs[1]), len(self.records[0]) - len(groups), len(groups))
        )

    def _add_strategy(self, shape: Shape, player: int, nodes: Array) -> int:
        """Rows of the strategy of a player, for all groups of a shape; returns the first one."""
        first, own = self.strategy_rows[player], shape.places(player)
        if own:
            node = np.repeat(nodes[:, :, own], [len(shape.children[place]) for place in own], axis=2)
            action = np.concatenate([np.arange(len(shape.children[place])) for place in own])
            source = (node.astype(np.int64) << ACTION_BITS) + action  # [groups, W, actions]
            self.strategy[player].append(source.transpose(0, 2, 1).ravel())
        self.strategy_rows[player] += len(nodes) * shape.actions(player)
        return first

    def _add_program(self, program: Program) -> list[int]:
        """The steps of a program: what all groups have in their records up to the root."""
        starts, slot = self._records(), program.slot
        for number, lane in enumerate(program.lanes):
            slots = [-1 if place < 0 else slot[place] for place in (lane.show, lane.fold)]
            show_sum = number if lane.show >= 0 else -1
            self.lane += [lane.row, *slots, show_sum, program.sum_of_all(number), int(lane.raked)]
        for decision in program.decisions:
            if not decision.own:
                self.reach += [decision.row, decision.child_row, len(decision.children), decision.action]
        for decision in reversed(program.decisions):
            children = [slot[child] for child in decision.children]
            strategy = decision.action if decision.own else 0
            self.climb += [slot[decision.place], len(self.sources), len(children), int(decision.own), strategy]
            self.sources += children
        self.deal += [number for each in program.deals for number in each]
        return [number for pair in zip(starts, self._records(), strict=True) for number in pair]

    def _records(self) -> tuple[int, ...]:
        """Records of decisions of the other player, lanes, decisions on the way up, and deals so far."""
        sizes = (
            (self.reach, REACH_RECORD),
            (self.lane, LANE_RECORD),
            (self.climb, CLIMB_RECORD),
            (self.deal, DEAL_RECORD),
        )
        return tuple(len(numbers) // size for numbers, size in sizes)

    def _raked(self, nodes: Array, player: int, place: int) -> bool:
        """Whether winning and losing at a showdown do not add up to 0, on any line."""
        return bool(self._every(nodes[:, :, place], player).any())

    def _every(self, nodes: Array, player: int) -> Array:
        """Half of win + lose; refuses showdowns where a tie pays something else."""
        tree = self.tree
        mean = (tree.win[nodes, player] + tree.lose[nodes, player]) / 2
        if np.any(np.abs(tree.tie[nodes, player] - mean) > UNEVEN * np.maximum(1.0, np.abs(mean))):
            raise OptionError(
                "a tie of this game does not pay the mean of winning and losing, which the GPU counts on: take "
                "device='cpu'"
            )
        return np.where(np.abs(mean) > UNEVEN, mean, 0.0)

    def _add_payoffs(self, program: Program, player: int, nodes: Array) -> None:
        """[lanes, PAYOFFS, W] of a group; nodes [W, nodes]."""
        tree = self.tree
        out = np.zeros((len(program.lanes), PAYOFFS, self.wide))
        for number, lane in enumerate(program.lanes):
            if lane.show >= 0:
                at = nodes[:, lane.show]
                out[number, NET] = (tree.win[at, player] - tree.lose[at, player]) / 2
                out[number, EVERY] = self._every(at, player)
            if lane.fold >= 0:
                out[number, FOLDED] = tree.win[nodes[:, lane.fold], player]
        self.payoff.append(out.ravel())
        self.payoffs += out.size
