"""The explorer itself: what it was given, and who answers which request."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from regretless.apps.explorer.pages.layout import message
from regretless.apps.explorer.web.jobs import Jobs
from regretless.apps.explorer.web.requests import Request, Response, redirect
from regretless.apps.views.library import Library, Missing
from regretless.errors import RegretlessError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.table_sessions import Tables
    from regretless.apps.views.loaded_run import Opened

__all__ = ["Explorer"]

KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

PATIENCE = 5.0
"""Seconds that warming up waits for the first page to be shown."""

ROUTES = {
    ("GET", "/convergence"): "convergence.convergence_page",
    ("GET", "/strategy"): "strategy.strategy_page",
    ("GET", "/best-response"): "response.response_page",
    ("GET", "/compare"): "comparing.compare_page",
    ("GET", "/play"): "play_table.play_page",
    ("POST", "/play/new"): "play_table.sit_down",
    ("POST", "/play/act"): "play_table.act",
    ("GET", "/solve"): "solving.solve_page",
    ("POST", "/solve/start"): "solving.start_job",
    ("POST", "/solve/stop"): "solving.stop_job",
    ("POST", "/solve/save"): "solving.save_job",
}
"""Who answers; a page's module is loaded when it is first asked for, so that the first page comes at once."""


class Preparing(RegretlessError):
    """What is asked for is not ready yet."""


class Explorer:
    """Runs, tables and solves, and the pages that show them."""

    def __init__(
        self,
        runs: Sequence[str] = (),
        *,
        game: str | None = None,
        solving: bool = True,
        save_to: str = ".",
        patience: float = 2.0,
    ) -> None:
        self.library = Library(runs, game)
        self.jobs = Jobs(Path(save_to))
        self.may_solve = solving
        self.patience = patience  # seconds that a page waits for a game to be listed before it says so
        self._seen = threading.Event()
        self._static = {path.name: path.read_bytes() for path in (Path(__file__).parent.parent / "static").iterdir()}
        self._versions = {name: hashlib.sha256(data).hexdigest()[:12] for name, data in self._static.items()}

    @cached_property
    def tables(self) -> Tables:
        """Where people play."""
        from regretless.apps.explorer.web.table_sessions import Tables

        return Tables()

    def static(self, name: str) -> str:
        """The address of a file of ours; it changes when the file does, so that browsers may keep it."""
        return f"/static/{name}?v={self._versions[name]}"

    def chosen_run(self, request: Request) -> int:
        """The run that a request names; the first that can be read where it names none."""
        number = request.number("run")
        if number is not None:
            self.library.entry(number)
            return number
        entries = self.library.entries()
        if not entries:
            raise Missing("no run was given: solve a game first, or start the explorer with a run")
        return next((entry.number for entry in entries if not entry.look().problem), entries[0].number)

    def opened(self, number: int) -> Opened:
        """A run to look at, as soon as that is possible."""
        opened = self.library.opened(number)
        if not opened.prepared(self.patience):
            raise Preparing(f"{opened.entry.name} is being read and its game listed; this page comes by itself")
        return opened

    def answer(self, request: Request) -> Response:
        """What a browser gets; mistakes are sentences, never tracebacks."""
        try:
            answered = self._answer(request)
            if answered.status == 200 and not request.path.startswith("/static/"):
                self._seen.set()
            return answered
        except Preparing as error:
            page = message(self, request, "A moment", str(error), 503)
            return dataclasses.replace(page, headers={"Refresh": "1", "Retry-After": "1"})
        except Missing as error:
            return message(self, request, "Not here", str(error), 404)
        except RegretlessError as error:
            return message(self, request, "That does not work", self.library.discreet(str(error)), 422)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return message(self, request, "A mistake of ours", "something went wrong; the terminal says what", 500)

    def _answer(self, request: Request) -> Response:
        if request.path == "/":
            return redirect("/convergence" if self.library.entries() or not self.may_solve else "/solve")
        if request.path == "/alive":
            return Response("yes", kind="text/plain")
        if request.path.startswith("/static/"):
            return self._file(request.path.removeprefix("/static/"))
        found = ROUTES.get((request.method, request.path))
        if found is None or (request.path.startswith("/solve") and not self.may_solve):
            raise Missing(f"there is no page {request.path[:80]}")
        module, _, name = found.partition(".")
        page: Callable[[Explorer, Request], Response] = getattr(
            import_module(f"regretless.apps.explorer.pages.{module}"), name
        )
        return page(self, request)

    def _file(self, name: str) -> Response:
        """One of our own few files, which are in memory: a name is looked up and never becomes a path."""
        data = self._static.get(name)
        if data is None:
            raise Missing(f"there is no file {name[:80]}")
        kind = KINDS.get(name[name.rfind(".") :], "application/octet-stream")
        return Response(data, kind=kind, headers={"Cache-Control": "max-age=31536000, immutable"})

    def warm(self) -> None:
        """Load in the background what the first look at a run would have to wait for, but not before the first page."""
        threading.Thread(target=self._warm, daemon=True).start()

    def _warm(self) -> None:
        import contextlib

        self._seen.wait(PATIENCE)
        time.sleep(0.3)
        for module in {found.partition(".")[0] for found in ROUTES.values()}:
            import_module(f"regretless.apps.explorer.pages.{module}")
        for entry in self.library.entries()[:4]:
            with contextlib.suppress(Exception):  # whoever looks at the run is told
                self.library.opened(entry.number).prepared(3600.0)

    def close(self) -> None:
        """End what was started."""
        self.jobs.close()
