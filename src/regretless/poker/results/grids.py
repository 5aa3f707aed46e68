"""Grids: what a whole range does at a node, one cell for each class of hands.

Cells stand as everywhere in poker: pairs on the diagonal, suited hands above it, offsuit hands below, the strongest
rank first. Hands of one card have a cell for each rank. `grid_pictures` draws them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.ranges.equity import equity
from regretless.poker.ranges.range import Range

if TYPE_CHECKING:
    from regretless.poker.results.public_strategy import NodeStrategy

__all__ = ["Grid", "by_class", "equities", "grid_of"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Grid:
    """A node of the betting by classes of hands: an array of ranks × ranks, or of ranks for hands of one card.

    Classes that cannot be held here (by the board or by the range) have no `hands` and nan elsewhere.
    """

    labels: Array  # [cells] what a class is called: "AKs", "AKo", "77", or "K" for one card
    hands: Array  # [cells] how many hands of the class can be held here
    weight: Array  # [cells] mean over those hands: range weight × own probability of coming here
    frequencies: Array  # [cells, actions]
    ev: Array  # [cells] chips expected from here on; nan where the class never comes here
    reach: Array  # [cells] share of the class among all hands that come here
    actions: tuple[str, ...]

    def __getitem__(self, label: str) -> dict[str, float]:
        """{action: frequency} of a class such as "AKs"."""
        found = np.argwhere(self.labels == label)
        if not len(found):
            example = str(self.labels.ravel()[0])
            raise OptionError(f"there is no class of hands called {label!r} here; classes are written like {example!r}")
        return {a: float(f) for a, f in zip(self.actions, self.frequencies[tuple(found[0])], strict=True)}


def grid_of(node: NodeStrategy) -> Grid:
    """The classes of a node's hands, with everything averaged over the hands as they come here."""
    labels, cell = _cells(node)
    count, flat = labels.size, cell.ravel()
    mass = node.mass
    hands = np.bincount(flat, minlength=count)
    total = np.bincount(flat, mass, count)
    # Where no hand of a class comes here its hands count alike: what they would do is still worth a look.
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
    """[cells] the mean of a number of each hand, over the hands as they come here; nan where none does."""
    labels, cell = _cells(node)
    known = (node.mass > 0) & ~np.isnan(values)
    mass = node.mass[known]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(cell[known], mass * values[known], labels.size) / np.bincount(cell[known], mass, labels.size)
    return mean.reshape(labels.shape)


def equities(node: NodeStrategy) -> Array:
    """[hands] the share of the pot that each hand would win if all cards came and nobody folded; nan where unknown."""
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
