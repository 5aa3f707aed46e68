"""A `Strategy` says with what probability each action is taken at each infoset, for all players of a game."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

import numpy as np
import numpy.typing as npt

from regretless.display.data_frames import Kind, data_frame
from regretless.display.html_tables import shortened_table
from regretless.errors import OptionError, suggest
from regretless.kernels.numpy_matching import matched_groups
from regretless.layout.labels import Labels, labels_from_arrays, labels_to_arrays
from regretless.problem import found, open_problem
from regretless.storage import needed, read_arrays, write_arrays, write_atomically

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["Strategy"]

FORMAT, VERSION = "regretless.strategy", 1


class HasLabels(Protocol):
    """A tree, or anything else with a table of labels."""

    @property
    def labels(self) -> Labels:
        """The names of infosets and actions."""


Probabilities = Mapping[Any, float] | Sequence[float] | npt.NDArray[np.floating]


class Strategy(Mapping[Hashable, dict[Hashable, float]]):
    """Action probabilities by infoset label; a read-only mapping.

    Iteration follows the order in which a reader of the game meets the infosets. Where two players share a label the
    key is (player, label), and that pair works as a key everywhere.

    >>> import regretless as rg
    >>> strategy = rg.Strategy.uniform(rg.build(rg.games.Kuhn()))
    >>> strategy["K"]
    {'pass': 0.5, 'bet': 0.5}
    >>> strategy[1, "Kb"]
    {'pass': 0.5, 'bet': 0.5}
    >>> list(strategy)[:3]
    ['J', 'Qp', 'Jpb']
    """

    def __init__(self, labels: Labels, probabilities: npt.NDArray[np.floating]) -> None:
        self.labels = labels
        self.probabilities = np.array(probabilities, np.float64)  # [S] by sequence; 1 at empty sequences
        self.probabilities.flags.writeable = False
        if self.probabilities.shape != (labels.sequences,):
            raise OptionError(f"a strategy of this game has {labels.sequences} numbers, got {len(probabilities)}")

    # -- making one ---------------------------------------------------------------------------------------------

    @classmethod
    def uniform(cls, game: Any) -> Any:
        """All actions equally likely everywhere; of a tree, a game, a name or a file.

        Of a listed game it is a `Strategy`; other problems have strategies of their own.
        """
        opened = found(game)
        uniform = getattr(opened, "uniform_strategy", None)  # of games that may be too large to lay out
        return open_problem(opened).uniform() if uniform is None else uniform()

    @classmethod
    def from_dict(cls, tree: HasLabels, table: Mapping[Any, Probabilities], *, missing: str = "error") -> Strategy:
        """A strategy from probabilities by label (or by (player, label)), given as mappings or in action order.

        Infosets that the table leaves out are an error, or uniform with `missing="uniform"`.
        """
        if missing not in ("error", "uniform"):
            raise OptionError(f"missing is 'error' or 'uniform', got {missing!r}")
        blank = cls(tree.labels, uniform_probabilities(tree.labels))
        numbers = blank.probabilities.copy()
        seen = set()
        for key, given in table.items():
            try:
                infoset = blank.infoset(key)
            except KeyError as error:
                raise OptionError(error.args[0]) from None
            seen.add(infoset)
            numbers[tree.labels.sequences_of(infoset)] = blank.distribution(infoset, given)
        if missing == "error" and len(seen) < len(tree.labels.names):
            lacking = next(i for i in tree.labels.reading_order if i not in seen)
            raise OptionError(
                f"the table says nothing about infoset {blank.key(lacking)!r}; add it or pass missing='uniform'"
            )
        return cls(tree.labels, numbers)

    @classmethod
    def from_plan(cls, labels: Labels, plan: npt.NDArray[np.floating]) -> Strategy:
        """The behaviour that a plan (or a weighted sum of plans) [S] amounts to; uniform where it never arrives."""
        numbers, owner = uniform_probabilities(labels), labels.infoset_of_sequence
        real = owner >= 0
        numbers[real] = matched_groups(np.asarray(plan)[real], owner[real], numbers[real])
        return cls(labels, numbers)

    # -- looking up ---------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> dict[Hashable, float]:
        infoset = self.infoset(key)
        values = self.probabilities[self.labels.sequences_of(infoset)]
        return dict(zip(self.labels.actions[infoset], values.tolist(), strict=True))

    def __iter__(self) -> Iterator[Hashable]:
        return (self.key(i) for i in self.labels.reading_order)

    def __len__(self) -> int:
        return len(self.labels.names)

    def __contains__(self, key: Any) -> bool:
        try:
            return self.labels.by_player.get(key, -1) >= 0 or self.labels.by_name.get(key, -1) >= 0
        except TypeError:
            return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Strategy):
            return NotImplemented
        return self.labels.fingerprint == other.labels.fingerprint and np.array_equal(
            self.probabilities, other.laid_out(self.labels).probabilities
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Strategy of {self.labels.players} players at {len(self):,} infosets>"

    def _repr_html_(self) -> str:
        rows = ([key, ", ".join(f"{a} {p:.4g}" for a, p in self[key].items())] for key in self)
        caption = f"strategy of {self.labels.players} players at {len(self):,} infosets"
        return shortened_table(["infoset", "probabilities of actions"], rows, len(self), "infosets", caption)

    def key(self, infoset: int) -> Hashable:
        """The key of an infoset by its number: its label, or (player, label) where players share it."""
        name = self.labels.names[infoset]
        return name if self.labels.by_name[name] >= 0 else (int(self.labels.owner[infoset]), name)

    def infoset(self, key: Any) -> int:
        """The number of an infoset by its key; an unknown or ambiguous key is explained."""
        labels = self.labels
        try:
            found = labels.by_player.get(key, labels.by_name.get(key))
        except TypeError:
            found = None
        if found is None:
            known = (str(name) for name in labels.names[:5000])
            raise KeyError(f"no infoset {key!r} in this strategy; {suggest(str(key), known)[:300]}")
        if found < 0:
            owners = [p for p in range(labels.players) if (p, key) in labels.by_player]
            raise KeyError(f"players {owners} share the infoset label {key!r}; ask for ({owners[0]}, {key!r})")
        return found

    def distribution(self, infoset: int, given: Probabilities) -> npt.NDArray[np.float64]:
        """Check probabilities for an infoset, as a mapping by action or a sequence in action order."""
        actions = self.labels.actions[infoset]
        if isinstance(given, Mapping):
            extra = [a for a in given if a not in actions]
            if extra:
                raise OptionError(f"infoset {self.key(infoset)!r} has actions {list(actions)}, not {extra[0]!r}")
            given = [given.get(a, 0.0) for a in actions]
        try:
            numbers = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            raise OptionError(f"infoset {self.key(infoset)!r}: {given!r} are not probabilities") from None
        if numbers.shape != (len(actions),):
            raise OptionError(f"infoset {self.key(infoset)!r} has {len(actions)} actions, got {numbers.size} numbers")
        if not np.all(np.isfinite(numbers)) or numbers.min() < 0 or abs(numbers.sum() - 1) > 1e-6:
            raise OptionError(
                f"infoset {self.key(infoset)!r}: {numbers.tolist()} are not probabilities that sum to one"
            )
        return np.asarray(numbers / numbers.sum())

    # -- using one ----------------------------------------------------------------------------------------------

    def sample(self, key: Any, rng: np.random.Generator) -> Hashable:
        """An action drawn at an infoset."""
        infoset = self.infoset(key)
        values = self.probabilities[self.labels.sequences_of(infoset)]
        return self.labels.actions[infoset][int(rng.choice(len(values), p=values / values.sum()))]

    def purify(self, threshold: float = 0.001) -> Strategy:
        """Drop actions that are taken with less than `threshold` and rescale the others; the likeliest always stays.

        Thresholding: Ganzfried, Sandholm & Waugh 2012.
        """
        if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
            raise OptionError(f"a threshold is a probability from 0 to 1, got {threshold}")
        numbers = self.probabilities.copy()
        numbers[(numbers < threshold) & ~self._likeliest()] = 0.0
        return Strategy.from_plan(self.labels, numbers)

    def most_likely(self) -> Strategy:
        """The pure strategy that always takes the likeliest action, the first of equals."""
        return Strategy.from_plan(self.labels, self._likeliest().astype(np.float64))

    def _likeliest(self) -> npt.NDArray[np.bool_]:
        chosen = np.zeros(self.labels.sequences, bool)
        for infoset in range(len(self.labels.names)):
            where = self.labels.sequences_of(infoset)
            chosen[where.start + where.step * int(np.argmax(self.probabilities[where]))] = True
        return chosen

    def with_player(self, player: int, other: Strategy) -> Strategy:
        """This strategy with one player's part taken from another strategy of the same game."""
        if player not in range(self.labels.players):
            raise OptionError(f"this game has players 0 to {self.labels.players - 1}, not {player!r}")
        self.check_same_game(other.labels)
        other = other.laid_out(self.labels)
        mine = self.labels.player_of_sequence == player
        return Strategy(self.labels, np.where(mine, other.probabilities, self.probabilities))

    def check_same_game(self, labels: Labels) -> None:
        """Refuse to mix strategies and trees of different games."""
        if labels is not self.labels and labels.fingerprint != self.labels.fingerprint:
            raise OptionError(
                f"the strategy belongs to another game: it has {len(self.labels.names):,} infosets from "
                f"{self.labels.names[:1]!r}, this game {len(labels.names):,} from {labels.names[:1]!r}"
            )

    def laid_out(self, labels: Labels) -> Strategy:
        """The same strategy with its numbers in the order of `labels`; another game is refused.

        Trees and graphs (`rg.FSICFR`) name the infosets of a game alike, but order their sequences differently.

        >>> import regretless as rg
        >>> tree, run = rg.build(rg.games.Kuhn()), rg.solve("kuhn", rg.FSICFR(), iterations=3)
        >>> moved = run.strategy.laid_out(tree.labels)
        >>> moved["Kb"] == run.strategy["Kb"], moved.labels is tree.labels
        (True, True)
        """
        self.check_same_game(labels)
        mine = self.labels
        if labels is mine or (np.array_equal(labels.first, mine.first) and np.array_equal(labels.stride, mine.stride)):
            return self
        ordered = np.ones(labels.sequences)
        for action in range(int(labels.widths.max(initial=0))):
            there = np.flatnonzero(labels.widths > action)
            source = mine.first[there] + action * mine.stride[there]
            ordered[labels.first[there] + action * labels.stride[there]] = self.probabilities[source]
        return Strategy(labels, ordered)

    # -- tables and files ---------------------------------------------------------------------------------------

    def table(self) -> list[dict[str, Any]]:
        """One row per infoset and action: player (−1 where players share it), infoset, action, probability."""
        labels = self.labels
        rows = []
        for i in labels.reading_order.tolist():
            infoset = {"player": int(labels.owner[i]), "infoset": labels.names[i]}
            probabilities = self.probabilities[labels.sequences_of(i)].tolist()
            for action, probability in zip(labels.actions[i], probabilities, strict=True):
                rows.append({**infoset, "action": action, "probability": probability})
        return rows

    def _columns(self) -> dict[str, list[Any]]:
        """The table by columns, labels as text."""
        rows = self.table()
        kinds: dict[str, type] = {"player": int, "infoset": str, "action": str, "probability": float}
        return {name: [kind(row[name]) for row in rows] for name, kind in kinds.items()}

    @overload
    def frame(self, kind: Literal["pandas"] = "pandas") -> pandas.DataFrame: ...
    @overload
    def frame(self, kind: Literal["polars"]) -> polars.DataFrame: ...
    def frame(self, kind: Kind = "pandas") -> pandas.DataFrame | polars.DataFrame:
        """The table as a data frame; labels as text."""
        return data_frame(self._columns(), kind)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """The table as comma-separated values."""
        text = io.StringIO()
        writer = csv.DictWriter(text, ["player", "infoset", "action", "probability"])
        writer.writeheader()
        writer.writerows(self.table())
        write_atomically(path, lambda file: file.write(text.getvalue().encode()))

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """{player: {infoset: {action: probability}}} with labels as text; "shared" where players share infosets."""
        tree: dict[str, dict[str, dict[str, float]]] = {str(p): {} for p in range(self.labels.players)}
        for row in self.table():
            tree.setdefault("shared" if row["player"] < 0 else str(row["player"]), {}).setdefault(
                str(row["infoset"]), {}
            )[str(row["action"])] = row["probability"]
        write_atomically(path, lambda file: file.write(json.dumps(tree, indent=1).encode()))

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """The table as a Parquet file."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise OptionError("pyarrow is not installed; pip install 'regretless[frames]'") from None
        table = pyarrow.table(self._columns())
        write_atomically(path, lambda file: pyarrow.parquet.write_table(table, file))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to a file that `Strategy.load` and any later version read."""
        arrays = {"probabilities": np.array(self.probabilities), **labels_to_arrays(self.labels)}
        write_arrays(path, arrays, {"format": FORMAT, "version": VERSION, "players": self.labels.players})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Strategy:
        """Read what `save` wrote."""
        arrays, meta = read_arrays(path, FORMAT, VERSION)
        return cls(labels_from_arrays(path, arrays, meta), needed(path, arrays, "probabilities"))


def uniform_probabilities(labels: Labels) -> npt.NDArray[np.float64]:
    """[S] one over the number of actions; 1 at empty sequences. A copy that may be written to."""
    return labels.uniform.copy()
