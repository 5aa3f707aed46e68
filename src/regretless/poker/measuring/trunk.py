"""The first street of a game, hand by hand: both players' reach on its lines, and values from those of the lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.games import PublicGame
from regretless.poker.measuring.bucket_walker import NodeTables

__all__ = ["Trunk"]

Array = npt.NDArray[Any]


class Trunk:
    """The first street with the strategies of both players; all arrays have a column for every hand of the deck."""

    def __init__(self, game: PublicGame, tree: BettingTree, tables: tuple[NodeTables, NodeTables]) -> None:
        self.tree, self.weight = tree, np.stack(game.hand_weights())
        self.hands, self.cards = game.deck.hands(game.hand_size).astype(np.int64), game.deck.size
        self.nodes = np.flatnonzero(tree.street == 0)
        self.row = np.full(len(tree), -1)  # [nodes of the tree] the row of a node of this street
        self.row[self.nodes] = np.arange(len(self.nodes))
        self.deals = self.row[self.nodes[tree.kind[self.nodes] == DEAL]]  # [lines] in the order of the second street
        self.reach = np.zeros((len(self.nodes), 2, len(self.hands)))
        self.sigma = np.zeros((len(self.nodes), len(self.hands)))  # the probability of the action that leads to a node
        self.reach[0] = self.weight
        columns = [np.maximum(each.abstraction.sequences_on(game.first_board), 0) for each in tables]
        for node in self.nodes.tolist():
            if tree.kind[node] < DEAL:
                mover = int(tree.kind[node])
                self._pass_down(node, mover, tables[mover], columns[mover])
        self.normaliser = float(self.weight[0] @ self.free(self.weight[1]))

    def _pass_down(self, node: int, mover: int, tables: NodeTables, column: Array) -> None:
        known, first = int(tables.known[0]), int(tables.first[node])
        for action, child in enumerate(range(*self._children(node))):
            begin = first + action * known
            self.sigma[child] = tables.probability[begin : begin + known][column]
            self.reach[child] = self.reach[self.row[node]]
            self.reach[child, mover] *= self.sigma[child]

    def _children(self, node: int) -> tuple[int, int]:
        """The rows of the children of a decision node: first and end."""
        first = int(self.row[self.tree.first_child[node]])
        return first, first + int(self.tree.children[node])

    def free(self, reach: Array) -> Array:
        """[hands] the reach of hands that share no card with each hand."""
        held = np.zeros(self.cards)
        for column in self.hands.T:
            np.add.at(held, column, reach)
        out = np.sum(reach) - held[self.hands].sum(axis=1)
        return np.asarray(out + reach if self.hands.shape[1] == 2 else out)

    def entries(self, player: int) -> Array:
        """[lines, hands] a player's reach where the lines of the second street begin."""
        return np.asarray(self.reach[self.deals, player])

    def values(self, player: int, lines: Array, responding: bool = True) -> Array:
        """[hands] counterfactual values at the root: of a best response, or of the player's own strategy.

        lines [lines, hands]: the values of the player where the lines of the second street begin.
        """
        tree, value = self.tree, np.zeros((len(self.nodes), len(self.hands)))
        value[self.deals] = lines
        for row, node in reversed(list(enumerate(self.nodes.tolist()))):
            kind = int(tree.kind[node])
            if kind > DEAL:
                value[row] = tree.win[node, player] * self.free(self.reach[row, 1 - player])
            if kind >= DEAL:
                continue
            below = slice(*self._children(node))
            if kind != player:
                value[row] = value[below].sum(axis=0)
            elif responding:
                value[row] = value[below].max(axis=0)
            else:
                value[row] = (self.sigma[below] * value[below]).sum(axis=0)
        return np.asarray(value[0])

    def worth(self, player: int, values: Array) -> float:
        """The value of a player in chips per game, from counterfactual values at the root [hands]."""
        return float(self.weight[player] @ values) / self.normaliser
