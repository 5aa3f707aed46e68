"""`check_game_conformance`: whether a game keeps the contract of `Game`."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from regretless.compiled import has_compiler, is_compiled
from regretless.game import CHANCE, LARGEST_PAYOFF, MOST_PLAYERS, TERMINAL, Game, State, shortened
from regretless.linter.rules import exact_sum

__all__ = ["Conformance", "check_game_conformance"]


@dataclass(frozen=True)
class Conformance:
    """What a walk through a game visited; where that was not everything, `exhaustive` is False."""

    histories: int
    terminals: int
    infosets: int
    exhaustive: bool


def check_game_conformance(
    game: Game,
    *,
    histories: int | None = None,
    terminals: int | None = None,
    infosets: int | None = None,
    max_histories: int = 100_000,
    playouts: int = 1_000,
    seed: int = 0,
) -> Conformance:
    """Walk through a game and assert that it keeps the contract of `Game`; an AssertionError names the history.

    A game of up to `max_histories` histories (or `histories`, where that is more) is visited completely. Of a larger
    one the first `max_histories` are visited, and then `playouts` random plays. Given counts must match those of the
    whole game: histories include the root and the terminal ones, infosets are the different values of
    `Game.infoset`.

    The compiled functions of a game that is marked `rg.compiled` must agree with the interpreted ones at every history
    visited.

    Perfect recall is asserted unless the game has an attribute `perfect_recall` that is False; players who
    forget may also share infosets.

    >>> from regretless.games import Kuhn
    >>> check_game_conformance(Kuhn(), histories=58)
    Conformance(histories=58, terminals=30, infosets=12, exhaustive=True)
    """
    walk = _Walk(game)
    limit = max(max_histories, histories or 0)
    exhaustive = walk.visit_all(limit)
    if not exhaustive:
        walk.play_at_random(playouts, random.Random(seed))
    found = Conformance(walk.histories, walk.terminals, len(walk.infosets), exhaustive)
    for what, expected in {"histories": histories, "terminals": terminals, "infosets": infosets}.items():
        count = getattr(found, what)
        if expected is not None and not exhaustive:
            raise AssertionError(f"{game!r} has more than {limit:,} histories: raise max_histories to count {what}")
        if expected is not None and count != expected:
            raise AssertionError(f"{game!r} has {count:,} {what}, expected {expected:,}")
    return found


class _Node(NamedTuple):
    """A history: its state, the history before it, and each player's last infoset and action."""

    state: State
    parent: _Node | None
    action: Hashable
    depth: int
    memories: tuple[Hashable, ...]
    compiled: State = None  # the same history of the compiled game, where there is one


class _Infoset(NamedTuple):
    player: int
    actions: tuple[Hashable, ...]
    memory: Hashable
    first: _Node


MAX_DEPTH = 10_000


