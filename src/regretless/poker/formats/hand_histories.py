"""Hand histories: played hands as PHH files, and the nodes of a game that hands in such files came to.

    hands = play_out(run.strategy, hands=1_000, seed=1)
    save_hands(hands, "session")                                   # session/hand-0001.phh …
    run.strategy.at(*node_of("session/hand-0001.phh", game))       # what was best where it was decided

PHH is a plain-text format for poker hands (Kim, "Recording and Describing Poker Hands", 2024), read and written by
PokerKit, which is an optional extra. Its hands begin with the deal, so a spot that begins with a pot and a board is
written as antes of half the pot each and checks up to that board. Its first player, p1, is the one who acts first after
the flop: player 0 of a spot, and the big blind, player 1, of a game with blinds.

A PHH hand of hold'em has four streets. One that was shown down earlier, as in flop hold'em, ends there, and only
its `finishing_stacks` say who won. Rake is no part of the format either: `finishing_stacks` are without it.
"""

from __future__ import annotations

from regretless.poker.formats.history_reading import Decision, decisions_of, node_of
from regretless.poker.formats.history_writing import hand_history, save_hands
from regretless.poker.results.playing import PlayedHand, play_out

__all__ = ["Decision", "PlayedHand", "decisions_of", "hand_history", "node_of", "play_out", "save_hands"]
