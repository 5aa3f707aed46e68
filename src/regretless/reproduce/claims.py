"""What a row of `regretless reproduce` consists of: a published claim, and the function that measures ours.

The published number and its tolerance are constants. Our number is always computed, or read from a file that a long
run has written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

__all__ = ["Claim", "Expected", "Job", "Line", "Measured", "Picture", "Source"]

Item = TypeVar("Item")
Relation = Literal["=", "≤", "≥"]


@dataclass(frozen=True)
class Source:
    """A document or paper."""

    short: str
    """As tables cite it: "Tammelin 2014"."""
    full: str


@dataclass(frozen=True)
class Expected:
    """One published number and when ours agrees with it."""

    name: str
    number: float
    relation: Relation = "="
    tolerance: float = 0.0
    """How far ours may be from an equal number, in the unit of the number."""
    quick_tolerance: float | None = None
    """The same for the small version; None means the same tolerance."""
    printed: str = ""
    """As the source prints it, such as "−7/258" or "an order of magnitude"."""
    differs: str = ""
    """Why our number does not agree, in a sentence. Empty where it agrees."""

    def agrees(self, ours: float, *, quick: bool = False) -> bool:
        """Whether our number agrees with the published one."""
        if self.relation == "≤":
            return ours <= self.number + self.tolerance
        if self.relation == "≥":
            return ours >= self.number - self.tolerance
        allowed = self.quick_tolerance if quick and self.quick_tolerance is not None else self.tolerance
        return abs(ours - self.number) <= allowed

    @property
    def published(self) -> str:
        """The published number as text."""
        sign = "" if self.relation == "=" else f"{self.relation} "
        return self.printed or sign + f"{self.number:,.6g}".replace("-", "−")


@dataclass(frozen=True)
class Line:
    """A line of a picture."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class Picture:
    """What a row draws."""

    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    log: str = ""
    """Which axes are logarithmic: "", "x", "y" or "xy"."""


@dataclass(frozen=True)
class Measured:
    """What a row has measured, by the names of its expected numbers."""

    numbers: Mapping[str, float]
    picture: Picture | None = None


@dataclass(frozen=True)
class Job:
    """How a row is measured: in full, or the small version that CI runs; `progress` gets the name of each step."""

    quick: bool = False
    progress: Callable[[str], None] = field(default=lambda _step: None, repr=False)

    def choose(self, quick: Item, full: Item) -> Item:
        """The first argument in the small version, the second in the full one."""
        return quick if self.quick else full

    def each(self, steps: Iterable[Item]) -> Iterator[Item]:
        """The steps one by one, each reported before it begins."""
        for step in steps:
            self.progress(str(step))
            yield step


@dataclass(frozen=True)
class Claim:
    """A row: what was published where, and how the library obtains it."""

    name: str
    source: Source
    place: str
    shows: str
    """What the figure, table or example shows, in a sentence without its full stop."""
    code: str
    """What to call or type to get our number."""
    expected: tuple[Expected, ...]
    measure: Callable[[Job], Measured] | None = field(default=None, repr=False)
    """None where it has not been run: `why` says what it needs."""
    minutes: float = 0.1
    """Of the full version on two cores."""
    kept: str = ""
    """The file with the result of a long run, from the root of the repository; then `measure` reads it."""
    needs: str = ""
    """What a new run of a kept row needs: "a GPU, 10 minutes"."""
    why: str = ""
    """Where we differ or have not run it: why."""
    page: str = ""
    """The page of docs/ with a picture or more about it, from docs/results."""
