"""Lock a node of a solved spot by painting its strategy, and solve again from there."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.action_colours import node_colours
from regretless.apps.explorer.pages.blocks import hidden, post_form
from regretless.apps.explorer.pages.drawing import colour_patch, draw_cards
from regretless.apps.explorer.pages.layout import as_sentence, frame, redirect, run_form, url
from regretless.apps.explorer.pages.studio.spot_fields import FIRST_GOAL, METHODS, solve_fields
from regretless.apps.explorer.web.jobs import SolveRequest
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.holdem_nodes import NodeView, view_of
from regretless.apps.views.studio.lock_painting import cells_for_browser, check_lockable, lock_rows, painted_game
from regretless.apps.views.studio.range_painting import grid_labels
from regretless.errors import FileError, OptionError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.apps.views.loaded_run import LoadedRun

__all__ = ["lock_file", "lock_page", "solve_locked"]


def lock_page(explorer: Explorer, request: PageRequest) -> Response:
    """The node that is painted; a run of another game is explained."""
    number = explorer.chosen_run(request)
    try:
        check_lockable(explorer.load(number).stored_strategy("average"))
    except OptionError as error:
        choices = run_form(request, explorer.library.entries(), number)
        return frame(explorer, request, "Lock", h.h1["Lock a node"], choices, h.p(".note")[as_sentence(str(error))])
    return _page(explorer, request)


def _page(explorer: Explorer, request: PageRequest, problem: str = "") -> Response:
    loaded = explorer.load(explorer.chosen_run(request))
    strategy = loaded.stored_strategy("average")
    view = view_of(strategy, request.text("line")[:400], request.text("board")[:40], "strategy")
    note = h.p(".problem", role="status")[as_sentence(problem)] if problem else None
    number = loaded.entry.number
    back = url("/strategy", run=number, line=view.node.line, board=view.node.board)
    content = post_form(
        "/spot/lock/solve",
        hidden(run=number, line=view.node.line, board=view.node.board, painted=request.text("painted")),
        h.div(".holdem")[
            h.div[_facts(view), _brush(view), _grid(view)],
            h.div[
                _where(view, request),
                _locks(view),
                h.section(".panel")[
                    h.h2["Solve again"],
                    h.div(".solve-fields")[solve_fields(_filled(request, loaded))],
                    _buttons(),
                    h.p(".note")["The solve begins with what this run has learned."],
                ],
            ],
        ],
        id="lock-form",
    )
    title = h.h1[f"Lock a node of {loaded.entry.name}"]
    return frame(
        explorer, request, "Lock", title, note, content, h.p(".note")[h.a(href=back)["Back to the strategy"]],
        status=422 if problem else 200, scripts=("painting.js", "locking.js"),
    )  # fmt: skip


def _facts(view: NodeView) -> list[h.Node]:
    return [
        h.p(".facts")[h.b[view.node.line or "start"], f": {view.summary}"],
        h.p(".board-cards")[draw_cards(view.node.board)],
        [h.p(".note")[text] for text in view.warnings],
    ]


def _brush(view: NodeView) -> h.Element:
    """The action and its probability that the next stroke paints."""
    colours = node_colours(view.node.game, view.node)
    actions = [
        h.label(".brush-action")[
            h.input(type="radio", name="brush", value=at, checked=at == 0, data_key=at + 1 if at < 9 else None),
            colour_patch(colours[at]), action, h.b(data_total=at),
        ]
        for at, action in enumerate(view.node.actions)
    ]  # fmt: skip
    limits = {"min": "0", "max": "100", "value": "100"}
    actions.append(h.label(".brush-action")[h.input(type="radio", name="brush", value=-1), "as solved"])
    return h.div[
        h.fieldset(".brush-actions")[h.legend["Paint"], actions],
        h.div(".brush")[
            h.label[h.span["with this probability, %"], h.input(id="weight", type="number", **limits)],
            h.input(id="weight-slider", type="range", step="5", aria_label="Probability in %", **limits),
            h.label(".check")[h.input(id="by-suit", type="checkbox"), " choose single hands of a cell"],
            h.button(id="restore", type="button")["All as solved"],
        ],
        h.noscript[h.p(".note")["Painting needs JavaScript. A spot file with [[lock]] works without it."]],
    ]  # fmt: skip


def _grid(view: NodeView) -> h.Element:
    colours = node_colours(view.node.game, view.node)
    data = cells_for_browser(view.strategy, view.node)  # type: ignore[arg-type]
    return h.div[
        h.div(
            ".paint-grid.paint-actions", role="group", aria_label="Hands by class, and what they do",
            data_labels=" ".join(grid_labels()), data_node=json.dumps(data | {"colours": colours}),
        ),
        h.div(".single-hands", hidden=True),
        h.p("#painted-note.note", aria_live="polite")[
            h.span["Nothing is painted: all hands play as solved."], h.span(hidden=True)["Painted hands: ", h.b]
        ],
    ]  # fmt: skip


def _where(view: NodeView, request: PageRequest) -> h.Element | None:
    """Whether a node of a later street is locked on its board or on all."""
    keep = h.label(".check")[
        h.input(type="checkbox", name="here", value="1", checked=True), " lock this node as painted"
    ]
    later = int(view.strategy.tree.betting_tree.street[view.number]) > 0
    every = h.label(".check")[
        h.input(type="checkbox", name="every_board", value="1", checked=bool(request.text("every_board"))),
        " on every board: each class plays as it does here",
    ]
    return h.section(".panel")[h.h2["This node"], keep, [h.br, every] if later else None]


def _locks(view: NodeView) -> h.Element | None:
    """The locks that the run has, to keep or to remove."""
    rows = lock_rows(view.node.game)
    if not rows:
        return None
    items = [
        h.li[
            h.label(".check")[
                h.input(type="checkbox", name="keep", value=row.number, checked=True),
                f" {row.line or 'start'}", f" on {row.board}" if row.board else None, h.small[f" {row.summary}"],
            ]
        ]
        for row in rows
    ]  # fmt: skip
    text = "Take the mark away to remove a lock. A lock of this node is replaced."
    return h.section(".panel.locks")[h.h2["Locked nodes"], h.ul[items], h.p(".note")[text]]


def _buttons() -> h.Element:
    return h.div(".studio-buttons")[
        h.button(".primary", type="submit")["Solve again"],
        h.button(type="submit", formaction="/spot/lock/file", data_plain="true")["Spot file"],
    ]


def _filled(request: PageRequest, loaded: LoadedRun) -> PageRequest:
    """The request with the method and the accuracy of the run in fields that are empty."""
    known = [name for name, _ in METHODS]
    method = loaded.header.method.lower()
    last = loaded.header.history[-1].get("pot_share") if loaded.header.history else None
    first = {"algorithm": [method if method in known else known[0]]}
    if last is not None and last > 0:
        first["goal"] = [f"{max(100 * last, 0.05):.2g}"]
    return replace(request, fields={**first, **request.fields})


def _game(explorer: Explorer, request: PageRequest) -> tuple[LoadedRun, Any]:
    loaded = explorer.load(explorer.chosen_run(request))
    strategy = loaded.stored_strategy("average")
    check_lockable(strategy)
    kept = {int(text) for text in request.all("keep") if text.isdecimal() and len(text) < 6}
    painted = request.text("painted") if request.text("here") else None
    game = painted_game(
        strategy, request.text("line")[:400], request.text("board")[:40] or "", painted,
        kept=kept, every_board=bool(request.text("every_board")),
    )  # fmt: skip
    return loaded, game


def solve_locked(explorer: Explorer, request: PageRequest) -> Response:
    """Solve the spot with its locks; a request that is refused shows the page again."""
    from regretless.poker.formats.spot_writing import spot_text
    from regretless.poker.tree.spot_size import spot_size

    try:
        loaded, game = _game(explorer, request)
        goal = request.decimal("goal") if request.all("goal") else float(FIRST_GOAL)
        job = explorer.jobs.start(
            SolveRequest(
                game=f"spot {game.deck.names(game.first_board)}, {len(game.locks)} locked",
                algorithm=request.choice("algorithm", [name for name, _ in METHODS]),
                iterations=request.number("iterations"),
                until=None if goal is None else f"{goal!r}%",
                seconds=request.decimal("seconds"),
                dtype=request.choice("dtype", ("float32", "int16")),
                spot=spot_text(game),
                infoset_actions=spot_size(game).infoset_actions,
                origin=loaded.entry.number,
                beside=loaded.entry.file.path.name,
                start=loaded.entry.file.path,
            )
        )
    except (OptionError, FileError) as error:
        return _page(explorer, request, str(error))
    return redirect("/solve", job=job.number)


def lock_file(explorer: Explorer, request: PageRequest) -> Response:
    """The spot with its locks as a file for the command line."""
    from regretless.poker.formats.spot_writing import spot_text

    try:
        _, game = _game(explorer, request)
    except OptionError as error:
        return _page(explorer, request, str(error))
    name = f"{game.deck.names(game.first_board)}-locked.toml"
    head = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(spot_text(game), media_type="application/toml; charset=utf-8", headers=head)
