"""A public tree as the arrays of GPU walks: lines with their own numbering, and lists of hands by blocker."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL
from regretless.kernels.public.cuda_layout import SEGMENT, Hands, Lines
from regretless.kernels.public.layout import Betting, Boards
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["CudaTables", "line_tables"]

Array = npt.NDArray[Any]


def line_tables(betting: Betting, dtype: npt.DTypeLike) -> Lines:
    """Decisions, deals and lanes of each line, counted from its root."""
    begins = betting.line_in >= 0
    line = np.cumsum(begins) - 1  # [N] counted through all streets
    root = np.flatnonzero(begins)
    count = len(root)
    node = np.arange(len(line)) - root[line]
    row = betting.row - betting.row[:, root][:, line]
    rows = np.zeros((2, count), np.int64)
    for player in range(2):
        np.maximum.at(rows[player], line, row[player] + 1)
    at = np.flatnonzero(betting.kind < DEAL)
    decider, child = betting.kind[at].astype(np.int64), betting.first_child[at]
    decision = np.stack(
        [
            decider,
            node[at],
            node[child],
            betting.children[at],
            betting.slot[at],
            row[decider, at],
            row[decider, child],
            betting.block[at],
        ],
        axis=1,
    )
    deals = np.flatnonzero(betting.kind == DEAL)
    deal = np.stack([node[deals], row[0, deals], row[1, deals], betting.line_out[deals]], axis=1)
    lanes, lane, payoff = _lanes(betting, line, node, row)
    leaves, leaf = _leaves(betting, line, lanes, lane, rows)
    spans = [_spans(line[at], count), _spans(line[deals], count), *lanes, *leaves]
    record = np.concatenate([np.bincount(line, minlength=count)[:, None], rows.T, *spans], axis=1)
    return Lines(
        line=record.ravel().astype(np.int32),
        decision=decision.ravel().astype(np.int32),
        deal=_at_least_one(deal.ravel().astype(np.int32)),
        lane=_at_least_one(lane.ravel().astype(np.int32)),
        leaf=_at_least_one(leaf.ravel().astype(np.int32)),
        payoff=_at_least_one(payoff.ravel().astype(dtype)),
    )


def _spans(group: Array, groups: int) -> Array:
    """[groups, 2] the begin and the end of each group in an ascending list."""
    bounds = np.searchsorted(group, np.arange(groups + 1))
    return np.stack([bounds[:-1], bounds[1:]], axis=1)


def _at_least_one(array: Array) -> Array:
    """An array with at least one element: an empty array has a meaning in kernels."""
    return array if array.size else np.zeros(1, array.dtype)


def _lanes(betting: Betting, line: Array, node: Array, row: Array) -> tuple[list[Array], Array, Array]:
    """Lanes by player and line: ([lines, 2] spans of each player, [lanes, 3] records, [lanes, 4] payoffs)."""
    spans, lanes, payoffs = [], [], []
    before = 0
    for player in range(2):
        used = np.flatnonzero(betting.lane_row[player] >= 0)
        end = np.maximum(betting.lane_show[player, used], betting.lane_fold[player, used])
        used = used[np.argsort(line[end], kind="stable")]  # showdowns stay first
        leaves = betting.lane_show[player, used], betting.lane_fold[player, used]
        end = np.maximum(*leaves)
        local = [np.where(leaf >= 0, node[leaf], -1) for leaf in leaves]
        lanes.append(np.stack([row[1 - player, end], *local], axis=1))
        columns = (betting.lane_win, betting.lane_tie, betting.lane_lose, betting.lane_folded)
        payoffs.append(np.stack([column[player, used] for column in columns], axis=1))
        spans.append(before + _spans(line[end], int(line[-1]) + 1))
        before += len(used)
    return spans, np.concatenate(lanes), np.concatenate(payoffs)


def _leaves(betting: Betting, line: Array, lanes: list[Array], lane: Array, rows: Array) -> tuple[list[Array], Array]:
    """Folds and showdowns by player and line: ([lines, 2] spans of each player, [leaves, 2] nodes and rows).

    The rows of a street's scratch buffer: first those of reach, for its widest line, then one for each lane of a line.
    """
    street = np.searchsorted(betting.street_lines, np.arange(rows.shape[1]), side="right") - 1
    of_reach = np.zeros(int(street[-1]) + 1, np.int64)
    np.maximum.at(of_reach, street, rows.max(axis=0))
    spans, leaves, before = [], [], 0
    for player in range(2):
        first, end = lanes[player].T
        which = np.repeat(np.arange(len(first)), end - first)  # [lanes] the line of each
        own = lane[first[0] : end[-1]]
        shown = of_reach[street[which]] + np.arange(first[0], end[-1]) - first[which]
        both = np.concatenate([np.stack([own[:, 1], shown, which]), np.stack([own[:, 2], own[:, 0], which])], axis=1)
        both = both[:, both[0] >= 0]
        both = both[:, np.argsort(both[2], kind="stable")]
        leaves.append(both[:2].T)
        spans.append(before + _spans(both[2], len(first)))
        before += both.shape[1]
    return spans, np.concatenate(leaves)


class CudaTables:
    """The arrays of lines, boards and hands, and the lengths of the arrays between streets.

    A unit is a board and a player. Where both players have the same hands, their units share classes, lists and slots.
    """

    def __init__(self, tree: PublicTree, dtype: npt.DTypeLike) -> None:
        boards = tree.book.arrays
        self.dtype = np.dtype(dtype)
        alike = bool(np.array_equal(boards.begin[0], boards.begin[1]))
        self.lines = line_tables(tree.betting, dtype)
        lists = _Lists(boards, alike, self.dtype)
        rise_first, rises = _rises(boards, alike, self.dtype)
        self.entering, self.risen, between = _between(tree)
        self.roots = between[0][:, 0]  # [2] where the reach of the first street begins in `entering`
        self.numbers_per_lane = lists.numbers_per_lane
        children = np.stack([boards.child_first[:-1], boards.child_first[1:]])[:, None].repeat(2, axis=1)
        columns = [
            *(boards.begin, boards.count, boards.stride, boards.first),
            *(*between, *lists.by_unit, rise_first, *children),
        ]
        unit = np.stack([np.asarray(column, np.int64) for column in columns], axis=-1)
        above = boards.above.copy()
        for player in range(2):
            own = slice(boards.begin[player, 0], boards.begin[player, 0] + boards.count[player, 0])
            above[own] = np.arange(boards.count[player, 0])
        sign = boards.sign.astype(self.dtype)
        self.hands = Hands(
            unit=unit.ravel(), above=above, bucket=np.zeros(0, np.int32), twin=boards.twin, sign=sign, **lists.arrays,
            **rises,
        )  # fmt: skip


class _Lists:
    """Lists of classes by blocker, segments of all classes, and the slots with the sums for each class."""

    def __init__(self, boards: Boards, alike: bool, dtype: np.dtype[Any]) -> None:
        self.owner = _owners(boards, alike)
        units = boards.count.shape[1] * (1 if alike else 2)
        first_class = np.searchsorted(self.owner, np.arange(units))
        k = np.arange(len(self.owner)) - first_class[self.owner]
        subsets = boards.blocker.shape[1]
        kinds = int(boards.blocker.max(initial=-1)) + 1
        width = kinds + int(k.max()) // SEGMENT + 1
        which = np.concatenate([boards.blocker.astype(np.int64), (kinds + k // SEGMENT)[:, None]], axis=1)
        key = (self.owner[:, None] * width + which).ravel()
        order = np.argsort(key, kind="stable")
        key, member = key[order], order // (subsets + 1)
        weight = np.concatenate([boards.share, boards.size[:, None]], axis=1).ravel()[order]
        strength = boards.strength[member].astype(np.int64)
        starts = np.append(True, key[1:] != key[:-1])
        closes = np.append((key[1:] != key[:-1]) | (strength[1:] != strength[:-1]), True)
        slots = np.cumsum(closes)  # [entries] slots written up to this entry, inclusive
        begin = np.flatnonzero(starts)
        self.list_key = key[begin]
        self.list_slot = np.append(slots[begin] - closes[begin], slots[-1])  # [lists + 1] slots before each list
        self.unit_list = np.searchsorted(self.list_key, np.arange(units + 1) * width)
        list_unit = self.list_key // width
        number = np.arange(len(begin))
        self.list_place = self.list_slot[:-1] - self.list_slot[self.unit_list[list_unit]]
        self.list_place += number - self.unit_list[list_unit] + 1
        self.slot_key, self.slot_strength = key[closes], strength[closes]
        self.width, self.kinds, self.levels = width, kinds, int(strength.max(initial=0)) + 2
        ends = self.list_slot[self.unit_list[1:]] - self.list_slot[self.unit_list[:-1]] + np.diff(self.unit_list) + 1
        self.arrays = {
            "list_entries": self._with_ends(begin, np.append(begin, len(key))[self.unit_list[1:]]),
            "list_place": self._with_ends(self.list_place, ends),
            "entry_class": np.where(closes, ~k[member], k[member]).astype(np.int16),
            "entry_weight": weight.astype(dtype),
            "place": self._places(boards, alike),
        }
        blockers = np.bincount(list_unit[self.list_key % width < kinds], minlength=units)
        number = np.diff(self.unit_list)
        of = _unit_numbers(boards, alike)
        self.by_unit = [x[of] for x in (self.unit_list[:-1] + np.arange(units), number, blockers, ends)]
        self.numbers_per_lane = int((np.bincount(self.owner, minlength=units) + ends + number - blockers).max())

    def _with_ends(self, values: Array, ends: Array) -> Array:
        """Values of lists, with one more after those of each unit."""
        return np.insert(values, self.unit_list[1:], ends).astype(np.int32)

    def _places(self, boards: Boards, alike: bool) -> Array:
        """[(subsets + 1) · classes] the slots before, after and last of each class, packed."""
        partner = np.arange(self.unit_list.size - 1)
        if not alike:
            partner = partner ^ 1
        unit = partner[self.owner]
        strength = boards.strength.astype(np.int64)
        out = [self._among_all(unit, strength)]
        slot_key = self.slot_key * self.levels + self.slot_strength
        for j in range(boards.blocker.shape[1]):
            key = unit * self.width + boards.blocker[:, j]
            number = np.minimum(np.searchsorted(self.list_key, key), len(self.list_key) - 1)
            there = self.list_key[number] == key
            slots = [
                np.searchsorted(slot_key, key * self.levels + strength, "left"),
                np.searchsorted(slot_key, key * self.levels + strength, "right"),
                self.list_slot[number + 1],
            ]
            shift = self.list_place[number] - self.list_slot[number]
            before, after, last = (slot + shift for slot in slots)
            out.append(np.where(there, _packed(before, after, last), 0))
        return np.concatenate(out)

    def _among_all(self, unit: Array, strength: Array) -> Array:
        """The same in the segments, which together form one list in order of strength."""
        number = np.searchsorted(self.list_slot, np.arange(len(self.slot_key)), side="right") - 1  # list of each slot
        chosen = np.flatnonzero(self.slot_key % self.width >= self.kinds)
        owner = self.slot_key[chosen] // self.width
        place = chosen - self.list_slot[number[chosen]] + self.list_place[number[chosen]]
        key = owner * self.levels + self.slot_strength[chosen]
        ends = np.searchsorted(owner, np.arange(self.unit_list.size - 1), side="right")
        last = np.where(np.diff(ends, prepend=0) > 0, place[ends - 1] + 1, 0)  # 0 where there are no hands
        found: list[Array] = []
        for side in ("left", "right"):
            at = np.searchsorted(key, unit * self.levels + strength, side)
            found.append(np.where(at < ends[unit], place[np.minimum(at, len(place) - 1)], last[unit]))
        return _packed(found[0], found[1], last[unit])


def _packed(before: Array, after: Array, last: Array) -> Array:
    packed: Array = before | after << 16 | last << 32
    return packed


def _owners(boards: Boards, alike: bool) -> Array:
    """[classes] the unit that each class belongs to, in the order of the classes."""
    counts = boards.count[0] if alike else boards.count.T.ravel()
    return np.repeat(np.arange(counts.size), counts)


def _unit_numbers(boards: Boards, alike: bool) -> Array:
    """[2, boards] the units of `_owners`."""
    number = np.arange(boards.count.shape[1])
    return np.stack([number, number]) if alike else np.stack([2 * number, 2 * number + 1])


def _rises(boards: Boards, alike: bool, dtype: np.dtype[Any]) -> tuple[Array, dict[str, Array]]:
    """The classes on a board by their class on the parent board: [2, boards] first bounds, and the arrays."""
    owner = _owners(boards, alike)
    parent = np.maximum(boards.parent, 0)
    counts = (boards.count[:1, parent] if alike else boards.count[:, parent]).T.ravel()  # classes above, by unit
    k = np.arange(len(owner)) - np.searchsorted(owner, np.arange(counts.size))[owner]
    above = np.where(owner < (1 if alike else 2), k, boards.above)
    most = int(counts.max()) + 1
    key = owner * most + above
    order = np.argsort(key, kind="stable")
    firsts = np.cumsum(counts + 1) - (counts + 1)
    unit = np.repeat(np.arange(counts.size), counts + 1)
    bounds = np.searchsorted(key[order], unit * most + np.arange(len(unit)) - firsts[unit])
    return firsts[_unit_numbers(boards, alike)], {
        "rise_bounds": bounds.astype(np.int32),
        "rise_class": k[order].astype(np.int32),
        "rise_weight": boards.rise[order].astype(dtype),
    }


def _between(tree: PublicTree) -> tuple[int, int, tuple[Array, ...]]:
    """Numbers in a half of `entering` and of `risen`, and the columns ENTRY to BELOW of the units [2, boards].

    Both players use the same part, because a walk is for one player; only the reach of the first street is stored for
    both.
    """
    boards, street = tree.book.arrays, tree.board_street
    lines = np.append(np.diff(tree.betting.street_lines), 0).astype(np.int64)
    stride, parent = boards.stride.astype(np.int64), np.maximum(boards.parent, 0)
    roots = int(stride[:, 0].sum() * lines[0])
    leaving = stride * lines[street + 1]
    below = roots + np.cumsum(leaving, axis=1) - leaving
    entry = below[:, parent]
    entry[:, 0] = (0, stride[0, 0] * lines[0])
    rising = stride[:, parent] * lines[street]
    risen = np.cumsum(rising, axis=1) - rising
    columns = (entry, stride[:, parent], boards.count[:, parent], risen, below)
    return roots + int(leaving.sum(axis=1).max()), int(rising.sum(axis=1).max()), columns
