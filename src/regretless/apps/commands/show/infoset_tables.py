"""The strategy of a game that was not listed: a table may hold millions of infosets, so only those shown are named, the
most often visited first."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from regretless.apps.commands.show.show import Chosen, unknown
from regretless.apps.printing import Shown
from regretless.errors import OptionError
from regretless.kernels.constants import AVERAGE
from regretless.kernels.numpy_matching import matched

if TYPE_CHECKING:
    from regretless.sampling.table_strategy import TableStrategy

__all__ = ["choose_visited", "most_visited", "write_visited"]

LOOKED_THROUGH = 300_000
"""Infosets that are named at most when a label is searched; some seconds."""


def most_visited(strategy: TableStrategy) -> Any:
    """[I] rows of a table, the most often visited first, players in turn.

    The sums of the average strategy count visits.
    """
    _, place, owner, _, actions = strategy.store.rows()
    if len(place) == 0:
        return place
    begin = place + AVERAGE * actions
    cuts = np.stack([begin, begin + actions], axis=1).reshape(-1)
    sums = np.add.reduceat(np.append(strategy.numbers, 0.0), cuts)[::2]
    order = np.argsort(-sums, kind="stable")
    rank = np.empty(len(order), np.int64)
    for player in range(strategy.labels.players):
        mine = owner[order] == player
        rank[mine] = np.arange(mine.sum())
    return order[np.lexsort((owner[order], rank))]


def choose_visited(strategy: TableStrategy, wanted: Sequence[str], player: int | None, limit: int) -> Chosen:
    """The infosets asked for among those visited, at most `limit`."""
    keys, _, owner, _, _ = strategy.store.rows()
    order = most_visited(strategy)
    if player is not None:
        order = order[owner[order] == player]
    if not wanted:
        more = len(order) - limit
        rest = f"{more:,} more infosets, visited less often: --limit prints more, --csv FILE all" if more > 0 else ""
        return Chosen(list(named(strategy, order[:limit])), rest)
    names: list[str] = []
    found: dict[int, None] = {}
    missing = set(wanted)
    for row in order[:LOOKED_THROUGH].tolist():
        name = str(strategy.labels.infoset(int(keys[row, 0]), int(keys[row, 1])))
        names.append(name)
        matching = [text for text in wanted if name == text or fnmatchcase(name, text)]
        missing.difference_update(matching)
        if matching and len(found) < limit:
            found[row] = None
        if len(found) == limit and not missing:
            return Chosen(list(named(strategy, list(found))), "there may be more: --limit prints more of them")
    if missing:
        raise OptionError(not_met(sorted(missing)[0], names, player, len(order)))
    return Chosen(list(named(strategy, list(found))))


def not_met(text: str, names: Sequence[str], player: int | None, count: int) -> str:
    """A sentence about an infoset that was not found."""
    said = unknown(text, names, player)
    if count <= LOOKED_THROUGH:
        return said.replace("there is no infoset", "the solve has not visited an infoset", 1)
    among = f"among the {LOOKED_THROUGH:,} of {count:,} infosets that were visited most often"
    return said.replace(f"there is no infoset {text!r}", f"there is no infoset {text!r} {among}", 1)


def named(strategy: TableStrategy, rows: Sequence[int]) -> Iterator[Shown]:
    """Some rows of a table with their labels and probabilities."""
    keys, place, owner, offered, actions = strategy.store.rows()
    action_lists = strategy.store.action_lists()
    for row in map(int, rows):
        begin, count = int(place[row] + strategy.kind * actions[row]), int(actions[row])
        chances = matched(np.asarray(strategy.numbers[begin : begin + count], np.float64))
        labels = map(str, strategy.labels.actions(action_lists[offered[row]]))
        name = str(strategy.labels.infoset(int(keys[row, 0]), int(keys[row, 1])))
        yield Shown(int(owner[row]), name, dict(zip(labels, chances.tolist(), strict=True)))


def write_visited(strategy: TableStrategy, path: str) -> None:
    """Every infoset and action as comma-separated values, the most often visited first."""
    from regretless.storage import write_atomically

    def write(file: IO[bytes]) -> None:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(["player", "infoset", "action", "probability"])
        for row in named(strategy, most_visited(strategy)):
            for action, probability in row.probabilities.items():
                writer.writerow([row.player, row.name, action, probability])
        text.flush()
        text.detach()

    write_atomically(path, write)
