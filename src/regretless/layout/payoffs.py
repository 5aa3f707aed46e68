"""Payoffs of the sequence form: equal terminals merged, sorted by the sequences of each player in turn.

What the arrays mean is written where they are declared, in `regretless.kernels.sequence_form.layout`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.sequence_form.layout import SequenceForm

__all__ = ["payoff_arrays", "payoff_table"]

Array = npt.NDArray[Any]


def payoff_arrays(ends: Array, reach: Array, payoffs: Array, sequences: int) -> dict[str, Array]:
    """All payoff fields of a `SequenceForm`. ends [T, P] sequences, reach [T] of chance, payoffs [T, P] chips."""
    ends, worth = _merged(ends, reach[:, None] * payoffs)
    counts, columns, values = np.zeros(sequences, np.int64), [], []
    for player in range(ends.shape[1]):  # a player's sequences come before the next player's, so its entries do too
        some = np.flatnonzero(worth[:, player])
        some = some[np.argsort(ends[some, player], kind="stable")]
        counts += np.bincount(ends[some, player], minlength=sequences)
        columns.append(np.delete(ends[some], player, axis=1).T)
        values.append(worth[some, player])
    return {
        "entry_first": np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64),
        "column": np.ascontiguousarray(np.concatenate(columns, axis=1), np.uint32),
        "payoff": np.concatenate(values).astype(np.float64),
    }


def _merged(ends: Array, worth: Array) -> tuple[Array, Array]:
    """One row for the terminals that end the same sequences of all players."""
    most = int(ends.max(initial=0)) + 1
    if most ** ends.shape[1] < 2**63:  # one number for the sequences of all players sorts faster than several
        order = np.argsort(ends.astype(np.int64) @ (most ** np.arange(ends.shape[1])[::-1]), kind="stable")
    else:
        order = np.lexsort(ends.T[::-1])
    ends, worth = ends[order], worth[order]
    begins = np.flatnonzero(np.any(np.diff(ends, axis=0, prepend=-1) != 0, axis=1))
    return ends[begins], np.add.reduceat(worth, begins, axis=0)


def payoff_table(form: SequenceForm, player: int) -> tuple[Array, Array, Array]:
    """The payoffs of `player`: own sequence [E], the other players' sequences [P − 1, E], chips [E]."""
    first, last = int(form.sequence_first[player]), int(form.sequence_first[player + 1])
    entries = form.entry_first[first : last + 1].astype(np.int64)
    own = np.repeat(np.arange(first, last), np.diff(entries))
    within = slice(entries[0], entries[-1])
    return own, form.column[:, within].astype(np.int64), form.payoff[within]
