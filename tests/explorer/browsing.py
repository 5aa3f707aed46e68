"""What the end-to-end tests share: a real browser without a screen, and an explorer in this process."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from regretless.apps.explorer.web.app import application
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.explorer.web.server import Server, serving

Found = TypeVar("Found")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = next(filter(None, map(shutil.which, ("chromedriver", "chromium-driver"))), None)
PICTURES = os.environ.get("EXPLORER_SCREENSHOTS")
"""A folder in which the tests leave their screenshots; they are thrown away without it."""

PATIENCE = 20.0


def why_no_browser() -> str:
    """What is missing to run a browser; empty where nothing is."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed"
    if CHROMIUM is None or DRIVER is None:
        return "no Chromium: apt-get install chromium chromium-driver"
    return ""


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a screen, which must not reach beyond this machine."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for word in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-background-networking",
        "--force-color-profile=srgb", "--hide-scrollbars",
    ):  # fmt: skip
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=Service(str(DRIVER)))
    driver.set_page_load_timeout(30)
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def explorer_at(runs: list[str], port: int = 0, **options: Any) -> Iterator[tuple[str, Explorer]]:
    """An explorer on a free port: its address without the last slash, and itself."""
    explorer = Explorer(runs, patience=300.0, **options)
    try:
        with serving(Server("127.0.0.1", port, application(explorer))) as server:
            yield server.url.rstrip("/"), explorer
    finally:
        explorer.close()


class Visitor:
    """A user who looks at pages."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver, self.address = driver, address

    def go(self, path: str) -> None:
        self.driver.get(self.address + path)
        self.until(lambda: self.driver.execute_script("return document.documentElement.dataset.ready") == "yes")

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def one(self, selector: str) -> Any:
        return self.until(lambda: self.all(selector) or None)[0]

    def click(self, selector: str) -> None:
        """Click on an element, found again if the page replaces it in the same moment."""

        def clicked() -> bool:
            self.one(selector).click()
            return True

        self.until(clicked)

    def texts(self, selector: str) -> list[str]:
        return [element.text.strip() for element in self.all(selector)]

    def text(self) -> str:
        return str(self.driver.execute_script("return document.body.innerText"))

    def press(self, keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(keys).perform()

    def until(self, ready: Callable[[], Found | None]) -> Found:
        """Wait for something; elements that vanish while they are looked at are looked for again."""
        from selenium.common.exceptions import StaleElementReferenceException

        end = time.monotonic() + PATIENCE
        while True:
            try:
                if found := ready():
                    return found
            except StaleElementReferenceException:
                pass
            assert time.monotonic() < end, f"waited in vain on {self.driver.current_url}:\n{self.text()[:2000]}"
            time.sleep(0.05)

    def complaints(self) -> list[str]:
        """What the browser has complained about since the last time: refused scripts, errors in ours."""
        return [entry["message"] for entry in self.driver.get_log("browser") if "favicon" not in entry["message"]]

    def picture(
        self, name: str, width: int = 1280, height: int = 900, theme: str = "light", whole: bool = False
    ) -> None:
        """A screenshot, kept only where a folder is named for it."""
        if PICTURES is None:
            return
        self.look_as(width, height, theme)
        if whole:
            tall = int(self.driver.execute_script("return document.documentElement.scrollHeight"))
            self.look_as(width, min(max(tall, height), 4000), theme)
        time.sleep(0.15)
        folder = Path(PICTURES)
        folder.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(folder / f"explorer-{name}.png"))
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def look_as(self, width: int, height: int, theme: str) -> None:
        """Another size of the window, and light or dark."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        feature = {"name": "prefers-color-scheme", "value": theme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
