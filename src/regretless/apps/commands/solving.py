"""`regretless solve`: a fresh run or one that goes on, and what is said about it afterwards."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from regretless.apps.commands.game_opening import check_picture, open_for
from regretless.apps.commands.summary import description, facts_of, is_holdem, measured
from regretless.apps.exit_messages import INTERRUPTED
from regretless.apps.startup import started
from regretless.errors import FileError, OptionError

if TYPE_CHECKING:
    from regretless.poker.games import PublicGame
    from regretless.problem import Problem
    from regretless.run import Run

__all__ = ["Order", "check_stops", "solve_and_tell"]

FEW_INFOSETS = 12
"""Strategies of up to so many infosets are printed with the summary."""


@dataclass(frozen=True)
class Order:
    """What the command line asked for; None where it did not say."""

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

    @property
    def talkative(self) -> bool:
        """Whether people read along."""
        return not (self.json or self.quiet)

    @property
    def shows_progress(self) -> bool:
        """Whether a live line is drawn."""
        return self.talkative and sys.stderr.isatty()

    def say(self, text: str) -> None:
        """A sentence on standard output, if people read along."""
        if self.talkative:
            print(text)

    def check(self) -> None:
        """Refuse what cannot be meant before anything is built."""
        from regretless.lookup.methods import method_by_name

        check_stops(self.iterations, self.until, self.seconds)
        if self.algorithm is not None:
            method_by_name(self.algorithm)
        if self.resume and self.out is None:
            raise OptionError("--resume goes on with the run in --out: name that file")
        if self.out is not None and Path(self.out).is_dir():
            raise FileError(f"cannot write {self.out}: it is a folder; name a file")
        if not self.checkpoint_every >= 0:
            raise OptionError(f"checkpoint-every is a number of seconds from 0 on, got {self.checkpoint_every}")
        check_picture(self.plot)


def check_stops(iterations: int | None, until: str | None, seconds: float | None) -> None:
    """Refuse stopping rules that cannot be meant."""
    from regretless.solving.loop import Rules
    from regretless.solving.stopping import read_until

    Rules.checked(iterations, read_until(until)[0], seconds)


def solve_and_tell(order: Order) -> None:
    """The whole command: solve or go on, save, tell, draw."""
    order.check()
    exists = order.out is not None and Path(order.out).exists()
    if exists and not order.resume and not order.overwrite:
        refuse_to_overwrite(str(order.out))
    if order.resume and not exists:
        order.say(f"{order.out} does not exist yet: starting afresh")
    run, idle = go_on(order) if order.resume and exists else (start(order), False)
    if idle:  # nothing was left to do, and that has been said
        order = dataclasses.replace(order, quiet=not order.json)
    if order.json:
        from regretless.apps.printing import print_json

        print_json(description(run, saved=order.out, plot=order.plot))
    elif not order.quiet:
        tell(run, order)
    if order.plot is not None:
        run.plot(order.plot)
        order.say(f"written: {order.plot}")
    if run.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def refuse_to_overwrite(path: str) -> None:
    """A run may have taken days: it is not replaced unless somebody says so."""
    try:
        old, _ = known_run(path)
    except FileError:
        raise OptionError(
            f"{path} exists and is not a run: name another file, or add --overwrite to replace it"
        ) from None
    raise OptionError(
        f"{path} already holds {old.iterations:,} iterations of {old.method.name} on {old.game}: "
        f"add --resume to go on from there, or --overwrite to start afresh"
    )


def start(order: Order) -> Run:
    """A fresh run."""
    from regretless.lookup.methods import method_by_name
    from regretless.solver import solve

    method = method_by_name(order.algorithm or "cfr+")
    say = order.say if order.talkative else None
    (problem,) = open_for(order.game, [method], dtype=order.dtype, device=order.device, say=say)
    started()
    return solve(
        problem,
        method,
        iterations=order.iterations,
        until=order.until,
        seconds=order.seconds,
        seed=order.seed or 0,
        dtype=order.dtype,
        device=order.device or "cpu",
        threads=order.threads,
        progress=order.shows_progress,
        checkpoint=order.out,
        checkpoint_every=order.checkpoint_every,
    )


def go_on(order: Order) -> tuple[Run, bool]:
    """The run in the file, continued until it has done what is asked for in all; and whether it had done so before."""
    from regretless.run import read_run
    from regretless.solver import resume
    from regretless.solving.stopping import chips_until

    path = str(order.out)
    old, public = known_run(path)
    check_same(order, old, public)
    total = order.iterations
    if total is None and order.until is None and order.seconds is None:
        total = int(old.settings.get("planned") or 1_000)
    reason = enough(old, total, chips_until(order.until, public))
    if reason:
        order.say(f"{path} {reason}: nothing to do")
        return read_run(path), True
    tree = None if public is not None else open_again(order, old)
    started()
    order.say(f"going on from iteration {old.iterations:,}")
    return resume(
        path,
        iterations=None if total is None else total - old.iterations,
        until=order.until,
        seconds=order.seconds,
        game=tree,
        threads=order.threads,
        device=order.device,
        progress=order.shows_progress,
        checkpoint=path,
        checkpoint_every=order.checkpoint_every,
    ), False


def known_run(path: str) -> tuple[Run, PublicGame | None]:
    """The run in a file, and if it is of hold'em its game; what was learnt there, gigabytes, is not read."""
    from regretless.run import read_run, read_summary
    from regretless.storage import read_header

    meta = read_header(path)
    if "description" not in meta:
        return read_run(path), None
    from regretless.poker.formats.game_json import game_from_json

    try:
        return read_summary(path), game_from_json(meta["description"])
    except FileError as error:
        raise FileError(f"{path}: {error}") from None


