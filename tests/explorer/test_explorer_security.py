"""What must not happen: text of a run that becomes a part of a page."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
from explored import solved
from page_reading import Elements, get, post

import regretless as rg
from regretless.apps.explorer.pages.charts import Line, chart, charts_of
from regretless.apps.explorer.web.explorer import Explorer
from regretless.layout.labels import Labels

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


# -- what a run's file holds is text ----------------------------------------------------------------------------------


def evil_strategy(path: Path) -> None:
    """A strategy whose labels and actions try to be more than text."""
    labels = Labels(
        players=1, names=(EVIL, "plain"), actions=((EVIL, "b"), ("a", "b")), owner=np.zeros(2, np.int32),
        first=np.array([1, 3], np.int32), stride=np.ones(2, np.int32),
        reading_order=np.arange(2, dtype=np.int32), sequences=5,
    )  # fmt: skip
    rg.Strategy(labels, np.array([1, 0.5, 0.5, 0.5, 0.5])).save(path)


def test_nothing_in_a_run_becomes_a_part_of_the_page(tmp_path: Path) -> None:
    evil_strategy(tmp_path / "evil.strategy")
    run = solved("kuhn")
    dataclasses.replace(run, game=EVIL, stopped=EVIL).save(tmp_path / "evil.run")
    named = tmp_path / f"{EVIL.replace('/', '_')}.run"
    run.save(named)
    explorer = Explorer([str(tmp_path / "evil.strategy"), str(tmp_path / "evil.run"), str(named)], patience=300)
    pages = [
        get(explorer, "/convergence"),
        *(
            get(explorer, path, run=number)
            for number in range(3)
            for path in ("/strategy", "/best-response", "/compare")
        ),
        get(explorer, "/strategy", run=0, search=EVIL),
        get(explorer, "/strategy", run=EVIL),
        get(explorer, f"/{EVIL}"),
        get(explorer, "/play", table=EVIL),
        post(explorer, "/solve/start", game=EVIL, parameters=EVIL),
        post(explorer, "/solve/save", job=EVIL, name=EVIL),
        get(explorer, "/solve", game=EVIL, parameters=EVIL),
    ]
    for page in pages:
        elements = Elements(page.text)
        assert all(list(a)[:2] == ["src", "defer"] for name, a in elements.found if name == "script")
        assert not [1 for name, a in elements.found if name == "img" or any(key.startswith("on") for key in a)]
    shown = Elements(pages[1].text)
    assert "<script>alert(1)</script>" in shown.text  # as text


def test_charts_of_strange_histories() -> None:
    rows = [{"iteration": x, "exploitability": y} for x, y in ((0, 1), (1, 0), (2, float("nan")), (3, float("inf")))]
    assert "Nothing has been measured" in str(chart([Line(0, "x", rows)], "iteration", "iterations"))
    one = str(chart([Line(0, EVIL, [{"iteration": 5, "exploitability": 0.1}])], "iteration", "iterations"))
    (element, *_) = Elements(one).found
    assert json.loads(str(element[1]["data-chart"]))["lines"] == [{"number": 0, "name": EVIL, "x": [5], "y": [0.1]}]
    assert "<script" not in one
    long = [{"iteration": n, "exploitability": 1 / n, "seconds": n / 7} for n in range(1, 5000)]
    drawn = str(charts_of([Line(number, str(number), long) for number in range(8)]))
    assert len(drawn) < 200_000
