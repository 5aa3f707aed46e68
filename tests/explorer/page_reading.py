"""Pages without a network: requested from the application in this process, and parsed into elements and words."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urlencode

from regretless.apps.explorer.web.app import application
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.explorer.web.guards import Guard


@dataclass(frozen=True)
class Answer:
    """What the application has sent."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    text: str


def ask(app: Any, method: str, path: str, query: str = "", body: str = "", **headers: str) -> Answer:
    """One request to an ASGI application."""
    sent = {"host": "127.0.0.1", **{name.replace("_", "-").lower(): value for name, value in headers.items()}}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": unquote(path), "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in sent.items()],
        "server": ("127.0.0.1", 8765), "client": ("127.0.0.1", 50000),
    }  # fmt: skip
    messages: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body.encode(), "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    asyncio.run(app(scope, receive, send))
    start, *rest = messages
    found = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], found, b"".join(part.get("body", b"") for part in rest).decode())


def get(explorer: Explorer, path: str, fragment: bool = False, **query: object) -> Answer:
    return ask(Guard(application(explorer)), "GET", path, urlencode(query, doseq=True), **_fragment(fragment))


def get_loaded(explorer: Explorer, path: str, **query: object) -> Answer:
    """A page once its run is loaded: until then it asks to be requested again, as a browser does."""
    end = time.monotonic() + 60
    while (answer := get(explorer, path, **query)).status == 503 and time.monotonic() < end:
        time.sleep(0.1)
    return answer


def post(explorer: Explorer, path: str, fragment: bool = True, **form: object) -> Answer:
    app = Guard(application(explorer))
    return ask(app, "POST", path, body=urlencode(form, doseq=True), **_fragment(fragment))


def _fragment(fragment: bool) -> dict[str, str]:
    return {"X_Fragment": "1"} if fragment else {}


class Elements(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((name, dict(attributes)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())
