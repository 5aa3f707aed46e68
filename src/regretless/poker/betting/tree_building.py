"""Builds a betting tree from its rules: list the situations, count the nodes, then lay the nodes out.

Many lines of play lead to one situation ("bet 50, call" and "check, bet 50, call"). The rules are Python code and run
once for each situation. numpy then lays out the tree a level at a time.

A tree that is too large is refused with bounded work. The listing of situations stops at MOST_SITUATIONS. Trees that
are far too large are found earlier, by Knuth's estimate of the size of a tree ("Estimating the efficiency of backtrack
programs", Mathematics of Computation 29, 1975).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.linter.memory import available_memory
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.situations import Rules, Situation, opening, successors

__all__ = ["MOST_NODES", "MOST_SITUATIONS", "Rake", "build_betting_tree"]

MOST_NODES = 50_000_000
"""Nodes of the largest tree that is laid out: about 4 GB of arrays."""

NODE_BYTES = 90
"""Memory of a node while the tree is laid out."""

MOST_SITUATIONS = 200_000
"""Different situations that are listed before a tree is refused: some seconds, 100 MB of Python objects."""

ESTIMATED_FROM = 10_000
"""The size of a tree is estimated once it is known to have this number of situations."""

PROBES = 200
"""Random lines of play in an estimate."""

SURELY = 1_000
"""A tree is refused without being counted if its estimated size is this many times the limit.

