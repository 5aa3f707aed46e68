"""The outline of a game: its public states as a tree to browse, named by the moves that lead to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from regretless.game import CHANCE, TERMINAL
from regretless.layout.listing import choices_to
from regretless.subgames.public_states import Steps, public_states, steps_of
from regretless.tree import Tree

__all__ = ["HIDDEN", "Outline", "outline_of"]

Ints = npt.NDArray[np.int64]

HIDDEN = -3
"""The mover of a node where that depends on hidden information."""


@dataclass(frozen=True, eq=False)
class Outline:
    """Public nodes, parents before their children; node 0 is the root.

    A chance move that is not public (the deal of private cards) is merged into the node that follows it.

    >>> import regretless as rg
    >>> outline = outline_of(rg.build(rg.games.Kuhn()))
    >>> [outline.title(node) for node in range(len(outline))]
    ['start', 'pass', 'bet', 'pass bet']
    """

    tree: Tree
    parent: Ints  # [N] −1 at the root
    history: Ints  # [N] one history of the node
    plain: npt.NDArray[np.bool_]  # [N] whether one action label names the step to this node
    mover: Ints  # [N] a player, CHANCE, or HIDDEN
    ends: Ints  # [N] histories that end the game with the next move
    node_of_infoset: Ints  # [I]

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def children(self) -> list[list[int]]:
        """[N] the nodes after each node, in the order of the game's actions."""
        out: list[list[int]] = [[] for _ in self.parent]
        for node in np.argsort(self.history, kind="stable").tolist():
            if self.parent[node] >= 0:
                out[self.parent[node]].append(node)
        return out

    @cached_property
    def _by_node(self) -> tuple[Ints, Ints]:
        rank = np.empty(len(self.node_of_infoset), np.int64)
        rank[self.tree.labels.reading_order] = np.arange(len(rank))
        order = np.lexsort((rank, self.node_of_infoset))
        return order, np.searchsorted(self.node_of_infoset[order], np.arange(len(self) + 1))

    def infosets(self, node: int) -> list[int]:
        """The infosets of a node, in reading order."""
        order, first = self._by_node
        return [int(infoset) for infoset in order[first[node] : first[node + 1]]]

    @cached_property
    def below(self) -> Ints:
        """[N] the number of infosets at a node and below it."""
        count = np.bincount(self.node_of_infoset, minlength=len(self)).astype(np.int64)
        for node in range(len(self) - 1, 0, -1):
            count[self.parent[node]] += count[node]
        return count

    def path(self, node: int) -> list[int]:
        """The nodes from the root to a node, both included."""
        out = [node]
        while self.parent[out[-1]] >= 0:
            out.append(int(self.parent[out[-1]]))
        return out[::-1]

    def address(self, node: int) -> str:
        """A node as text for links: the number of the child at each step; "" is the root."""
        steps = self.path(node)
        return "-".join(str(self.children[one].index(other)) for one, other in pairwise(steps))

    def find(self, address: str) -> int | None:
        """The node of an address; None if there is no such node."""
        node = 0
        for step in address.split("-") if address else ():
            if not (step.isascii() and step.isdecimal()) or len(step) > 9 or int(step) >= len(self.children[node]):
                return None
            node = self.children[node][int(step)]
        return node

    def name(self, node: int) -> str:
        """The step from the parent to a node, in the game's own words; unique among the children of a node."""
        above = int(self.parent[node])
        if above < 0:
            return "start"
        if above not in self._names:
            self._names[above] = self._names_below(above)
        return self._names[above][node]

    @cached_property
    def _names(self) -> dict[int, dict[int, str]]:
        return {}

    def _names_below(self, above: int) -> dict[int, str]:
        """What the children of a node are called."""
        kind = "deal" if self.mover[above] == CHANCE else "hidden move"
        children = self.children[above]
        names = {
            child: self._last_action_label(int(self.history[child])) if self.plain[child] else kind
            for child in children
        }
        unclear = {name for name, count in Counter(names.values()).items() if count > 1}
        for child in children:
            if names[child] in unclear:  # what is seen depends on more than this move: an infoset shows by what
                found = self.infosets(child)
                hint = self.tree.labels.names[found[0]] if found else children.index(child) + 1
                names[child] = f"{names[child]} ({hint}{', …' if len(found) > 1 else ''})"
        return names

    def title(self, node: int) -> str:
        """All moves to a node."""
        return " ".join(self.name(step) for step in self.path(node)[1:]) or "start"

    def _last_action_label(self, history: int) -> str:
        game = self.tree.game
        state, action = game.root(), None
        for choice in choices_to(self.tree.listing, history):
            state = state if action is None else game.play(state, action)
            action = game.actions(state)[choice]
        return str(game.action_label(action))


