"""`graph_of` turns a game into a `Graph`: positions instead of histories.

Histories that end in equal states are one position. A game that forgets says so by forgetting in its states as well,
and where states repeat it has far fewer positions than histories.
"""

from __future__ import annotations

import hashlib
import random
from array import array
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import GameError, OptionError
from regretless.game import CHANCE, LARGEST_PAYOFF, MOST_ACTIONS, TERMINAL, Game, State, refuse_players
from regretless.kernels.recall.position_sweeps import Positions, topological_order
from regretless.layout.labels import Labels, distinct_action_labels
from regretless.linter.check import game_errors
from regretless.linter.descriptions import where
from regretless.linter.endless import EndlessGuard
from regretless.linter.memory import available_memory, in_units
from regretless.linter.played_states import CHANGED, moves_before_change, next_check, play_changes
from regretless.tree import Labelled, Tree

__all__ = ["SHARED", "Graph", "graph_of", "graph_of_tree"]

REPORT_EVERY = 1 << 16
"""Positions between two looks at the memory."""

LAID_OUT = 80
"""Bytes for each edge while arrays are laid out."""

FIRST_DEPTH_CHECK = 1_024
"""Positions after which the depth is checked; again each time their number has doubled."""

SHARED = -1
"""The owner of an infoset that several players share."""


