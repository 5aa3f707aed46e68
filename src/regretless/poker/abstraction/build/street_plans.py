"""What is asked for: on each street a number of buckets, and the features by which hands are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

from regretless.errors import OptionError, suggest
from regretless.kernels.cards.hand_features import HISTOGRAM, OPPONENTS, STRENGTH
from regretless.kernels.cards.river_strengths import CLUSTERS
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.quoting import quoted

__all__ = ["BINS", "FEATURES", "RECALL", "StreetPlan", "street_plans"]

BINS = 50
"""Bins of a histogram of strengths."""

MOST_BUCKETS = 2**31 - 1

FEATURES = {
    "lossless": "every hand has a bucket of its own, up to suits",
    "ehs": "expected hand strength, the mean share of the pot; clusters by k-means",
    "percentile": "expected hand strength; buckets that are dealt equally often",
    "histogram": "histogram of the strength at the showdown; k-means with the earth mover's distance",
    "ochs": f"strength against {CLUSTERS} clusters of opposing hands; k-means",
}
"""Features by name, and what they compare."""

RECALL = ("imperfect", "perfect")


@dataclass(frozen=True)
class StreetPlan:
    """The buckets and the features of one street."""

    buckets: int
    """Buckets asked for; the result may have fewer where hands are too much alike."""
    feature: str
    classes: int
    """Hands on this street, up to suits."""

    @property
    def kind(self) -> int:
        """The kind of row that `kernels.cards.hand_features` computes."""
        return {"histogram": HISTOGRAM, "ochs": OPPONENTS}.get(self.feature, STRENGTH)

    @property
    def width(self) -> int:
        """The length of a row of features."""
        return {HISTOGRAM: BINS - 1, OPPONENTS: CLUSTERS, STRENGTH: 1}[self.kind]

    @property
    def squared(self) -> bool:
        """Whether distances are sums of squares (L2) or of absolute differences (L1)."""
        return self.kind != HISTOGRAM

    @property
    def needs_opponents(self) -> bool:
        """Whether hands are compared by their strength against clusters of opposing hands."""
        return self.kind == OPPONENTS

    @property
    def sampled(self) -> bool:
        """Whether the buckets are found from a sample of hands."""
        return self.feature != "lossless"


def street_plans(
    rounds: CardRounds, buckets: int | Sequence[int], features: str | Sequence[str | None] | None
) -> tuple[StreetPlan, ...]:
    """The plan of each street, or OptionError. A street with as many buckets as hands is lossless."""
    counts = _per_street(rounds, "buckets", buckets)
    names = _per_street(rounds, "features", features)
    return tuple(_plan(rounds, street, counts[street], names[street]) for street in range(rounds.streets))


def _per_street(rounds: CardRounds, name: str, given: object) -> tuple[object, ...]:
    if given is None or isinstance(given, str) or not isinstance(given, Sequence):
        return (given,) * rounds.streets
    if len(given) != rounds.streets:
        streets = "1 street" if rounds.streets == 1 else f"{rounds.streets} streets"
        raise OptionError(f"{name} has one value for each of the game's {streets}, got {len(given)}: {quoted(given)}")
    return tuple(given)


def _plan(rounds: CardRounds, street: int, buckets: object, feature: object) -> StreetPlan:
    where = rounds.street_name(street)
    if isinstance(buckets, bool) or not isinstance(buckets, Integral) or not 1 <= int(buckets) <= MOST_BUCKETS:
        raise OptionError(
            f"the number of buckets is a whole number from 1 to {MOST_BUCKETS:,}, got {quoted(buckets)} ({where})"
        )
    count, classes = int(buckets), rounds.classes(street)
    if feature is not None and (not isinstance(feature, str) or feature not in FEATURES):
        raise OptionError(f"there are no features {quoted(feature)} ({where}): {suggest(str(feature)[:40], FEATURES)}")
    if count >= classes:
        return StreetPlan(classes, "lossless", classes)
    if feature == "lossless":
        raise OptionError(
            f"lossless buckets need one for each of the {classes:,} hands ({where}), got buckets={count:,}: "
            f"give {classes:,}, or other features"
        )
    if feature is None:
        feature = "ochs" if street == rounds.streets - 1 else "histogram"
    return StreetPlan(count, str(feature), classes)
