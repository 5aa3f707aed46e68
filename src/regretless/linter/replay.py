"""Playing the same moves twice: a game that answers differently is random by itself, or keeps a memory of its own."""

from __future__ import annotations

import random
from typing import Any

from regretless.game import CHANCE, TERMINAL, Game
from regretless.linter.descriptions import named_actions

__all__ = ["first_difference"]

Answers = list[tuple[tuple[Any, ...], str]]
"""The moves so far and the game's answer after them, along a play."""


def first_difference(game: Game, rng: random.Random) -> tuple[tuple[Any, ...], str, str] | None:
    """A random play, played twice: the moves after which the answers differ, and both answers."""
    choices: list[int] = []
    first = _play_out(game, choices, rng)
    again = _play_out(game, choices, None)
    for (moves, before), (_, after) in zip(first, again, strict=False):
        if before != after:
            return moves, before, after
    return None


def _play_out(game: Game, choices: list[int], rng: random.Random | None) -> Answers:
    """One play and the game's answers: at random, recording `choices`, or along given ones."""
    state = game.root()
    moves: tuple[Any, ...] = ()
    answers: Answers = []
    while (mover := game.player(state)) != TERMINAL:
        actions = tuple(game.actions(state))
        who = "chance" if mover == CHANCE else f"infoset {game.infoset(state)!r} of player {mover}"
        answers.append((moves, f"{who} with the actions {named_actions(game, actions)}"))
        if rng is not None:
            choices.append(rng.randrange(len(actions)))
        if len(moves) >= len(choices) or choices[len(moves)] >= len(actions):
            return answers  # the second play differs from the first, and so do the answers
        action = actions[choices[len(moves)]]
        state, moves = game.play(state, action), (*moves, action)
    payoffs = ", ".join(str(payoff) for payoff in game.payoffs(state))
    return [*answers, (moves, f"the payoffs {payoffs}")]
