"""The drill page: questions, answers, late answers, and sessions that are gone."""

from __future__ import annotations

import re
from pathlib import Path

import page_reading
import pytest
from explored import saved, solved

from regretless.apps.explorer.web.explorer import Explorer


@pytest.fixture
def explorer(tmp_path: Path) -> Explorer:
    runs = [saved(tmp_path, "kuhn.run", solved("kuhn", 1000)), saved(tmp_path, "leduc.run", solved("leduc", 200))]
    return Explorer(runs, patience=300)


def begun(explorer: Explorer, **form: object) -> str:
    answer = page_reading.post(explorer, "/drill/new", **form)
    assert answer.status == 303
    found = re.search(r"drill=([\w-]+)", answer.headers["location"])
    assert found
    return found[1]


def question_of(page: str) -> str:
    found = re.search(r'name="question" value="(\d+)"', page)
    assert found
    return found[1]


def test_a_drill(explorer: Explorer) -> None:
    assert "Situations of" in page_reading.get(explorer, "/drill").text
    token = begun(explorer, run=0)
    page = page_reading.get(explorer, "/drill", drill=token).text
    assert "Question 1, " in page and page.count('class="move"') == 2
    number = question_of(page)
    part = page_reading.post(explorer, "/drill/answer", drill=token, question=number, action=0).text
    assert "← you" in part and "<html" not in part
    late = page_reading.post(explorer, "/drill/answer", drill=token, question=number, action=1).text
    assert late == part  # a second answer to the same question changes nothing
    part = page_reading.post(explorer, "/drill/next", drill=token, question=number).text
    assert "Question 2, " in part and question_of(part) != number
    for _ in range(12):
        part = page_reading.post(explorer, "/drill/answer", drill=token, question=question_of(part), action=1).text
        part = page_reading.post(explorer, "/drill/next", drill=token, question=question_of(part), again="1").text
    assert "drill-curve" in part and "Worst mistakes" in part


@pytest.mark.full
def test_all_runs_in_one_drill(explorer: Explorer) -> None:
    token = begun(explorer, run="")
    seen = set()
    for _ in range(12):
        page = page_reading.get(explorer, "/drill", drill=token).text
        seen.add("leduc" if "leduc.run<" in page.partition("Situations of")[0] else "kuhn")
        number = question_of(page)
        page_reading.post(explorer, "/drill/answer", drill=token, question=number, action=0)
        page_reading.post(explorer, "/drill/next", drill=token, question=number)
    assert seen == {"kuhn", "leduc"}


def test_what_goes_wrong(explorer: Explorer) -> None:
    assert page_reading.get(explorer, "/drill", drill="<script>").status == 410
    assert "<script>" not in page_reading.get(explorer, "/drill", drill="<script>").text
    assert page_reading.post(explorer, "/drill/answer", drill="x", action=0).status == 410
    assert page_reading.post(explorer, "/drill/next", drill="x").status == 410
    assert page_reading.post(explorer, "/drill/new", run=77).status == 404
    token = begun(explorer, run=0)
    number = question_of(page_reading.get(explorer, "/drill", drill=token).text)
    for wrong in ({"action": "9"}, {"action": "x"}, {}):
        assert page_reading.post(explorer, "/drill/answer", drill=token, question=number, **wrong).status == 422
    assert "solve a game first" in page_reading.get(Explorer([]), "/drill").text
    assert page_reading.post(Explorer([]), "/drill/new", run="").status == 422
