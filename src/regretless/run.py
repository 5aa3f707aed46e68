"""A `Run` is what a solve leaves behind: strategies, the history of its measurements, and all it needs to go on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
import numpy.typing as npt

from regretless.display.history import History
from regretless.display.html_tables import facts_table
from regretless.errors import FileError, OptionError
from regretless.lookup.methods import method_by_name, method_to_json, stored_method
from regretless.lookup.problems import kind_in, read_problem
from regretless.method import Method
from regretless.problem import Problem, found_again, opens_itself
from regretless.problem import found as find_game
from regretless.storage import PUBLIC_FORMAT, PUBLIC_VERSION, check_format, check_run_header, read_header
from regretless.strategy import Strategy

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from typing_extensions import TypeVar

    StrategyKind = TypeVar("StrategyKind", covariant=True, default=Any)
else:
    from typing import TypeVar

    StrategyKind = TypeVar("StrategyKind", covariant=True)  # defaults of type variables came with Python 3.13

__all__ = ["History", "Run", "load"]

VERSION = 1

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Run(Generic[StrategyKind]):
    """The result of a solve. Everything printed is in the game's own chips.

    For type checkers: `Run[Strategy]` of a listed game, `Run[PublicStrategy]` of hold'em, and `Run` where it depends on
    the size of the game.

    >>> import regretless as rg
    >>> run = rg.solve(rg.games.Kuhn(), rg.CFR_PLUS, iterations=1_000)
    >>> round(run.value, 4), run.exploitability < 1e-3
    (-0.0556, True)
    """

    game: str
    """The game's name or specification."""
    method: Method
    problem: Problem
    """What was solved; of a run from a file, what the file knows of it."""
    arrays: Mapping[str, Array] = field(repr=False)
    """All that the next iteration depends on, and what strategies are made of."""
    iterations: int
    seconds: float
    history: History
    settings: Mapping[str, Any]
    """How it was run: dtype, threads, seed, fixed players, iterations planned."""
    stopped: str = "finished"
    """Why it ended: finished, until, seconds, interrupted or callback."""

    @property
    def fingerprint(self) -> str:
        """A digest of the game that was solved; of a loaded run, the one in the file."""
        return self.problem.fingerprint

    @cached_property
    def strategy(self) -> StrategyKind:
        """The average strategy: what converges to an equilibrium in two-player zero-sum games.

        A `Strategy` of a listed game; a `TableStrategy` of a game that was not listed, with the infosets visited; a
        `PublicStrategy` of hold'em, `strategy.at(line, board)`.
        """
        found: StrategyKind = self.problem.strategy(self.arrays, "average")
        return found

    @cached_property
    def current(self) -> StrategyKind:
        """The last iterate."""
        found: StrategyKind = self.problem.strategy(self.arrays, "current")
        return found

    @property
    def players(self) -> int:
        """How many players there are."""
        return self.problem.players

    @property
    def labels(self) -> Any:
        """The names of infosets and actions, where all of them have one."""
        return getattr(self.problem, "labels", None)

    @property
    def tree(self) -> Any:
        """The tree that was solved; None for other problems, and for a run from a file, which does not hold it."""
        return self.problem if self.problem.kind == "tree" and self.problem.game is not None else None

    @property
    def listed(self) -> bool:
        """Whether the whole game was laid out; if not, exploitability is a lower bound."""
        return self.problem.capabilities.listed is True

    @property
    def infosets(self) -> int:
        """Infosets of all players together; of a game that is not listed, those that have been visited."""
        return self.problem.infosets_in(self.arrays)

    def _last(self, name: str) -> float:
        if not len(self.history["iteration"]):
            raise OptionError("nothing has been measured in this run yet")
        return float(self.history[name][-1])

    @property
    def value(self) -> float:
        """What player 0 wins per game under the average strategy."""
        return self._last("value")

    @property
    def exploitability(self) -> float:
        """NashConv of the average strategy divided by the number of (learning) players."""
        return self._last("exploitability")

    @property
    def nash_conv(self) -> float:
        """What all (learning) players together could gain by deviating one at a time."""
        return self._last("nash_conv")

    @property
    def joint(self) -> Array:
        """How often each joint action was played, as a share; only methods that play have it."""
        if "joint" not in self.arrays:
            raise OptionError(
                f"{self.method.name} does not play the game, so there is no joint play; use RegretMatching"
            )
        widths = [len(a) for a in self.labels.actions]
        counts = self.arrays["joint"].reshape(widths)
        return np.asarray(counts / max(counts.sum(), 1))

    @property
    def regret_bound(self) -> float:
        """An upper bound on exploitability from the regrets alone: Σ over infosets of max(R⁺) / T, per player.

        Zinkevich et al. 2007, theorems 2 and 3. It holds for plain CFR with simultaneous updates; other averages and
        discounts weight iterations differently, so for them this is a figure to watch and not a bound.
        """
        sequences = self.problem.sizes.get("sequences")
        if sequences is None or len(self.arrays.get("regret", ())) != sequences:
            raise OptionError(f"{self.method.name} keeps no counterfactual regrets by infoset")
        labels = self.labels
        owner = labels.infoset_of_sequence
        worst = np.zeros(len(labels.names))
        some = owner >= 0
        np.maximum.at(worst, owner[some], np.asarray(self.arrays["regret"], np.float64)[some])
        learners = self.players - len(self.settings.get("fixed", ()))
        return float(worst.sum()) / max(self.iterations, 1) / max(learners, 1)

    def plot(self, path: str | os.PathLike[str] | None = None, *, ax: Any = None) -> Figure:
        """Exploitability against iterations and seconds, on logarithmic axes; written to `path` if one is given.

        Where it is not known, as of networks on limit hold'em, their loss is drawn. `ax` takes axes of yours: one for
        iterations alone, or two for both panels.
        """
        from regretless.plots import convergence

        return convergence({self.method.name: self.history}, title=self.game, path=path, ax=ax)

    def save(self, path: str | os.PathLike[str], *, compact: bool = False) -> None:
        """Write the run to a file, atomically; `rg.load` reads it and `rg.resume` goes on from it.

        A folder that does not exist is created.

        With `compact`, a run of hold'em keeps its average strategy only, in probabilities rounded to 1/2520, or in
        networks whose weights are rounded to 16 bits. The file is a tenth as large or smaller; it can be shown, played
        and measured, but not resumed.
        """
        if not compact:
            self.problem.write(path, self.arrays, self._meta())
            return
        write = compact_writer(self.problem)
        write(path, self.arrays, self._meta())

    def _meta(self) -> dict[str, Any]:
        """Everything but the arrays, as JSON."""
        return {
            "players": self.players,
            "game": self.game,
            "method": method_to_json(self.method),
            "iterations": self.iterations,
            "seconds": self.seconds,
            "history": self.history.rows(),
            "settings": dict(self.settings),
            "fingerprint": self.fingerprint,
            "stopped": self.stopped,
        }

    def __repr__(self) -> str:
        measured = ""
        if len(self.history["iteration"]):
            known = not np.isnan(self.exploitability)
            measured = f", exploitability {self.exploitability:.3g}" if known else ", exploitability unknown"
        return f"<Run of {self.method.name} on {self.game}: {self.iterations:,} iterations{measured}>"

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Any]] = [("iterations", self.iterations), ("seconds", self.seconds)]
        if len(self.history["iteration"]):
            last = self.history.rows()[-1]
            facts += [(name.replace("_", " "), last[name]) for name in last if name not in ("iteration", "seconds")]
        return facts_table(f"{self.method.name} on {self.game}", [*facts, ("stopped", self.stopped)])


