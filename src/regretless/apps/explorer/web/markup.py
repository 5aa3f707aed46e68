"""HTML that cannot be broken by what it shows: text is escaped unless it was made here.

An element is made by `tag("td", "text", css="number")`. Children are text, which is escaped, or `Markup`, which is
what `tag` returns; attributes are escaped as well. Nothing else in the explorer writes an angle bracket.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

__all__ = ["EMPTY", "Markup", "join", "link", "query", "tag"]

VOID = frozenset({"input", "br", "hr", "meta", "link", "img"})
"""Elements that have no end."""


class Markup(str):
    """A piece of HTML that has been put together safely."""

    __slots__ = ()


EMPTY = Markup()

Child = str | int | float | None | Iterable["Child"]


def join(*children: Child) -> Markup:
    """Children one after the other; text is escaped, lists are taken apart, None is left out."""
    return Markup("".join(_written(child) for child in children))


def _written(child: Child) -> str:
    if isinstance(child, Markup):
        return child
    if child is None:
        return ""
    if isinstance(child, str):
        return html.escape(child)
    if isinstance(child, int | float):
        return html.escape(str(child))
    return "".join(_written(part) for part in child)


def tag(name: str, /, *children: Child, css: str = "", **attributes: Any) -> Markup:
    """An element. `css` are its classes; underscores in names of attributes become dashes, a trailing one is dropped.

    >>> str(tag("p", "a < b", tag("br"), css="note", data_run=1, hidden=True, title=None))
    '<p class="note" data-run="1" hidden>a &lt; b<br></p>'
    """
    written = [name]
    if css:
        written.append(f'class="{html.escape(css)}"')
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        spelled = key.rstrip("_").replace("_", "-")
        written.append(spelled if value is True else f'{spelled}="{html.escape(str(value))}"')
    opened = f"<{' '.join(written)}>"
    return Markup(opened if name in VOID else f"{opened}{join(*children)}</{name}>")


def query(path: str, /, **values: Any) -> str:
    """An address with its query; values that are None or empty are left out."""
    kept = {key: value for key, value in values.items() if value not in (None, "")}
    return f"{path}?{urlencode(kept, doseq=True)}" if kept else path


def link(text: Child, path: str, /, css: str = "", **values: Any) -> Markup:
    """A link to a page of ours."""
    return tag("a", text, css=css, href=query(path, **values))
