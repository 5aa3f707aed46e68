"""Infosets of a game that was not listed: a table may hold millions, so only those are named that are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from regretless.apps.explorer.pages.layout import pager
from regretless.apps.explorer.web.markup import Markup, tag
from regretless.apps.explorer.web.requests import Request
from regretless.apps.views.infoset_measures import ActionRow, InfosetRow
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.apps.views.loaded_run import Opened

__all__ = ["met_list"]

PAGE = 50
MOST_FOUND = 200
"""Infosets that a search names at most."""


def met_list(opened: Opened, strategy: Any, search: str, request: Request, kept: Mapping[str, Any]) -> Markup:
    """The infosets that the solve has met most often, or those that a search finds among them."""
    from regretless.apps.commands.show.infoset_tables import choose_met, most_met, named
    from regretless.apps.explorer.pages.infosets import infoset_table

    first = request.number("first", 0) or 0
    if search:
        text = search if "*" in search else f"*{search}*"
        try:
            shown = choose_met(strategy, [text], None, MOST_FOUND).rows
        except OptionError as error:
            return tag("p", str(error), css="note")
        total = len(shown)
        shown = shown[first : first + PAGE]
    else:
        order = most_met(strategy)
        total = len(order)
        shown = list(named(strategy, order[first : first + PAGE]))
    rows = [
        InfosetRow(number, row.player, row.name, tuple(ActionRow(a, p) for a, p in row.probabilities.items()))
        for number, row in enumerate(shown, first)
    ]
    return tag(
        "div",
        tag("p", f"{len(strategy):,} infosets met, the most often met first.", css="facts"),
        pager("/strategy", total, first, PAGE, **kept, search=search),
        infoset_table(rows, opened) if rows else None,
        id="found",
    )
