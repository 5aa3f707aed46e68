"""Pages without a browser: what they say, and what they refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from explored import saved, solved
from page_reading import Elements, get, post

import regretless as rg
from conftest import built
from regretless.apps.explorer.web.app import ROUTES
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.explorer.web.guards import is_loopback


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    folder = tmp_path_factory.mktemp("runs")
    runs = [saved(folder, "kuhn.run"), saved(folder, "leduc.run", solved("leduc", 100))]
    weak = rg.solve(built("leduc"), rg.CFR, iterations=10)
    made = Explorer([*runs, saved(folder, "weak.run", weak)], save_to=str(folder), patience=300)
    yield made
    made.close()


@pytest.mark.parametrize("path", sorted({path for method, path in ROUTES if method == "GET"}))
def test_pages_carry_no_script_and_no_style_of_their_own(explorer: Explorer, path: str) -> None:
    """The policy forbids both; a page that had some would be broken, not unsafe."""
    page = get(explorer, path)
    assert page.status == 200
    elements = Elements(page.text).found
    scripts = [attributes for name, attributes in elements if name == "script"]
    assert all(list(attributes)[:2] == ["src", "defer"] for attributes in scripts)
    assert not [name for name, _ in elements if name in ("style", "iframe", "object")]
    assert not [1 for _, attributes in elements for name in attributes if name == "style" or name.startswith("on")]
    loaded = [value for _, a in elements for name, value in a.items() if name in ("src", "href", "action") and value]
    assert all(value.startswith(("/", "#")) for value in loaded)


def test_the_first_page(explorer: Explorer) -> None:
    assert get(explorer, "/").headers["location"] == "/convergence"
    text = Elements(get(explorer, "/convergence").text).text
    assert "kuhn.run" in text and "CFR+" in text and "finished" in text
    only = Elements(get(explorer, "/convergence", fragment=True, show=["1"]).text)
    assert only.found[0][0] == "div"
    charts = [json.loads(str(a["data-chart"])) for _, a in only.found if "data-chart" in a]
    assert [chart["title"] for chart in charts] == ["iterations", "seconds"]
    assert [[line["name"] for line in chart["lines"]] for chart in charts] == [["leduc.run"], ["leduc.run"]]


def test_an_explorer_without_runs(tmp_path: Path) -> None:
    bare = Explorer(save_to=str(tmp_path))
    assert get(bare, "/").headers["location"] == "/solve"
    assert get(bare, "/convergence").status == 200
    assert get(bare, "/play").status == 200
    assert get(bare, "/strategy").status == 404


def test_a_node_shows_the_strategy_s_numbers(explorer: Explorer) -> None:
    page = Elements(get(explorer, "/strategy", run=0, node="0-0").text)
    shown = [float(str(a["data-probability"])) for _, a in page.found if "data-probability" in a]
    strategy = solved("kuhn").strategy
    assert shown == [p for label in ("Jpb", "Qpb", "Kpb") for p in strategy[label].values()]
    current = Elements(get(explorer, "/strategy", run=0, node="0-0", which="current").text)
    assert [float(str(a["data-probability"])) for _, a in current.found if "data-probability" in a] == [
        p for label in ("Jpb", "Qpb", "Kpb") for p in solved("kuhn").current[label].values()
    ]
    assert get(explorer, "/strategy", run=0, node="7-7").status == 404


def test_infosets_that_play_never_reaches_are_marked(tmp_path: Path) -> None:
    bets = {card: [0, 1] for card in "JQK"}  # player 0 never passes
    rg.Strategy.from_dict(built("kuhn"), bets, missing="uniform").save(tmp_path / "bold.strategy")
    bold = Explorer([str(tmp_path / "bold.strategy")], game="kuhn", patience=300)
    after_bet = Elements(get(bold, "/strategy", run=0, node="1").text)
    assert "never reached" not in after_bet.text
    after_pass = Elements(get(bold, "/strategy", run=0, node="0").text)
    assert after_pass.text.count("never reached") == 3
    assert "Play never comes here" in after_pass.text
    assert sum(a.get("class") == "unreached" for _, a in after_pass.found) == 3


def test_every_link_of_the_outline_leads_somewhere(explorer: Explorer) -> None:
    seen, waiting = set(), ["/strategy?run=0"]
    while waiting:
        address = waiting.pop()
        path, _, text = address.partition("?")
        if address in seen or path != "/strategy":
            continue
        seen.add(address)
        query = dict(pair.split("=") for pair in text.split("&"))
        page = get(explorer, path, **query)
        assert page.status == 200, address
        waiting += [str(a["href"]) for n, a in Elements(page.text).found if n == "a" and "run=0" in str(a.get("href"))]
    assert len(seen) == 4


def test_a_game_that_takes_its_time_is_waited_for(tmp_path: Path) -> None:
    hasty = Explorer([saved(tmp_path, "kuhn.run")], patience=0.0)
    first = get(hasty, "/strategy", run=0)
    assert first.status == 503
    assert first.headers["refresh"] == "1"
    assert "kuhn.run is being loaded" in Elements(first.text).text
    assert hasty.library.load(0).prepared(300)
    assert get(hasty, "/strategy", run=0).status == 200


def test_search_and_pages_of_long_lists(explorer: Explorer) -> None:
    found = Elements(get(explorer, "/strategy", run=1, search="Ks*").text)
    assert "156 infosets" in found.text
    assert sum("data-infoset" in a for _, a in found.found) == 50
    last = Elements(get(explorer, "/strategy", run=1, search="Ks*", first=150).text)
    assert sum("data-infoset" in a for _, a in last.found) == 6
    beyond = get(explorer, "/strategy", run=1, search="Ks*", first=10**9)
    assert beyond.status == 200
    assert "A star stands for any text" in Elements(get(explorer, "/strategy", run=1, search="zzz").text).text
    assert "468 infosets" in Elements(get(explorer, "/strategy", run=1, player=1).text).text


def test_leaks_on_the_page_are_those_of_the_view_model(explorer: Explorer) -> None:
    text = Elements(get(explorer, "/best-response", run=2, player=1).text).text
    weak = rg.solve(built("leduc"), rg.CFR, iterations=10).strategy
    gain = rg.best_response(built("leduc"), weak, 1).value - rg.value(built("leduc"), weak, 1)
    assert f"lost {gain:.3f}" in text
    assert get(explorer, "/best-response", run=2, player=9, by="response", first=3).status == 200


def test_compare(explorer: Explorer) -> None:
    text = Elements(get(explorer, "/compare", run=1).text).text  # finds the other run of Leduc by itself
    assert "exploitability of leduc.run" in text and "exploitability of weak.run" in text
    itself = Elements(get(explorer, "/compare", run=0).text).text
    assert "last iterate" in itself
    assert (
        "They cannot be compared: the strategy belongs to another game"
        in Elements(get(explorer, "/compare", run=0, other=1).text).text
    )


def test_playing_a_hand(explorer: Explorer) -> None:
    went = post(explorer, "/play/new", run=0, seat="0")
    assert went.status == 303
    token = re.search(r"table=([^&]+)", went.headers["location"])[1]  # type: ignore[index]
    shown = get(explorer, "/play", table=token)
    assert "You are player 0" in Elements(shown.text).text
    assert "← most likely" in Elements(get(explorer, "/play", table=token, hint=1).text).text
    turn = 0
    while "outcome" not in (answer := post(explorer, "/play/act", table=token, turn=turn, action=1)).text:
        turn += 1
        assert turn < 5
    text = Elements(answer.text).text
    assert "The strategy with your cards" in text and "← you" in text
    late = post(explorer, "/play/act", table=token, turn=turn, action=0)
    assert "gone on already" in Elements(late.text).text
    assert "Hand 2" in Elements(post(explorer, "/play/act", table=token, deal=1, hand=1).text).text
    assert post(explorer, "/play/act", table=token, turn=9).status == 422
    assert post(explorer, "/play/act", table="made-up", turn=0, action=0).status == 410
    assert get(explorer, "/play", table="made-up").status == 410
    plain = post(explorer, "/play/act", fragment=False, table=token, turn=9, action=0)
    assert plain.status == 303  # without our script the page is loaded anew


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("/strategy", {"run": 99}, 404),
        ("/strategy", {"run": "x"}, 422),
        ("/strategy", {"run": "../../etc/passwd"}, 422),
        ("/strategy", {"run": "9" * 400}, 422),
        ("/strategy", {"run": "٣"}, 422),
        ("/static/../app.py", {}, 404),
        ("/static/%2e%2e/app.py", {}, 404),
        ("/static/", {}, 404),
        ("/etc/passwd", {}, 404),
        ("/solve", {"job": 5}, 422),
        ("/nowhere", {}, 404),
    ],
)
def test_requests_that_lead_nowhere(explorer: Explorer, path: str, query: dict[str, object], status: int) -> None:
    page = get(explorer, path, **query)
    assert page.status == status
    assert "Traceback" not in page.text


def test_solving_only_for_this_machine(tmp_path: Path) -> None:
    public = Explorer([saved(tmp_path, "kuhn.run")], solving=False, save_to=str(tmp_path))
    assert get(public, "/solve").status == 404
    assert post(public, "/solve/start", game="kuhn").status == 404
    assert "Solve" not in Elements(get(public, "/convergence").text).text
    assert is_loopback("127.0.0.1") and is_loopback("::1") and is_loopback("localhost")
    assert not is_loopback("0.0.0.0") and not is_loopback("example.org")


def test_mistakes_of_ours_show_no_traceback(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "chosen_run", lambda request: 1 / 0)
    page = get(explorer, "/strategy")
    assert page.status == 500
    assert "ZeroDivisionError" not in page.text
