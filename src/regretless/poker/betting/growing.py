"""Grows a betting tree from its rules: list the situations, count the nodes, and only then lay them out.

Many lines of play lead to one situation ("bet 50, call" and "check, bet 50, call"), so the rules, which are Python,
run once for each situation, and the tree itself is unfolded a level at a time by numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.situations import Rules, Situation, opening, successors

__all__ = ["MOST_NODES", "MOST_SITUATIONS", "Rake", "grow"]

MOST_NODES = 50_000_000
"""Nodes of the largest tree that is laid out: about 4 GB of arrays."""

MOST_SITUATIONS = 2_000_000
"""Different situations that are listed before a tree is called too large: about 1 GB of Python objects."""

FEWER = "offer fewer sizes, cap the raises, or play fewer streets"


class Rake(NamedTuple):
    """What the house takes from the pot: a share of it, at most `cap` chips, and nothing before street `since`."""

    share: float = 0.0
    cap: float = np.inf
    since: int = 0  # a hand that is folded before this street is free ("no flop, no drop")


@dataclass(frozen=True, eq=False)
class Situations:
    """All situations of a game and what follows them."""

    listed: list[Situation]  # [S] the first is the opening
    names: list[tuple[str, ...]]  # [S] the actions
    first: npt.NDArray[np.int64]  # [S] where a situation's run in `after` begins
    count: npt.NDArray[np.int32]  # [S] how long it is
    after: npt.NDArray[np.int32]  # numbers of the situations that follow


def grow(rules: Rules, pot: float = 0.0, rake: Rake | None = None, limit: int = MOST_NODES) -> BettingTree:
    """The tree of a game, unless it has more than `limit` nodes."""
    situations = list_situations(rules)
    nodes = count_nodes(situations)
    if nodes > limit:
        size = f"{nodes:,}" if nodes < 10**12 else f"{nodes:.1e}"
        raise OptionError(f"the betting tree has {size} nodes, more than the limit of {limit:,}: {FEWER}")
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


def list_situations(rules: Rules) -> Situations:
    """Every situation that can come up, in the order of discovery."""
    listed = [opening(rules)]
    number = {listed[0]: 0}
    names: list[tuple[str, ...]] = []
    count: list[int] = []
    after: list[int] = []
    for here in listed:
        actions, following = successors(rules, here)
        names.append(actions)
        count.append(len(following))
        for situation in following:
            place = number.setdefault(situation, len(listed))
            if place == len(listed):
                listed.append(situation)
            after.append(place)
        if len(listed) > MOST_SITUATIONS:
            raise OptionError(f"the betting tree has more than {MOST_SITUATIONS:,} different situations: {FEWER}")
    lengths = np.array(count, np.int32)
    return Situations(listed, names, np.cumsum(lengths) - lengths, lengths, np.array(after, np.int32))


def count_nodes(situations: Situations) -> int:
    """Nodes of the unfolded tree, by the sizes of the subtrees, those of the last situations first."""
    street = [situation.street for situation in situations.listed]
    paid = [sum(situation.paid) for situation in situations.listed]
    ended = [situation.kind >= DEAL for situation in situations.listed]
    answers = [situation.answers for situation in situations.listed]
    order = np.lexsort((answers, ended, paid, street))  # every action raises one of these and none before it
    size = [1] * len(order)
    after = situations.after.tolist()
    for number, first, count in zip(
        order[::-1].tolist(),
        situations.first[order[::-1]].tolist(),
        situations.count[order[::-1]].tolist(),
        strict=True,
    ):
        for child in after[first : first + count]:
            size[number] += size[child]
    return size[0]


def _unfold(situations: Situations) -> tuple[npt.NDArray[Any], ...]:
    """Breadth first: the situation of each node, its parent, its first child and how many children it has."""
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

    A bet that nobody called goes back, so both players stake what both have paid and half the pot of the beginning.
    The winner pays the rake, on the pot without the returned bet; in a tie both pay half.
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
