"""Betting: the rules of limit and no-limit games for two players, and the public tree of what can be bet.

    Limit, NoLimit ──tree()──▶ BettingTree      kind, street, children, paid, win, tie, lose: arrays over nodes

Player 0 is the small blind and button in games that begin with blinds: first to act before the flop, last after it.
In a spot, which begins with a pot, player 0 is out of position and acts first on every street.
"""

from __future__ import annotations

from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.poker.betting_growing import MOST_NODES
from regretless.poker.betting_limit import FLOP_HOLDEM, KUHN, LEDUC, LIMIT_HOLDEM, Limit
from regretless.poker.betting_no_limit import NoLimit
from regretless.poker.betting_tree import BettingTree, StreetCounts
from regretless.poker.sizes import Size, Sizes

__all__ = [
    "DEAL",
    "FLOP_HOLDEM",
    "FOLD",
    "KUHN",
    "LEDUC",
    "LIMIT_HOLDEM",
    "MOST_NODES",
    "SHOWDOWN",
    "BettingTree",
    "Limit",
    "NoLimit",
    "Size",
    "Sizes",
    "StreetCounts",
]