def open_again(order: Order, old: Run) -> Problem:
    """The game that a run is of, which must not have changed."""
    (problem,) = open_for(order.game, [old.method], say=order.say if order.talkative else None)
    if problem.fingerprint != old.fingerprint:
        raise OptionError(f"{order.out} is a run of {old.game}, and {order.game} is another game (or has changed)")
    return problem


def told_apart(old: Any, new: Any) -> tuple[str, str]:
    """The names of two methods, with the settings in which they differ where the names are the same."""
    if old.name != new.name or type(old) is not type(new):
        return old.name, new.name
    names = [field.name for field in dataclasses.fields(old) if getattr(old, field.name) != getattr(new, field.name)]
    one, other = (", ".join(f"{name}={getattr(method, name)}" for name in names) for method in (old, new))
    return f"{old.name} with {one}", f"{new.name} with {other}"


def check_same(order: Order, old: Run, public: PublicGame | None) -> None:
    """Whatever the command line says about the run must be true of the file."""
    from regretless.games import spec_of
    from regretless.games.registry import GAMES
    from regretless.lookup.games import find_game
    from regretless.lookup.methods import method_by_name
    from regretless.solver import planned_for

    asked_for = method_by_name(order.algorithm) if order.algorithm is not None else old.method
    if order.algorithm is not None:  # what depends on the length of the run was settled when it began
        asked_for = planned_for(asked_for, old.settings.get("planned") or order.iterations)
    if order.algorithm is not None and asked_for != old.method:
        one, other = told_apart(old.method, asked_for)
        raise OptionError(
            f"{order.out} is a run of {one}, not of {other}: leave -a out to go on with it, or name another file"
        )
    found = find_game(order.game)
    check_same_setting(order, old, public, found)
    asked = spec_of(found)
    if asked is not None and old.game.partition(":")[0] in GAMES and asked != spec_of(find_game(old.game)):
        raise OptionError(f"{order.out} is a run of {old.game}, not of {order.game}: name another file")
    for option, given in (("dtype", order.dtype), ("seed", order.seed)):
        if given is not None and given != old.settings.get(option):
            raise OptionError(
                f"{order.out} was started with {option} {old.settings.get(option)}, which cannot become {given}"
            )


def check_same_setting(order: Order, old: Run, public: PublicGame | None, found: Any) -> None:
    """A run of hold'em goes on only with just the same cards, chips and locks."""
    from regretless.problem import opens_itself

    if public is None and not opens_itself(found):
        return
    from regretless.poker.formats.game_json import game_to_json

    if public is None or not opens_itself(found) or game_to_json(found) != game_to_json(public):
        changed = f"{order.game} is another game (or has changed)"
        raise OptionError(f"{order.out} is a run of {old.game}, and {changed}: name another file")


def enough(old: Run, total: int | None, until: float | None) -> str:
    """Why a run need not go on, or nothing."""
    if total is not None and old.iterations >= total:
        return f"has already done {old.iterations:,} iterations"
    reached = measured(old, "exploitability")
    if until is not None and reached is not None and reached <= until:
        return f"has already reached exploitability {reached:.3g}"
    return ""


def tell(run: Run, order: Order) -> None:
    """The summary that people read, with the strategy where it is short."""
    from regretless.apps.printing import console, facts, print_strategy, shown

    out = console()
    rows = facts_of(run)
    if is_holdem(run):
        from regretless.apps.commands.holdem_summary import opening_play

        rows.append(("begins", opening_play(run)))
    if order.out is not None:
        rows.append(("saved", f"{order.out} (regretless show {order.out})"))
    else:
        rows.append(("saved", "nowhere: --out FILE keeps a run"))
    out.print(facts(rows))
    if run.listed and not is_holdem(run) and run.infosets <= FEW_INFOSETS:
        print_strategy(out, shown(run.strategy, run.strategy.labels.reading_order.tolist()))
