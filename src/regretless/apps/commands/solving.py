"""`regretless solve`: a new run or a resumed one, and its summary."""

from __future__ import annotations

import dataclasses
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from regretless.apps.commands.game_opening import check_picture, open_for
from regretless.apps.commands.ray_option import cluster_of
from regretless.apps.commands.summary import description, facts_of, is_holdem, measured
from regretless.apps.exit_messages import INTERRUPTED, reported_warnings
from regretless.apps.startup import started
from regretless.errors import FileError, OptionError
from regretless.storage import while_locked

if TYPE_CHECKING:
    from regretless.method import Method
    from regretless.poker.games import PublicGame
    from regretless.problem import Problem
    from regretless.run import Run
    from regretless.scale.ray_cluster import Ray

    Checkpoint = str | os.PathLike[str] | None

__all__ = ["SolveOptions", "check_stops", "solve_and_tell"]

FEW_INFOSETS = 12
"""The strategy is printed with the summary up to this number of infosets."""


@dataclass(frozen=True)
class SolveOptions:
    """The options of `regretless solve`; None where one is not given."""

    game: str
    algorithm: str | None = None
    iterations: int | None = None
    until: str | None = None
    seconds: float | None = None
    out: str | None = None
    resume: bool = False
    overwrite: bool = False
    json: bool = False
    quiet: bool = False
    seed: int | None = None
    threads: int | None = None
    dtype: str | None = None
    device: str | None = None
    checkpoint_every: float = 30.0
    plot: str | None = None
    measure: str | None = None
    start: str | None = None
    ray: str | None = None
    compact: bool = False

    @property
    def talkative(self) -> bool:
        """Whether text for people is printed."""
        return not (self.json or self.quiet)

    @property
    def shows_progress(self) -> bool:
        """Whether a progress bar is drawn."""
        return self.talkative and sys.stderr.isatty()

    def say(self, text: str) -> None:
        """Print a line, unless output is JSON or quiet."""
        if self.talkative:
            print(text)

    def check(self) -> None:
        """Raise OptionError for invalid options, before anything is built."""
        from regretless.lookup.methods import method_by_name

        check_stops(self.iterations, self.until, self.seconds, self.measure)
        if self.algorithm is not None:
            method_by_name(self.algorithm)
        if self.resume and self.out is None:
            raise OptionError("--resume goes on with the run in --out: name that file")
        if self.resume and self.start is not None:
            raise OptionError("--resume goes on with a run as it is: leave out --start")
        if self.compact and self.out is None:
            raise OptionError("--compact is about the file that --out names: name one")
        if self.out is not None and Path(self.out).is_dir():
            raise FileError(f"cannot write {self.out}: it is a folder; name a file")
        if not self.checkpoint_every >= 0:
            raise OptionError(f"checkpoint-every is a number of seconds from 0 on, got {self.checkpoint_every}")
        check_picture(self.plot)
        if self.plot is not None and self.measure == "never" and not self.resume:
            raise OptionError(
                "--plot draws what was measured, and --measure never measures nothing: leave one of them out"
            )


def check_stops(iterations: int | None, until: str | None, seconds: float | None, measure: str | None = None) -> None:
    """Raise OptionError for invalid stopping rules, before anything is built."""
    from regretless.solving.loop import Rules
    from regretless.solving.stopping import read_until

    Rules.checked(iterations, read_until(until)[0], seconds, measure=read_measure(measure))


def read_measure(text: str | None) -> int | float | str | None:
    """When to measure, from a command line: a whole number, a growth factor, or a word."""
    if text is None or not text.replace(".", "", 1).isdigit():
        return text
    return float(text) if "." in text else int(text)


def solve_and_tell(options: SolveOptions) -> None:
    """The whole command: solve or resume, save, print, draw."""
    options.check()
    with while_locked(options.out) as lock:
        run, idle = _solved(options, lock)
        if options.compact and lock is not None and run.stopped != "interrupted":
            run.save(lock, compact=True)
    check_written(run, options.out)
    if idle:  # nothing was left to do, and a line said so
        options = dataclasses.replace(options, quiet=not options.json)
    if options.json:
        from regretless.apps.printing import print_json

        print_json(description(run, saved=options.out, plot=options.plot))
    elif not options.quiet:
        tell(run, options)
    if options.plot is not None:
        draw(run, options)
    if run.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def draw(run: Run, options: SolveOptions) -> None:
    """Write the plot; a run without measurements is said to have none, after a solve that may have taken hours."""
    from regretless.plots import NothingToDrawError

    try:
        run.plot(options.plot)
    except NothingToDrawError as error:
        options.say(f"{options.plot} is not written: {error}")
    else:
        options.say(f"written: {options.plot}")


