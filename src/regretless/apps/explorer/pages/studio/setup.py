"""Set up a spot of hold'em: paint ranges, pick a board, see the size while typing, solve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import htpy as h
from starlette.responses import JSONResponse, Response

from regretless.apps.explorer.pages.blocks import figures, post_form
from regretless.apps.explorer.pages.layout import as_sentence, fragment_response, frame, link, redirect, section
from regretless.apps.explorer.pages.studio.drawn_tree import drawn_tree
from regretless.apps.explorer.pages.studio.spot_fields import (
    FIRST_GOAL,
    METHODS,
    board_section,
    chips_section,
    locks_section,
    range_sections,
    sizes_section,
    solve_fields,
)
from regretless.apps.explorer.web.jobs import MOST_SECONDS, SolveRequest
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.studio.range_painting import painted_range
from regretless.apps.views.studio.solve_time import guess_iterations, guess_seconds, limit_in_words, time_in_words
from regretless.apps.views.studio.spot_form import SpotForm, form_of, read_form
from regretless.errors import FileError, OptionError, RegretlessError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer

__all__ = ["open_spot", "paint_range", "setup_page", "show_size", "spot_file", "start_spot"]

DRAWN_UP_TO = 100_000
"""Nodes of the largest betting tree that is built to draw its beginning."""


def setup_page(explorer: Explorer, request: PageRequest) -> Response:
    """The form: as sent, of a run that is shown, or with a first example."""
    number = request.number("run")
    if number is not None and not request.text("board"):
        return _page(explorer, request, _form_of_run(explorer, number))
    return _page(explorer, request, read_form(request.text))


def _form_of_run(explorer: Explorer, number: int) -> SpotForm:
    """The spot of a run; the first example for a run of another game."""
    loaded = explorer.library.load(number)
    if loaded.header.kind != "holdem":
        return SpotForm()
    try:
        return form_of(loaded.stored_strategy("average").tree.game)
    except OptionError:
        return SpotForm()


def _page(explorer: Explorer, request: PageRequest, form: SpotForm, problem: str = "") -> Response:
    note = h.p(".problem", role="status")[as_sentence(problem)] if problem else None
    buttons = h.div(".studio-buttons")[
        h.button(".primary", type="submit")["Solve"],
        h.button(type="submit", formaction="/spot/file", data_plain="true")["Spot file"],
        h.span("#size-brief", role="status"),
    ]
    content = post_form(
        "/spot/solve",
        range_sections(form),
        h.div(".studio-columns")[
            h.div[board_section(form), chips_section(form), locks_section(form)],
            h.div[sizes_section(form)],
        ],
        h.section(".panel")[h.h2["Solve"], h.div(".solve-fields")[solve_fields(request)]],
        buttons,
        id="spot",
    )
    return frame(
        explorer, request, "Set up", h.h1["Set up a spot"], note, content, _size(explorer, request, form),
        _open_form(request), _other_games(), _jobs(explorer), status=422 if problem else 200,
        scripts=("painting.js", "studio.js"),
    )  # fmt: skip


def _open_form(request: PageRequest) -> h.Element:
    area = h.textarea(name="toml", rows=8, spellcheck="false", aria_label="Spot file")[request.text("toml")[:60_000]]
    return h.details(".panel.open-spot")[
        h.summary["Open a spot file"],
        post_form(
            "/spot/open",
            h.input(type="file", accept=".toml,text/plain", aria_label="Spot file", data_into="toml"),
            area,
            h.button(type="submit")["Open"],
        ),
    ]


def _other_games() -> h.Element:
    """The ways to whole games of hold'em."""
    links = [
        link("Push or fold", "/push-fold"),
        link("Flop hold'em", "/solve", game="fhp", algorithm="dcfr"),
        link("Limit hold'em", "/solve", game="hulh", algorithm="mccfr"),
        link("No-limit hold'em from the blinds on", "/solve", game="hunl", algorithm="mccfr"),
    ]
    return section("Whole games", h.ul[[h.li[one] for one in links]])


def _jobs(explorer: Explorer) -> h.Element | None:
    jobs = [h.li[link(job.file.name, "/solve", job=job.number)] for job in explorer.jobs.all()]
    return section("Earlier solves", h.ul[jobs]) if jobs else None


# -- the size ---------------------------------------------------------------------------------------------------------


def show_size(explorer: Explorer, request: PageRequest) -> Response:
    """The size of the spot in a form that is being filled in, as a part of the page."""
    return fragment_response(_size(explorer, request, read_form(request.text)))


def _size(explorer: Explorer, request: PageRequest, form: SpotForm) -> h.Element:
    try:
        brief, parts = _size_of(explorer, request, form)
        return h.section("#size.panel", data_stacks=form.unequal_stacks or None, data_brief=brief)[parts]
    except OptionError as error:
        return h.section("#size.panel")[h.h2["Size"], h.p(".problem", role="status")[as_sentence(str(error))]]


