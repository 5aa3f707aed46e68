"""Pages without a network: asked for as functions, and taken apart into elements and words."""

from __future__ import annotations

from html.parser import HTMLParser

from regretless.apps.explorer.web.app import Explorer
from regretless.apps.explorer.web.requests import Request, Response


def get(explorer: Explorer, path: str, fragment: bool = False, **query: object) -> Response:
    values = {
        name: [str(v) for v in value] if isinstance(value, list) else [str(value)] for name, value in query.items()
    }
    return explorer.answer(Request("GET", path, values, fragment=fragment))


def post(explorer: Explorer, path: str, **form: object) -> Response:
    return explorer.answer(
        Request("POST", path, form={name: [str(value)] for name, value in form.items()}, fragment=True)
    )


class Elements(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, body: str | bytes) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(body if isinstance(body, str) else body.decode())

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((name, dict(attributes)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())
