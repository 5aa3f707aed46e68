"""Hand histories: played hands as PHH files, and the nodes of a game that such hands reach.

    hands = play_out(run.strategy, hands=1_000, seed=1)
    save_hands(hands, "session")                                   # session/hand-0001.phh …
    run.strategy.at(*node_of("session/hand-0001.phh", game))       # the strategy at the last decision

PHH is a plain-text format for poker hands (Kim, "Recording and Describing Poker Hands", 2024), read and written by
PokerKit, an optional extra. PHH hands begin with the deal. A spot begins with a pot and a board, so it is written as
antes of half the pot each and checks up to that board. The first player of PHH, p1, acts first after the flop: player 0
of a spot, and the big blind, player 1, of a game with blinds.

A PHH hand of hold'em has four streets. A hand with an earlier showdown, as in flop hold'em, ends there, and only its
`finishing_stacks` show who won. The format has no rake, so `finishing_stacks` do not include it.
"""

from __future__ import annotations

from regretless.poker.formats.histories.history_reading import Decision, decisions_of, node_of
from regretless.poker.formats.histories.history_writing import hand_history, save_hands
from regretless.poker.results.playing import PlayedHand, play_out

__all__ = ["Decision", "PlayedHand", "decisions_of", "hand_history", "node_of", "play_out", "save_hands"]
