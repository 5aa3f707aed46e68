"""The records that sampled walks work with: numbers of infosets, weights of iterations, buffers of threads.

The numbers of an infoset with A actions lie together in `values`. Its *slot* is the index of the first: A regrets, then
A sums of the average strategy, then (with infoset baselines) A values for each player. Where old regret is discounted
by its sign, the number before the slot is the step of the current window up to which it has been discounted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.pointers import pointers

LEARNS, AVERAGES = 1, 2
"""Why a player walks: to update its own regrets, or only to add the others' strategies to their averages."""

SCRATCH_FULL, LOG_FULL, TABLE_FULL, LISTS_FULL = -1, -2, -3, -4
"""Why a walk could not be finished; it is walked again with larger buffers. A full table is found after all walks of a
turn: then their logs wait until it has grown. If only action lists are full, only the updates of new infosets wait."""

NEXT, END, TURN, UNFINISHED = range(4)
"""Columns of a span: next iteration, iteration to stop before, next player, histories visited in a turn that waits."""

SLOT, COUNT, FIRST, CHOICE, FIRST_WORD, SECOND_WORD, MOVER, DRAWN, FRAME = range(9)
"""Columns of a decision on the path of a walk, and their number: slot, number of actions, where they begin in the
buffers, action that is walked, the words of the infoset's key, mover, chance moves drawn so far."""

SUMS = 4
"""Floating-point numbers of a decision on the path."""


class Store(NamedTuple):
    """The numbers of all infosets, and the table that finds them."""

    table: Any
    values: npt.NDArray[np.floating]
    history_values: npt.NDArray[np.float64]  # [P · H] baselines by history


class WindowWeights(NamedTuple):
    """The weights of a variant over a window of W iterations; step 0 is the state before the first."""

    gain: npt.NDArray[np.float64]  # [W + 1] weight of a regret of each step, where all regret is discounted alike
    positive: npt.NDArray[np.float64]  # [W + 1] log of the product of the discounts of positive regret since step 0
    negative: npt.NDArray[np.float64]  # [W + 1] the same for negative regret
    weight: npt.NDArray[np.float64]  # [W + 1] weight of a strategy of each step in the average


class Task(NamedTuple):
    """What a call of a kernel does: which iterations, which walks, and how updates are made."""

    walkers: npt.NDArray[np.int8]  # [P] LEARNS, AVERAGES, or 0 for players who do not walk
    span: npt.NDArray[np.int64]  # [4] columns NEXT … UNFINISHED, advanced as work is done
    cuts: npt.NDArray[np.int64]  # [lanes + 1] where the lanes of a turn's walks begin
    seed: Any  # uint64
    origin: int  # the iteration of step 0
    by_sign: bool  # whether old regret is discounted by its sign
    in_place: bool  # whether walks update values directly
    ends_turns: bool  # whether updates are applied at the end of a turn; else they stay in the logs


class ExternalOptions(NamedTuple):
    """Options of external and average-strategy sampling."""

    epsilon: float  # ε, the least probability of walking an own action; 1 to walk all
    beta: float  # β of average-strategy sampling
    tau: float  # τ of average-strategy sampling
    threshold: float  # actions with a regret below it are pruned; 0 for no pruning
    prune_share: float  # share of walks that prune
    fixed: bool  # whether the others play the averages of another store, which do not change


class OutcomeOptions(NamedTuple):
    """Options of outcome sampling."""

    exploration: float  # ε, the probability of drawing an own action uniformly
    blend: float  # how far baselines move towards an observed value
    baseline: int  # NO_BASELINE, BY_INFOSET or BY_HISTORY
    histories: int  # number of histories of a listed game
    fixed: bool  # as in `ExternalOptions`


class ChanceOptions(NamedTuple):
    """Options of chance and public chance sampling."""

    public_only: bool  # whether only chance moves that all players see are drawn
    threshold: float  # as in `ExternalOptions`
    prune_share: float


NO_BASELINE, BY_INFOSET, BY_HISTORY = range(3)


class GameBuffers(NamedTuple):
    """What the rules of a game write to; A is the number of actions of all decisions on a path together."""

    moves: npt.NDArray[np.int64]  # [A] actions
    chance: npt.NDArray[np.float64]  # [A] probabilities of chance, or of walking an own action
    payoffs: npt.NDArray[np.float64]  # [P] chips


class Scratch(NamedTuple):
    """Scratch of one walk; up to D decisions deep."""

    frames: npt.NDArray[np.int64]  # [D · FRAME]
    sums: npt.NDArray[np.float64]  # [D · SUMS]
    states: npt.NDArray[np.int64]  # [D] histories on the path, where a game is listed
    probabilities: npt.NDArray[np.float64]  # [A] strategies
    gains: npt.NDArray[np.float64]  # [A] values of actions
    game: GameBuffers
    deepest: int  # D
    widest: int  # A


class ThreadBuffers(NamedTuple):
    """What one thread of a team works with."""

    scratch: Scratch
    logs: Any  # `update_log.Log` of all threads
    sums: Any  # `turns.LaneSums`
    team: Any  # `thread_team.Team`


class Walk(NamedTuple):
    """Everything a walk reads and writes, as pointers."""

    rules: Any
    table: Any
    values: Any
    target: Any  # where updates are added: the values, or the sums of a lane
    marks: Any  # of the lane (`turns.LaneSums`)
    history_values: Any
    window: WindowWeights
    other_table: Any  # of the players whose actions are drawn
    other_values: Any
    scratch: Scratch
    log: Any  # of this thread
    options: Any
    by_sign: bool  # whether to discount before adding
    in_place: bool  # whether to add to `target`; else updates go to the log


@inner
def scratch_pointers(scratch):
    """Scratch as a walk uses it; buffers of the game stay arrays, because rules ask for their length."""
    frames, sums, states = pointers((scratch.frames, scratch.sums, scratch.states))
    probabilities, gains = pointers((scratch.probabilities, scratch.gains))
    return Scratch(frames, sums, states, probabilities, gains, scratch.game, scratch.deepest, scratch.widest)
