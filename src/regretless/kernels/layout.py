"""The arrays of a game in sequence form, and the arrays of a solve: what every other kernel walks.

**Treeplexes.** Sequences of all players are numbered through: player p owns a run of them that begins with its empty
sequence. Infosets that lie at one level of a player's treeplex and offer equally many actions form a *block* whose
sequences are stored action-major,

    sequence of action a at the block's i-th infoset  =  block.first + a · block.infosets + i,

so a loop over the infosets of a block runs over neighbouring numbers and the compiler can use vector instructions.
Within a block infosets are sorted by parent sequence, so a parent's children are neighbours, and a block is cut into
*strips* between parents: two strips of one block never add to the same parent, which lets threads share a block.

**Payoffs.** Terminals that end the same sequences are merged, and the table is kept once per player, sorted by that
player's sequences: for two players the payoff matrix by rows and by columns (compressed sparse rows both ways).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.floating]

LONGEST_STRIP = 512


class SequenceForm(NamedTuple):
    """A game in sequence form; P players, S sequences, I infosets."""

    sequence_first: Ints  # [P + 1] first sequence of each player (the empty one), and S
    parent: Ints  # [I] the sequence that leads to each infoset
    block_first: Ints  # [P + 1] first block of each player
    block_strips: Ints  # [blocks + 1] first strip of each block
    strips: Ints  # [strips, 5] columns STRIP_SEQUENCE … STRIP_ACTIONS
    row_first: Ints  # [P + 1] first payoff row of each player
    row_sequence: Ints  # [rows] the player's sequence that a row belongs to
    row_entry: npt.NDArray[np.uint64]  # [rows + 1] first entry of each row
    column: npt.NDArray[np.uint32]  # [P − 1, entries] the other players' sequences, in player order
    payoff: Floats  # [entries] chance-weighted payoff to the row's player, chips


class Iterate(NamedTuple):
    """Where a solve stands: everything that the next iteration depends on."""

    regret: Floats  # [S] discounted sum of counterfactual regrets, chips
    strategy: Floats  # [S] probability of the sequence's last action at its infoset
    plan: Floats  # [S] product of own probabilities along the sequence
    average: Floats  # [S] weighted sum of plans
    gradient: Floats  # [S] scratch: counterfactual value of each sequence, chips


STRIP_SEQUENCE, STRIP_INFOSET, STRIP_INFOSETS, STRIP_STRIDE, STRIP_ACTIONS = range(5)
"""A strip: sequence of action 0 at its first infoset, that infoset, how many infosets it has and how many its whole
block has (the step from action to action), and how many actions each infoset offers."""

POSITIVE, NEGATIVE, FLOOR, NEXT_POSITIVE, NEXT_NEGATIVE, PREDICTION, DECAY, WEIGHT = range(8)
"""Columns of the table of step weights that drives a solve; `regretless.variants` fills it."""
