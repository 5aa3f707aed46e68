"""Hold'em and similar games on public trees: cards, ranges, betting, and a solver on vectors of hands.

import regretless as rg
run = rg.solve(rg.poker.FlopHoldem(), rg.CFR_PLUS, iterations=100)
run.strategy.at("raise call / check bet", board="Qs Jh 2h")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regretless.lazy_names import on_demand

if TYPE_CHECKING:
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
    from regretless.poker.measuring.local_response.local_best_response import LocalBestResponse, local_best_response
    from regretless.poker.preflop.push_fold import PushFold, PushFoldSolution, push_fold
    from regretless.poker.ranges.equity import equity
    from regretless.poker.ranges.range import Range
    from regretless.poker.resolving.resolve import resolve
    from regretless.poker.resolving.resolved import Margins, Resolved
    from regretless.poker.results.aggregates import aggregate
    from regretless.poker.results.card_blind import card_blind
    from regretless.poker.results.hand_state import HandState
    from regretless.poker.results.reports import report
    from regretless.poker.reviewing.review import Review, review
    from regretless.poker.studying.differences import HoldemDifferences, differences
    from regretless.poker.studying.leaks import HoldemLeaks, leaks
    from regretless.poker.studying.node_locks import lock_node
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
    "HandState",
    "Holdem",
    "HoldemDifferences",
    "HoldemLeaks",
    "Limit",
    "LimitHoldem",
    "LocalBestResponse",
    "Lock",
    "Margins",
    "NoLimit",
    "PublicGame",
    "PushFold",
    "PushFoldSolution",
    "Range",
    "Resolved",
    "Review",
    "Sizes",
    "Spot",
    "abstract",
    "aggregate",
    "card_blind",
    "category",
    "differences",
    "equity",
    "evaluate",
    "flop_spots",
    "flops",
    "leaks",
    "load_abstraction",
    "local_best_response",
    "lock_node",
    "node_of",
    "play_out",
    "push_fold",
    "read_flop_spots",
    "read_game",
    "read_public_game",
    "read_spot",
    "report",
    "resolve",
    "review",
    "save_hands",
    "spot_from_text",
    "spot_text",
    "strengths",
    "write_spot",
]

_HOMES = {
    "Abstraction": "abstraction.abstraction",
    "load_abstraction": "abstraction.abstraction_files",
    "abstract": "abstraction.build.building",
    "BettingTree": "betting.betting_tree",
    "FLOP_HOLDEM": "betting.limit",
    "KUHN": "betting.limit",
    "LEDUC": "betting.limit",
    "LIMIT_HOLDEM": "betting.limit",
    "Limit": "betting.limit",
    "NoLimit": "betting.no_limit",
    "Sizes": "betting.sizes",
    "STANDARD": "cards.deck",
    "Deck": "cards.deck",
    "category": "cards.evaluator",
    "evaluate": "cards.evaluator",
    "strengths": "cards.evaluator",
    "HandIndexer": "cards.indexing",
    "flop_spots": "flop_sets.flops",
    "flops": "flop_sets.flops",
    "read_flop_spots": "flop_sets.flops",
    "AcpcGame": "formats.acpc_games",
    "read_game": "formats.acpc_games",
    "read_public_game": "formats.acpc_games",
    "node_of": "formats.histories.hand_histories",
    "play_out": "formats.histories.hand_histories",
    "save_hands": "formats.histories.hand_histories",
    "read_spot": "formats.spot_files",
    "spot_from_text": "formats.spot_files",
    "spot_text": "formats.spot_writing",
    "write_spot": "formats.spot_writing",
    "FlopHoldem": "games",
    "Lock": "games",
    "PublicGame": "games",
    "Spot": "games",
    "LocalBestResponse": "measuring.local_response.local_best_response",
    "local_best_response": "measuring.local_response.local_best_response",
    "PushFold": "preflop.push_fold",
    "PushFoldSolution": "preflop.push_fold",
    "push_fold": "preflop.push_fold",
    "equity": "ranges.equity",
    "Range": "ranges.range",
    "resolve": "resolving.resolve",
    "Margins": "resolving.resolved",
    "Resolved": "resolving.resolved",
    "aggregate": "results.aggregates",
    "card_blind": "results.card_blind",
    "HandState": "results.hand_state",
    "report": "results.reports",
    "Review": "reviewing.review",
    "HoldemDifferences": "studying.differences",
    "differences": "studying.differences",
    "HoldemLeaks": "studying.leaks",
    "leaks": "studying.leaks",
    "lock_node": "studying.node_locks",
    "review": "reviewing.review",
    "Holdem": "whole_games",
    "LimitHoldem": "whole_games",
}


def _why_not(name: str) -> str | None:
    from regretless.games.not_offered import why_not

    return why_not(name)


if not TYPE_CHECKING:  # type checkers know the names above alone
    __getattr__ = on_demand("regretless.poker", _HOMES, _why_not)


def __dir__() -> list[str]:
    return sorted(__all__)
