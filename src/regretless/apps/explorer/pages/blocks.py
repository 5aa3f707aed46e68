"""Building blocks of the pages: fields, figures and tables, each written once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regretless.apps.explorer.web.drawing import meter
from regretless.apps.explorer.web.markup import Child, Markup, tag
from regretless.apps.views.number_format import percent

__all__ = [
    "choice_field",
    "figures",
    "head_row",
    "hidden",
    "patch",
    "post_form",
    "share_cell",
    "text_field",
    "which_field",
    "wide_table",
]

Column = str | tuple[str, str] | tuple[str, str, str]
"""The head of a column: its name, its classes, and what is shown to whoever points at it."""


def choice_field(label: str, name: str, options: Sequence[tuple[str, str]], chosen: str, submit: bool = True) -> Markup:
    """A list of (value, text) to choose from; with `submit`, choosing is enough."""
    items = [tag("option", text, value=value, selected=value == chosen) for value, text in options]
    return tag("label", tag("span", label), tag("select", items, name=name, data_submit="true" if submit else None))


def which_field(which: str) -> Markup:
    """The average strategy, or the last iterate."""
    return choice_field("Strategy", "which", [("average", "average (converges)"), ("current", "last iterate")], which)


def text_field(label: str, name: str, value: str = "", **attributes: Any) -> Markup:
    """A line of text."""
    return tag("label", tag("span", label), tag("input", name=name, value=value, **attributes))


def hidden(**values: Any) -> list[Markup]:
    """Fields that nobody sees; those without a value are left out."""
    return [tag("input", type="hidden", name=name, value=value) for name, value in values.items() if value is not None]


def post_form(action: str, *content: Child, **attributes: Any) -> Markup:
    """A form that changes something."""
    return tag("form", *content, method="post", action=action, **attributes)


def figures(pairs: Sequence[tuple[str, str]], css: str = "", **attributes: Any) -> Markup:
    """A few large numbers with their names."""
    cells = [tag("div", tag("dt", name), tag("dd", figure)) for name, figure in pairs]
    return tag("dl", cells, css=f"figures {css}".strip(), **attributes)


def head_row(*columns: Column) -> Markup:
    """The head of a table."""
    cells = []
    for column in columns:
        name, css, title = (column, "", "") if isinstance(column, str) else (*column, "")[:3]
        cells.append(tag("th", name, css=css, scope="col", title=title or None))
    return tag("thead", tag("tr", cells))


def wide_table(head: Markup, *bodies: Child, css: str = "") -> Markup:
    """A table that scrolls sideways where it does not fit."""
    return tag("div", tag("table", head, *bodies, css=css), css="wide-table")


def share_cell(share: float, colour: str, text: str = "", *, span: int | None = None, exact: bool = False) -> Markup:
    """A number with a bar behind it; `exact` leaves the whole number for whoever reads the page by machine."""
    figure = tag("span", text or percent(share), css="figure", data_probability=repr(share) if exact else None)
    return tag("td", figure, meter(share, colour), css="share", rowspan=span)


def patch(colour: str) -> Markup:
    """A square of a colour."""
    square = tag("rect", width=10, height=10, css=colour)
    return tag("svg", square, css="patch", viewBox="0 0 10 10", aria_hidden="true")
