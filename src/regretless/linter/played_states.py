"""Whether `play` leaves the state that it is given as it was.

A game whose `play` changes its state in place gives wrong answers without any error: histories that are still to be
visited have become others. Every walk through a game checks a sample of its states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regretless.game import CHANCE, MOST_ACTIONS, TERMINAL, Game, State
from regretless.linter.state_snapshots import changed, snapshot

__all__ = ["CHANGED", "next_check", "play_changes"]

CHANGED = "play() changed the state it was given; copy the state before changing it, or build a new one"

EACH_UP_TO, LONGEST_GAP = 8, 8_192
"""The first histories are all checked, then one each time their number has doubled, then one in this many: less than a
hundredth of the time of a walk."""

MOST_PLAYED = 8
"""Actions of one state that are played to check it, evenly spread."""


def next_check(histories: int) -> int:
    """The number of histories after which the next state is checked."""
    return histories + 1 if histories < EACH_UP_TO else min(2 * histories, histories + LONGEST_GAP)


def play_changes(game: Game, state: State) -> bool:
    """Whether playing some actions of a state changes it, or the game's answers about it.

    False also where the game raises: what is wrong then is found, and said better, when the state is visited.
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


def _answers(game: Game, state: State) -> tuple[int, Sequence[Any], Any]:
    """What the game says about a state: mover, actions and infoset."""
    mover = game.player(state)
    if mover == TERMINAL:
        return mover, (), None
    offered = game.actions(state)
    actions = tuple(offered) if len(offered) <= MOST_ACTIONS else ()
    return mover, actions, None if mover == CHANCE else game.infoset(state)
