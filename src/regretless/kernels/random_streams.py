"""Random numbers as arithmetic: a stream is a 64-bit word, and every draw is a function of it.

The stream of a walk is made from the seed, the iteration, the player and the number of the walk. So the draws of a walk
do not depend on the thread that walks it or on timing: the same seed gives the same result on any number of threads.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.numba_ext.compiling import inner, kernel

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 1.0 / 9007199254740992.0


@inner(forceinline=True)
def mixed(word):
    """A word [uint64] in which every bit depends on every bit of the given one (Steele, Lea & Flood 2014)."""
    word = (word ^ (word >> S30)) * FIRST
    word = (word ^ (word >> S27)) * SECOND
    return word ^ (word >> S31)


@inner(forceinline=True)
def uniform(word):
    """The draw in [0, 1) that belongs to the current word of a stream; the next word is `word + STEP`."""
    return np.float64(mixed(word) >> S11) * UNIT


@inner(forceinline=True)
def stream(seed, iteration, player, walk):
    """The first word of a walk's stream."""
    word = mixed(np.uint64(seed) + STEP * np.uint64(iteration))
    return mixed(word + FIRST * np.uint64(walk) + SECOND * np.uint64(player))


@kernel
def first_draw(seed, iteration, player, walk):
    """The first draw of a walk's stream, for callers in Python."""
    return uniform(stream(seed, iteration, player, walk))
