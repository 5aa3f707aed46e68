"""What must not happen: a run that becomes part of a page, a file read that was not given, a server used by others."""

from __future__ import annotations

import dataclasses
import http.client
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from browsing import explorer_at
from explored import saved, solved
from page_reading import Elements, get, post

import regretless as rg
from regretless.apps.explorer.web.app import Explorer
from regretless.apps.explorer.web.charts import Line, chart
from regretless.apps.explorer.web.markup import Markup, join, tag
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
        elements = Elements(page.body)
        assert sum(name == "script" for name, _ in elements.found) == 1
        assert not [1 for name, a in elements.found if name == "img" or any(key.startswith("on") for key in a)]
    shown = Elements(pages[1].body)
    assert "<script>alert(1)</script>" in shown.text  # as text


def test_markup_escapes_whatever_it_did_not_make() -> None:
    assert join(EVIL) == Markup(join(EVIL))
    assert "<" not in join(EVIL)
    assert tag("p", EVIL, title=EVIL).count("<") == 2
    assert tag("br") == "<br>"
    assert join(["a", ("b", None, 1)], Markup("<b>")) == "ab1<b>"


def test_charts_of_strange_histories() -> None:
    rows = [{"iteration": x, "exploitability": y} for x, y in ((0, 1), (1, 0), (2, float("nan")), (3, float("inf")))]
    assert "Nothing has been measured" in chart([Line(0, "x", rows)], "iteration", "iterations")
    one = chart([Line(0, EVIL, [{"iteration": 5, "exploitability": 0.1}])], "iteration", "iterations")
    assert one.startswith("<svg") and "<script" not in one
    long = [{"iteration": n, "exploitability": 1 / n} for n in range(1, 5000)]
    drawn = chart([Line(place, str(place), long) for place in range(9)], "iteration", "iterations")
    assert drawn.count("<polyline") == 9
    assert len(drawn) < 60_000


# -- over the network -------------------------------------------------------------------------------------------------


def ask(
    address: str, method: str, path: str, body: str | None = None, **headers: str
) -> tuple[int, str, dict[str, str]]:
    host = address.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=20)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, {"Host": host, **sent})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text, dict(answer.getheaders())


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    with explorer_at([saved(folder, "kuhn.run")], save_to=str(folder)) as (found, _):
        yield found


def test_headers_forbid_what_pages_do_not_need(address: str) -> None:
    status, _, headers = ask(address, "GET", "/convergence")
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert "Python" not in headers["Server"]
    assert ask(address, "HEAD", "/convergence")[:2] == (200, "")
    script = re.search(r"/static/explorer.js\?v=\w+", ask(address, "GET", "/play")[1])[0]  # type: ignore[index]
    assert "immutable" in ask(address, "GET", script)[2]["Cache-Control"]


def test_other_pages_cannot_use_the_server(address: str) -> None:
    """A page elsewhere that makes its name point here, or sends a form here, is turned away."""
    assert ask(address, "GET", "/convergence", Host="evil.example")[0] == 403
    assert ask(address, "GET", "/convergence", Host="localhost:1")[0] == 200
    form = urlencode({"run": 0, "seat": "0"})
    kind = "application/x-www-form-urlencoded"
    assert ask(address, "POST", "/play/new", form, Content_Type=kind)[0] == 303
    assert ask(address, "POST", "/play/new", form, Content_Type=kind, Origin="http://evil.example")[0] == 403
    assert ask(address, "POST", "/play/new", form, Content_Type=kind, Sec_Fetch_Site="cross-site")[0] == 403
    assert ask(address, "POST", "/play/new", form, Content_Type=kind, Sec_Fetch_Site="same-origin")[0] == 303


def test_paths_and_bodies_out_of_bounds(address: str) -> None:
    for path in (
        "/static/../../../../etc/passwd",
        "/../../etc/passwd",
        "/static/%2e%2e%2fapp.py",
        "//etc/passwd",
        "/%00",
    ):
        status, text, _ = ask(address, "GET", path)
        assert status in (303, 404), path
        assert "root:" not in text
    assert ask(address, "POST", "/play/new", "x" * 100_000)[0] == 413
    assert ask(address, "PUT", "/play/new", "x")[0] == 501
    assert ask(address, "GET", "/convergence?" + "&".join(f"a{n}=1" for n in range(500)))[0] == 200
    assert ask(address, "GET", "/convergence", Cookie="theme=\x01;;;=")[0] == 200
    assert 'data-theme="dark"' in ask(address, "GET", "/convergence", Cookie="theme=dark")[1]
