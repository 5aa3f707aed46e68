"""Studying spots in a real browser: paint a lock, solve again, see what changed, find leaks; at 1280 and 390 pixels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Visitor, browser, explorer_at, why_no_browser
from explored import saved, turn_spot

import regretless as rg
from conftest import INTERPRETED

MISSING = why_no_browser()

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(bool(MISSING), reason=f"no browser: {MISSING}"),
    pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled"),
]

RANGES = ("22+,A2s+,KTs+,QTs+,JTs,T9s,98s,ATo+,KJo+", "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,87s,76s,A9o+,KTo+,QJo")


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder: Path = tmp_path_factory.mktemp("studio")
    river = rg.poker.Spot("Qs Jh 2h 7c 3d", RANGES, pot=100, stack=300, sizes="bet 33% 75%, raise 2.5x")
    flops = [
        rg.solve(rg.poker.Spot(flop, RANGES, pot=100, stack=100, sizes="bet all-in"), rg.DCFR, iterations=1)  # type: ignore[arg-type]
        for flop in ("Qs Jh 2h", "8h 8d 3c")
    ]
    runs = [
        saved(folder, "river.run", rg.solve(river, rg.DCFR, iterations=60)),  # type: ignore[arg-type]
        saved(folder, "turn.run", turn_spot()),
        *(saved(folder, f"raised-pot-on-the-button-big-blind-calls-{at}.run", run) for at, run in enumerate(flops)),
    ]
    with explorer_at(runs, save_to=str(folder)) as (address, _), browser() as driver:
        yield Visitor(driver, address)


def pictures(visitor: Visitor, name: str) -> None:
    visitor.picture(name)
    visitor.picture(f"{name}-dark", theme="dark")
    visitor.picture(f"{name}-phone", 390, 844)


def painted(visitor: Visitor) -> str:
    return str(visitor.driver.execute_script("return document.querySelector('[name=painted]').value"))


def test_a_node_is_painted_and_solved_again(visitor: Visitor) -> None:
    from selenium.webdriver import ActionChains

    visitor.go("/strategy?run=0&line=check")
    visitor.press("l")
    grid = visitor.one(".paint-actions")
    visitor.until(lambda: visitor.all(".paint-actions [data-label=AA] i[style]") or None)
    visitor.click("input[name=brush][value='2']")  # bet 75
    painted_with = "return getComputedStyle(document.querySelector('.paint-actions [data-label=AA] i')).backgroundColor"
    patch = "return getComputedStyle(document.querySelector('.brush-action rect')).fill"
    assert visitor.driver.execute_script(painted_with) == visitor.driver.execute_script(patch)
    begin, end = (grid.find_element("css selector", f"[data-label={name}]") for name in ("AA", "AJs"))
    ActionChains(visitor.driver).move_to_element(begin).click_and_hold().move_to_element(end).release().perform()
    assert "bet 75 100%" in begin.get_attribute("aria-label") and "changed" in end.get_attribute("class")
    hands = dict(part.split("-", 1) for part in painted(visitor).split("."))
    assert set(hands.values()) == {"0-0-10000"} and {name[0] for name in hands} == {"A"}
    visitor.press("\ue014")  # arrow right: from AA, where the stroke began, to AKs
    visitor.driver.execute_script("document.getElementById('weight').value = 25")
    visitor.press(" ")
    assert "bet 75 25%" in visitor.one("[data-label=AKs]").get_attribute("aria-label")
    # A painted cell answers within 50 ms.
    took = visitor.driver.execute_script(
        """const cell = document.querySelector("[data-label=KK]"), box = cell.getBoundingClientRect();
        const options = { clientX: box.x + 5, clientY: box.y + 5, pointerId: 1, bubbles: true };
        const began = performance.now();
        try { cell.dispatchEvent(new PointerEvent("pointerdown", options)); } catch {}
        cell.dispatchEvent(new PointerEvent("pointerup", options));
        return performance.now() - began;"""
    )
    assert took < 50
    pictures(visitor, "lock")
    visitor.click("#by-suit")
    visitor.click("[data-label=QQ]")
    visitor.until(lambda: visitor.all(".single-hands button") or None)[0].click()
    visitor.until(lambda: visitor.all(".single-hands .held-hand") or None)
    iterations = visitor.one("input[name=iterations]")
    iterations.send_keys("30")
    visitor.click("#lock-form .primary")
    visitor.until(lambda: visitor.all("#live[data-state=ended]") or None)
    assert "Saved as river-locked.run." in visitor.text()
    visitor.click("#live a[href^='/compare']")
    changed = visitor.until(lambda: visitor.texts("table.leaks tbody th a") or None)
    assert "start" in changed and "check" in changed
    pictures(visitor, "compare-spots")
    visitor.click("tr[data-line=check] a")
    visitor.until(lambda: len(visitor.all(".three-grids .hand-grid")) == 3 or None)
    assert "This node is locked" in visitor.text()
    pictures(visitor, "compare-node")
    assert visitor.complaints() == []


def test_leaks_lead_to_their_node(visitor: Visitor) -> None:
    visitor.go("/best-response?run=1&player=1")
    pictures(visitor, "leaks")
    first = visitor.one("table.leaks tbody tr").get_attribute("data-line")
    visitor.click("table.leaks tbody a")
    visitor.until(lambda: visitor.all(".hand-grid") or None)
    assert visitor.texts(".crumbs b")[-1] == first.split()[-1]
    visitor.go("/best-response?run=1&board=3d")
    assert {row.get_attribute("data-board") for row in visitor.all("table.leaks tbody tr")} == {"QsJh2h7c3d"}
    assert visitor.complaints() == []


def test_both_ranges_and_all_last_cards(visitor: Visitor) -> None:
    visitor.go("/strategy?run=1&line=check+check&board=3d&runouts=1&hand=AQs")
    assert len(visitor.all("[data-runout]")) == len(visitor.all("[data-card]")) == 48
    wide = visitor.driver.execute_script(
        "return [...document.querySelectorAll('.wide-table')].map((box) => box.scrollWidth - box.clientWidth)"
    )
    assert max(wide) <= 0  # nothing is cut off at 1280 pixels
    pictures(visitor, "walk")
    board = visitor.driver.current_url
    visitor.click("[data-runout=As]")
    visitor.until(lambda: visitor.driver.current_url != board or None)
    assert visitor.one("input[name=board]").get_attribute("value") == "QsJh2h7cAs"
    visitor.press("/")
    assert visitor.driver.switch_to.active_element.get_attribute("name") == "board"
    visitor.press("\ue00c")  # Escape
    visitor.press("\ue003")  # Backspace goes back
    visitor.until(lambda: "line=check&" in visitor.driver.current_url + "&" or None)
    visitor.go("/strategy?run=1&line=check&seat=wait&what=realisation")
    assert visitor.texts("select[name=seat] option:checked") == ["player 0, waiting"]
    assert visitor.complaints() == []


def test_pages_fit_a_phone(visitor: Visitor) -> None:
    visitor.look_as(390, 844, "dark")
    try:
        for path in (
            "/strategy?run=1&line=check+check&runouts=1&hand=AQs",
            "/strategy?run=1&seat=wait&what=ev",
            "/spot/lock?run=1&line=check",
            "/best-response?run=1",
            "/compare?run=1&other=1",
            "/compare?run=1&other=1&line=",
            "/report",
            "/push-fold?hand=AKs",
        ):
            visitor.go(path)
            assert visitor.all("h1") and "Internal error" not in visitor.text()
            assert visitor.driver.execute_script("return document.documentElement.scrollWidth") <= 390, path
        visitor.go("/strategy?run=1&line=check+check")
        visitor.click(".picker summary")  # closed on a phone
        rows = [
            {card.rect["y"] for card in row.find_elements("css selector", ".pick")}
            for row in visitor.all(".picker .suit-row")
        ]
        assert [len(tops) for tops in rows] == [1, 1, 1, 1], "thirteen cards of a suit in one row"
    finally:
        visitor.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
