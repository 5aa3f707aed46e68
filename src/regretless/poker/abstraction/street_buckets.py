"""The buckets of one street: the bucket of each hand, and what each bucket holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from regretless.kernels.cards.hand_features import FULL

__all__ = ["NO_FEATURE", "StreetBuckets", "chunks", "empty_map", "finished_street"]

NO_FEATURE = "none"
"""The feature of a street whose hands are all in one bucket, as in strategies that look at no cards."""

CHUNK = 1 << 22
"""Entries of a map that are worked on at once, to bound temporary memory."""


@dataclass(frozen=True, eq=False)
class StreetBuckets:
    """The map of one street. Buckets are numbered by their mean strength, weakest first."""

    ARRAYS: ClassVar[tuple[str, ...]] = ("bucket_of", "hands", "deals", "strength", "centroids")

    feature: str
    bucket_of: npt.NDArray[Any]  # [hands up to suits] uint16, or uint32 where there are more than 65,536 buckets
    hands: npt.NDArray[np.int64]  # [buckets] hands up to suits
    deals: npt.NDArray[np.int64]  # [buckets] deals of these hands and their boards
    strength: npt.NDArray[np.int64]  # [buckets] sum over deals of the mean strength in 16 bits
    centroids: npt.NDArray[np.uint16]  # [buckets, width]; [0, 0] where buckets have no centroids
    verify: Callable[[], None] | None = None
    """Compares the map with its checksum, if it is a view of a file that has not been read yet."""

    def check(self) -> None:
        """Verify a map of a file, once."""
        if self.verify is not None:
            self.verify()
            object.__setattr__(self, "verify", None)

    @property
    def count(self) -> int:
        """The number of buckets."""
        return len(self.deals)

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All arrays by name."""
        return {name: getattr(self, name) for name in self.ARRAYS}

    @property
    def mean_strength(self) -> npt.NDArray[np.float64]:
        """[buckets] the mean share of the pot at a showdown against any hand, from 0 to 1."""
        return np.asarray(self.strength / (self.deals * float(FULL)))


def chunks(length: int) -> Iterator[slice]:
    """Slices that cover an array."""
    return (slice(begin, min(begin + CHUNK, length)) for begin in range(0, length, CHUNK))


def empty_map(classes: int, buckets: int) -> npt.NDArray[Any]:
    """A map for this number of hands and buckets."""
    return np.zeros(classes, np.uint16 if buckets <= 1 << 16 else np.uint32)


def finished_street(
    feature: str, bucket_of: npt.NDArray[Any], totals: npt.NDArray[np.int64], centroids: npt.NDArray[np.uint16]
) -> StreetBuckets:
    """Buckets numbered by their mean strength, without those that have no hand. bucket_of is overwritten.

    totals [2, buckets]: deals, and deals × strength.
    """
    used = np.flatnonzero(totals[0])
    order = used[np.argsort(totals[1, used] / totals[0, used], kind="stable")]
    number = np.zeros(totals.shape[1], bucket_of.dtype)
    number[order] = np.arange(len(order))
    hands = np.zeros(len(order), np.int64)
    for part in chunks(len(bucket_of)):
        bucket_of[part] = number[bucket_of[part]]
        hands += np.bincount(bucket_of[part], minlength=len(order))
    kept = centroids[order] if len(centroids) else centroids
    street = StreetBuckets(feature, bucket_of, hands, totals[0, order], totals[1, order], kept)
    for array in street.arrays.values():
        array.flags.writeable = False
    return street
