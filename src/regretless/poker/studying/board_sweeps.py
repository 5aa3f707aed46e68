"""The decisions of a public tree board by board, with the probability of each board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import numpy as np

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.cards.deck import CardText
from regretless.poker.quoting import quoted
from regretless.poker.studying.checks import check_count
from regretless.poker.tree.board_lookup import FoundBoard, find_board, whole_board
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["SweptBoard", "count_nodes", "swept_boards"]


@dataclass(frozen=True, eq=False)
class SweptBoard:
    """A board of the tree, which stands for all boards that differ from it by suits only."""

    found: FoundBoard
    nodes: tuple[int, ...]
    """The decisions of both players on its street."""
    factor: float
    """Times the weight of a pair of hands at a node: the probability that a game comes to it with these hands."""


def swept_boards(tree: PublicTree, board: CardText | None = None, streets: int | None = None) -> Iterator[SweptBoard]:
    """All boards of the first `streets` streets (None: of all), or only the one that is named."""
    if board is not None:
        yield _swept(tree, _street_of(tree, board), board)
        return
    if streets is not None:
        check_count("streets", streets, 1, tree.streets)
    bounds = tree.book.arrays.street_boards
    for street in range(tree.streets if streets is None else streets):
        for number in range(int(bounds[street]), int(bounds[street + 1])):
            yield _swept(tree, street, tree.book.cards[number])


def count_nodes(tree: PublicTree, streets: int | None = None) -> int:
    """The number of decisions on all boards of the first streets."""
    bounds = tree.book.arrays.street_boards
    counted = range(tree.streets if streets is None else streets)
    return sum(int(bounds[s + 1] - bounds[s]) * tree.betting_tree.counts[s].decisions for s in counted)


def _street_of(tree: PublicTree, board: CardText) -> int:
    sizes = np.cumsum((len(tree.game.first_board), *tree.game.board_cards)).tolist()
    given = len(tree.game.deck.cards(board))
    if given not in {*sizes, *(size - sizes[0] for size in sizes[1:])}:
        raise OptionError(f"a board of this game has {' or '.join(map(str, sizes))} cards, got {quoted(board)}")
    return int(sizes.index(len(whole_board(tree.game, board))))


def _swept(tree: PublicTree, street: int, board: CardText) -> SweptBoard:
    found, game = find_board(tree, street, board if street else None), tree.game
    left = game.deck.size - 2 * game.hand_size - len(game.first_board)
    deals = 1
    for cards in game.board_cards[:street]:
        deals *= comb(left, cards)
        left -= cards
    betting = tree.betting_tree
    nodes = np.flatnonzero((betting.street == street) & (betting.kind < DEAL))
    return SweptBoard(found, tuple(nodes.tolist()), tree.book.ways(found.number) / deals / tree.normaliser)
