"""A person at a table with a strategy: deals, moves, the score, and what every choice of the person's cost.

Luck is taken out of the score in two ways. At *the other table* the strategy itself sits in the person's seat and plays
the same deal: the same cards, and the same draws for whatever the opponents do. And where the game is listed, what each
choice gave away is known exactly and needs no luck at all: the value of the best action less that of the action taken,
both against the strategy and followed by its own play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from regretless.apps.play.opponents import Opponent
from regretless.apps.views.infoset_views import Sight, sight_of
from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, State
from regretless.sampling.bots import STEP, WORD, pick, stream_of, uniform

__all__ = ["SEATS", "Choice", "Move", "Result", "Score", "Table", "Turn"]

SEATS = ("0", "1", "random", "alternate")
"""How a seat may be asked for; any player's number will do."""

CARDS, THEIRS, OURS, SEAT = range(4)
"""The streams of random numbers of a deal: chance, the opponents' choices, those at the other table, the seat."""


@dataclass(frozen=True)
class Move:
    """Something that was done: by a player, or by chance (−1)."""

    player: int
    label: str


@dataclass(frozen=True)
class Choice:
    """What the person did at an infoset, beside what the strategy does there."""

    label: str
    actions: tuple[str, ...]
    chosen: int
    probabilities: tuple[float, ...]
    values: tuple[float, ...] | None
    """Chips that each action is worth; None where nobody knows."""

    @property
    def cost(self) -> float | None:
        """Chips given away by not taking the best action."""
        return None if self.values is None else max(self.values) - self.values[self.chosen]


@dataclass(frozen=True)
class Turn:
    """The person is asked for a move."""

    number: int
    """Moves of this table so far, to tell an answer to this turn from a late one."""
    hand: int
    seat: int
    label: str
    sight: Sight
    actions: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """A hand that is over."""

    hand: int
    seat: int
    won: float
    """Chips."""
    other_table: float
    """What the strategy has won in the same seat with the same deal, chips."""
    choices: tuple[Choice, ...]
    moves: tuple[Move, ...]
    sights: dict[int, Sight]
    """By player: what each saw when last asked. Now it may be shown."""

    @property
    def cost(self) -> float | None:
        """Chips that the person's choices gave away, those of which it is known; None where it is known of none."""
        known = [choice.cost for choice in self.choices if choice.cost is not None]
        return None if self.choices and not known else sum(known)

    @property
    def complete(self) -> bool:
        """Whether it is known of all choices what they cost."""
        return all(choice.cost is not None for choice in self.choices)


@dataclass(frozen=True)
class Score:
    """All hands so far, chips."""

    hands: int = 0
    won: float = 0.0
    other_table: float = 0.0
    cost: float | None = 0.0
    """Given away by choices; None where that is known of none."""
    complete: bool = True
    """Whether it is known of all choices."""

    @property
    def beside(self) -> float:
        """What the person has won more than the strategy did with the same deals."""
        return self.won - self.other_table


@dataclass
class _Hand:
    """The hand in progress."""

    seat: int
    state: State
    streams: list[int]
    choices: list[Choice] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    sights: dict[int, Sight] = field(default_factory=dict)

    def draw(self, stream: int) -> float:
        """The next random number of a stream."""
        self.streams[stream] = self.streams[stream] + STEP & WORD
        return uniform(self.streams[stream])


