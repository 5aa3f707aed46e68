"""The histories of a listed game as flat arrays, and the way from the root to one of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from regretless.game import Game
from regretless.kernels.coded_numbers import CodedNumbers
from regretless.kernels.sequence_form.sequence_tracing import path_to

__all__ = ["Histories", "Listing", "choices_to", "describe_path"]


@dataclass(frozen=True)
class Histories:
    """All histories of a game; H of them, T terminal, P players."""

    mover: npt.NDArray[np.int8]  # [H] player to move, CHANCE or TERMINAL
    index: npt.NDArray[np.int32]  # [H] infoset at a decision, row of `payoffs` at a terminal, −1 at chance
    first_child: npt.NDArray[np.int32]  # [H] the first of the children, which are numbered on from it
    children: npt.NDArray[np.int32]  # [H] number of children
    chance: CodedNumbers  # [H] probability of chance's move into this history; 1 where a player moved
    payoff: CodedNumbers  # [T, P] chips

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays together."""
        arrays = (self.mover, self.index, self.first_child, self.children, self.chance, self.payoff)
        return sum(int(a.nbytes) for a in arrays)

    @cached_property
    def probability(self) -> npt.NDArray[np.float64]:
        """[H] the probability of chance's move into each history; 8 bytes each, kept from the first use on."""
        return self.chance.numbers()

    @cached_property
    def payoffs(self) -> npt.NDArray[np.float64]:
        """[T, P] chips; 8 bytes each, kept from the first use on."""
        return self.payoff.numbers()

    @property
    def largest_payoff(self) -> float:
        """The largest payoff in size, chips."""
        return float(np.abs(self.payoff.table).max(initial=0.0))


@dataclass(frozen=True)
class Listing:
    """Histories, and the infosets in the order of their first visit."""

    histories: Histories
    player: list[int]  # [I] whose infoset
    infoset: list[Hashable]  # [I] as the game returned it
    actions: list[tuple[Hashable, ...]]  # [I] as the game returned them
    by_machine_code: bool = False


def describe_path(game: Game, choices: Sequence[int]) -> str:
    """A history by the labels of its actions, from the number of the action taken at each of its steps."""
    state, words = game.root(), []
    for choice in choices:
        action = game.actions(state)[choice]
        words.append(str(game.action_label(action)))
        state = game.play(state, action)
    return ", ".join(words) or "the root"


def choices_to(histories: Histories, number: int) -> list[int]:
    """The number of the action taken at each step from the root to a history."""
    path = path_to(histories.first_child, histories.children, number)
    return [int(child - histories.first_child[h]) for h, child in pairwise(path)]
