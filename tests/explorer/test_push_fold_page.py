"""The page of push or fold: the charts of the Python call, other stacks, and wrong numbers."""

from __future__ import annotations

import csv
from html import unescape
from io import StringIO

import page_reading
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.apps.explorer.web.explorer import Explorer

pytestmark = pytest.mark.skipif(INTERPRETED, reason="builds a tree of 169 × 169 deals")


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return Explorer([])


def test_charts(explorer: Explorer) -> None:
    found = rg.poker.push_fold(10, ante=0.125)
    page = unescape(page_reading.get(explorer, "/push-fold", stack=10, ante=0.125, hand="72o").text)
    assert str(found.push_range) in page and str(found.call_range) in page
    assert page.count("data-class=") == 2 * 169 and f"{found.push_share:.1%}" in page
    assert page.count('aria-current="true">10<') == 1 and "<h2>72o</h2>" in page
    assert page.count('class="label-patch"') == 2 * 169  # labels stand on light and dark colours
    table = page_reading.get(explorer, "/push-fold", stack=10, ante=0.125, csv=1)
    rows = list(csv.DictReader(StringIO(table.text)))
    assert len(rows) == 169 and float(rows[0]["push_ev"]) == found.push_ev[0]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"stack": "ten"}, "Stack is a number, got 'ten'"),
        ({"stack": "0.5"}, "stack"),
        ({"stack": "nan"}, "stack"),
        ({"ante": "10"}, "chips must be left"),
        ({"small_blind": "2"}, "small_blind"),
    ],
)
def test_wrong_numbers_keep_the_form(explorer: Explorer, given: dict[str, str], sentence: str) -> None:
    answer = page_reading.get(explorer, "/push-fold", **given)
    assert answer.status == 422 and sentence in unescape(answer.text)
    assert all(f'value="{value}"' in answer.text for value in given.values())
