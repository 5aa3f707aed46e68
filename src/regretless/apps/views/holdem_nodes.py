"""Runs of hold'em: a node of the betting on one board, hand by hand and as a grid. Only the boards needed are read.

The strategy of a node and the reach of each hand need the boards on the way to it. Expected values also need all later
boards, so they are computed only on request; on the last street they need nothing more.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.apps.views.holdem_boards import board_on_street, complete_board
from regretless.apps.views.studio.range_facts import kinds_at
from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.ranges.range import Range
from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.grids import Grid, by_class, equities, grid_of
from regretless.poker.results.node_reach import choices_to, opposing_weights
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy, hand_names, hand_numbers
from regretless.poker.tree.board_lookup import FoundBoard, find_board, whole_board

__all__ = ["Combo", "NodeView", "Step", "affordable", "node_without_ev", "view_of"]

Array = npt.NDArray[Any]

MOST_NUMBERS = 60_000_000
"""Stored numbers below a node up to which a page reads them for expected values: some 0.2 GB, in about a second."""

MOST_READ = 250_000_000
"""Stored numbers up to which expected values are computed if all of them are in memory already: some 0.5 s."""

MOST_BOARDS = 100_000
"""Ways to complete a board up to which equities of a strategy that answers board by board are computed."""


@dataclass(frozen=True)
class Step:
    """A move of the betting."""

    name: str
    line: str
    """The line of play after it."""
    node: int
    decides: bool
    """Whether a player decides next; otherwise the move ends the hand."""
    locked: bool = False
    """Whether the strategy of the node after it is fixed, on all boards or on some."""


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

    strategy: PublicStrategy | BoardStrategy
    number: int
    node: NodeStrategy
    grid: Grid
    what: str
    """What the cells show: strategy, ev, equity, realisation, weight or others (how much of the other player comes)."""
    values: Array | None  # [cells] chips or probabilities; None for the strategy
    by_hand: Array | None  # [hands] the same for each hand
    board_cards: int
    """Cards on the board at this node."""
    example_cards: str
    """Cards at the end of the board that were not asked for: an example of the cards that may come."""
    locked: bool
    """Whether the strategy of this node was fixed before the solve."""
    kind: str = ""
    """The kind of hands that are shown; empty for all."""
    chosen: Array | None = None  # [hands] whether a hand is of that kind; None for all

    @property
    def reached(self) -> bool:
        """Whether play by the strategy ever comes to this node."""
        return bool(self.node.mass.any())

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
        locked = {tree.find(lock.line) for lock in self.strategy.tree.game.locks}
        steps = [_step(tree, name, first + number) for number, name in enumerate(tree.actions[self.number])]
        return [dataclasses.replace(step, locked=step.node in locked) for step in steps]

    def combos(self, label: str, equities: Array | None = None) -> list[Combo]:
        """The hands of a class; without one, all hands of the chosen kind that come here, the most frequent first.

        equities: [hands] those of the node, where they are known.
        """
        node = self.node
        chosen = np.ones(len(node), np.bool_) if self.chosen is None else self.chosen
        if label:
            found = np.flatnonzero(chosen & (_classes(node) == label))
        else:
            found = np.flatnonzero(chosen & (node.mass > 0))
            found = found[np.argsort(-node.mass[found], kind="stable")]
        out = []
        for at in found.tolist():
            known = not np.isnan(node.ev[at])
            equity = None if equities is None else equities[at]
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
    def summary(self) -> str:
        """Who is to act, and the pot."""
        rules = self.node.game.betting
        seats = ("first player", "second player")
        if any(rules.blinds):
            seats = ("small blind", "big blind")
        elif rules.pot:
            seats = ("out of position", "in position")
        return f"Player {self.node.player} ({seats[self.node.player]}) to act, pot {spell_chips(self.node.pot)}."

    @property
    def warnings(self) -> list[str]:
        """What a reader of the strategy must know: that it was fixed, or that play never comes here."""
        found = []
        if self.locked:
            found.append("This node is locked: its strategy was fixed before the solve.")
        if not self.reached:
            found.append(
                "Play never comes here: the strategy shown is the starting point of the solve, not a solution."
            )
        return found


def _step(tree: Any, name: str, node: int) -> Step:
    at = node
    while tree.kind[at] == DEAL:
        at = int(tree.first_child[at])
    return Step(name, tree.line(at), at, bool(tree.kind[at] < DEAL))


def _classes(node: NodeStrategy) -> Array:
    """[hands] the class of each hand, as named in grids."""
    from regretless.poker.cards.hand_classes import class_name

    deck = node.game.deck
    if node.hands.shape[1] == 1:
        return np.array([deck.ranks[deck.rank(int(hand[0]))] for hand in node.hands])
    return np.array([class_name(hand, deck) for hand in node.hands.tolist()])


def view_of(
    strategy: PublicStrategy | BoardStrategy, line: str, board: str, what: str, kind: str = "", waiting: bool = False
) -> NodeView:
    """A node by its line of play and its board; cards of later streets are ignored, missing cards are an example.

    `kind`: "set", "flush draw", …: only hands of this kind are shown. `waiting` shows the range of the player who does
    not act.
    """
    tree, deck = strategy.tree, strategy.tree.game.deck
    number = strategy.node(line)
    street = int(tree.betting_tree.street[number])
    needed = len(tree.game.first_board) + sum(tree.game.board_cards[:street])
    asked = whole_board(tree.game, board)[:needed]
    cards, locked = complete_board(strategy, asked, street, needed), False
    if isinstance(strategy, BoardStrategy):
        if waiting:
            raise OptionError(f"the other player's hands have no exact values with a {strategy.source_name}")
        node = _node_by_board(strategy, number, cards, what)
    else:
        found = find_board(strategy.tree, street, cards)
        node = _node_by_hand(strategy, number, found, "ev" if waiting or what == "realisation" else what)
        node = strategy.waiting(number, found.cards) if waiting else node
        locked, cards = _is_locked(number, found), found.cards
    by_hand = {
        "ev": lambda: node.ev,
        "weight": lambda: node.weight,
        "equity": lambda: equities(node),
        "realisation": lambda: node.ev / (equities(node) * node.pot),
    }.get(what)
    with np.errstate(divide="ignore", invalid="ignore"):  # realisation without equity
        values = None if by_hand is None or not node.mass.any() else by_hand()
    chosen = _of_kind(node, kind)
    shown = node if chosen is None else dataclasses.replace(node, weight=np.where(chosen, node.weight, 0.0))
    grid = grid_of(shown)
    cells = None if values is None else grid.weight if what == "weight" else by_class(shown, values)
    if cells is not None and what == "realisation":  # of the class as a whole, not the mean of ratios
        cells = by_class(shown, node.ev) / (by_class(shown, equities(node)) * node.pot)
    if what == "others":
        cells, grid = _others_cells(node, grid)
    example = deck.names(cards[len(asked) :])
    return NodeView(strategy, number, node, grid, what, cells, values, needed, example, locked, kind, chosen)


def _node_by_hand(strategy: PublicStrategy, number: int, found: FoundBoard, what: str) -> NodeStrategy:
    """A node of a public tree, with expected values where they are cheap."""
    cheap = affordable(strategy, found)
    if what == "ev" and not cheap:
        raise OptionError(
            "expected values here need all later boards, which are gigabytes: choose a node of a later street"
        )
    return strategy.at_board([number], found)[0] if cheap else node_without_ev(strategy, number, found)


def _node_by_board(strategy: BoardStrategy, number: int, cards: tuple[int, ...], what: str) -> NodeStrategy:
    """A node of a strategy that answers board by board, without expected values."""
    game = strategy.tree.game
    if what in ("ev", "realisation"):
        raise OptionError(f"expected values are not computed for a {strategy.source_name}: choose what the hands do")
    to_come = len(game.first_board) + sum(game.board_cards) - len(cards)
    if what == "equity" and comb(game.deck.size - len(cards), to_come) > MOST_BOARDS:
        raise OptionError("equities before the flop need all boards: choose a node of a later street")
    return strategy.at_cards(number, cards)


def _others_cells(node: NodeStrategy, grid: Grid) -> tuple[Array, Grid]:
    """([cells] the weights of the other player's hands, the grid with those hands)."""
    if node.game.hand_size != 2:
        raise OptionError("the other player's hands are shown on grids of two-card hands only")
    most = float(node.others.max(initial=0.0)) or 1.0
    cells = Range(np.clip(node.others / most, 0.0, 1.0), node.game.deck).grid()
    return cells, dataclasses.replace(grid, hands=(cells > 0).astype(np.int64))


def _of_kind(node: NodeStrategy, kind: str) -> Array | None:
    """[hands] whether a hand is of a kind; None if all hands are shown."""
    if not kind:
        return None
    kinds = kinds_at(node)
    if kinds is None:
        raise OptionError("hands have kinds on boards of 3 to 5 cards only")
    return kinds.having(kind)


def _is_locked(node: int, found: FoundBoard) -> bool:
    """Whether the strategy of a node on a board was fixed."""
    tree = found.tree
    for lock in tree.game.locks:
        if tree.betting_tree.find(lock.line) == node and (
            lock.board is None or find_board(tree, len(found.path) - 1, lock.board).number == found.number
        ):
            return True
    return False


def affordable(strategy: PublicStrategy, found: FoundBoard) -> bool:
    """Whether all boards below a board can be read for one page."""
    tree = strategy.tree
    if len(found.path) == tree.streets or tree.numbers <= MOST_NUMBERS:
        return True
    if tree.numbers <= MOST_READ and strategy.all_read:
        return True
    first = tree.book.arrays.first[0]
    ends = np.append(first[1:], tree.numbers)
    below = tree.below(found.number)
    return int((ends[below] - first[below]).sum()) <= MOST_NUMBERS


def node_without_ev(strategy: PublicStrategy, number: int, found: FoundBoard) -> NodeStrategy:
    """A node without expected values, from the boards on the way to it alone."""
    tree, game = strategy.tree, strategy.tree.game
    strategy.need(found.path)
    betting = tree.betting_tree
    player = int(betting.kind[number])
    reach = [weights.astype(np.float64).copy() for weights in game.hand_weights()]  # [2][hands of the deck]
    for at, choice in choices_to(betting, number):
        mover, street = int(betting.kind[at]), int(betting.street[at])
        here = find_board(tree, street, board_on_street(game, found.cards, street))
        hands, classes = here.hands(mover)
        taken = np.zeros(len(reach[mover]))
        taken[hand_numbers(tree, hands)] = strategy.block(at, here.number)[choice, classes]
        reach[mover] *= taken
    hands, classes = found.hands(player)
    own = hand_numbers(tree, hands)
    others = reach[1 - player].copy()
    others[np.isin(game.deck.hands(game.hand_size), found.cards).any(axis=1)] = 0.0
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
        opposing=opposing_weights(game.deck, game.hand_size, others)[own],
        ev=np.full(len(hands), np.nan),
        action_ev=np.full(probabilities.shape, np.nan),
        pot=float(betting.paid[number].sum()) + game.betting.pot,
        others=others,
        game=game,
    )
