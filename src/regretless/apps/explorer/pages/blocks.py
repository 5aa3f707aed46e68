"""Building blocks of the pages: fields, figures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import htpy as h

from regretless.apps.explorer.pages.drawing import meter
from regretless.apps.views.number_format import percent

__all__ = [
    "Column",
    "choice_field",
    "figures",
    "head_row",
    "hidden",
    "post_form",
    "share_cell",
    "text_field",
    "which_field",
    "wide_table",
]

Column = str | tuple[str, str] | tuple[str, str, str]
"""The head of a column: its name, its classes, and a longer explanation that is shown on hover."""


def choice_field(
    label: str, name: str, options: Sequence[tuple[str, str]], chosen: str, submit: bool = True
) -> h.Element:
    """A list of (value, text); with `submit`, a choice sends the form."""
    items = [h.option(value=value, selected=value == chosen)[text] for value, text in options]
    return h.label[h.span[label], h.select(name=name, data_submit="true" if submit else None)[items]]


def which_field(which: str) -> h.Element:
    """The average strategy, or the last iterate."""
    return choice_field("Strategy", "which", [("average", "average (converges)"), ("current", "last iterate")], which)


def text_field(label: str, name: str, value: str = "", **attributes: Any) -> h.Element:
    """A line of text."""
    return h.label[h.span[label], h.input(name=name, value=value, **attributes)]


def hidden(**values: Any) -> list[h.VoidElement]:
    """Hidden fields; those without a value are left out."""
    given = {name: value for name, value in values.items() if value is not None}
    return [h.input(type="hidden", name=name, value=value) for name, value in given.items()]


def post_form(action: str, *content: h.Node, css: str = "", **attributes: Any) -> h.Element:
    """A form that changes something."""
    return h.form(class_=css or None, method="post", action=action, **attributes)[content]


def figures(pairs: Sequence[tuple[str, str]], css: str = "", **attributes: Any) -> h.Element:
    """A few large numbers with their names."""
    return h.dl(class_=f"figures {css}".strip(), **attributes)[
        [h.div[h.dt[name], h.dd[figure]] for name, figure in pairs]
    ]


def head_row(*columns: Column) -> h.Element:
    """The head of a table."""
    cells = []
    for column in columns:
        name, css, title = (column, "", "") if isinstance(column, str) else (*column, "")[:3]
        cells.append(h.th(class_=css or None, scope="col", title=title or None)[name])
    return h.thead[h.tr[cells]]


def wide_table(head: h.Element, *bodies: h.Node, css: str = "") -> h.Element:
    """A table that scrolls sideways if it is too wide."""
    return h.div(".wide-table")[h.table(class_=css or None)[head, bodies]]


def share_cell(share: float, colour: str, text: str = "", *, span: int | None = None, exact: bool = False) -> h.Element:
    """A number with a bar; with `exact`, the unrounded number is in an attribute for programs."""
    figure = h.span(".figure", data_probability=repr(share) if exact else None)[text or percent(share)]
    return h.td(".share", rowspan=span)[figure, meter(share, colour)]
