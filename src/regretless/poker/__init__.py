"""Hold'em and its relatives on public trees: cards, ranges, betting, and a solver that works on whole vectors of hands.

import regretless as rg
run = rg.solve(rg.poker.FlopHoldem(), rg.CFR_PLUS, iterations=100)
run.strategy.at("raise call / check bet", board="Qs Jh 2h")
"""

from __future__ import annotations

from regretless.poker.acpc import AcpcGame, read_game, read_public_game
from regretless.poker.aggregates import aggregate
from regretless.poker.betting import FLOP_HOLDEM, KUHN, LEDUC, LIMIT_HOLDEM, BettingTree, Limit, NoLimit, Sizes
from regretless.poker.cards import STANDARD, Deck
from regretless.poker.equity import equity
from regretless.poker.evaluator import category, evaluate, strengths
from regretless.poker.games import FlopHoldem, Lock, PublicGame, Spot
from regretless.poker.hand_histories import node_of, play_out, save_hands
from regretless.poker.indexing import HandIndexer
from regretless.poker.ranges import Range
from regretless.poker.spot_files import read_spot, spot_from_text
from regretless.poker.spot_writing import spot_text, write_spot

__all__ = [
    "FLOP_HOLDEM",
    "KUHN",
    "LEDUC",
    "LIMIT_HOLDEM",
    "STANDARD",
    "AcpcGame",
    "BettingTree",
    "Deck",
    "FlopHoldem",
    "HandIndexer",
    "Limit",
    "Lock",
    "NoLimit",
    "PublicGame",
    "Range",
    "Sizes",
    "Spot",
    "aggregate",
    "category",
    "equity",
    "evaluate",
    "node_of",
    "play_out",
    "read_game",
    "read_public_game",
    "read_spot",
    "save_hands",
    "spot_from_text",
    "spot_text",
    "strengths",
    "write_spot",
]
