"""Players that are Python functions, and the plain loop in which they play any opponent on any game.

The loop draws what `kernels.sampling.match_hands` does, move by move, so the two play the same hands from the same seed
(where chance is not uniform, a listed game draws it from other tables).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game, State
from regretless.kernels import random_streams as draws
from regretless.kernels.numpy_matching import matched
from regretless.kernels.sampling.playing.match_hands import DEALS
from regretless.kernels.sampling.playing.match_values import infoset_slot
from regretless.strategy import Strategy

if TYPE_CHECKING:
    from regretless.sampling.playing.match_play import Play

__all__ = ["Bot", "bot_play", "pick", "probabilities_of", "stream_of", "uniform"]

Array = npt.NDArray[Any]

Bot = Callable[[State, Sequence[Any]], Any]
"""(state, legal actions) → an action, a probability for each action, or {action: probability}."""

Probabilities = Callable[[State, int, Sequence[Any]], Sequence[float]]
"""(state, mover, legal actions) → their probabilities."""

WORD = (1 << 64) - 1
STEP, FIRST, SECOND = (int(constant) for constant in (draws.STEP, draws.FIRST, draws.SECOND))


def bot_play(game: Game, a: Any, b: Any, seed: int, duplicate: bool) -> Play:
    """Hands on any game, between functions, strategies and tables of infosets."""
    mine, theirs = (_probabilities(game, player, name) for player, name in ((a, "a"), (b, "b")))

    def play(first: int, last: int) -> tuple[Array, Array]:
        won = np.empty((last - first, game.players))
        for number in range(first, last):
            for seat in range(game.players):
                pack = 0 if duplicate else 2 * seat
                words = stream_of(seed, number, pack), stream_of(seed, number, pack + 1)
                won[number - first, seat] = _hand(game, seat, mine, theirs, *words)
        return won, np.zeros_like(won)

    return play


def _hand(game: Game, seat: int, mine: Probabilities, theirs: Probabilities, cards: int, choices: int) -> float:
    """What a wins in its seat."""
    state = game.root()
    while (mover := game.player(state)) != TERMINAL:
        actions = game.actions(state)
        if mover == CHANCE:
            cards = cards + STEP & WORD
            choice = pick(game.chance(state), uniform(cards))
        else:
            choices = choices + STEP & WORD
            choice = pick((mine if mover == seat else theirs)(state, mover, actions), uniform(choices))
        state = game.play(state, actions[choice])
    return float(game.payoffs(state)[seat])


# -- what a player does at a history ----------------------------------------------------------------------------------


def _probabilities(game: Game, player: Any, name: str) -> Probabilities:
    """How a player's probabilities at a history are found."""
    if isinstance(player, Strategy):
        return _cached(game, lambda mover, infoset, actions: _by_label(game, player, name, mover, infoset, actions))
    if hasattr(player, "table"):
        return _cached(game, lambda mover, infoset, actions: _by_table(player, mover, infoset, actions))
    return lambda state, mover, actions: _answer(game, name, player(state, actions), state, actions)


def _cached(game: Game, looked_up: Callable[[int, Hashable, Sequence[Any]], list[float]]) -> Probabilities:
    """Look every infoset up once, and cache the result."""
    known: dict[tuple[int, Hashable], list[float]] = {}

    def cached(state: State, mover: int, actions: Sequence[Any]) -> list[float]:
        key = mover, game.infoset(state)
        if key not in known:
            known[key] = looked_up(*key, actions)
        return known[key]

    return cached


def _by_label(
    game: Game, strategy: Strategy, name: str, mover: int, infoset: Hashable, actions: Sequence[Any]
) -> list[float]:
    label = game.infoset_label(infoset)
    number = strategy.labels.by_player.get((mover, label), -1)
    if number < 0 or len(strategy.labels.actions[number]) != len(actions):
        raise OptionError(
            f"strategy {name} belongs to another game: it does not know infoset {label!r} of player {mover}"
        )
    found: list[float] = strategy.probabilities[strategy.labels.sequences_of(number)].tolist()
    return found


def _by_table(player: Any, mover: int, infoset: Hashable, actions: Sequence[Any]) -> list[float]:
    count, place = len(actions), int(infoset_slot(player.table, infoset, mover))
    start = place + player.kind * count
    weights = np.asarray(player.numbers[start : start + count], np.float64) if place >= 0 else np.zeros(count)
    found: list[float] = matched(weights).tolist()
    return found


def _answer(game: Game, name: str, answer: Any, state: State, actions: Sequence[Any]) -> Sequence[float]:
    """What a function returned, as probabilities."""
    found = probabilities_of(answer, actions)
    if found is None:
        raise OptionError(
            f"player {name} answered {answer!r} where {list(actions)!r} are legal (infoset "
            f"{game.infoset_label(game.infoset(state))!r}): return one of them or a probability for each"
        )
    return found


def probabilities_of(answer: Any, actions: Sequence[Any]) -> list[float] | None:
    """An action, a probability for each or {action: probability} as probabilities; None if it is none of these."""
    if not isinstance(answer, np.ndarray | list | dict) and any(action == answer for action in actions):
        return [float(action == answer) for action in actions]
    given = [answer.get(action, 0.0) for action in actions] if isinstance(answer, Mapping) else answer
    try:
        numbers = np.asarray(given, np.float64)
        good = numbers.shape == (len(actions),) and numbers.min() >= 0 and abs(numbers.sum() - 1) < 1e-6
    except (TypeError, ValueError):
        good = False
    return [float(number) for number in numbers] if good else None


# -- the draws of the kernels, in Python ------------------------------------------------------------------------------


def pick(probabilities: Sequence[float], draw: float) -> int:
    """The action that a draw in [0, 1) falls on, as `kernels.walk_rules.pick`."""
    choice = 0
    draw -= probabilities[0]
    while draw >= 0.0 and choice < len(probabilities) - 1:
        choice += 1
        draw -= probabilities[choice]
    while probabilities[choice] == 0.0 and choice > 0:
        choice -= 1
    return choice


def mixed(word: int) -> int:
    """`kernels.draws.mixed`."""
    word = (word ^ word >> 30) * FIRST & WORD
    word = (word ^ word >> 27) * SECOND & WORD
    return word ^ word >> 31


def uniform(word: int) -> float:
    """`kernels.draws.uniform`."""
    return (mixed(word) >> 11) / (1 << 53)


def stream_of(seed: int, number: int, pack: int) -> int:
    """`kernels.draws.stream` of a deal."""
    word = mixed(seed + STEP * number & WORD)
    return mixed(word + FIRST * DEALS + SECOND * pack & WORD)
