"""Regrets, averages and strategies of the infosets of a position graph: regret matching and the regret update."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import (
    DECAY,
    FLOOR,
    NEGATIVE,
    NEXT_NEGATIVE,
    NEXT_POSITIVE,
    POSITIVE,
    PREDICTION,
    WEIGHT,
)
from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import smallest_normal
from regretless.kernels.regret_rules import at_least, predicted, probability, updated


class Learned(NamedTuple):
    """The numbers of all infosets; S sequences (infoset and action), I infosets."""

    first: npt.NDArray[np.int32]  # [I] sequence of action 0; the others follow
    actions: npt.NDArray[np.int32]  # [I] number of actions
    regret: npt.NDArray[np.float64]  # [S] discounted sum of regrets, chips
    guess: npt.NDArray[np.float64]  # [S] what predictive variants expect regret to become; [0] for the others
    average: npt.NDArray[np.float64]  # [S] weighted sum of strategies, by own reach
    strategy: npt.NDArray[np.float64]  # [S] what is played: the regrets (or guesses) matched
    gain: npt.NDArray[np.float64]  # [S] scratch: regret of the iteration, chips
    reach: npt.NDArray[np.float64]  # [I] scratch: own reach of the iteration
    queue: npt.NDArray[np.int32]  # [I] scratch: infosets that the iteration has visited
    visited: npt.NDArray[np.int8]  # [I] scratch: 1 for infosets in the queue
    queued: npt.NDArray[np.int64]  # [1] scratch: number of infosets in the queue


class TurnOrder(NamedTuple):
    """Who updates when. Players who share infosets update together; others one after the other, or all at once."""

    empty: npt.NDArray[np.int64]  # [P] the players' empty sequences
    of_player: npt.NDArray[np.int64]  # [P] the turn of an iteration in which a player's regrets are computed
    of_infoset: npt.NDArray[np.int64]  # [I] the turn in which an infoset is updated


@inner(forceinline=True)
def match(learned, infoset, predictive):
    """strategy ← regrets (or the guesses of them) matched, at one infoset."""
    source, smallest = learned.guess if predictive else learned.regret, smallest_normal(learned.regret)
    first, actions = learned.first[infoset], learned.actions[infoset]
    total = 0.0
    for s in range(first, first + actions):
        total += at_least(source[s], 0.0)
    for s in range(first, first + actions):
        learned.strategy[s] = probability(at_least(source[s], 0.0), total, actions, smallest)


@inner(forceinline=True)
def visit(learned, infoset):
    """Note that an iteration has visited an infoset."""
    if learned.visited[infoset] == 0:
        learned.visited[infoset] = 1
        learned.queue[learned.queued[0]] = infoset
        learned.queued[0] += 1


@inner(forceinline=True)
def update(learned, infoset, step, predictive):
    """One regret update of one infoset, by the regret and the own reach of the iteration; and its next strategy."""
    first, actions = learned.first[infoset], learned.actions[infoset]
    reach = step[WEIGHT] * learned.reach[infoset]
    for s in range(first, first + actions):
        gain = learned.gain[s]
        learned.average[s] = learned.average[s] * step[DECAY] + reach * learned.strategy[s]
        learned.regret[s] = updated(learned.regret[s], gain, step[POSITIVE], step[NEGATIVE], step[FLOOR])
        if predictive:
            ahead = step[NEXT_POSITIVE], step[NEXT_NEGATIVE], step[PREDICTION]
            learned.guess[s] = predicted(learned.regret[s], gain, ahead[0], ahead[1], ahead[2])
        learned.gain[s] = 0.0
    learned.reach[infoset] = 0.0
    learned.visited[infoset] = 0
    match(learned, infoset, predictive)


@inner(optimise=True)
def end_turn(learned, infosets, of_infoset, turn, step, predictive):
    """Update the infosets whose turn it is.

    Where old numbers are not discounted, infosets that were not visited stay as they are and are skipped.
    """
    if step[POSITIVE] != 1.0 or step[NEGATIVE] != 1.0 or step[DECAY] != 1.0 or predictive:
        for infoset in range(infosets):
            if of_infoset[infoset] == turn:
                update(learned, infoset, step, predictive)
    else:
        for k in range(learned.queued[0]):
            visited = np.int64(learned.queue[k])
            if of_infoset[visited] == turn:
                update(learned, visited, step, predictive)
    learned.queued[0] = 0


@inner(forceinline=True)
def average_empty(learned, empty, step):
    """Average the empty sequences, which are always played."""
    for k in range(len(empty)):
        learned.average[empty[k]] = learned.average[empty[k]] * step[DECAY] + step[WEIGHT]
