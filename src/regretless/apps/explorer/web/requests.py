"""What a browser asks for and what it gets, without any network: pages are functions from one to the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from regretless.errors import OptionError

__all__ = ["Request", "Response", "redirect"]

MOST_DIGITS = 12


@dataclass(frozen=True)
class Request:
    """A request, taken apart."""

    method: str
    path: str
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)
    fragment: bool = False
    """Whether only a piece of the page is wanted, to be put into the page that is there."""

    def all(self, name: str) -> Sequence[str]:
        """Every value of a name; a form has precedence."""
        return self.form.get(name) or self.query.get(name) or ()

    def text(self, name: str, default: str = "") -> str:
        """The first value of a name."""
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

    def choice(self, name: str, known: Sequence[str]) -> str:
        """One of some words; the first where it is missing or unknown."""
        text = self.text(name)
        return text if text in known else known[0]


@dataclass(frozen=True)
class Response:
    """An answer."""

    body: str | bytes
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)


def redirect(to: str) -> Response:
    """See there instead, by a request that may be repeated."""
    return Response("", 303, headers={"Location": to})
