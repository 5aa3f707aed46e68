"""A dealer for two agents of the poker competition: it deals, asks, checks, pays and writes the log."""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from regretless.apps.acpc.line_socket import LineSocket
from regretless.apps.acpc.match_log import MatchLog
from regretless.errors import OptionError
from regretless.kernels.constants import SHOWDOWN
from regretless.poker.betting.hand_play import HandPlay, Move
from regretless.poker.formats.acpc_messages import (
    MatchState,
    ProtocolError,
    is_comment,
    player_at,
    read_answer,
    winnings,
)
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted

__all__ = ["Dealer", "MatchSettings", "Standing", "listen", "seat_agents"]

MOST_IGNORED = 1_000
"""Comments and late answers of one turn before an agent is taken to be broken."""
VERSION = "VERSION:2."


@dataclass(frozen=True)
class MatchSettings:
    """How a match is played; times in seconds."""

    hands: int = 1_000
    seed: int = 0
    duplicate: bool = False
    """Whether each deal is played twice in a row, the second time with exchanged cards."""
    names: tuple[str, str] = ("agent-1", "agent-2")
    response: float = 600.0  # for one answer
    per_hand: float = 600.0  # of one agent in one hand
    mean: float = 7.0  # of one agent, times the number of hands, in the whole match
    start: float = 600.0  # until both agents have connected


@dataclass
class Standing:
    """The result so far, by seat."""

    hands: int = 0
    won: list[float] = field(default_factory=lambda: [0.0, 0.0])  # chips, net
    corrected: list[int] = field(default_factory=lambda: [0, 0])  # moves that were not legal
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])  # spent waiting for answers


def listen(host: str, ports: Sequence[int]) -> list[socket.socket]:
    """Sockets that wait for the agents, one for each seat; port 0 takes a free one."""
    made: list[socket.socket] = []
    for port in ports:
        try:
            made.append(socket.create_server((host, port)))
        except (OSError, OverflowError) as error:
            for one in made:
                one.close()
            raise OptionError(f"cannot listen on {host}:{port}: {_why_not(error)}") from None
    return made


def _why_not(error: Exception) -> str:
    """Why a port cannot be used, in words."""
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return "another program uses this port; name another one, or 0 for any that is free"
    if number == errno.EACCES:
        return "ports below 1024 are for the administrator; name a higher one, or 0 for any that is free"
    if number is None or number < 0:  # of the resolver of names, which counts its errors below 0
        return (getattr(error, "strerror", None) or str(error)).partition(" (while")[0]
    return os.strerror(number)


def seat_agents(listening: Sequence[socket.socket], settings: MatchSettings) -> list[LineSocket]:
    """Wait until an agent has connected to each port and sent its version."""
    deadline = time.monotonic() + settings.start
    seated: list[LineSocket] = []
    try:
        for seat, (name, one) in enumerate(zip(settings.names, listening, strict=True), 1):
            peer = f"seat {seat} ({name})"
            one.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                seated.append(LineSocket(one.accept()[0], peer))
            except TimeoutError:
                raise ProtocolError(f"no agent has connected for {peer} within {settings.start:g} s") from None
        for agent in seated:
            _check_version(agent, max(deadline - time.monotonic(), 0.001))
    except BaseException:
        for agent in seated:
            agent.close()
        raise
    return seated


def _check_version(agent: LineSocket, seconds: float) -> None:
    for _ in range(MOST_IGNORED):
        line = agent.receive(seconds)
        if line is None:
            raise ProtocolError(f"{agent.peer} has hung up before the match")
        if not is_comment(line):
            if not line.startswith(VERSION):
                raise ProtocolError(f"{agent.peer} begins with {quoted(line)}, not with the version VERSION:2.0.0")
            return
    raise ProtocolError(f"{agent.peer} sends comments and no version")


