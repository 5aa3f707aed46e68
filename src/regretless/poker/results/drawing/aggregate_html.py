"""A report as one HTML page without other files: groups of boards, and a table of all boards that can be sorted."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING

from regretless.poker.betting.sizes import spell_chips
from regretless.poker.results.drawing.grid_pictures import node_colours, seat
from regretless.storage.atomic_files import write_atomically

if TYPE_CHECKING:
    from regretless.poker.results.aggregates import Aggregate, Group

__all__ = ["page", "write_page"]

HEADINGS = {"suits": "By suits", "pairing": "By pairs", "high": "By the highest card"}

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; margin-bottom: 1.5rem; }
th, td { border-bottom: 1px solid #8884; padding: 0.25rem 0.7rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th button { all: unset; cursor: pointer; }
.bar { background: #8882; display: inline-block; height: 0.8em; width: 8rem; }
.wide { overflow-x: auto; }
"""

SORT = """
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement, body = head.closest("table").tBodies[0];
    const at = head.cellIndex, down = head.dataset.down !== "yes";
    head.dataset.down = down ? "yes" : "no";
    const key = row => row.cells[at].dataset.value ?? row.cells[at].textContent;
    const order = (a, b) => isNaN(key(a)) || isNaN(key(b)) ? key(a).localeCompare(key(b)) : key(a) - key(b);
    body.append(...[...body.rows].sort((a, b) => down ? order(b, a) : order(a, b)));
  });
}
"""


def write_page(table: Aggregate, path: str | os.PathLike[str]) -> None:
    """Write the page to a file, atomically."""
    text = page(table)
    write_atomically(path, lambda file: file.write(text.encode()))


def page(table: Aggregate) -> str:
    """The whole page."""
    turn = f"{seat(table.game, table.player)} to act" + ("" if table.line else " first")
    parts = (table.line, turn, f"pot {spell_chips(table.pot)}", f"{len(table):,} boards")
    title = escape(" · ".join(part for part in parts if part))
    colours = [f"rgb({', '.join(str(round(255 * part)) for part in rgb)})" for rgb in node_colours(table)]
    groups = [("All boards", [table.total]), *((HEADINGS[kind], table.by(kind)) for kind in HEADINGS)]
    names = ("boards", "reach", "actions", *table.actions, "EV", "equity")
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    sections = "".join(
        f"<h2>{heading}</h2><div class='wide'><table><thead><tr>{head}</tr></thead><tbody>"
        f"{''.join(_group_row(group, colours) for group in found)}</tbody></table></div>"
        for heading, found in groups
    )
    return (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<meta name='viewport' content='width=device-width, initial-scale=1'><title>{title}</title>"
        f"<style>{STYLE}</style></head><body><h1>{title}</h1>{sections}<h2>Every board</h2>"
        f"<p>A click on a heading sorts by it.</p>{_board_table(table)}<script>{SORT}</script></body></html>\n"
    )


def _group_row(group: Group, colours: list[str]) -> str:
    shares = list(group.frequencies.values())
    end, stops = 0.0, []
    for colour, share in zip(colours, shares, strict=True):
        stops.append(f"{colour} {100 * end:.1f}% {100 * (end + share):.1f}%")
        end += share
    bar = f"<span class='bar' style='background: linear-gradient(to right, {', '.join(stops)})'></span>"
    cells = [escape(group.name), f"{group.reach:.1%}", bar if end == end else ""]
    cells += [_percent(share) for share in shares] + [_chips(group.ev), _percent(group.equity)]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _board_table(table: Aggregate) -> str:
    columns = table.columns()
    head = "".join(f"<th><button>{escape(name)}</button></th>" for name in columns)
    rows = []
    for at in range(len(table)):
        cells = []
        for name, column in columns.items():
            value = column[at]
            if column.dtype.kind != "f":
                cells.append(f"<td>{escape(str(value))}</td>")
                continue
            text = _chips(float(value)) if name.startswith("ev") else _percent(float(value))
            cells.append(f"<td data-value='{float(value):.9g}'>{text}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<div class='wide'><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"


def _percent(share: float) -> str:
    return "" if share != share else f"{share:.1%}"


def _chips(number: float) -> str:
    return "" if number != number else f"{number:+.2f}"
