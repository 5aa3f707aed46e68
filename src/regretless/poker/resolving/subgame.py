"""A subgame of hold'em with all cards, and the strategy of the whole game in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.cards.deck import CardText
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.games import PublicGame
from regretless.poker.ranges.range import Range
from regretless.poker.results.hand_rows import HandRows, HoldemStrategy, rows_on
from regretless.poker.results.later_spots import SpotPlace, place_of, reach_at, spot_with
from regretless.poker.results.node_reach import opposing_weights
from regretless.poker.tree.hand_numbers import hand_numbers
from regretless.poker.tree.memory_estimate import SMALLER, free_memory, readable, shape_sentence
from regretless.poker.tree.public_tree import PublicTree, build_public_tree

__all__ = ["HoldemSubgame", "copy_rows", "subgame_after"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class HoldemSubgame:
    """The rest of a game after a line of play on a board, with every hand that its players can hold there.

    A *seat* is a player's number in the subgame. It differs from the number in the whole game where a `Spot` of
    no-limit hold'em begins with the other player.
    """

    blueprint: HoldemStrategy
    place: SpotPlace
    seats: tuple[int, int]  # the seat of each player of the whole game
    tree: PublicTree
    nodes: Array  # [nodes of the subgame's betting tree] the same node in the whole game
    reach: tuple[Array, Array]  # [2][hands] by seat: how likely a hand arrives by the blueprint, times its weight

    @cached_property
    def spot(self) -> PublicGame:
        """The subgame with the ranges that arrive; all hands of a player who never does."""
        game = self.blueprint.tree.game
        arriving = [self.reach[seat] for seat in self.seats]
        ranges = [Range.from_weights(reach, deck=game.deck) if reach.any() else None for reach in arriving]
        found = spot_with(game, self.place, (ranges[0], ranges[1]))
        return found if self.tree.game.isomorphism else _without_isomorphism(found)

    def by_class(self, seat: int, values: Array) -> Array:
        """[classes at the root] of values [hands]."""
        book = self.tree.book
        begin, count = int(book.arrays.begin[seat, 0]), int(book.arrays.count[seat, 0])
        return np.asarray(values[hand_numbers(self.tree, book.hands[begin : begin + count])], np.float64)

    def arriving(self, seat: int) -> Array:
        """[hands] the reach of the other player's hands that share no card with each hand of a seat."""
        game = self.tree.game
        return opposing_weights(game.deck, game.hand_size, self.reach[1 - seat])

    @cached_property
    def chance(self) -> float:
        """The probability of the board, over the weight of all pairs of hands: from values here to chips per game."""
        game, place = self.blueprint.tree.game, self.place
        left, out = game.deck.size - len(game.first_board) - 2 * game.hand_size, 1.0
        for dealt in game.board_cards[: place.street]:
            out /= comb(left, dealt)
            left -= dealt
        mine, theirs = game.hand_weights()
        return out / float(mine @ opposing_weights(game.deck, game.hand_size, theirs))

    def numbers(self, dtype: str) -> Array:
        """[numbers of the tree] the blueprint in the subgame."""
        tree, street = self.tree, self.place.street
        out = np.zeros(tree.numbers, dtype)
        every = np.arange(len(tree.game.deck.hands(tree.game.hand_size)))
        betting = tree.betting_tree
        for board, cards in enumerate(tree.book.cards):
            here = (betting.street == tree.board_street[board]) & (betting.kind < DEAL)
            wanted = self.nodes[here].tolist()
            rows = rows_on(self.blueprint, street + int(tree.board_street[board]), cards, wanted)
            copy_rows(out, tree, board, self.nodes, rows, every)
        return out

    def bytes_needed(self, dtype: str, predictive: bool = False) -> int:
        """Bytes of the tables of a solve, of the blueprint and of the result."""
        exact = 8 if dtype == "float64" else 4
        return self.tree.bytes_needed(dtype, predictive) + 2 * exact * self.tree.numbers

    def check_memory(self, dtype: str, predictive: bool) -> None:
        """Refuse a subgame whose tables do not fit."""
        needed, free = self.bytes_needed(dtype, predictive), free_memory()
        if free is not None and needed > free:
            raise OptionError(
                f"this subgame needs {readable(needed)} as {dtype} ({shape_sentence(self.tree)}) and {readable(free)} "
                f"are free: {SMALLER}"
            )


