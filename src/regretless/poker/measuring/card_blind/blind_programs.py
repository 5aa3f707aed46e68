"""A betting tree against card-blind strategies as programs, one for each street: equal parts are computed once.

Against a player who looks at no cards, lines that enter a street with the same chips and the same strategy after them
have the same values, whatever the cards. So a node of a program is a part of the betting tree up to such equality, for
both players and all lines together. Actions that the other player never takes are left out. Limit hold'em has 567 lines
to the river; with the same strategy on all lines they are 16 for each player, one for each pot.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL, FOLD
from regretless.kernels.public.blind_walks import BLOCK
from regretless.poker.betting.betting_tree import BettingTree

__all__ = ["BlindPrograms", "Program", "blind_programs"]

Array = npt.NDArray[Any]


class Program(NamedTuple):
    """The nodes of a street. Slots are numbered: first inputs, then constants, then nodes in an order of computation.

    Inputs are the lines into the next street, or the showdowns of the last one.
    """

    inputs: int
    constants: Array  # [constants] chips
    first: Array  # [nodes + 1]
    child: Array  # [children] slots
    weight: Array  # [children]
    best: Array  # [nodes] whether the player chooses the best child; else children are weighted
    outputs: Array  # [lines] the slots of the lines that enter the street

    @property
    def nodes(self) -> tuple[Array, Array, Array, Array]:
        """As `kernels.public.blind_walks.run_program` reads it."""
        return self.first, self.child, self.weight, self.best

    def scratch(self) -> Array:
        """[slots, BLOCK] values with the constants in place."""
        values = np.zeros((self.inputs + len(self.constants) + len(self.best), BLOCK))
        values[self.inputs : self.inputs + len(self.constants)] = self.constants[:, None]
        return values


class BlindPrograms(NamedTuple):
    """The programs of all streets."""

    streets: tuple[Program, ...]
    showdowns: Array  # [inputs of the last street, 2] chips of a hand that loses to all, and chips per point
    roots: Array  # [kinds, players, lines] the output of the first street


@dataclass
class _Street:
    """The distinct parts of a street, found so far. A part is a key, and has a number."""

    keys: dict[tuple[Any, ...], int] = field(default_factory=dict)
    entries: dict[int, int] = field(default_factory=dict)  # parts that lines enter with, and the number of each line

    def number(self, key: tuple[Any, ...]) -> int:
        return self.keys.setdefault(key, len(self.keys))

    def enter(self, part: int) -> int:
        return self.entries.setdefault(part, len(self.entries))


def blind_programs(tree: BettingTree, sigma: Array, kinds: int, points: int) -> BlindPrograms:
    """The programs of a tree whose first street may have several lines.

    sigma [nodes]: the probability of the action that leads to a node. kinds: 1 for best responses alone, 2 for the own
    strategies as well. points: those of a hand that beats all.
    """
    streets = [_Street() for _ in range(tree.streets)]
    roots = np.flatnonzero(tree.parent < 0).tolist()
    found = np.empty((kinds, 2, len(roots)), np.int64)
    for kind in range(kinds):
        for player in range(2):
            parts = _parts(tree, sigma, player, kind == 0, streets)
            found[kind, player] = [streets[0].enter(parts[root]) for root in roots]
    showdowns = np.array([key[1:] for key in streets[-1].keys if key[0] == "showdown"]).reshape(-1, 2)
    programs = [
        _program(street, None if last else len(streets[at + 1].entries))
        for at, (street, last) in enumerate(zip(streets, [False] * (len(streets) - 1) + [True], strict=True))
    ]
    return BlindPrograms(tuple(programs), showdowns / [1.0, points], found)


def _parts(tree: BettingTree, sigma: Array, player: int, responding: bool, streets: list[_Street]) -> list[int]:
    """[nodes] the part of each node, for a player; children come after their parents in the tree."""
    kinds, streets_of = tree.kind.tolist(), tree.street.tolist()
    first, children, chance = tree.first_child.tolist(), tree.children.tolist(), sigma.tolist()
    win, lose = tree.win[:, player].tolist(), tree.lose[:, player].tolist()
    out = [0] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        kind, street, begin = kinds[node], streets[streets_of[node]], first[node]
        if kind == FOLD:
            out[node] = street.number(("constant", win[node]))
        elif kind == DEAL:
            line = streets[streets_of[node] + 1].enter(out[begin])
            out[node] = street.number(("deal", line))
        elif kind > DEAL:
            out[node] = street.number(("showdown", lose[node], win[node] - lose[node]))
        else:
            below = range(begin, begin + children[node])
            if kind == player and responding:
                out[node] = _best(street, {out[child] for child in below})
            else:
                out[node] = _mean(street, [(chance[child], out[child]) for child in below if chance[child] > 0])
    return out


def _best(street: _Street, parts: set[int]) -> int:
    return parts.pop() if len(parts) == 1 else street.number(("best", *sorted(parts)))


def _mean(street: _Street, weighted: list[tuple[float, int]]) -> int:
    sure = len(weighted) == 1 and weighted[0][0] == 1.0
    return weighted[0][1] if sure else street.number(("mean", *weighted))


def _program(street: _Street, lines_below: int | None) -> Program:
    """The program of a street; `lines_below` is None on the last street, whose inputs are showdowns."""
    constants = [key[1] for key in street.keys if key[0] == "constant"]
    showdowns = sum(key[0] == "showdown" for key in street.keys)
    inputs = showdowns if lines_below is None else lines_below
    slot: dict[int, int] = {}
    passed = {"showdown": 0, "constant": inputs, "node": inputs + len(constants)}
    first, child, weight, best = [0], [], [], []
    for key, part in street.keys.items():
        what = key[0]
        if what == "deal":
            slot[part] = key[1]
            continue
        counter = what if what in passed else "node"
        slot[part] = passed[counter]
        passed[counter] += 1
        if counter == "node":
            pairs = [(1.0, part) for part in key[1:]] if what == "best" else key[1:]
            weight += [share for share, _ in pairs]
            child += [slot[part] for _, part in pairs]
            best.append(what == "best")
            first.append(len(child))
    return Program(
        inputs, np.array(constants, np.float64), np.array(first, np.int32), np.array(child, np.int32),
        np.array(weight, np.float64), np.array(best, np.bool_),
        np.array([slot[part] for part in street.entries], np.int32),
    )  # fmt: skip
