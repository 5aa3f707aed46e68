"""The arrays of a game in sequence form, and the arrays of a solve, which all kernels of this folder walk.

**Treeplexes.** Sequences of all players are numbered through: player p owns a run of them that begins with its empty
sequence. Infosets at one level of a player's treeplex with equally many actions form a *block* whose
sequences are stored action-major,

    sequence of action a at the block's i-th infoset  =  block.first + a · block.infosets + i,

so a loop over the infosets of a block runs over neighbouring numbers and the compiler can use vector instructions.
A block is cut into *strips* of about `LONGEST_STRIP` infosets. Two strips of one block never share a parent, so threads
can add to parents without conflicts. Within a strip all first children of their parents come first, then all second
children, and so on: neighbours add to different parents, so one addition need not wait for the last.

**Payoffs.** Terminals that end the same sequences are merged, and the table is kept once per player, sorted by that
player's sequences: for two players the payoff matrix by rows and by columns (compressed sparse rows both ways), one
row for every sequence.
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
    entry_first: npt.NDArray[np.uint64]  # [S + 1] first payoff entry of each sequence
    column: npt.NDArray[np.uint32]  # [P − 1, entries] the other players' sequences, in player order
    payoff: Floats  # [entries] chance-weighted payoff to the sequence's player, chips


class Iterate(NamedTuple):
    """The state of a solve: everything that the next iteration depends on."""

    regret: Floats  # [S] discounted sum of counterfactual regrets, chips
    guess: Floats  # [S] what predictive variants expect regret to be after the next iteration; [0] for the others
    plan: Floats  # [S] product of own probabilities along the sequence
    average: Floats  # [S] weighted sum of plans
    gradient: Floats  # [S] scratch: counterfactual value of each sequence, chips


STRIP_SEQUENCE, STRIP_INFOSET, STRIP_INFOSETS, STRIP_STRIDE, STRIP_ACTIONS = range(5)
"""Columns of a strip: the sequence of action 0 at its first infoset, that infoset, the number of infosets of the strip
and of its whole block (the stride from action to action), and the number of actions of each infoset."""
