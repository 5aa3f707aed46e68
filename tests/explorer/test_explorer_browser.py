"""The explorer in a real browser: solve, watch, look, play, and break things.

Screenshots of every page are taken on the way; they are kept where EXPLORER_SCREENSHOTS names a folder.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import Visitor, browser, explorer_at, why_no_browser
from explored import saved, solved, turn_spot

import regretless as rg
from conftest import INTERPRETED, built
from regretless.apps.explorer.web.explorer import Explorer
from regretless.layout.labels import Labels

MISSING = why_no_browser()
if MISSING:  # visible in every run of the tests, not only with -rs
    import warnings

    warnings.warn(f"the explorer's end-to-end tests are skipped: {MISSING}", stacklevel=1)

TRACES = ".chart .scatterlayer .trace"
"""The lines that plotly has drawn."""

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(bool(MISSING), reason=f"no browser: {MISSING}"),
    pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled"),
]


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("explored")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[tuple[str, Explorer]]:
    runs = [
        saved(folder, "kuhn.run", solved("kuhn", 1000)),
        saved(folder, "leduc.run", solved("leduc", 1000)),
        saved(folder, "leduc-early.run", rg.solve(built("leduc"), rg.CFR, iterations=30)),
    ]
    with explorer_at(runs, save_to=str(folder)) as found:
        yield found


@pytest.fixture
def visitor(driver: Any, served: tuple[str, Explorer]) -> Iterator[Visitor]:
    driver.get("about:blank")
    found = Visitor(driver, served[0])
    found.complaints()
    yield found
    assert found.complaints() == []  # no refused script, no error in ours


def pictures(visitor: Visitor, name: str) -> None:
    visitor.picture(name)
    visitor.picture(f"{name}-dark", theme="dark")
    visitor.picture(f"{name}-phone", 390, 844)


# -- what people do ---------------------------------------------------------------------------------------------------


def test_convergence(visitor: Visitor) -> None:
    visitor.go("/")
    assert visitor.driver.current_url.endswith("/convergence")
    visitor.until(lambda: len(visitor.all(TRACES)) == 6)  # three runs, twice
    assert visitor.texts("td.name") == ["kuhn.run", "leduc.run", "leduc-early.run"]
    pictures(visitor, "convergence")
    visitor.one("#show0").click()
    visitor.one("form button.quiet").click()
    visitor.until(lambda: len(visitor.all(TRACES)) == 4)


def test_a_run_that_is_written_meanwhile_is_drawn_on(visitor: Visitor, folder: Path) -> None:
    path = Path(saved(folder, "growing.run", solved("kuhn", 10)))
    with explorer_at([str(path)]) as (address, _):
        there = Visitor(visitor.driver, address)
        there.go("/convergence")
        there.until(lambda: "10" in there.texts("td.number") or None)
        solved("kuhn", 700).save(path)
        there.until(lambda: "700" in there.texts("td.number") or None)


def zoomed_range(visitor: Visitor) -> list[float]:
    script = "return document.getElementById('chart-iteration')._fullLayout.xaxis.range"
    return [float(end) for end in visitor.driver.execute_script(script)]


def test_labels_of_axes_do_not_overlap(visitor: Visitor, folder: Path) -> None:
    """Over five decades, and over one and a half, on a phone."""
    overlaps = """return [...document.querySelectorAll('.chart')].flatMap((chart) => {
        const boxes = [...chart.querySelectorAll('.xtick text')].map((text) => text.getBoundingClientRect());
        return boxes.slice(1).filter((box, at) => box.left < boxes[at].right).map((box) => box.left);
    })"""
    for iterations in (60, 3_000):
        path = saved(folder, f"axes{iterations}.run", solved("kuhn", iterations))
        with explorer_at([path]) as (address, _):
            there = Visitor(visitor.driver, address)
            there.look_as(390, 844, "light")
            try:
                there.go("/convergence")
                there.until(lambda there=there: there.all(".xtick text") or None)  # type: ignore[misc]
                there.until(lambda there=there: not there.driver.execute_script(overlaps) or None)  # type: ignore[misc]
            finally:
                there.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_values_are_read_and_ranges_zoomed_in_a_chart(visitor: Visitor, folder: Path) -> None:
    from selenium.webdriver import ActionChains

    path = Path(saved(folder, "live.run", solved("kuhn", 100)))
    with explorer_at([str(path)]) as (address, _):
        there = Visitor(visitor.driver, address)
        there.go("/convergence")
        points = there.until(lambda: there.all("#chart-iteration .point") or None)
        ActionChains(there.driver).move_to_element(points[-1]).perform()
        shown = there.until(lambda: there.texts("#chart-iteration .hovertext") or None)[0]
        history = solved("kuhn", 100).history
        said = {
            f"live.run{y:.3g} chips{x:.0f} iterations"
            for x, y in zip(history["iteration"].tolist(), history["exploitability"].tolist(), strict=True)
        }
        assert "".join(shown.split("\n")) in said
        area = there.one("#chart-iteration .nsewdrag")
        whole = zoomed_range(there)
        drag = ActionChains(there.driver).move_to_element_with_offset(area, -60, -60).click_and_hold()
        drag.move_by_offset(40, 0).move_by_offset(40, 60).release().perform()
        there.until(lambda: zoomed_range(there) != whole or None)
        zoomed = zoomed_range(there)
        solved("kuhn", 900).save(path)  # new data come, the zoom stays
        there.until(lambda: "900" in there.texts("td.number") or None)
        assert zoomed_range(there) == zoomed
        assert there.driver.execute_script("return document.getElementById('chart-iteration').data[0].x.at(-1)") == 900


def test_pages_work_without_script(visitor: Visitor) -> None:
    visitor.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        visitor.driver.get(visitor.address + "/convergence")
        assert "The chart needs JavaScript" in visitor.one("noscript").text
        visitor.one(".measurements summary").click()
        assert "0.000147" in visitor.one(".measured").text
        visitor.driver.get(visitor.address + "/play?run=1")
        visitor.one("button.primary").click()
        visitor.click("#table button")
        assert visitor.until(lambda: visitor.one("#table").text)
    finally:
        visitor.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_pages_load_nothing_from_elsewhere(visitor: Visitor) -> None:
    for path in ("/convergence", "/strategy?run=1", "/solve", "/play"):
        visitor.go(path)
        loaded = visitor.driver.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)")
        assert loaded and all(name.startswith(visitor.address) for name in loaded)


def test_solving_kuhn_from_the_page(visitor: Visitor, folder: Path) -> None:
    visitor.go("/solve")
    pictures(visitor, "solve-form")
    visitor.one("input[name=iterations]").clear()
    visitor.one("input[name=iterations]").send_keys("3000")
    visitor.one("button.primary").click()
    visitor.until(lambda: visitor.all("#live[data-state=ended]") or None)
    visitor.until(lambda: len(visitor.all(f"#live {TRACES}")) == 2)
    assert "3,000" in visitor.texts("#live dd")
    pictures(visitor, "solve")
    name = visitor.one("#live input[name=name]")
    name.clear()
    name.send_keys("from-page.run")
    visitor.one("form[action='/solve/save'] button").click()
    visitor.until(lambda: "Saved as from-page.run" in visitor.text() or None)
    kept = rg.load(folder / "from-page.run")
    assert isinstance(kept, rg.Run)
    assert kept.strategy == rg.solve("kuhn", "cfr+", iterations=3000).strategy
    visitor.one("#live a[href^='/strategy']").click()
    shown = visitor.until(lambda: visitor.texts("tbody[data-infoset=K] .figure") or None)
    assert shown == [f"{p:.1%}" if p < 0.9995 else "100%" for p in kept.strategy["K"].values()]


def test_stopping_a_solve(visitor: Visitor) -> None:
    visitor.go("/solve")
    visitor.driver.execute_script("document.querySelector('select[name=game]').value = 'leduc'")
    visitor.one("input[name=iterations]").clear()
    visitor.one("input[name=seconds]").send_keys("60")
    visitor.one("button.primary").click()
    visitor.until(lambda: visitor.all("#live[data-state=running] .chart") or None)
    visitor.click("form[action='/solve/stop'] button")
    visitor.until(lambda: visitor.all("#live[data-state=ended]") or None)
    assert visitor.until(lambda: "stopped" in visitor.texts("#live dd"))


def test_an_infoset_shows_the_strategy_s_numbers(visitor: Visitor) -> None:
    visitor.go("/strategy?run=0")
    visitor.one(".next-moves a").click()  # pass
    visitor.until(lambda: visitor.all("tbody[data-infoset=Qp]") or None)
    visitor.one(".tree a[href$='node=0-0']").click()  # pass bet, by the outline
    visitor.until(lambda: visitor.all("tbody[data-infoset=Qpb]") or None)
    strategy = solved("kuhn", 1000).strategy
    for label in ("Jpb", "Qpb", "Kpb"):
        shown = [
            float(figure.get_attribute("data-probability"))
            for figure in visitor.all(f"tbody[data-infoset={label}] [data-probability]")
        ]
        assert shown == list(strategy[label].values())
    visitor.go("/strategy?run=1&node=0-1-0-2")
    pictures(visitor, "strategy")
    here = visitor.driver.current_url
    visitor.press("/")  # the search
    visitor.driver.switch_to.active_element.send_keys("Kh*\n")
    visitor.until(lambda: "156 infosets" in visitor.text() or None)
    visitor.one("tbody[data-infoset] a").click()
    visitor.until(lambda: visitor.all("tbody:target") or None)
    assert visitor.driver.current_url != here


def test_best_response_and_compare(visitor: Visitor) -> None:
    visitor.go("/best-response?run=2")
    weak = rg.solve(built("leduc"), rg.CFR, iterations=30).strategy
    assert f"{rg.best_response(built('leduc'), weak, 0).value:+.3f}" in visitor.texts("dd")
    pictures(visitor, "best-response")
    visitor.one(".leaks a").click()
    visitor.until(lambda: visitor.all("tbody:target") or None)
    visitor.go("/compare?run=1&other=2")
    assert visitor.all(".differences tbody")
    pictures(visitor, "compare")


def test_a_grid_of_holdem_and_its_board(visitor: Visitor, folder: Path) -> None:
    run: Any = turn_spot()
    with explorer_at([saved(folder, "turn.run", run)]) as (address, _):
        there = Visitor(visitor.driver, address)
        there.go("/strategy")
        there.one(".next-moves a").click()  # check
        there.until(lambda: "in position" in there.text() or None)
        there.one("a[data-class=AKs]").click()
        rows = there.until(lambda: there.all("tr[data-hand]") or None)
        node = run.strategy.at("check")
        assert len(rows) == 4
        shown = rows[0].find_element("css selector", "svg.bar").get_attribute("aria-label")
        name = rows[0].get_attribute("data-hand")
        assert shown == ", ".join(f"{action} {share:.1%}" for action, share in node[name].items())
        there.driver.execute_script("scrollTo(0, 0)")
        pictures(there, "holdem")
        there.one(".next-moves a").click()  # check: the river comes
        there.until(lambda: there.all(".picker") or None)
        there.driver.execute_script("document.querySelector('.pick input:checked[id=card2c]').click()")
        there.driver.execute_script("document.getElementById('cardAh').click()")
        there.one(".picker button").click()
        there.until(lambda: there.one("input[name=board]").get_attribute("value") == "QsJh2h7cAh" or None)
        there.driver.execute_script("location.search += '&what=ev'")
        there.until(lambda: there.all(".hand-value") or None)
        pictures(there, "holdem-ev")
        there.go("/strategy?board=QsJh2h7cQs&line=check+check")
        assert "Qs is twice" in there.text()
    visitor.complaints()  # the browser notes the page that is answered with 422


def test_a_spot_is_painted_and_solved(visitor: Visitor) -> None:
    from selenium.webdriver import ActionChains

    visitor.go("/spot")
    grid = visitor.one(".range[data-player=oop] .paint-grid")
    begin, end = (grid.find_element("css selector", f"[data-label='{name}']") for name in ("72o", "74o"))
    ActionChains(visitor.driver).move_to_element(begin).click_and_hold().move_to_element(end).release().perform()
    text = visitor.one("textarea[name=oop]")
    visitor.until(lambda: text.get_attribute("value").endswith("74o-72o") or None)  # text follows the brush
    text.clear()
    text.send_keys("AA,KK:0.5")
    visitor.until(
        lambda: visitor.one("[data-player=oop] [data-label=KK]").get_attribute("data-weight") == "0.5" or None
    )
    assert begin.get_attribute("data-weight") == "0"  # and the grid follows the text
    visitor.one("input[name=board]").send_keys(" 3d")
    visitor.until(lambda: visitor.one("fieldset[data-street=turn]").get_attribute("hidden"))
    visitor.until(lambda: "1" in visitor.texts("#size dd") or None)  # one board is left
    pictures(visitor, "spot")
    visitor.one("button.primary").click()
    visitor.until(lambda: visitor.all("#live") or None)  # that it is solved is tested without a browser
    assert "spot QsJh2h7c3d by dcfr" in visitor.text()


def move(visitor: Visitor, key: str) -> None:
    """Press a key and wait until the table has answered."""
    before = visitor.one("#table").get_attribute("innerHTML")
    visitor.press(key)
    # The table may be drawn twice for one move, so that `before` is already the end of the hand.
    visitor.until(lambda: visitor.one("#table").get_attribute("innerHTML") != before or visitor.all(".outcome") or None)


def finish_hand(visitor: Visitor, key: str = "1") -> None:
    """Play a hand to its end by the keyboard."""
    for _ in range(12):
        if visitor.all(".outcome"):
            return
        move(visitor, key)
    raise AssertionError("the hand does not end")


def sit_down(visitor: Visitor, run: int) -> None:
    visitor.go(f"/play?run={run}")
    visitor.one("button.primary").click()
    visitor.until(lambda: visitor.all("#table") or None)


def test_playing_whole_hands_by_the_keyboard(visitor: Visitor) -> None:
    sit_down(visitor, 1)
    visitor.until(lambda: visitor.all("button.move") or None)
    pictures(visitor, "play-turn")
    visitor.press("?")
    visitor.until(lambda: "most likely" in visitor.text() or None)
    finish_hand(visitor)
    text = visitor.text()
    assert "The strategy with your cards" in text and "you" in text
    assert visitor.all("svg.card")
    pictures(visitor, "play")
    for _ in range(2):
        visitor.one("#content").click()
        move(visitor, "\ue007")  # Enter: the next hand
        finish_hand(visitor)
    visitor.until(lambda: visitor.texts(".score dd")[0] == "3" or None)


def test_a_drill_by_the_keyboard(visitor: Visitor) -> None:
    visitor.go("/drill?run=1")
    visitor.one("button.primary").click()
    for number in range(3):
        visitor.until(lambda: visitor.all("button.move") or None)
        visitor.press("1")
        visitor.until(lambda: visitor.all("#drill .outcome") or None)
        assert visitor.texts(".score dd")[0] == str(number + 1)
        visitor.one("#content").click()
        visitor.press("\ue007")  # Enter: the next question
    visitor.until(lambda: visitor.all(".drill-curve") or None)
    pictures(visitor, "drill")


def test_fields_of_the_solve_page_follow_the_choice(visitor: Visitor) -> None:
    visitor.go("/solve")
    visitor.until(lambda: "kuhn" in visitor.one("#game-size").text.lower() or None)
    visitor.driver.execute_script(
        "const game = document.querySelector('select[name=game]'); game.value = 'goofspiel';"
        "game.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    visitor.until(lambda: visitor.all("[name='game.cards']") or None)
    visitor.one("[name='game.cards']").send_keys("3")
    visitor.until(lambda: "goofspiel:cards=3" in visitor.one("#game-size").text.lower() or None)


def test_dice_are_drawn_as_dice(visitor: Visitor, folder: Path) -> None:
    with explorer_at([saved(folder, "dice.run", solved("liars_dice:sides=3", 50))]) as (address, _):
        there = Visitor(visitor.driver, address)
        sit_down(there, 0)
        assert there.all("svg.die circle.pip")
        there.picture("dice")


def test_light_dark_and_the_system_s_choice(visitor: Visitor) -> None:
    visitor.go("/play")
    background = "return getComputedStyle(document.body).backgroundColor"
    seen = set()
    for _ in range(3):
        visitor.one("#theme").click()
        seen.add(visitor.driver.execute_script(background))
    assert len(seen) == 2
    visitor.one("#theme").click()
    visitor.one("#theme").click()
    visitor.go("/play")
    assert visitor.driver.execute_script("return document.documentElement.dataset.theme") == "dark"
    visitor.driver.delete_all_cookies()


def test_pages_fit_a_phone(visitor: Visitor) -> None:
    visitor.look_as(390, 844, "light")
    try:
        for path in (
            "/convergence",
            "/strategy?run=1&node=0",
            "/best-response?run=2",
            "/compare?run=1",
            "/play",
            "/solve",
            "/spot",
            "/drill",
        ):
            visitor.go(path)
            wide = visitor.driver.execute_script("return document.documentElement.scrollWidth")
            assert wide <= 390, path
    finally:
        visitor.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_all_is_reached_by_the_keyboard_alone(visitor: Visitor) -> None:
    visitor.go("/strategy?run=0")
    visitor.press("\ue004")  # Tab: the way past the header
    assert visitor.driver.switch_to.active_element.text.startswith("Skip to the content")
    reached = set()
    for _ in range(60):
        visitor.press("\ue004")
        reached.add(
            visitor.driver.execute_script(
                "return document.activeElement.tagName + '.' + document.activeElement.className"
            )
        )
    assert {name.split(".")[0] for name in reached} >= {"A", "BUTTON", "SELECT", "INPUT", "SUMMARY"}


# -- what goes wrong --------------------------------------------------------------------------------------------------


def test_an_unknown_and_a_damaged_run(visitor: Visitor, folder: Path) -> None:
    visitor.go("/strategy?run=77")
    assert "There is no run number 77" in visitor.text()
    path = Path(saved(folder, "damaged.run"))
    whole = bytearray(path.read_bytes())
    whole[-2] ^= 1
    path.write_bytes(bytes(whole))
    short = folder / "short.run"
    short.write_bytes(bytes(whole[:50]))
    with explorer_at([str(path), str(short)]) as (address, _):
        there = Visitor(visitor.driver, address)
        there.go("/convergence")
        assert "short.run is not a regretless file" in there.text()
        there.go("/strategy?run=0")
        assert "damaged.run is damaged" in there.text()
        there.go("/play?run=0")
        there.one("button.primary").click()
        there.until(lambda: "damaged.run is damaged" in there.text() or None)
    visitor.complaints()  # the browser notes pages that are answered with 404 and 422


def test_two_tabs_at_one_table(visitor: Visitor) -> None:
    sit_down(visitor, 0)
    first = visitor.driver.current_window_handle
    address = visitor.driver.current_url
    visitor.driver.switch_to.new_window("tab")
    visitor.driver.get(address)
    visitor.until(lambda: visitor.driver.execute_script("return document.documentElement.dataset.ready") or None)
    finish_hand(visitor, "2")
    visitor.driver.close()
    visitor.driver.switch_to.window(first)
    visitor.one("button.move").click()
    visitor.until(lambda: "gone on already" in visitor.text() or None)
    assert visitor.all(".outcome")  # and shows what has been played


def test_a_server_that_stops_in_the_middle_of_a_hand(visitor: Visitor, folder: Path) -> None:
    runs = [saved(folder, "stops.run")]
    with explorer_at(runs) as (address, _):
        port = int(address.rsplit(":", 1)[1])
        there = Visitor(visitor.driver, address)
        sit_down(there, 0)
        there.until(lambda: there.all("button.move") or None)
    there.one("button.move").click()
    there.until(lambda: there.one("#lost").is_displayed() or None)
    with explorer_at(runs, port=port):
        there.until(lambda: "This table is gone" in there.text() or None)
        there.one("button.primary").click()
        there.until(lambda: there.all("button.move") or there.all(".outcome") or None)
    time.sleep(0.1)
    visitor.complaints()  # the browser notes that the server did not answer


def test_the_name_of_a_run_is_text_in_a_chart(visitor: Visitor, folder: Path) -> None:
    from selenium.webdriver import ActionChains

    name = "<a href='javascript:alert(1)'>click<br>&amp;.run"
    path = folder / "odd" / name.replace("/", "_")
    path.parent.mkdir()
    with explorer_at([saved(path.parent, path.name, solved("kuhn", 10))]) as (address, _):
        there = Visitor(visitor.driver, address)
        there.go("/convergence")
        points = there.until(lambda: there.all("#chart-iteration .point") or None)
        ActionChains(there.driver).move_to_element(points[0]).perform()
        there.until(lambda: any(path.name in text for text in there.texts("#chart-iteration .hovertext")) or None)
        assert there.all(".chart .hovertext a") == [] and there.all("main a[href^=javascript]") == []
        there.driver.get("about:blank")  # the page would ask for the run again after the server has stopped


def test_no_page_runs_what_a_run_holds(visitor: Visitor, folder: Path) -> None:
    evil = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    labels = Labels(
        players=1, names=(evil,), actions=((evil, "b"),), owner=np.zeros(1, np.int32), first=np.ones(1, np.int32),
        stride=np.ones(1, np.int32), reading_order=np.zeros(1, np.int32), sequences=3,
    )  # fmt: skip
    rg.Strategy(labels, np.array([1, 0.5, 0.5])).save(folder / "evil.strategy")
    with explorer_at([str(folder / "evil.strategy")]) as (address, _):
        there = Visitor(visitor.driver, address)
        there.go("/strategy")
        assert evil in there.text()
        assert there.driver.title != "owned"
        refused = there.driver.execute_script(
            "const s = document.createElement('script'); s.textContent = 'window.owned = 1';"
            "document.body.append(s); return window.owned === undefined"
        )
        assert refused  # not even a script that got into the page would run
    visitor.complaints()
