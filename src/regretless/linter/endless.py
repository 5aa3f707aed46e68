"""Stopping a walk through a game that seems never to end.

A walk cannot know how long the longest play is. It reports here how deep it is and how much it has visited: a game must
end at least one of some random plays, no history may have more than `DEEPEST` moves, and a deep walk may not take most
of the memory.
"""

from __future__ import annotations

import random
import time

from regretless.game import TERMINAL, Game
from regretless.linter.memory import available_memory, in_units, resident_memory

__all__ = ["DEEPEST", "Endless", "EndlessGuard"]

DEEPEST = 100_000
"""No game is this deep; one that seems to be goes round in a cycle or never ends."""

SUSPICIOUS = 1_000
"""Moves of a history from which on the memory of a walk is checked."""

SHARE_OF_FREE = 0.25
"""The share of the free memory that a deep walk may take."""

SECONDS = (2.0, 1.0, 1.0)
"""Time limits of the random plays, one of which must end."""


class Endless(Exception):
    """A play that seems never to end."""


class EndlessGuard:
    """Watches one walk through a game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.resident = resident_memory() or 0
        self.ends = False

    def check(self, depth: int) -> None:
        """Raise `Endless` where the game does not end, or a walk has come to an implausible depth."""
        if depth > DEEPEST:
            raise Endless(f"a history has more than {DEEPEST:,} moves; the game seems to go in a cycle or never to end")
        if not self.ends:
            self.play_at_random()
        if depth <= SUSPICIOUS:
            return
        grown = (resident_memory() or 0) - self.resident
        if grown > SHARE_OF_FREE * ((available_memory() or 1 << 62) + grown):
            raise Endless(
                f"a history has {depth:,} moves, and {in_units(grown)} of memory are taken; does the game ever end?"
            )

    def play_at_random(self) -> None:
        """Raise `Endless` unless a random play ends."""
        rng = random.Random(0)
        longest = 0
        for seconds in SECONDS:
            self.ends, moves = self._play(rng, time.perf_counter() + seconds)
            if self.ends:
                return
            longest = max(longest, moves)
        raise Endless(f"{len(SECONDS)} random plays had not ended after {longest:,} moves; does the game ever end?")

    def _play(self, rng: random.Random, until: float) -> tuple[bool, int]:
        """Whether a random play ends in time, and its moves; a play that has only begun goes on in any case."""
        game, moves = self.game, 0
        state = game.root()
        while game.player(state) != TERMINAL:
            if moves >= DEEPEST or (moves > SUSPICIOUS and time.perf_counter() > until):
                return False, moves
            actions = game.actions(state)
            state, moves = game.play(state, actions[rng.randrange(len(actions))]), moves + 1
        return True, moves
