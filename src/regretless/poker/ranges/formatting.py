"""Weights of hands, written in the usual notation of ranges.

Hands of a class mostly share their weight, and classes come in runs: QQ+, A5s-A2s, JTs-54s. Hands that differ from
their class are added as single combinations at the end, where they override the class.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.poker.cards.deck import Deck
from regretless.poker.cards.hand_classes import class_table

__all__ = ["spell_range"]

SHORTEST_CHAIN = 3
"""Fewer classes than this with the same distance between their cards are written one by one."""

Cell = tuple[int, int]


class Span(NamedTuple):
    """A run of classes, from the strongest to the weakest; `open` where no stronger class is left out."""

    first: Cell
    last: Cell
    open: bool


def spell_range(weights: npt.NDArray[np.float64], deck: Deck) -> str:
    """A short text that parses to exactly these weights [hands]; empty for an empty range."""
    if weights[0] > 0 and (weights == weights[0]).all():
        return "random" + suffix(weights[0])
    usual, exceptions = by_class(weights, deck)
    entries = []
    for weight in sorted(set(usual.values()) - {0.0}, reverse=True):
        kinds = {
            kind: {(high, low) for (high, low, of), w in usual.items() if of == kind and w == weight}
            for kind in ("", "s", "o")
        }
        entries += [word + suffix(weight) for word in words(kinds, deck)]
    hands = deck.hands(2)
    entries += [deck.hand_name(hands[hand]) + suffix(weights[hand]) for hand in reversed(exceptions)]
    return ",".join(entries)


def suffix(weight: float) -> str:
    """A weight as it is written behind an entry."""
    short = f"{weight:g}"
    return "" if weight == 1 else f":{short if float(short) == weight else repr(float(weight))}"


def by_class(weights: npt.NDArray[np.float64], deck: Deck) -> tuple[dict[tuple[int, int, str], float], list[int]]:
    """The most common weight of each class (high, low, kind), and the hands with another weight."""
    members: dict[tuple[int, int, str], list[int]] = defaultdict(list)
    for hand, (high, low, suited) in enumerate(zip(*class_table(deck), strict=True)):
        kind = "" if high == low else "s" if suited else "o"
        members[int(high), int(low), kind].append(hand)
    usual, exceptions = {}, []
    for key, hands in members.items():
        counts = Counter(float(weights[hand]) for hand in hands)
        # An entry for the class is as long as one for a hand; a class of weight 0 needs no entry.
        usual[key] = max(counts, key=lambda weight: (counts[weight] - (weight > 0), weight == 0))
        exceptions += [hand for hand in hands if weights[hand] != usual[key]]
    return usual, sorted(exceptions)


def words(kinds: dict[str, set[Cell]], deck: Deck) -> list[str]:
    """The entries for classes of one weight: pairs, then by the first card; suited and offsuit in one if both occur."""
    pairs = pair_spans(kinds[""], len(deck.ranks) - 1)
    suited, offsuit = spans(kinds["s"]), spans(kinds["o"])
    found = [(span, "") for span in suited if span in offsuit]
    found += [(span, "s") for span in suited if span not in offsuit]
    found += [(span, "o") for span in offsuit if span not in suited]
    found.sort(key=lambda entry: (entry[0].first, entry[1] != "o"), reverse=True)
    return [written(span, kind, deck) for span, kind in [*((span, "") for span in pairs), *found]]


def written(span: Span, kind: str, deck: Deck) -> str:
    """A run of classes as text."""
    first, last = (deck.ranks[high] + deck.ranks[low] + kind for high, low in (span.first, span.last))
    if span.first == span.last:
        return first
    return f"{last}+" if span.open else f"{first}-{last}"


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """(highest, lowest) of each run of whole numbers without a gap, highest first."""
    found: list[tuple[int, int]] = []
    for number in sorted(numbers, reverse=True):
        if found and found[-1][1] == number + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def pair_spans(cells: set[Cell], highest: int) -> list[Span]:
    """Runs of pairs."""
    return [Span((top, top), (end, end), top == highest) for top, end in runs(high for high, _ in cells)]


def spans(cells: set[Cell]) -> list[Span]:
    """Runs of classes with the same first card, then runs of the others with the same distance between their cards."""
    found: list[Span] = []
    single: dict[int, list[int]] = defaultdict(list)  # by distance: first cards
    for high in sorted({high for high, _ in cells}, reverse=True):
        for top, end in runs(low for first, low in cells if first == high):
            if top == end:
                single[high - top].append(high)
            else:
                found.append(Span((high, top), (high, end), top == high - 1))
    for distance, highs in single.items():
        for top, end in runs(highs):
            if top - end + 1 >= SHORTEST_CHAIN:
                found.append(Span((top, top - distance), (end, end - distance), False))
            else:
                found += [
                    Span((high, high - distance), (high, high - distance), False) for high in range(top, end - 1, -1)
                ]
    return found
