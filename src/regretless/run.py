"""A `Run` is what a solve leaves behind: strategies, the history of its measurements, and all it needs to go on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError, OptionError
from regretless.game import Game, on_public_tree
from regretless.layout.labels import Labels, labels_from_arrays, labels_to_arrays
from regretless.methods import Method, method_from_json, method_to_json
from regretless.methods.learner import average_strategy
from regretless.storage import check_format, needed, read_arrays, read_header, write_arrays
from regretless.strategy import Strategy
from regretless.tree import Tree
from regretless.variants import Variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regretless.poker.results.public_strategy import PublicLabels
    from regretless.poker.tree.public_tree import PublicTree
    from regretless.sampling.table_strategy import TableLabels

__all__ = ["History", "Run", "load"]

FORMAT, VERSION = "regretless.run", 1
PUBLIC_FORMAT = "regretless.public-run"
"""Runs of hold'em and its relatives, in pieces that can be read one by one."""

Array = npt.NDArray[Any]


class History(Mapping[str, Array]):
    """Columns of measurements by name: iteration, seconds, exploitability, nash_conv, value and what a method adds."""

    def __init__(self, rows: list[dict[str, float]]) -> None:
        self._rows = rows
        names = list(rows[0]) if rows else ["iteration", "seconds", "exploitability", "nash_conv", "value"]
        self._columns = {name: np.array([row[name] for row in rows]) for name in names}
        self._columns["iteration"] = self._columns["iteration"].astype(np.int64)

    def __getitem__(self, name: str) -> Array:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(
                f"a history has the columns {', '.join(self.__dict__.get('_columns', {}))}, not {name!r}"
            )
        return self._columns[name]

    def rows(self) -> list[dict[str, float]]:
        """One dictionary per measurement."""
        return [dict(row) for row in self._rows]

    def __repr__(self) -> str:
        return f"<History: {len(self._rows)} rows of {', '.join(self._columns)}>"