@dataclass(frozen=True, eq=False)
class Graph(Labelled):
    """A game whose every position has been visited, in topological order.

    >>> import regretless as rg
    >>> graph = rg.graph_of(rg.games.Dudo(recall=1))
    >>> graph.positions, graph.infosets
    (1699, 78)
    """

    game: Game
    players: int
    form: Positions
    labels: Labels
    twin: Tree | None = field(default=None, repr=False)
    """The tree of the same game with perfect recall, where it is built already."""

    kind = "graph"

    @property
    def exact(self) -> bool:
        """Whether there is a twin of the game with perfect recall, in which a strategy can be measured exactly."""
        return self.twin is not None or self.game.remembering() is not None

    @property
    def sizes(self) -> Mapping[str, int]:
        """Positions, edges, infosets and bytes."""
        return {"positions": self.positions, "edges": self.edges, "infosets": self.infosets, "bytes": self.nbytes}

    def hold_fixed(self, given: Mapping[int, Any]) -> Mapping[int, Any]:
        """Refused, unless nothing is given."""
        if given:
            raise OptionError("FSICFR moves all players: fixed= needs a method on a tree, such as rg.CFR_PLUS")
        return {}

    @property
    def positions(self) -> int:
        """Positions of the game, terminal ones included."""
        return len(self.form.mover)

    @property
    def edges(self) -> int:
        """Moves from position to position."""
        return len(self.form.child)

    @property
    def infosets(self) -> int:
        """Infosets of all players together."""
        return len(self.labels.names)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(part.nbytes for part in self.form)

    @cached_property
    def zero_sum(self) -> bool:
        """Whether every terminal's payoffs add up to nothing."""
        payoff = self.form.payoff
        return bool(np.all(np.abs(payoff.sum(axis=1)) <= 1e-9 * (1 + np.abs(payoff).max(axis=1, initial=0))))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of names, positions and payoffs: equal exactly for equal games."""
        digest = hashlib.sha256(self.labels.fingerprint.encode())
        for part in self.form:
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()[:16]

    def __repr__(self) -> str:
        return (
            f"<Graph of {type(self.game).__name__}: {self.positions:,} positions, {self.infosets:,} infosets, "
            f"{self.nbytes / 2**20:,.1f} MiB>"
        )


def graph_of(game: Game, *, progress: Callable[[int], None] | None = None) -> Graph:
    """Visit every position of `game`, breadth first; `progress` is told the number visited so far, now and then.

    Where the game forgets on purpose (`perfect_recall` is False), what `infoset` returns is the infoset, also of
    several players together; otherwise every player has infosets of its own. A game that goes in a cycle is refused.
    """
    if not isinstance(game, Game):
        raise GameError(f"a Game is needed here, got {game!r} of type {type(game).__name__}")
    refuse_players(game)
    with game_errors(game):
        explorer = _Explorer(game, progress)
        explorer.explore()
        return explorer.graph()


def graph_of_tree(given: Any) -> Graph:
    """The graph of a game that has been built already: its tree is what strategies are measured in."""
    if isinstance(given, Graph):
        return given
    if not isinstance(given, Tree):
        raise OptionError(f"a Game, a Tree or a Graph is needed here, got {given!r} of type {type(given).__name__}")
    return replace(graph_of(given.game), twin=given)


class _Explorer:
    """The walk from position to position, and what it writes down; positions are numbered as they are visited."""

    def __init__(self, game: Game, progress: Callable[[int], None] | None) -> None:
        self.game, self.progress = game, progress
        self.name = type(game).__name__
        self.guard, self.depth_at = EndlessGuard(game), FIRST_DEPTH_CHECK
        self.rng = random.Random(0)  # for the play that is checked
        self.states: list[State] = []
        self.mover, self.index = array("b"), array("i")
        self.first_edge, self.child, self.odds = array("q", [0]), array("i"), array("d")
        self.payoff = array("d")
        self.terminals = 0
        self.known: dict[Hashable, int] = {}
        self.infosets: list[Hashable] = []
        self.owners: list[int] = []
        self.offered: list[tuple[Hashable, ...]] = []
        self.first_met: list[int] = []

    def explore(self) -> None:
        """Breadth first from the root."""
        game = self.game
        root = game.root()
        try:
            number: dict[State, int] = {root: 0}
        except TypeError:
            raise GameError(
                f"{self.name}: the state {root!r} cannot be hashed, so equal positions cannot be found; "
                "make states of numbers, strings and tuples"
            ) from None
        self.states.append(root)
        states, play = self.states, game.play
        at, look_at = 0, 0
        while at < len(states):
            state = states[at]
            if at >= look_at:
                look_at = self.look(at)
            mover = game.player(state)
            self.mover.append(mover)
            actions: Sequence[Any] = ()
            if mover == TERMINAL:
                self.note_end(state)
            else:
                actions = game.actions(state)
                if not 0 < len(actions) <= MOST_ACTIONS:
                    count = f"{len(actions):,} actions" if len(actions) else "nothing where a player must move"
                    raise self.fault(at, f"actions returned {count}")
                self.note_move(at, state, mover, tuple(actions))
            for action in actions:
                below = play(state, action)
                found = number.setdefault(below, len(states))
                if found == len(states):
                    states.append(below)
                self.child.append(found)
            self.first_edge.append(len(self.child))
            at += 1
            if at % REPORT_EVERY == 0:
                self.look_around(at)

    def look(self, at: int) -> int:
        """Check a state, and whether the game ever ends; returns the position before which to look again."""
        if play_changes(self.game, self.states[at]):
            raise self.fault(at, CHANGED)
        moves = moves_before_change(self.game, self.rng) if at == 0 else None
        if moves is not None:
            raise GameError(f"{self.name}: {CHANGED} ({where(self.game, moves)})")
        if at >= self.depth_at:
            self.depth_at = 2 * at
            self.guard.check(self.depth_of(at))
        return next_check(at)

    def depth_of(self, n: int) -> int:
        """Moves from the root to a position, along the edges by which positions were first reached."""
        child = np.frombuffer(self.child, np.int32)
        first_edge = np.frombuffer(self.first_edge, np.int64)
        reached, edge = np.unique(child, return_index=True)
        above = dict(zip(reached.tolist(), (first_edge.searchsorted(edge, "right") - 1).tolist(), strict=True))
        depth = 0
        while n:
            n, depth = above[n], depth + 1
        return depth

    def note_end(self, state: State) -> None:
        payoffs = [float(won) for won in islice(self.game.payoffs(state), self.game.players + 1)]
        if len(payoffs) != self.game.players or not np.all(np.isfinite(payoffs)):
            at = len(self.mover) - 1
            raise self.fault(at, f"payoffs returned {payoffs}, not a finite number for each of {self.game.players}")
        if max(map(abs, payoffs)) > LARGEST_PAYOFF:
            at = len(self.mover) - 1
            raise self.fault(
                at, f"payoffs returned {payoffs}; payoffs beyond {LARGEST_PAYOFF:g} in size cannot be summed"
            )
        self.index.append(self.terminals)
        self.payoff.extend(payoffs)
        self.terminals += 1

    def note_move(self, at: int, state: State, mover: int, actions: tuple[Hashable, ...]) -> None:
        game = self.game
        if mover == CHANCE:
            odds = [float(p) for p in islice(game.chance(state), len(actions) + 1)]
            if len(odds) != len(actions) or min(odds) < 0 or not abs(sum(odds) - 1) < 1e-9:
                raise self.fault(at, f"chance returned {odds[:6]}, which is no distribution over {len(actions)} moves")
            self.index.append(-1)
            self.odds.extend(odds)
            return
        if not 0 <= mover < game.players:
            raise self.fault(at, f"player returned {mover}; it must be a player, rg.CHANCE or rg.TERMINAL")
        self.odds.extend([1.0] * len(actions))
        seen = game.infoset(state)
        key: Hashable = (mover, seen) if game.perfect_recall else seen
        infoset = self.known.setdefault(key, len(self.infosets))
        if infoset == len(self.infosets):
            if len(set(actions)) < len(actions):
                raise self.fault(at, f"actions returned {list(actions)}, where one is named twice")
            self.infosets.append(seen)
            self.owners.append(mover)
            self.offered.append(actions)
            self.first_met.append(at)
        elif self.offered[infoset] != actions:
            raise GameError(
                f"{self.name}: infoset {game.infoset_label(seen)!r} offers {list(self.offered[infoset])} after "
                f"{self.path_to(self.first_met[infoset])} but {list(actions)} after {self.path_to(at)}; make infoset() "
                "tell these positions apart"
            )
        if self.owners[infoset] != mover:
            self.owners[infoset] = SHARED
        self.index.append(infoset)

    def look_around(self, visited: int) -> None:
        """Report, and stop before the memory does."""
        if self.progress is not None:
            self.progress(visited)
        free, needed = available_memory(), LAID_OUT * len(self.child)
        if free is not None and needed > free:
            raise GameError(
                f"{self.name}: {visited:,} positions visited, {len(self.states) - visited:,} waiting, and laying them "
                f"out takes {in_units(needed)} of memory where {in_units(free)} are free; the game is too large for a "
                "graph of its positions (does it count its moves?)"
            )

    def graph(self) -> Graph:
        """What was written down, in topological order."""
        first_edge = np.frombuffer(self.first_edge, np.int64)
        child = np.frombuffer(self.child, np.int32) if self.child else np.zeros(0, np.int32)
        odds = np.frombuffer(self.odds, np.float64) if self.odds else np.zeros(0)
        order, done = topological_order(first_edge, child)
        if done < len(self.states):
            raise self.cycle(first_edge, child, order[:done])
        labels, place = self.labelled(order)
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        moves = np.diff(first_edge)[order]
        begin = np.concatenate([[0], np.cumsum(moves)]).astype(np.int64)
        edges = np.repeat(first_edge[:-1][order] - begin[:-1], moves) + np.arange(begin[-1])
        mover = np.frombuffer(self.mover, np.int8)[order]
        index = np.frombuffer(self.index, np.int32)[order]
        index = np.where(mover >= 0, place[np.where(mover >= 0, index, 0)], index) if len(place) else index
        form = Positions(
            mover=np.ascontiguousarray(mover),
            number=index.astype(np.int32),
            first_edge=begin,
            child=number[child[edges]].astype(np.int32),
            chance=np.ascontiguousarray(odds[edges]),
            payoff=np.array(self.payoff, np.float64).reshape(-1, self.game.players),
        )
        return Graph(self.game, self.game.players, form, labels)

    def labelled(self, order: npt.NDArray[np.int64]) -> tuple[Labels, npt.NDArray[np.int64]]:
        """Names of infosets, and the new number of each: shared ones first, then player by player.

        Each player's run begins with the empty sequence; what players share has no owner and comes first.
        """
        game, players = self.game, self.game.players
        owner = np.array(self.owners, np.int64)
        sorted_by_owner = np.argsort(owner, kind="stable")
        place = np.empty(len(owner), np.int64)
        place[sorted_by_owner] = np.arange(len(owner))
        counts = np.array([len(self.offered[i]) for i in sorted_by_owner], np.int64)
        first = np.cumsum(counts) - counts + owner[sorted_by_owner] + 1  # as many empty sequences lie before
        names = tuple(game.infoset_label(self.infosets[i]) for i in sorted_by_owner)
        self.check_names(owner[sorted_by_owner], names)
        known: dict[tuple[Hashable, ...], tuple[Hashable, ...]] = {}
        for actions in self.offered:
            if actions not in known:
                known[actions] = distinct_action_labels(game, actions)
        labels = Labels(
            players=players,
            names=names,
            actions=tuple(known[self.offered[i]] for i in sorted_by_owner),
            owner=owner[sorted_by_owner].astype(np.int32),
            first=first.astype(np.int32),
            stride=np.ones(len(owner), np.int32),
            reading_order=place.astype(np.int32),
            sequences=int(counts.sum()) + players,
        )
        return labels, place

    def check_names(self, owner: npt.NDArray[np.int64], names: tuple[Hashable, ...]) -> None:
        seen: set[tuple[int, Hashable]] = set()
        for place in zip(owner.tolist(), names, strict=True):
            if place in seen:
                raise GameError(f"{self.name}: infoset_label gives two infosets the name {place[1]!r}")
            seen.add(place)

    def cycle(self, first_edge: npt.NDArray[Any], child: npt.NDArray[Any], ordered: npt.NDArray[Any]) -> GameError:
        """A sentence that names the positions of a cycle: those that cannot be ordered have one above them."""
        left = np.ones(len(self.states), bool)
        left[ordered] = False
        parent: dict[int, tuple[int, int]] = {}
        for n in np.flatnonzero(left).tolist():
            for e in range(int(first_edge[n]), int(first_edge[n + 1])):
                if left[child[e]]:
                    parent.setdefault(int(child[e]), (n, e - int(first_edge[n])))
        visited = [next(iter(parent))]
        path: list[tuple[int, int]] = []  # the position above each of those visited, and the move that leads down
        while visited[-1] not in visited[:-1]:
            path.append(parent[visited[-1]])
            visited.append(path[-1][0])
        round_trip = path[visited.index(visited[-1]) :][::-1]
        words = " → ".join(f"{self.states[n]!r} ({self.action_name(n, choice)})" for n, choice in round_trip[:8])
        more = "" if len(round_trip) <= 8 else f" → … {len(round_trip) - 8} more …"
        return GameError(
            f"{self.name} goes in a cycle: {words}{more} → {self.states[round_trip[0][0]]!r} again; let states count "
            "the moves, or end the game there"
        )

    def action_name(self, n: int, choice: int) -> str:
        return str(self.game.action_label(self.game.actions(self.states[n])[choice]))

    def path_to(self, n: int) -> str:
        """One of the histories that lead to a position, in the game's own words."""
        parent: dict[int, tuple[int, int]] = {}
        for above in range(len(self.first_edge) - 1):
            for e in range(self.first_edge[above], self.first_edge[above + 1]):
                parent.setdefault(self.child[e], (above, e - self.first_edge[above]))
        words: list[str] = []
        while n and n in parent and len(words) < 1000:
            n, choice = parent[n]
            words.append(self.action_name(n, choice))
        return ", ".join(reversed(words)) or "the root"

    def fault(self, n: int, found: str) -> GameError:
        return GameError(f"{self.name}: {found} (after {self.path_to(n)})")
