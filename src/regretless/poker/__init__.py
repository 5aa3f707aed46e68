"""Hold'em and similar games on public trees: cards, ranges, betting, and a solver on vectors of hands.

import regretless as rg
run = rg.solve(rg.poker.FlopHoldem(), rg.CFR_PLUS, iterations=100)
run.strategy.at("raise call / check bet", board="Qs Jh 2h")
"""

from __future__ import annotations

from regretless.poker.abstraction.abstraction import Abstraction
from regretless.poker.abstraction.abstraction_files import load_abstraction
from regretless.poker.abstraction.build.building import abstract
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.limit import FLOP_HOLDEM, KUHN, LEDUC, LIMIT_HOLDEM, Limit
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.sizes import Sizes
from regretless.poker.cards.deck import STANDARD, Deck
from regretless.poker.cards.evaluator import category, evaluate, strengths
from regretless.poker.cards.indexing import HandIndexer
from regretless.poker.flop_sets.flops import flop_spots, flops, read_flop_spots
from regretless.poker.formats.acpc_games import AcpcGame, read_game, read_public_game
from regretless.poker.formats.histories.hand_histories import node_of, play_out, save_hands
from regretless.poker.formats.spot_files import read_spot, spot_from_text
from regretless.poker.formats.spot_writing import spot_text, write_spot
from regretless.poker.games import FlopHoldem, Lock, PublicGame, Spot
from regretless.poker.preflop.push_fold import PushFold, PushFoldSolution, push_fold
from regretless.poker.ranges.equity import equity
from regretless.poker.ranges.range import Range
from regretless.poker.results.aggregates import aggregate
from regretless.poker.results.card_blind import card_blind
from regretless.poker.results.reports import report
from regretless.poker.reviewing.review import Review, review
from regretless.poker.whole_games import Holdem, LimitHoldem

__all__ = [
    "FLOP_HOLDEM",
    "KUHN",
    "LEDUC",
    "LIMIT_HOLDEM",
    "STANDARD",
    "Abstraction",
    "AcpcGame",
    "BettingTree",
    "Deck",
    "FlopHoldem",
    "HandIndexer",
    "Holdem",
    "Limit",
    "LimitHoldem",
    "Lock",
    "NoLimit",
    "PublicGame",
    "PushFold",
    "PushFoldSolution",
    "Range",
    "Review",
    "Sizes",
    "Spot",
    "abstract",
    "aggregate",
    "card_blind",
    "category",
    "equity",
    "evaluate",
    "flop_spots",
    "flops",
    "load_abstraction",
    "node_of",
    "play_out",
    "push_fold",
    "read_flop_spots",
    "read_game",
    "read_public_game",
    "read_spot",
    "report",
    "review",
    "save_hands",
    "spot_from_text",
    "spot_text",
    "strengths",
    "write_spot",
]
