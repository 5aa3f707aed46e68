"""Stopping a walk through a game that seems never to end.

A walk cannot know how long the longest play is. It asks here whether a depth is plausible: beyond `DEEPEST` no game is;
beyond `SUSPICIOUS` a game must end some random plays if the walk has taken long or much memory.
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
"""Moves from which on the time and the memory of a walk are looked at."""

PATIENCE = 2.0
"""Seconds of a walk after which a deep game is played at random."""

SHARE_OF_FREE = 0.25
MUCH_MEMORY = 1 << 29
"""Bytes by which a walk may grow before a deep game is played at random."""

MANY = 100_000
"""Histories or positions after which any game is played at random."""

PLAYS, SECONDS_PER_PLAY = 3, 0.5


class Endless(Exception):
    """A play that seems never to end."""


class EndlessGuard:
    """Watches one walk through a game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.began = time.perf_counter()
        self.resident = resident_memory() or 0
        self.ends = False

    def check(self, depth: int, visited: int) -> None:
        """Raise `Endless` where a walk has come to an implausible depth, or visits a game that does not end."""
        if depth > DEEPEST:
            raise Endless(f"a history has more than {DEEPEST:,} moves; the game seems to go in a cycle or never to end")
        if visited > MANY and not self.ends:  # breadth first, a walk through an endless game does not get deep
            self.play_at_random()
        if depth <= SUSPICIOUS:
            return
        grown = (resident_memory() or 0) - self.resident
        if grown > SHARE_OF_FREE * ((available_memory() or 1 << 62) + grown):
            raise Endless(
                f"a history has {depth:,} moves, and {in_units(grown)} of memory are taken; does the game ever end?"
            )
        if not self.ends and (grown > MUCH_MEMORY or time.perf_counter() - self.began > PATIENCE):
            self.play_at_random()

    def play_at_random(self) -> None:
        """Raise `Endless` unless some random play ends."""
        rng = random.Random(0)
        longest = 0
        for _ in range(PLAYS):
            ended, moves = self._play(rng)
            longest = max(longest, moves)
            self.ends = self.ends or ended
        if not self.ends:
            raise Endless(f"{PLAYS} random plays had not ended after {longest:,} moves; does the game ever end?")

    def _play(self, rng: random.Random) -> tuple[bool, int]:
        game, until = self.game, time.perf_counter() + SECONDS_PER_PLAY
        state, moves = game.root(), 0
        while game.player(state) != TERMINAL:
            if moves >= DEEPEST or (moves > SUSPICIOUS and time.perf_counter() > until):
                return False, moves
            actions = game.actions(state)
            state, moves = game.play(state, actions[rng.randrange(len(actions))]), moves + 1
        return True, moves
