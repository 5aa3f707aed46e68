"""The process of one solve: the command line, with a limit on memory, that ends when the explorer ends.

python -m regretless.apps.explorer.web.job_process BYTES FOLDER solve GAME …
"""

from __future__ import annotations

import os
import shutil
import signal
import sys

from regretless.apps.child_processes import limit_memory, when_parent_ends

__all__ = ["main"]


def main(arguments: list[str]) -> None:
    """Run a command of the command line within limits."""
    memory, folder, *command = arguments

    def give_up() -> None:
        """The explorer is gone, and with it all who could look at the result."""
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    when_parent_ends(give_up)
    if int(memory):
        limit_memory(int(memory))
    # A shell makes background jobs ignore SIGINT, and children inherit that. Here it means: stop and save.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from regretless.apps.cli import main as run_command

    run_command(command)


if __name__ == "__main__":
    main(sys.argv[1:])
