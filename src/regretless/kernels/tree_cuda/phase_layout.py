"""The arrays of a listed game on a GPU, and the records of the phases that a kernel runs one after the other.

**Contributions.** The gradient of a sequence is a sum of *contributions*: what its payoffs give, and the values of the
infosets that it leads to. The contributions of a sequence are neighbours in one array, so a thread that needs the
gradient adds up a short run of numbers. Every contribution is written by one thread and every sum has a fixed order:
there are no atomic additions, and results are the same on every run.

**Slices.** The payoff entries of a sequence are one *segment* (a long row is several). Segments of similar length are
put side by side, 32 to a *slice*, entry by entry: the threads of a warp read neighbouring numbers. Short segments are
filled up with entries that are worth nothing. With few different payoffs, an entry of a two-player game has 4 bytes:
the other player's sequence in the low bits, the number of the payoff in the high ones. (On the CPU it has 12.)

**Tiles.** A block of threads takes a *tile* of a block of the treeplex at a time: neighbouring infosets of one level
with equally many actions. Its threads form `groups`: thread t has the infoset t modulo lanes, and every groups-th
action from t divided by lanes on. Sums over actions go through shared memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

LANES = 32
"""Segments of a slice: the threads of a warp."""

TILE_SEQUENCE, TILE_INFOSET, TILE_INFOSETS, TILE_STRIDE, TILE_ACTIONS, TILE_GROUPS, TILE_RECORD = range(7)
"""Fields of a tile: the sequence of action 0 at its first infoset, that infoset, the number of its infosets, the step
from action to action, actions of an infoset, and groups of threads; and the number of fields."""

PHASE_KIND, PHASE_FIRST, PHASE_LAST, PHASE_BLOCKS, PHASE_AFTER, PHASE_RECORD = range(6)
"""Fields of a phase: what to do, a range of slices, tiles, sequences or chunks, the most blocks that take part (0 for
all), what to wait for after it; and the number of fields."""

PRODUCTS, UPDATE, FIRST_PLANS, PLANS, BEST, TOTALS = range(6)
"""Kinds of phases: contributions of payoffs (slices); regret updates of a level (tiles); next plans and averages
(sequences; `FIRST_PLANS` from a player's first sequence on, with its empty sequence); best values of a level (tiles);
sums of plan times gradient (chunks)."""

WAIT_FOR_GRID, WAIT_FOR_BLOCK, WAIT_FOR_NONE = range(3)
"""After a phase: wait for all blocks, for the threads of the block, or not at all."""

CHUNKS = 64
"""Partial sums of a player's value: a fixed number, so that the result does not depend on the GPU."""


class PayoffSlices(NamedTuple):
    """Payoffs of all players in slices; E padded entries, K slices."""

    first: Any  # [K + 1] int64: first entry of each slice
    slot: Any  # [32 K] int32: the contribution that each segment is written to, −1 for lanes without one
    sequence: Any  # [32 K] int32: the sequence of each segment
    packed: Any  # [E] uint32: payoff number and the other player's sequence, or [0]
    column: Any  # [(P − 1) E] uint32: the other players' sequences, or [0] where entries are packed
    payoff: Any  # [values] the different payoffs where entries are packed, else [E]; chips
    chunk: Any  # [P (CHUNKS + 1)] int32: the slices of each partial sum


class Treeplexes(NamedTuple):
    """The treeplexes of all players; S sequences, I infosets."""

    contribution_first: Any  # [S + 1] int32: the contributions of each sequence
    infoset_slot: Any  # [I] int32: the contribution that the value of each infoset is written to
    parent: Any  # [S] int32: the last own sequence before each one; −1 for empty sequences
    tile: Any  # [tiles · TILE_RECORD] int32


class TreeState(NamedTuple):
    """The numbers of a solve, and scratch; S sequences, I infosets."""

    regret: Any  # [S] chips
    guess: Any  # [S] or [0]
    plan: Any  # [S]
    average: Any  # [S]
    strategy: Any  # [S] scratch: the probabilities that updated regrets call for
    gradient: Any  # [S] scratch: chips
    contribution: Any  # [segments + I] scratch: chips
    total: Any  # [P · CHUNKS] scratch: partial sums of values, chips


class Rules(NamedTuple):
    """Numbers that do not change during a run of the kernel."""

    bits: Any  # of the other player's sequence in a packed entry
    others: Any  # players other than the one whose payoffs are read
    predictive: Any  # whether play follows the guess of regrets
    smallest: Any  # the least Σ R⁺ that regrets are matched at


class Step(NamedTuple):
    """The step weights of one iteration; see `regretless.variants`."""

    positive: Any
    negative: Any
    floor: Any
    next_positive: Any
    next_negative: Any
    prediction: Any
    decay: Any
    weight: Any


class Place(NamedTuple):
    """What one thread does in a tile; all int32."""

    lane: Any  # its infoset, counted from the tile's first
    lanes: Any  # infosets that the tile has threads for
    groups: Any
    actions: Any  # of every infoset
    mine: Any  # actions of this thread; 0 for threads without work
    first: Any  # the sequence of the first of them
    jump: Any  # from its sequence to its next one
    infoset: Any  # the infoset whose value this thread writes, −1 for none
