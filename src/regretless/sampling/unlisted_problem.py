"""`Unlisted`: a compiled game as a problem without listing it; infosets enter a table when they are first visited."""

from __future__ import annotations

import hashlib
import os
import random
from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from regretless.compiled import CompiledGame, compile_game, is_compiled
from regretless.errors import FileError, OptionError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.kernels.constants import AVERAGE, REGRET
from regretless.methods.opening import too_large
from regretless.problem import Arrays, Capabilities, Problem, Which
from regretless.sampling.infoset_store import TableStore, table_fits
from regretless.sampling.table_strategy import TableLabels, TableStrategy
from regretless.storage import check_format, needed, read_arrays, write_arrays
from regretless.tree import RUN_FORMAT, RUN_VERSION, build

__all__ = ["StoredTable", "TableProblem", "Unlisted", "listed_or_compiled", "read_table_run"]


class TableProblem(ABC):
    """What a compiled game and the file of a run of one share: strategies are rows of an infoset table."""

    kind = "compiled game"
    exact = False
    players: int
    labels: TableLabels

    @property
    def capabilities(self) -> Capabilities:
        """Walks in 64 or 32 bits, on the CPU; players cannot be held still."""
        advice = "use rg.MCCFR(listed=False) or rg.DeepCFR()"
        return Capabilities(precisions=("float64", "float32"), listed=False, fixed=False, threads=1, advice=advice)

    @property
    def sizes(self) -> Mapping[str, int]:
        """Unknown: nothing is listed."""
        return {}

    def hold_fixed(self, given: Mapping[int, Any]) -> Mapping[int, Any]:
        """Refused, unless nothing is given."""
        if given:
            raise OptionError("holding players fixed needs a listed game: leave listed=False out, or fixed=")
        return {}

    def uniform(self) -> TableStrategy:
        """The strategy of an empty table: uniform at all infosets."""
        words = self.labels.infoset_numbers or 2
        store = TableStore(words=words, lead=0, parts=2, dtype="float64", most_bytes=1 << 20)
        return TableStrategy(self.labels, store, AVERAGE)

    def infosets_in(self, arrays: Arrays) -> int:
        """Infosets visited so far."""
        return len(arrays["rows"]) // (int(arrays["layout"][0]) + 1)

    def strategy(self, arrays: Arrays, which: Which) -> TableStrategy:
        """The average strategy of a run's table, or what its regrets call for."""
        return TableStrategy(self.labels, TableStore.from_arrays(arrays), AVERAGE if which == "average" else REGRET)

    def write(self, path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Any]) -> None:
        """Write a run to a file, atomically."""
        stored = {f"state_{name}": np.asarray(array) for name, array in arrays.items()}
        stored["current"] = np.zeros(0)
        described = {"format": RUN_FORMAT, "version": RUN_VERSION, **meta, "problem": self.kind}
        write_arrays(path, stored, {**described, "infoset_numbers": self.labels.infoset_numbers})


class Unlisted(TableProblem):
    """A compiled game that sampled methods walk without listing it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.players = game.players
        self.compiled: CompiledGame = compile_game(game)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of some plays: a game whose rules have changed plays differently."""
        dice, digest = random.Random(0), hashlib.sha256()
        for _ in range(50):
            state = self.game.root()
            while (mover := self.game.player(state)) != TERMINAL:
                actions = tuple(self.game.actions(state))
                known = None if mover == CHANCE else self.game.infoset(state)
                digest.update(repr((mover, actions, known)).encode())
                state = self.game.play(state, dice.choice(actions))
            digest.update(repr([float(payoff) for payoff in self.game.payoffs(state)]).encode())
        return digest.hexdigest()[:16]

    @cached_property
    def labels(self) -> TableLabels:  # type: ignore[override]
        """What names the infosets of a table."""
        return TableLabels(self.players, self.compiled.infoset_numbers, self.game)


@dataclass(frozen=True, eq=False)
class StoredTable(TableProblem):
    """What a file of a run knows about its problem: how infosets are named, and a digest."""

    players: int
    labels: TableLabels
    fingerprint: str
    game: None = None


def read_table_run(path: str | os.PathLike[str], game: Any = None) -> tuple[StoredTable, Arrays, dict[str, Any]]:
    """The problem, the arrays and the description in a file that `TableProblem.write` wrote."""
    arrays, meta = read_arrays(path)
    check_format(path, meta, RUN_FORMAT, RUN_VERSION)
    state = {name.removeprefix("state_"): array for name, array in arrays.items() if name.startswith("state_")}
    for name in ("layout", "rows", "values", "menu_first", "menu_items", "nodes"):
        needed(path, state, name)
    if not table_fits(state):
        raise FileError(f"{os.fspath(path)}: the table of infosets is damaged")
    try:
        labels = TableLabels(int(meta["players"]), int(meta["infoset_numbers"]), game, str(meta["game"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise FileError(f"{os.fspath(path)}: the header is damaged") from None
    return StoredTable(labels.players, labels, str(meta.get("fingerprint", ""))), state, meta


def listed_or_compiled(
    game: Game, listed: bool | None, who: str, in_python: Callable[[Game], Problem | None] = lambda game: None
) -> Problem:
    """The tree of a game that is small enough to be listed, else the compiled game itself.

    `listed` True always lists it, False never, None if that is quick and fits; `who` walks it then, for a sentence.
    `in_python` may offer a problem for a game that is not listed and need not be compiled.
    """
    if listed or not (listed is False or too_large(game)):
        return build(game)
    walked = in_python(game)
    if walked is not None:
        return walked
    if not is_compiled(game):
        why = "is too large to list" if listed is None else "is not to be listed"
        raise OptionError(
            f"{type(game).__name__} {why}, and {who} a game that is not listed only if it is compiled: put "
            "@rg.compiled above its class"
        )
    return Unlisted(game)
