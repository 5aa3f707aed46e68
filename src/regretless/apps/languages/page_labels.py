"""Pages of the explorer in another language: labels are looked up in the table, everything else stays as it is.

Pages are written in English and translated as a whole: every text between two tags, and every attribute that is read or
shown to people. A text that is in the table becomes its translation. A text that fits a pattern of the table, such as
"Strategy of {name}", is translated with what stands for the name kept, or translated if it is a label itself. All other
texts are data, names or error messages. An action of a game that has the same name as a label is translated, too.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from functools import lru_cache

from regretless.apps.languages.tables import chinese

__all__ = ["ATTRIBUTES", "page_in_chinese", "translated"]

ATTRIBUTES = ("title", "placeholder", "aria-label")
"""Attributes that people read or hear."""

CHART = "data-chart"
"""The attribute with the data of a chart, as JSON; its titles are labels."""

CHART_TITLES = ("title", "vertical")

TAG_OR_TEXT = re.compile(r"<[^>]*>|[^<]+")
ATTRIBUTE = re.compile(rf'\b({"|".join((*ATTRIBUTES, CHART))})="([^"]*)"')
UNTOUCHED = re.compile(r"<(/?)(pre|textarea|script)\b")
HOLE = re.compile(r"\\\{(\w+)\\\}")
NUMBERS = ("all", "count", "first", "number", "player", "seat")
"""Holes of patterns that only a number fits; any text fits the others."""


def page_in_chinese(page: str) -> str:
    """A page, or a part of one, with its labels in Chinese."""
    out, kept = [], False
    for piece in TAG_OR_TEXT.findall(page):
        if piece.startswith("<"):
            if found := UNTOUCHED.match(piece):
                kept = not found[1]
            out.append(_tag(piece))
        else:
            out.append(piece if kept else _text(piece))
    return "".join(out)


def _tag(tag: str) -> str:
    if tag.startswith("<html "):
        tag = tag.replace('lang="en"', 'lang="zh-CN"')
    return ATTRIBUTE.sub(_attribute, tag)


def _attribute(found: re.Match[str]) -> str:
    name, value = found[1], html.unescape(found[2])
    if name == CHART:
        chart = json.loads(value)
        chart |= {title: translated(chart[title]) for title in CHART_TITLES if title in chart}
        value = json.dumps(chart, separators=(",", ":"), ensure_ascii=False)
    else:
        value = translated(value)
    return f'{name}="{html.escape(value)}"'


def _text(text: str) -> str:
    """A text between two tags; blanks around it stay, since words may follow in another element."""
    bare = text.strip()
    if not bare:
        return text
    begin = text.index(bare[0])
    return text[:begin] + html.escape(translated(html.unescape(bare)), quote=False) + text[begin + len(bare) :]


def translated(text: str) -> str:
    """A label in Chinese; a text that is none stays as it is.

    >>> translated("Strategy of kuhn.run · regretless"), translated("kuhn.run")
    ('kuhn.run 的策略 · regretless', 'kuhn.run')
    """
    labels = chinese("labels")
    if text in labels:
        return labels[text]
    for pattern, entry in _patterns().items():
        if found := pattern.fullmatch(text):
            return entry.format(**{name: translated(part) for name, part in found.groupdict().items()})
    return text


@lru_cache(maxsize=1)
def _patterns() -> Mapping[re.Pattern[str], str]:
    """The patterns of the table: what stands in braces is any text."""

    def filled(hole: re.Match[str]) -> str:
        return rf"(?P<{hole[1]}>{'[0-9,.]+' if hole[1] in NUMBERS else '.+?'})"

    return {
        re.compile(HOLE.sub(filled, re.escape(text)), re.DOTALL): entry for text, entry in chinese("patterns").items()
    }
