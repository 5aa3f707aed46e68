"""From a tree in blocks to the subtrees of its players in preorder: what deviations of correlated play walk."""

from __future__ import annotations

import numpy as np

from regretless.kernels.correlated.subtrees import Subtrees, preorder_slots
from regretless.kernels.sequence_form.layout import SequenceForm
from regretless.layout.labels import Labels

__all__ = ["lay_out_subtrees"]


def lay_out_subtrees(form: SequenceForm, labels: Labels) -> Subtrees:
    """Number all infosets in preorder, player by player, and their sequences by slots."""
    players, infosets = labels.players, len(labels.owner)
    actions = np.array([len(row) for row in labels.actions], np.int64)
    owner = labels.owner.astype(np.int64)
    sequence_infoset = labels.infoset_of_sequence
    above = sequence_infoset[form.parent] if infosets else np.zeros(0, np.int64)
    above = np.where(above >= 0, above, -1 - owner)
    per_player = np.bincount(owner, weights=actions, minlength=players).astype(np.int64)
    begin, size = preorder_slots(above, actions, np.cumsum(per_player) - per_player)

    order = np.argsort(begin, kind="stable")  # infosets in preorder
    slot = np.full(labels.sequences, -1, np.int64)
    some = np.flatnonzero(sequence_infoset >= 0)
    at = sequence_infoset[some]
    slot[some] = begin[at] + (some - labels.first[at]) // labels.stride[at]
    sequence = np.empty(len(some), np.int64)
    sequence[slot[some]] = some

    actions, begin, size = actions[order], begin[order], size[order]
    entry = np.concatenate([[0], np.cumsum(actions * size)])
    return Subtrees(
        player_first=np.searchsorted(owner[order], np.arange(players + 1)),
        infoset=order,
        actions=actions,
        begin=begin,
        end=begin + size,
        last=np.searchsorted(begin, begin + size),
        parent=slot[form.parent[order]] if infosets else np.zeros(0, np.int64),
        sequence=sequence,
        entry=entry,
    )
