"""The next cards of a board: what a player does after each of them, grouped by what the card does to the board."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regretless.apps.views.holdem_nodes import node_without_ev
from regretless.poker.cards.board_kinds import NEW_CARDS, new_card_kind
from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.tree.board_lookup import find_board

__all__ = ["Runout", "RunoutGroup", "grouped_runouts", "runouts"]


@dataclass(frozen=True)
class Runout:
    """One card that may come."""

    card: str
    board: str
    kind: str
    reach: float
    """The weight with which play comes to the node on this card, up to a factor."""
    frequencies: tuple[float, ...]
    ev: float | None


@dataclass(frozen=True)
class RunoutGroup:
    """Cards that do the same to the board."""

    kind: str
    cards: tuple[Runout, ...]
    frequencies: tuple[float, ...]
    ev: float | None


def runouts(strategy: PublicStrategy | BoardStrategy, node: int, cards: tuple[int, ...]) -> list[Runout]:
    """All last cards of the street of a node, with the earlier cards of the board fixed; the strongest card first.

    Empty where the street deals no card or several. Expected values are computed on the last street only, where they
    need no later boards.
    """
    tree, game = strategy.tree, strategy.tree.game
    street = int(tree.betting_tree.street[node])
    if street == 0 or game.board_cards[street - 1] != 1:
        return []
    before = cards[:-1]
    found = []
    last = street == tree.betting_tree.streets - 1
    for card in reversed(range(game.deck.size)):
        if card in before:
            continue
        if isinstance(strategy, BoardStrategy):
            shown = strategy.at_cards(node, (*before, card))
        else:
            board = find_board(strategy.tree, street, (*before, card))
            shown = strategy.at_board([node], board)[0] if last else node_without_ev(strategy, node, board)
        found.append(_runout(shown, game.deck.name(card), new_card_kind(game.deck, before, card)))
    return found


def _runout(node: NodeStrategy, card: str, kind: str) -> Runout:
    reach = float(node.mass.sum())
    ev = node.mean_ev
    shares = tuple(node.frequencies.values())
    return Runout(card, node.board, kind, reach, shares, None if np.isnan(ev) else ev)


def grouped_runouts(found: list[Runout]) -> list[RunoutGroup]:
    """The cards by what they do; means are weighted by how often play comes there."""
    groups = []
    for kind in NEW_CARDS:
        cards = [runout for runout in found if runout.kind == kind]
        total = sum(runout.reach for runout in cards)
        if not cards:
            continue
        weights = np.array([runout.reach / total if total > 0 else 1 / len(cards) for runout in cards])
        shares = weights @ np.array([runout.frequencies for runout in cards])
        known = [(weight, runout.ev) for weight, runout in zip(weights, cards, strict=True) if runout.ev is not None]
        sum_known = sum(weight for weight, _ in known)
        ev = sum(weight * value for weight, value in known) / sum_known if sum_known > 0 else None
        groups.append(RunoutGroup(kind, tuple(cards), tuple(shares.tolist()), ev))
    return groups
