"""Setting up a spot in a real browser: suits of the brush, the tree as it is typed, and the size in brief."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import Visitor, browser, explorer_at, why_no_browser

from conftest import INTERPRETED

MISSING = why_no_browser()

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(bool(MISSING), reason=f"no browser: {MISSING}"),
    pytest.mark.skipif(INTERPRETED, reason="pages wait for compiled code"),
]

ANSWERS_WITHIN = 50.0
"""Milliseconds from a click on a cell to its new colour."""


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    with browser() as driver, explorer_at([]) as (address, _):
        yield Visitor(driver, address)


def typed(visitor: Visitor, name: str, text: str) -> None:
    field = visitor.one(f"[name='{name}']")
    field.clear()
    field.send_keys(text)


def test_a_stroke_paints_the_suits_of_the_brush(visitor: Visitor) -> None:
    from selenium.webdriver import ActionChains

    visitor.go("/spot")
    typed(visitor, "oop", "AA")
    visitor.until(lambda: visitor.one("[data-player=oop] [data-label=KK]").get_attribute("data-weight") == "0")
    for suit in "sdc":
        visitor.click(f".suits input[value={suit}]")
    grid = visitor.one("[data-player=oop] .paint-grid")
    begin, end = (grid.find_element("css selector", f"[data-label='{name}']") for name in ("Q9s", "Q7s"))
    ActionChains(visitor.driver).move_to_element(begin).click_and_hold().move_to_element(end).release().perform()
    text = visitor.one("textarea[name=oop]")
    visitor.until(lambda: text.get_attribute("value") == "AA,Qh9h,Qh8h,Qh7h")
    visitor.until(lambda: begin.get_attribute("data-weight") == "0.25")  # the mean of its four hands
    visitor.click(".suits input[value=s]")
    pair = grid.find_element("css selector", "[data-label='KK']")
    ActionChains(visitor.driver).click(pair).perform()
    visitor.until(lambda: text.get_attribute("value") == "AA,KsKh,Qh9h,Qh8h,Qh7h")
    assert visitor.complaints() == []


def test_a_painted_cell_answers_at_once(visitor: Visitor) -> None:
    visitor.go("/spot")
    milliseconds, weight = visitor.driver.execute_script(
        "const cell = document.querySelector(\"[data-player=ip] [data-label='72o']\"); cell.scrollIntoView();"
        "const box = cell.getBoundingClientRect(), begin = performance.now();"
        "cell.dispatchEvent(new PointerEvent('pointerdown',"
        "  {bubbles: true, clientX: box.x + 4, clientY: box.y + 4, pointerId: 1}));"
        "return [performance.now() - begin, cell.dataset.weight]"
    )
    assert weight == "1" and milliseconds < ANSWERS_WITHIN
    visitor.complaints()  # the pointer of the script is none that can be captured


def test_keys_go_on_from_the_cell_that_was_painted(visitor: Visitor) -> None:
    visitor.go("/spot")
    typed(visitor, "oop", "AA")
    cell = "[data-player=oop] [data-label={}]".format
    visitor.until(lambda: visitor.one(cell("KK")).get_attribute("data-weight") == "0")
    visitor.click(cell("KK"))
    visitor.press("\ue014")  # arrow right: KQs
    visitor.press(" ")
    text = visitor.one("textarea[name=oop]")
    visitor.until(lambda: text.get_attribute("value") == "KK+,KQs")
    visitor.press(" ")  # a cell with the weight of the brush is erased
    visitor.until(lambda: text.get_attribute("value") == "KK+")
    visitor.driver.execute_script("document.getElementById('by-suit').checked = true")
    visitor.press("\ue007")  # enter
    visitor.until(lambda: len(visitor.all("[data-player=oop] .single-hands button")) == 4 or None)
    assert text.get_attribute("value") == "KK+" and visitor.complaints() == []


def test_the_tree_follows_what_is_typed(visitor: Visitor) -> None:
    visitor.go("/spot")
    visitor.until(lambda: "MB" in visitor.one("#size-brief").text)
    assert "bet 33" in visitor.one(".drawn-tree").text
    typed(visitor, "turn.oop.bet", "50%")
    visitor.until(lambda: "bet 50" in visitor.one(".drawn-tree").text)
    typed(visitor, "stack_ip", "120")
    visitor.until(lambda: "both play for 120" in visitor.text())
    visitor.until(lambda: "120 behind" in visitor.one(".drawn-tree").text)
    visitor.click(".drawn-tree summary")  # the river, after check and check
    typed(visitor, "river.oop.bet", "40%")
    visitor.until(lambda: "bet 40" in visitor.one(".drawn-tree").text)  # and it stays open
    visitor.driver.execute_script("window.scrollTo(0, 0)")
    for name, width, theme in (("spot", 1280, "light"), ("spot-dark", 1280, "dark"), ("spot-phone", 390, "light")):
        visitor.picture(name, width, 900, theme)
    assert visitor.complaints() == []