@dataclass
class _Walk:
    game: Game
    histories: int = 0
    terminals: int = 0
    infosets: dict[Hashable, _Infoset] = field(default_factory=dict)
    labels: dict[tuple[int, Hashable], Hashable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        players = self.game.players
        if not isinstance(players, int) or isinstance(players, bool) or not 1 <= players <= MOST_PLAYERS:
            raise AssertionError(f"players is {shortened(players)}: it must be a whole number from 1 to {MOST_PLAYERS}")
        self.forgetful = not getattr(self.game, "perfect_recall", True)
        self.twin = _twin_of(self.game)

    def root(self) -> _Node:
        compiled = self.twin.root() if self.twin else None
        return _Node(self.game.root(), None, None, 0, (None,) * self.game.players, compiled)

    def visit_all(self, limit: int) -> bool:
        """Depth first; False if there are more than `limit` histories."""
        stack = [self.root()]
        while stack:
            if self.histories == limit:
                return False
            node = stack.pop()
            children = [self.child(node, action) for action in self.visit(node)]
            stack.extend(reversed(children))
        return True

    def play_at_random(self, playouts: int, generator: random.Random) -> None:
        for _ in range(playouts):
            node = self.root()
            while actions := self.visit(node):
                node = self.child(node, generator.choice(actions))

    def visit(self, node: _Node) -> tuple[Hashable, ...]:
        """Check everything about one history but the effects of its actions, which are returned."""
        self.histories += 1
        if node.depth > MAX_DEPTH:
            raise self.broken(node, f"the game is not over after {MAX_DEPTH:,} moves: does it go in a cycle?")
        players = self.game.players
        mover = self.game.player(node.state)
        if not isinstance(mover, int) or not (mover in (CHANCE, TERMINAL) or 0 <= mover < players):
            raise self.broken(node, f"player is {mover!r}: neither CHANCE, TERMINAL nor 0 to {players - 1}")
        if mover == TERMINAL:
            self.terminals += 1
            self.check_payoffs(node)
            self.check_compiled(node)
            return ()
        actions = self.checked_actions(node)
        if mover == CHANCE:
            self.check_chance(node, len(actions))
        else:
            self.check_infoset(node, mover, actions)
        self.check_compiled(node)
        return actions

    def checked_actions(self, node: _Node) -> tuple[Hashable, ...]:
        actions = tuple(self.game.actions(node.state))
        if not actions:
            raise self.broken(node, "there are no actions, though the game is not over")
        for action in actions:
            if not _hashable(action):
                raise self.broken(node, f"action {action!r} is not hashable")
        labels = tuple(self.game.action_label(action) for action in actions)
        if len(set(actions)) < len(actions):
            raise self.broken(node, f"actions {list(actions)} are not distinct")
        if len(set(labels)) < len(labels):
            raise self.broken(node, f"action labels {list(labels)} are not distinct")
        return actions

    def check_payoffs(self, node: _Node) -> None:
        payoffs = self.game.payoffs(node.state)
        players = self.game.players
        if len(payoffs) != players:
            raise self.broken(node, f"there are {len(payoffs)} payoffs for {players} players")
        if not all(math.isfinite(payoff) for payoff in payoffs):
            raise self.broken(node, f"payoffs {list(payoffs)} are not finite")
        if any(abs(payoff) > LARGEST_PAYOFF for payoff in payoffs):
            raise self.broken(node, f"payoffs {list(payoffs)} are beyond {LARGEST_PAYOFF:g} and cannot be summed")

    def check_chance(self, node: _Node, count: int) -> None:
        chance: Sequence[float] = self.game.chance(node.state)
        if len(chance) != count:
            raise self.broken(node, f"there are {len(chance)} probabilities for {count} actions")
        if not all(probability >= 0 for probability in chance):
            raise self.broken(node, f"probabilities {list(chance)} are not all 0 or more")
        if abs(exact_sum(chance) - 1) > 1e-9:
            raise self.broken(node, f"probabilities sum to {exact_sum(chance)!r}, not to 1")

    def check_infoset(self, node: _Node, mover: int, actions: tuple[Hashable, ...]) -> None:
        key = self.game.infoset(node.state)
        if not _hashable(key):
            raise self.broken(node, f"infoset {key!r} is not hashable")
        label = self.game.infoset_label(key)
        if not _hashable(label):
            raise self.broken(node, f"infoset label {label!r} is not hashable")
        namesake = self.labels.setdefault((mover, label), key)
        if namesake != key:
            raise self.broken(node, f"infosets {namesake!r} and {key!r} share the label {label!r}")
        memory = node.memories[mover]
        known = self.infosets.setdefault(key, _Infoset(mover, actions, memory, node))
        if known.actions != actions:
            difference = f"has actions {list(actions)}, but {list(known.actions)}"
        elif known.player != mover and not self.forgetful:
            difference = f"belongs to player {mover}, but to player {known.player}"
        elif known.memory != memory and not self.forgetful:
            difference = f"forgets what player {mover} knew or did before (imperfect recall): it is the same"
        else:
            return
        raise self.broken(node, f"infoset {label!r} {difference} {self.where(known.first)}")

    def check_compiled(self, node: _Node) -> None:
        difference = self.twin.difference(node.state, node.compiled) if self.twin else None
        if difference is not None:
            raise self.broken(node, f"the compiled game differs: {difference}")

    def child(self, node: _Node, action: Hashable) -> _Node:
        """Play an action twice: the given state must stay as it is and both results be the same."""
        game, state = self.game, node.state
        before, seen = _copied(state), self.observe(state)
        result, again = game.play(state, action), game.play(state, action)
        name = game.action_label(action)
        if result is state:
            raise self.broken(node, f"play returns the very state it was given for {name!r}")
        if self.observe(state) != seen or (before is not None and not before == state):
            raise self.broken(node, f"play changes the state it was given for {name!r}")
        same = result == again if before is not None else self.observe(result) == self.observe(again)
        if not same:
            raise self.broken(node, f"play gives two different states for {name!r}")
        memories = node.memories
        mover = game.player(state)
        if mover >= 0:
            memories = (*memories[:mover], (game.infoset(state), action), *memories[mover + 1 :])
        compiled = self.twin.play(node.compiled, action) if self.twin else None
        return _Node(result, node, action, node.depth + 1, memories, compiled)

    def observe(self, state: State) -> Any:
        """The game's answers about a state."""
        mover = self.game.player(state)
        if mover == TERMINAL:
            return mover, tuple(self.game.payoffs(state))
        return mover, tuple(self.game.actions(state)), None if mover == CHANCE else self.game.infoset(state)

    def broken(self, node: _Node, what: str) -> AssertionError:
        return AssertionError(f"{self.where(node)}: {what}")

    def where(self, node: _Node) -> str:
        actions = []
        history = node
        while history.parent is not None:
            actions.append(str(self.game.action_label(history.action)))
            history = history.parent
        return f"after {', '.join(reversed(actions))}" if actions else "at the root"


def _twin_of(game: Game) -> Any:
    """The compiled game to compare with; None for a game that is not compiled, or has numbers of more than 64 bits."""
    if not (is_compiled(game) and has_compiler()):
        return None
    from regretless.compiled.checking import Twin
    from regretless.compiled.compile_errors import TooWide
    from regretless.compiled.compiling import compile_game

    try:
        compiled = compile_game(game)
    except TooWide:
        return None
    return Twin(game, compiled.rules, compiled.functions)


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _copied(state: State) -> Any:
    """A copy to compare with later, or None for states that cannot be copied or compared."""
    try:
        twin = copy.deepcopy(state)
        return twin if bool(twin == state) else None
    except Exception:
        return None
