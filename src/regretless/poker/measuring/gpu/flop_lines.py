"""Lines of play in groups of one shape, as the kernels of `cuda_flop_walks` read them.

A line is what is played on one street after one way to come there. All groups of lines with betting trees of one shape
share its program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.kernels.flops.cuda_flop_layout import (
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
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.measuring.gpu.line_shapes import Program, Shape, shapes_of

__all__ = ["StreetLines", "lines_of_streets"]

Array = npt.NDArray[Any]

UNEVEN = 1e-9
"""Chips: a tie may differ by so much from the mean of winning and losing."""


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