def _solved(options: SolveOptions, lock: Checkpoint) -> tuple[Run, bool]:
    """The run, and whether it was complete before; `lock` is the held write lock of --out."""
    exists = options.out is not None and Path(options.out).exists()
    if exists and not options.resume and not options.overwrite:
        refuse_to_overwrite(str(options.out), options.game)
    if options.resume and not exists:
        options.say(f"{options.out} does not exist yet: starting afresh")
    with reported_warnings():
        return go_on(options, lock) if options.resume and exists else (start(options, lock), False)


def check_written(run: Run, path: str | None) -> None:
    """Raise FileError where the last checkpoint could not be written."""
    from regretless.storage import read_header

    if path is None or (Path(path).exists() and read_header(path).get("iterations") == run.iterations):
        return
    raise FileError(f"the run of {run.iterations:,} iterations could not be written to {path}; the file is older")


def refuse_to_overwrite(path: str, game: str) -> None:
    """A run may have taken days: it is only replaced with --overwrite."""
    try:
        old, _ = known_run(path, game)
    except FileError:
        raise OptionError(
            f"{path} exists and is not a run: name another file, or add --overwrite to replace it"
        ) from None
    raise OptionError(
        f"{path} already holds {old.iterations:,} iterations of {old.method.name} on {old.game}: "
        f"add --resume to go on from there, or --overwrite to start afresh"
    )


def start(options: SolveOptions, lock: Checkpoint) -> Run:
    """A fresh run."""
    from regretless.lookup.methods import method_by_name
    from regretless.problem import found
    from regretless.run import compact_writer, load
    from regretless.solver import solve, usual_method
    from regretless.solving.workers import opening

    method = method_by_name(options.algorithm or usual_method(found(options.game)))
    say = options.say if options.talkative else None
    cluster = solving_cluster(options, method)
    here = cluster is None or not cluster.gpus_per_task
    with opening(cluster):
        (problem,) = open_for(options.game, [method], dtype=options.dtype, device=options.device, here=here, say=say)
    if options.compact:
        compact_writer(problem)
    started()
    return solve(
        problem,
        method,
        iterations=options.iterations,
        until=options.until,
        seconds=options.seconds,
        seed=options.seed or 0,
        dtype=options.dtype,
        device=options.device or "cpu",
        threads=options.threads,
        progress=options.shows_progress,
        checkpoint=lock,
        checkpoint_every=options.checkpoint_every,
        measure=read_measure(options.measure),
        start=None if options.start is None else load(options.start),
        overwrite=options.overwrite,
        workers=cluster,
    )


def go_on(options: SolveOptions, lock: Checkpoint) -> tuple[Run, bool]:
    """The run in the file, resumed up to the total that is asked for; and whether it had reached that before."""
    from regretless.run import compact_writer, read_run
    from regretless.solver import resume
    from regretless.solving.stopping import chips_until

    path = str(options.out)
    old, public = known_run(path, options.game)
    check_same(options, old, public)
    if options.compact and old.problem.kind != "public tree":
        compact_writer(old.problem)
    total = options.iterations
    if total is None and options.until is None and options.seconds is None:
        total = int(old.settings.get("planned") or 1_000)
    reason = enough(old, total, chips_until(options.until, public))
    if reason:
        options.say(f"{path} {reason}: nothing to do")
        return old if public is None else read_run(path), True
    tree = None if public is not None else open_again(options, old)
    started()
    options.say(f"going on from iteration {old.iterations:,}")
    return resume(
        path,
        iterations=None if total is None else total - old.iterations,
        until=options.until,
        seconds=options.seconds,
        game=tree,
        threads=options.threads,
        device=options.device,
        progress=options.shows_progress,
        checkpoint=lock,
        checkpoint_every=options.checkpoint_every,
        measure=read_measure(options.measure),
        workers=solving_cluster(options, old.method),
    ), False


def solving_cluster(options: SolveOptions, method: Method) -> Ray | None:
    """The cluster of `--ray`; its GPUs are for variants of CFR, a deep method uses the one of this machine."""
    from regretless.variants import Variant

    return cluster_of(options.ray, options.threads, options.device if isinstance(method, Variant) else None)


