"""Strategies of games that are never listed: probabilities at the infosets visited by a solve, uniform elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from regretless.display.html_tables import shortened_table
from regretless.errors import OptionError, suggest
from regretless.game import Game
from regretless.games.claims import ClaimGame
from regretless.kernels.constants import AVERAGE
from regretless.kernels.numpy_matching import matched
from regretless.kernels.sampling.infoset_table import InfosetTable
from regretless.kernels.sampling.playing.match_values import infoset_slot
from regretless.method import processors
from regretless.problem import found, found_again
from regretless.sampling.infoset_store import TableStore

if TYPE_CHECKING:
    from regretless.strategy import Strategy
    from regretless.tree import Tree

__all__ = ["TableLabels", "TableStrategy"]

Array = npt.NDArray[Any]

NAMED_IN_NOTEBOOKS = 100_000
"""Infosets up to which a notebook shows a table of the first ones."""


@dataclass(frozen=True)
class TableLabels:
    """What names the infosets of a table: the game itself, since labels are made on demand."""

    players: int
    infoset_numbers: int
    """How many numbers an infoset is: 1, 2, or 0 where its key is a digest of more."""
    known: Game | None
    spec: str = ""
    """What a game that is not at hand is found by."""

    @cached_property
    def game(self) -> Game | None:
        """The game, found again by name if need be and possible."""
        game: Game | None = self.known if self.known is not None else found_again(self.spec)
        return game

    def infoset(self, first: int, second: int) -> Hashable:
        """The label of an infoset by its key."""
        if self.infoset_numbers == 0 or self.game is None:
            return f"#{first & 0xFFFFFFFFFFFFFFFF:016x}{second & 0xFFFFFFFFFFFFFFFF:016x}"
        return self.game.infoset_label(first if self.infoset_numbers == 1 else (first, second))

    def actions(self, offered: tuple[Any, ...]) -> tuple[Hashable, ...]:
        """The labels of actions."""
        return offered if self.game is None else tuple(self.game.action_label(action) for action in offered)


class TableStrategy(Mapping[Hashable, dict[Hashable, float]]):
    """Action probabilities by infoset label, at the infosets that a solve has visited; a read-only mapping.

    Where two players share a label the key is (player, label), and that pair works as a key everywhere. Looking a
    label up names all infosets once, which takes a while in a large table; `at(state)` does not.
    """

    def __init__(self, labels: TableLabels, store: TableStore, kind: int = AVERAGE) -> None:
        self.labels, self.store, self.kind = labels, store, kind

    @property
    def table(self) -> InfosetTable:
        """Where infosets are found."""
        table: InfosetTable = self.store.table
        return table

    @property
    def numbers(self) -> Array:
        """The numbers of all infosets: weights of actions, and whatever else the solve keeps."""
        return self.store.values

    @cached_property
    def _columns(self) -> tuple[Array, Array, Array, Array, Array]:
        return self.store.rows()

    @cached_property
    def _action_lists(self) -> list[tuple[Hashable, ...]]:
        return [self.labels.actions(offered) for offered in self.store.action_lists()]

    @cached_property
    def _rows(self) -> dict[tuple[int, Hashable], int]:
        keys, _, owner, _, _ = self._columns
        names = (self.labels.infoset(first, second) for first, second in keys.tolist())
        return {(player, name): row for row, (player, name) in enumerate(zip(owner.tolist(), names, strict=True))}

    @cached_property
    def _by_name(self) -> dict[Hashable, int]:
        found: dict[Hashable, int] = {}
        for (_, name), row in self._rows.items():
            found[name] = -1 if name in found else row
        return found

    def __len__(self) -> int:
        return self.store.infosets

    def __iter__(self) -> Iterator[Hashable]:
        return ((player, name) if self._by_name[name] < 0 else name for player, name in self._rows)

    def __contains__(self, key: object) -> bool:
        try:
            return key in self._rows or self._by_name.get(key, -1) >= 0
        except TypeError:
            return False

    def __getitem__(self, key: Any) -> dict[Hashable, float]:
        try:
            row = self._rows.get(key, self._by_name.get(key))
        except TypeError:
            row = None
        if row is None:
            known = (str(name) for name in islice(self._by_name, 2000))
            raise KeyError(f"the solve has not visited an infoset {key!r}; {suggest(str(key), known)[:300]}")
        if row < 0:
            raise KeyError(f"players share the infoset label {key!r}; ask for (0, {key!r})")
        _, place, _, offered, actions = self._columns
        weights = self._probabilities(int(place[row]), int(actions[row]))
        return dict(zip(self._action_lists[offered[row]], weights.tolist(), strict=True))

    def __repr__(self) -> str:
        return f"<TableStrategy of {self.labels.players} players at the {len(self):,} infosets visited>"

    def _repr_html_(self) -> str:
        named = len(self) <= NAMED_IN_NOTEBOOKS  # iterating names all infosets
        rows = ([key, ", ".join(f"{a} {p:.4g}" for a, p in self[key].items())] for key in (self if named else ()))
        caption = f"strategy of {self.labels.players} players at the {len(self):,} infosets visited"
        return shortened_table(
            ["infoset", "probabilities of actions"], rows, len(self) if named else 0, "infosets", caption
        )

    def _probabilities(self, place: int, count: int) -> Array:
        begin = place + self.kind * count
        return matched(np.asarray(self.numbers[begin : begin + count], np.float64))

    def at(self, state: Any) -> dict[Hashable, float]:
        """The probabilities of the actions at a state of the game, by action label; uniform where never met."""
        game = self.labels.game
        if game is None:
            raise OptionError("the game of this strategy cannot be found by its name, so its states mean nothing here")
        actions = tuple(game.actions(state))
        place = int(infoset_slot(self.table, game.infoset(state), game.player(state)))
        weights = self._probabilities(place, len(actions)) if place >= 0 else np.full(len(actions), 1 / len(actions))
        return dict(zip(self.labels.actions(actions), weights.tolist(), strict=True))

    def on(self, tree: Tree) -> Strategy:
        """The same strategy on the listed game, uniform where the solve has not been: to evaluate it exactly."""
        from regretless.sampling.playing.table_seats import strategy_of

        return strategy_of(self, tree, self.labels.infoset_numbers)

    def nash_conv(self, game: Tree | Game | str) -> float:
        """What all players together could gain by deviating one at a time, exactly; chips.

        A round of Dudo or liar's dice may be far too large to list; any other game is listed for it.
        """
        from regretless.evaluation import responses
        from regretless.evaluation.claim_games import ClaimWalks, has_claim_rules
        from regretless.tree import as_tree

        game = found(game)
        if not has_claim_rules(game):
            tree = as_tree(game)
            return responses.nash_conv(tree, self.on(tree))
        if self.labels.game not in (game, None):
            raise OptionError(f"the strategy is of {self.labels.game!r}, not of {game!r}")
        walks = ClaimWalks.of(cast(ClaimGame, game), threads=processors())
        return walks.best_replies(lambda who: walks.by_table(who, self.table, self.numbers, self.kind)).nash_conv

    def game_values(self, game: Any) -> Array:
        """[P] what each player wins on average, chips; the game is listed for it."""
        from regretless.evaluation import responses
        from regretless.tree import as_tree

        tree = as_tree(game)
        return responses.values(tree, self.on(tree))

    def against(self, other: Any) -> float:
        """What it wins from another strategy per game, chips, averaged over both seats; the game is listed for it."""
        from regretless.evaluation import responses
        from regretless.tree import as_tree

        if self.labels.game is None:
            raise OptionError("the game of this strategy cannot be found by its name: use rg.match with the game")
        tree = as_tree(self.labels.game)
        return responses.head_to_head(tree, self.on(tree), other.on(tree) if hasattr(other, "on") else other)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row per infoset and action: player, infoset, action, probability."""
        for player, name in self._rows:
            for action, probability in self[player, name].items():
                yield {"player": player, "infoset": name, "action": action, "probability": probability}
