"""Liar Die's strategy as the literature prints it: what to claim with a roll, and when to doubt.

The tables are those of Neller & Lanctot, "An Introduction to Counterfactual Regret Minimization" (2013), §5.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from regretless.errors import OptionError
from regretless.games.liar_die import LiarDie

__all__ = ["liar_die_tables"]


def liar_die_tables(strategy: Mapping[Hashable, Mapping[Hashable, float]], game: LiarDie) -> str:
    """What to claim, by accepted claim and roll, and the probability to doubt, by accepted and new claim; in percent.

    `game` remembers two claims: LiarDie(sides, recall=2).

    >>> import regretless as rg
    >>> game = rg.games.LiarDie(sides=3, recall=2)
    >>> run = rg.solve(game, rg.FSICFR(variant=rg.PCFR_PLUS), iterations=5_000)
    >>> print(liar_die_tables(run.strategy, game))
    claim (%)            1    2    3
    first      roll 1   50   50    0
               roll 2    0  100    0
               roll 3    0    0  100
    after 1    roll 1       100    0
               roll 2       100    0
               roll 3         0  100
    after 2    roll 1            100
               roll 2            100
               roll 3            100
    <BLANKLINE>
    doubt (%)            1    2    3
    first                0   50  100
    after 1                 100  100
    after 2                      100
    """
    if not isinstance(game, LiarDie) or game.recall != 2:
        raise OptionError(f"the tables are those of LiarDie(sides, recall=2), got {game!r}")
    faces = range(1, game.sides + 1)
    rows: list[list[str]] = [["claim (%)", "", *map(str, faces)]]
    for accepted in range(game.sides):
        for roll in faces:
            given = strategy[f"{accepted} {roll}/?" if accepted else f"{roll}/?"]
            shown = [percent(given[str(claim)]) if claim > accepted else "" for claim in faces]
            first = f"after {accepted}" if accepted else "first"
            rows.append([first if roll == 1 else "", f"roll {roll}", *shown])
    rows += [[], ["doubt (%)", "", *map(str, faces)]]
    for accepted in range(game.sides):
        answers = [strategy[f"{accepted} {claim}?" if accepted else f"{claim}?"] for claim in faces if claim > accepted]
        doubts = [percent(given["doubt"]) for given in answers]
        rows.append([f"after {accepted}" if accepted else "first", "", *[""] * accepted, *doubts])
    return "\n".join(open_problem(rows))


def percent(probability: float) -> str:
    """A whole number of percent."""
    return f"{100 * probability:.0f}"


def open_problem(rows: Sequence[Sequence[str]]) -> list[str]:
    """Cells in columns: words to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows if len(row) > i) for i in range(max(map(len, rows)))]
    lines = []
    for row in rows:
        cells = [cell.rjust(max(w, 3)) for cell, w in zip(row[2:], widths[2:], strict=False)]
        cells = [cell.ljust(w) for cell, w in zip(row[:2], widths, strict=False)] + cells
        lines.append("  ".join(cells).rstrip())
    return lines
