"""Gambit's extensive-form files (.efg): a game as the list of its nodes in prefix order.

    EFG 2 R "title" { "player" "player" }
    c "node" 1 "infoset" { "action" 1/2 "action" 1/2 } 0
    p "node" 1 1 "infoset" { "action" "action" } 0
    t "node" 1 "outcome" { 1, -1 }

After its first appearance, the name and actions of an infoset and the name and payoffs of an outcome may be
left out. Outcomes may also stand at nodes before the end; a play then pays all that it passes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from pathlib import Path

from regretless.errors import FileError
from regretless.formats.gambit_tokens import Tokens, brief
from regretless.formats.gambit_writer import write_efg
from regretless.game import CHANCE, LARGEST_PAYOFF, MOST_PLAYERS, TERMINAL, Game
from regretless.linter.descriptions import listed

__all__ = ["EfgGame", "read_efg", "write_efg"]

MOST_BITS = 4_096
"""Bits of the denominator of a payoff that is kept exactly."""


@dataclass
class Infoset:
    """An infoset of a player, or a distribution of chance."""

    player: int
    number: int
    label: str
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()
    place_of: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.place_of = {action: place for place, action in enumerate(self.actions)}


@dataclass
class Node:
    """A line of the file; an end has no infoset."""

    infoset: Infoset | None
    payoffs: tuple[Fraction, ...]  # [players] of all outcomes down to here
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class EfgGame(Game):
    """A game that was read from a file. A state is the number of a node, counted in the order of the file.

    Infosets are known by their name in the file, or by their number where names are missing or double.
    """

    title: str
    player_names: tuple[str, ...]
    nodes: Sequence[Node] = field(repr=False)
    labels: dict[tuple[int, int], str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", len(self.player_names))
        infosets = {(i.player, i.number): i.label for node in self.nodes if (i := node.infoset) is not None}
        times = Counter((player, label) for (player, _), label in infosets.items())
        object.__setattr__(self, "labels", {
            (player, number): label if label and times[player, label] == 1 else f"{label} #{number}".strip()
            for (player, number), label in infosets.items()
        })  # fmt: skip

    def root(self) -> int:
        """The first node of the file."""
        return 0

    def player(self, state: int) -> int:
        """The mover of the node."""
        infoset = self.nodes[state].infoset
        return TERMINAL if infoset is None else infoset.player

    def actions(self, state: int) -> tuple[str, ...]:
        """The actions of the node's infoset, by name."""
        return self._infoset(state).actions

    def play(self, state: int, action: str) -> int:
        """The node that the action leads to."""
        return self.nodes[state].children[self._infoset(state).place_of[action]]

    def infoset(self, state: int) -> tuple[int, int]:
        """The mover and the number of the infoset."""
        infoset = self._infoset(state)
        return infoset.player, infoset.number

    def payoffs(self, state: int) -> list[float]:
        """The sum of all outcomes on the way."""
        return [float(payoff) for payoff in self.nodes[state].payoffs]

    def chance(self, state: int) -> list[float]:
        """The probabilities in the file."""
        return [float(probability) for probability in self._infoset(state).probabilities]

    def infoset_label(self, infoset: tuple[int, int]) -> str:
        """The name in the file."""
        return self.labels[infoset]

    def _infoset(self, state: int) -> Infoset:
        infoset = self.nodes[state].infoset
        if infoset is None:
            raise AssertionError(f"node {state} is an end")
        return infoset