def known_run(path: str, game: str) -> tuple[Run, PublicGame | None]:
    """The run in a file, and the game of hold'em that the file may hold; then the arrays, gigabytes, are not read."""
    from regretless.problem import found
    from regretless.run import read_run, read_summary
    from regretless.storage import read_header

    meta = read_header(path)
    described = meta.get("description", meta.get("sampled_game"))  # hand by hand, or of networks
    if described is None:
        return read_run(path, game=found(game) if meta.get("problem") == "bucketed tree" else None), None
    from regretless.poker.formats.game_json import game_from_json

    try:
        return read_summary(path), game_from_json(described)
    except FileError as error:
        raise FileError(f"{path}: {error}") from None


def open_again(options: SolveOptions, old: Run) -> Problem:
    """The game that a run is of, which must not have changed."""
    (problem,) = open_for(options.game, [old.method], say=options.say if options.talkative else None)
    if problem.fingerprint != old.fingerprint:
        raise OptionError(f"{options.out} is a run of {old.game}, and {options.game} is another game (or has changed)")
    return problem


def told_apart(old: Any, new: Any) -> tuple[str, str]:
    """The names of two methods, with the settings in which they differ where the names are the same."""
    if old.name != new.name or type(old) is not type(new):
        return old.name, new.name
    names = [field.name for field in dataclasses.fields(old) if getattr(old, field.name) != getattr(new, field.name)]
    one, other = (", ".join(f"{name}={getattr(method, name)}" for name in names) for method in (old, new))
    return f"{old.name} with {one}", f"{new.name} with {other}"


def check_same(options: SolveOptions, old: Run, public: PublicGame | None) -> None:
    """Check that the options given agree with the run in the file."""
    from regretless.games import spec_of
    from regretless.games.registry import GAMES
    from regretless.lookup.games import find_game
    from regretless.lookup.methods import method_by_name
    from regretless.solver import planned_for

    asked_for = method_by_name(options.algorithm) if options.algorithm is not None else old.method
    if options.algorithm is not None:  # what depends on the length of the run was settled when it began
        asked_for = planned_for(asked_for, old.settings.get("planned") or options.iterations)
    if options.algorithm is not None and asked_for != old.method:
        one, other = told_apart(old.method, asked_for)
        raise OptionError(
            f"{options.out} is a run of {one}, not of {other}: leave -a out to go on with it, or name another file"
        )
    found = find_game(options.game)
    check_same_setting(options, old, public, found)
    asked = spec_of(found)
    if asked is not None and old.game.partition(":")[0] in GAMES and asked != spec_of(find_game(old.game)):
        raise OptionError(f"{options.out} is a run of {old.game}, not of {options.game}: name another file")
    for option, given in (("dtype", options.dtype), ("seed", options.seed)):
        if given is not None and given != old.settings.get(option):
            raise OptionError(
                f"{options.out} was started with {option} {old.settings.get(option)}, which cannot become {given}"
            )


def check_same_setting(options: SolveOptions, old: Run, public: PublicGame | None, found: Any) -> None:
    """A run of hold'em is resumed only with the same cards, chips and locks."""
    from regretless.problem import opens_itself

    by_buckets = getattr(old.problem, "kind", None) == "bucketed tree"  # `open_again` compares its fingerprint
    if public is None and (by_buckets or not opens_itself(found)):
        return
    from regretless.poker.formats.game_json import same_game

    if old.problem.kind == "bucketed tree":
        public = old.problem.game
    if public is None or not opens_itself(found) or not same_game(found, public):
        changed = f"{options.game} is another game (or has changed)"
        raise OptionError(f"{options.out} is a run of {old.game}, and {changed}: name another file")


def enough(old: Run, total: int | None, until: float | None) -> str:
    """Why there is nothing left to do, or an empty text."""
    if total is not None and old.iterations >= total:
        return f"has already done {old.iterations:,} iterations"
    reached = measured(old, "exploitability")
    if until is not None and reached is not None and reached <= until:
        return f"has already reached exploitability {reached:.3g}"
    return ""


def tell(run: Run, options: SolveOptions) -> None:
    """Print the summary for people, with the strategy where it is short."""
    from regretless.apps.printing import console, facts, print_strategy, shown

    out = console()
    rows = facts_of(run)
    if is_holdem(run):
        from regretless.apps.commands.holdem_summary import opening_play

        rows.append(("begins", opening_play(run)))
    if options.out is not None:
        rows.append(("saved", f"{options.out} (regretless show {options.out})"))
    else:
        rows.append(("saved", "nowhere: --out FILE keeps a run"))
    out.print(facts(rows))
    if run.listed and not is_holdem(run) and run.infosets <= FEW_INFOSETS:
        print_strategy(out, shown(run.strategy, run.strategy.labels.reading_order.tolist()))
