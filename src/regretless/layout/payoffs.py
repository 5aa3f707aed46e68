"""Payoffs of the sequence form: equal terminals merged, sorted by the sequences of each player in turn.

What the arrays mean is written where they are declared, in `regretless.kernels.sequence_form.layout`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.coded_numbers import CodedNumbers
from regretless.kernels.numba_ext.interpreting import for_size
from regretless.kernels.sequence_form.layout import SequenceForm
from regretless.kernels.sequence_form.payoff_rows import count_entries, sort_by_player, write_entries

__all__ = ["payoff_arrays", "payoff_table"]

Array = npt.NDArray[Any]


def payoff_arrays(ends: Array, reach: CodedNumbers, payoffs: CodedNumbers, sequences: int) -> dict[str, Array]:
    """All payoff fields of a `SequenceForm`. ends [T, P] sequences, reach [T] of chance, payoffs [T, P] chips."""
    players = ends.shape[1]
    order, out = np.arange(len(ends), dtype=np.int32), np.empty(len(ends), np.int32)
    for player in reversed(range(players)):
        for_size(sort_by_player, ends.size)(ends, player, order, np.zeros(sequences + 1, np.int64), out)
        order, out = out, order
    del out
    rows = ends, order, reach.code, reach.table, payoffs.code, payoffs.table, np.zeros(players)
    counts = np.zeros(sequences, np.int64)
    for_size(count_entries, ends.size)(*rows, counts)
    first = np.concatenate([[0], np.cumsum(counts)])  # a player's sequences come before the next player's
    column, payoff = np.empty((players - 1, int(first[-1])), np.uint32), np.empty(int(first[-1]))
    for_size(write_entries, ends.size)(*rows, first[:-1].copy(), column, payoff)
    return {"entry_first": first.astype(np.uint64), "column": column, "payoff": payoff}


def payoff_table(form: SequenceForm, player: int) -> tuple[Array, Array, Array]:
    """The payoffs of `player`: own sequence [E], the other players' sequences [P − 1, E], chips [E]."""
    first, last = int(form.sequence_first[player]), int(form.sequence_first[player + 1])
    entries = form.entry_first[first : last + 1].astype(np.int64)
    own = np.repeat(np.arange(first, last), np.diff(entries))
    within = slice(entries[0], entries[-1])
    return own, form.column[:, within].astype(np.int64), form.payoff[within]
