"""`solve` runs a method on a game until something says stop; `resume` goes on where a saved run ended."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from regretless.errors import FileError, OptionError
from regretless.lookup.game_name import name_of
from regretless.lookup.methods import check_storable, method_by_name
from regretless.method import Learner, Method, Settings
from regretless.methods.checks import checked_seed, checked_threads
from regretless.problem import Capabilities, Problem, found, found_again
from regretless.run import Run, read_run
from regretless.solving.checkpoint_file import check_checkpoint
from regretless.solving.checkpoint_lock import locks_checkpoint
from regretless.solving.loop import Loop, Rules, Snapshot, busy_seconds
from regretless.solving.stopping import chips_until
from regretless.solving.workers import Workers, check_workers, opening
from regretless.variants import Variant

if TYPE_CHECKING:
    from regretless.game import Game
    from regretless.poker.games import PublicGame
    from regretless.poker.results.public_strategy import PublicStrategy
    from regretless.poker.tree.public_tree import PublicTree
    from regretless.strategy import Strategy
    from regretless.tree import Tree

__all__ = ["Snapshot", "check_request", "method_of", "planned_for", "resume", "solve"]

Fixed = Mapping[int, Any]


class SolveKeywords(TypedDict, total=False):
    """The options of `solve`, for type checkers."""

    iterations: int | None
    until: float | str | None
    seconds: float | None
    seed: int
    fixed: Fixed | None
    dtype: str | None
    threads: int | None
    device: str
    callback: Callable[[Snapshot], object] | None
    progress: bool
    checkpoint: str | os.PathLike[str] | None
    checkpoint_every: float
    measure: int | float | str | None
    start: Any
    overwrite: bool
    workers: Workers | None


@overload
def solve(game: Tree, method: Method | str | None = None, **options: Unpack[SolveKeywords]) -> Run[Strategy]: ...
@overload
def solve(
    game: PublicGame | PublicTree, method: Method | str | None = None, **options: Unpack[SolveKeywords]
) -> Run[PublicStrategy]: ...
@overload
def solve(game: Game, method: Variant | None = None, **options: Unpack[SolveKeywords]) -> Run[Strategy]: ...
@overload
def solve(game: Any, method: Method | str | None = None, **options: Unpack[SolveKeywords]) -> Run: ...


@locks_checkpoint
def solve(
    game: Any,
    method: Method | str | None = None,
    *,
    iterations: int | None = None,
    until: float | str | None = None,
    seconds: float | None = None,
    seed: int = 0,
    fixed: Fixed | None = None,
    dtype: str | None = None,
    threads: int | None = None,
    device: str = "cpu",
    callback: Callable[[Snapshot], object] | None = None,
    progress: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    measure: int | float | str | None = None,
    start: Any = None,
    overwrite: bool = False,
    workers: Workers | None = None,
) -> Run:
    """Solve a game: a `Game`, a built `Tree` or another problem, a name such as "leduc:ranks=5", or a file.

    Without a method it takes CFR+; on hold'em `dcfr:power=4`, which needs the fewest iterations there; with a card
    abstraction public chance sampling. It stops at whichever comes first: `iterations` (1,000 if no other rule is
    given), exploitability at most `until`, or `seconds` of wall time, each counted from this call. Ctrl-C stops
    cleanly too and the run is returned whole. `until` is in chips; of hold'em also "0.3%" of the pot, or "5mbb" per
    game for both players together.

    `fixed` holds players still, {player: strategy}; the others then learn a best response. `callback` gets a
    `Snapshot` at every measurement and stops the solve by returning True. `checkpoint` names a file that is written
    every `checkpoint_every` seconds and at the end; a second solve that would write it meanwhile is refused, and so is
    a file of other settings unless `overwrite` is set. `measure` says when exploitability is measured: every n
    iterations (100), each time they have grown by a factor (1.1), or "never"; by default by 5 %, or as the method says.
    `start` begins with a strategy (or with that of a run) instead of uniform play: variants of CFR on listed games and
    on hold'em hand by hand, where the regrets of a run are taken over and only locks may differ.
    `workers=rg.Ray()` spreads the solve over a cluster, for the methods and games that the guide "A cluster" lists.

    >>> import regretless as rg
    >>> run = rg.solve(rg.games.RockPaperScissors(), rg.CFR, iterations=1_000, fixed={0: [0.4, 0.3, 0.3]})
    >>> {action: round(p, 2) for action, p in run.strategy[1, "player 1"].items()}
    {'rock': 0.0, 'paper': 1.0, 'scissors': 0.0}
    """
    called = busy_seconds()
    game, spread = found(game), check_workers(workers)
    method = method_of(usual_method(game) if method is None else method)
    level = chips_until(until, game)
    rules = Rules.checked(iterations, level, seconds, callback, progress, checkpoint, checkpoint_every, measure)
    planned = None if iterations is None and (level or seconds) else rules.iterations
    method = planned_for(method, planned)
    here = spread is None or not spread.gpus_per_task
    _check_before_opening(method, game, dtype, device, stored=checkpoint is not None, here=here)
    with opening(spread):
        problem = method.open(game)
    chosen = check_request(method, problem.capabilities, dtype, device, here=here)
    held, count = problem.hold_fixed(fixed or {}), _threads(problem, method, threads)
    settings = Settings(fixed=held, dtype=chosen, threads=count, seed=checked_seed(seed), device=device)
    if start is not None:
        settings = dataclasses.replace(settings, start=_begin_with(problem, method, start), started=True)
    plan = _plan_of(settings, planned, started=start is not None)
    if checkpoint is not None and not overwrite:
        check_checkpoint(checkpoint, problem, method, plan)
    learner = method.learner(problem, settings) if spread is None else spread.learner(method, problem, settings)
    _check_until(learner, rules.until)
    return Loop(learner, method, name_of(problem.game), rules, plan, called=called).run()


def _check_before_opening(
    method: Method, game: Any, dtype: str | None, device: str, *, stored: bool, here: bool
) -> None:
    """Refuse what can be refused before a game is opened; stored: the run is written to a file."""
    if stored:
        check_storable(method)
    check_request(method, getattr(game, "capabilities", None), dtype, device, here=here)


def _plan_of(settings: Settings, planned: int | None, *, started: bool) -> dict[str, Any]:
    """What a run's file keeps of its settings."""
    return {
        "dtype": settings.dtype,
        "device": settings.device,
        "threads": settings.threads,
        "seed": settings.seed,
        "planned": planned,
        "fixed": sorted(settings.fixed),
        **({"started": True} if started else {}),
    }


