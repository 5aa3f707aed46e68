"""An agent at a dealer: it answers the dealer's messages until the dealer closes the connection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from regretless.apps.acpc.agents import Agent
from regretless.apps.acpc.line_socket import LineSocket
from regretless.errors import OptionError
from regretless.poker.betting.hand_play import HandPlay
from regretless.poker.formats.acpc_messages import (
    VERSION_LINE,
    MatchState,
    ProtocolError,
    is_comment,
    player_at,
    read_state,
    winnings,
)

__all__ = ["AgentScore", "play_match"]

MOST_COMMENTS = 1_000
"""Comments in a row before a dealer is taken to be broken."""


@dataclass
class AgentScore:
    """What an agent has won."""

    hands: int = 0
    won: float = 0.0  # chips, net


def play_match(
    dealer: LineSocket, agent: Agent, seconds: float, score: AgentScore, hands: int | None = None,
    told: Callable[[AgentScore], None] | None = None,
) -> None:  # fmt: skip
    """Play until the dealer closes the connection after a hand, or for a number of hands; `score` is kept up to date.

    seconds: the longest time that the dealer may be silent. ProtocolError says what went wrong.
    """
    dealer.send(VERSION_LINE, seconds)
    within = False  # whether a hand has begun and not ended
    comments = 0
    while hands is None or score.hands < hands:
        line = dealer.receive(seconds)
        if line is None:
            if within or score.hands == 0:
                where = f"in hand {score.hands}" if within else "before the first hand"
                raise ProtocolError(f"{dealer.peer} has hung up {where}")
            return
        comments = comments + 1 if is_comment(line) else 0
        if comments > MOST_COMMENTS:
            raise ProtocolError(f"{dealer.peer} has sent {comments:,} comments and no message")
        if comments:
            continue
        state = read_state(line)
        hand = checked_hand(agent, state)
        within = not hand.over
        if hand.over:
            score.hands += 1
            score.won += winnings(agent.game, hand, state.holes, "".join(state.board))[state.position]
            if told is not None:
                told(score)
        elif hand.mover == player_at(agent.game, state.position):
            dealer.send(f"{line}:{agent.move(state, hand)}", seconds)


def checked_hand(agent: Agent, state: MatchState) -> HandPlay:
    """The hand of a state; ProtocolError if it is no hand of the agent's game."""
    game = agent.game
    try:
        hand = HandPlay.begin(game.betting).replay(state.betting)
        dealt = [len(game.deck.cards(cards)) for cards in state.board]
        held = [len(game.deck.cards(cards)) for cards in state.holes]
        game.deck.cards("".join((*state.holes, *state.board)))
    except OptionError as error:
        raise ProtocolError(f"in {state}: {error}") from None
    if dealt != list(game.board_cards[: hand.street]):
        raise ProtocolError(f"in {state}: {game.name} has other numbers of board cards after {state.betting!r}")
    shown = hand.over and hand.situation.folder < 0
    if held[state.position] != game.hand_size or held[1 - state.position] not in (
        {game.hand_size} if shown else {0, game.hand_size}
    ):
        raise ProtocolError(f"in {state}: a hand of {game.name} has {game.hand_size} cards")
    return hand
