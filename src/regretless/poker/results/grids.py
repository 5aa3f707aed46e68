"""Grids: the strategy of a whole range at a node, with one cell for each class of hands.

The layout is the usual one of poker: pairs on the diagonal, suited hands above it, offsuit hands below, the strongest
rank first. Hands of one card have a cell for each rank. `grid_pictures` draws grids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.quoting import quoted
from regretless.poker.ranges.equity import equity
from regretless.poker.ranges.range import Range
from regretless.poker.results.drawing.bet_scale import bet_steps

if TYPE_CHECKING:
    from regretless.poker.results.public_strategy import NodeStrategy

__all__ = ["Grid", "by_class", "equities", "grid_of"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Grid:
    """A node of the betting by classes of hands: an array of ranks × ranks, or of ranks for hands of one card.

    Classes that are impossible because of the board or the range have 0 `hands` and nan in the other arrays.
    """

    labels: Array  # [cells] names of classes: "AKs", "AKo", "77", or "K" for one card
    hands: Array  # [cells] number of possible hands of the class
    weight: Array  # [cells] mean over those hands: range weight × own probability of reaching the node
    frequencies: Array  # [cells, actions]
    ev: Array  # [cells] expected chips from the node on; nan where the class never reaches it
    reach: Array  # [cells] share of the class among all hands at the node
    actions: tuple[str, ...]
    steps: tuple[int | None, ...] | None = None
    """The colour of each action, as a step of `drawing.bet_scale`; None for a grid that is not of a known node."""

    def __getitem__(self, label: str) -> dict[str, float]:
        """{action: frequency} of a class such as "AKs"."""
        found = np.argwhere(self.labels == label)
        if not len(found):
            example = str(self.labels.ravel()[0])
            raise OptionError(f"there is no class of hands called {quoted(label)} here; write for example {example!r}")
        return {a: float(f) for a, f in zip(self.actions, self.frequencies[tuple(found[0])], strict=True)}

    def _repr_html_(self) -> str:
        from regretless.poker.results.drawing.grid_html import grid_html

        return grid_html(self)


def grid_of(node: NodeStrategy) -> Grid:
    """The grid of a node; values are averaged over the hands at the node."""
    labels, cell = _cells(node)
    count, flat = labels.size, cell.ravel()
    mass = node.mass
    hands = np.bincount(flat, minlength=count)
    total = np.bincount(flat, mass, count)
    # Where no hand of a class reaches the node, its hands have equal weights, so that their strategy is still shown.
    share = np.where(total[flat] > 0, mass, 1.0)
    sums = np.stack([np.bincount(flat, share * p, count) for p in node.probabilities.T], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        frequencies = sums / np.bincount(flat, share, count)[:, None]
        weight = np.bincount(flat, node.weight, count) / hands
        reach = np.where(hands > 0, total / mass.sum(), np.nan)
    shape = labels.shape
    return Grid(
        labels=labels,
        hands=hands.reshape(shape),
        weight=weight.reshape(shape),
        frequencies=frequencies.reshape(*shape, -1),
        ev=by_class(node, node.ev),
        reach=reach.reshape(shape),
        actions=node.actions,
        steps=bet_steps(node.game.betting, node.line, node.actions),
    )


def _cells(node: NodeStrategy) -> tuple[Array, Array]:
    """The labels of all cells, and the cell of each hand."""
    deck, size = node.game.deck, node.hands.shape[1]
    names = deck.ranks[::-1]
    last = len(names) - 1
    if size == 1:
        return np.array(list(names)), last - node.hands[:, 0] // len(deck.suits)
    if size > 2:
        raise OptionError(f"grids are for hands of one or two cards, and these have {size}")
    labels = [
        [a + b if i == j else (a + b + "s" if i < j else b + a + "o") for j, b in enumerate(names)]
        for i, a in enumerate(names)
    ]
    ranks, suits = np.divmod(np.sort(node.hands, axis=1), len(deck.suits))
    low, high = last - ranks.T  # rows and columns: the strongest rank is 0
    row, column = np.where(suits[:, 0] == suits[:, 1], (high, low), (low, high))
    return np.array(labels), row * len(names) + column


def by_class(node: NodeStrategy, values: Array) -> Array:
    """[cells] the mean of a value of each hand over the hands at the node; nan without such hands."""
    labels, cell = _cells(node)
    known = (node.mass > 0) & ~np.isnan(values)
    mass = node.mass[known]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(cell[known], mass * values[known], labels.size) / np.bincount(cell[known], mass, labels.size)
    return mean.reshape(labels.shape)


def equities(node: NodeStrategy) -> Array:
    """[hands] the equity of each hand against the other player's hands at the node; nan where undefined."""
    game = node.game
    if game.hand_size != 2:
        raise OptionError(f"equities are for hands of two cards, and these have {game.hand_size}")
    deck = game.deck
    own = np.zeros(len(node.others))
    numbers = [deck.hand_number(hand) for hand in node.hands.tolist()]
    own[numbers] = np.minimum(node.weight, 1.0)
    if not own.any() or not node.others.any():
        return np.full(len(node), np.nan)
    cards = len(game.first_board) + sum(game.board_cards)
    mine, theirs = (Range(weights / weights.max(), deck) for weights in (own, node.others))
    return equity(mine, theirs, node.board, deck=deck, board_cards=cards).hands_a[numbers]
