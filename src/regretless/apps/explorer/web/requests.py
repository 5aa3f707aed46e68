"""What a page reads from a request: its fields, the theme, and whether only a part of the page is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from regretless.errors import OptionError

__all__ = ["PageRequest", "read_request"]

LARGEST_BODY = 64 * 1024
LARGEST_BODIES = {"/hands/review": 16_000_000}
"""Bytes of forms that take files: 4,000,000 characters, of which some are sent as three bytes or more."""
MOST_FIELDS = 100
MOST_DIGITS = 12


@dataclass(frozen=True)
class PageRequest:
    """The request of a page, parsed."""

    path: str
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Values by name, from the query and from a form."""
    theme: str = ""
    fragment: bool = False
    """Whether only the changing part of the page is wanted, to replace it in the page that is shown."""

    def all(self, name: str) -> Sequence[str]:
        """All values of a field."""
        return self.fields.get(name, ())

    def text(self, name: str, default: str = "") -> str:
        """The first value of a field."""
        found = self.all(name)
        return found[0] if found else default

    def number(self, name: str, default: int | None = None) -> int | None:
        """A whole number from 0 on."""
        text = self.text(name).strip()
        if not text:
            return default
        if not (text.isascii() and text.isdecimal()) or len(text) > MOST_DIGITS:
            raise OptionError(f"{name} is a whole number, got {text[:40]!r}")
        return int(text)

    def decimal(self, name: str) -> float | None:
        """A number; None if the field is empty."""
        text = self.text(name).strip()
        if not text:
            return None
        try:
            return float(text)
        except ValueError:
            raise OptionError(f"{name} is a number, got {text[:40]!r}") from None

    def choice(self, name: str, known: Sequence[str]) -> str:
        """One of some words; the first one if the field is empty or unknown."""
        text = self.text(name)
        return text if text in known else known[0]


async def read_request(request: Request) -> PageRequest:
    """Read the fields of a request; a form that is too large is refused before it is read whole."""
    fields = _fields(request.scope["query_string"].decode("latin-1"))
    if request.method == "POST":
        fields |= _fields((await _body(request)).decode("utf-8", "replace"))
    return PageRequest(
        path=request.scope["path"],
        fields=fields,
        theme=request.cookies.get("theme", ""),
        fragment="x-fragment" in request.headers,
    )


async def _body(request: Request) -> bytes:
    body, most = bytearray(), LARGEST_BODIES.get(request.scope["path"], LARGEST_BODY)
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise HTTPException(413, "The form is too large.", headers={"Connection": "close"})
    except ClientDisconnect:
        raise HTTPException(400, "The form is incomplete.") from None
    return bytes(body)


def _fields(text: str) -> dict[str, list[str]]:
    try:
        return parse_qs(text, max_num_fields=MOST_FIELDS, keep_blank_values=True)
    except ValueError:
        raise HTTPException(400, f"A request has at most {MOST_FIELDS} fields.") from None
