"""Spellings of bet sizes, and the sizes that are offered: for bets, for raises, and for leads into the last aggressor.

"50%" "1/2 pot" 0.5    a share of the pot; for a raise, of the pot after calling, on top of the call
"120c" "=120"          chips: bet 120, raise to 120
"2.5x"                 a raise to so many times the bet faced
"e" "2e"               geometric: the share that gets all chips in over the streets left, or over 2 streets
"all-in"
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from regretless.errors import OptionError, suggest

__all__ = ["Menu", "Size", "Sizes", "SizesLike", "read_menu", "read_size", "spell_chips"]

MOST_POTS = 20
"""The largest bet in pots; above it a plain number was surely meant as chips or as per cent."""

ALL_IN = re.compile(r"a|all[ _-]?in|jam|shove|push")
GEOMETRIC = re.compile(r"(\d*)\s*e|geometric")
CHIPS = re.compile(r"=\s*(.+)|(.+?)\s*(?:c|chips?)")
TIMES = re.compile(r"(.+?)\s*(?:x|times)")
PERCENT = re.compile(r"(.+?)\s*%(?:\s*(?:of the )?pot)?")
SHARE = re.compile(r"(.+?)\s*(?:of the )?pots?|(\d*\.\d+|\d+\s*/\s*\d+)")
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
    amount: float = 0.0  # pots, chips, times the bet faced, or streets (0: those left); nothing for all-in

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
    """The size that a number (a share of the pot) or a text spells."""
    if isinstance(given, Size):
        return given
    if isinstance(given, str):
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
        return _positive("pot", repr(float(given)), 1.0, given)
    raise OptionError(f"the bet size {given!r} cannot be read: {SPELLINGS}")


def _positive(kind: str, number: str, unit: float, given: object) -> Size:
    try:
        amount = float(Fraction(number.replace(" ", ""))) * unit
    except (ValueError, ZeroDivisionError, OverflowError):
        raise OptionError(f"the bet size {given!r} cannot be read: {SPELLINGS}") from None
    if amount <= 0:
        raise OptionError(f"the bet size {given!r} is not above 0: {SPELLINGS}")
    if kind == "pot" and amount > MOST_POTS:
        raise OptionError(f"the bet size {given!r} is {amount:g} pots: write 50c for 50 chips, or 50% for half the pot")
    if kind == "times" and amount <= 1:
        raise OptionError(f"the bet size {given!r} does not raise: a raise is to more than 1x the bet faced")
    return Size(kind, amount)


def _geometric(given: str, streets: str | None) -> Size:
    if streets and not 1 <= int(streets) <= 4:
        raise OptionError(f"the bet size {given!r} is spread over {streets} streets: write e, or 1e to 4e")
    return Size("geometric", float(streets or 0))


SizeList = str | float | Size | Sequence[str | float | Size]
"""What a user may write for a list of sizes: "33% 75%", 0.5, ("33%", "all-in"), () for none."""


def read_list(given: SizeList) -> tuple[Size, ...]:
    """Some sizes, from one of them, from a sequence, or from a text with spaces or commas between.

    >>> read_list("1/3 pot, 75% all-in"), read_list("none")
    ((Size('33.3333%'), Size('75%'), Size('all-in')), ())
    """
    if isinstance(given, str):
        text = re.sub(r"\s+((?:of\s+the\s+)?pots?|chips?|times|x|c)\b", r"\1", given.strip().lower())
        text = re.sub(r"\ball\s+in\b", "all-in", re.sub(r"=\s+", "=", text))
        return (
            () if text in ("none", "no", "") else tuple(read_size(word) for word in re.split(r"[\s,;]+", text) if word)
        )
    if isinstance(given, Sequence):
        return tuple(read_size(size) for size in given)
    return (read_size(given),)


@dataclass(frozen=True, init=False)
class Sizes:
    """The sizes a player may choose from on a street, besides fold, check and call.

    `donks` are for leading into the player who bet last on the street before: None for the same as `bets`, () for
    always checking.

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
            lead, *parts = re.split(r"\b(bet|raise|donk)s?\b\s*:?", given.lower())
            if lead.strip() or not parts:
                raise OptionError(f"the sizes {given!r} do not say what for: write 'bet 33% 75%, raise 2.5x'")
            lists: Mapping[str, SizeList] = {
                word: sizes.strip(" ,;\n") for word, sizes in zip(parts[::2], parts[1::2], strict=True)
            }
        elif isinstance(given, Mapping):
            lists = {str(key).removesuffix("s"): sizes for key, sizes in given.items()}
        else:
            raise OptionError(f"sizes are Sizes(bets=…, raises=…) or 'bet 33% 75%, raise 2.5x', got {given!r}")
        for key in lists:
            if key not in ("bet", "raise", "donk"):
                raise OptionError(f"there are no sizes for {key!r}: {suggest(key, ('bet', 'raise', 'donk'))}")
        return cls(**{f"{key}s": sizes for key, sizes in lists.items()})

    def __repr__(self) -> str:
        lists = {"bets": self.bets, "raises": self.raises, "donks": self.donks}
        texts = (f"{key}={' '.join(map(str, sizes))!r}" for key, sizes in lists.items() if sizes is not None)
        return f"Sizes({', '.join(texts)})"


OneSizes = Sizes | str | Mapping[str, SizeList]
SizesLike = OneSizes | Sequence[OneSizes | tuple[OneSizes, OneSizes]]
"""Sizes for all streets, or for each street; there, one for both players or a pair for player 0 and player 1."""

Menu = tuple[tuple[Sizes, Sizes], ...]
"""The sizes of each player on each street. [streets][2]"""


def read_menu(given: SizesLike, streets: int) -> Menu:
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
        raise OptionError(f"a street's sizes are for both players, or a pair of them, got {given!r}")
    return Sizes.read(given[0]), Sizes.read(given[1])
