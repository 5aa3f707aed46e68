"""Value, best response and exploitability: one gradient and one sweep each, the same arrays a solve walks."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.game import Game, on_public_tree
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.sequence_form.response_values import profile_gaps
from regretless.kernels.sequence_form.treeplex import lay_plan, player_best, player_expected
from regretless.strategy import Strategy
from regretless.tree import Tree, as_tree

__all__ = [
    "BestResponse",
    "Gaps",
    "best_response",
    "counterfactual_values",
    "exploitability",
    "head_to_head",
    "nash_conv",
    "plan_gaps",
    "plan_of",
    "value",
    "values",
]

Array = npt.NDArray[Any]


class Unlisted(Protocol):
    """A strategy of a game that was not listed, such as `rg.TableStrategy`: it knows how it can be measured."""

    def nash_conv(self, game: Tree | Game | str) -> float:
        """What all players together could gain by deviating one at a time, chips."""


@dataclass(frozen=True)
class BestResponse:
    """What a player could win against the others' strategy, and a pure strategy that wins it."""

    player: int
    value: float
    """Chips per game."""
    strategy: Strategy
    """The given strategy with the player's part replaced by a pure best response."""


@dataclass(frozen=True)
class Gaps:
    """What every player gets, and what every player could get by deviating alone; chips."""

    values: Array  # [P]
    best: Array  # [P]

    @property
    def nash_conv(self) -> float:
        """The sum over players of what deviating would gain."""
        return float(np.sum(self.best - self.values))


def plan_of(tree: Tree, strategy: Strategy) -> Array:
    """[S] the realisation plan of a strategy: the product of own probabilities along each sequence."""
    if not isinstance(strategy, Strategy):
        raise OptionError(f"a Strategy is needed here, got {strategy!r}; rg.Strategy.from_dict makes one of a table")
    strategy.check_same_game(tree.labels)
    plan = np.ones(tree.sequences)
    lay_plan(tree.form, strategy.probabilities, plan)
    return plan


def plan_gaps(tree: Tree, plan: Array, players: npt.ArrayLike | None = None) -> Gaps:
    """Values and best-response values of `players` (all, unless told) where everybody follows `plan` [S].

    The plan may be a sum of plans: each player's part is divided by what its empty sequence holds.
    """
    asked = np.ones(tree.players, bool)
    if players is not None:
        asked[:] = False
        asked[np.asarray(players, np.int64)] = True
    worth, best = np.zeros(tree.players), np.zeros(tree.players)
    profile_gaps(tree.form, np.asarray(plan, np.float64), asked, np.empty(tree.sequences), worth, best)
    return Gaps(worth, best)


def values(tree: Tree | Game | str, strategy: Strategy) -> Array:
    """[P] what each player wins on average when all follow `strategy`, chips."""
    tree = as_tree(tree)
    return plan_gaps(tree, plan_of(tree, strategy)).values


def value(tree: Tree | Game | str, strategy: Strategy, player: int = 0) -> float:
    """What a player wins on average when all follow `strategy`, chips.

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.Kuhn())
    >>> round(rg.value(tree, rg.Strategy.uniform(tree)), 12)
    0.125
    """
    tree = as_tree(tree)
    _check_player(tree, player)
    return float(plan_gaps(tree, plan_of(tree, strategy), player).values[player])


def best_response(tree: Tree | Game | str, strategy: Strategy, player: int) -> BestResponse:
    """The most that `player` can win when the others follow `strategy`, and how. Ties go to the first action.

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.Kuhn())
    >>> response = rg.best_response(tree, rg.Strategy.uniform(tree), player=1)
    >>> round(response.value, 6), response.strategy["Kb"]
    (0.416667, {'pass': 0.0, 'bet': 1.0})
    """
    tree = as_tree(tree)
    _check_player(tree, player)
    gradient = np.empty(tree.sequences)
    player_gradient(tree.form, player, plan_of(tree, strategy), gradient)
    won = float(player_best(tree.form, player, gradient))
    chosen = strategy.probabilities.copy()
    labels = tree.labels
    for infoset in np.flatnonzero(labels.owner == player).tolist():
        where = labels.sequences_of(infoset)
        pure = np.zeros(len(labels.actions[infoset]))
        pure[int(np.argmax(gradient[where]))] = 1.0
        chosen[where] = pure
    return BestResponse(player, won, Strategy(labels, chosen))


