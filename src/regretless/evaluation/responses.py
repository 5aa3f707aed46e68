"""Value, best response and exploitability: one gradient and one sweep each, the same arrays a solve walks."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.evaluation.device_trees import check_device, device_responses
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.sequence_form.response_values import profile_gaps
from regretless.kernels.sequence_form.treeplex import player_best, pure_plan
from regretless.problem import found
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


@runtime_checkable
class SelfMeasured(Protocol):
    """A strategy of a problem other than a tree: it knows how it is measured. `game` is what a user calls the game."""

    def nash_conv(self, game: Any) -> float:
        """What all players together could gain by deviating one at a time, chips."""

    def game_values(self, game: Any) -> Array:
        """[P] what each player wins on average, chips."""

    def against(self, other: Any) -> float:
        """What it wins from another strategy of the same game per game, chips, averaged over both seats."""


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
        """The sum over players of what deviating would gain; rounding may not make it negative."""
        return max(float(np.sum(self.best - self.values)), 0.0)


def plan_of(tree: Tree, strategy: Strategy) -> Array:
    """[S] the realisation plan of a strategy: the product of own probabilities along each sequence."""
    _check_strategy(strategy)
    return tree.plan(strategy.laid_out(tree.labels).probabilities)


def plan_gaps(tree: Tree, plan: Array, players: npt.ArrayLike | None = None, device: str = "cpu") -> Gaps:
    """Values and best-response values of `players` (by default all) when all players follow `plan` [S].

    The plan may be a sum of plans: each player's part is divided by what its empty sequence holds.
    """
    check_device(device)
    if device == "cuda":
        asked = range(tree.players) if players is None else np.atleast_1d(np.asarray(players, np.int64)).tolist()
        found = device_responses(tree, plan, asked)
        return Gaps(found.values, found.best)
    mask = np.ones(tree.players, bool)
    if players is not None:
        mask[:] = False
        mask[np.asarray(players, np.int64)] = True
    worth, best = np.zeros(tree.players), np.zeros(tree.players)
    profile_gaps(tree.form, np.asarray(plan, np.float64), mask, np.empty(tree.sequences), worth, best)
    return Gaps(worth, best)


def values(tree: Any, strategy: Strategy | SelfMeasured) -> Array:
    """[P] what each player wins on average when all follow `strategy`, chips."""
    if isinstance(strategy, SelfMeasured):
        return strategy.game_values(tree)
    _check_strategy(strategy)
    tree = as_tree(tree)
    return plan_gaps(tree, plan_of(tree, strategy)).values


def value(tree: Any, strategy: Strategy | SelfMeasured, player: int = 0) -> float:
    """What a player wins on average when all follow `strategy`, chips.

    The game is a tree or another problem, a `Game`, a name such as "leduc:ranks=5" or a file such as "spot.toml"; so it
    is in all functions of this kind.

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.Kuhn())
    >>> round(rg.value(tree, rg.Strategy.uniform(tree)), 12)
    0.125
    """
    if isinstance(strategy, SelfMeasured):
        worth = strategy.game_values(tree)
        _check_player(len(worth), player)
        return float(worth[player])
    _check_strategy(strategy)
    tree = as_tree(tree)
    _check_player(tree.players, player)
    return float(plan_gaps(tree, plan_of(tree, strategy), player).values[player])


def best_response(tree: Any, strategy: Strategy, player: int, *, device: str = "cpu") -> BestResponse:
    """The most that `player` can win when the others follow `strategy`, and how. Ties go to the first action.

    `device="cuda"` computes it on a GPU, which is worth it for large trees.

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.Kuhn())
    >>> response = rg.best_response(tree, rg.Strategy.uniform(tree), player=1)
    >>> round(response.value, 6), response.strategy["Kb"]
    (0.416667, {'pass': 0.0, 'bet': 1.0})
    """
    _check_strategy(strategy)
    check_device(device)
    tree = as_tree(tree)
    _check_player(tree.players, player)
    plan = plan_of(tree, strategy)
    if device == "cuda":
        found = device_responses(tree, plan, [player])
        won, gradient = float(found.best[player]), np.asarray(found.gradient.copy_to_host())
    else:
        gradient = np.empty(tree.sequences)
        player_gradient(tree.form, player, plan, gradient)
        won = float(player_best(tree.form, player, gradient))
    chosen = strategy.probabilities.copy()
    pure_plan(tree.form, player, gradient, chosen, plan)
    return BestResponse(player, won, Strategy(tree.labels, chosen))


def counterfactual_values(tree: Any, strategy: Strategy, player: int) -> dict[Hashable, dict[Hashable, float]]:
    """v(I, a) for every infoset and action of a player: what taking a at I and then following `strategy` is worth,
    weighted by how likely chance and the others are to bring the game to I (Zinkevich et al. 2007, §3).

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.RockPaperScissors())
    >>> given = rg.Strategy.from_dict(tree, {"player 0": [0.3, 0.3, 0.4]}, missing="uniform")     # rock, paper …
    >>> {a: round(v, 3) for a, v in rg.counterfactual_values(tree, given, player=1)["player 1"].items()}
    {'rock': 0.1, 'paper': -0.1, 'scissors': 0.0}
    """
    tree = as_tree(tree)
    _check_player(tree.players, player)
    strategy = strategy.laid_out(tree.labels)
    gradient = tree.counterfactual_values(player, strategy.probabilities)
    labels = tree.labels
    own = [i for i in labels.reading_order.tolist() if labels.owner[i] == player]
    worth = [gradient[labels.sequences_of(i)].tolist() for i in own]
    return {strategy.key(i): dict(zip(labels.actions[i], w, strict=True)) for i, w in zip(own, worth, strict=True)}


def nash_conv(tree: Any, strategy: Strategy | SelfMeasured, *, device: str = "cpu") -> float:
    """What all players together could gain by deviating one at a time, chips (NashConv)."""
    if isinstance(strategy, SelfMeasured):
        if device != "cpu":
            raise OptionError(f"a {type(strategy).__name__} is measured on the CPU: leave out device={device!r}")
        return strategy.nash_conv(tree)
    _check_strategy(strategy)
    check_device(device)
    tree = as_tree(tree)
    return plan_gaps(tree, plan_of(tree, strategy), device=device).nash_conv


class Spreads(Protocol):
    """Machines that a best response is spread over; `rg.Ray` is one."""

    def nash_conv(self, game: Any, strategy: Any) -> float:
        """What all players together could gain by deviating one at a time, chips."""


@runtime_checkable
class MeasuredByFlops(Protocol):
    """A strategy of hold'em by buckets: it is measured flop by flop where the game does not fit into memory."""

    @property
    def needs_flops(self) -> bool:
        """Whether the game does not fit into memory hand by hand."""

    def exploitability_by_flops(self, game: Any, **settings: Any) -> float:
        """The exploitability in chips."""


