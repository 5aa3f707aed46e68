"""Whether `play` leaves the state that it is given as it was.

A game whose `play` changes its state in place gives wrong answers without any error: histories that are still to be
visited have become others. Every walk through a game checks a sample of its states.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

from regretless.game import CHANCE, MOST_ACTIONS, TERMINAL, Game, State
from regretless.linter.state_snapshots import changed, snapshot

__all__ = ["CHANGED", "moves_before_change", "next_check", "play_changes"]

CHANGED = (
    "play() changed the state it was given, or returned that same state; copy the state before changing it, or build "
    "a new one"
)

EACH_UP_TO, LONGEST_GAP = 8, 8_192
"""The first histories are all checked, then one each time their number has doubled, then one in this many: less than a
hundredth of the time of a walk."""

LONGEST_PLAY, SECONDS = 200, 0.2
"""Moves of a random play whose states are checked, and its time limit."""

MOST_PLAYED = 8
"""Actions of one state that are played to check it, evenly spread."""


def next_check(histories: int) -> int:
    """The number of histories after which the next state is checked."""
    return histories + 1 if histories < EACH_UP_TO else min(2 * histories, histories + LONGEST_GAP)


def play_changes(game: Game, state: State) -> bool:
    """Whether playing some actions of a state changes it, or the game's answers about it.

    False also where the game raises: the walk itself will find that, and can describe it better.
    """
    try:
        before, answers = snapshot(state), _answers(game, state)
        actions = answers[1]
        for action in actions[:: max(1, len(actions) // MOST_PLAYED)]:
            if game.play(state, action) is state:
                return True
        return changed(before, snapshot(state)) or _answers(game, state) != answers
    except Exception:
        return False


def moves_before_change(game: Game, rng: random.Random) -> list[Any] | None:
    """A random play in which every state is checked: the moves that lead to one that `play` changes, else None."""
    moves: list[Any] = []
    until = time.perf_counter() + SECONDS
    try:
        state = game.root()
        while game.player(state) != TERMINAL and len(moves) < LONGEST_PLAY and time.perf_counter() < until:
            if play_changes(game, state):
                return moves
            actions = game.actions(state)
            moves.append(actions[rng.randrange(len(actions))])
            state = game.play(state, moves[-1])
    except Exception:
        pass  # as in `play_changes`
    return None


def _answers(game: Game, state: State) -> tuple[int, Sequence[Any], Any]:
    """What the game says about a state: mover, actions and infoset."""
    mover = game.player(state)
    if mover == TERMINAL:
        return mover, (), None
    offered = game.actions(state)
    actions = tuple(offered) if len(offered) <= MOST_ACTIONS else ()
    return mover, actions, None if mover == CHANCE else game.infoset(state)