def outline_of(tree: Tree) -> Outline:
    """Compute the public nodes of a listed game."""
    steps = steps_of(tree)
    node_of, history = _numbered(steps, public_states(tree, steps))
    above = np.where(steps.parent[history] >= 0, node_of[steps.parent[history]], -1)
    h = tree.listing
    mover = _common(node_of, h.mover.astype(np.int64), len(history))
    children = np.bincount(above[above >= 0], minlength=len(history))
    dealt = (above >= 0) & (mover[above] == CHANCE)
    plain = np.where(dealt, children[above] > 1, _common(node_of, steps.word, len(history)) >= 0)
    ends = np.zeros(len(history), np.int64)
    np.add.at(ends, node_of[steps.parent[(h.mover == TERMINAL) & (steps.parent >= 0)]], 1)
    decides = np.flatnonzero(h.mover >= 0)[::-1]
    node_of_infoset = np.zeros(tree.infosets, np.int64)
    node_of_infoset[h.index[decides]] = node_of[decides]  # an infoset in several nodes belongs to the first
    folds = (mover == CHANCE) & (children == 1) & (ends == 0)
    return _folded(Outline(tree, above, history, plain, mover, ends, node_of_infoset), folds)


def _numbered(steps: Steps, state: Ints) -> tuple[Ints, Ints]:
    """([H] the node of each history, −1 at ends; [N] the first history of each node)."""
    node_of = np.full(len(state), -1, np.int64)
    history: list[int] = []
    for level in steps.levels:
        inner = level[state[level] >= 0]
        _, first, number = np.unique(state[inner], return_index=True, return_inverse=True)
        node_of[inner] = len(history) + number.ravel()
        history += inner[first].tolist()
    return node_of, np.array(history, np.int64)


def _common(node_of: Ints, value: Ints, nodes: int) -> Ints:
    """[N] the value [H] that all histories of a node have, or HIDDEN."""
    inner = np.flatnonzero(node_of >= 0)
    least, most = np.full(nodes, np.iinfo(np.int64).max), np.full(nodes, np.iinfo(np.int64).min)
    np.minimum.at(least, node_of[inner], value[inner])
    np.maximum.at(most, node_of[inner], value[inner])
    return np.where(least == most, least, HIDDEN)


def _folded(outline: Outline, folds: Sequence[bool] | npt.NDArray[np.bool_]) -> Outline:
    """Remove the nodes in `folds`: the only child of each takes its name."""
    kept = np.flatnonzero(~np.asarray(folds))
    number = np.full(len(outline), -1, np.int64)
    number[kept] = np.arange(len(kept))
    entry = kept.copy()  # the node whose name each kept node has
    above = outline.parent[kept]
    while (folded := (above >= 0) & np.asarray(folds)[above]).any():
        entry[folded] = above[folded]
        above[folded] = outline.parent[above[folded]]
    return Outline(
        outline.tree,
        np.where(above >= 0, number[above], -1),
        outline.history[entry],
        outline.plain[entry],
        outline.mover[kept],
        outline.ends[kept],
        number[outline.node_of_infoset],
    )
