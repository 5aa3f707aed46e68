"""Runs of hold'em: a node of the betting on a board, hand by hand and as a grid, of which only these boards are read.

What hands do at a node, and how often each comes there, takes the boards on the way to it. What they expect takes
all boards that can still come as well: it is worked out on request, and on the last street it costs nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.results.grids import Grid, by_class, equities, grid_of
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy, hand_names, hand_numbers
from regretless.poker.tree.board_lookup import FoundBoard, find_board

__all__ = ["Combo", "NodeView", "Step", "affordable", "lean", "ordered_board", "view_of"]

Array = npt.NDArray[Any]

MOST_NUMBERS = 60_000_000
"""Numbers below a node up to which expectations are worked out; more would be gigabytes read for one look."""


@dataclass(frozen=True)
class Step:
    """A move of the betting: where it leads, or that it ends the hand."""

    name: str
    line: str
    node: int
    decides: bool


@dataclass(frozen=True)
class Combo:
    """One hand of a class."""

    name: str
    weight: float
    probabilities: tuple[float, ...]
    ev: float | None
    action_ev: tuple[float, ...] | None
    equity: float | None


@dataclass(frozen=True, eq=False)
class NodeView:
    """Everything the page shows of a node."""

    strategy: PublicStrategy
    number: int
    node: NodeStrategy
    grid: Grid
    what: str
    """What the cells show: strategy, ev, equity or weight."""
    values: Array | None  # [cells] chips or shares; None for the strategy
    by_hand: Array | None  # [hands] the same for each hand
    board_cards: int
    """Cards that lie on the board at this node."""

    @property
    def path(self) -> list[Step]:
        """The moves to this node."""
        tree = self.strategy.tree.betting_tree
        steps, at = [], self.number
        while at >= 0:
            above = int(tree.parent[at])
            if above >= 0 and tree.kind[above] != DEAL:
                name = tree.actions[above][at - int(tree.first_child[above])]
                steps.append(_step(tree, name, at))
            at = above
        return steps[::-1]

    @property
    def next(self) -> list[Step]:
        """The moves from here."""
        tree = self.strategy.tree.betting_tree
        first = int(tree.first_child[self.number])
        return [_step(tree, name, first + place) for place, name in enumerate(tree.actions[self.number])]

    def combos(self, label: str) -> list[Combo]:
        """The hands of a class."""
        node = self.node
        out = []
        for at in np.flatnonzero(_classes(node) == label).tolist():
            known = not np.isnan(node.ev[at])
            equity = self.by_hand[at] if self.what == "equity" and self.by_hand is not None else None
            out.append(
                Combo(
                    node.names[at],
                    float(node.weight[at]),
                    tuple(node.probabilities[at].tolist()),
                    float(node.ev[at]) if known else None,
                    tuple(node.action_ev[at].tolist()) if known else None,
                    None if equity is None or np.isnan(equity) else float(equity),
                )
            )
        return out

    @property
    def sentence(self) -> str:
        """Who is to act, and for how much."""
        rules = self.node.game.betting
        seats = ("first player", "second player")
        if any(rules.blinds):
            seats = ("small blind", "big blind")
        elif rules.pot:
            seats = ("out of position", "in position")
        return f"Player {self.node.player} ({seats[self.node.player]}) to act, pot {spell_chips(self.node.pot)}."


def _step(tree: Any, name: str, node: int) -> Step:
    at = node
    while tree.kind[at] == DEAL:
        at = int(tree.first_child[at])
    return Step(name, tree.line(at), at, bool(tree.kind[at] < DEAL))


def _classes(node: NodeStrategy) -> Array:
    """[hands] the class of each hand as grids call it."""
    from regretless.poker.cards.hand_classes import class_name

    deck = node.game.deck
    if node.hands.shape[1] == 1:
        return np.array([deck.ranks[deck.rank(int(hand[0]))] for hand in node.hands])
    return np.array([class_name(hand, deck) for hand in node.hands.tolist()])


def completed(strategy: PublicStrategy, cards: Sequence[int], street: int, needed: int) -> tuple[int, ...]:
    """A board of a street that begins with some cards; the rest is made up, to begin with."""
    tree = strategy.tree
    if len(cards) <= len(tree.game.first_board):
        some = tree.book.cards[int(tree.book.arrays.street_boards[street])]
        return tuple(int(card) for card in some)
    left = (card for card in range(tree.game.deck.size) if card not in cards)
    return (*cards, *(next(left) for _ in range(needed - len(cards))))


def ordered_board(strategy: PublicStrategy, picked: Sequence[str], before: str) -> str:
    """Marked cards as a board: those that always lie there, those that lay there before, then the new ones."""
    game = strategy.tree.game
    chosen = set(game.deck.cards("".join(picked)))
    lay = game.deck.cards(before) if before.strip() else ()
    order = [*game.first_board, *(card for card in lay if card in chosen), *sorted(chosen, reverse=True)]
    return str(game.deck.names(dict.fromkeys(order)))


def view_of(strategy: PublicStrategy, line: str, board: str, what: str) -> NodeView:
    """A node by its line of play and its board; cards of later streets are left out, missing ones made up."""
    tree = strategy.tree
    number = strategy.node(line)
    street = int(tree.betting_tree.street[number])
    needed = len(tree.game.first_board) + sum(tree.game.board_cards[:street])
    cards = completed(strategy, tree.game.deck.cards(board)[:needed], street, needed)
    found = find_board(tree, street, cards)
    near = affordable(strategy, found)
    if what == "ev" and not near:
        raise OptionError("expectations here would take all later boards, gigabytes of them: choose a later street")
    node = strategy.at_board([number], found)[0] if near else lean(strategy, number, found)
    by_hand = {"ev": lambda: node.ev, "weight": lambda: node.weight, "equity": lambda: equities(node)}.get(what)
    values = None if by_hand is None else by_hand()
    grid = grid_of(node)
    cells = None if values is None else grid.weight if what == "weight" else by_class(node, values)
    return NodeView(strategy, number, node, grid, what, cells, values, needed)


def affordable(strategy: PublicStrategy, found: FoundBoard) -> bool:
    """Whether little enough lies below a board to read it all."""
    tree = strategy.tree
    if len(found.path) == tree.streets or tree.numbers <= MOST_NUMBERS:
        return True
    first = tree.book.arrays.first[0]
    ends = np.append(first[1:], tree.numbers)
    below = tree.below(found.number)
    return int((ends[below] - first[below]).sum()) <= MOST_NUMBERS


def lean(strategy: PublicStrategy, number: int, found: FoundBoard) -> NodeStrategy:
    """A node without what its hands expect, from the boards on the way to it alone."""
    tree, game = strategy.tree, strategy.tree.game
    strategy.need(found.path)
    betting = tree.betting_tree
    player = int(betting.kind[number])
    reach = [weights.astype(np.float64).copy() for weights in game.hand_weights()]  # [2][hands of the deck]
    for at, choice in _choices(betting, number):
        mover, street = int(betting.kind[at]), int(betting.street[at])
        here = find_board(tree, street, _upto(game, found.cards, street))
        hands, classes = here.hands(mover)
        taken = np.zeros(len(reach[mover]))
        taken[hand_numbers(tree, hands)] = strategy.block(at, here.number)[choice, classes]
        reach[mover] *= taken
    hands, classes = found.hands(player)
    own = hand_numbers(tree, hands)
    others = reach[1 - player].copy()
    others[np.isin(game.deck.hands(game.hand_size), found.cards).any(axis=1)] = 0.0
    nothing = np.full(len(hands), np.nan)
    probabilities = strategy.block(number, found.number)[:, classes].T
    return NodeStrategy(
        line=betting.line(number),
        board=game.deck.names(found.cards),
        player=player,
        actions=betting.actions[number],
        hands=hands,
        names=tuple(hand_names(game.deck, game.hand_size)[own].tolist()),
        probabilities=probabilities,
        weight=reach[player][own],
        opposing=facing(game.deck, game.hand_size, others)[own],
        ev=nothing,
        action_ev=np.full(probabilities.shape, np.nan),
        pot=float(betting.paid[number].sum()) + game.betting.pot,
        others=others,
        game=game,
    )


def _choices(betting: Any, node: int) -> list[tuple[int, int]]:
    """(node, action) of every decision on the way to a node."""
    out = []
    while (above := int(betting.parent[node])) >= 0:
        if betting.kind[above] != DEAL:
            out.append((above, node - int(betting.first_child[above])))
        node = above
    return out[::-1]


def _upto(game: Any, cards: Sequence[int], street: int) -> tuple[int, ...]:
    return tuple(cards[: len(game.first_board) + sum(game.board_cards[:street])])


def facing(deck: Any, size: int, weights: Array) -> Array:
    """[hands] the weight of all hands that share no card with each hand: inclusion and exclusion of its cards."""
    from itertools import combinations

    hands = deck.hands(size)
    total = np.full(len(hands), float(weights.sum()))
    for count in range(1, size + 1):
        for places in combinations(range(size), count):
            key = _code(hands[:, places], deck.size)
            held = np.zeros(deck.size**count)
            for theirs in combinations(range(size), count):
                np.add.at(held, _code(hands[:, theirs], deck.size), weights)
            total += (-1) ** count * held[key]
    return np.asarray(np.maximum(total, 0.0))


def _code(cards: Array, deck_size: int) -> Array:
    """[hands] some cards of each hand as one number."""
    return np.asarray(cards @ deck_size ** np.arange(cards.shape[1]))
