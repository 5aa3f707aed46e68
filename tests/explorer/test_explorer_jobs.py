"""Solves that the page starts: what it may solve, stopping, saving, and failing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import regretless as rg
from regretless.apps.explorer.web.jobs import Job, Jobs, Wish


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (Wish("mygame.py:Guess"), "a page solves the library's own games, not 'mygame.py:Guess'"),
        (Wish("/etc/passwd"), "a page solves the library's own games"),
        (Wish("kuhn:players=x"), "a whole number"),
        (Wish("kuhn:" + "x" * 300), "a page solves"),
        (Wish("kuhn", "cfr++"), "unknown algorithm"),
        (Wish("kuhn", seconds=0), "seconds is a time"),
        (Wish("kuhn", seconds=1e9), "seconds is a time"),
        (Wish("kuhn", until=-1), "until is an exploitability above zero"),
        (Wish("kuhn", iterations=0), "iterations is a positive whole number"),
    ],
)
def test_wishes_that_cannot_be_meant(tmp_path: Path, wish: Wish, said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        Jobs(tmp_path).start(wish)


def waited(job: Job, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while job.running and time.monotonic() < end:
        time.sleep(0.05)


def test_a_solve_is_stopped_and_saved(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path)
    try:
        job = jobs.start(Wish("leduc", seconds=100))
        while not job.begun or job.look().iterations == 0:
            assert job.running, job.complaint
            time.sleep(0.05)
        job.stop()
        waited(job)
        assert (job.running, job.complaint, job.look().stopped) == (False, "", "interrupted")
        for name in ("../out.run", "/tmp/out.run", ".hidden", "a b", "", "x" * 200):
            with pytest.raises(rg.OptionError, match="a name is letters"):
                jobs.save(job, name)
        assert jobs.save(job, "kept.run") == "kept.run"
        assert rg.load(tmp_path / "kept.run").stopped == "interrupted"  # type: ignore[union-attr]
        with pytest.raises(rg.OptionError, match=r"kept\.run exists already"):
            jobs.save(job, "kept.run")
        folder = job.path.parent
    finally:
        jobs.close()
    assert not folder.exists()
    with pytest.raises(rg.OptionError, match="there is no solve number 7"):
        jobs.job(7)


def test_a_solve_that_fails_says_why(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path)
    try:
        job = jobs.start(Wish("phantom_ttt"))  # far too large to list
        waited(job)
        assert "too large" in job.complaint
        assert not job.begun
        with pytest.raises(rg.OptionError, match="has not written anything"):
            jobs.save(job, "x.run")
    finally:
        jobs.close()
