"""Push or fold, heads-up: the small blind is all-in or folds, the big blind calls or folds.

With few chips this is nearly the whole game, and it is small: 169 classes of hands for each player. The equities of
`all_in_table` respect the cards that both players hold, so the linear program's answer is exact.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games.not_offered import says_what_is_not_offered, why_not_settings
from regretless.games.parameters import need_number
from regretless.poker.formats.exports import write_csv
from regretless.poker.preflop.all_in_table import CLASSES, all_in_table, class_names, class_of_hands, pair_counts
from regretless.poker.ranges.range import Range

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regretless.poker.results.grids import Grid

__all__ = ["PushFold", "PushFoldSolution", "push_fold"]

Floats = npt.NDArray[np.float64]

MOST_STACK = 1_000
SQUARE = (13, 13)
FOLD, ALL_IN, CALL, DEAL = range(4)
"""Actions; dealing class c is DEAL + c."""


@says_what_is_not_offered
@dataclass(frozen=True)
class PushFold(Game):
    """Heads-up no-limit hold'em in which the first action is all-in or fold; amounts are in big blinds.

    `stack` is what each player has before antes and blinds; each player pays `ante` first. A blind that the rest of the
    stack does not cover is paid as far as it goes. Player 0 is the small blind. Payoffs are what a player has won,
    antes and blinds included. Labels are classes of hands, "AKs", and "AKs, all-in" for the big blind.

    >>> import regretless as rg
    >>> round(rg.equilibrium(rg.poker.PushFold(stack=10)).value, 4)
    -0.0454
    """

    stack: float = 10.0
    ante: float = 0.0
    small_blind: float = 0.5

    def __post_init__(self) -> None:
        need_number("Push or fold", "stack", self.stack, least=1, most=MOST_STACK)
        need_number("Push or fold", "ante", self.ante, least=0, most=MOST_STACK)
        need_number("Push or fold", "small_blind", self.small_blind, least=0, most=1)
        if self.ante >= self.stack:
            raise OptionError(
                f"after the ante, chips must be left to push with, got ante={self.ante:g} of stack={self.stack:g}"
            )

    @property
    def posted(self) -> tuple[float, float]:
        """Big blinds that each player has paid, ante and blind, before the first action."""
        left = self.stack - self.ante
        return self.ante + min(self.small_blind, left), self.ante + min(1.0, left)

    @cached_property
    def showdown(self) -> list[list[float]]:
        """[classes, classes] what the small blind wins on average after push and call."""
        won: list[list[float]] = ((2 * all_in_table().equity - 1) * self.stack).tolist()
        return won

    @cached_property
    def deals(self) -> tuple[list[float], list[list[float]]]:
        """The probability of each class of the small blind, and given it those of the big blind [classes, classes]."""
        pairs = pair_counts()
        own = pairs.sum(axis=1)
        return (own / own.sum()).tolist(), (pairs / own[:, None]).tolist()

    def root(self) -> tuple[int, ...]:
        """Nothing is dealt."""
        return ()

    def player(self, state: tuple[int, ...]) -> int:
        """Chance deals both classes; then the small blind, then the big blind."""
        if len(state) < 2:
            return CHANCE
        if len(state) == 4 or (len(state) == 3 and not state[2]):
            return TERMINAL
        return len(state) - 2

    def actions(self, state: tuple[int, ...]) -> tuple[int, ...]:
        """Classes to deal, or fold and the other action."""
        if len(state) < 2:
            return tuple(range(DEAL, DEAL + CLASSES))
        return (FOLD, ALL_IN) if len(state) == 2 else (FOLD, CALL)

    def chance(self, state: tuple[int, ...]) -> list[float]:
        """By the number of pairs of hands without a common card."""
        first, second = self.deals
        return second[state[0]] if state else first

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        """The classes dealt, then the actions."""
        return (*state, action - DEAL if len(state) < 2 else action)

    def infoset(self, state: tuple[int, ...]) -> int:
        """The own class and the seat."""
        mover = len(state) - 2
        return mover * CLASSES + state[mover]

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
        """Big blinds won."""
        first, second, *actions = state
        if actions == [ALL_IN, CALL]:
            won = self.showdown[first][second]
        else:
            won = self.posted[1] if actions == [ALL_IN, FOLD] else -self.posted[0]
        return won, -won

    def infoset_label(self, infoset: int) -> str:
        """A class, with the other player's action for the big blind."""
        name = class_names()[infoset % CLASSES]
        return name if infoset < CLASSES else f"{name}, all-in"

    def action_label(self, action: int) -> str:
        """The action, or the class dealt."""
        return ("fold", "all-in", "call")[action] if action < DEAL else class_names()[action - DEAL]


