"""The rest of a game after a line of play, with the ranges with which both players get there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.limit import Limit
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.sizes import SizesLike
from regretless.poker.cards.deck import CardText
from regretless.poker.games import PublicGame, Spot
from regretless.poker.ranges.range import Range
from regretless.poker.tree.board_lookup import board_on
from regretless.poker.whole_games import Holdem

if TYPE_CHECKING:
    from regretless.poker.betting.betting_tree import BettingTree
    from regretless.poker.results.hand_rows import HoldemStrategy

__all__ = ["SpotPlace", "never_plays", "place_of", "reach_at", "spot_after", "spot_with"]

Array = npt.NDArray[Any]

SPOT_RULES = ("add_all_in", "all_in_from", "merge", "chip", "rake", "rake_cap")
"""Settings of no-limit betting that stay as they are on later streets."""


class SpotPlace(NamedTuple):
    """Where a spot begins."""

    node: int  # of the betting tree of the whole game
    street: int
    cards: tuple[int, ...]
    paid: float  # chips that each player has paid


def spot_after(strategy: HoldemStrategy, line: str, board: CardText, sizes: SizesLike | None = None) -> PublicGame:
    """The game from the beginning of a street on; see `BoardStrategy.spot`."""
    game, betting = strategy.tree.game, strategy.tree.betting_tree
    if sizes is not None and isinstance(game.betting, Limit):
        raise OptionError(f"{game.name} is a limit game, whose bets have one size: leave out sizes=")
    place = place_of(game, betting, line, board)
    ranges = []
    for player in range(2):
        reach = reach_at(strategy, place.node, place.cards, player)
        if not reach.any():
            raise OptionError(f"player {player} {never_plays(betting, place.node)}")
        ranges.append(Range.from_weights(reach, deck=game.deck))
    return spot_with(game, place, (ranges[0], ranges[1]), sizes)


def never_plays(betting: BettingTree, node: int) -> str:
    """Says that a strategy does not come to a node; the player goes before it."""
    return f"never plays {betting.line(node)!r} with a hand that fits this board"


def place_of(game: PublicGame, betting: BettingTree, line: str, board: CardText) -> SpotPlace:
    """The beginning of a street after a line of play, on a board with the cards of that street."""
    node = betting.find(line)
    parent = int(betting.parent[node])
    if betting.kind[node] >= DEAL or parent < 0 or betting.kind[parent] != DEAL:
        raise OptionError(
            f"a spot begins where cards have been dealt, and {betting.line(node)!r} is in the middle of a street or at "
            f"the end of a hand: give a line such as 'call check'"
        )
    street = int(betting.street[node])
    return SpotPlace(node, street, board_on(game, street, board), float(betting.paid[node].max()))


def spot_with(
    game: PublicGame, place: SpotPlace, ranges: tuple[Range | None, Range | None], sizes: SizesLike | None = None
) -> PublicGame:
    """The game from a place on, with given ranges; of no-limit hold'em a `Spot`, whose player 0 acts first.

    sizes: other sizes than those of the game, for no-limit betting.
    """
    if isinstance(game, Holdem | Spot):
        return _no_limit_spot(game, place, ranges, sizes)
    rules = _later(game.betting, place.street, place.paid)
    if sizes is not None and isinstance(rules, NoLimit):
        rules = replace(rules, sizes=sizes)
    return PublicGame(
        game.deck, game.hand_size, game.board_cards[place.street :], rules, place.cards, ranges, game.big_blind,
        isomorphism=game.isomorphism,
    )  # fmt: skip


def reach_at(strategy: HoldemStrategy, node: int, board: tuple[int, ...], player: int) -> Array:
    """[hands] the weight of each hand of a player, times the probability of its own actions up to a node."""
    from regretless.poker.results.hand_rows import rows_on

    game, betting = strategy.tree.game, strategy.tree.betting_tree
    dealt = np.cumsum((len(game.first_board), *game.board_cards))
    blocked = np.isin(game.deck.hands(game.hand_size), board).any(axis=1)
    reach = np.where(blocked, 0.0, game.hand_weights()[player])
    rows = {}
    while (parent := int(betting.parent[node])) >= 0:
        if betting.kind[parent] == player:
            street = int(betting.street[parent])
            if street not in rows:
                rows[street] = rows_on(strategy, street, board[: dealt[street]])
            reach = reach * rows[street](parent)[node - int(betting.first_child[parent])]
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


def _no_limit_spot(
    game: PublicGame, place: SpotPlace, ranges: tuple[Range | None, Range | None], given: SizesLike | None = None
) -> Spot:
    """A spot, whose player 0 is the one who acts first on the street; its sizes are the given ones or the game's."""
    rules = game.betting
    assert isinstance(rules, NoLimit)
    seats = (1, 0) if rules.openers[place.street] else (0, 1)
    own = [(of[seats[0]], of[seats[1]]) for of in rules.sizes_by_street[place.street :]]
    everything = Range.full(game.deck)
    return Spot(
        place.cards, [ranges[seat] or everything for seat in seats], pot=float(rules.pot) + 2 * place.paid,
        stack=rules.stack - place.paid, sizes=own if given is None else given,
        big_blind=game.big_blind, isomorphism=game.isomorphism, caps=_caps(rules, place.street),
        min_bet=rules.least_bet,
        **{name: getattr(rules, name) for name in SPOT_RULES},
    )  # fmt: skip


def _caps(rules: NoLimit, street: int) -> tuple[int, ...] | None:
    return None if rules.caps is None else tuple(int(cap) for cap in rules.most_bets[street:])
