"""The plainest possible walks through a game, for counting, comparing and timing.

python tests/games/walk.py liars_dice goofspiel:cards=6      # microseconds spent in the game per history
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from typing import Any

from regretless import games
from regretless.game import CHANCE, TERMINAL, Game


def count(game: Game) -> tuple[int, int, int]:
    """Histories, terminals and different infosets."""
    histories = terminals = 0
    infosets = set()
    stack = [game.root()]
    while stack:
        state = stack.pop()
        histories += 1
        mover = game.player(state)
        if mover == TERMINAL:
            terminals += 1
            game.payoffs(state)
            continue
        if mover == CHANCE:
            game.chance(state)
        else:
            infosets.add(game.infoset(state))
        for action in game.actions(state):
            stack.append(game.play(state, action))
    return histories, terminals, len(infosets)


def play_by_label(game: Game, *labels: object) -> Any:
    """The state after actions given by their labels."""
    state = game.root()
    for label in labels:
        by_label = {game.action_label(action): action for action in game.actions(state)}
        state = game.play(state, by_label[label])
    return state


def label_at(game: Game, *labels: object) -> object:
    return game.infoset_label(game.infoset(play_by_label(game, *labels)))


def pairs(one: Game, other: Game, deals: int | None = None, plays: int | None = None) -> Iterator[tuple[Any, Any]]:
    """The histories of two games of the same shape, side by side; actions correspond in their order.

    With `deals`, only this many outcomes of each chance move are followed, drawn from a fixed seed; with `plays`, only
    this many plays from the root, each move drawn.
    """
    generator = random.Random(2)
    stack = [(one.root(), other.root())] * (plays or 1)
    while stack:
        state, twin = stack.pop()
        yield state, twin
        mover = one.player(state)
        assert other.player(twin) == mover
        if mover == TERMINAL:
            continue
        actions = list(zip(one.actions(state), other.actions(twin), strict=True))
        if mover == CHANCE and deals is not None:
            actions = generator.sample(actions, min(deals, len(actions)))
        if plays is not None:
            actions = [generator.choice(actions)]
        stack.extend((one.play(state, action), other.play(twin, action_there)) for action, action_there in actions)


def assert_same(one: Game, other: Game, deals: int | None = None, plays: int | None = None) -> tuple[int, int]:
    """Assert equal movers, chance, payoffs and infosets; return how many histories and infosets there are."""
    there: dict[object, object] = {}
    back: dict[object, object] = {}
    compared = 0
    assert one.players == other.players
    for state, twin in pairs(one, other, deals, plays):
        compared += 1
        mover = one.player(state)
        if mover == TERMINAL:
            assert list(one.payoffs(state)) == list(other.payoffs(twin))
        elif mover == CHANCE:
            assert all(abs(a - b) < 1e-12 for a, b in zip(one.chance(state), other.chance(twin), strict=True))
        else:
            infoset, infoset_there = (mover, one.infoset(state)), (mover, other.infoset(twin))
            assert there.setdefault(infoset, infoset_there) == infoset_there
            assert back.setdefault(infoset_there, infoset) == infoset
    return compared, len(there)


if __name__ == "__main__":
    for spec in sys.argv[1:]:
        started = time.perf_counter()
        found = count(games.by_name(spec))
        seconds = time.perf_counter() - started
        print(f"{spec}: {found} {seconds / found[0] * 1e6:.2f} µs/history")