class Dealer:
    """One match. Seats are exchanged after every hand; seat 1 begins at position 0, the big blind of hold'em."""

    def __init__(self, game: PublicGame, agents: Sequence[LineSocket], settings: MatchSettings, log: MatchLog) -> None:
        self.game, self.agents, self.settings, self.log = game, agents, settings, log
        self.standing = Standing()
        self._within_hand = [0.0, 0.0]

    def play(self) -> Standing:
        """Play all hands; ProtocolError ends the match, and the log keeps the hands before."""
        settings = self.settings
        self.log.comment(f"name/game/hands/seed {self.log.path.stem} {self.game.name} {settings.hands} {settings.seed}")
        for name, seconds in (
            ("t_response", settings.response),
            ("t_hand", settings.per_hand),
            ("t_per_hand", settings.mean),
        ):
            self.log.setting(name, seconds)
        for number in range(settings.hands):
            self._hand(number)
        self.log.score(self.standing.won, settings.names)
        return self.standing

    def deal(self, number: int) -> tuple[tuple[str, str], tuple[str, ...]]:
        """The hole cards by position and the board cards by street of a hand; they depend on the seed alone."""
        game, settings = self.game, self.settings
        deal = number // 2 if settings.duplicate else number
        cards = np.random.default_rng([settings.seed, deal]).permutation(game.deck.size).tolist()
        first, second, board = cards[: game.hand_size], cards[game.hand_size : 2 * game.hand_size], []
        begin = 2 * game.hand_size
        for size in game.board_cards:
            board.append(game.deck.names(cards[begin : begin + size]))
            begin += size
        return (game.deck.names(first), game.deck.names(second)), tuple(board)

    def _hand(self, number: int) -> None:
        seats = (number % 2, 1 - number % 2)  # by position
        holes, board = self.deal(number)
        hand = HandPlay.begin(self.game.betting)
        self._within_hand = [0.0, 0.0]
        while True:
            states = [self._visible(position, number, hand, holes, board) for position in range(2)]
            for position, state in enumerate(states):
                self.agents[seats[position]].send(str(state), self.settings.response)
            if hand.over:
                break
            position = player_at(self.game, hand.mover)
            hand = hand.play(self._answer(seats[position], states[position], hand))
        dealt = board[: hand.street]
        won = winnings(self.game, hand, holes, "".join(board))
        names = [self.settings.names[seat] for seat in seats]
        self.log.hand(number, hand.betting, "/".join(["|".join(holes), *dealt]), won, names)
        for position, seat in enumerate(seats):
            self.standing.won[seat] += won[position]
        self.standing.hands += 1

    def _visible(
        self, position: int, number: int, hand: HandPlay, holes: tuple[str, str], board: tuple[str, ...]
    ) -> MatchState:
        """A state as one position sees it: the other hand only at a showdown."""
        shown = hand.situation.kind == SHOWDOWN
        seen = (holes[0] if shown or position == 0 else "", holes[1] if shown or position == 1 else "")
        return MatchState(position, number, hand.betting, seen, board[: hand.street])

    def _answer(self, seat: int, state: MatchState, hand: HandPlay) -> Move:
        """The move of an agent, corrected if it is not legal."""
        agent = self.agents[seat]
        for _ in range(MOST_IGNORED):
            line = self._received(seat, state)
            if is_comment(line):
                continue
            try:
                move = read_answer(line, state)
            except ProtocolError as error:
                raise ProtocolError(f"{agent.peer} in hand {state.hand}: {error}") from None
            if move is not None:
                legal = hand.legal(move)
                self.standing.corrected[seat] += legal != move
                return legal
        raise ProtocolError(f"{agent.peer} does not answer {state}, only comments and answers to other states")

    def _received(self, seat: int, state: MatchState) -> str:
        """A line of an agent, within all its time limits."""
        agent, settings, spent = self.agents[seat], self.settings, self.standing.seconds
        left = {
            "an answer": settings.response,
            "a hand": settings.per_hand - self._within_hand[seat],
            "all hands": settings.mean * settings.hands - spent[seat],
        }
        least = min(left, key=lambda kind: left[kind])
        began = time.monotonic()
        try:
            line = agent.receive(max(left[least], 0.0))
        except ProtocolError as error:
            over = " (the limit for " + least + ")" if time.monotonic() - began >= left[least] else ""
            raise ProtocolError(f"{error}{over} in hand {state.hand}") from None
        finally:
            waited = time.monotonic() - began
            self._within_hand[seat] += waited
            spent[seat] += waited
        if line is None:
            raise ProtocolError(f"{agent.peer} has hung up in hand {state.hand}")
        return line