def _size_of(explorer: Explorer, request: PageRequest, form: SpotForm) -> tuple[str, list[h.Node]]:
    """Memory and time in brief, and the whole panel."""
    from regretless.poker.tree.memory_estimate import free_memory, readable, whole_memory
    from regretless.poker.tree.spot_size import spot_size
    from regretless.solving.stopping import read_until

    spot = form.spot()
    size = spot_size(spot)
    wanted = _request(request, form)
    predictive = wanted.algorithm.startswith("pcfr")
    needed, free = whole_memory(size.bytes_needed(wanted.dtype or "float32", predictive)), free_memory()
    wanted.check_limits()
    share = None if wanted.until is None else read_until(wanted.until)[0]
    pace = explorer.jobs.pace(size.infoset_actions)
    seconds = guess_seconds(size.infoset_actions, guess_iterations(share, wanted.iterations), pace)
    time = _time_with_limit(seconds, wanted.seconds or MOST_SECONDS)
    rows = [
        ("memory", readable(needed)),
        ("time, a guess", time),
        ("boards", f"{size.boards:,}"),
        ("decisions by street", ", ".join(f"{count:,}" for count in size.decisions)),
        ("infoset-actions", f"{size.infoset_actions:,}"),
    ]
    full = free is not None and needed > free
    text = f"Only {readable(free or 0)} are free: take fewer sizes, narrower ranges, a later street or 16 bits."
    small = size.nodes <= DRAWN_UP_TO
    drawn = drawn_tree(spot) if small else h.p(".note")["It has too many nodes to draw."]
    return f"{readable(needed)}, {time}", [
        h.h2["Size"],
        figures(rows),
        h.p(".problem")[text] if full else None,
        h.details(".tree-outline", open=True, data_narrow="closed")[
            h.summary[f"Betting tree, {size.nodes:,} nodes"], drawn
        ],
    ]


def _time_with_limit(guess: float, limit: float) -> str:
    """The guess, and the limit of the form if it comes first."""
    return time_in_words(guess) + (f"; stops after {limit_in_words(limit)}" if guess > limit else "")


# -- what the form does -----------------------------------------------------------------------------------------------


def paint_range(explorer: Explorer, request: PageRequest) -> Response:
    """A range as text and as weights, after some cells were painted."""
    try:
        found = painted_range(request.text("text"), request.text("paint"), request.text("hand"))
    except OptionError as error:
        return JSONResponse({"problem": as_sentence(str(error))})
    return JSONResponse(found.for_browser)


def _request(request: PageRequest, form: SpotForm) -> SolveRequest:
    """How to solve, without the spot."""
    goal = request.decimal("goal") if request.all("goal") else float(FIRST_GOAL)
    algorithm = request.choice("algorithm", [name for name, _ in METHODS])
    cards = "".join(form.board.split())
    return SolveRequest(
        game=f"spot {cards[:10]}",
        algorithm=algorithm,
        iterations=request.number("iterations"),
        until=None if goal is None else f"{goal!r}%",
        seconds=request.decimal("seconds"),
        dtype=request.choice("dtype", ("float32", "int16")),
    )


def start_spot(explorer: Explorer, request: PageRequest) -> Response:
    """Solve the spot; a form that is refused keeps what was typed."""
    from dataclasses import replace

    from regretless.poker.formats.spot_writing import spot_text
    from regretless.poker.tree.spot_size import spot_size

    form = read_form(request.text)
    try:
        spot = form.spot()
        size = spot_size(spot).infoset_actions
        wanted = replace(_request(request, form), spot=spot_text(spot), infoset_actions=size)
        job = explorer.jobs.start(wanted)
    except (OptionError, FileError) as error:
        return _page(explorer, request, form, str(error))
    return redirect("/solve", job=job.number)


def spot_file(explorer: Explorer, request: PageRequest) -> Response:
    """The spot as a file for the command line."""
    from regretless.poker.formats.spot_writing import spot_text

    form = read_form(request.text)
    try:
        spot = form.spot()
    except OptionError as error:
        return _page(explorer, request, form, str(error))
    name = f"{spot.deck.names(spot.first_board)}.toml"
    head = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(spot_text(spot), media_type="application/toml; charset=utf-8", headers=head)


def open_spot(explorer: Explorer, request: PageRequest) -> Response:
    """Fill the form from a spot file."""
    from regretless.poker.formats.spot_files import spot_from_text

    try:
        form = form_of(spot_from_text(request.text("toml")))
    except RegretlessError as error:
        return _page(explorer, request, SpotForm(), str(error))
    return _page(explorer, request, form)
