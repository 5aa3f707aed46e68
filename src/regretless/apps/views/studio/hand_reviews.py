"""Hands that were pasted into a page, reviewed in the background."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from regretless.errors import OptionError, RegretlessError

if TYPE_CHECKING:
    from regretless.apps.views.library import Entry, Library
    from regretless.poker.reviewing.hand_sources import HandSource
    from regretless.poker.reviewing.review import Review, ReviewedDecision

__all__ = ["LARGEST_TEXT", "MOST_HANDS", "ORDERS", "HandReview", "ReviewRequest", "ordered", "solutions_in"]

LARGEST_TEXT = 4_000_000
"""Characters of the longest text of hands that a page reviews."""
MOST_HANDS = 2_000
"""Hands of a text that a page reviews; the command line has no such limit."""

SOLVED = ("holdem", "buckets")
"""Kinds of runs that hands are looked up in."""

ONE_AT_A_TIME = threading.Lock()
"""Reviews wait for each other, so that several tabs do not take all processors."""

ORDERS: Mapping[str, Callable[[ReviewedDecision], Any]] = {
    "loss": lambda one: (one.loss is None, -(one.loss or 0.0)),
    "share": lambda one: (one.share is None, -(one.share or 0.0)),
    "probability": lambda one: one.probability,
    "hand": lambda one: one.hand,
}
"""By what decisions can be sorted."""


@dataclass(frozen=True)
class ReviewRequest:
    """What is reviewed: the hands as text, and how."""

    text: str
    name: str = "the text"
    """The name of the file, for messages."""
    run: int | None = None
    """The run in which hands are looked up; None for all runs of hold'em."""
    exact: bool = False
    """Whether hands with bets that the solution does not have are left out."""


class HandReview:
    """A review that goes on in the background; `state` says how far it is."""

    def __init__(self, request: ReviewRequest, library: Library) -> None:
        from regretless.poker.reviewing.hand_sources import read_hands

        if not request.text.strip():
            raise OptionError("there are no hands: paste them, or open a file")
        if len(request.text) > LARGEST_TEXT:
            raise OptionError(
                f"the text has {len(request.text):,} characters, and a page reviews {LARGEST_TEXT:,} at most: "
                "regretless review reads larger files"
            )
        self.request, self.library = request, library
        self.entries = solutions_in(library, request.run)
        self.state, self.problem = "waiting for another review", ""
        self.result: Review | None = None
        self.cut = False  # whether there are more hands than are reviewed
        self.stopped = threading.Event()
        self._hands = read_hands(request.text, request.name)
        self._worker = threading.Thread(target=self._run, daemon=True)

    @property
    def running(self) -> bool:
        """Whether the result is still to come."""
        return self._worker.is_alive()

    def start(self) -> HandReview:
        """Begin in the background."""
        self._worker.start()
        return self

    def wait(self, seconds: float) -> None:
        """Wait for the end, but not longer than some seconds: short reviews are shown at once."""
        self._worker.join(seconds)

    def stop(self) -> None:
        """End the review; what was reviewed until then is kept."""
        self.stopped.set()

    def _run(self) -> None:
        try:
            with ONE_AT_A_TIME:
                self.result = self._reviewed()
        except RegretlessError as error:
            self.problem = self.library.hide_folders(str(error))
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self.problem = "something went wrong; the terminal shows the details"

    def _reviewed(self) -> Review:
        from regretless.poker.reviewing.review import review_hands

        return review_hands(self._counted(), self._solutions(), nearest=not self.request.exact)

    def _solutions(self) -> dict[str, Any]:
        """The strategies by the names of their runs."""
        found: dict[str, Any] = {}
        for number, entry in enumerate(self.entries):
            self.state = f"opening run {number + 1:,} of {len(self.entries):,}"
            if self.stopped.is_set():
                break
            found[entry.name] = self.library.load(entry.number).stored_strategy("average")
        return found

    def _counted(self) -> Iterator[HandSource]:
        """The hands, while `state` counts them."""
        for number, hand in enumerate(islice(self._hands, MOST_HANDS)):
            self.state = f"reviewing hand {number + 1:,}"
            if self.stopped.is_set():
                return
            yield hand
        self.cut = next(self._hands, None) is not None


def solutions_in(library: Library, run: int | None) -> list[Entry]:
    """The runs in which hands are looked up: the given one, or all of hold'em that can be read."""
    if run is not None:
        entry = library.entry(run)
        if entry.header().kind not in SOLVED:
            raise OptionError(f"hands are reviewed with a run of hold'em, and {entry.name} is of another game")
        return [entry]
    readable = [entry for entry in library.entries() if entry.header().kind in SOLVED]
    # A run by buckets needs its game, which only --game names.
    found = [entry for entry in readable if entry.header().kind == "holdem" or entry.game or library.game_given]
    if not found:
        raise OptionError("there is no run of hold'em to review hands with: solve a spot first")
    return found


def ordered(result: Review, order: str, player: str = "") -> list[ReviewedDecision]:
    """The decisions of one player, or of all, in an order of `ORDERS`."""
    chosen = [one for one in result.decisions if player in ("", one.player)]
    return sorted(chosen, key=ORDERS[order])
