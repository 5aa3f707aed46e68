"""Worker processes that survive the death of one of them.

Tasks are handed out one at a time. A worker that dies, by kill -9 or by the out-of-memory killer, costs its task's work
since the last checkpoint: a new worker takes its place and the task is tried again, a few times.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress

from regretless.scale.tasks import Outcome, Task

__all__ = ["ATTEMPTS", "run_in_processes"]

ATTEMPTS = 3
"""How often a task is tried whose worker dies."""

PATIENCE = 30.0
"""Seconds that an interrupted worker has to write its last checkpoint."""


class _Worker:
    """A process that does tasks one after the other."""

    def __init__(self) -> None:
        watched, self.lifeline = os.pipe()  # the system closes it if this process dies: the worker then stops
        inherits = os.name != "nt"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "regretless.scale.worker", *([str(watched)] if inherits else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            pass_fds=(watched,) if inherits else (),
        )
        os.close(watched)
        self._send(sys.path)

    def _send(self, content: object) -> None:
        assert self.process.stdin is not None
        pickle.dump(content, self.process.stdin)
        self.process.stdin.flush()

    def run(self, task: Task) -> Outcome | None:
        """The outcome of a task; None where the process died on the way."""
        try:
            data = pickle.dumps(task)
        except Exception as error:  # a game of the user's own may hold anything
            return Outcome(task.name, task.path, f"its game or method cannot be sent to another process: {error}")
        try:
            self._send((task.name, task.path, data))
            assert self.process.stdout is not None
            outcome: Outcome = pickle.load(self.process.stdout)
            return outcome
        except (EOFError, OSError, pickle.UnpicklingError):
            return None

    def interrupt(self) -> None:
        """Let the process stop at a checkpoint."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)

    def close(self) -> None:
        """End the process; it is killed if it takes too long."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        try:
            self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.lifeline)


class _Pool:
    """A thread for each worker process: it hands out tasks and replaces a process that has died."""

    def __init__(self, tasks: Sequence[Task], workers: int) -> None:
        self.waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self.outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self.stopping = threading.Event()
        self.running: set[_Worker] = set()
        self.lock = threading.Lock()
        for task in tasks:
            self.waiting.put(task)
        count = min(workers, len(tasks))
        self.threads = [threading.Thread(target=self._hand_out, daemon=True) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def _hand_out(self) -> None:
        worker = self._started()
        while not self.stopping.is_set():
            try:
                task = self.waiting.get_nowait()
            except queue.Empty:
                break
            outcome = None
            for _ in range(ATTEMPTS):
                outcome = worker.run(task)
                if outcome is not None or self.stopping.is_set():
                    break
                self._ended(worker)
                worker = self._started()
            sentence = f"its worker died {ATTEMPTS} times: it may need more memory"
            self.outcomes.put(outcome or Outcome(task.name, task.path, sentence))
        self._ended(worker)

    def _started(self) -> _Worker:
        worker = _Worker()
        with self.lock:
            self.running.add(worker)
        return worker

    def _ended(self, worker: _Worker) -> None:
        with self.lock:
            self.running.discard(worker)
        worker.close()

    def stop(self) -> None:
        """Interrupt all workers and wait for their last checkpoints."""
        self.stopping.set()
        with self.lock:
            for worker in self.running:
                worker.interrupt()
        for thread in self.threads:
            thread.join(timeout=2 * PATIENCE)


def run_in_processes(tasks: Sequence[Task], workers: int) -> Iterator[Outcome]:
    """Outcomes in the order in which tasks end. Closing the generator, or Ctrl-C, stops the workers at a checkpoint."""
    pool = _Pool(tasks, workers)
    try:
        for _ in tasks:
            yield pool.outcomes.get()
    finally:
        pool.stop()