def counterfactual_values(
    tree: Tree | Game | str, strategy: Strategy, player: int
) -> dict[Hashable, dict[Hashable, float]]:
    """v(I, a) for every infoset and action of a player: what taking a at I and then following `strategy` is worth,
    weighted by how likely chance and the others are to bring the game to I (Zinkevich et al. 2007, §3).

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.RockPaperScissors())
    >>> given = rg.Strategy.from_dict(tree, {"player 0": [0.3, 0.3, 0.4]}, missing="uniform")     # rock, paper …
    >>> {a: round(v, 3) for a, v in rg.counterfactual_values(tree, given, player=1)["player 1"].items()}
    {'rock': 0.1, 'paper': -0.1, 'scissors': 0.0}
    """
    tree = as_tree(tree)
    _check_player(tree, player)
    gradient = np.empty(tree.sequences)
    player_gradient(tree.form, player, plan_of(tree, strategy), gradient)
    player_expected(tree.form, player, strategy.probabilities, gradient)
    labels = tree.labels
    own = [i for i in labels.reading_order.tolist() if labels.owner[i] == player]
    worth = [gradient[labels.sequences_of(i)].tolist() for i in own]
    return {strategy.key(i): dict(zip(labels.actions[i], w, strict=True)) for i, w in zip(own, worth, strict=True)}


def nash_conv(tree: Tree | Game | str, strategy: Strategy | Unlisted) -> float:
    """What all players together could gain by deviating one at a time, chips (NashConv)."""
    if not isinstance(strategy, Strategy) and hasattr(strategy, "nash_conv"):
        return strategy.nash_conv(tree)
    tree = as_tree(tree)
    return plan_gaps(tree, plan_of(tree, cast(Strategy, strategy))).nash_conv


def exploitability(tree: Tree | Game | str, strategy: Strategy | Unlisted) -> float:
    """NashConv divided by the number of players, chips; zero exactly at a Nash equilibrium.

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.Kuhn())
    >>> round(rg.exploitability(tree, rg.Strategy.uniform(tree)), 6)    # 11/12 over two players
    0.458333

    A strategy that was solved without listing the game is laid out on the listed game; that of a round of Dudo or
    liar's dice is measured exactly without, also where the game is far too large:

    >>> game = rg.games.Dudo(sides=3)
    >>> strategy = rg.solve(game, rg.MCCFR(listed=False), iterations=100).strategy
    >>> abs(rg.exploitability(game, strategy) - rg.exploitability(rg.build(game), strategy)) < 1e-12
    True
    """
    if isinstance(tree, str):
        from regretless.games import by_name

        tree = by_name(tree)
    if isinstance(strategy, Strategy):
        tree = as_tree(tree)
    return nash_conv(tree, strategy) / tree.players


def head_to_head(tree: Tree | Game | str, one: Strategy, other: Strategy) -> float:
    """What `one` wins from `other` per game, chips, averaged over both seats of a two-player game."""
    if on_public_tree(tree):
        return float(one.against(other))  # type: ignore[attr-defined]
    tree = as_tree(tree)
    if tree.players != 2:
        raise OptionError(f"head_to_head needs two players, this game has {tree.players}")
    first = value(tree, one.with_player(1, other), 0)
    second = value(tree, other.with_player(1, one), 1)
    return (first + second) / 2


def _check_player(tree: Tree, player: int) -> None:
    if not isinstance(player, int | np.integer) or not 0 <= player < tree.players:
        raise OptionError(f"this game has players 0 to {tree.players - 1}, not {player}")
