"""Random small games with hidden information and perfect recall, for hypothesis."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import strategies as st

from regretless.game import CHANCE, TERMINAL, Game

Path = tuple[int, ...]


@dataclass(frozen=True)
class RandomGame(Game):
    """A state is the path of action numbers; everything else is drawn from the seed and the path.

    What a player knows is the list of its own actions and of the signals it noticed, in order. Own actions are in it,
    so recall is perfect; how many actions an infoset offers is drawn from that list, so it is the same throughout.
    """

    seed: int = 0
    players: int = 2
    depth: int = 4
    zero_sum: bool = True
    chance_moves: bool = True

    def draw(self, *what: Hashable) -> random.Random:
        return _generator((self.seed, *what))

    def root(self) -> Path:
        return ()

    def player(self, state: Path) -> int:
        if len(state) >= self.depth:
            return TERMINAL
        generator = self.draw("mover", state)
        if len(state) >= 2 and generator.random() < 0.25:
            return TERMINAL
        lowest = CHANCE if self.chance_moves else 0
        return generator.randrange(lowest, self.players)

    def actions(self, state: Path) -> tuple[int, ...]:
        mover = self.player(state)
        if mover == CHANCE:
            return tuple(range(self.draw("outcomes", state).choice((2, 3))))
        return tuple(range(self.draw("actions", mover, self.infoset(state)).choice((1, 2, 2, 3))))

    def play(self, state: Path, action: int) -> Path:
        return (*state, action)

    def infoset(self, state: Path) -> Hashable:
        return self.knowledge(self.player(state), state)

    def knowledge(self, player: int, state: Path) -> Hashable:
        noticed = []
        for length in range(len(state)):
            before, after = state[:length], state[: length + 1]
            if self.player(before) == player:
                noticed.append(f"did {state[length]}")
            elif self.draw("noticed", player, after).random() < 0.4:
                noticed.append(f"saw {self.draw('signal', player, after).randrange(2)}")
        return tuple(noticed)

    def payoffs(self, state: Path) -> tuple[float, ...]:
        generator = self.draw("payoffs", state)
        chips = [generator.uniform(-1, 1) for _ in range(self.players)]
        if self.zero_sum:
            chips[-1] = -sum(chips[:-1])
        return tuple(chips)

    def chance(self, state: Path) -> list[float]:
        generator = self.draw("chance", state)
        weights = [generator.uniform(0.1, 1) for _ in self.actions(state)]
        return [weight / sum(weights) for weight in weights]


@cache
def _generator_seed(what: tuple[Hashable, ...]) -> str:
    return repr(what)


def _generator(what: tuple[Hashable, ...]) -> random.Random:
    return random.Random(_generator_seed(what))


def random_games(
    *, players: tuple[int, ...] = (2, 3), depth: int = 4, zero_sum: bool | None = None
) -> st.SearchStrategy[RandomGame]:
    return st.builds(
        RandomGame,
        seed=st.integers(0, 10_000),
        players=st.sampled_from(players),
        depth=st.integers(2, depth),
        zero_sum=st.booleans() if zero_sum is None else st.just(zero_sum),
        chance_moves=st.booleans(),
    )


class Tilted(Game):
    """A game with a little noise on every payoff, so that no two actions are worth exactly the same.

    At an exact tie rounding decides what regret matching plays, and two correct programs go different ways.
    """

    def __init__(self, game: Game) -> None:
        self.game, self.players = game, game.players
        self.root, self.player, self.actions, self.play = game.root, game.player, game.actions, game.play
        self.infoset, self.chance = game.infoset, game.chance
        self.infoset_label, self.action_label = game.infoset_label, game.action_label

    def payoffs(self, state: Any) -> list[float]:
        generator = random.Random(repr(state))
        return [chips + generator.uniform(-0.1, 0.1) for chips in self.game.payoffs(state)]

    root = player = actions = play = infoset = None  # type: ignore[assignment]
