"""Payoffs of the sequence form: equal terminals merged, sorted by the sequences of each player in turn.

What the arrays mean is written where they are declared, in `regretless.kernels.layout`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.layout import SequenceForm

__all__ = ["payoff_arrays", "payoff_table"]

Array = npt.NDArray[Any]


def payoff_arrays(ends: Array, reach: Array, payoffs: Array) -> dict[str, Array]:
    """All payoff fields of a `SequenceForm`. ends [T, P] sequences, reach [T] of chance, payoffs [T, P] chips."""
    ends, worth = _merged(ends, reach[:, None] * payoffs)
    rows, sequences, columns, values, row_first = [], [], [], [], [0]
    entries = 0
    for player in range(ends.shape[1]):
        some = np.flatnonzero(worth[:, player])
        some = some[np.argsort(ends[some, player], kind="stable")]
        sequence, begin = np.unique(ends[some, player], return_index=True)
        rows.append(entries + begin)
        sequences.append(sequence)
        columns.append(np.delete(ends[some], player, axis=1).T)
        values.append(worth[some, player])
        entries += len(some)
        row_first.append(row_first[-1] + len(sequence))
    return {
        "row_first": np.array(row_first, np.int32),
        "row_sequence": np.concatenate(sequences).astype(np.int32),
        "row_entry": np.append(np.concatenate(rows), entries).astype(np.uint64),
        "column": np.ascontiguousarray(np.concatenate(columns, axis=1), np.uint32),
        "payoff": np.concatenate(values).astype(np.float64),
    }


def _merged(ends: Array, worth: Array) -> tuple[Array, Array]:
    """One row for the terminals that end the same sequences of all players."""
    order = np.lexsort(ends.T[::-1])
    ends, worth = ends[order], worth[order]
    begins = np.flatnonzero(np.any(np.diff(ends, axis=0, prepend=-1) != 0, axis=1))
    return ends[begins], np.add.reduceat(worth, begins, axis=0)


def payoff_table(form: SequenceForm, player: int) -> tuple[Array, Array, Array]:
    """The payoffs of `player`: own sequence [E], the other players' sequences [P − 1, E], chips [E]."""
    first, last = int(form.row_first[player]), int(form.row_first[player + 1])
    begin, end = int(form.row_entry[first]), int(form.row_entry[last])
    lengths = np.diff(form.row_entry[first : last + 1]).astype(np.int64)
    own = np.repeat(form.row_sequence[first:last], lengths)
    return own, form.column[:, begin:end].astype(np.int64), form.payoff[begin:end]
