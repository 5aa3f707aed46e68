"""Messages of the Annual Computer Poker Competition, protocol version 2: what a dealer sends and what an agent answers.

    MATCHSTATE:1:30:rrc/:|TdAs/2c8c3h          the dealer to position 1, in hand 30
    MATCHSTATE:1:30:rrc/:|TdAs/2c8c3h:r        the agent answers with a raise

The cards are those of position 0, a bar, those of position 1, and then a slash before the board cards of each street.
Cards that the receiver must not see are left out. Every line ends with CR LF. Lines that begin with # or ; are
comments. Of two players with different blinds, position 0 is the big blind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from regretless.errors import OptionError, RegretlessError
from regretless.kernels.constants import FOLD
from regretless.poker.betting.hand_play import HandPlay, Move, read_move
from regretless.poker.cards.evaluator import strengths
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted

__all__ = [
    "VERSION_LINE",
    "MatchState",
    "ProtocolError",
    "check_whole_game",
    "is_comment",
    "player_at",
    "read_answer",
    "read_state",
    "winnings",
]

VERSION_LINE = "VERSION:2.0.0"
STATE = re.compile(r"MATCHSTATE:(?P<position>[01]):(?P<hand>\d{1,12}):(?P<betting>[^:]*):(?P<cards>[^:]*)", re.ASCII)


class ProtocolError(RegretlessError):
    """A message that is not part of the protocol, a peer that is gone, or a deadline that has passed."""


@dataclass(frozen=True)
class MatchState:
    """What a dealer tells an agent: its position, the number of the hand, the betting and the visible cards."""

    position: int
    hand: int
    betting: str
    holes: tuple[str, str]  # by position; empty if hidden
    board: tuple[str, ...]  # the cards of each dealt street

    def __str__(self) -> str:
        cards = "/".join(["|".join(self.holes), *self.board])
        return f"MATCHSTATE:{self.position}:{self.hand}:{self.betting}:{cards}"


def is_comment(line: str) -> bool:
    """Whether a line carries no message."""
    return not line or line[0] in "#;"


def read_state(line: str) -> MatchState:
    """The state in a dealer's message."""
    found = STATE.fullmatch(line)
    holes, *board = found["cards"].split("/") if found else [""]
    if found is None or holes.count("|") != 1:
        raise ProtocolError(
            f"{quoted(line)} is no message of the ACPC protocol: MATCHSTATE:position:hand:betting:cards"
        )
    first, second = holes.split("|")
    return MatchState(int(found["position"]), int(found["hand"]), found["betting"], (first, second), tuple(board))


def read_answer(line: str, state: MatchState) -> Move | None:
    """The move in an agent's answer to a state; None if it answers another state of the match, so that it is late."""
    head, colon, text = line.rpartition(":")
    move = read_move(text)
    if not colon or STATE.fullmatch(head) is None or move is None:
        raise ProtocolError(f"{quoted(line)} is no answer of the ACPC protocol: {state}:c would be one")
    return move if head == str(state) else None


def player_at(game: PublicGame, position: int) -> int:
    """The player of a game at a position of the protocol, and the position of a player."""
    small, big = game.betting.blinds
    return position if small >= big else 1 - position


def winnings(game: PublicGame, hand: HandPlay, holes: tuple[str, str], board: str) -> tuple[float, float]:
    """Net chips by position at the end of a hand."""
    end = hand.situation
    stake = min(end.paid)
    if end.kind == FOLD:
        loser = player_at(game, end.folder)
        return (-stake, stake) if loser == 0 else (stake, -stake)
    cards = game.deck.cards(holes[0] + holes[1] + board)
    hands = np.array(cards[: 2 * game.hand_size]).reshape(2, game.hand_size)
    first, second = strengths(game.deck, cards[2 * game.hand_size :], hands).tolist()
    won = float(stake) * ((first > second) - (first < second))
    return 0.0 + won, 0.0 - won  # never −0


def check_whole_game(game: object) -> PublicGame:
    """A game that a dealer can deal: hold'em or a similar game from the blinds on; else OptionError."""
    if not isinstance(game, PublicGame):
        raise OptionError(f"the ACPC protocol is for poker: hulh, hunl, fhp or a .game file, not {quoted(str(game))}")
    rules = game.betting
    if game.first_board or rules.pot or game.ranges != (None, None) or getattr(rules, "rake", 0):
        raise OptionError(
            f"{game.name} does not begin with the deal of all hands, or has a rake: the ACPC protocol is for hulh, "
            f"hunl, fhp and .game files"
        )
    amounts = (*rules.blinds, rules.ante, *([] if rules.stack is None else [rules.stack]))
    if any(not float(chips).is_integer() for chips in amounts):
        raise OptionError(f"{game.name} has blinds, an ante or a stack that are not whole chips")
    return game
