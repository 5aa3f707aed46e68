"""The rest of a game after a line of play, with the ranges with which both players get there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.limit import Limit
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.cards.deck import CardText
from regretless.poker.games import PublicGame, Spot
from regretless.poker.ranges.range import Range
from regretless.poker.whole_games import Holdem

if TYPE_CHECKING:
    from regretless.poker.results.bucket_strategy import BucketStrategy

__all__ = ["reach_at", "spot_after"]

Array = npt.NDArray[Any]

SPOT_RULES = ("add_all_in", "all_in_from", "merge", "chip", "rake", "rake_cap")
"""Settings of no-limit betting that stay as they are on later streets."""


def spot_after(strategy: BucketStrategy, line: str, board: CardText) -> PublicGame:
    """The game from the beginning of a street on; see `BucketStrategy.spot`."""
    game, betting = strategy.tree.game, strategy.tree.betting_tree
    node = betting.find(line)
    parent = int(betting.parent[node])
    if betting.kind[node] >= DEAL or parent < 0 or betting.kind[parent] != DEAL:
        raise OptionError(
            f"a spot begins where cards have been dealt, and {betting.line(node)!r} is in the middle of a street or at "
            f"the end of a hand: give a line such as 'call check'"
        )
    street, cards = int(betting.street[node]), game.deck.cards(board)
    wanted = strategy.tree.abstraction.rounds.boards[street]
    if len(cards) != wanted:
        raise OptionError(f"this node has a board of {wanted} cards, got {len(cards)}")
    ranges = []
    for player in range(2):
        reach = reach_at(strategy, node, cards, player)
        if not reach.any():
            raise OptionError(f"player {player} never plays {betting.line(node)!r} with a hand that fits this board")
        ranges.append(Range.from_weights(reach, deck=game.deck))
    paid = float(betting.paid[node].max())
    if isinstance(game, Holdem):
        return _no_limit_spot(game, street, cards, (ranges[0], ranges[1]), paid)
    rules = _later(game.betting, street, paid)
    return PublicGame(
        game.deck, game.hand_size, game.board_cards[street:], rules, cards, (ranges[0], ranges[1]), game.big_blind,
        isomorphism=game.isomorphism,
    )  # fmt: skip


def reach_at(strategy: BucketStrategy, node: int, board: tuple[int, ...], player: int) -> Array:
    """[hands] the weight of each hand of a player, times the probability of its own actions up to a node."""
    tree, betting = strategy.tree, strategy.tree.betting_tree
    sizes = [cards for cards in tree.abstraction.rounds.boards if cards <= len(board)]
    columns = [tree.abstraction.sequences_on(board[:cards]) for cards in sizes]
    reach = tree.game.hand_weights()[player] * (columns[-1] >= 0)
    while (parent := int(betting.parent[node])) >= 0:
        if betting.kind[parent] == player:
            column = np.maximum(columns[int(betting.street[parent])], 0)
            reach = reach * strategy.block(parent)[node - int(betting.first_child[parent])][column]
        node = parent
    return np.asarray(reach)


def _later(rules: Limit | NoLimit, street: int, paid: float) -> Limit | NoLimit:
    """The betting from a street on, when each player has paid the same."""
    shared: dict[str, Any] = {
        "streets": rules.streets - street,
        "pot": float(rules.pot) + 2 * paid,
        "blinds": (0, 0),
        "first": rules.openers[street:],
    }
    if isinstance(rules, Limit):
        stack = None if rules.stack is None else rules.stack - paid
        return Limit(**shared, bets=rules.bet_sizes[street:], caps=rules.most_bets[street:], stack=stack)
    return NoLimit(
        **shared, stack=rules.stack - paid, sizes=rules.sizes_by_street[street:], caps=_caps(rules, street),
        min_bet=rules.least_bet, **{name: getattr(rules, name) for name in SPOT_RULES},
    )  # fmt: skip


def _no_limit_spot(game: Holdem, street: int, cards: tuple[int, ...], ranges: tuple[Range, Range], paid: float) -> Spot:
    """A spot, whose player 0 is the one who acts first on the street."""
    rules = game.betting
    assert isinstance(rules, NoLimit)
    seats = (1, 0) if rules.openers[street] else (0, 1)
    sizes = [(of[seats[0]], of[seats[1]]) for of in rules.sizes_by_street[street:]]
    return Spot(
        cards, [ranges[seat] for seat in seats], pot=float(rules.pot) + 2 * paid, stack=rules.stack - paid,
        sizes=sizes, big_blind=game.big_blind, isomorphism=game.isomorphism, caps=_caps(rules, street),
        min_bet=rules.least_bet, **{name: getattr(rules, name) for name in SPOT_RULES},
    )  # fmt: skip


def _caps(rules: NoLimit, street: int) -> tuple[int, ...] | None:
    return None if rules.caps is None else tuple(int(cap) for cap in rules.most_bets[street:])
