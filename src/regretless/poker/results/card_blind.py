"""Strategies that look at no cards: the same probabilities for every hand, for calibration."""

from __future__ import annotations

import math

import numpy as np

from regretless.errors import OptionError
from regretless.kernels.cards.hand_features import FULL
from regretless.kernels.constants import DEAL
from regretless.poker.abstraction.abstraction import Abstraction
from regretless.poker.abstraction.bucketed_tree import BucketedTree, open_bucketed, with_abstraction
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.abstraction.street_buckets import NO_FEATURE, StreetBuckets
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted
from regretless.poker.results.bucket_strategy import BucketStrategy

__all__ = ["card_blind", "one_bucket", "uniform_by_bucket"]

CALLS = ("check", "call")


def card_blind(game: PublicGame, *, fold: float = 0.0, call: float = 0.0, raise_: float = 0.0) -> BucketStrategy:
    """The strategy that folds, calls and raises with the same probabilities for all hands.

    Checks count as calls, bets as raises. Where there are several sizes, each has an equal part of `raise_`. Only
    proportions count, and actions that are not legal are left out: with fold=1 a player checks where there is no bet.

    >>> from regretless.poker import LimitHoldem
    >>> strategy = card_blind(LimitHoldem(), call=1, raise_=1)
    >>> strategy.at("raise")["AsKh"]
    {'fold': 0.0, 'call': 0.5, 'raise': 0.5}
    """
    weights = {"fold": fold, "call": call, "raise_": raise_}
    for name, weight in weights.items():
        number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not number or not math.isfinite(weight) or weight < 0:
            raise OptionError(f"{name} is a probability from 0 on, got {quoted(weight)}")
    if not any(weights.values()):
        raise OptionError("give one of fold=, call= and raise_= a probability: all of them are 0")
    largest = max(weights.values())
    fold, call, raise_ = fold / largest, call / largest, raise_ / largest
    tree = blind_tree(game)
    source = np.zeros(tree.infoset_actions, np.float32)
    for node in np.flatnonzero(tree.betting_tree.kind < DEAL).tolist():
        actions, first = tree.betting_tree.actions[node], int(tree.first[node])
        source[first : first + len(actions)] = node_weights(actions, fold, call, raise_)
    return BucketStrategy(tree, source)


def node_weights(actions: tuple[str, ...], fold: float, call: float, raise_: float) -> list[float]:
    """The weights of the actions of a node; a check or call where no action has any."""
    raises = sum(name != "fold" and name not in CALLS for name in actions)
    found = [fold if name == "fold" else call if name in CALLS else raise_ / raises for name in actions]
    return found if any(found) else [float(name in CALLS) for name in actions]


def uniform_by_bucket(game: PublicGame) -> BucketStrategy:
    """The strategy that takes all actions with the same probability, of a game too large to lay out hand by hand."""
    return blind_tree(game).uniform()


def blind_tree(game: PublicGame) -> BucketedTree:
    """A game with all hands of a street in one bucket."""
    if not isinstance(game, PublicGame):
        raise OptionError(f"card_blind needs a game of hold'em such as rg.poker.LimitHoldem(), got {quoted(game)}")
    return open_bucketed(with_abstraction(game, one_bucket(game)))


def one_bucket(game: PublicGame) -> Abstraction:
    """The abstraction that merges all hands of a street."""
    rounds = CardRounds.of(game)
    streets = []
    for street in range(rounds.streets):
        classes, deals = rounds.classes(street), np.array([rounds.deals(street)], np.int64)
        bucket_of = np.zeros(classes, np.uint16)  # pages that are only read take no memory
        bucket_of.flags.writeable = False
        half = deals * (FULL // 2)
        hands = np.array([classes], np.int64)
        streets.append(StreetBuckets(NO_FEATURE, bucket_of, hands, deals, half, np.zeros((0, 0), np.uint16)))
    return Abstraction(rounds, tuple(streets), "imperfect")
