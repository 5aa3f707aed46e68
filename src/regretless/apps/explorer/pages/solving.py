"""Solve: choose a game, a method and a budget, watch the run converge, stop it, save it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regretless.apps.explorer.pages.blocks import choice_field, figures, hidden, post_form, text_field
from regretless.apps.explorer.pages.convergence import state_of
from regretless.apps.explorer.pages.layout import as_sentence, frame, section
from regretless.apps.explorer.web.charts import Line, chart
from regretless.apps.explorer.web.jobs import Job, Wish
from regretless.apps.explorer.web.markup import Markup, join, link, query, tag
from regretless.apps.explorer.web.requests import Request, Response, redirect
from regretless.apps.views.number_format import chips, short
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.app import Explorer

__all__ = ["save_job", "solve_page", "start_job", "stop_job"]

LOOK_AGAIN = 700
"""Milliseconds between two looks at a solve."""

LOOK_AT = (("Strategy", "/strategy"), ("Best response", "/best-response"), ("Play", "/play"))
NOT_OFFERED = ("openspiel", "matrix")
"""Games whose parameters do not fit on a line of a form."""


def solve_page(explorer: Explorer, request: Request) -> Response:
    """The form, and the solve that is being watched."""
    number = request.number("job")
    if number is not None:
        live = _live(explorer, explorer.jobs.job(number))
        if request.fragment:
            return Response(live)
        return frame(explorer, request, "Solve", tag("h1", "Solve"), live, _form(request))
    others = [tag("li", link(job.followed.name, "/solve", job=job.number)) for job in explorer.jobs.all()]
    earlier = section("Earlier", tag("ul", others)) if others else None
    return frame(explorer, request, "Solve", tag("h1", "Solve"), _form(request), earlier)


def _form(request: Request) -> Markup:
    from regretless.apps.commands.catalogue import algorithm_rows, game_rows, parameters_in_words

    chosen, method = request.text("game", "kuhn"), request.text("algorithm", "cfr+")
    games = [
        tag(
            "option",
            f"{row['name']}: {row['description']}",
            value=row["name"],
            selected=row["name"] == chosen,
            data_parameters=parameters_in_words(row["parameters"]),
        )
        for row in game_rows()
        if row["name"] not in NOT_OFFERED
    ]
    methods = [(row["name"], f"{row['title']}: {row['rule']}") for row in algorithm_rows()]

    def asked(label: str, name: str, default: str = "", hint: str = "", mode: str = "decimal") -> Markup:
        return text_field(label, name, request.text(name, default), placeholder=hint, inputmode=mode, maxlength=120)

    return post_form(
        "/solve/start",
        tag("label", tag("span", "Game"), tag("select", games, name="game"), css="broad"),
        tag("div", choice_field("Method", "algorithm", methods, method, submit=False), css="broad"),
        asked("Parameters", "parameters", hint="as they are", mode="text"),
        asked("Iterations", "iterations", "1000", mode="numeric"),
        asked("or seconds", "seconds", hint="no limit"),
        asked("or exploitability", "until", hint="no goal"),
        tag("button", "Solve", type="submit", css="primary"),
        tag("p", "It stops at whichever comes first. Parameters are written like ranks=5,suits=2.", css="note"),
        css="solve-form",
    )


def start_job(explorer: Explorer, request: Request) -> Response:
    """Begin a solve."""
    _allowed(explorer)
    parameters = request.text("parameters").strip()
    game = request.text("game").strip() + (f":{parameters}" if parameters else "")
    until, seconds = _decimal(request, "until"), _decimal(request, "seconds")
    iterations = request.number("iterations")
    if iterations is None and until is None and seconds is None:
        iterations = 1_000
    job = explorer.jobs.start(Wish(game, request.text("algorithm", "cfr+").strip(), iterations, until, seconds))
    return redirect(query("/solve", job=job.number))


def _decimal(request: Request, name: str) -> float | None:
    text = request.text(name).strip()
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"{name} is a number, got {text[:40]!r}") from None


def _allowed(explorer: Explorer) -> None:
    if not explorer.may_solve:
        raise OptionError("this explorer listens beyond its own machine, and does not solve for others")


def _job(explorer: Explorer, request: Request) -> Job:
    number = request.number("job")
    return explorer.jobs.job(-1 if number is None else number)


def stop_job(explorer: Explorer, request: Request) -> Response:
    """Stop a solve; what it has is kept."""
    _allowed(explorer)
    job = _job(explorer, request)
    job.stop()
    return redirect(query("/solve", job=job.number))


def save_job(explorer: Explorer, request: Request) -> Response:
    """Keep a run under a name."""
    _allowed(explorer)
    job = _job(explorer, request)
    explorer.jobs.save(job, request.text("name").strip())
    return redirect(query("/solve", job=job.number))


def _live(explorer: Explorer, job: Job) -> Markup:
    """What changes while a solve runs."""
    running = job.running
    attributes = {"data_refresh": query("/solve", job=job.number), "data_every": LOOK_AGAIN} if running else {}
    title = f"{job.wish.game} by {job.wish.algorithm}"
    if not job.begun:
        said = job.complaint
        text = tag("p", as_sentence(said) if said else "Starting …", css="problem" if said else "note")
        return tag("section", tag("h2", title), text, css="panel", id="live", **attributes)
    glance = job.look()
    entry = explorer.library.add(job.path, job.followed.name)
    line = [Line(0, glance.name, glance.history)]
    numbers = [
        ("iterations", f"{glance.iterations:,}"),
        ("seconds", f"{glance.seconds:,.3g}"),
        ("exploitability", short(glance.exploitability)),
        ("value to player 0", chips(glance.value)),
        ("state", "running" if running else job.complaint or state_of(glance)),
    ]
    return tag(
        "section",
        tag("h2", title),
        figures(numbers),
        tag("div", chart(line, "iteration", "iterations"), chart(line, "seconds", "seconds"), css="charts"),
        _buttons(job, running, entry.number),
        css="panel",
        id="live",
        data_state="running" if running else "ended",
        **attributes,
    )


def _buttons(job: Job, running: bool, run: int) -> Markup:
    number = hidden(job=job.number)
    if running:
        return post_form("/solve/stop", number, tag("button", "Stop", type="submit"))
    name = f"{job.wish.game.partition(':')[0]}.run"
    button = tag("button", "Save", type="submit")
    save = post_form("/solve/save", number, text_field("Save as", "name", name, maxlength=100), button, css="choices")
    if job.saved:
        save = tag("p", f"Saved as {job.saved}.", css="facts", role="status")
    links = [link(text, path, run=run) for text, path in LOOK_AT]
    return join(tag("nav", links, css="onwards", aria_label="Look at it"), save)