class Table:
    """A session: hand after hand against one strategy, from one seed.

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
        """Whether all hands that were asked for have been played."""
        return self.turn is None and self.hands is not None and self.score.hands >= self.hands

    def deal(self) -> None:
        """Begin the next hand, unless one is going on or all have been played."""
        if self.turn is not None or self.over:
            return
        number = self.score.hands
        streams = [stream_of(self.seed, number, pack) for pack in (CARDS, THEIRS, OURS, SEAT)]
        self._hand = _Hand(self._seat_of(number, streams), self.game.root(), streams)
        self._go_on()

    def _seat_of(self, number: int, streams: Sequence[int]) -> int:
        if self.seat == "random":
            return int(uniform(streams[SEAT]) * self.game.players)
        return number % self.game.players if self.seat == "alternate" else int(self.seat)

    def act(self, action: int | str) -> None:
        """The person's move, by its number or its name."""
        turn = self.turn
        if turn is None:
            raise OptionError("nobody is asked for a move")
        chosen = self._chosen(turn, action)
        hand, state = self._hand, self._hand.state
        values = self.opponent.values(state)
        chances = tuple(float(chance) for chance in self.opponent.chances(state))
        hand.choices.append(
            Choice(turn.label, turn.actions, chosen, chances, None if values is None else tuple(map(float, values)))
        )
        self._move(hand, chosen)
        self.moves_made += 1
        self.turn = None
        self._go_on()

    def _chosen(self, turn: Turn, action: int | str) -> int:
        if isinstance(action, int) and 0 <= action < len(turn.actions):
            return action
        if isinstance(action, str) and action in turn.actions:
            return turn.actions.index(action)
        raise OptionError(f"there is no move {action!r} here: {', '.join(turn.actions)}")

    def advice(self) -> Choice | None:
        """What the strategy would do now; `chosen` is its likeliest action."""
        if self.turn is None:
            return None
        chances = tuple(float(chance) for chance in self.opponent.chances(self._hand.state))
        values = self.opponent.values(self._hand.state)
        likeliest = max(range(len(chances)), key=chances.__getitem__)
        return Choice(
            self.turn.label,
            self.turn.actions,
            likeliest,
            chances,
            None if values is None else tuple(map(float, values)),
        )

    # -- how a hand goes ----------------------------------------------------------------------------------------------

    def _move(self, hand: _Hand, choice: int) -> None:
        action = self.game.actions(hand.state)[choice]
        hand.moves.append(Move(self.game.player(hand.state), self._name(hand.state, action)))
        hand.state = self.game.play(hand.state, action)

    def _name(self, state: State, action: Any) -> str:
        """What an action is called; in some games that takes the state to tell."""
        named: Any = getattr(self.game, "name_of", None)
        return str(named(state, action) if callable(named) else self.game.action_label(action))

    def _see(self, hand: _Hand) -> tuple[int, str]:
        """Who is to move, and what that player sees."""
        mover = self.game.player(hand.state)
        label = str(self.game.infoset_label(self.game.infoset(hand.state)))
        hand.sights[mover] = self._sight(label)
        return mover, label

    def _sight(self, label: str) -> Sight:
        drawn: Any = getattr(self.game, "sight", None)  # games that are not in the library's families bring their own
        return drawn(label) if callable(drawn) else sight_of(self.game, label)

    def _go_on(self) -> None:
        """Let chance and the opponents move until the person is asked or the hand is over."""
        hand = self._hand
        while (mover := self.game.player(hand.state)) != TERMINAL:
            if mover == CHANCE:
                self._move(hand, pick(self.game.chance(hand.state), hand.draw(CARDS)))
                continue
            _, label = self._see(hand)
            if mover == hand.seat:
                actions = tuple(self._name(hand.state, action) for action in self.game.actions(hand.state))
                self.turn = Turn(self.moves_made, self.score.hands, hand.seat, label, hand.sights[mover], actions)
                return
            self._move(hand, pick(self.opponent.chances(hand.state), hand.draw(THEIRS)))
        self._finish(hand)

    def _finish(self, hand: _Hand) -> None:
        won = float(self.game.payoffs(hand.state)[hand.seat])
        result = Result(
            self.score.hands, hand.seat, won, self._other_table(hand.seat), tuple(hand.choices), tuple(hand.moves),
            dict(hand.sights),
        )  # fmt: skip
        self.results.append(result)
        old = self.score
        known = [cost for cost in (old.cost if old.hands else None, result.cost) if cost is not None]
        self.score = Score(
            hands=old.hands + 1,
            won=old.won + won,
            other_table=old.other_table + result.other_table,
            cost=sum(known) if known else None,
            complete=old.complete and result.complete,
        )

    def _other_table(self, seat: int) -> float:
        """What the strategy wins in the person's place: the same deal, with nobody but itself at the table."""
        streams = [stream_of(self.seed, self.score.hands, pack) for pack in (CARDS, THEIRS, OURS)]
        hand = _Hand(seat, self.game.root(), streams)
        while (mover := self.game.player(hand.state)) != TERMINAL:
            if mover == CHANCE:
                choice = pick(self.game.chance(hand.state), hand.draw(CARDS))
            else:
                choice = pick(self.opponent.chances(hand.state), hand.draw(OURS if mover == seat else THEIRS))
            hand.state = self.game.play(hand.state, self.game.actions(hand.state)[choice])
        return float(self.game.payoffs(hand.state)[seat])