The estimate is unbiased. By Markov's inequality, a tree within the limit gets such an estimate with a probability below
1/1000.
"""

FEWER = "offer fewer sizes, cap the raises, or play fewer streets"


class Rake(NamedTuple):
    """What the house takes from the pot: a share of it, at most `cap` chips, and 0 before street `since`."""

    share: float = 0.0
    cap: float = np.inf
    since: int = 0  # a hand that is folded before this street pays none ("no flop, no drop")


@dataclass(frozen=True, eq=False)
class Situations:
    """All situations of a game and what follows them."""

    listed: list[Situation]  # [S] the first is the opening
    names: list[tuple[str, ...]]  # [S] the actions
    first: npt.NDArray[np.int64]  # [S] where the successors of a situation begin in `after`
    count: npt.NDArray[np.int32]  # [S] number of successors
    after: npt.NDArray[np.int32]  # numbers of the successors


def build_betting_tree(
    rules: Rules, pot: float = 0.0, rake: Rake | None = None, limit: int = MOST_NODES
) -> BettingTree:
    """The tree of a game; OptionError if it has more than `limit` nodes or does not fit into memory."""
    situations, nodes = counted_situations(rules, limit)
    free = available_memory()
    if free is not None and nodes * NODE_BYTES > free:
        raise OptionError(
            f"the betting tree has {nodes:,} nodes, which need {nodes * NODE_BYTES / 1e9:,.1f} GB, "
            f"and {free / 1e9:,.1f} GB are free: {FEWER}"
        )
    number, parent, first_child, children = _unfold(situations)
    kind, street, folder = (
        np.array([situation[field] for situation in situations.listed], np.int8)
        for field in map(Situation._fields.index, ("kind", "street", "folder"))
    )
    paid = np.array([situation.paid for situation in situations.listed], np.float64)
    win, tie, lose = _payoffs(kind, street, folder, paid, pot, rake or Rake())
    return BettingTree(
        kind=kind[number],
        street=street[number],
        parent=parent,
        first_child=first_child,
        children=children,
        folder=folder[number],
        paid=paid[number],
        win=win[number],
        tie=tie[number],
        lose=lose[number],
        actions=tuple(map(situations.names.__getitem__, number.tolist())),
        streets=rules.streets,
    )


def counted_situations(rules: Rules, limit: int = MOST_NODES) -> tuple[Situations, int]:
    """All situations and the number of nodes; OptionError if there are more than `limit` nodes."""
    situations = list_situations(rules, limit)
    nodes = count_nodes(situations)
    if nodes > limit:
        raise OptionError(f"the betting tree has {_rounded(nodes)} nodes, more than the limit of {limit:,}: {FEWER}")
    return situations, nodes


def list_situations(rules: Rules, limit: int = MOST_NODES) -> Situations:
    """All situations in the order of discovery; OptionError as soon as the tree is known to be too large."""
    listed = [opening(rules)]
    number = {listed[0]: 0}
    names: list[tuple[str, ...]] = []
    count: list[int] = []
    after: list[int] = []
    estimated = False
    for here in listed:
        actions, following = successors(rules, here)
        names.append(actions)
        count.append(len(following))
        for situation in following:
            index = number.setdefault(situation, len(listed))
            if index == len(listed):
                listed.append(situation)
            after.append(index)
        if len(listed) > ESTIMATED_FROM and not estimated:
            estimated = True
            _refuse_by_estimate(rules, limit)
        if len(listed) > MOST_SITUATIONS:
            raise OptionError(f"the betting tree has more than {MOST_SITUATIONS:,} different situations: {FEWER}")
    lengths = np.array(count, np.int32)
    return Situations(listed, names, np.cumsum(lengths) - lengths, lengths, np.array(after, np.int32))


def _refuse_by_estimate(rules: Rules, limit: int) -> None:
    estimate = estimated_nodes(rules)
    if estimate > SURELY * limit:
        raise OptionError(
            f"the betting tree has about {_rounded(estimate)} nodes, more than the limit of {limit:,}: {FEWER}"
        )


def estimated_nodes(rules: Rules, probes: int = PROBES) -> float:
    """An unbiased estimate of the number of nodes, from random lines of play.

    A line that passes nodes with c₁, c₂, … children counts 1 + c₁ + c₁c₂ + … nodes.
    """
    draw = random.Random(0)
    total = 0.0
    for _ in range(probes):
        here, weight = opening(rules), 1.0
        while True:
            total += weight
            _, following = successors(rules, here)
            if not following:
                break
            weight *= len(following)
            here = following[draw.randrange(len(following))]
    return total / probes


def count_nodes(situations: Situations) -> int:
    """Nodes of the tree, by the sizes of the subtrees, beginning with the last situations."""
    size = [1] * len(situations.listed)
    for number, children in reversed(_parents_first(situations)):
        for child in children:
            size[number] += size[child]
    return size[0]


def count_actions(situations: Situations, streets: int) -> list[list[int]]:
    """[2][streets] actions of each player on each street, over all nodes, by the number of lines to each situation."""
    actions = [[0] * streets for _ in range(2)]
    for here, lines, children in _with_lines(situations):
        if here.kind < DEAL:
            actions[here.kind][here.street] += lines * children
    return actions


def count_decisions(situations: Situations, streets: int) -> list[int]:
    """[streets] decision nodes on each street."""
    decisions = [0] * streets
    for here, lines, _ in _with_lines(situations):
        if here.kind < DEAL:
            decisions[here.street] += lines
    return decisions


def _with_lines(situations: Situations) -> Iterator[tuple[Situation, int, int]]:
    """Every situation with the number of lines of play that lead to it, and the number of its actions."""
    lines = [1] + [0] * (len(situations.listed) - 1)
    for number, children in _parents_first(situations):
        yield situations.listed[number], lines[number], len(children)
        for child in children:
            lines[child] += lines[number]


def _parents_first(situations: Situations) -> list[tuple[int, list[int]]]:
    """The numbers of all situations and of their successors, in an order in which successors come later."""
    street = [situation.street for situation in situations.listed]
    paid = [sum(situation.paid) for situation in situations.listed]
    ended = [situation.kind >= DEAL for situation in situations.listed]
    answers = [situation.answers for situation in situations.listed]
    order = np.lexsort((answers, ended, paid, street))  # an action raises one of these and lowers none to its right
    after = situations.after.tolist()
    begin, count = situations.first[order].tolist(), situations.count[order].tolist()
    return [(n, after[b : b + c]) for n, b, c in zip(order.tolist(), begin, count, strict=True)]


def _rounded(nodes: float) -> str:
    return f"{nodes:,.0f}" if nodes < 10**12 else f"{nodes:.1e}" if nodes < 10**300 else "over 1e300"


def _unfold(situations: Situations) -> tuple[npt.NDArray[Any], ...]:
    """Breadth first: the situation of each node, its parent, its first child and its number of children."""
    levels = [np.zeros(1, np.int32)]
    parents = [np.full(1, -1, np.int32)]
    begin = 0  # number of the level's first node
    while len(level := levels[-1]):
        count = situations.count[level]
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        levels.append(situations.after[np.repeat(situations.first[level], count) + within])
        parents.append(np.repeat(np.arange(begin, begin + len(level), dtype=np.int32), count))
        begin += len(level)
    number = np.concatenate(levels)
    children = situations.count[number]
    first_child = 1 + np.cumsum(children) - children
    parent = np.concatenate(parents)
    return number, parent, first_child.astype(np.int32), children


def _payoffs(
    kind: npt.NDArray[np.int8],  # [S]
    street: npt.NDArray[np.int8],  # [S]
    folder: npt.NDArray[np.int8],  # [S]
    paid: npt.NDArray[np.float64],  # [S, 2] chips
    pot: float,
    rake: Rake,
) -> tuple[npt.NDArray[np.float64], ...]:
    """Net chips of each player who wins, ties, loses. [S, 2] each.

    An uncalled bet goes back. So both players stake the smaller of what they have paid, plus half the pot of the
    beginning. The winner pays the rake, on the pot without the returned bet; in a tie both pay half.
    """
    stake = paid.min(axis=1) + pot / 2
    dropped = np.minimum(2 * stake * rake.share, rake.cap)
    dropped[(kind == FOLD) & (street < rake.since)] = 0.0
    ends = (kind == SHOWDOWN) | (kind == FOLD)
    win, tie, lose = (
        np.repeat(np.where(ends, chips, 0.0)[:, None], 2, axis=1)
        for chips in (stake - dropped, 0.0 - dropped / 2, -stake)
    )
    for player in (0, 1):
        folded = (kind == FOLD) & (folder == player)
        for outcome in (win, tie, lose):
            outcome[folded, player] = -stake[folded]
            outcome[folded, 1 - player] = (stake - dropped)[folded]
    return win, tie, lose
