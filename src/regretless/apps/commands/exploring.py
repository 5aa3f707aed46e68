"""`regretless explore`: the explorer as web pages on this machine."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from regretless.apps.exit_messages import warn
from regretless.apps.languages.choice import Language
from regretless.errors import OptionError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from regretless.apps.explorer.web.server import Server

__all__ = ["explore_and_serve"]

NEEDED = ("starlette", "uvicorn", "htpy", "plotly")
PORT = 8765
PORTS = 20
"""Without --port, this many ports from `PORT` on are tried."""


def explore_and_serve(
    runs: Sequence[str],
    *,
    host: str,
    port: int | None,
    game: str | None,
    save_to: str,
    browser: bool,
    language: Language = Language.en,
) -> None:
    """The whole command: listen, print the address, serve until Ctrl-C."""
    check_extra()
    from regretless.apps.commands.holdem.spot_solving import solved_files
    from regretless.apps.explorer.web.app import application, warm_up
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.apps.explorer.web.guards import is_loopback
    from regretless.apps.explorer.web.server import serving

    local = is_loopback(host)
    explorer = Explorer(
        solved_files(runs, save_to, print), game=game, solving=local, save_to=save_to, language=language
    )
    app = application(explorer)
    server = listen(host, port, app)
    if not local:
        warn(
            f"listening on {host}: all who have the address with its token can look at these runs and play. The "
            "connection is not encrypted. Solving and saving are switched off"
        )
    stop = threading.Event()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda _number, _frame: stop.set())
    try:
        with serving(server):
            print(f"The explorer is at {server.url} (Ctrl-C ends it)", flush=True)
            warm_up(app, explorer)
            if browser and sys.stdout.isatty():
                open_browser(server.url)
            wait_for(stop)
    finally:
        explorer.close()
    end_now()


def check_extra() -> None:
    """The packages of the web server are an extra."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise OptionError(f"the explorer needs {', '.join(missing)}: pip install 'regretless[explore]'")


def listen(host: str, port: int | None, app: ASGIApp) -> Server:
    """A server on the given port, or on the first free one."""
    from regretless.apps.explorer.web.server import Server

    if port is not None:
        return Server(host, port, app)
    for candidate in range(PORT, PORT + PORTS - 1):
        try:
            return Server(host, candidate, app)
        except OptionError:
            continue
    return Server(host, PORT + PORTS - 1, app)


def open_browser(address: str) -> None:
    """Show a page in the user's browser."""
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def wait_for(stop: threading.Event) -> None:
    """Wait for a signal or Ctrl-C."""
    try:
        stop.wait()
    except KeyboardInterrupt:
        print()


def end_now() -> None:
    """End the process even if a page is still being computed, since its thread would be waited for."""
    if any(thread.is_alive() and not thread.daemon for thread in threading.enumerate()[1:]):
        sys.stdout.flush()
        os._exit(0)
