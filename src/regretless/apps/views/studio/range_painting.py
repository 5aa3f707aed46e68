"""Ranges that are painted on a grid: the text of a range and the weights of its cells, in both directions.

What is painted is written in the notation of ranges and added at the end of the text, where it overrides what came
before: painting AKs with half weight adds "AKs:0.5". So there is one parser, and single hands keep their weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from regretless.errors import OptionError
from regretless.poker.cards.deck import STANDARD
from regretless.poker.cards.hand_classes import class_name
from regretless.poker.ranges.parsing import read_range
from regretless.poker.ranges.presets import top_hands
from regretless.poker.ranges.range import Range

__all__ = ["PaintedRange", "grid_labels", "painted_range", "presets"]

TOP_SHARES = (5, 10, 15, 20, 30, 40, 50, 70)
"""Per cent of all hands in the presets of strongest hands."""


@lru_cache(maxsize=1)
def presets() -> dict[str, str]:
    """Ranges to begin with, by name; the last ones are the strongest hands against a random hand."""
    return {
        "none": "",
        "any two": "random",
        "pairs": "22+",
        "suited": "A2s+,K2s+,Q2s+,J2s+,T2s+,92s+,82s+,72s+,62s+,52s+,42s+,32s",
        "broadway": "TT+,AT+,KT+,QT+,JT",
        "suited aces": "A2s+",
        "suited connectors": "AKs-32s",
        **{f"top {share} %": str(top_hands(share / 100)) for share in TOP_SHARES},
    }


@dataclass(frozen=True)
class PaintedRange:
    """A range as text and as a grid."""

    text: str
    weights: tuple[float, ...]
    """[169] the mean weight of each class, row by row."""
    combos: float
    hands: tuple[tuple[str, float], ...] = ()
    """The hands of the chosen class with their weights."""

    @property
    def for_browser(self) -> dict[str, Any]:
        """What the script of the page reads."""
        return {
            "text": self.text,
            "weights": self.weights,
            "combos": f"{self.combos:,.4g} of 1,326 hands, {self.combos / 1326:.1%}",
            "hands": self.hands,
        }


@lru_cache(maxsize=1)
def grid_labels() -> tuple[str, ...]:
    """The 169 classes row by row, aces first: suited hands above the diagonal, offsuit hands below."""
    ranks = STANDARD.ranks[::-1]
    return tuple(
        high + low if row == column else f"{high}{low}s" if row < column else f"{low}{high}o"
        for row, high in enumerate(ranks)
        for column, low in enumerate(ranks)
    )


def painted_range(text: str, paint: str = "", hand: str = "") -> PaintedRange:
    """A range after some cells were painted; `hand` is the class whose hands are listed.

    >>> painted_range("QQ+, AKs", "AA:0.5").text
    'KK-QQ,AKs,AA:0.5'
    """
    weights = read_range(f"{text},{paint}" if paint else text, STANDARD, may_be_empty=True)
    held = Range(weights)
    chosen: tuple[tuple[str, float], ...] = ()
    if hand:
        if hand not in grid_labels():
            raise OptionError(f"there is no class of hands {hand[:10]!r}: write AKs, AKo or 77")
        rows = np.flatnonzero([class_name(cards) == hand for cards in STANDARD.hands(2).tolist()])
        named = [(STANDARD.hand_name(STANDARD.hands(2)[row]), round(float(weights[row]), 6)) for row in rows]
        chosen = tuple(sorted(named, reverse=True))
    cells = tuple(round(float(weight), 6) for weight in held.grid().ravel())
    return PaintedRange(text if not paint else held.compact(), cells, held.combos, chosen)