@locks_checkpoint
def resume(
    path: str | os.PathLike[str],
    *,
    iterations: int | None = None,
    until: float | str | None = None,
    seconds: float | None = None,
    game: Any = None,
    method: Method | None = None,
    threads: int | None = None,
    device: str | None = None,
    callback: Callable[[Snapshot], object] | None = None,
    progress: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    measure: int | float | str | None = None,
    workers: Workers | None = None,
) -> Run:
    """Go on with a saved run or a checkpoint, for `iterations` more; without a number, to where it was planned to end.

    The result is bit for bit that of a run which was never interrupted. A game or a method of your own that cannot be
    found again by name is passed as `game` or `method`.
    """
    called, spread = busy_seconds(), check_workers(workers)
    with opening(spread):
        old = read_run(path, game=game, method=method)
    if iterations is None and until is None and seconds is None:
        planned = old.settings.get("planned")
        left = (int(planned) if planned else 0) - old.iterations
        if left <= 0:
            raise OptionError(f"{os.fspath(path)} has done its {old.iterations:,} iterations; say how many more")
        iterations = left
    level = chips_until(until, old.problem.game)
    rules = Rules.checked(iterations, level, seconds, callback, progress, checkpoint, checkpoint_every, measure)
    with opening(spread):
        problem = _reopened(path, old, game)
    chosen = device or str(old.settings.get("device") or "cpu")
    here = spread is None or not spread.gpus_per_task
    check_request(old.method, problem.capabilities, str(_setting(old, "dtype")), chosen, here=here)
    settings = Settings(
        fixed={int(p): old.current for p in old.settings.get("fixed", [])},
        dtype=str(_setting(old, "dtype")),
        threads=_threads(problem, old.method, threads if threads is not None else int(_setting(old, "threads"))),
        seed=int(_setting(old, "seed")),
        device=chosen,
        started=bool(old.settings.get("started")),
    )
    make = old.method.learner if spread is None else partial(spread.learner, old.method)
    learner = make(problem, settings)
    _check_until(learner, rules.until)
    unfit = _unfit(learner, old.arrays)
    if unfit:
        raise FileError(f"{os.fspath(path)} holds no usable {unfit[0]!r}: it is damaged or from another version")
    learner.restore(old.arrays, old.iterations)
    plan = {
        **old.settings,
        "threads": settings.threads,
        "device": settings.device,
        "planned": old.iterations + rules.iterations if iterations else None,
    }
    loop = Loop(learner, old.method, old.game, rules, plan, old, called=called)
    del old  # the learner has taken over what was read: gigabytes of hold'em would otherwise be held twice
    return loop.run()


def usual_method(game: Any) -> str:
    """The name of the method that a game is solved by where none is given."""
    capabilities: Capabilities = getattr(game, "capabilities", None) or Capabilities()
    return capabilities.usual_method


