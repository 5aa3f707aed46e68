"""Hand histories in a real browser: open a file, read the losses, go to the node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Visitor, browser, explorer_at, why_no_browser
from explored import saved
from room_hands import SPOT, stars

import regretless as rg
from conftest import INTERPRETED

pytest.importorskip("pokerkit")
MISSING = why_no_browser()

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(bool(MISSING), reason=f"no browser: {MISSING}"),
    pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled"),
]


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    run = rg.solve(SPOT, rg.CFR_PLUS, iterations=50)  # type: ignore[arg-type]
    folder = tmp_path_factory.mktemp("runs")
    with browser() as driver, explorer_at([saved(folder, "spot.run", run)]) as (address, _):
        yield Visitor(driver, address)


def test_a_file_is_reviewed(visitor: Visitor, tmp_path: Path) -> None:
    file = tmp_path / "session.txt"
    file.write_text("\n\n".join([stars(1), stars(2, "7s 7d"), stars(3, flop="Qs Jh 3h")]))
    visitor.go("/hands")
    visitor.one("input[type=file]").send_keys(str(file))
    visitor.until(lambda: "Hand #3" in visitor.one("textarea").get_attribute("value"))
    visitor.click(".hands-form button.primary")
    rows = visitor.until(lambda: visitor.texts("table.decisions tbody tr"))
    assert len(rows) == 2 and all("session.txt, hand" in row for row in rows)
    assert "no solution begins with it" in visitor.text()
    assert "Hand #3" in visitor.one("textarea").get_attribute("value")  # the form is kept
    for name, width, theme in (("hands", 1280, "light"), ("hands-dark", 1280, "dark"), ("hands-phone", 390, "light")):
        visitor.picture(name, width, 900, theme)
    visitor.click("table.decisions a")
    visitor.until(lambda: "Hands of 77" in visitor.text() or "Hands of AKs" in visitor.text())
    assert visitor.complaints() == []


def test_a_file_that_is_too_large_is_not_sent(visitor: Visitor, tmp_path: Path) -> None:
    file = tmp_path / "large.txt"
    file.write_text("x" * 4_000_001)
    visitor.go("/hands")
    visitor.one("input[type=file]").send_keys(str(file))
    visitor.until(lambda: visitor.one(".too-long").is_displayed())
    visitor.click(".hands-form button.primary")
    assert visitor.driver.current_url.endswith("/hands") and visitor.complaints() == []


def test_it_fits_a_phone(visitor: Visitor) -> None:
    visitor.look_as(390, 844, "light")
    try:
        visitor.go("/hands")
        assert visitor.driver.execute_script("return document.documentElement.scrollWidth") <= 390
    finally:
        visitor.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
