"""What all pages share: the frame, the way to choose a run, and the way through long lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regretless.apps.explorer.web.markup import Child, Markup, join, link, query, tag
from regretless.apps.explorer.web.requests import Request, Response

if TYPE_CHECKING:
    from regretless.apps.explorer.web.app import Explorer
    from regretless.apps.views.library import Entry

__all__ = ["PAGES", "as_sentence", "frame", "message", "pager", "run_field", "run_form", "section"]

PAGES = {
    "/convergence": "Convergence",
    "/strategy": "Strategy",
    "/best-response": "Best response",
    "/compare": "Compare",
    "/play": "Play",
    "/solve": "Solve",
}

THEMES = ("system", "light", "dark")


def frame(explorer: Explorer, request: Request, title: str, *content: Child, status: int = 200) -> Response:
    """A whole page."""
    run = request.text("run")
    kept = run if run.isascii() and run.isdecimal() and len(run) < 6 else None
    here = request.path
    items = [
        tag("li", tag("a", name, href=query(path, run=kept), aria_current="page" if path == here else None))
        for path, name in PAGES.items()
        if path != "/solve" or explorer.may_solve
    ]
    theme = request.cookies.get("theme", "system")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title} · regretless"),
        tag("link", rel="icon", href=explorer.static("icon.svg"), type="image/svg+xml"),
        tag("link", rel="stylesheet", href=explorer.static("explorer.css")),
        tag("script", src=explorer.static("explorer.js"), defer=True),
    )
    body = tag(
        "body",
        tag("a", "Skip to the content", href="#content", css="skip"),
        tag(
            "header",
            tag("a", "regretless", href="/", css="brand"),
            tag("nav", tag("ul", items), aria_label="Pages"),
            tag(
                "button",
                "◐",
                type="button",
                id="theme",
                title="Light, dark or as the system",
                aria_label="Change colours",
            ),
        ),
        tag("div", "The server does not answer. Trying again …", id="lost", role="alert", hidden=True),
        tag("main", *content, id="content", tabindex="-1"),
    )
    shown = theme if theme in THEMES[1:] else None
    return Response("<!doctype html>" + tag("html", head, body, lang="en", data_theme=shown), status)


def message(explorer: Explorer, request: Request, title: str, sentence: str, status: int, *more: Child) -> Response:
    """A page that says one thing."""
    text = as_sentence(sentence)
    return frame(explorer, request, title, tag("h1", title), tag("p", text, css="problem"), *more, status=status)


def as_sentence(text: str) -> str:
    """With a capital letter, unless it begins with the name of a file, and with an end."""
    first = text.partition(" ")[0]
    begun = text if "." in first else text[:1].upper() + text[1:]
    return begun if begun.endswith((".", "?", "!")) else f"{begun}."


def section(title: str, *content: Child, css: str = "panel", **attributes: str) -> Markup:
    """A part of a page with its title."""
    return tag("section", tag("h2", title), *content, css=css, **attributes)


def run_field(
    entries: Sequence[Entry], chosen: int | None, name: str = "run", label: str = "Run", submit: bool = True
) -> Markup:
    """A list of runs to choose from; with `submit`, choosing is enough."""
    options = [tag("option", entry.name, value=entry.number, selected=entry.number == chosen) for entry in entries]
    return tag("label", tag("span", label), tag("select", options, name=name, data_submit="true" if submit else None))


def run_form(request: Request, entries: Sequence[Entry], chosen: int | None, *more: Child) -> Markup:
    """The line at the top of a page in which the run is chosen."""
    button = tag("button", "Show", type="submit", css="quiet")
    return tag("form", run_field(entries, chosen), *more, button, method="get", action=request.path, css="choices")


def pager(path: str, total: int, first: int, size: int, **values: Any) -> Markup:
    """The way through a long list."""
    if total <= size:
        return join()
    last = min(first + size, total)
    parts: list[Child] = []
    if first > 0:
        parts.append(link("‹ before", path, first=max(first - size, 0) or None, **values))
    parts.append(tag("span", f"{first + 1:,}–{last:,} of {total:,}"))
    if last < total:
        parts.append(link("after ›", path, first=last, **values))
    return tag("nav", *parts, css="pager", aria_label="Parts of the list")
