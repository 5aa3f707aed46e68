"""The state of an explorer: its runs, the tables at which people play, and the solves that it has started."""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from regretless.apps.explorer.web.jobs import Jobs
from regretless.apps.explorer.web.static_files import StaticFiles
from regretless.apps.languages.choice import Language
from regretless.apps.views.library import Library, NotFound
from regretless.errors import RegretlessError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.requests import PageRequest
    from regretless.apps.explorer.web.table_sessions import DrillSessions, ReviewSessions, TableSessions
    from regretless.apps.views.loaded_run import LoadedRun
    from regretless.apps.views.studio.flop_reports import FlopReader

__all__ = ["Explorer", "NotReady"]

RUNS_TO_WARM = 4
"""Runs that are loaded in the background after the start."""


SLOW_IMPORTS = (
    "regretless.apps.explorer.pages.response",
    "regretless.apps.explorer.pages.comparing",
    "regretless.apps.explorer.pages.strategy",
    "regretless.apps.explorer.pages.studio.leak_page",
    "regretless.apps.explorer.pages.studio.compare_spots",
    "regretless.apps.explorer.pages.holdem_strategy",
)
"""Pages that are imported with the first runs, before a user asks for them."""


class NotReady(RegretlessError):
    """A run is still being loaded."""


class Explorer:
    """Runs, tables and solves; pages read and change them."""

    def __init__(
        self,
        runs: Sequence[str] = (),
        *,
        game: str | None = None,
        solving: bool = True,
        save_to: str = ".",
        patience: float = 2.0,
        language: Language = Language.en,
    ) -> None:
        self.library = Library(runs, game)
        self.jobs = Jobs(Path(save_to))
        self.files = StaticFiles()
        self.may_solve, self.language = solving, language
        self.patience = patience  # seconds that a page waits for a run before it answers "not ready"

    @cached_property
    def tables(self) -> TableSessions:
        """The tables at which people play."""
        from regretless.apps.explorer.web.table_sessions import TableSessions

        return TableSessions()

    @cached_property
    def drills(self) -> DrillSessions:
        """The drills that people do."""
        from regretless.apps.explorer.web.table_sessions import DrillSessions

        return DrillSessions()

    @cached_property
    def flops(self) -> FlopReader:
        """The nodes of reports over runs on flops."""
        from regretless.apps.views.studio.flop_reports import FlopReader

        return FlopReader()

    @cached_property
    def reviews(self) -> ReviewSessions:
        """The reviews of hands."""
        from regretless.apps.explorer.web.table_sessions import ReviewSessions

        return ReviewSessions()

    def chosen_run(self, request: PageRequest) -> int:
        """The run that a request names; without a name, the first one that can be read."""
        number = request.number("run")
        if number is not None:
            self.library.entry(number)
            return number
        entries = self.library.entries()
        if not entries:
            raise NotFound("no run was given: solve a game first, or start the explorer with a run")
        return next((entry.number for entry in entries if not entry.header().problem), entries[0].number)

    def load(self, number: int) -> LoadedRun:
        """A run that is ready to be shown; raises `NotReady` if loading takes longer than `patience`."""
        loaded = self.library.load(number)
        if not loaded.prepared(self.patience):
            raise NotReady(f"{loaded.entry.name} is being loaded; this page will reload by itself")
        return loaded

    def load_studied(self, number: int) -> LoadedRun:
        """The same after all of a run of hold'em was read that fits: what leaks and comparisons need."""
        loaded = self.load(number)
        if loaded.is_holdem and not loaded.studied(self.patience):
            raise NotReady(f"{loaded.entry.name} is being read; this page will reload by itself")
        return loaded

    def warm(self) -> None:
        """Load the first runs in the background."""

        def load_runs() -> None:
            for name in SLOW_IMPORTS:
                importlib.import_module(name)
            for entry in self.library.entries()[:RUNS_TO_WARM]:
                with contextlib.suppress(Exception):  # the page that shows the run reports the error
                    self.library.load(entry.number).prepared(3600.0)

        threading.Thread(target=load_runs, daemon=True).start()

    def close(self) -> None:
        """End all solves that were started here."""
        self.jobs.close()
