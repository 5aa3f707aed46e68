"""The program of a worker process: tasks come through standard input, outcomes leave through standard output, pickled.

Both ends are ours: the process is started by `process_pool` and reads nothing else.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from typing import Any

__all__ = ["main"]


def main() -> None:
    """Take a task, do it, send its outcome; end when the pipe is closed, or after an interrupt."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if len(sys.argv) > 1:
        threading.Thread(target=_stop_with_parent, args=(int(sys.argv[1]),), daemon=True).start()
    tasks = os.fdopen(os.dup(0), "rb")
    outcomes = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a game prints must not get between outcomes
    sys.path[:0] = pickle.load(tasks)
    try:
        while True:
            outcome = _done(tasks)
            pickle.dump(outcome, outcomes)
            outcomes.flush()
            if outcome.status == "interrupted":
                return
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return


def _stop_with_parent(pipe: int) -> None:
    """When the process that started this one dies, its end of the pipe is closed: stop at a checkpoint then."""
    if not os.read(pipe, 1):
        os.kill(os.getpid(), signal.SIGINT)


def _done(tasks: Any) -> Any:
    from regretless.scale.tasks import Outcome, run_task

    name, path, data = pickle.load(tasks)
    try:
        task = pickle.loads(data)
    except Exception as error:  # classes of the user's own may not be importable here
        sentence = f"its game or method cannot be sent to another process: {type(error).__name__}: {error}"
        return Outcome(name, path, f"{sentence}; define it in a module, not in the script itself")
    return run_task(task)


if __name__ == "__main__":
    main()
