"""A compiled game that is never listed, on arrays: infosets are numbered as they are met.

States are rows of words that machine code moves on. An infoset gets its number, and a place in a table, when it is met
first: memories hold numbers, and the table holds the run's strategy. What a player knows becomes features by the game's
own `features(infoset)`, asked once for each infoset, or else as the binary digits of the one or two numbers that its
`infoset` is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import NumberedGame
from regretless.deep.games.features import has_features, stated_features
from regretless.errors import GameError, OptionError
from regretless.game import CHANCE
from regretless.kernels.sampling.infoset_table import LIST_SHIFT, OWNER_SHIFT, SLOT_MASK
from regretless.sampling.infoset_store import TableStore
from regretless.sampling.unlisted_problem import Unlisted

__all__ = ["UnlistedGame"]

Array = npt.NDArray[Any]

SCOUTS = 4_096
"""Random plays that show which actions there are."""

DIGITS = 64
"""Binary digits of a number."""

TOO_MANY_HEADS = 8
"""Times the widest list of actions: with more different actions than that, heads are places in the list."""

SPARE = 1.25
"""Heads for every action that random plays show: some are for those that they do not."""


class UnlistedGame(NumberedGame):
    """A compiled game and the table of the infosets met so far; I of them."""

    def __init__(self, unlisted: Unlisted, device: torch.device, generator: torch.Generator) -> None:
        if device.type != "cpu":
            raise OptionError("games that are not listed are walked by the CPU: use device='cpu'")
        self.unlisted, self.players, self.device = unlisted, unlisted.players, device
        compiled = unlisted.compiled
        self.rules, self.kernels = compiled.rules, compiled.kernels("compiled_games.state_batches")
        self.width = int(self.kernels.words(self.rules))
        if self.width < 0:
            raise GameError(
                f"{type(unlisted.game).__name__} keeps arrays in its states, and deep methods walk unlisted games only "
                "if states are whole numbers and tuples of them"
            )
        self.key_numbers = compiled.infoset_numbers or 2
        self.store = TableStore(words=self.key_numbers, lead=0, parts=2, dtype="float32")
        self.number_at = np.zeros(len(self.store.values), np.int32)  # [values] the infoset whose numbers begin there
        self.moves, self.odds = np.empty(64, np.int64), np.empty(64)
        self.met = 0  # infosets whose columns are written: rows of the following, which have room for more
        self.keys = torch.zeros((0, self.key_numbers), dtype=torch.int64)  # [I, 1 or 2]
        self.menu = torch.zeros(0, dtype=torch.int64)  # [I] which list of actions
        self.owner = torch.zeros(0, dtype=torch.int64)  # [I]
        self.place = torch.zeros(0, dtype=torch.int64)  # [I] where the numbers of an infoset begin in the table
        self.stated = torch.zeros((0, 0))  # [I, F] what the game states
        self.length = torch.zeros(0, dtype=torch.int64)  # [M] actions of a list
        self.choice = torch.zeros((0, 0), dtype=torch.int64)  # [M, A] place of a head in the list, −1 for none
        self.head_of: dict[int, int] | None = {}  # by action; None where heads are places
        self.heads = 0
        self._scout(generator)
        self.feature_size = self.features(torch.zeros(1, dtype=torch.int64)).shape[1]

    @property
    def infoset_count(self) -> int:
        """Infosets met so far."""
        return self.met

    def infosets_of(self, players: list[int]) -> torch.Tensor:
        """[i] the infosets of some players that have been met."""
        return torch.isin(self.owner[: self.met], torch.tensor(players)).nonzero()[:, 0]

    def _scout(self, generator: torch.Generator) -> None:
        """Play at random to learn which actions there are, and give them heads."""
        states = self.begin(SCOUTS)
        while len(states):
            movers = self.movers(states)
            here, states = states[movers >= 0], self.after_chance(states[movers == CHANCE], generator)
            if len(here):
                numbers = self.infosets(here).long()
                length = self.length[self.menu[numbers]]
                choices = (torch.rand(len(here), dtype=torch.float64, generator=generator) * length).to(torch.int64)
                states = torch.cat([states, self._after(here, choices)])
        actions = sorted({action for menu in self.store.menus() for action in menu})
        widest = int(self.length.max())
        self.heads = widest
        if len(actions) <= TOO_MANY_HEADS * widest:
            self.head_of = {action: head for head, action in enumerate(actions)}
            self.heads = int(SPARE * len(actions)) + 1
        else:
            self.head_of = None
        self._describe_menus()

    def begin(self, count: int) -> torch.Tensor:
        """[n, words] the root, again and again."""
        states = torch.empty((count, self.width), dtype=torch.int64)
        self.kernels.begin(self.rules, _flat(states), self.width)
        return states

    def movers(self, states: torch.Tensor) -> torch.Tensor:
        """[n] who moves."""
        out = np.empty(len(states), np.int8)
        self.kernels.movers(self.rules, _flat(states), self.width, out)
        return torch.from_numpy(out)

    def at(self, states: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        """Some of the states."""
        return states[which]

    def joined(self, batches: list[torch.Tensor]) -> torch.Tensor:
        """Several batches as one."""
        return torch.cat(batches)

    def infosets(self, states: torch.Tensor) -> torch.Tensor:
        """[n] int32 numbers of infosets; new ones are entered into the table."""
        out, done = np.empty(len(states), np.int32), 0
        while done < len(out):
            store = self.store
            if len(self.number_at) < len(store.values):
                self.number_at = np.concatenate(
                    [self.number_at, np.zeros(len(store.values) - len(self.number_at), np.int32)]
                )
            found = self.kernels.number_infosets(
                self.rules, _flat(states), self.width, done, store.table, store.values, self.number_at, self.moves, out
            )
            if found < 0:
                self._need_moves(-found)
            elif found < len(out):
                store.grow()
            done = max(done, found)
        self._describe()
        return torch.from_numpy(out)

    def _need_moves(self, count: int) -> None:
        self.moves, self.odds = np.empty(2 * count, np.int64), np.empty(2 * count)

    def _describe(self) -> None:
        """Write the columns of infosets that are new."""
        table, met, known = self.store.table, self.store.infosets, self.met
        if met == known:
            return
        wide = self.key_numbers + 1
        rows = torch.from_numpy(table.rows[known * wide : met * wide].reshape(-1, wide).copy())
        packed = rows[:, -1]
        fresh = {
            "keys": rows[:, :-1],
            "menu": packed >> LIST_SHIFT,
            "owner": packed >> OWNER_SHIFT & 15,
            "place": packed & SLOT_MASK,
        }
        if has_features(self.unlisted.game):
            infosets = [self.unlisted.compiled.infoset_of(key) for key in _pairs(rows[:, :-1])]
            fresh["stated"] = torch.from_numpy(stated_features(self.unlisted.game, infosets))
        for name, column in fresh.items():
            setattr(self, name, _with(getattr(self, name), known, column))
        self.met = met
        self._describe_menus()

    def _describe_menus(self) -> None:
        """Write down the length of every list of actions and, once heads are known, where each head stands in it."""
        known = len(self.choice) if self.heads else len(self.length)
        if known == self.store.table.used[2]:
            return
        menus = self.store.menus()
        self.length = torch.tensor([len(menu) for menu in menus])
        if self.heads:
            choice = torch.full((len(menus), self.heads), -1, dtype=torch.int64)
            for row, menu in enumerate(menus):
                choice[row, [self._head(action, place) for place, action in enumerate(menu)]] = torch.arange(len(menu))
            self.choice = choice

    def _head(self, action: int, place: int) -> int:
        """The head of an action, which is given a spare one if it has none."""
        if self.head_of is not None:
            place = self.head_of.setdefault(action, len(self.head_of))
        if place >= self.heads:
            raise GameError(
                f"{type(self.unlisted.game).__name__} has more actions than {SCOUTS:,} random plays showed, and the "
                f"networks have {self.heads} outputs: number actions by their place in the list (0, 1, 2, …)"
            )
        return place

    def legal(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] which heads are actions."""
        return self.choice[self.menu[infosets.long()]] >= 0

    def features(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, F] as the game states them, or binary digits; then a bit for each player."""
        infosets = infosets.long()
        if has_features(self.unlisted.game):
            said = self.stated[infosets]
        else:
            digits = self.keys[infosets][:, :, None] >> torch.arange(DIGITS) & 1
            said = digits.reshape(len(infosets), -1).float()
        return torch.cat([said, torch.nn.functional.one_hot(self.owner[infosets], self.players).float()], dim=1)

    def after(self, states: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """[n, words] the states after the actions of heads."""
        numbers = self.infosets(states).long()
        return self._after(states, self.choice[self.menu[numbers], heads])

    def _after(self, states: torch.Tensor, choices: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(states)
        arguments = self.rules, _flat(states), self.width, choices.numpy()
        while (needed := self.kernels.after(*arguments, self.moves, _flat(out))) < 0:
            self._need_moves(-needed)
        return out

    def after_chance(self, states: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """[n, words] the states after a move of chance, drawn for each."""
        out = torch.empty_like(states)
        draws = torch.rand(len(states), dtype=torch.float64, generator=generator).numpy()
        arguments = self.rules, _flat(states), self.width, draws
        while (needed := self.kernels.after_chance(*arguments, self.moves, self.odds, _flat(out))) < 0:
            self._need_moves(-needed)
        return out

    def payoffs(self, states: torch.Tensor, player: int) -> torch.Tensor:
        """[n] what a player has won."""
        out = np.empty((len(states), self.players))
        self.kernels.terminal_payoffs(self.rules, _flat(states), self.width, np.empty(self.players), out.reshape(-1))
        return torch.from_numpy(out[:, player]).float()

    def restore(self, table: Mapping[str, Array], heads: Array) -> None:
        """Go on with the table of a run and the heads of its actions."""
        self.store.restore(table)
        self.head_of = {int(action): int(head) for action, head in heads} if self.head_of is not None else None
        self.met, self.length, self.choice = 0, self.length[:0], self.choice[:0]
        self._describe()
        self.number_at = np.zeros(len(self.store.values), np.int32)
        self.number_at[self.place[: self.met].numpy()] = np.arange(self.met)


def _flat(states: torch.Tensor) -> Array:
    """A view of the words of all states."""
    array: Array = states.numpy().reshape(-1)
    return array


def _pairs(keys: torch.Tensor) -> list[tuple[int, int]]:
    """Keys as two numbers each."""
    return [(key[0], key[1] if len(key) > 1 else 0) for key in keys.tolist()]


def _with(column: torch.Tensor, known: int, fresh: torch.Tensor) -> torch.Tensor:
    """A column with fresh rows from `known` on; room is doubled when it runs out."""
    needed = known + len(fresh)
    if needed > len(column):
        larger = torch.zeros((max(needed, 2 * len(column)), *fresh.shape[1:]), dtype=fresh.dtype)
        if known:
            larger[:known] = column[:known]
        column = larger
    column[known:needed] = fresh
    return column
