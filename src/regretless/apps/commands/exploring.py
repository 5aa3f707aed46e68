"""`regretless explore`: the explorer as a web page on this machine."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Sequence

from regretless.apps.exit_messages import warn
from regretless.apps.explorer.web.app import Explorer
from regretless.apps.explorer.web.server import Server, is_loopback, serving

__all__ = ["explore_and_serve"]

PORT = 8765
PORTS = 20
"""If nobody asked for a port and this one is taken, the next ones are tried."""


def explore_and_serve(
    runs: Sequence[str], *, host: str, port: int | None, game: str | None, save_to: str, browser: bool
) -> None:
    """The whole command: open the door, say where it is, serve until Ctrl-C."""
    local = is_loopback(host)
    explorer = Explorer(runs, game=game, solving=local, save_to=save_to)
    server = open_door(host, port, explorer)
    if not local:
        warn(
            f"listening on {host}: whoever can reach this machine can look at these runs and play, without a password. "
            "Solving and saving are switched off"
        )
    done = threading.Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: done.set())
    with serving(server):
        print(f"The explorer is at {server.address} (Ctrl-C ends it)", flush=True)
        explorer.warm()
        if browser and sys.stdout.isatty():
            import webbrowser

            threading.Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
        try:
            done.wait()
        except KeyboardInterrupt:
            print()
        finally:
            explorer.close()


def open_door(host: str, port: int | None, explorer: Explorer) -> Server:
    """A server on the port asked for, or on the first free one."""
    from regretless.errors import OptionError

    if port is not None:
        return Server(host, port, explorer.answer)
    for candidate in range(PORT, PORT + PORTS):
        try:
            return Server(host, candidate, explorer.answer)
        except OptionError:
            if candidate == PORT + PORTS - 1:
                raise
    raise AssertionError