def compact_writer(problem: Problem) -> Callable[..., None]:
    """What writes compact runs of a problem; an OptionError where its runs have one form only."""
    write = getattr(problem, "write_compact", None)
    if write is None:
        raise OptionError(
            f"a run of a {problem.kind} has no compact form, which is for hold'em on a public tree and for networks on "
            "hold'em: save it without compact"
        )
    found: Callable[..., None] = write
    return found


def read_run(path: str | os.PathLike[str], *, game: Any = None, method: Method | None = None) -> Run:
    """A run from the file that `Run.save` wrote; `game` and `method` where the file cannot name them."""
    if method is not None:
        method = method_by_name(method) if isinstance(method, str) else method
    problem, arrays, meta = read_problem(path, game)
    return _described(path, meta, problem, arrays, method)


def read_summary(path: str | os.PathLike[str]) -> Run:
    """A run of hold'em without its arrays, which may be gigabytes: its method, settings and history."""
    meta = read_header(path)
    kind = kind_in(meta)
    if kind == "public tree":
        check_format(path, meta, PUBLIC_FORMAT, PUBLIC_VERSION)
    check_run_header(path, meta)
    return _described(path, meta, _NotRead(kind), {}, None)


class _NotRead:
    """Stands for the problem of a run of which only the header was read."""

    game = None
    fingerprint = ""

    def __init__(self, kind: str) -> None:
        self.kind = kind