@dataclass(frozen=True, eq=False)
class Run:
    """The result of a solve. Everything printed is in the game's own chips.

    >>> import regretless as rg
    >>> run = rg.solve(rg.games.Kuhn(), rg.CFR_PLUS, iterations=1_000)
    >>> round(run.value, 4), run.exploitability < 1e-3
    (-0.0556, True)
    """

    game: str
    """The game's name or specification."""
    method: Variant | Method
    labels: Labels | TableLabels | PublicLabels
    arrays: Mapping[str, Array] = field(repr=False)
    """All that the next iteration depends on."""
    last: Array = field(repr=False)
    """[S] action probabilities of the last iterate."""
    iterations: int
    seconds: float
    history: History
    settings: Mapping[str, Any]
    """How it was run: dtype, threads, seed, fixed players, iterations planned."""
    stopped: str = "finished"
    """Why it ended: finished, until, seconds, interrupted or callback."""
    tree: Tree | None = field(default=None, repr=False)
    public_tree: PublicTree | None = field(default=None, repr=False)
    """Of hold'em and its relatives: the public tree that was solved."""
    stored_fingerprint: str = field(default="", repr=False)

    @property
    def fingerprint(self) -> str:
        """A digest of the game that was solved; of a loaded run, the one in the file."""
        return self.stored_fingerprint or (self.tree.fingerprint if self.tree is not None else "")

    @cached_property
    def strategy(self) -> Strategy:
        """The average strategy: what converges to an equilibrium in two-player zero-sum games.

        Of a game that was not listed it is a `TableStrategy`: a mapping as well, of the infosets that were met.
        """
        if not isinstance(self.labels, Labels):
            return cast(Strategy, self.labels.average(self.arrays))
        return average_strategy(self.labels, self.arrays["average"], self.last)

    @cached_property
    def current(self) -> Strategy:
        """The last iterate."""
        if not isinstance(self.labels, Labels):
            return cast(Strategy, self.labels.current(self.arrays))
        return Strategy(self.labels, self.last)

    @property
    def listed(self) -> bool:
        """Whether the whole game was listed; if not, exploitability is a lower bound."""
        return isinstance(self.labels, Labels) or self.public_tree is not None

    @property
    def infosets(self) -> int:
        """Infosets of all players together; of a game that is not listed, those that have been met."""
        if isinstance(self.labels, Labels):
            return len(self.labels.names)
        if self.public_tree is not None:
            return self.public_tree.infosets
        return len(self.arrays["rows"]) // (int(self.arrays["layout"][0]) + 1)

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
        if "joint" not in self.arrays or not isinstance(self.labels, Labels):
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
        known = isinstance(self.labels, Labels) and len(self.arrays.get("regret", ())) == self.labels.sequences
        if not known or not isinstance(self.labels, Labels):
            raise OptionError(f"{self.method.name} keeps no counterfactual regrets by infoset")
        owner = self.labels.infoset_of_sequence
        worst = np.zeros(len(self.labels.names))
        some = owner >= 0
        np.maximum.at(worst, owner[some], np.asarray(self.arrays["regret"], np.float64)[some])
        learners = self.labels.players - len(self.settings.get("fixed", ()))
        return float(worst.sum()) / max(self.iterations, 1) / max(learners, 1)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Exploitability against iterations and seconds, on logarithmic axes; written to `path` if one is given."""
        from regretless.plots import convergence

        return convergence({self.method.name: self.history}, title=self.game, path=path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file, atomically; `rg.load` reads it and `rg.resume` goes on from it."""
        if self.public_tree is not None:
            from regretless.poker.formats.run_files import write_public_run

            write_public_run(path, self.public_tree, self.arrays, self._meta())
            return
        meta = self._meta()
        arrays = {f"state_{name}": np.asarray(array) for name, array in self.arrays.items()}
        arrays["current"] = np.asarray(self.last)
        if isinstance(self.labels, Labels):
            arrays |= labels_to_arrays(self.labels)
        else:
            meta["infoset_numbers"] = cast("TableLabels", self.labels).infoset_numbers
        write_arrays(path, arrays, meta)

    def _meta(self) -> dict[str, Any]:
        """Everything but the arrays, as JSON."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "players": self.labels.players,
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
        measured = f", exploitability {self.exploitability:.3g}" if len(self.history["iteration"]) else ""
        return f"<Run of {self.method.name} on {self.game}: {self.iterations:,} iterations{measured}>"


def read_run(path: str | os.PathLike[str]) -> Run:
    """A run from the file that `Run.save` wrote."""
    if read_header(path).get("format") == PUBLIC_FORMAT:
        return _read_public_run(path)
    arrays, meta = read_arrays(path)
    check_format(path, meta, FORMAT, VERSION)
    state = {name.removeprefix("state_"): a for name, a in arrays.items() if name.startswith("state_")}
    labels = _table_labels(path, state, meta) if "infoset_numbers" in meta else _tree_labels(path, arrays, meta)
    return _described(path, meta, labels, state, arrays["current"])


def _read_public_run(path: str | os.PathLike[str]) -> Run:
    """A run of a public tree: its arrays are read when they are asked for."""
    from regretless.poker.formats.run_files import open_public_run
    from regretless.poker.results.public_strategy import PublicLabels

    tree, arrays, meta = open_public_run(path)
    return _described(path, meta, PublicLabels(tree), arrays, np.zeros(0), tree)


def read_summary(path: str | os.PathLike[str]) -> Run:
    """A run of a public tree without tree and strategies: its method, settings and history, read in no time."""
    meta = read_header(path)
    check_format(path, meta, PUBLIC_FORMAT, VERSION)
    return _described(path, meta, None, {}, np.zeros(0))


def _described(path: Any, meta: Mapping[str, Any], labels: Any, arrays: Any, last: Array, tree: Any = None) -> Run:
    """A run from its description and what else it consists of."""
    try:
        return Run(
            game=str(meta["game"]),
            method=method_from_json(meta["method"]),
            labels=labels,
            arrays=arrays,
            last=last,
            iterations=int(meta["iterations"]),
            seconds=float(meta["seconds"]),
            history=History(meta["history"]),
            settings=dict(meta["settings"]),
            stopped=str(meta["stopped"]),
            public_tree=tree,
            stored_fingerprint=str(meta["fingerprint"]),
        )
    except FileError as error:
        raise FileError(f"{os.fspath(path)}: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        raise FileError(f"{os.fspath(path)}: the header is damaged") from None


def _tree_labels(path: str | os.PathLike[str], arrays: Mapping[str, Array], meta: Mapping[str, Any]) -> Labels:
    """The labels of a listed game, which the arrays must fit."""
    labels = labels_from_arrays(path, arrays, meta)
    for name in ("state_average", "current"):
        if needed(path, arrays, name).shape != (labels.sequences,):
            raise FileError(f"{os.fspath(path)}: {name!r} does not fit the table of labels")
    return labels


def _table_labels(path: str | os.PathLike[str], state: Mapping[str, Array], meta: Mapping[str, Any]) -> TableLabels:
    """What names the infosets of a table, whose arrays must fit each other."""
    from regretless.sampling.infoset_store import table_fits
    from regretless.sampling.table_strategy import TableLabels

    for name in ("layout", "rows", "values", "menu_first", "menu_items", "nodes"):
        needed(path, state, name)
    if not table_fits(state):
        raise FileError(f"{os.fspath(path)}: the table of infosets is damaged")
    return TableLabels(int(meta["players"]), int(meta["infoset_numbers"]), None, str(meta["game"]))


def load(path: str | os.PathLike[str]) -> Run | Strategy:
    """Read a file that `Run.save`, `Strategy.save` or a checkpoint wrote."""
    if read_header(path).get("format") == "regretless.strategy":
        return Strategy.load(path)
    return read_run(path)


def name_of(game: Game) -> str:
    """A game's specification where it has one that can be read back, otherwise its class."""
    from regretless.games import spec_of

    if on_public_tree(game):
        return game.source
    return spec_of(game) or game.source or type(game).__name__
