"""Ready-made ranges: the strongest hands up to a share of all hands."""

from __future__ import annotations

import numpy as np

from regretless.errors import OptionError
from regretless.poker.cards.deck import STANDARD
from regretless.poker.cards.hand_classes import class_name
from regretless.poker.quoting import quoted
from regretless.poker.ranges.range import Range

__all__ = ["STRONGEST_FIRST", "top_hands"]

ORDER = (
    "AA KK QQ JJ TT 99 88 AKs AQs 77 AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs KTs A8s KQo A7s A9o KJo QJs 55 K9s A6s A5s "
    "KTo A8o QTs A4s A7o QJo K8s A3s K9o Q9s JTs A6o A5o K7s A2s QTo 44 A4o K6s Q8s K8o J9s K5s A3o Q9o JTo K7o A2o "
    "K4s Q7s T9s K6o J8s K3s Q6s Q8o 33 J9o K2s K5o Q5s J7s T8s K4o Q4s T9o Q7o J8o K3o Q6o Q3s J6s 98s T7s K2o 22 "
    "Q2s J5s Q5o J7o T8o 97s J4s Q4o T6s J3s Q3o 98o J6o 87s T7o J2s 96s Q2o J5o T5s T4s 97o J4o 86s T6o 95s T3s 76s "
    "J3o 87o T2s J2o 96o 85s T5o 94s 75s T4o 93s 86o 65s 95o 92s 84s T3o 76o 74s T2o 54s 64s 85o 94o 83s 75o 82s 93o "
    "73s 65o 53s 63s 84o 92o 43s 74o 54o 72s 64o 52s 62s 83o 42s 82o 73o 32s 53o 63o 43o 72o 52o 62o 42o 32o"
)
STRONGEST_FIRST = tuple(ORDER.split())
"""The 169 classes by their equity against a random hand, from `equity("random", "random", boards=60_000, seed=1)`."""


def top_hands(share: float) -> Range:
    """The strongest classes that make up at most `share` of all hands; at least the strongest class.

    >>> print(top_hands(0.05))
    77+,AJs+
    >>> top_hands(1.0) == Range.full()
    True
    """
    if not isinstance(share, int | float) or not 0 < share <= 1:
        raise OptionError(f"a share of hands is above 0 and at most 1, got {quoted(share)}")
    classes = np.array([class_name(hand) for hand in STANDARD.hands(2).tolist()])
    names, counts = np.unique(classes, return_counts=True)
    size = dict(zip(names.tolist(), counts.tolist(), strict=True))
    total = np.cumsum([size[name] for name in STRONGEST_FIRST])
    taken = max(1, int(np.searchsorted(total, share * classes.size, side="right")))
    return Range(np.isin(classes, STRONGEST_FIRST[:taken]).astype(np.float64))
