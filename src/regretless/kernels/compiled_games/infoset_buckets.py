"""Infosets of a listing found by what their owner knows; those of a subtree joined with those listed before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import TERMINAL
from regretless.kernels.numba_ext.compiling import inner, kernel

MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(32)


class InfosetArrays(NamedTuple):
    """Infosets in the order of their first visit: up to I of them, with A actions."""

    owner: npt.NDArray[np.int32]  # [I] player
    key: npt.NDArray[np.int64]  # [I, 2] what the owner knows
    first_history: npt.NDArray[np.int32]  # [I]
    offer_first: npt.NDArray[np.int64]  # [I + 1] where its actions begin
    offer: npt.NDArray[np.int64]  # [A] actions
    buckets: npt.NDArray[np.int32]  # [2^n > I] 1 + infoset, by hash


@inner(forceinline=True)
def bucket_of(buckets, owner, key, mover, first, second):
    """The bucket of an infoset, or the empty one where it belongs."""
    mask = buckets.shape[0] - 1
    mixed = (np.uint64(first) * MIX) ^ ((np.uint64(second) + np.uint64(mover)) * np.uint64(0xBF58476D1CE4E5B9))
    mixed = (mixed ^ (mixed >> SHIFT)) * MIX
    bucket = np.int64(mixed >> SHIFT) & mask
    while buckets[bucket] > 0:
        known = buckets[bucket] - 1
        if key[known, 0] == first and key[known, 1] == second and owner[known] == mover:
            break
        bucket = (bucket + 1) & mask
    return bucket


@kernel
def rehash(buckets, owner, key, infosets):
    """Enter all infosets into new, empty buckets."""
    for infoset in range(infosets):
        mover = np.int64(owner[infoset])
        buckets[bucket_of(buckets, owner, key, mover, key[infoset, 0], key[infoset, 1])] = infoset + 1


@inner
def append_infoset(arrays, bucket, known, found, infoset, base):
    """Copy an infoset of `found` to the end."""
    begin, end, at = found.offer_first[infoset], found.offer_first[infoset + 1], arrays.offer_first[known]
    arrays.buckets[bucket], arrays.owner[known] = known + 1, found.owner[infoset]
    arrays.key[known, 0], arrays.key[known, 1] = found.key[infoset, 0], found.key[infoset, 1]
    arrays.first_history[known] = found.first_history[infoset] + base
    for a in range(end - begin):
        arrays.offer[at + a] = found.offer[begin + a]
    arrays.offer_first[known + 1] = at + end - begin


@inner
def offers_alike(arrays, known, found, infoset):
    """Whether both infosets have the same actions."""
    at, begin = arrays.offer_first[known], found.offer_first[infoset]
    count = found.offer_first[infoset + 1] - begin
    if arrays.offer_first[known + 1] - at != count:
        return False
    for a in range(count):
        if arrays.offer[at + a] != found.offer[begin + a]:
            return False
    return True


@kernel
def merge_infosets(arrays, known, found, begin, end, base, final):
    """Enter the infosets begin … end − 1 of `found` behind the `known` ones, unless they are among these.

    The buffers of `arrays` must be large enough for all. final[i] receives the number of infoset i; base: what is added
    to the histories of first visits. Returns the new number of known infosets; −1 where actions differ.
    """
    for infoset in range(begin, end):
        mover, first, second = np.int64(found.owner[infoset]), found.key[infoset, 0], found.key[infoset, 1]
        bucket = bucket_of(arrays.buckets, arrays.owner, arrays.key, mover, first, second)
        number = arrays.buckets[bucket] - 1
        if number < 0:
            number = known
            append_infoset(arrays, bucket, number, found, infoset, base)
            known += 1
        elif not offers_alike(arrays, number, found, infoset):
            return -1
        final[infoset] = number
    return known


@kernel
def renumber_subtree(mover, index, first_child, children, final, terminals, base):
    """Numbers of a subtree's listing become those of the whole game. mover … children [H], final [I] infosets.

    terminals: those listed before; base: what is added to the numbers of histories.
    """
    for h in range(mover.shape[0]):
        if mover[h] == TERMINAL:
            index[h] += terminals
        elif mover[h] >= 0:
            index[h] = final[index[h]]
        if children[h] > 0:
            first_child[h] += base
