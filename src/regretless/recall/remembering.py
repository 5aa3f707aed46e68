"""Strategies of games with imperfect recall, converted to the same game with perfect recall.

A game that forgets may know its twin with perfect recall (`Game.remembering`): the same moves, but players remember all
that they have seen and done. The twin's infosets are finer, so a forgetful strategy is also a strategy of the twin: at
each infoset of the twin it plays as at the forgetful infoset that contains it. In the twin value, best response and
exploitability are exact, and an opponent may use all that the strategy has forgotten.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from regretless.errors import GameError, OptionError
from regretless.game import Game
from regretless.layout.labels import Labels
from regretless.problem import found
from regretless.recall.graph import SHARED
from regretless.strategy import Strategy
from regretless.tree import Tree, as_tree

__all__ = ["lifting", "remembered", "twin_of"]

Array = npt.NDArray[Any]


class Solved(Protocol):
    """What has a strategy: a `Run`."""

    @property
    def strategy(self) -> Strategy:
        """The average strategy."""


def remembered(strategy: Strategy | Solved, game: Any, *, tree: Tree | None = None) -> Strategy:
    """A strategy of a game that forgets, as a strategy of the same game with perfect recall.

    Against it `rg.best_response` and `rg.exploitability` are exact: the responder remembers all that the strategy has
    forgotten. `tree` is the twin's tree where it has been built already.

    >>> import regretless as rg
    >>> game = rg.games.Dudo(sides=3, recall=1)
    >>> run = rg.solve(game, rg.FSICFR(), iterations=100)
    >>> tree = rg.build(game.remembering())
    >>> rg.exploitability(tree, rg.remembered(run, game, tree=tree)) == run.exploitability
    True
    """
    game = found(game)
    strategy = getattr(strategy, "strategy", strategy)
    if not isinstance(strategy, Strategy):
        raise OptionError(f"a Strategy or a Run is needed here, got {strategy!r} of type {type(strategy).__name__}")
    tree = as_tree(twin_of(game)) if tree is None else tree
    return Strategy(tree.labels, lifted(strategy.probabilities, lifting(tree, game, strategy.labels)))


def twin_of(game: Game) -> Game:
    """The same game with perfect recall; OptionError where the game knows none."""
    twin = game.remembering()
    if twin is None:
        raise OptionError(
            f"{type(game).__name__} forgets and does not know its twin with perfect recall: give it a method "
            "remembering() that returns it"
        )
    return twin


def lifted(probabilities: Array, source: Array) -> Array:
    """[S of the twin] what a forgetful strategy [S] plays there; 1 at empty sequences."""
    return np.where(source >= 0, probabilities[np.maximum(source, 0)], 1.0)


def lifting(tree: Tree, game: Game, labels: Labels) -> Array:
    """[S] the sequence of the forgetful game, as `labels` number them, for each of the twin's; −1 for empty ones.

    The twin's tree is walked in step with the forgetful game, along the first and the last history of every infoset.
    """
    listing = tree.listing
    if game.players != tree.players:
        raise OptionError(f"{type(game).__name__} has {game.players} players, and its twin {tree.players}")
    decisions = np.flatnonzero(listing.mover >= 0)
    infosets = listing.index[decisions]
    first, last = np.full(tree.infosets, -1), np.full(tree.infosets, -1)
    first[infosets[::-1]], last[infosets] = decisions[::-1], decisions
    needed = _with_ancestors(tree, np.concatenate([first, last]))
    number = _InfosetNumbers(game, labels)
    source = np.full(tree.infosets, -1, np.int64)
    stack: list[tuple[int, Any]] = [(0, game.root())]
    while stack:
        history, state = stack.pop()
        mover = int(listing.mover[history])
        if game.player(state) != mover:
            raise _apart(game, tree)
        if mover >= 0:
            here, infoset = number.of(mover, state), int(listing.index[history])
            if labels.actions[here] != tree.labels.actions[infoset]:
                raise _apart(game, tree)
            if source[infoset] not in (-1, here):
                raise GameError(
                    f"{type(game).__name__}: its twin cannot tell apart what the game can: infoset "
                    f"{tree.labels.names[infoset]!r} of {type(tree.game).__name__} holds positions of "
                    f"{labels.names[int(source[infoset])]!r} and {labels.names[here]!r}"
                )
            source[infoset] = here
        begin = int(listing.first_child[history])
        for choice in range(int(listing.children[history])):
            if needed[begin + choice]:
                stack.append((begin + choice, game.play(state, game.actions(state)[choice])))
    number.check_all_used()
    owner = tree.labels.infoset_of_sequence
    real = np.flatnonzero(owner >= 0)
    ends = owner[real]  # the infoset of each
    action = (real - tree.labels.first[ends]) // tree.labels.stride[ends]
    out = np.full(tree.sequences, -1, np.int64)
    out[real] = labels.first[source[ends]] + action * labels.stride[source[ends]]
    return out


class _InfosetNumbers:
    """The numbers of a forgetful game's infosets, found by their labels."""

    def __init__(self, game: Game, labels: Labels) -> None:
        self.game, self.labels = game, labels
        self.known: dict[tuple[int, Hashable], int] = {}

    def of(self, mover: int, state: Any) -> int:
        """The number of the infoset of a state."""
        key = (mover, self.game.infoset(state))
        found = self.known.get(key)
        if found is None:
            name = self.game.infoset_label(key[1])
            by_player = self.labels.by_player
            found = by_player.get((mover, name), by_player.get((SHARED, name), -1))
            if found < 0:
                raise OptionError(
                    f"the strategy knows nothing about infoset {name!r} of {self.game!r}: it is from another game, or "
                    "from the same with another recall"
                )
            self.known[key] = found
        return found

    def check_all_used(self) -> None:
        """Refuse a strategy with infosets that this game does not have."""
        used = np.zeros(len(self.labels.names), bool)
        used[list(self.known.values())] = True
        if not used.all():
            name = self.labels.names[int(np.flatnonzero(~used)[0])]
            raise OptionError(
                f"the strategy has an infoset {name!r} that {self.game!r} does not have: it is from another game, or "
                "from the same with another recall"
            )


def _with_ancestors(tree: Tree, histories: Array) -> Array:
    """[H] which histories lead to some of the given ones."""
    listing = tree.listing
    parent = np.zeros(tree.histories, np.int64)
    inner = np.flatnonzero(listing.children > 0)
    counts = listing.children[inner].astype(np.int64)
    starts = np.repeat(listing.first_child[inner].astype(np.int64) - np.cumsum(counts) + counts, counts)
    parent[starts + np.arange(counts.sum())] = np.repeat(inner, counts)
    needed = np.zeros(tree.histories, bool)
    level = np.unique(histories[histories >= 0])
    while len(level):
        needed[level] = True
        above = np.unique(parent[level])
        level = above[~needed[above]]
    return needed


def _apart(game: Game, tree: Tree) -> GameError:
    return GameError(
        f"{type(game).__name__} and its twin {type(tree.game).__name__} are not played alike: the same moves must lead "
        "to the same player and the same actions, under the same labels"
    )
