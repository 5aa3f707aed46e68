"""Aggregates: the strategy after a line of play on all boards, and by kinds of boards.

    table = run.strategy.by_board("raise call / check")
    table.by("suits")                      # monotone, two-tone, rainbow
    table.sorted("bet").frame().head()     # the flops with the most bets
    table.plot("flops.png")

Boards that differ by suits only are one row: `deals` is their number, and `reach` their probability given that the node
is reached. Means are weighted with `reach`. Frequencies need only the strategies on the path to the node: a few seconds
for the 1,755 flops of flop hold'em. Expected values (`ev=True`) need a walk over the whole subtree.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, suggest
from regretless.poker.cards.board_kinds import KINDS, kinds_of
from regretless.poker.formats.exports import Columns, as_frame, write_csv, write_parquet
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.tree.board_lookup import find_board

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Aggregate", "Group", "action_means", "aggregate"]

Array = npt.NDArray[Any]


class Group(NamedTuple):
    """Boards of one kind."""

    name: str
    boards: int
    deals: int
    reach: float
    frequencies: dict[str, float]
    ev: float
    """Expected chips from the node on; nan if they were not requested."""
    equity: float = np.nan
    """The player's share of the pot without further folds; nan if it was not requested."""


@dataclass(frozen=True, eq=False)
class Aggregate:
    """A node on all boards of its street."""

    line: str
    player: int
    actions: tuple[str, ...]
    boards: tuple[str, ...]  # [boards] one board of each kind
    suits: tuple[str, ...]  # [boards] monotone, two-tone, rainbow
    pairing: tuple[str, ...]  # [boards] unpaired, paired, trips, …
    high: tuple[str, ...]  # [boards] the highest rank
    deals: Array  # [boards] number of boards in the row
    reach: Array  # [boards] probability given that the node is reached; sums to 1
    frequencies: Array  # [boards, actions]; nan where the node is never reached
    ev: Array | None  # [boards] expected chips from the node on
    action_ev: Array | None  # [boards, actions] the same for the hands that take an action; nan without such hands
    pot: float  # chips in the middle
    game: PublicGame
    equity: Array | None = None  # [boards] the player's share of the pot without further folds

    def __len__(self) -> int:
        return len(self.boards)

    @property
    def total(self) -> Group:
        """All boards together."""
        return self._group("all boards", np.ones(len(self), np.bool_))

    def by(self, kind: str) -> list[Group]:
        """The boards grouped by "suits", "pairing" or "high", the highest card."""
        if kind not in KINDS:
            raise OptionError(f"boards are not grouped by {quoted(kind)}: {suggest(str(kind), KINDS)}")
        of = np.array(getattr(self, kind))
        found = set(of.tolist())
        order = KINDS[kind] or self.game.deck.ranks[::-1]
        names = [name for name in order if name in found] + sorted(found - set(order), reverse=True)
        return [self._group(name, of == name) for name in names]

    def _group(self, name: str, chosen: Array) -> Group:
        reached = chosen & (self.reach > 0)
        weight = self.reach[reached]
        with np.errstate(invalid="ignore"):  # nan for boards that are never reached
            shares = weight @ self.frequencies[reached] / weight.sum()
            ev = np.nan if self.ev is None else weight @ self.ev[reached] / weight.sum()
            equity = np.nan if self.equity is None else weight @ self.equity[reached] / weight.sum()
        return Group(
            name=name,
            boards=int(chosen.sum()),
            deals=int(self.deals[chosen].sum()),
            reach=float(weight.sum()),
            frequencies=dict(zip(self.actions, shares.tolist(), strict=True)),
            ev=float(ev),
            equity=float(equity),
        )

    def sorted(self, column: str, descending: bool = True) -> Aggregate:
        """The same boards in the order of an action's frequency ("bet 50") or of another column ("ev", "deals")."""
        columns = self.columns()
        name = f"p {column}" if column in self.actions else column
        if name not in columns:
            raise OptionError(f"there is no column {quoted(column)}: {suggest(str(column), [*self.actions, *columns])}")
        values = columns[name]
        order = np.argsort(values, kind="stable")
        if descending:
            order = order[::-1]
        if values.dtype.kind == "f":  # boards without a value come last in both directions
            order = np.concatenate([order[~np.isnan(values[order])], order[np.isnan(values[order])]])
        return self._taken(order)

    def _taken(self, order: Array) -> Aggregate:
        picked: dict[str, Any] = {name: getattr(self, name)[order] for name in ("deals", "reach", "frequencies")}
        for name in ("boards", "suits", "pairing", "high"):
            picked[name] = tuple(getattr(self, name)[i] for i in order.tolist())
        for name in ("ev", "action_ev", "equity"):
            values = getattr(self, name)
            picked[name] = None if values is None else values[order]
        return replace(self, **picked)

    def columns(self) -> Columns:
        """The table by columns: board, suits, pairing, high, deals, reach, p ACTION; if known ev, ev ACTION, equity.

        With both, `realisation` is EV ÷ (equity × pot).
        """
        columns: Columns = {
            name: np.array(getattr(self, name)) for name in ("suits", "pairing", "high", "deals", "reach")
        }
        columns = {"board": np.array(self.boards), **columns}
        columns |= {f"p {action}": self.frequencies[:, at] for at, action in enumerate(self.actions)}
        if self.ev is not None and self.action_ev is not None:
            columns["ev"] = self.ev
            columns |= {f"ev {action}": self.action_ev[:, at] for at, action in enumerate(self.actions)}
        if self.equity is not None:
            columns["equity"] = self.equity
            if self.ev is not None:
                columns["realisation"] = self.ev / (self.equity * self.pot)
        return columns

    def frame(self) -> Any:
        """A row for each board, as a pandas data frame; a dictionary of columns if pandas is not installed."""
        return as_frame(self.columns())

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """A row for each board, as comma-separated values."""
        write_csv(path, [self.columns()])

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """A row for each board, as a Parquet file."""
        write_parquet(path, [self.columns()])

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """A page with the groups of boards and a table of all boards, which a click on a heading sorts."""
        from regretless.poker.results.drawing.aggregate_html import write_page

        write_page(self, path)

    def plot(self, path: str | os.PathLike[str] | None = None, *, ax: Axes | None = None) -> Figure:
        """A picture: a bar of actions for each kind of boards; in `ax` if given."""
        from regretless.poker.results.drawing.aggregate_pictures import draw_aggregate

        return draw_aggregate(self, path, ax)

    def report(self) -> str:
        """The frequencies by kinds of boards, as text."""
        known = [name for name in ("ev", "equity") if getattr(self, name) is not None]
        rows = [("", "deals", "reach", *self.actions, *known)]
        for group in (self.total, *(group for kind in KINDS for group in self.by(kind))):
            shares = [f"{share:.1%}" for share in group.frequencies.values()]
            values = [f"{group.ev:.2f}" if name == "ev" else f"{group.equity:.1%}" for name in known]
            rows.append((group.name, f"{group.deals:,}", f"{group.reach:.1%}", *shares, *values))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            row[0].ljust(widths[0])
            + "".join("  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
            for row in rows
        )

    __str__ = report

    def __repr__(self) -> str:
        shares = ", ".join(f"{action} {share:.1%}" for action, share in self.total.frequencies.items())
        return f"<player {self.player} after {self.line!r} on {len(self):,} boards: {shares}>"


