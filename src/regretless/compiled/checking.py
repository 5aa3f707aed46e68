"""Comparing the compiled game with the interpreted one: at every history both must give the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from regretless.compiled.sample_plays import named
from regretless.errors import GameError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.kernels.numba_ext.uncounted_arrays import uncounted_view

__all__ = ["Twin", "check_plays"]


class Twin:
    """Calls the compiled functions for the same questions as the interpreted game."""

    def __init__(self, game: Game, rules: Any, functions: Any) -> None:
        self.game, self.rules, self.functions = game, rules, functions
        self.whole, self.real = uncounted_view(np.zeros(64, np.int64)), uncounted_view(np.zeros(64))

    def root(self) -> Any:
        """The compiled root."""
        return self.functions.root(self.rules)

    def play(self, twin: Any, action: Any) -> Any:
        """The compiled state after an action."""
        return self.functions.play(self.rules, twin, int(action))

    def difference(self, state: Any, twin: Any) -> str | None:
        """What the two games disagree about at a history; None if nothing."""
        game, functions, rules = self.game, self.functions, self.rules
        if not same(state, twin):
            return f"the state is {state!r}, but compiled {twin!r}"
        mover = game.player(state)
        answers: list[tuple[str, Any, Any]] = [("player", mover, functions.player(rules, twin))]
        if mover == TERMINAL:
            answers.append(("payoffs", tuple(game.payoffs(state)), self.written(functions.payoffs, twin, self.real)))
        else:
            actions = self.written(functions.actions, twin, self.whole)
            answers.append(("actions", tuple(game.actions(state)), actions))
        if mover == CHANCE:
            answers.append(("chance", tuple(game.chance(state)), self.written(functions.chance, twin, self.real)))
            answers.append(("public", game.public(state), functions.public(rules, twin)))
        elif mover != TERMINAL:
            functions.infoset_key(rules, twin)
            answers.append(("infoset", game.infoset(state), functions.infoset(rules, twin)))
        for what, interpreted, compiled in answers:
            if not same(interpreted, compiled):
                return f"{what} is {interpreted!r}, but compiled {compiled!r}"
        return None

    def written(self, writer: Any, twin: Any, out: Any) -> tuple[Any, ...]:
        """What a writer writes; the buffer grows where it is too small."""
        count = writer(self.rules, twin, out, 0)
        if count > len(out):
            out = uncounted_view(np.zeros(count, out.dtype))
            writer(self.rules, twin, out, 0)
        return tuple(out[:count].tolist())


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, be they numbers, tuples or arrays."""
    if isinstance(one, tuple | list | np.ndarray) and isinstance(other, tuple | list | np.ndarray):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def check_plays(twin: Twin, plays: list[list[int]]) -> None:
    """Follow some plays in both games; GameError where they differ."""
    game = twin.game
    for choices in plays:
        state, compiled = game.root(), twin.root()
        for choice in [*choices, None]:
            difference = twin.difference(state, compiled)
            if difference is not None:
                raise GameError(
                    f"{named(game)} is not the same when compiled: {difference}; "
                    "numbers have 64 bits there, and shifts and powers beyond that wrap around"
                )
            if choice is not None:
                action = game.actions(state)[choice]
                state, compiled = game.play(state, action), twin.play(compiled, action)
