"""A compiled game that is not listed, as batches: infosets are numbered when they are first visited.

States are rows of words that machine code advances. When an infoset is first visited it gets a number and a slot in a
table: memories hold numbers, and the table holds the run's strategy. Features come from the game's own
`features(infoset)`, called once for each infoset, or else are the binary digits of the one or two integers that the
game's `infoset` returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

RANDOM_PLAYS = 4_096
"""Random plays that find the actions of the game."""

DIGITS = 64
"""Binary digits of an integer."""

TOO_MANY_HEADS = 8
"""With more distinct actions than this multiple of the longest action list, heads are indices in the list."""

SPARE = 1.25
"""Heads per action found by random plays; the spare ones are for actions found later."""


class UnlistedGame(NumberedGame):
    """A compiled game and the table of the infosets visited so far; I of them, L action lists."""

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
        self.number_at = np.zeros(len(self.store.values), np.int32)  # [values] the infoset whose slot begins there
        self.moves, self.probabilities = np.empty(64, np.int64), np.empty(64)  # buffers of the kernels
        self.visited = 0  # infosets whose columns are written; the columns below may be longer
        self.keys = torch.zeros((0, self.key_numbers), dtype=torch.int64)  # [I, 1 or 2]
        self.action_list = torch.zeros(0, dtype=torch.int64)  # [I] which list of actions
        self.owner = torch.zeros(0, dtype=torch.int64)  # [I]
        self.slot = torch.zeros(0, dtype=torch.int64)  # [I] where the values of an infoset begin in the table
        self.stated = torch.zeros((0, 0))  # [I, F] the game's own features
        self.length = torch.zeros(0, dtype=torch.int64)  # [L] actions of a list
        self.choice = torch.zeros((0, 0), dtype=torch.int64)  # [L, A] index of a head in the list, −1 for none
        self.head_of: dict[int, int] | None = {}  # by action; None where heads are indices
        self.heads = 0
        self._find_actions(generator)
        self.feature_size = self.features(torch.zeros(1, dtype=torch.int64)).shape[1]

    @property
    def infoset_count(self) -> int:
        """Infosets visited so far."""
        return self.visited

    def infosets_of(self, players: list[int]) -> torch.Tensor:
        """[i] the infosets of some players that have been visited."""
        return torch.isin(self.owner[: self.visited], torch.tensor(players)).nonzero()[:, 0]

    def _find_actions(self, generator: torch.Generator) -> None:
        """Find the actions of the game by random plays, and give them heads."""
        states = self.begin(RANDOM_PLAYS)
        while len(states):
            movers = self.movers(states)
            here, states = states[movers >= 0], self.after_chance(states[movers == CHANCE], generator)
            if len(here):
                numbers = self.infosets(here).long()
                length = self.length[self.action_list[numbers]]
                choices = (torch.rand(len(here), dtype=torch.float64, generator=generator) * length).to(torch.int64)
                states = torch.cat([states, self._after(here, choices)])
        actions = sorted({action for listed in self.store.action_lists() for action in listed})
        widest = int(self.length.max())
        self.heads = widest
        if len(actions) <= TOO_MANY_HEADS * widest:
            self.head_of = {action: head for head, action in enumerate(actions)}
            self.heads = int(SPARE * len(actions)) + 1
        else:
            self.head_of = None
        self._describe_action_lists()

    def begin(self, count: int) -> torch.Tensor:
        """[n, words] the root, repeated."""
        states = torch.empty((count, self.width), dtype=torch.int64)
        self.kernels.begin(self.rules, _flat(states), self.width)
        return states

    def movers(self, states: torch.Tensor) -> torch.Tensor:
        """[n] who moves."""
        out = np.empty(len(states), np.int8)
        self.kernels.movers(self.rules, _flat(states), self.width, out)
        return torch.from_numpy(out)

    def select(self, states: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        """Some of the states."""
        return states[which]

    def concatenate(self, batches: list[torch.Tensor]) -> torch.Tensor:
        """Several batches as one."""
        return torch.cat(batches)

    def infosets(self, states: torch.Tensor) -> torch.Tensor:
        """[n] int32 numbers of infosets; new infosets are added to the table."""
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
                self._grow_buffers(-found)
            elif found < len(out):
                store.grow()
            done = max(done, found)
        self._describe()
        return torch.from_numpy(out)

    def _grow_buffers(self, count: int) -> None:
        self.moves, self.probabilities = np.empty(2 * count, np.int64), np.empty(2 * count)

    def _describe(self) -> None:
        """Write the columns of new infosets."""
        table, visited, known = self.store.table, self.store.infosets, self.visited
        if visited == known:
            return
        wide = self.key_numbers + 1
        rows = torch.from_numpy(table.rows[known * wide : visited * wide].reshape(-1, wide).copy())
        packed = rows[:, -1]
        new = {
            "keys": rows[:, :-1],
            "action_list": packed >> LIST_SHIFT,
            "owner": packed >> OWNER_SHIFT & 15,
            "slot": packed & SLOT_MASK,
        }
        if has_features(self.unlisted.game):
            infosets = [self.unlisted.compiled.infoset_of(key) for key in _pairs(rows[:, :-1])]
            new["stated"] = torch.from_numpy(stated_features(self.unlisted.game, infosets))
        for name, column in new.items():
            setattr(self, name, _appended(getattr(self, name), known, column))
        self.visited = visited
        self._describe_action_lists()

    def _describe_action_lists(self) -> None:
        """Write the length of every action list and, once heads are known, the index of each head in it."""
        known = len(self.choice) if self.heads else len(self.length)
        if known == self.store.table.used[2]:
            return
        lists = self.store.action_lists()
        self.length = torch.tensor([len(listed) for listed in lists])
        if self.heads:
            choice = torch.full((len(lists), self.heads), -1, dtype=torch.int64)
            for row, listed in enumerate(lists):
                heads = [self._head(action, index) for index, action in enumerate(listed)]
                choice[row, heads] = torch.arange(len(listed))
            self.choice = choice

    def _head(self, action: int, index: int) -> int:
        """The head of an action; a new action gets a spare head."""
        if self.head_of is not None:
            index = self.head_of.setdefault(action, len(self.head_of))
        if index >= self.heads:
            raise GameError(
                f"{type(self.unlisted.game).__name__} has more actions than {RANDOM_PLAYS:,} random plays showed, and "
                f"the networks have {self.heads} outputs: number actions by their place in the list (0, 1, 2, …)"
            )
        return index

    def legal(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] which heads are actions."""
        return self.choice[self.action_list[infosets.long()]] >= 0

    def features(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, F] the game's own features or binary digits, then a bit for each player."""
        infosets = infosets.long()
        if has_features(self.unlisted.game):
            own = self.stated[infosets]
        else:
            digits = self.keys[infosets][:, :, None] >> torch.arange(DIGITS) & 1
            own = digits.reshape(len(infosets), -1).float()
        return torch.cat([own, torch.nn.functional.one_hot(self.owner[infosets], self.players).float()], dim=1)

    def after(self, states: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """[n, words] the states after the actions of heads."""
        numbers = self.infosets(states).long()
        return self._after(states, self.choice[self.action_list[numbers], heads])

    def _after(self, states: torch.Tensor, choices: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(states)
        arguments = self.rules, _flat(states), self.width, choices.numpy()
        while (needed := self.kernels.after(*arguments, self.moves, _flat(out))) < 0:
            self._grow_buffers(-needed)
        return out

    def after_chance(self, states: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """[n, words] the states after a sampled move of chance at each."""
        out = torch.empty_like(states)
        draws = torch.rand(len(states), dtype=torch.float64, generator=generator).numpy()
        arguments = self.rules, _flat(states), self.width, draws
        while (needed := self.kernels.after_chance(*arguments, self.moves, self.probabilities, _flat(out))) < 0:
            self._grow_buffers(-needed)
        return out

    def payoffs(self, states: torch.Tensor, player: int) -> torch.Tensor:
        """[n] a player's payoffs, chips."""
        out = np.empty((len(states), self.players))
        self.kernels.terminal_payoffs(self.rules, _flat(states), self.width, np.empty(self.players), out.reshape(-1))
        return torch.from_numpy(out[:, player]).float()

    def mark(self) -> Callable[[], None]:
        """A function that forgets the infosets and actions that are visited from now on."""
        used = self.store.table.used.copy()
        heads = np.array(list((self.head_of or {}).items()), np.int64).reshape(-1, 2)

        def forget() -> None:
            if not np.array_equal(used, self.store.table.used):
                self.restore({name: array.copy() for name, array in self.store.arrays(used).items()}, heads)

        return forget

    def restore(self, table: Mapping[str, Array], heads: Array) -> None:
        """Continue with the table of a run and the heads of its actions."""
        self.store.restore(table)
        self.head_of = {int(action): int(head) for action, head in heads} if self.head_of is not None else None
        self.visited, self.length, self.choice = 0, self.length[:0], self.choice[:0]
        self._describe()
        self.number_at = np.zeros(len(self.store.values), np.int32)
        self.number_at[self.slot[: self.visited].numpy()] = np.arange(self.visited)


def _flat(states: torch.Tensor) -> Array:
    """A view of the words of all states."""
    array: Array = states.numpy().reshape(-1)
    return array


def _pairs(keys: torch.Tensor) -> list[tuple[int, int]]:
    """Keys as two integers each."""
    return [(key[0], key[1] if len(key) > 1 else 0) for key in keys.tolist()]


def _appended(column: torch.Tensor, known: int, new: torch.Tensor) -> torch.Tensor:
    """A column with new rows from row `known` on; its buffer is doubled when it is full."""
    needed = known + len(new)
    if needed > len(column):
        larger = torch.zeros((max(needed, 2 * len(column)), *new.shape[1:]), dtype=new.dtype)
        if known:
            larger[:known] = column[:known]
        column = larger
    column[known:needed] = new
    return column
