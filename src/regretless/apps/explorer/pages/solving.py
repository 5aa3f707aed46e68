"""Solve: choose a game, a method and a budget, watch the run converge, stop it, save it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.blocks import choice_field, figures, hidden, post_form, text_field
from regretless.apps.explorer.pages.charts import Line, charts_of
from regretless.apps.explorer.pages.convergence import state_in_words
from regretless.apps.explorer.pages.layout import (
    as_sentence,
    fragment_response,
    frame,
    link,
    redirect,
    section,
    url,
)
from regretless.apps.explorer.web.jobs import NEED_ABSTRACTION, Job, SolveRequest, need_abstraction
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.number_format import chips, short
from regretless.apps.views.setting_fields import SettingField, game_fields, method_fields, spec_from_fields
from regretless.errors import OptionError, RegretlessError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer

__all__ = ["continue_job", "save_job", "show_game_size", "show_settings", "solve_page", "start_job", "stop_job"]

REFRESH_MILLISECONDS = 700
DEFAULT_ITERATIONS = 1_000

RESULT_PAGES = (("Strategy", "/strategy"), ("Best response", "/best-response"), ("Play", "/play"))
NOT_OFFERED = ("openspiel", "matrix")
"""Games whose parameters do not fit into a form."""

USUAL_METHODS = {"fhp": "dcfr", "hulh": "mccfr", "hunl": "mccfr"}
"""Games that another method than CFR+ solves best."""

GAME, METHOD = "game.", "method."
"""How the names of fields begin."""

FEW_FIELDS = 8
"""More settings of a method than this are folded up at first."""


def solve_page(explorer: Explorer, request: PageRequest) -> Response:
    """The form, and the solve that is watched."""
    number = request.number("job")
    if number is None:
        return _form_page(explorer, request)
    live = _live(explorer, explorer.jobs.job(number))
    if request.fragment:
        return fragment_response(live)
    return frame(explorer, request, "Solve", h.h1["Solve"], live, _form(explorer, request), charts=True)


def _form_page(explorer: Explorer, request: PageRequest, problem: str = "") -> Response:
    """The form with what was typed, and the earlier solves."""
    jobs = [h.li[link(job.file.name, "/solve", job=job.number)] for job in explorer.jobs.all()]
    note = h.p(".problem", role="status")[as_sentence(problem)] if problem else None
    earlier = section("Earlier solves", h.ul[jobs]) if jobs else None
    content = (h.h1["Solve"], note, _form(explorer, request), earlier)
    return frame(explorer, request, "Solve", content, status=422 if problem else 200)


def _form(explorer: Explorer, request: PageRequest) -> h.Element:
    from regretless.apps.commands.catalogue import algorithm_rows, game_rows

    chosen = request.text("game", "kuhn")
    method = request.text("algorithm", USUAL_METHODS.get(chosen, "cfr+"))
    games = [(row["name"], f"{row['name']}: {row['description']}") for row in game_rows()]
    games = [(name, text) for name, text in games if name not in NOT_OFFERED]
    rows = algorithm_rows()
    titles = [row["title"] for row in rows]  # two methods may have one title
    methods = [(r["name"], r["title"] + (f", {r['name']}" if titles.count(r["title"]) > 1 else "")) for r in rows]

    def asked(label: str, name: str, default: str = "", hint: str = "", mode: str = "decimal") -> h.Element:
        return text_field(label, name, request.text(name, default), placeholder=hint, inputmode=mode, maxlength=120)

    return post_form(
        "/solve/start",
        h.div(".broad", data_methods=json.dumps(USUAL_METHODS))[
            choice_field("Game", "game", games, chosen, submit=False)
        ],
        h.div(".broad")[choice_field("Method", "algorithm", methods, method, submit=False)],
        h.noscript[h.button(type="submit", formmethod="get", formaction="/solve")["Show the fields of this choice"]],
        _settings(explorer, request),
        h.p("#game-size.note.broad", role="status"),
        asked("Iterations", "iterations", str(DEFAULT_ITERATIONS), mode="numeric"),
        asked("or seconds", "seconds", hint="one hour"),
        asked("or exploitability", "until", hint="no goal"),
        h.button(".primary", type="submit")["Solve"],
        h.p(".note")["The solve stops at the first limit it reaches. An empty field takes its default."],
        css="solve-form",
        id="solve-form",
    )


def _settings(explorer: Explorer, request: PageRequest) -> h.Element:
    """A field for each parameter of the chosen game and each setting of the chosen method."""
    game = request.text("game", "kuhn")
    method = request.text("algorithm", USUAL_METHODS.get(game, "cfr+"))
    parts = [
        ("Parameters of the game", GAME, game_fields(game)),
        ("Settings of the method", METHOD, method_fields(method)),
    ]
    panels = [
        h.details(open=prefix == GAME or len(fields) <= FEW_FIELDS)[
            h.summary[title], h.div(".setting-fields")[[_setting(request, prefix, field) for field in fields]]
        ]
        for title, prefix, fields in parts
        if fields
    ]
    from regretless.apps.commands.catalogue import algorithm_rows

    rule = next((row["rule"] for row in algorithm_rows() if row["name"] == method), "")
    text = request.text("parameters")
    further = text_field("Parameters as text", "parameters", text, placeholder="ranks=5,suits=2", maxlength=120)
    cards = _abstraction_field(explorer, request) if game in NEED_ABSTRACTION else None
    return h.div("#settings.broad")[
        h.p(".note")[rule] if rule else None,
        cards,
        panels,
        h.details(".as-text", open=bool(text))[h.summary["As text"], further],
    ]


def _setting(request: PageRequest, prefix: str, field: SettingField) -> h.Element:
    name, label = f"{prefix}{field.name}", field.name.replace("_", " ")
    given = request.text(name)
    if field.choices:
        options = [(word, f"{word} (default)" if word == field.default else word) for word in field.choices]
        entry = choice_field(label, name, options, given or field.default, submit=False)
    else:
        entry = text_field(label, name, given, placeholder=field.default, maxlength=80, autocomplete="off")
    note = "; ".join(part for part in (field.meaning, field.limits if not field.choices else "") if part)
    return h.div(".setting")[entry, h.small[note] if note else None]


def _abstraction_field(explorer: Explorer, request: PageRequest) -> h.Element:
    """The card abstractions that were found, by number: a request never names a file."""
    found = explorer.library.abstractions(explorer.jobs.save_to)
    options = [("", "–"), *((str(number), path.name) for number, path in enumerate(found))]
    entry = choice_field("card abstraction", "abstraction", options, request.text("abstraction"), submit=False)
    text = "which hands count as the same; files that regretless abstract wrote into the folders of the explorer"
    return h.div(".setting")[entry, h.small[text]]


def _abstraction(explorer: Explorer, request: PageRequest) -> Path | None:
    """The chosen file; None without one."""
    number = request.number("abstraction")
    if number is None or request.text("game") not in NEED_ABSTRACTION:
        return None
    found = explorer.library.abstractions(explorer.jobs.save_to)
    if number >= len(found):
        raise OptionError(f"there is no card abstraction number {number}: the explorer has found {len(found)}")
    return found[number]


def show_settings(explorer: Explorer, request: PageRequest) -> Response:
    """The fields of another game or method, as a part of the page."""
    return fragment_response(_settings(explorer, request))


def show_game_size(explorer: Explorer, request: PageRequest) -> Response:
    """How large the game of the form is, as a part of the page."""
    try:
        words = _size_in_words(_game(request), _abstraction(explorer, request))
    except RegretlessError as error:
        words = as_sentence(str(error))
    return fragment_response(h.p("#game-size.note.broad", role="status")[words])


def _size_in_words(game: str, abstraction: Path | None) -> str:
    """The size of a game, estimated by a process with limits; wrong parameters are explained."""
    from regretless.apps.views.size_probe import probe_size

    request = SolveRequest(game, abstraction=abstraction)
    request.check_name()
    name = game.partition(":")[0]
    if name == "openspiel":
        return "The size of this game is shown when its solve begins."
    size = probe_size(game, str(abstraction or ""))
    if size.problem:
        return as_sentence(size.problem)
    if size.sentence:
        needed = abstraction is None and name in NEED_ABSTRACTION
        return f"{size.sentence}. {need_abstraction(name)}" if needed else f"{size.sentence}."
    count = float(f"{size.histories:.2g}")
    fits = "It fits into memory." if size.fits else "Listed, it does not fit into memory: take mccfr with listed=no."
    return f"{game} has about {count:,.0f} histories. {fits}"


def _game(request: PageRequest) -> str:
    """The game of a form with its parameters."""
    name, text = request.text("game").strip(), request.text("parameters").strip()
    spec = spec_from_fields(name, game_fields(name), lambda field: request.text(GAME + field))
    return spec if not text else f"{spec},{text}" if ":" in spec else f"{spec}:{text}"


def start_job(explorer: Explorer, request: PageRequest) -> Response:
    """Start a solve; a request that is refused keeps the form."""
    try:
        game = _game(request)
        until, seconds = request.decimal("until"), request.decimal("seconds")
        iterations = request.number("iterations")
        if iterations is None and until is None and seconds is None:
            iterations = DEFAULT_ITERATIONS
        name = request.text("algorithm", USUAL_METHODS.get(request.text("game"), "cfr+")).strip()
        algorithm = spec_from_fields(name, method_fields(name), lambda field: request.text(METHOD + field))
        cards = _abstraction(explorer, request)
        job = explorer.jobs.start(SolveRequest(game, algorithm, iterations, until, seconds, abstraction=cards))
    except OptionError as error:
        return _form_page(explorer, request, str(error))
    return redirect("/solve", job=job.number)


def _job(explorer: Explorer, request: PageRequest) -> Job:
    number = request.number("job")
    return explorer.jobs.job(-1 if number is None else number)


def stop_job(explorer: Explorer, request: PageRequest) -> Response:
    """Stop a solve; what it has computed is kept."""
    job = _job(explorer, request)
    job.stop()
    return redirect("/solve", job=job.number)


def continue_job(explorer: Explorer, request: PageRequest) -> Response:
    """Let a solve that has stopped go on, up to new limits."""
    job = _job(explorer, request)
    until = request.text("until").strip() or None
    more = replace(job.request, iterations=request.number("more"), until=until, seconds=request.decimal("seconds"))
    explorer.jobs.go_on(job, more)
    return redirect("/solve", job=job.number)


def save_job(explorer: Explorer, request: PageRequest) -> Response:
    """Save a run under a name."""
    job = _job(explorer, request)
    explorer.jobs.save(job, request.text("name").strip())
    return redirect("/solve", job=job.number)


def _live(explorer: Explorer, job: Job) -> h.Element:
    """The part of the page that changes while a solve runs."""
    running = job.running
    panel = h.section(
        "#live.panel",
        data_state="running" if running else "ended",
        data_refresh=url("/solve", job=job.number) if running else None,
        data_every=REFRESH_MILLISECONDS if running else None,
    )
    title = h.h2[f"{job.request.game} by {job.request.algorithm}"]
    if not job.begun:
        problem = job.complaint
        return panel[
            title, h.p(class_="problem" if problem else "note")[as_sentence(problem) if problem else "Starting …"]
        ]
    header = job.header()
    entry = explorer.library.add(job.path, job.file.name, job.game_to_open)
    if job.request.beside and not running and not job.saved and not job.complaint:
        explorer.jobs.save_beside(job)
    numbers = [
        ("iterations", f"{header.iterations:,}"),
        ("seconds", f"{header.seconds:,.3g}"),
        ("exploitability", short(header.exploitability)),
        ("value to player 0", chips(header.value)),
        ("state", "running" if running else job.complaint or state_in_words(header)),
    ]
    lines = [Line(0, header.name, header.history)]
    return panel[title, figures(numbers), charts_of(lines), _buttons(job, running, entry.number)]


def _buttons(job: Job, running: bool, run: int) -> list[h.Node]:
    number = hidden(job=job.number)
    if running:
        return [post_form("/solve/stop", number, h.button(type="submit")["Stop"])]
    name = f"{job.request.game.partition(':')[0].replace(' ', '-')}.run"
    button = h.button(type="submit")["Save"]
    save = post_form("/solve/save", number, text_field("Save as", "name", name, maxlength=100), button, css="choices")
    links = [link(text, path, run=run) for text, path in RESULT_PAGES]
    if job.request.origin is not None:
        links.append(link("What has changed", "/compare", run=job.request.origin, other=run))
    further = post_form(
        "/solve/continue",
        number,
        text_field("More iterations", "more", "", inputmode="numeric", maxlength=12, placeholder="any number"),
        text_field("or seconds", "seconds", "60", inputmode="decimal", maxlength=12),
        text_field("or exploitability", "until", "", maxlength=20, placeholder="0.1% of the pot, or chips"),
        h.button(type="submit")["Go on"],
        css="choices",
    )
    return [
        h.nav(".next-moves", aria_label="Pages of this run")[links],
        further,
        h.p(".facts", role="status")[f"Saved as {job.saved}."] if job.saved else save,
    ]
