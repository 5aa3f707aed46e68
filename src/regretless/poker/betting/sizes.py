"""Bet sizes: how they are written, and the lists of sizes for bets, for raises and for donk bets.

"50%" "1/2 pot" 0.5    a share of the pot; for a raise, of the pot after calling, on top of the call
"120c" "=120"          chips: bet 120, raise to 120
"2.5x"                 a raise to 2.5 times the bet faced
"e" "2e"               geometric: the share that gets all chips in over the streets left, or over 2 streets
"all-in"
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from regretless.errors import OptionError, suggest
from regretless.poker.betting.checks import LEAST_CHIPS, MOST_CHIPS, as_number
from regretless.poker.quoting import quoted

__all__ = ["Size", "Sizes", "SizesByStreet", "SizesLike", "read_size", "read_sizes_by_street", "spell_chips"]

MOST_POTS = 20
"""The largest bet in pots. A larger plain number was probably meant as chips or as per cent."""

LIMITS = {"pot": (1e-6, MOST_POTS), "chips": (LEAST_CHIPS, MOST_CHIPS), "times": (1.0, 1e6), "geometric": (0.0, 4.0)}
"""The smallest and the largest amount of each kind of size."""

MOST_SIZES = 100
"""Sizes in one list."""
MOST_TEXT = 2_000
"""Characters of a text that lists sizes."""

ALL_IN = re.compile(r"a|all[ _-]?in|jam|shove|push")
GEOMETRIC = re.compile(r"(\d*)\s*e|geometric")
CHIPS = re.compile(r"=\s*(.+)|(.+?)\s*(?:c|chips?)")
TIMES = re.compile(r"(.+?)\s*(?:x|times)")
PERCENT = re.compile(r"(.+?)\s*%(?:\s*(?:of the )?pot)?")
SHARE = re.compile(r"(.+?)\s*(?:of the )?pots?|(\d*\.\d+|\d+\s*/\s*\d+)")
NUMBER = re.compile(r"[-+]?[\d_.]{1,40}(?:e[-+]?\d{1,3}|/\d{1,40})?")
"""Numbers that are converted. A longer exponent would make `Fraction` compute for hours."""
SPELLINGS = "write 50% or 1/2 pot, 120c for chips, 2.5x for a raise, e for geometric, or all-in"


def spell_chips(chips: float) -> str:
    """A number of chips with at most two decimals.

    >>> spell_chips(50.0), spell_chips(59.4), spell_chips(1 / 3)
    ('50', '59.4', '0.33')
    """
    return f"{chips:.2f}".rstrip("0").rstrip(".")


@dataclass(frozen=True)
class Size:
    """One bet size.

    >>> read_size("1/2 pot"), read_size("120c"), read_size("2.5x")
    (Size('50%'), Size('120c'), Size('2.5x'))
    """

    kind: str  # "pot", "chips", "times", "geometric" or "all-in"
    amount: float = 0.0  # pots, chips, times the bet faced, or streets (0: those left); not used for all-in

    def __post_init__(self) -> None:
        if self.kind != "all-in" and self.kind not in LIMITS:
            raise OptionError(f"there is no kind of bet size {quoted(self.kind)}: {suggest(str(self.kind), LIMITS)}")
        amount = as_number(self.amount)
        least, most = LIMITS.get(self.kind, (-math.inf, math.inf))
        if not least <= amount <= most:
            raise OptionError(
                f"a bet size of the kind {self.kind!r} is from {least:g} to {most:g}, got {quoted(self.amount)}"
            )

    def __str__(self) -> str:
        match self.kind:
            case "pot":
                return f"{100 * self.amount:.6g}%"
            case "chips":
                return f"{self.amount:.12g}c"
            case "times":
                return f"{self.amount:.12g}x"
            case "geometric":
                return f"{self.amount:.0f}e" if self.amount else "e"
            case _:
                return "all-in"

    def __repr__(self) -> str:
        return f"Size({str(self)!r})"


def read_size(given: object) -> Size:
    """The size of a number (a share of the pot) or of a text."""
    if isinstance(given, Size):
        return given
    if isinstance(given, str) and len(given) <= MOST_TEXT:
        text = given.strip().lower()
        if ALL_IN.fullmatch(text):
            return Size("all-in")
        if streets := GEOMETRIC.fullmatch(text):
            return _geometric(given, streets[1])
        if text == "pot":
            return Size("pot", 1.0)
        for kind, pattern, unit in (
            ("pot", PERCENT, 0.01),
            ("chips", CHIPS, 1.0),
            ("times", TIMES, 1.0),
            ("pot", SHARE, 1.0),
        ):
            if found := pattern.fullmatch(text):
                return _positive(kind, next(filter(None, found.groups())), unit, given)
    elif isinstance(given, int | float) and not isinstance(given, bool):
        return _positive("pot", repr(as_number(given)), 1.0, given)
    raise OptionError(f"the bet size {quoted(given)} cannot be read: {SPELLINGS}")


def _positive(kind: str, number: str, unit: float, given: object) -> Size:
    try:
        number = number.replace(" ", "")
        if not NUMBER.fullmatch(number):
            raise ValueError
        amount = float(Fraction(number)) * unit
    except (ValueError, ZeroDivisionError, OverflowError):
        raise OptionError(f"the bet size {quoted(given)} cannot be read: {SPELLINGS}") from None
    if amount <= 0:
        raise OptionError(f"the bet size {quoted(given)} is not above 0: {SPELLINGS}")
    if kind == "pot" and amount > MOST_POTS:
        raise OptionError(
            f"the bet size {quoted(given)} is {amount:g} pots: write 50c for 50 chips, or 50% for half the pot"
        )
    if kind == "times" and amount <= 1:
        raise OptionError(f"the bet size {quoted(given)} does not raise: a raise is to more than 1x the bet faced")
    least, most = LIMITS[kind]
    if not least <= amount <= most:
        raise OptionError(f"the bet size {quoted(given)} is {amount:g} {kind}: it must be from {least:g} to {most:g}")
    return Size(kind, amount)


def _geometric(given: str, streets: str | None) -> Size:
    if streets and streets not in ("1", "2", "3", "4"):
        raise OptionError(f"the bet size {quoted(given)} is spread over {streets[:9]} streets: write e, or 1e to 4e")
    return Size("geometric", float(streets or 0))


SizeList = str | float | Size | Sequence[str | float | Size]
"""What a user may write for a list of sizes: "33% 75%", 0.5, ("33%", "all-in"), () for none."""


def read_list(given: SizeList) -> tuple[Size, ...]:
    """A list of sizes, from a single size, from a sequence, or from a text separated by spaces or commas.

    >>> read_list("1/3 pot, 75% all-in"), read_list("none")
    ((Size('33.3333%'), Size('75%'), Size('all-in')), ())
    """
    if isinstance(given, str):
        _need_short(given)
        text = re.sub(r"\s+((?:of\s+the\s+)?pots?|chips?|times|x|c)\b", r"\1", given.strip().lower())
        text = re.sub(r"\ball\s+in\b", "all-in", re.sub(r"=\s+", "=", text))
        words = [] if text in ("none", "no") else [word for word in re.split(r"[\s,;]+", text) if word]
        return tuple(map(read_size, _need_few(words)))
    if isinstance(given, Sequence):
        return tuple(map(read_size, _need_few(given)))
    return (read_size(given),)


def _need_short(text: str) -> None:
    if len(text) > MOST_TEXT:
        raise OptionError(f"a text with bet sizes has at most {MOST_TEXT:,} characters, got {len(text):,}")


def _need_few(sizes: Sequence[str | float | Size]) -> Sequence[str | float | Size]:
    if len(sizes) > MOST_SIZES:
        raise OptionError(f"a list has at most {MOST_SIZES} bet sizes, got {len(sizes):,}")
    return sizes


@dataclass(frozen=True, init=False)
class Sizes:
    """The sizes that a player may choose from on a street, besides fold, check and call.

    `donks` are the sizes for a bet into the player who bet last on the street before: None for the same as `bets`, ()
    for no such bet.

    >>> Sizes(bets="50% 100%", raises=("3x", "all-in"))
    Sizes(bets='50% 100%', raises='3x all-in')
    >>> Sizes.read("bet 50% 100%, raise 3x all-in") == Sizes(bets="50% 100%", raises=("3x", "all-in"))
    True
    """

    bets: tuple[Size, ...]
    raises: tuple[Size, ...]
    donks: tuple[Size, ...] | None

    def __init__(
        self, bets: SizeList = ("33%", "75%"), raises: SizeList = "2.5x", donks: SizeList | None = None
    ) -> None:
        object.__setattr__(self, "bets", read_list(bets))
        object.__setattr__(self, "raises", read_list(raises))
        object.__setattr__(self, "donks", None if donks is None else read_list(donks))
        for size in (*self.bets, *(self.donks or ())):
            if size.kind == "times":
                raise OptionError(f"the size {str(size)!r} multiplies the bet faced, and a bet faces none: {SPELLINGS}")

    @classmethod
    def read(cls, given: Sizes | str | Mapping[str, SizeList]) -> Sizes:
        """The sizes in a text, "bet 33% 75%, raise 2.5x, donk none", or in a mapping with those keys."""
        if isinstance(given, Sizes):
            return given
        if isinstance(given, str):
            _need_short(given)
            lead, *parts = re.split(r"\b(bet|raise|donk)s?\b\s*:?", given.lower())
            if lead.strip() or not parts:
                raise OptionError(
                    f"the sizes {quoted(given)} do not say whether they are for bets or raises: "
                    f"write 'bet 33% 75%, raise 2.5x'"
                )
            lists: Mapping[str, SizeList] = {
                word: sizes.strip(" ,;\n") for word, sizes in zip(parts[::2], parts[1::2], strict=True)
            }
        elif isinstance(given, Mapping):
            lists = {str(key).removesuffix("s"): sizes for key, sizes in given.items()}
        else:
            raise OptionError(f"sizes are Sizes(bets=…, raises=…) or 'bet 33% 75%, raise 2.5x', got {quoted(given)}")
        for key in lists:
            if key not in ("bet", "raise", "donk"):
                raise OptionError(f"there are no sizes for {quoted(key)}: {suggest(key, ('bet', 'raise', 'donk'))}")
        return cls(**{f"{key}s": sizes for key, sizes in lists.items()})

    def __repr__(self) -> str:
        lists = {"bets": self.bets, "raises": self.raises, "donks": self.donks}
        texts = (f"{key}={' '.join(map(str, sizes))!r}" for key, sizes in lists.items() if sizes is not None)
        return f"Sizes({', '.join(texts)})"


OneSizes = Sizes | str | Mapping[str, SizeList]
SizesLike = OneSizes | Sequence[OneSizes | tuple[OneSizes, OneSizes]]
"""Sizes for all streets, or for each street; there, one for both players or a pair for player 0 and player 1."""

SizesByStreet = tuple[tuple[Sizes, Sizes], ...]
"""The sizes of each player on each street. [streets][2]"""


def read_sizes_by_street(given: SizesLike, streets: int) -> SizesByStreet:
    """The sizes of each street and player, from those for all streets or from a sequence with one for each street."""
    if isinstance(given, Sizes | str | Mapping) or not isinstance(given, Sequence):
        sizes = Sizes.read(given)
        return ((sizes, sizes),) * streets
    if len(given) != streets:
        raise OptionError(
            f"sizes are needed once for all streets or for each of the {streets}, got {len(given)} of them"
        )
    return tuple(_both_players(sizes) for sizes in given)


def _both_players(given: OneSizes | tuple[OneSizes, OneSizes]) -> tuple[Sizes, Sizes]:
    if isinstance(given, Sizes | str | Mapping) or not isinstance(given, Sequence):
        return (Sizes.read(given),) * 2
    if len(given) != 2:
        raise OptionError(f"the sizes of a street are for both players, or a pair of them, got {quoted(given)}")
    return Sizes.read(given[0]), Sizes.read(given[1])
