"""A player at a table with a strategy: deals, moves, the score, and the cost of every choice.

Two numbers reduce the luck in the score. At *the other table* the strategy itself plays the player's seat with the same
deal: the same cards, and the same random draws for the opponents' moves. And if the game is listed, the cost of each
choice is exact and contains no luck: the value of the best action less that of the chosen one, both against the
strategy and followed by its own play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from regretless.apps.play.opponents import Opponent
from regretless.apps.views.infoset_views import InfosetView, infoset_view
from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, State
from regretless.sampling.playing.bots import STEP, WORD, pick, stream_of, uniform

__all__ = ["SEATS", "Choice", "Move", "Result", "Score", "Table", "Turn"]

SEATS = ("0", "1", "random", "alternate")
"""Ways to ask for a seat; any player's number is allowed."""

CARDS, OPPONENTS, OTHER_TABLE, SEAT = range(4)
"""The random streams of a deal: chance, the opponents' moves, the moves at the other table, the seat."""


@dataclass(frozen=True)
class Move:
    """A move of a player, or of chance (player −1)."""

    player: int
    label: str


@dataclass(frozen=True)
class Choice:
    """What the player chose at an infoset, and what the strategy does there."""

    label: str
    actions: tuple[str, ...]
    chosen: int
    probabilities: tuple[float, ...]
    values: tuple[float, ...] | None
    """Expected chips of each action; None if unknown."""

    @property
    def cost(self) -> float | None:
        """Chips lost by not taking the best action."""
        return None if self.values is None else max(self.values) - self.values[self.chosen]


@dataclass(frozen=True)
class Turn:
    """The player is to move."""

    number: int
    """Moves of this table so far; a late answer to an earlier turn has another number."""
    hand: int
    seat: int
    label: str
    view: InfosetView
    actions: tuple[str, ...]
    situation: str = ""
    """Position, pot and stacks in words; empty for games that have none."""


@dataclass(frozen=True)
class Result:
    """A finished hand."""

    hand: int
    seat: int
    won: float
    """Chips."""
    other_table: float
    """Chips that the strategy has won in the same seat with the same deal."""
    choices: tuple[Choice, ...]
    moves: tuple[Move, ...]
    views: dict[int, InfosetView]
    """By player: what each saw at the last decision; after the hand it may be shown."""

    @property
    def cost(self) -> float | None:
        """Chips lost by the choices whose cost is known; None if no cost is known."""
        known = [choice.cost for choice in self.choices if choice.cost is not None]
        return None if self.choices and not known else sum(known)

    @property
    def complete(self) -> bool:
        """Whether the cost of all choices is known."""
        return all(choice.cost is not None for choice in self.choices)


@dataclass(frozen=True)
class Score:
    """All hands so far, chips."""

    hands: int = 0
    won: float = 0.0
    other_table: float = 0.0
    cost: float | None = 0.0
    """Lost by choices; None if no cost is known."""
    complete: bool = True
    """Whether the cost of all choices is known."""
    priced: int = 0
    """Choices whose cost is known."""

    @property
    def difference(self) -> float:
        """Chips more than the strategy has won with the same deals."""
        return self.won - self.other_table


@dataclass
class _Hand:
    """The hand in progress."""

    seat: int
    state: State
    streams: list[int]
    choices: list[Choice] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    views: dict[int, InfosetView] = field(default_factory=dict)

    def draw(self, stream: int) -> float:
        """The next random number of a stream."""
        self.streams[stream] = self.streams[stream] + STEP & WORD
        return uniform(self.streams[stream])


