"""Reports over many runs: one node of the same spot on many flops, as one table.

rg.solve_many(rg.poker.flop_spots(25, ranges, pot=100, stack=400), "dcfr", folder="runs", until="0.5%")
table = rg.poker.report("runs", "check")
print(table)                              # by suits, pairs and the highest card
table.sorted("bet 33").to_csv("report.csv");  table.plot("report.png");  table.to_html("report.html")
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError, OptionError
from regretless.poker.cards.board_kinds import kinds_of
from regretless.poker.cards.deck import STANDARD
from regretless.poker.flop_sets.flops import weights_of
from regretless.poker.quoting import quoted
from regretless.poker.results.aggregates import Aggregate, action_means
from regretless.poker.results.grids import equities
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy

__all__ = ["FlopNode", "flop_node", "report", "report_of"]

Array = npt.NDArray[Any]

ALL_DEALS = 22_100
"""Flops of a deck; `deals` of a report is the number of them that a flop stands for."""


@dataclass(frozen=True)
class FlopNode:
    """The node of a report in one run."""

    name: str
    """Of the run."""
    node: NodeStrategy
    equity: float
    """Of the player who acts there; nan where it was not asked for."""


def report(runs: Any, line: str = "", *, equity: bool = True) -> Aggregate:
    """One node of the same spot on many flops: frequencies, EV and equity of the player who acts there.

    runs: a folder of runs, files, or runs. line: the line of play on the flop, "" for the first decision. The weights
    of the flops are those of `rg.poker.flops` if the boards are one of its sets, else the number of flops of each kind.
    """
    nodes = [flop_node(name, strategy, line, equity=equity) for name, strategy in _strategies(runs)]
    if not nodes:
        raise OptionError("a report needs at least one run")
    return report_of(nodes, equity=equity)


def report_of(read: Sequence[FlopNode], *, equity: bool = True) -> Aggregate:
    """The report of nodes that were read already, at least one."""
    first = read[0]
    for one in read:
        for what in ("betting", "ranges"):
            if getattr(one.node.game, what) != getattr(first.node.game, what):
                raise OptionError(
                    f"the runs are of different spots: {first.name} and {one.name} differ in their {what}"
                )
    boards = [STANDARD.hand_name(STANDARD.cards(one.node.board)) for one in read]
    if len(set(boards)) < len(boards):
        twice = next(board for board in boards if boards.count(board) > 1)
        raise OptionError(f"two of the runs have the flop {twice}: a report needs one run for each flop")
    equities_of = np.array([one.equity for one in read]) if equity else None
    return _table([one.node for one in read], boards, equities_of)


def _table(nodes: list[NodeStrategy], boards: list[str], equity: Array | None) -> Aggregate:
    kinds = [kinds_of(STANDARD, STANDARD.cards(board)) for board in boards]
    weights = weights_of(boards)
    likely = weights * [float(node.mass.sum()) for node in nodes]
    first = nodes[0]
    return Aggregate(
        line=first.line,
        player=first.player,
        actions=first.actions,
        boards=tuple(boards),
        suits=tuple(kind[0] for kind in kinds),
        pairing=tuple(kind[1] for kind in kinds),
        high=tuple(kind[2] for kind in kinds),
        deals=np.round(weights * ALL_DEALS).astype(np.int64),
        reach=likely / likely.sum() if likely.any() else likely,
        frequencies=np.array([_shares(node) for node in nodes]),
        ev=np.array([node.mean_ev for node in nodes]),
        action_ev=np.array([action_means(node) for node in nodes]),
        pot=first.pot,
        game=first.game,
        equity=equity,
    )


def _shares(node: NodeStrategy) -> list[float]:
    """[actions] frequencies; nan where play never reaches the node."""
    return list(node.frequencies.values()) if node.mass.any() else [np.nan] * len(node.actions)


def _mean_equity(node: NodeStrategy) -> float:
    by_hand, mass = equities(node), node.mass
    known = (mass > 0) & ~np.isnan(by_hand)
    return float(mass[known] @ by_hand[known] / mass[known].sum()) if known.any() else float("nan")


def flop_node(name: str, strategy: PublicStrategy, line: str, *, equity: bool = True) -> FlopNode:
    """The node of one run, with its EV and, if asked for, its equity."""
    game = strategy.tree.game
    if len(game.first_board) != 3 or game.deck != STANDARD:
        raise OptionError(f"a report is about spots that begin on a flop, and {name} is a run of {game.name}")
    node = strategy.at(line, ev=True)
    return FlopNode(name, node, _mean_equity(node) if equity else float("nan"))


def _strategies(runs: Any) -> Iterator[tuple[str, PublicStrategy]]:
    """Names and strategies from a folder, files or runs."""
    if isinstance(runs, str | os.PathLike):
        folder = Path(runs)
        if folder.is_dir():
            runs = sorted(folder.glob("*.run"))
            if not runs:
                raise FileError(f"{folder} holds no run: a folder is searched for files that end in .run")
        else:
            runs = [folder]
    if not isinstance(runs, Iterable):
        raise OptionError(f"a report needs a folder, files or runs, got {quoted(runs)}")
    for count, one in enumerate(runs, 1):
        if isinstance(one, str | os.PathLike):
            from regretless.poker.formats.run_files import open_public_run

            tree, arrays, _ = open_public_run(one)
            yield os.fspath(one), tree.strategy(arrays, "average")
        elif isinstance(strategy := getattr(one, "strategy", one), PublicStrategy):
            yield f"run {count}", strategy
        else:
            raise OptionError(f"a report needs runs of hold'em spots, got {quoted(one)}")