def subgame_after(blueprint: HoldemStrategy, line: str, board: CardText) -> HoldemSubgame:
    """The subgame after a line of play on a board, laid out for vector CFR."""
    game, betting = blueprint.tree.game, blueprint.tree.betting_tree
    if game.hand_size != 2:
        raise OptionError(f"resolve takes games with hands of two cards, and {game.name} has hands of {game.hand_size}")
    if game.locks:
        raise OptionError(f"resolve takes games without locked nodes, and {game.name} has some: lock them in the spot")
    place = place_of(game, betting, line, board)
    made = spot_with(game, place, game.ranges)
    if made.isomorphism and not _same_symmetries(game, place, made):
        made = _without_isomorphism(made)
    tree = build_public_tree(made, made.isomorphism)
    seats = (0, 1) if int(betting.kind[place.node]) == int(tree.betting_tree.kind[0]) else (1, 0)
    reach = [reach_at(blueprint, place.node, place.cards, player) for player in range(2)]
    nodes = _same_nodes(tree.betting_tree, betting, place.node, seats)
    return HoldemSubgame(blueprint, place, seats, tree, nodes, (reach[seats[0]], reach[seats[1]]))


def copy_rows(
    out: Array,
    tree: PublicTree,
    board: int,
    nodes: Array,
    rows: HandRows,
    hands: Array,
    players: tuple[int, ...] = (0, 1),
) -> None:
    """Write what a strategy does on one board of a tree into the tree's numbers.

    nodes [nodes of the tree]: the node that `rows` knows, −1 to leave a node as it is; hands [hands]: the hand that
    `rows` knows each hand of the tree as.
    """
    arrays, betting = tree.book.arrays, tree.betting_tree
    here = (betting.street == tree.board_street[board]) & (nodes >= 0)
    for player in players:
        begin, count, stride = (int(of[player, board]) for of in (arrays.begin, arrays.count, arrays.stride))
        own = hands[hand_numbers(tree, tree.book.hands[begin : begin + count])]
        for node in np.flatnonzero(here & (betting.kind == player)).tolist():
            first = int(arrays.first[player, board]) + int(tree.betting.slot[tree.order.number[node]]) * stride
            actions = int(betting.children[node])
            table = out[first : first + actions * stride].reshape(actions, stride)
            table[:, :count] = rows(int(nodes[node]))[:, own]


def _without_isomorphism(game: PublicGame) -> PublicGame:
    """The same game with all boards and hands listed."""
    made: Any = object.__new__(type(game))
    made.__dict__.update(game.__dict__, isomorphism=False)
    return made  # type: ignore[no-any-return]


def _same_symmetries(game: PublicGame, place: SpotPlace, spot: PublicGame) -> bool:
    """Whether the renamings of suits that merge hands of the spot are those that merged them in the whole game.

    The spot knows its board as one set. A renaming that exchanges a card of the flop with the turn keeps that set, but
    the strategies that led here need not be the same in it.
    """
    symmetry, weights = Symmetry(game.deck, game.hand_size), game.hand_weights()
    sizes = np.cumsum((len(game.first_board), *game.board_cards))[: place.street + 1].tolist()
    kept = set(range(len(symmetry.cards)))
    for size in sizes:
        kept &= set(symmetry.keeping(place.cards[:size], weights).tolist())
    return kept == set(symmetry.keeping(place.cards, spot.hand_weights()).tolist())


def _same_nodes(own: BettingTree, whole: BettingTree, root: int, seats: tuple[int, int]) -> Array:
    """[nodes of `own`] the nodes of the whole betting tree; both have the same actions from `root` on."""
    out = np.zeros(len(own), np.int64)
    out[0] = root
    for node in range(len(own)):
        there, kind = int(out[node]), int(whole.kind[out[node]])
        same = own.kind[node] == (seats[kind] if kind < DEAL else kind) and own.actions[node] == whole.actions[there]
        if not same or own.children[node] != whole.children[there]:
            raise OptionError(
                f"the betting after {whole.line(there)!r} depends on more than pot and stacks, so the subgame cannot "
                f"be cut out of {type(whole).__name__}"
            )
        count = int(own.children[node])
        out[own.first_child[node] : own.first_child[node] + count] = int(whole.first_child[there]) + np.arange(count)
    return out
