"""Pages on solved spots: a node is locked by painting, two runs are compared, and leaks are listed."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from page_reading import Elements, get, post

import regretless as rg
from conftest import INTERPRETED
from regretless.apps.explorer.pages.studio.leak_page import loss_text
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.views import holdem_nodes
from regretless.apps.views.studio import studies
from regretless.apps.views.studio.lock_painting import cells_for_browser, painted_game, read_painted
from regretless.apps.views.studio.studies import MOST_KEPT, node_pair

TURN = "Qs Jh 2h 7c"


def spot(board: str = TURN) -> rg.poker.Spot:
    return rg.poker.Spot(board, ("QQ,AK,JTs,98s", "77,AQ,T9s,KTs"), pot=100, stack=100, sizes="bet 75%")


@cache
def runs() -> tuple[rg.Run, rg.Run]:
    free = rg.solve(spot(), rg.DCFR, iterations=20)  # type: ignore[arg-type]
    game = rg.poker.lock_node(free, "check", {"AQ": {"check": 1}})
    return free, rg.solve(game, rg.DCFR, iterations=20)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    folder = tmp_path_factory.mktemp("studying")
    free, locked = runs()
    free.save(folder / "free.run")
    locked.save(folder / "locked.run")
    rg.solve(spot(f"{TURN} 3d"), rg.DCFR, iterations=5).save(folder / "river.run")  # type: ignore[arg-type]
    made = Explorer([str(folder / f"{name}.run") for name in ("free", "locked", "river")], patience=300,
                    save_to=str(folder))  # fmt: skip
    yield made
    made.close()


def node_data(page: str) -> dict[str, object]:
    found = next(a["data-node"] for _, a in Elements(page).found if "data-node" in a)
    return dict(json.loads(str(found)))


# -- locks ------------------------------------------------------------------------------------------------------------


def test_the_page_of_a_node(explorer: Explorer) -> None:
    page = get(explorer, "/spot/lock", run=0, line="check")
    data = node_data(page.text)
    assert page.status == 200 and data["actions"] == ["check", "bet 75", "all-in"]
    assert set(data["cells"]) == {"77", "AQs", "AQo", "T9s", "KTs"}  # type: ignore[call-overload]
    assert "every_board" not in page.text and "Locked nodes" not in page.text
    river = get(explorer, "/spot/lock", run=1, line="check check", board=f"{TURN} 3d").text
    assert 'name="every_board"' in river and "Locked nodes" in river and 'name="keep"' in river
    strategy = get(explorer, "/strategy", run=0, line="check").text
    assert "/spot/lock?run=0&amp;line=check" in strategy and "Lock this node" in strategy


def test_hands_that_differ_by_suits_have_one_number() -> None:
    strategy = runs()[0].strategy
    data = cells_for_browser(strategy, strategy.at("check"))
    numbers = {name: number for rows in data["cells"].values() for name, number, _, _ in rows}
    assert len(numbers) == len(strategy.at("check")) and len(set(numbers.values())) <= len(numbers)


def test_what_was_painted_becomes_a_lock() -> None:
    strategy = runs()[1].strategy
    game = painted_game(strategy, "", "", "QdQc-0-7500-2500.JsTs-10000-0-0", kept={0})
    assert [lock.line for lock in game.locks] == ["check", ""]
    after = rg.solve(game, rg.DCFR, iterations=1).strategy.at("")  # type: ignore[arg-type]
    assert after["QdQc"] == pytest.approx({"check": 0, "bet 75": 0.75, "all-in": 0.25})
    assert after["JsTs"]["check"] == pytest.approx(1)
    assert painted_game(strategy, "", "", None, kept=()).locks == ()
    replaced = painted_game(strategy, "check", "", "7h7d-0-0-10000", kept={0})
    assert len(replaced.locks) == 1


@pytest.mark.parametrize(
    "text", ["QdQc", "QdQc-1", "QdQc-5000-0-0", "<b>-1-2-3", "QdQc-99999-99999-1", "7h7d-10000-0-0"]
)
def test_a_wrong_painting_is_refused(text: str) -> None:
    strategy = runs()[0].strategy
    with pytest.raises(rg.OptionError):
        rg.poker.lock_node(strategy, "", read_painted(text, strategy.at(""), strategy.tree.game.deck))


def test_a_spot_file_with_the_lock(explorer: Explorer) -> None:
    found = post(explorer, "/spot/lock/file", run=1, line="", here=1, keep=0, painted="QdQc-0-10000-0")
    made = rg.poker.spot_from_text(found.text)
    assert found.status == 200 and [lock.line for lock in made.locks] == ["check", ""]
    removed = rg.poker.spot_from_text(post(explorer, "/spot/lock/file", run=1, line="").text)
    assert not removed.locks
    wrong = post(explorer, "/spot/lock/file", run=1, line="", here=1, painted="QdQc-1")
    assert wrong.status == 422 and "there are 3 actions" in wrong.text and 'value="QdQc-1"' in wrong.text


@pytest.mark.skipif(INTERPRETED, reason="a process that compiles")
def test_solving_again_saves_beside_the_run_and_offers_a_comparison(explorer: Explorer) -> None:
    sent = post(
        explorer, "/spot/lock/solve", run=2, line="", here=1, painted="QdQc-0-0-10000", iterations=20, goal="",
        algorithm="dcfr", seconds=60,
    )  # fmt: skip
    assert sent.status == 303
    job = explorer.jobs.all()[-1]
    end = time.monotonic() + 60
    while job.running:
        assert time.monotonic() < end
        time.sleep(0.05)
    shown = get(explorer, "/solve", job=job.number).text
    assert "Saved as river-locked.run." in shown
    address = re.search(r"/compare\?run=2&amp;other=(\d+)", shown)
    assert address is not None
    page = get(explorer, "/compare", run=2, other=int(address[1])).text
    assert 'data-line=""' in page and "gained (of the pot)" in page
    assert rg.load(explorer.jobs.save_to / "river-locked.run").strategy.at("")["QdQc"]["all-in"] == pytest.approx(1)


# -- differences and leaks --------------------------------------------------------------------------------------------


def test_two_runs_are_compared(explorer: Explorer) -> None:
    page = get(explorer, "/compare", run=0, other=1)
    rows = [a for name, a in Elements(page.text).found if name == "tr" and "data-line" in a]
    found = rg.poker.differences(*runs(), streets=1)
    assert page.status == 200 and [row["data-line"] for row in rows] == [node.line for node in found.nodes]
    gains = get(explorer, "/compare", run=0, other=1, by="gain 1").text
    lines = [a["data-line"] for name, a in Elements(gains).found if name == "tr" and "data-line" in a]
    assert lines == [node.line for node in found.sorted("gain 1").nodes]
    river = get(explorer, "/compare", run=0, other=1, board="3d")
    assert {a["data-board"] for n, a in Elements(river.text).found if "data-board" in a} == {"QsJh2h7c3d"}
    every = get(explorer, "/compare", run=0, other=1, all=1).text
    assert "First street only" in every
    assert "different boards" in get(explorer, "/compare", run=0, other=2).text
    assert get(explorer, "/compare", run=0, other=0).status == 200


def test_a_node_side_by_side(explorer: Explorer) -> None:
    page = get(explorer, "/compare", run=0, other=1, line="check").text
    assert page.count('class="hand-grid"') == 3 and "EV gained by each class" in page
    pair = node_pair((runs()[0].strategy, runs()[1].strategy), "check", "")
    one, other = (run.strategy.at("check") for run in runs())
    at = one.names.index("7h7d")
    assert pair.gains.by_hand is not None
    assert pair.gains.by_hand[at] == pytest.approx(other.ev[other.names.index("7h7d")] - one.ev[at])
    assert get(explorer, "/compare", run=0, other=1, line="").text.count('class="hand-grid"') == 3


def test_small_losses_fit_beside_their_bars() -> None:
    found = [loss_text(loss) for loss in (2e-6, 0.00012, 0.0, 12.3456)]
    assert found == ["<0.0001", "0.00012", "0", "12.3"] and max(map(len, found)) <= 7


def test_leaks_of_a_spot(explorer: Explorer) -> None:
    page = get(explorer, "/best-response", run=1, player=1)
    rows = [a for name, a in Elements(page.text).found if name == "tr" and "data-line" in a]
    found = rg.poker.leaks(runs()[1], streets=1).of(1)
    assert page.status == 200 and [row["data-line"] for row in rows] == [node.line for node in found]
    assert rows[0]["data-line"] == "check"  # the locked node
    assert "/strategy?run=1&amp;line=check&amp;board=QsJh2h7c" in page.text
    river = get(explorer, "/best-response", run=1, board=f"{TURN} 3d").text
    assert 'data-board="QsJh2h7c3d"' in river
    wrong = get(explorer, "/best-response", run=1, board="Zz")
    assert wrong.status == 422 and "best-response" in wrong.text
    for number in range(2 * MOST_KEPT):
        assert get(explorer, "/best-response", run=1, board=f"{'23456789TJQKA'[number % 13]}d").status == 200
    assert len(explorer.library.load(1).studies) <= MOST_KEPT


def test_nothing_is_lost_where_nothing_was_saved(tmp_path: Path) -> None:
    """Names that exist are not replaced."""
    from regretless.apps.explorer.web.jobs import Jobs

    jobs = Jobs(tmp_path)
    saved: list[str] = []
    jobs.save = lambda job, name: saved.append(name) or name  # type: ignore[method-assign,func-returns-value]
    (tmp_path / "a-locked.run").write_text("")

    class Request:
        beside = "a.run"

    class Job:
        request = Request()

    jobs.save_beside(Job())  # type: ignore[arg-type]
    assert saved == ["a-locked2.run"]


# -- reading ahead ----------------------------------------------------------------------------------------------------


def test_a_run_too_large_for_a_page_is_read_ahead(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdem_nodes, "MOST_NUMBERS", 0)
    monkeypatch.setattr(studies, "MOST_NUMBERS", 0)
    ahead = Explorer([str(entry.file.path) for entry in explorer.library.entries()[:2]], patience=300)
    page = get(ahead, "/best-response", run=0)
    assert page.status == 200 and "which are gigabytes" not in page.text
    loaded = ahead.library.load(0)
    strategy = loaded.stored_strategy("average")
    assert strategy.all_read and len(loaded.studies) == 1
    assert get(ahead, "/compare", run=0, other=1).status == 200
    monkeypatch.setattr(strategy.walker, "walk", None)  # nothing is walked again on the first street
    assert get(ahead, "/strategy", run=0, line="check", what="ev").status == 200
    assert get(ahead, "/compare", run=0, other=1, by="gain 0").status == 200


def test_a_run_that_may_not_be_read_ahead_says_so(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (holdem_nodes, studies):
        monkeypatch.setattr(module, "MOST_NUMBERS", 0)
        monkeypatch.setattr(module, "MOST_READ", 0)
    ahead = Explorer([str(explorer.library.entries()[0].file.path)], patience=300)
    assert "which are gigabytes" in get(ahead, "/best-response", run=0).text


def test_the_last_iterate_of_the_only_run_is_compared_ahead(explorer: Explorer) -> None:
    alone = Explorer([str(explorer.library.entries()[0].file.path)], patience=300)
    assert alone.load_studied(0).studies.keys() and len(alone.load_studied(0).studies) == 2
    assert get(alone, "/compare", run=0, other=0).status == 200
    assert len(alone.load_studied(0).studies) == 2


def test_a_page_says_that_a_run_is_being_read(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    hurried = Explorer([str(explorer.library.entries()[0].file.path)], patience=300)
    hurried.load_studied(0)
    monkeypatch.setattr(hurried.library.load(0), "studied", lambda seconds: False)
    page = get(hurried, "/best-response", run=0)
    assert page.status == 503 and "is being read" in page.text