class Table:
    """Hands against one strategy, dealt from one seed.

    >>> import regretless as rg
    >>> from regretless.apps.views.infoset_measures import Measures
    >>> from regretless.apps.play.opponents import ListedOpponent
    >>> tree = rg.build(rg.games.Kuhn())
    >>> table = Table(ListedOpponent(Measures(tree, rg.equilibrium(tree).strategy)), seat="0", seed=1)
    >>> while table.turn:
    ...     table.act("pass")
    >>> table.results[0].cost is not None, table.score.hands
    (True, 1)
    """

    def __init__(self, opponent: Opponent, *, seat: str = "random", seed: int = 0, hands: int | None = None) -> None:
        players = opponent.game.players
        if seat not in ("random", "alternate") and seat not in map(str, range(players)):
            raise OptionError(f"a seat is 0 to {players - 1}, random or alternate, got {seat!r}")
        if hands is not None and hands < 1:
            raise OptionError(f"hands is a positive whole number, got {hands}")
        self.opponent, self.game, self.seat, self.seed, self.hands = opponent, opponent.game, seat, seed, hands
        self.results: list[Result] = []
        self.score = Score()
        self.moves_made = 0
        self.turn: Turn | None = None
        self.deal()

    @property
    def over(self) -> bool:
        """Whether all requested hands have been played."""
        return self.turn is None and self.hands is not None and self.score.hands >= self.hands

    def deal(self) -> None:
        """Deal the next hand, unless one is in progress or all have been played."""
        if self.turn is not None or self.over:
            return
        number = self.score.hands
        streams = [stream_of(self.seed, number, stream) for stream in (CARDS, OPPONENTS, OTHER_TABLE, SEAT)]
        self._hand = _Hand(self._seat_of(number, streams), self.game.root(), streams)
        self._advance()

    def _seat_of(self, number: int, streams: Sequence[int]) -> int:
        if self.seat == "random":
            return int(uniform(streams[SEAT]) * self.game.players)
        return number % self.game.players if self.seat == "alternate" else int(self.seat)

    def act(self, action: int | str) -> None:
        """The player's move, by its number or its name."""
        turn = self.turn
        if turn is None:
            raise OptionError("no move is expected: deal the next hand first")
        chosen = self._chosen(turn, action)
        hand, state = self._hand, self._hand.state
        values = self.opponent.values(state)
        probabilities = tuple(map(float, self.opponent.probabilities(state)))
        worth = None if values is None else tuple(map(float, values))
        hand.choices.append(Choice(turn.label, turn.actions, chosen, probabilities, worth))
        self._move(hand, chosen)
        self.moves_made += 1
        self.turn = None
        self._advance()

    def _chosen(self, turn: Turn, action: int | str) -> int:
        if isinstance(action, int) and 0 <= action < len(turn.actions):
            return action
        if isinstance(action, str) and action in turn.actions:
            return turn.actions.index(action)
        raise OptionError(f"there is no move {action!r} here: {', '.join(turn.actions)}")

    def advice(self) -> Choice | None:
        """What the strategy would do now; `chosen` is its most likely action."""
        if self.turn is None:
            return None
        probabilities = tuple(map(float, self.opponent.probabilities(self._hand.state)))
        values = self.opponent.values(self._hand.state)
        most_likely = max(range(len(probabilities)), key=probabilities.__getitem__)
        worth = None if values is None else tuple(map(float, values))
        return Choice(self.turn.label, self.turn.actions, most_likely, probabilities, worth)

    # -- the course of a hand -----------------------------------------------------------------------------------------

    def _move(self, hand: _Hand, choice: int) -> None:
        action = self.game.actions(hand.state)[choice]
        hand.moves.append(Move(self.game.player(hand.state), self._name(hand.state, action)))
        hand.state = self.game.play(hand.state, action)

    def _name(self, state: State, action: Any) -> str:
        """The name of an action; in some games it depends on the state."""
        named: Any = getattr(self.game, "name_of", None)
        return str(named(state, action) if callable(named) else self.game.action_label(action))

    def _view(self, label: str) -> InfosetView:
        own: Any = getattr(self.game, "infoset_view", None)  # a game may parse its labels itself
        return own(label) if callable(own) else infoset_view(self.game, label)

    def _advance(self) -> None:
        """Let chance and the opponents move until the player is to move or the hand is over."""
        hand = self._hand
        while (mover := self.game.player(hand.state)) != TERMINAL:
            if mover == CHANCE:
                self._move(hand, pick(self.game.chance(hand.state), hand.draw(CARDS)))
                continue
            label = str(self.game.infoset_label(self.game.infoset(hand.state)))
            hand.views[mover] = self._view(label)
            if mover == hand.seat:
                actions = tuple(self._name(hand.state, action) for action in self.game.actions(hand.state))
                words: Any = getattr(self.game, "situation", None)
                situation = str(words(hand.state)) if callable(words) else ""
                view = hand.views[mover]
                self.turn = Turn(self.moves_made, self.score.hands, hand.seat, label, view, actions, situation)
                return
            self._move(hand, pick(self.opponent.probabilities(hand.state), hand.draw(OPPONENTS)))
        self._finish(hand)

    def _finish(self, hand: _Hand) -> None:
        won = float(self.game.payoffs(hand.state)[hand.seat])
        result = Result(
            self.score.hands, hand.seat, won, self._other_table(hand.seat), tuple(hand.choices), tuple(hand.moves),
            dict(hand.views),
        )  # fmt: skip
        self.results.append(result)
        old = self.score
        priced = old.priced + sum(choice.cost is not None for choice in result.choices)
        complete = old.complete and result.complete
        self.score = Score(
            hands=old.hands + 1,
            won=old.won + won,
            other_table=old.other_table + result.other_table,
            cost=(old.cost or 0.0) + (result.cost or 0.0) if priced or complete else None,
            complete=complete,
            priced=priced,
        )

    def _other_table(self, seat: int) -> float:
        """What the strategy wins in the player's seat with the same deal, against itself."""
        streams = [stream_of(self.seed, self.score.hands, stream) for stream in (CARDS, OPPONENTS, OTHER_TABLE)]
        hand = _Hand(seat, self.game.root(), streams)
        while (mover := self.game.player(hand.state)) != TERMINAL:
            if mover == CHANCE:
                choice = pick(self.game.chance(hand.state), hand.draw(CARDS))
            else:
                stream = OTHER_TABLE if mover == seat else OPPONENTS
                choice = pick(self.opponent.probabilities(hand.state), hand.draw(stream))
            hand.state = self.game.play(hand.state, self.game.actions(hand.state)[choice])
        return float(self.game.payoffs(hand.state)[seat])
