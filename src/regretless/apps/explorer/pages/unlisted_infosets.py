"""Infosets of a game that was not listed. A table may hold millions, so labels are made only for those on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import htpy as h

from regretless.apps.explorer.pages.infosets import infoset_table
from regretless.apps.explorer.pages.layout import pager
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.infoset_measures import ActionRow, InfosetRow
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.apps.views.loaded_run import LoadedRun

__all__ = ["visited_list"]

PAGE = 50
MOST_FOUND = 200
"""Infosets that a search shows at most."""


def visited_list(
    loaded: LoadedRun, strategy: Any, search: str, request: PageRequest, values: Mapping[str, Any]
) -> h.Element:
    """The infosets that the solve has visited most often, or those of them that match a search."""
    from regretless.apps.commands.show.infoset_tables import choose_visited, most_visited, named

    first = request.number("first", 0) or 0
    if search:
        text = search if "*" in search else f"*{search}*"
        try:
            shown = choose_visited(strategy, [text], None, MOST_FOUND).rows
        except OptionError as error:
            return h.p(".note")[str(error)]
        total = len(shown)
        shown = shown[first : first + PAGE]
    else:
        order = most_visited(strategy)
        total = len(order)
        shown = list(named(strategy, order[first : first + PAGE]))
    rows = [
        InfosetRow(number, row.player, row.name, tuple(ActionRow(a, p) for a, p in row.probabilities.items()))
        for number, row in enumerate(shown, first)
    ]
    return h.div("#found")[
        h.p(".facts")[f"{len(strategy):,} visited infosets, the most visited first."],
        pager("/strategy", total, first, PAGE, **values, search=search),
        infoset_table(rows, loaded) if rows else None,
    ]
