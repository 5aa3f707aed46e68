"""Push or fold before the flop: an exact equilibrium for a stack, and charts of both ranges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.action_colours import ranked_colours
from regretless.apps.explorer.pages.blocks import figures, head_row, text_field, wide_table
from regretless.apps.explorer.pages.drawing import legend
from regretless.apps.explorer.pages.hand_grid import hand_grid
from regretless.apps.explorer.pages.layout import as_sentence, frame, link, url
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.number_format import chips, percent
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.poker.preflop.push_fold import PushFoldSolution
    from regretless.poker.results.grids import Grid

__all__ = ["push_fold_page"]

TITLE = "Push or fold"
STACKS = range(1, 26)
"""Big blinds that are one click away."""
DEFAULTS = {"stack": "10", "ante": "0", "small_blind": "0.5"}
LABELS = {"stack": "Stack, big blinds", "ante": "Ante, big blinds", "small_blind": "Small blind, big blinds"}


@dataclass(frozen=True)
class ChartView:
    """A grid as `hand_grid` draws it: strategies, no numbers."""

    grid: Grid
    values: None = None
    what: str = "strategy"


def push_fold_page(explorer: Explorer, request: PageRequest) -> Response:
    """The form and the charts; a form that is refused keeps what was typed."""
    text = "Heads-up, the small blind is all-in or folds, and the big blind calls or folds: solved exactly."
    begin = (h.h1[TITLE], h.p(".note")[text], _form(request))
    try:
        given = {name: _number(request, name) for name in DEFAULTS}
        solution = solved(given["stack"], given["ante"], given["small_blind"])
    except OptionError as error:
        problem = h.p(".problem", role="status")[as_sentence(str(error))]
        return frame(explorer, request, TITLE, begin, problem, status=422)
    if request.text("csv"):
        return _csv(solution)
    return frame(explorer, request, TITLE, begin, _solution(request, solution, given))


def _number(request: PageRequest, name: str) -> float:
    found = request.decimal(name)
    return float(DEFAULTS[name]) if found is None else found


@lru_cache(maxsize=128)
def solved(stack: float, ante: float, small_blind: float) -> PushFoldSolution:
    """The equilibrium; those that were shown are kept."""
    from regretless.poker.preflop.push_fold import push_fold

    return push_fold(stack, ante=ante, small_blind=small_blind)


def _form(request: PageRequest) -> h.Element:
    fields = [
        text_field(label, name, request.text(name, DEFAULTS[name])[:20], inputmode="decimal", maxlength=20, size=8)
        for name, label in LABELS.items()
    ]
    button = h.button(".primary", type="submit")["Show"]
    return h.form(".choices", method="get", action="/push-fold")[fields, button]


def _csv(solution: PushFoldSolution) -> Response:
    """A row for each class, as the command line writes it."""
    rows = solution.rows()
    lines = [",".join(rows[0]), *(",".join(str(value) for value in row.values()) for row in rows)]
    disposition = {"Content-Disposition": f'attachment; filename="push-fold-{solution.game.stack:g}.csv"'}
    return Response("\n".join(lines) + "\n", media_type="text/csv; charset=utf-8", headers=disposition)


def _solution(request: PageRequest, solution: PushFoldSolution, given: dict[str, float]) -> h.Element:
    chosen = request.text("hand")[:4]
    rest = {name: f"{value:g}" for name, value in given.items()}
    stacks = [
        h.li[
            h.a(
                href=url("/push-fold", **{**rest, "stack": stack, "hand": chosen}),
                aria_current="true" if stack == given["stack"] else None,
            )[stack]
        ]
        for stack in STACKS
    ]
    numbers = [
        ("value to the small blind, bb", chips(solution.value)),
        ("all-in", percent(solution.push_share)),
        ("call", percent(solution.call_share)),
    ]
    titles = ("Small blind: all-in", "Big blind: call of an all-in")
    ranges = (solution.push_range, solution.call_range)
    charts = [
        _chart(title, grid, str(found), chosen, rest)
        for title, grid, found in zip(titles, solution.grids(), ranges, strict=True)
    ]
    return h.div[
        h.nav(".stacks", aria_label="Stacks")[h.ul[stacks]],
        figures(numbers),
        h.div(".ranges")[charts],
        _class(solution, chosen),
        h.p(".note")[link("As CSV", "/push-fold", **rest, csv=1)],
    ]


def _chart(title: str, grid: Grid, text: str, chosen: str, rest: dict[str, str]) -> h.Element:
    view: Any = ChartView(grid)
    colours = ranked_colours(grid.actions)
    drawn = hand_grid(view, lambda label: url("/push-fold", **rest, hand=label) + "#class", chosen, colours)
    area = h.textarea(rows=3, readonly=True, aria_label=f"{title}: the range as text")[text]
    return h.section(".panel")[h.h2[title], legend(grid.actions, None, colours), drawn, area]


def _class(solution: PushFoldSolution, chosen: str) -> h.Element:
    """The chosen class, or how to choose one."""
    row = next((row for row in solution.rows() if row["class"] == chosen), None)
    if row is None:
        return h.p("#class.note")["Choose a cell to see what its action is worth."]
    lines = [
        ("Small blind: all-in", row["push"], row["push_ev"]),
        ("Big blind: call of an all-in", row["call"], row["call_ev"]),
    ]
    cells = [
        h.tr[h.td[name], h.td(".number")[percent(share)], h.td(".number")[chips(gain)]] for name, share, gain in lines
    ]
    head = head_row("action", ("how often", "number"), ("wins more than a fold, bb", "number"))
    return h.section("#class.panel")[h.h2[chosen], wide_table(head, h.tbody[cells])]
