"""Tables in HTML, which notebooks show for the last line of a cell.

An object offers one through `_repr_html_`. All text is escaped: labels of a game may hold any characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

__all__ = ["MOST_ROWS", "cell_text", "facts_table", "html_table", "shortened_table"]

MOST_ROWS = 30
"""Rows of a table that a notebook shows; a note below says how many more there are."""

NUMBER_STYLE = "text-align: right; font-variant-numeric: tabular-nums"


def html_table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, caption: str = "", note: str = "") -> str:
    """A table with a header line; numbers are aligned right.

    >>> html_table(["action", "probability"], [["bet", 0.25]])[:77]
    '<table><thead><tr><th>action</th><th>probability</th></tr></thead><tbody><tr>'
    """
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def facts_table(caption: str, facts: Iterable[tuple[str, Any]]) -> str:
    """A table of names and values, without a header line."""
    body = "".join(f"<tr><th style='text-align: left'>{escape(name)}</th>{_cell(value)}</tr>" for name, value in facts)
    return f"<table><caption>{escape(caption)}</caption><tbody>{body}</tbody></table>"


def shortened_table(header: Sequence[str], rows: Iterable[Sequence[Any]], total: int, what: str, caption: str) -> str:
    """A table of the first `MOST_ROWS` rows; where `total` is larger, a note says how many are missing."""
    missing = total - MOST_ROWS
    note = f"… and {missing:,} more {what}" if missing > 0 else ""
    kept = [row for row, _ in zip(rows, range(MOST_ROWS), strict=False)]
    return html_table(header, kept, caption=caption, note=note)


def cell_text(value: Any) -> str:
    """A value as the text of a cell: whole numbers with commas, others with six digits.

    >>> cell_text(12345), cell_text(0.123456789), cell_text("K"), cell_text(float("nan"))
    ('12,345', '0.123457', 'K', 'unknown')
    """
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{int(value):,}"
    if isinstance(value, float | np.floating):
        return "unknown" if np.isnan(value) else f"{float(value):.6g}"
    return str(value)


def _cell(value: Any) -> str:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    style = f" style='{NUMBER_STYLE}'" if number else ""
    return f"<td{style}>{escape(cell_text(value))}</td>"
