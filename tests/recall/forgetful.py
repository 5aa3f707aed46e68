"""Games of a user's own that forget."""

from __future__ import annotations

from typing import Any

import regretless as rg


class Pile(rg.Game):
    """Take one or two of a pile in turn, remembering only what is left; taking the last one wins."""

    perfect_recall = False

    def __init__(self, pile: int = 6) -> None:
        self.pile = pile

    def __repr__(self) -> str:
        return f"Pile({self.pile})"

    def root(self) -> Any:
        return (0, self.pile)

    def player(self, state: Any) -> int:
        return state[0] if state[1] else rg.TERMINAL

    def actions(self, state: Any) -> Any:
        return tuple(range(1, min(2, state[1]) + 1))

    def play(self, state: Any, action: Any) -> Any:
        return (1 - state[0], state[1] - action)

    def infoset(self, state: Any) -> Any:
        return state[1]

    def payoffs(self, state: Any) -> Any:
        return (1, -1) if state[0] else (-1, 1)


class Weather(rg.Game):
    """Three players, each with infosets of its own, in rounds: chance draws the weather, of which the mover sees only
    whether it is fair, and remembers nothing else but the round; not zero-sum."""

    players = 3
    perfect_recall = False

    def __repr__(self) -> str:
        return "Weather()"

    def root(self) -> Any:
        return (0, -1, 0)  # round, weather, score

    def player(self, state: Any) -> int:
        if state[0] == 4:
            return rg.TERMINAL
        return rg.CHANCE if state[1] < 0 else state[0] % 3

    def actions(self, state: Any) -> Any:
        return ("sun", "rain", "snow") if state[1] < 0 else ("go", "stay")

    def chance(self, state: Any) -> Any:
        return (0.5, 0.3, 0.2)

    def play(self, state: Any, action: Any) -> Any:
        turn, weather, score = state
        if weather < 0:
            return (turn, ("sun", "rain", "snow").index(action), score)
        return (turn + 1, -1, (score * 2 + weather + (action == "go")) % 7)

    def infoset(self, state: Any) -> Any:
        return (state[0] % 3, state[1] == 0)

    def payoffs(self, state: Any) -> Any:
        score = state[2]
        return (score % 3, (score * score) % 5, -score / 2)


class Circle(rg.Game):
    """Two players walk round a square, and may stop; rounds are not counted."""

    perfect_recall = False

    def root(self) -> Any:
        return (0, "a")

    def player(self, state: Any) -> int:
        return state[0] if state[1] != "end" else rg.TERMINAL

    def actions(self, state: Any) -> Any:
        return ("on", "stop")

    def play(self, state: Any, action: Any) -> Any:
        if action == "stop":
            return (0, "end")
        return (1 - state[0], {"a": "b", "b": "c", "c": "d", "d": "a"}[state[1]])

    def infoset(self, state: Any) -> Any:
        return state[1]

    def payoffs(self, state: Any) -> Any:
        return (0, 0)
