"""Report: one node of a spot on all flops whose runs are open, in groups and flop by flop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.action_colours import node_colours
from regretless.apps.explorer.pages.blocks import choice_field, figures, head_row, hidden, wide_table
from regretless.apps.explorer.pages.drawing import action_bar, colour_patch, draw_cards, legend
from regretless.apps.explorer.pages.layout import as_sentence, frame, link, url
from regretless.apps.explorer.pages.studio.walk_tables import REALISATION
from regretless.apps.explorer.web.explorer import NotReady
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.number_format import chips, percent, ratio
from regretless.apps.views.studio.flop_reports import FlopRun, ReportedSpot
from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.results.aggregates import Aggregate, Group
from regretless.poker.results.drawing.grid_pictures import seat
from regretless.poker.results.reports import report_of

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer

__all__ = ["report_page"]

GROUPS = (("suits", "By suits"), ("pairing", "By pairs"), ("high", "By the highest card"))
PLAIN_COLUMNS = (("reach", "share"), ("ev", "EV"), ("equity", "equity"), ("realisation", "realised"))
"""Columns that every report can be sorted by, and their heads."""

NO_FLOPS = (
    "No run of a spot on a flop is open. Solve the same spot on several flops with regretless solve-many, or "
    "regretless report SPOT.toml --flops 25 --out FOLDER, and open the folder: regretless explore FOLDER."
)


def report_page(explorer: Explorer, request: PageRequest) -> Response:
    """The report of a spot after a line of play; without runs on flops, how to make some."""
    spots = explorer.flops.spots(explorer.library)
    title = h.h1["Report"]
    if not spots:
        return frame(explorer, request, "Report", title, h.p(".note")[NO_FLOPS])
    number = request.number("spot", 0) or 0
    spot = spots[number] if number < len(spots) else spots[0]
    line, by = request.text("line")[:400], request.text("by")[:60]
    try:
        node = spot.node(line)
        found, left = explorer.flops.nodes(spot, line, explorer.patience)
        if left:
            runs = f"{len(found)} of {len(spot.runs)} runs are read"
            raise NotReady(f"{runs}; this page will reload by itself until the report is whole")
        table = report_of(found)
        shown = table.sorted(by, descending=not request.text("up")) if by else table
    except OptionError as error:
        problem = h.p(".problem", role="status")[as_sentence(str(error))]
        form = _form(spots, spot, "")
        return frame(explorer, request, "Report", title, form, problem, status=422)
    if request.text("csv"):
        return _csv(shown)
    page = _Page(spot, number if number < len(spots) else 0, node, table, shown, by, bool(request.text("up")))
    return frame(explorer, request, "Report", title, _form(spots, spot, line), page.content())


def _form(spots: Sequence[ReportedSpot], spot: ReportedSpot, line: str) -> h.Element:
    options = [(str(at), one.title) for at, one in enumerate(spots)]
    chosen = str(spots.index(spot))
    return h.form(".choices.roomy", method="get", action="/report")[
        choice_field("Spot", "spot", options, chosen),
        hidden(line=line or None),
        h.button(".quiet", type="submit")["Show"],
    ]


def _csv(table: Aggregate) -> Response:
    """A row for each flop, with the columns of `to_csv`."""
    columns = table.columns()
    rows = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    headers = {"Content-Disposition": 'attachment; filename="report.csv"'}
    return Response("\n".join(rows) + "\n", media_type="text/csv; charset=utf-8", headers=headers)


class _Page:
    """A report and how its flops are sorted."""

    def __init__(
        self, spot: ReportedSpot, number: int, node: int, table: Aggregate, shown: Aggregate, by: str, up: bool
    ) -> None:
        """table: in the order of the runs; shown: the same, sorted."""
        self.spot, self.node, self.table, self.shown, self.by, self.up = spot, node, table, shown, by, up
        self.number = number or None
        self.tree = spot.game.betting_tree()
        self.colours = node_colours(table.game, table)

    def address(self, line: str, **more: Any) -> str:
        """The report after another line, or in another order."""
        return url("/report", spot=self.number, line=line, **more)

    def content(self) -> list[h.Node]:
        """From the whole to the single flop."""
        table, total = self.table, self.table.total
        turn = f"{seat(table.game, table.player).capitalize()} to act, pot {table.pot:,.6g}."
        numbers = [("flops", f"{len(table):,}"), ("EV", chips(total.ev)), ("equity", percent(total.equity))]
        numbers.append(("realised", ratio(_realised(total, table.pot))))
        return [
            self._crumbs(),
            h.p(".facts")[turn],
            self._next_moves(),
            legend(table.actions, None if math.isnan(total.ev) else list(total.frequencies.values()), self.colours),
            figures(numbers),
            self._left_out(),
            self._groups(),
            h.h2["Every flop"],
            self._flops(),
            h.p(".note")[link("As CSV", "/report", spot=self.number, line=table.line, by=self.by, csv=1)],
        ]

    def _crumbs(self) -> h.Element:
        """The moves to this node; each leads to its own report."""
        steps, at = [], self.node
        while (above := int(self.tree.parent[at])) >= 0:
            steps.append((self.tree.actions[above][at - int(self.tree.first_child[above])], self.tree.line(at)))
            at = above
        links: list[h.Node] = [h.li[h.a(href=self.address(""))["start"] if steps else h.b["start"]]]
        for number, (name, line) in enumerate(reversed(steps), 1):
            last = number == len(steps)
            links.append(h.li[h.b(aria_current="page")[name] if last else h.a(href=self.address(line))[name]])
        return h.nav(".crumbs", aria_label="Moves so far")[h.ol[links]]

    def _next_moves(self) -> h.Element:
        """Moves after which somebody decides on the flop."""
        tree, first, items = self.tree, int(self.tree.first_child[self.node]), []
        for number, (name, colour) in enumerate(zip(self.table.actions, self.colours, strict=True)):
            inside: list[h.Node] = [colour_patch(colour), name]
            if tree.kind[first + number] >= DEAL:
                items.append(h.li[h.span(".ends", title="no more decisions on the flop")[inside]])
                continue
            key = number + 1 if number < 9 else None
            href = self.address(tree.line(first + number))
            items.append(h.li[h.a(href=href, data_key=key)[inside, h.kbd[key] if key else None]])
        return h.nav(".next-moves", aria_label="Next moves")[h.span["Next: "], h.ul[items]]

    def _left_out(self) -> h.Element | None:
        names = ", ".join(run.name for run in self.spot.left_out)
        return h.p(".note")[f"Left out, since their flop has another run: {names}"] if names else None

    def _groups(self) -> h.Element:
        """All flops together, then by kind."""
        head = head_row(
            "", ("flops", "number"), ("share", "number", "How often this is the flop when play comes here"),
            "strategy", *((action, "number") for action in self.table.actions), ("EV", "number"),
            ("equity", "number"), ("realised", "number", REALISATION),
        )  # fmt: skip
        bodies = [h.tbody[self._group(self.table.total, "all flops")]]
        for kind, heading in GROUPS:
            title = h.tr[h.th(colspan=7 + len(self.table.actions), scope="colgroup")[h.small[heading]]]
            bodies.append(h.tbody(data_group=kind)[title, [self._group(group) for group in self.table.by(kind)]])
        return wide_table(head, *bodies, css="combos")

    def _group(self, group: Group, name: str = "") -> h.Element:
        return h.tr[
            h.th(scope="row")[name or group.name],
            h.td(".number")[f"{group.boards:,}"],
            h.td(".number")[percent(group.reach)],
            self._shares(list(group.frequencies.values())),
            h.td(".number")[chips(group.ev)],
            h.td(".number")[percent(group.equity)],
            h.td(".number")[ratio(_realised(group, self.table.pot))],
        ]

    def _shares(self, shares: Sequence[float]) -> list[h.Element]:
        """The bar of the actions and their frequencies; dashes where play never comes."""
        known = not any(map(math.isnan, shares))
        bar = action_bar(shares, self.table.actions, self.colours) if known else None
        return [h.td(".whole")[bar], *(h.td(".number")[percent(share)] for share in shares)]

    def _flops(self) -> h.Element:
        """A row for each flop, with a link to its run; heads sort."""
        run_of = {run.board: run for run in self.spot.runs}
        columns = self.shown.columns()
        rows = [self._flop(run_of[board], at, columns) for at, board in enumerate(self.shown.boards)]
        heads = [self._head(name, text) for name, text in PLAIN_COLUMNS]
        actions = [self._head(action, action) for action in self.table.actions]
        cells: list[h.Node] = [h.th(scope="col")["flop"], heads[0], h.th(scope="col")["strategy"], actions, heads[1:]]
        return wide_table(h.thead[h.tr[cells]], h.tbody[rows], css="combos")

    def _head(self, column: str, text: str) -> h.Element:
        """The head of a column: a click sorts by it, and once more the other way round."""
        chosen = column == self.by
        order = None if not chosen else "ascending" if self.up else "descending"
        href = self.address(self.table.line, by=column, up=1 if chosen and not self.up else None)
        arrow = "" if not chosen else " ▲" if self.up else " ▼"
        return h.th(".number", scope="col", aria_sort=order)[h.a(href=href)[f"{text}{arrow}"]]

    def _flop(self, run: FlopRun, at: int, columns: Any) -> h.Element:
        node = url("/strategy", run=run.number, line=self.table.line)
        realised = float(columns["realisation"][at])
        return h.tr(data_board=run.board)[
            h.th(scope="row")[h.a(href=node, title=run.name, aria_label=run.board)[draw_cards(run.board, small=True)]],
            h.td(".number")[percent(float(columns["reach"][at]))],
            self._shares(self.shown.frequencies[at].tolist()),
            h.td(".number")[chips(float(columns["ev"][at]))],
            h.td(".number")[percent(float(columns["equity"][at]))],
            h.td(".number")[ratio(None if math.isnan(realised) else realised)],
        ]


def _realised(group: Group, pot: float) -> float | None:
    """EV ÷ (equity × pot)."""
    known = not math.isnan(group.ev) and group.equity > 0
    return group.ev / (group.equity * pot) if known else None
