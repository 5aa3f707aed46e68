"""Sheriff: Farina, Ling, Fang & Sandholm, "Correlation in extensive-form games" (2019); rules as in OpenSpiel."""

# What the methods of a game mean is said once, in Game.

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from regretless.compiled import compiled
from regretless.errors import OptionError
from regretless.game import TERMINAL, Game
from regretless.games.parameters import need_number, need_whole

__all__ = ["Sheriff"]

SMUGGLER, SHERIFF = 0, 1


@compiled
@dataclass(frozen=True)
class Sheriff(Game):
    """Sheriff: a smuggler loads illegal items and offers bribes, and a sheriff says whether to inspect the cargo.

    The smuggler (player 0) first loads 0 to `items` items in secret. In each of `rounds` rounds it offers a bribe from
    0 to `bribe`, and the sheriff (player 1) answers "pass" or "inspect". Only the last round counts. Without an
    inspection the smuggler wins `value` for each item and pays the bribe to the sheriff. An inspection costs the
    smuggler `penalty` for each item, paid to the sheriff; if there are none, the sheriff pays `fine` to the smuggler.

    Labels: the player, the smuggler's items, then bribe and answer of each round (p pass, i inspect): "P0", "P0 2",
    "P0 2 3p 1i", "P1 3p 1".
    """

    items: int = 3
    bribe: int = 3
    rounds: int = 4
    value: float = 1.0
    penalty: float = 2.0
    fine: float = 3.0

    def __post_init__(self) -> None:
        need_whole("Sheriff", "items", self.items, least=1)
        need_whole("Sheriff", "chips as the highest bribe", self.bribe, least=0, name="bribe")
        need_whole("Sheriff", "rounds", self.rounds, least=1)
        for name in ("value", "penalty", "fine"):
            need_number("Sheriff", name, getattr(self, name))
        if 2 * (2 * (self.bribe + 1)) ** self.rounds >= 2**62:
            raise OptionError(
                f"Sheriff keeps all that was said in a 64-bit number, and bribe={self.bribe} and rounds={self.rounds} "
                "are too large for that: make one of them smaller"
            )

    # A state is the integers (mover, items, rounds, bribe, said): items loaded, or −1; rounds that are over; the bribe
    # offered last; and all bribes and answers in turn, as the digits of a number that begins with 1. Actions are the
    # items 0 …, the bribes from _bribes on, and the two answers from _answers on.

    @cached_property
    def _bribes(self) -> int:
        return self.items + 1

    @cached_property
    def _answers(self) -> int:
        return self._bribes + self.bribe + 1

    def root(self) -> tuple[int, ...]:
        return (SMUGGLER, -1, 0, 0, 1)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        mover, items = state[0], state[1]
        first = self._answers if mover == SHERIFF else self._bribes if items >= 0 else 0
        count = 2 if mover == SHERIFF else self.bribe + 1 if items >= 0 else self.items + 1
        return tuple([first + choice for choice in range(count)])

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        mover, items, rounds, bribe, said = state
        if items < 0:
            return (SMUGGLER, action, 0, 0, 1)
        if mover == SMUGGLER:
            bribe = action - self._bribes
            return (SHERIFF, items, rounds, bribe, said * (self.bribe + 1) + bribe)
        said = 2 * said + action - self._answers
        return (SMUGGLER if rounds + 1 < self.rounds else TERMINAL, items, rounds + 1, bribe, said)

    def infoset(self, state: tuple[int, ...]) -> tuple[int, int]:
        mover, items, _, _, said = state
        return (items + 2 if mover == SMUGGLER else 0, said)  # 0: the sheriff, 1: nothing is loaded yet

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
        _, items, _, bribe, said = state
        if said % 2 == 0:
            return (items * self.value - bribe, 1.0 * bribe)
        paid = items * self.penalty if items > 0 else -1.0 * self.fine
        return (-1.0 * paid, 1.0 * paid)

    def infoset_label(self, infoset: tuple[int, int]) -> str:
        own, said = infoset
        words = []
        offered, digit = 0, 0
        if own == 0:  # the sheriff has yet to answer the last bribe
            said, offered = divmod(said, self.bribe + 1)
            words.append(str(offered))
        while said > 1:
            said, digit = divmod(said, 2)
            said, offered = divmod(said, self.bribe + 1)
            words.append(f"{offered}{'pi'[digit]}")
        player = ["P1"] if own == 0 else ["P0"] if own == 1 else ["P0", str(own - 2)]
        return " ".join([*player, *reversed(words)])

    def action_label(self, action: int) -> str:
        if action < self._bribes:
            return f"load {action}"
        if action < self._answers:
            return f"bribe {action - self._bribes}"
        return ("pass", "inspect")[action - self._answers]