def aggregate(strategy: PublicStrategy, line: str | int, *, ev: bool = False) -> Aggregate:
    """The strategy after a line of play on all boards of its street; with `ev` also expected values."""
    tree, node = strategy.tree, strategy.node(line)
    street, player = int(tree.betting_tree.street[node]), int(tree.betting_tree.kind[node])
    bounds = tree.book.arrays.street_boards
    boards = np.arange(bounds[street], bounds[street + 1])
    strategy.need(range(int(boards[-1]) + 1))
    rows = [_one_board(strategy, node, player, *both) for both in _reaches(strategy, node, boards)]
    mass = np.array([row[0] for row in rows])
    deals = np.array([strategy.tree.book.ways(board) for board in boards.tolist()])
    likely = deals * mass
    values = _expected_values(strategy, node, boards, mass) if ev else None
    cards = [tree.book.cards[board] for board in boards.tolist()]
    kinds = [kinds_of(tree.game.deck, board) for board in cards]
    return Aggregate(
        line=tree.betting_tree.line(node),
        player=player,
        actions=tree.betting_tree.actions[node],
        boards=tuple(tree.game.deck.names(board) for board in cards),
        suits=tuple(kind[0] for kind in kinds),
        pairing=tuple(kind[1] for kind in kinds),
        high=tuple(kind[2] for kind in kinds),
        deals=deals,
        reach=likely / likely.sum() if likely.any() else likely,
        frequencies=np.array([row[1] for row in rows]),
        ev=None if values is None else values[0],
        action_ev=None if values is None else values[1],
        pot=float(tree.betting_tree.paid[node].sum()) + float(tree.game.betting.pot),
        game=tree.game,
    )


