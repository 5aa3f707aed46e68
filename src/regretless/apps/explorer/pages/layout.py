"""What all pages share: the frame, the choice of a run, and links through long lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import htpy as h
from starlette.responses import HTMLResponse, RedirectResponse, Response

from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.explorer.web.static_files import CHART_LIBRARY

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.apps.views.library import Entry

__all__ = [
    "PAGES",
    "as_sentence",
    "fragment_response",
    "frame",
    "link",
    "message",
    "pager",
    "redirect",
    "run_field",
    "run_form",
    "section",
    "url",
]

PAGES = {
    "/convergence": "Convergence",
    "/strategy": "Strategy",
    "/best-response": "Best response",
    "/compare": "Compare",
    "/report": "Report",
    "/play": "Play",
    "/drill": "Drill",
    "/hands": "Hands",
    "/push-fold": "Push or fold",
    "/spot": "Set up",
    "/solve": "Solve",
}

SOLVING_PAGES = ("/spot", "/solve")


def url(path: str, /, **values: Any) -> str:
    """An address with its query; values that are None or empty are left out."""
    given = {key: value for key, value in values.items() if value not in (None, "")}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def link(text: h.Node, path: str, /, **values: Any) -> h.Element:
    """A link to one of our pages."""
    return h.a(href=url(path, **values))[text]


def redirect(path: str, /, **values: Any) -> Response:
    """After a form: show another page, which can be reloaded without sending the form again."""
    return RedirectResponse(url(path, **values), 303)


def fragment_response(part: h.Element) -> Response:
    """The changing part of a page."""
    return HTMLResponse(str(part))


def frame(
    explorer: Explorer,
    request: PageRequest,
    title: str,
    *content: h.Node,
    status: int = 200,
    charts: bool = False,
    scripts: Sequence[str] = (),
) -> Response:
    """A whole page; with `charts` it loads the chart library, and `scripts` are further files of ours."""
    theme = request.theme if request.theme in ("light", "dark") else None
    page = h.html(lang="en", data_theme=theme)[
        _head(explorer, title, charts, scripts),
        h.body[
            h.a(".skip", href="#content")["Skip to the content"],
            _header(explorer, request),
            h.div("#lost", role="alert", hidden=True)["The server does not answer. Trying again …"],
            h.main("#content", tabindex="-1")[content],
            # The chart library skips a style sheet whose id is in the page already.
            [h.template(id=name) for name in explorer.files.style_ids] if charts else None,
        ],
    ]
    return HTMLResponse(str(page), status)


def _head(explorer: Explorer, title: str, charts: bool, scripts: Sequence[str]) -> h.Element:
    files = explorer.files
    drawing = (
        h.script(src=files.url("charts.js"), defer=True, data_library=files.url(CHART_LIBRARY)) if charts else None
    )
    return h.head[
        h.meta(charset="utf-8"),
        h.meta(name="viewport", content="width=device-width, initial-scale=1"),
        h.meta(name="color-scheme", content="light dark"),
        h.title[f"{title} · regretless"],
        h.link(rel="icon", href=files.url("icon.svg"), type="image/svg+xml"),
        h.link(rel="stylesheet", href=files.url("explorer.css")),
        h.script(src=files.url("explorer.js"), defer=True),
        drawing,
        [h.script(src=files.url(name), defer=True) for name in scripts],
    ]


def _header(explorer: Explorer, request: PageRequest) -> h.Element:
    run = request.text("run")
    shown = run if run.isascii() and run.isdecimal() and len(run) < 6 else None
    pages = {path: name for path, name in PAGES.items() if path not in SOLVING_PAGES or explorer.may_solve}
    items = [
        h.li[h.a(href=url(path, run=shown), aria_current="page" if path == request.path else None)[name]]
        for path, name in pages.items()
    ]
    hint = "Light, dark or as the system"
    return h.header[
        h.a(".brand", href="/")["regretless"],
        h.nav(aria_label="Pages")[h.ul[items]],
        h.button("#theme", type="button", title=hint, aria_label="Change colours")["◐"],
    ]


def message(
    explorer: Explorer, request: PageRequest, title: str, sentence: str, status: int, *more: h.Node
) -> Response:
    """A page with one message."""
    text = h.p(".problem")[as_sentence(sentence)]
    return frame(explorer, request, title, h.h1[title], text, more, status=status)


def as_sentence(text: str) -> str:
    """With a capital letter, unless the text begins with the name of a file, and with a full stop."""
    first = text.partition(" ")[0]
    begun = text if "." in first else text[:1].upper() + text[1:]
    return begun if begun.endswith((".", "?", "!")) else f"{begun}."


def section(title: str, *content: h.Node) -> h.Element:
    """A part of a page with its title."""
    return h.section(".panel")[h.h2[title], content]


def run_field(
    entries: Sequence[Entry], chosen: int | None, name: str = "run", label: str = "Run", submit: bool = True
) -> h.Element:
    """A list of runs; with `submit`, a choice sends the form."""
    options = [h.option(value=entry.number, selected=entry.number == chosen)[entry.name] for entry in entries]
    return h.label[h.span[label], h.select(name=name, data_submit="true" if submit else None)[options]]


def run_form(request: PageRequest, entries: Sequence[Entry], chosen: int | None, *more: h.Node) -> h.Element:
    """The form at the top of a page in which the run is chosen."""
    button = h.button(".quiet", type="submit")["Show"]
    return h.form(".choices", method="get", action=request.path)[run_field(entries, chosen), more, button]


def pager(path: str, total: int, first: int, size: int, **values: Any) -> h.Element | None:
    """Links through a long list; None if the list fits on one page."""
    if total <= size:
        return None
    last = min(first + size, total)
    before = link("‹ previous", path, first=max(first - size, 0) or None, **values) if first > 0 else None
    after = link("next ›", path, first=last, **values) if last < total else None
    return h.nav(".pager", aria_label="Parts of the list")[
        before, h.span[f"{first + 1:,}–{last:,} of {total:,}"], after
    ]
