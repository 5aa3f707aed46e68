"""Strategies as OpenSpiel's policies and back, for games of OpenSpiel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games.openspiel import OpenSpiel

if TYPE_CHECKING:
    from regretless.strategy import Strategy
    from regretless.tree import Tree

__all__ = ["from_openspiel", "to_openspiel"]


def to_openspiel(strategy: Strategy, game: OpenSpiel) -> Any:
    """The `open_spiel.python.policy.TabularPolicy` that plays as `strategy` does.

    It is a policy of `game.loaded`, OpenSpiel's game with moves in turn, which is what OpenSpiel's own
    algorithms need beside it: `exploitability.nash_conv(game.loaded, to_openspiel(run.strategy, game))`.
    """
    _need_openspiel(game)
    from open_spiel.python.policy import TabularPolicy

    policy = TabularPolicy(game.loaded)
    table = policy.action_probability_array  # [infosets, numbers of actions]
    table[:] = 0.0
    for row, state in enumerate(policy.states):
        player, infoset = game.player(state), game.infoset(state)
        try:
            probabilities = strategy[player, infoset]
            for move in game.actions(state):
                table[row, move.number] = probabilities[move.label]
        except KeyError:
            raise OptionError(
                f"the strategy does not tell what player {player} does at {infoset!r} of {game.name}:"
                " it is a strategy of another game"
            ) from None
    return policy


def from_openspiel(policy: Any, tree: Tree) -> Strategy:
    """What an OpenSpiel policy does, as a `Strategy` of a built OpenSpiel game.

    Any policy will do that has `action_probabilities(state)`: tabular or not, of Python or of C++.
    """
    from regretless.strategy import Strategy

    game = _need_openspiel(tree.game)
    table: dict[tuple[int, str], dict[str, float]] = {}
    waiting = [game.root()]
    while waiting:
        state = waiting.pop()
        mover = game.player(state)
        if mover == TERMINAL:
            continue
        moves = game.actions(state)
        waiting.extend(game.play(state, move) for move in moves)
        if mover != CHANCE and (mover, infoset := game.infoset(state)) not in table:
            given = policy.action_probabilities(state)
            table[mover, infoset] = {move.label: float(given.get(move.number, 0.0)) for move in moves}
    return Strategy.from_dict(tree, table)


def _need_openspiel(game: Game) -> OpenSpiel:
    if not isinstance(game, OpenSpiel):
        raise OptionError(f"{game!r} is no game of OpenSpiel: use rg.games.OpenSpiel(name)")
    return game