@dataclass(frozen=True, eq=False)
class PushFoldSolution:
    """An equilibrium of push or fold. Arrays are by class, in the order of `classes`; amounts are in big blinds."""

    game: PushFold
    value: float
    """What the small blind wins in a hand, against perfect play."""
    exploitability: float
    """What a best response wins from a player beyond the value, on average of both seats; 0 up to rounding."""
    push: Floats = field(repr=False)  # [169] how often the small blind is all-in
    call: Floats = field(repr=False)  # [169] how often the big blind calls
    push_ev: Floats = field(repr=False)  # [169] what all-in wins more than a fold
    call_ev: Floats = field(repr=False)  # [169] what a call wins more than a fold

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of hands: AA, AKs, AQs, …, 22."""
        return class_names()

    @property
    def push_range(self) -> Range:
        """The range that is all-in."""
        return Range(np.round(self.push, 4)[class_of_hands()])

    @property
    def call_range(self) -> Range:
        """The range that calls."""
        return Range(np.round(self.call, 4)[class_of_hands()])

    @property
    def push_share(self) -> float:
        """How often the small blind is all-in, over all hands."""
        return float(self.push @ pair_counts().sum(axis=1) / pair_counts().sum())

    @property
    def call_share(self) -> float:
        """How often the big blind calls an all-in."""
        reach = self.push @ pair_counts()
        return float(reach @ self.call / reach.sum()) if reach.any() else 0.0

    def grids(self) -> tuple[Grid, Grid]:
        """The strategies of both players as grids of 13 × 13 classes."""
        from regretless.poker.results.grids import Grid

        pairs = pair_counts()
        reaches = (pairs.sum(axis=1), self.push @ pairs)
        hands = np.bincount(class_of_hands(), minlength=CLASSES).reshape(SQUARE)
        out = []
        for shares, gains, reach, action in zip(
            (self.push, self.call), (self.push_ev, self.call_ev), reaches, ("all-in", "call"), strict=True
        ):
            out.append(
                Grid(
                    labels=np.array(class_names()).reshape(SQUARE),
                    hands=hands,
                    weight=np.ones(SQUARE),
                    frequencies=np.stack([1 - shares, shares], axis=-1).reshape(*SQUARE, 2),
                    ev=gains.reshape(SQUARE),
                    reach=(reach / max(reach.sum(), 1)).reshape(SQUARE),
                    actions=("fold", action),
                )
            )
        return out[0], out[1]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each class of hands: frequencies, and what the action wins more than a fold."""
        columns = {name: column.tolist() for name, column in self.columns().items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The same by column."""
        return {
            "class": np.array(self.classes),
            "push": self.push,
            "call": self.call,
            "push_ev": self.push_ev,
            "call_ev": self.call_ev,
        }

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """A row for each class, as comma-separated values."""
        write_csv(path, [self.columns()])

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Charts of both ranges, side by side."""
        from regretless.poker.preflop.push_fold_charts import draw_charts

        return draw_charts(self, path)

    def __str__(self) -> str:
        ante = f", antes of {self.game.ante:g}" if self.game.ante else ""
        return (
            f"{self.game.stack:g} big blinds{ante}: worth {self.value:+.4f} to the small blind\n"
            f"all-in {self.push_share:.1%}: {self.push_range}\ncall   {self.call_share:.1%}: {self.call_range}"
        )


def push_fold(stack: float, *, ante: float = 0.0, small_blind: float = 0.5, **settings: Any) -> PushFoldSolution:
    """An exact equilibrium of push or fold, by linear programming; amounts are in big blinds.

    stack: what each player has before antes and blinds, from 1 on. Up to about 10 big blinds push or fold is close to
    the whole game; beyond about 20 it leaves out much. ante: paid by each player. There are no other settings.

    >>> import regretless as rg
    >>> found = rg.poker.push_fold(10)
    >>> round(found.value, 4), round(found.push_share, 3), round(found.call_share, 3)
    (-0.0454, 0.583, 0.366)
    """
    from regretless.evaluation.equilibrium import equilibrium
    from regretless.evaluation.responses import exploitability
    from regretless.tree import build

    if settings:
        unknown = f"push_fold has no setting {next(iter(settings))!r}: they are ante and small_blind"
        raise OptionError(why_not_settings(settings) or unknown)
    game = PushFold(stack, ante, small_blind)
    tree = build(game)
    found = equilibrium(tree)
    push, call = (
        np.array([found.strategy[name][action] for name in names])
        for names, action in ((class_names(), "all-in"), ([f"{name}, all-in" for name in class_names()], "call"))
    )
    pairs, showdown = pair_counts(), np.array(game.showdown)
    paid, big = game.posted
    after_push = call * showdown + (1 - call) * big  # [classes, classes]
    against = push[:, None] * pairs
    with np.errstate(invalid="ignore"):
        call_ev = big - (against * showdown).sum(axis=0) / against.sum(axis=0)
    return PushFoldSolution(
        game=game,
        value=found.value + 0.0,  # not −0.0
        exploitability=exploitability(tree, found.strategy),
        push=push,
        call=call,
        push_ev=(pairs * after_push).sum(axis=1) / pairs.sum(axis=1) + paid,
        call_ev=call_ev,
    )
