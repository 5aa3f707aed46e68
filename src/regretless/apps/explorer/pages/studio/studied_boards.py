"""Which boards of hold'em a page has read, and a link to all of them."""

from __future__ import annotations

from collections.abc import Mapping

import htpy as h

from regretless.apps.explorer.pages.drawing import draw_cards
from regretless.apps.explorer.pages.layout import url

__all__ = ["boards_read"]


def boards_read(
    path: str, may_read_all: bool, everything: bool, board: str | None, here: Mapping[str, object]
) -> h.Element:
    """The first street, one board, or all boards; `here` are the other choices of the page."""
    plain = {name: value for name, value in here.items() if name != "board"}
    if everything and may_read_all:
        return h.p(".facts")[h.span["All boards."], " ", h.a(href=url(path, **plain))["First street only"]]
    shown: list[h.Node] = (
        [h.span["On the board "], draw_cards(board, small=True)] if board else ["On the first street."]
    )
    first = h.a(href=url(path, **plain))["First street"] if board else None
    return h.p(".facts")[
        shown, " ", first, " ", h.a(href=url(path, **plain, all=1))["All boards"] if may_read_all else None
    ]
