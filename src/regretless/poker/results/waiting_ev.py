"""What the player expects who does not act at a node."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.tree.board_lookup import FoundBoard, find_board

__all__ = ["waiting_ev", "waiting_ev_at"]


def waiting_ev(
    strategy: PublicStrategy, nodes: Sequence[int], found: Sequence[NodeStrategy], board: FoundBoard
) -> list[float]:
    """Expected chips of the player who waits, at nodes of one street; nan where those of the player to act are nan.

    `found`: the nodes as the player to act has them. Without rake the other player expects the rest of the pot; with
    rake the values need a walk of their own.
    """
    rest = [node.pot - node.mean_ev for node in found]
    if not getattr(strategy.tree.game.betting, "rake", 0) or all(map(isnan, rest)):
        return rest
    return [node.mean_ev for node in strategy.at_board(nodes, board, waiting=True)]


def waiting_ev_at(strategy: PublicStrategy, node: NodeStrategy) -> float:
    """The same for one node."""
    number = strategy.node(node.line)
    board = find_board(strategy.tree, int(strategy.tree.betting_tree.street[number]), node.board or None)
    return waiting_ev(strategy, [number], [node], board)[0]
