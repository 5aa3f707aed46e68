"""The report of `check_game`: problems to mend, notes that are good to know, and the size of the game."""

from __future__ import annotations

from dataclasses import dataclass

from regretless.errors import GameError
from regretless.linter.estimate import Estimate

__all__ = ["Finding", "Report"]


@dataclass(frozen=True)
class Finding:
    """One broken rule."""

    kind: str
    """The rule in a few words, the same for all problems of the kind: "different actions", "cycle", …"""
    message: str
    """A sentence: where, what was found, how to mend it."""
    history: str
    """The moves that lead there, as a user reads them."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


@dataclass(frozen=True)
class Report:
    """What `check_game` found; `str(report)` is the text that the command line prints."""

    game: str
    problems: tuple[Finding, ...]
    notes: tuple[str, ...]
    """No errors, but good to know: imperfect recall, payoffs that do not sum to zero, a build that will not fit, …"""
    estimate: Estimate | None
    """The size of the game: counted when `exact`, else guessed; None where the game is broken."""
    exact: bool
    """Whether every history of the game was visited."""
    players: int
    histories: int
    """How many histories were visited, and how many of them were terminal, a player's or chance's."""
    terminals: int
    decisions: int
    chances: int
    infosets: int
    depth: int
    """Moves in the longest history that was visited."""
    perfect_recall: bool
    zero_sum: bool

    @property
    def ok(self) -> bool:
        """Whether no rule is broken. Building the game in sequence form also needs `perfect_recall`."""
        return not self.problems

    def raise_if_broken(self) -> None:
        """Raises the first problem as a `GameError`; does nothing for a sound game."""
        if self.problems:
            more = f" ({len(self.problems) - 1} more found)" if len(self.problems) > 1 else ""
            raise GameError(f"{self.game}: {self.problems[0]}{more}")

    def __str__(self) -> str:
        return "\n".join([self._headline(), *self._size_lines(), *self._problem_lines(), *self._note_lines()])

    def _headline(self) -> str:
        count = len(self.problems)
        if count == 0:
            return f"{self.game}: no problem found"
        return f"{self.game}: {count} problem{'s' if count > 1 else ''}"

    def _size_lines(self) -> list[str]:
        looked = (
            f"  looked at {self.histories:,} histories: {self.terminals:,} terminal,"
            f" {self.decisions:,} decisions in {self.infosets:,} infosets, {self.chances:,} chance;"
            f" depth {self.depth}"
        )
        if self.exact:
            return [looked + " (all there are)", f"  {self.estimate}"]
        if self.estimate is None:
            return [looked]
        return [looked + " (a sample: mistakes may hide elsewhere)", f"  {self.estimate}"]

    def _problem_lines(self) -> list[str]:
        return [f"  {number}. {problem}" for number, problem in enumerate(self.problems, 1)]

    def _note_lines(self) -> list[str]:
        return [f"  note: {note}" for note in self.notes]