def _described(path: Any, meta: Mapping[str, Any], problem: Any, arrays: Any, method: Method | None) -> Run:
    """A run from its description, its problem and its arrays."""
    try:
        method = stored_method(meta["method"]) if method is None else _checked(method, meta["method"])
        bind = getattr(problem, "with_method", None)  # a problem whose strategies depend on the method's settings
        return Run(
            game=str(meta["game"]),
            method=method,
            problem=bind(method) if callable(bind) else problem,
            arrays=arrays,
            iterations=int(meta["iterations"]),
            seconds=float(meta["seconds"]),
            history=History(meta["history"]),
            settings=dict(meta["settings"]),
            stopped=str(meta["stopped"]),
        )
    except FileError as error:
        raise FileError(f"{os.fspath(path)}: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        raise FileError(f"{os.fspath(path)}: the header is damaged") from None


def _checked(method: Method, described: Any) -> Method:
    """A method that was passed for a file, if the file says that it is the one.

    A file of an earlier version may lack settings that were added since.
    """
    given = json.loads(json.dumps(method_to_json(method)))
    if not isinstance(described, dict) or {name: given.get(name) for name in described} != described:
        raise FileError(f"the run was made with another method than {method.name}, or with other settings")
    return method


def load(path: str | os.PathLike[str], *, game: Any = None, method: Method | None = None) -> Run | Strategy:
    """Read a file that `Run.save`, `Strategy.save` or a checkpoint wrote.

    A file never runs code of other files: pass a method of your own as `method`, and a game that is not listed and not
    found by name as `game`, to have its infosets named. Another game than that of the run is refused.
    """
    if not isinstance(path, str | os.PathLike):
        raise OptionError(f"load needs the name of a file, got {path!r}")
    if read_header(path).get("format") == "regretless.strategy":
        return Strategy.load(path)
    game = None if game is None else find_game(game)
    run = read_run(path, game=game, method=method)
    if game is not None:
        _check_game(path, run, game)
    return run


def _check_game(path: str | os.PathLike[str], run: Run, game: Any) -> None:
    """Refuse a game that is not the one of a run; where names do not tell, the game is opened and compared."""
    check = getattr(run.problem, "check_same_game", None)
    if callable(check):
        try:
            check(game)
        except OptionError as error:
            raise OptionError(f"{os.fspath(path)}: {error}") from None
        return
    if found_again(run.game) == game or (
        not opens_itself(game) and run.method.open(game).fingerprint == run.fingerprint
    ):
        return
    raise OptionError(f"{os.fspath(path)} is a run of {run.game[:200]}, not of {game!r}: name its own game, or none")