def method_of(method: Any) -> Method:
    """A method, from itself or its name."""
    if isinstance(method, str):
        return method_by_name(method)
    if isinstance(method, type):
        raise OptionError(f"a method is needed here, and {method.__name__} is a class: write {method.__name__}()")
    if not isinstance(method, Method):
        raise OptionError(f"the second argument of solve is a method such as rg.CFR_PLUS, got {method!r}")
    return method


def check_request(
    method: Method, problem: Capabilities | None, dtype: str | None, device: str, *, here: bool = True
) -> str:
    """The precision of a solve, as asked for or by default; refuses precisions and devices that cannot be had.

    `problem` is None where the problem is not known yet: then only what the method alone decides is checked. Without
    `here` other machines have the device.
    """
    own = method.capabilities
    devices = own.devices if own.devices is not None else problem.devices if problem else None
    if devices is not None:
        _check_device(method, devices, device, here)
    if problem is None or problem.precisions is None:
        return dtype or "float64"
    usual, known = problem.precisions[0], problem.precisions
    if own.precisions is not None:
        known = tuple(p for p in own.precisions if p in known) or (usual,)
        usual = usual if usual in known else known[0]
    if dtype is None or dtype in known:
        return dtype or usual
    if dtype not in problem.precisions:
        raise OptionError(f"dtype is {' or '.join(map(repr, problem.precisions))}, got {dtype!r}")
    raise OptionError(f"{method.name} computes in {' and '.join(known)} only: leave out dtype={dtype!r}")


def _check_device(method: Method, devices: Mapping[str, Callable[[], str | None]], device: str, here: bool) -> None:
    """Refuse a device that does not exist, that the method or problem has no code for, or that is missing here."""
    if device not in devices:
        what = f"{method.name} has no GPU path here" if device == "cuda" else f"there is no device {device!r}"
        raise OptionError(f"{what}: use device={' or '.join(map(repr, devices))}")
    missing = devices[device]() if here else None
    if missing:
        raise OptionError(missing)


def planned_for(method: Method, iterations: int | None) -> Method:
    """A method whose schedule depends on the length of the run has `planned(iterations)`, which returns a copy."""
    plan = getattr(method, "planned", None)
    planned: Method = method if plan is None else plan(iterations)
    return planned


def _reopened(path: str | os.PathLike[str], old: Run, game: Any) -> Problem:
    """The problem of a run: the one in its file, or its game opened again, which must be the same."""
    if old.settings.get("rounded"):
        raise OptionError(
            f"{os.fspath(path)} is a compact run, a rounded strategy without regrets, and cannot be resumed: resume "
            "the file of the solve, or solve again"
        )
    if game is None and old.problem.game is not None:
        return old.problem
    game = game if game is not None else found_again(old.game)
    if game is None:
        raise OptionError(
            f"{os.fspath(path)} is a run of {old.game[:200]}, which a file may not open by itself: pass the game, "
            f"rg.resume({os.fspath(path)!r}, game=…)"
        )
    problem = old.method.open(game)
    if problem.fingerprint != old.fingerprint:
        raise FileError(
            f"{os.fspath(path)} is a run of {old.game[:200]}, but that game is not the same any more (or another)"
        )
    return problem


def _begin_with(problem: Problem, method: Method, start: Any) -> Any:
    """The strategy to begin with, checked; OptionError where method or problem always begin with uniform play."""
    if not method.capabilities.starts:
        raise OptionError(
            f"{method.name} cannot begin with a strategy: leave out start=, or use a variant of CFR such as rg.CFR_PLUS"
        )
    check = getattr(problem, "begin_with", None)
    if check is None:
        raise OptionError(
            f"start= needs a game that is listed or hold'em hand by hand, and this one is solved as a {problem.kind}"
        )
    return check(start)


def _check_until(learner: Learner, until: float | None) -> None:
    if until is not None and not learner.exact:
        raise OptionError(
            f"until= needs exploitability, of which {learner.known_instead}; stop by iterations= or seconds="
        )


def _unfit(learner: Learner, arrays: Mapping[str, Any]) -> list[str]:
    """The arrays of a learner that a run's file lacks or has in another shape; where they grow only types count."""

    def fits(old: Any, new: Any) -> bool:
        return bool(old.dtype == new.dtype and old.ndim == new.ndim and (learner.grows or old.shape == new.shape))

    return [name for name, like in learner.stand_ins().items() if name not in arrays or not fits(arrays[name], like)]


def _setting(run: Run, name: str) -> Any:
    if name not in run.settings:
        raise FileError(f"the run cannot be resumed: it does not say its {name}")
    return run.settings[name]


def _threads(problem: Problem, method: Method, threads: int | None) -> int:
    return checked_threads(threads) or method.capabilities.threads or problem.capabilities.threads or 1