def _one_board(
    strategy: PublicStrategy, node: int, player: int, board: int, reach: tuple[Array, Array]
) -> tuple[float, Array]:
    """The weight with which a node is reached on a board, and the frequencies of its actions."""
    tree = strategy.tree
    arrays = tree.book.arrays
    begin, count = int(arrays.begin[player, board]), int(arrays.count[player, board])
    if not (len(reach[0]) and len(reach[1])):  # a player has no hand without a card of this board
        return 0.0, np.full(int(tree.betting_tree.children[node]), np.nan)
    mass = arrays.size[begin : begin + count] * reach[player] * tree.available(board, player, reach[1 - player])
    total = float(mass.sum())
    shares = strategy.block(node, board) @ mass
    return (total, shares / total) if total > 0 else (0.0, np.full(len(shares), np.nan))


def _reaches(strategy: PublicStrategy, node: int, boards: Array) -> Iterator[tuple[int, tuple[Array, Array]]]:
    """For each board both players' weights of hand classes [classes]: range × probability of reaching the node."""
    tree = strategy.tree
    steps: dict[int, list[tuple[int, int]]] = {}  # decisions and actions on the path, by street
    at = node
    while (above := int(tree.betting_tree.parent[at])) >= 0:
        if tree.betting_tree.actions[above]:
            steps.setdefault(int(tree.betting_tree.street[above]), []).append(
                (above, at - int(tree.betting_tree.first_child[above]))
            )
        at = above
    known: dict[int, tuple[Array, Array]] = {}

    def after(board: int) -> tuple[Array, Array]:
        """Weights after all steps of a board's street; those of boards with children are cached."""
        if board in known:
            return known[board]
        arrays, parent = tree.book.arrays, int(tree.book.arrays.parent[board])
        out = []
        for player in range(2):
            if parent < 0:
                out.append(np.array(tree.book.weight[player], np.float64))
            else:
                begin, count = int(arrays.begin[player, board]), int(arrays.count[player, board])
                out.append(after(parent)[player][arrays.above[begin : begin + count]])
        for decision, action in steps.get(int(tree.board_street[board]), []):
            mover = int(tree.betting_tree.kind[decision])
            out[mover] = out[mover] * strategy.block(decision, board)[action]
        if arrays.child_first[board + 1] > arrays.child_first[board]:
            known[board] = (out[0], out[1])
        return out[0], out[1]

    for board in boards.tolist():
        yield board, after(board)


def _expected_values(strategy: PublicStrategy, node: int, boards: Array, mass: Array) -> tuple[Array, Array]:
    """([boards] expected chips of the player, [boards, actions] the same for the hands that take each action)."""
    street = int(strategy.tree.betting_tree.street[node])
    means = np.full(len(boards), np.nan)
    by_action = np.full((len(boards), len(strategy.tree.betting_tree.actions[node])), np.nan)
    for at in np.flatnonzero(mass > 0).tolist():
        found = find_board(strategy.tree, street, strategy.tree.book.cards[int(boards[at])])
        one = strategy.at_board([node], found)[0]
        means[at], by_action[at] = one.mean_ev, action_means(one)
    return means, by_action


def action_means(node: NodeStrategy) -> Array:
    """[actions] expected chips of the hands that take each action; nan where none does."""
    reached = node.mass > 0
    weight = node.mass[reached, None] * node.probabilities[reached]
    with np.errstate(invalid="ignore"):
        means: Array = (weight * node.action_ev[reached]).sum(axis=0) / weight.sum(axis=0)
    return means