def read_efg(path: str | PathLike[str]) -> EfgGame:
    """The game in a Gambit file; a FileError names the line where something is wrong."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError:  # bytes that are no text, or a null byte in the name
        raise FileError(f"{path} is no text file, so no Gambit game") from None
    return _Reader(Tokens(text, str(path))).game()


class _Reader:
    """Reads one node after the other; each is a child of the last node that still lacks children."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.players = 0
        self.infosets: dict[tuple[int, int], Infoset] = {}
        self.outcomes: dict[int, tuple[Fraction, ...]] = {}

    def game(self) -> EfgGame:
        tokens = self.tokens
        if tokens.word() != "EFG" or tokens.word() != "2" or tokens.word() not in ("R", "D"):
            raise tokens.error('a Gambit game begins with EFG 2 R "title"')
        title = tokens.string()
        names = tuple(tokens.string() for _ in tokens.until_brace())
        self.players = len(names)
        if not names:
            raise tokens.error("the game has no players")
        if len(names) > MOST_PLAYERS:
            raise tokens.error(f"the game has {len(names):,} players, and {MOST_PLAYERS} are the most")
        if tokens.at_string():
            tokens.string()  # a comment on the game
        nodes = self.nodes()
        if not tokens.at_end():
            raise tokens.error("the game is complete, but the file goes on")
        return EfgGame(title, names, nodes)

    def nodes(self) -> list[Node]:
        nodes: list[Node] = []
        waiting: list[int] = []  # numbers of nodes that lack children, the innermost last
        while not nodes or waiting:
            if self.tokens.at_end():
                lacking = "nodes above still lack children" if waiting else "there are no nodes"
                raise self.tokens.error(f"the file ends, but {lacking}")
            parent = waiting[-1] if waiting else None
            above = nodes[parent].payoffs if parent is not None else (Fraction(0),) * self.players
            node = self.node(above)
            if parent is not None:
                nodes[parent].children.append(len(nodes))
                if len(nodes[parent].children) == len(_actions(nodes[parent])):
                    waiting.pop()
            if node.infoset is not None:
                waiting.append(len(nodes))
            nodes.append(node)
        return nodes

    def node(self, above: tuple[Fraction, ...]) -> Node:
        kind = self.tokens.word()
        if kind not in ("c", "p", "t"):
            raise self.tokens.error(f"a node begins with c, p or t, not with {brief(kind)}")
        self.tokens.string()  # the name of the node
        infoset = None if kind == "t" else self.infoset(CHANCE if kind == "c" else self.player())
        outcome = self.outcome()
        return Node(infoset, self.added(above, outcome) if outcome else above)

    def added(self, above: tuple[Fraction, ...], outcome: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        """The payoffs of a play that passes another outcome."""
        payoffs = [a + b for a, b in zip(above, outcome, strict=True)]
        if any(abs(payoff) > LARGEST_PAYOFF for payoff in payoffs):
            raise self.tokens.error(f"payoffs beyond {LARGEST_PAYOFF:g} in size cannot be summed")
        return tuple(map(_bounded, payoffs))

    def player(self) -> int:
        player = self.tokens.whole_number()
        if not 1 <= player <= self.players:
            raise self.tokens.error(f"player {player} does not exist, there are {self.players}")
        return player - 1

    def infoset(self, player: int) -> Infoset:
        number = self.tokens.whole_number()
        known = self.infosets.get((player, number))
        label = self.tokens.string() if self.tokens.at_string() else None
        if not self.tokens.at_brace():
            if known is None:
                raise self.tokens.error(f"infoset {number} appears for the first time and needs its actions")
            return known
        actions: list[str] = []
        probabilities: list[Fraction] = []
        for _ in self.tokens.until_brace():
            actions.append(self.tokens.string())
            if player == CHANCE:
                probabilities.append(self.tokens.number())
        self.check_actions(player, actions, probabilities)
        infoset = Infoset(player, number, label or "", _distinct(actions), tuple(probabilities))
        if known is not None and (known.actions, known.probabilities) != (
            infoset.actions,
            infoset.probabilities,
        ):
            raise self.tokens.error(
                f"infoset {number} has the actions {listed(actions)} here, but {listed(known.actions)}"
                " where it appeared first, or other probabilities"
            )
        return self.infosets.setdefault((player, number), infoset)

    def check_actions(self, player: int, actions: list[str], probabilities: list[Fraction]) -> None:
        if not actions:
            raise self.tokens.error("a move needs at least one action")
        if player != CHANCE:
            return
        if min(probabilities) < 0:
            raise self.tokens.error(f"the probability {brief(str(min(probabilities)))} is negative")
        if max(probabilities) > 2:
            raise self.tokens.error(f"the probability {brief(str(max(probabilities)))} is above 1")
        total = math.fsum(map(float, probabilities))
        if abs(total - 1) > 1e-9:
            raise self.tokens.error(f"the probabilities sum to {total:.12g}, not to 1")

    def outcome(self) -> tuple[Fraction, ...]:
        """The payoffs of the outcome at this node; none for outcome 0."""
        number = self.tokens.whole_number()
        if self.tokens.at_string():
            self.tokens.string()  # the name of the outcome
        if self.tokens.at_brace():
            payoffs = tuple(self.tokens.number() for _ in self.tokens.until_brace())
            if len(payoffs) != self.players:
                raise self.tokens.error(f"outcome {number} has {len(payoffs)} payoffs for {self.players} players")
            if self.outcomes.setdefault(number, payoffs) != payoffs:
                raise self.tokens.error(f"outcome {number} has other payoffs than where it appeared first")
        if number == 0:
            return ()
        if number not in self.outcomes:
            raise self.tokens.error(f"outcome {number} appears for the first time and needs its payoffs")
        return self.outcomes[number]


def _bounded(payoff: Fraction) -> Fraction:
    """A payoff as it is, or rounded to a float where its denominator has grown along a play."""
    if payoff.denominator.bit_length() <= MOST_BITS:
        return payoff
    return Fraction(payoff.numerator / payoff.denominator)


def _actions(node: Node) -> tuple[str, ...]:
    return node.infoset.actions if node.infoset is not None else ()


def _distinct(names: list[str]) -> tuple[str, ...]:
    """The names of an infoset's actions; names that are missing or double are numbered."""
    times = Counter(names)
    return tuple(
        name if name and times[name] == 1 else f"{name} #{number}".strip() for number, name in enumerate(names, 1)
    )
