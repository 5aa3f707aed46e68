"""The walk that checks a game: its order, and what is kept from one history to the next."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from regretless.game import CHANCE, TERMINAL, Game, State
from regretless.linter.deadline import Deadline
from regretless.linter.descriptions import brief, named_actions, named_history, named_infoset, past, where
from regretless.linter.history_probes import DEEPEST
from regretless.linter.replay import first_difference
from regretless.linter.report import Finding
from regretless.linter.rules import (
    Broken,
    actions_at,
    ask,
    chance_at,
    infoset_at,
    mover_at,
    number_of_players,
    payoffs_at,
)
from regretless.linter.state_snapshots import changed, is_opaque, picture, snapshot

__all__ = ["FirstVisit", "Walk"]

MOST_PROBLEMS = 10
MOST_OF_A_KIND = 3

REPLAYS = 16
"""Random plays that are played twice, to see whether the game answers the same."""


class Node(NamedTuple):
    """A history that waits to be visited."""

    state: State
    moves: tuple[Any, ...]
    own: tuple[tuple[Hashable, Any] | None, ...]  # [players] the last infoset and action of each
    seen: Hashable
    """The picture of the state."""


class FirstVisit(NamedTuple):
    """What an infoset looked like at the first of its histories."""

    player: int
    actions: tuple[Hashable, ...]
    moves: tuple[Any, ...]
    own: tuple[Hashable, Any] | None


class Walk:
    """Visits histories and records problems and counts."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.players = number_of_players(game)
        self.problems: list[Finding] = []
        self.stopped = False
        self.histories = self.depth = 0
        self.movers: Counter[int] = Counter()
        self.infosets: dict[Hashable, FirstVisit] = {}
        self.on_path: set[Hashable] = set()
        self.forgotten: str | None = None  # the first sign of imperfect recall, as a sentence
        self.sums: dict[float, str] = {}  # the first two sums of payoffs, and where they were found
        self.shared: str | None = None  # the first infoset of two players, where that is allowed
        self.impossible: str | None = None  # the first chance move of probability zero

    def all_histories(self, limit: int, deadline: Deadline) -> bool:
        """Depth first through everything; False when `limit`, the time or too many problems stopped it before."""
        levels: list[Iterator[Node]] = [iter([self.start()])]
        pictures: list[Hashable] = []
        while levels:
            node = next(levels[-1], None)
            if node is None:
                levels.pop()
                if pictures:
                    self.on_path.discard(pictures.pop())
                continue
            if self.stopped or self.histories >= limit or (self.histories % 64 == 0 and deadline.passed()):
                self.on_path.clear()
                return False
            self.on_path.add(node.seen)
            pictures.append(node.seen)
            levels.append(iter(self.visit(node)))
        return True

    def random_plays(self, limit: int, rng: random.Random, deadline: Deadline) -> None:
        """One random play after another until `limit` histories were visited in all, or the time is over."""
        while not self.stopped and self.histories < limit and not deadline.passed():
            self.on_path.clear()
            node: Node | None = self.start()
            while node is not None:
                self.on_path.add(node.seen)
                node = next(iter(self.visit(node, rng)), None)

    def replays(self, rng: random.Random, deadline: Deadline) -> None:
        """Play some random plays twice."""
        for _ in range(REPLAYS):
            if deadline.passed():
                return
            difference = first_difference(self.game, rng)
            if difference is not None:
                moves, before, after = difference
                found = f"the same moves were answered with {before} and then with {after}"
                mend = "let all luck come from chance moves, and keep nothing outside the states"
                self.report(moves, Broken("not repeatable", found, mend))
                return

    def start(self) -> Node:
        """The history before the first move."""
        state = ask(self.game, "root")
        return Node(state, (), (None,) * self.players, picture(state))

    def visit(self, node: Node, rng: random.Random | None = None) -> list[Node]:
        """Check one history; returns those below it, or one of them at random."""
        self.histories += 1
        self.depth = max(self.depth, len(node.moves))
        try:
            mover = mover_at(self.game, node.state, self.players)
            self.movers[mover] += 1
            if mover == TERMINAL:
                self.check_payoffs(node)
                return []
            actions = actions_at(self.game, node.state)
            infoset = None if mover == CHANCE else infoset_at(self.game, node.state)
            try:
                self.check_move(node, mover, infoset, actions)
            except Broken as broken:  # the game can still be walked on from here, to find more
                self.report(node.moves, broken)
            if len(node.moves) >= DEEPEST:
                self.stopped = True
                raise Broken(
                    "endless",
                    f"the play has not ended after {DEEPEST:,} moves",
                    "make player() return rg.TERMINAL at some point of every play",
                )
            choices = range(len(actions)) if rng is None else [rng.randrange(len(actions))]
            return self.expand(node, mover, infoset, actions, choices)
        except Broken as broken:
            self.report(node.moves, broken)
            return []

    def expand(
        self, node: Node, mover: int, infoset: Hashable, actions: Sequence[Any], choices: Sequence[int]
    ) -> list[Node]:
        """The histories after some of the actions; the state they start from must stay as it is."""
        before = snapshot(node.state)
        below = []
        for action in (actions[choice] for choice in choices):
            child = ask(self.game, "play", node.state, action)
            seen = picture(child)
            self.check_child(node, action, child, seen)
            own = node.own
            if mover != CHANCE:
                own = (*own[:mover], (infoset, action), *own[mover + 1 :])
            below.append(Node(child, (*node.moves, action), own, seen))
        self.check_unchanged(node, mover, actions, before)
        return below

    def check_child(self, node: Node, action: Any, child: State, seen: Hashable) -> None:
        """What play returns is a state that was not on the path before."""
        call = f"play(state, {named_actions(self.game, [action])})"
        if child is None:
            raise Broken("play", f"{call} returned None", "return the state after the action")
        if child is node.state or seen == node.seen:
            raise Broken(
                "play returns its state",
                f"{call} returned the state it was given, {brief(node.state)}",
                "return a new state that tells that the action was taken",
            )
        if seen in self.on_path:
            raise Broken(
                "cycle",
                f"{call} returned {brief(child)}, a state that came before on the same path",
                "let a state tell the whole history, or count the moves in it and end the game",
            )

    def check_unchanged(self, node: Node, mover: int, actions: Sequence[Any], before: Hashable) -> None:
        """The state that was played from is as it was; one that cannot be seen into must answer as it did."""
        intact = not changed(before, snapshot(node.state))
        if intact and is_opaque(before):
            intact = mover_at(self.game, node.state, self.players) == mover
            intact = intact and actions_at(self.game, node.state) == actions
        if not intact:
            raise Broken(
                "play changes its state",
                f"play() changed the state it was given; it now is {brief(node.state)}",
                "copy the state before changing it, or build a new one",
            )

    def check_payoffs(self, node: Node) -> None:
        """One number for each player; what they sum to is kept for the notes."""
        payoffs = payoffs_at(self.game, node.state, self.players)
        # Rounding takes away the noise of floats, adding 0 the sign of −0.
        total = round(sum(payoffs), 9) + 0.0
        if total not in self.sums and len(self.sums) < 2:
            given = ", ".join(f"{payoff:g}" for payoff in payoffs)
            self.sums[total] = f"{where(self.game, node.moves)} the payoffs {given} sum to {total:g}"

    def check_chance(self, node: Node, actions: Sequence[Hashable]) -> None:
        """The probabilities are a distribution; a move of probability 0 is kept for the notes."""
        probabilities = chance_at(self.game, node.state, actions)
        if self.impossible is None and 0.0 in probabilities:
            action = actions[probabilities.index(0.0)]
            self.impossible = (
                f"{where(self.game, node.moves)} chance makes the move {named_actions(self.game, [action])}"
            )

    def check_move(self, node: Node, mover: int, infoset: Hashable, actions: tuple[Hashable, ...]) -> None:
        """Every history of an infoset has the same player and actions; with perfect recall, the same past."""
        if mover == CHANCE:
            return self.check_chance(node, actions)
        first = self.infosets.get(infoset)
        if first is None:
            self.infosets[infoset] = FirstVisit(mover, actions, node.moves, node.own[mover])
            return None
        if first.player != mover:
            self.check_sharing(node, mover, infoset, first)
        if first.actions != actions:
            raise self.differing(infoset, actions, first)
        if self.forgotten is None and first.own != node.own[mover]:
            here, there = where(self.game, node.moves), where(self.game, first.moves)
            self.forgotten = (
                f"player {mover} has infoset {named_infoset(self.game, infoset)} both {here}, having"
                f" {past(self.game, node.own[mover])}, and {there}, having {past(self.game, first.own)}"
            )
        return None

    def differing(self, infoset: Hashable, actions: tuple[Hashable, ...], first: FirstVisit) -> Broken:
        """The problem of an infoset whose histories offer different actions."""
        return Broken(
            "different actions",
            f"infoset {named_infoset(self.game, infoset)} offers {named_actions(self.game, actions)} here and"
            f" {named_actions(self.game, first.actions)} {where(self.game, first.moves)}",
            "return the actions in the same order in both"
            if set(first.actions) == set(actions)
            else "let infoset() tell these histories apart, or offer the same actions in both",
        )

    def check_sharing(self, node: Node, mover: int, infoset: Hashable, first: FirstVisit) -> None:
        """Two players may have one infoset only in a game that says `perfect_recall = False`."""
        found = (
            f"infoset {named_infoset(self.game, infoset)} belongs to player {mover} here and to player"
            f" {first.player} {where(self.game, first.moves)}"
        )
        if self.game.perfect_recall:
            raise Broken("different players", found, "put the player into what infoset() returns")
        self.shared = self.shared or f"{where(self.game, node.moves)}, {found}"

    def report(self, moves: Sequence[Any], broken: Broken) -> None:
        """Record a problem, unless enough of its kind are known."""
        alike = [known for known in self.problems if known.kind == broken.kind]
        if len(alike) < MOST_OF_A_KIND:
            message = f"{where(self.game, moves)}, {broken}"
            finding = Finding(broken.kind, message, named_history(self.game, moves))
            if finding not in alike:
                self.problems.append(finding)
        self.stopped = self.stopped or len(self.problems) >= MOST_PROBLEMS
