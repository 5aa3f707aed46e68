"""The betting tree as nested lists: all lines of the first street, and one line of each later street.

All lines of a later street have the same sizes, so one of them shows what was typed for that street.
"""

from __future__ import annotations

from collections.abc import Iterator

import htpy as h

from regretless.apps.explorer.pages.action_colours import line_colours
from regretless.apps.explorer.pages.drawing import colour_patch
from regretless.kernels.constants import DEAL, FOLD
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.games import Spot

__all__ = ["drawn_tree"]

PLAYERS = ("out of position", "in position")
MOST_NODES = 300
"""Nodes that are drawn."""


def drawn_tree(spot: Spot) -> h.Element:
    """The tree of a spot."""
    return _Drawing(spot).drawn()


class _Drawing:
    def __init__(self, spot: Spot) -> None:
        assert isinstance(spot.betting, NoLimit)
        self.rules, self.tree = spot.betting, spot.betting_tree()
        self.pot, self.stack = float(spot.betting.pot), float(spot.betting.stack)
        self.left = MOST_NODES
        self.streets: set[int] = set()  # later streets that are drawn already

    def drawn(self) -> h.Element:
        return h.ul(".drawn-tree")[h.li[self._facts(0), self._moves(0)]]

    def _facts(self, node: int) -> h.Element:
        """Who acts, or how the hand ends."""
        tree, kind = self.tree, int(self.tree.kind[node])
        pot = spell_chips(self.pot + float(tree.paid[node].sum()))
        if kind < DEAL:
            return h.span(".note")[f"{PLAYERS[kind]}, pot {pot}"]
        if kind == DEAL:
            behind = spell_chips(self.stack - float(tree.paid[node].max()))
            street = tree.street_names[int(tree.street[node]) + 1]
            return h.span(".note")[f"deal the {street}, pot {pot}, {behind} behind"]
        end = f"{PLAYERS[1 - int(tree.folder[node])]} wins" if kind == FOLD else "showdown"
        return h.span(".note")[f"{end}, pot {pot}"]

    def _moves(self, node: int) -> h.Node:
        """The list of what follows a decision."""
        tree = self.tree
        actions = tree.actions[node]
        first = int(tree.first_child[node])
        if self.left <= 0:
            return h.p(".note")["…"]
        self.left -= len(actions)
        colours = line_colours(self.rules, tree.line(node), actions)
        items = [
            h.li[colour_patch(colour), h.b[action], " ", self._facts(first + at), self._below(first + at)]
            for at, (action, colour) in enumerate(zip(actions, colours, strict=True))
        ]
        return h.ul[items]

    def _below(self, node: int) -> h.Node:
        tree, kind = self.tree, int(self.tree.kind[node])
        if kind < DEAL:
            return self._moves(node)
        if kind != DEAL:
            return None
        street = int(tree.street[node]) + 1
        after = self._first_decision(node)
        if street in self.streets or after is None:
            return None
        self.streets.add(street)
        title = tree.street_names[street].capitalize()
        return h.details[h.summary[title], h.ul[h.li[self._facts(after), self._moves(after)]]]

    def _first_decision(self, node: int) -> int | None:
        """The decision after a deal; None if all chips are in."""
        for below in self._chain(node):
            if int(self.tree.kind[below]) < DEAL:
                return below
        return None

    def _chain(self, node: int) -> Iterator[int]:
        while int(self.tree.children[node]) == 1:
            node = int(self.tree.first_child[node])
            yield node