def exploitability(
    tree: Any,
    strategy: Strategy | SelfMeasured,
    *,
    device: str = "cpu",
    workers: Spreads | None = None,
    flops: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    seed: int = 0,
    threads: int | None = None,
    dtype: str = "float32",
    confidence: float = 0.95,
    progress: bool | None = None,
    values: bool = False,
) -> float:
    """NashConv divided by the number of players, chips; zero exactly at a Nash equilibrium.

    `device="cuda"` measures a strategy of a listed game, or one by buckets, on a GPU.
    `workers=rg.Ray()` divides the boards of hold'em, or the flops of a strategy by buckets, among the machines of a
    cluster.

    A strategy by buckets of hold'em that does not fit into memory hand by hand is measured flop by flop: best responses
    with all cards on every flop, summed before the flop. On a CPU this takes hours; the time is printed after the first
    flop. `checkpoint="hulh.flops"` keeps finished flops in a file, from which the same call goes on. `flops=20` takes a
    plain random sample and gives an estimate with an interval, `found.low` and `found.high`; from six flops on, luck
    that checked-down hands show is subtracted. Further settings are the `seed` of the sample, `threads`, `dtype`
    ("float32" or "float64"), `confidence` and `progress`. `found.trunk` has tables by flop and by line; `values=True`
    also computes what the strategy itself wins there. Strategies that look at no cards (`rg.poker.card_blind`) take
    about half a minute of a CPU core for all flops of limit hold'em.

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
    usual = {"seed": 0, "dtype": "float32", "confidence": 0.95, "values": False}  # None for all others
    asked = {"flops": flops, "checkpoint": checkpoint, "seed": seed, "threads": threads, "dtype": dtype}
    settings = {**asked, "confidence": confidence, "progress": progress, "values": values}
    given = [name for name, value in settings.items() if value != usual.get(name)]
    by_flops = given or device != "cpu" or workers is not None
    if isinstance(strategy, MeasuredByFlops) and (by_flops or strategy.needs_flops):
        return strategy.exploitability_by_flops(found(tree), device=device, workers=workers, **settings)
    if given:
        raise OptionError(f"{given[0]}= is for strategies of hold'em by buckets")
    if isinstance(strategy, Strategy):
        check_device(device)
    tree = as_tree(tree) if isinstance(strategy, Strategy) else found(tree)
    if workers is not None:
        return workers.nash_conv(tree, strategy) / int(getattr(tree, "players", 2))
    return nash_conv(tree, strategy, device=device) / int(getattr(tree, "players", 2))


def head_to_head(tree: Any, one: Strategy | SelfMeasured, other: Strategy | SelfMeasured) -> float:
    """What `one` wins from `other` per game, chips, averaged over both seats of a two-player game."""
    if isinstance(one, SelfMeasured):
        check_same_game = getattr(getattr(one, "tree", None), "check_same_game", None)
        if check_same_game is not None:
            check_same_game(tree)
        return one.against(other)
    tree = as_tree(tree)
    if not isinstance(other, Strategy):
        raise OptionError(f"both strategies must be of the same kind, got {one!r} and {other!r}")
    if tree.players != 2:
        raise OptionError(f"head_to_head needs two players, this game has {tree.players}")
    first = value(tree, one.with_player(1, other), 0)
    second = value(tree, other.with_player(1, one), 1)
    return (first + second) / 2


def _check_strategy(strategy: object) -> None:
    """Refuse what is no strategy of a listed game, before a game is listed for it."""
    if not isinstance(strategy, Strategy):
        hint = "rg.Strategy.from_dict makes one of a table"
        if isinstance(getattr(strategy, "strategy", None), Strategy | SelfMeasured):
            hint = "pass its .strategy"
        elif isinstance(strategy, SelfMeasured):
            hint = "rg.exploitability measures this one"
        raise OptionError(f"a Strategy is needed here, got {strategy!r}; {hint}")


def _check_player(players: int, player: int) -> None:
    if not isinstance(player, int | np.integer) or not 0 <= player < players:
        raise OptionError(f"this game has players 0 to {players - 1}, not {player}")
