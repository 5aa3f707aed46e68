"""`match`: what one strategy wins from another, exactly where the game can be listed, else by playing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from regretless.display.html_tables import facts_table
from regretless.errors import OptionError, quoted
from regretless.evaluation.responses import SelfMeasured, value
from regretless.game import Game
from regretless.methods.checks import check_confidence, checked_seed, checked_threads, whole
from regretless.problem import found, opens_itself, the_game
from regretless.sampling.playing.match_play import BATCH, Play, tally
from regretless.sampling.playing.match_seats import Seating
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["Match", "match"]

BATCH_OF_HOLDEM = 128
"""Deals of hold'em between two steps of a progress bar: some seconds."""


@dataclass(frozen=True, repr=False)
class Match:
    """What a wins from b; chips per hand, averaged over a's seats.

    `str()` gives a sentence: "a wins 0.031 ± 0.004 chips a hand (95 %), 10,000 deals played in both seats".
    """

    mean: float
    low: float
    """The lower end of the confidence interval …"""
    high: float
    """… and the upper one."""
    standard_error: float
    by_seat: tuple[float, ...]
    """What a wins in each seat."""
    hands: int
    """Deals that were played, each in every seating; 0 where the result is exact."""
    variance: float
    """Of an observation: the mean over all seatings of a deal."""
    variance_without_control: float
    """What the variance would have been without control variates."""
    confidence: float
    exact: bool
    all_hands: bool = False
    """Whether a deal is a board on which all hands of both players met at once."""
    big_blind: float | None = None
    """The big blind of hold'em, where there is one."""

    @property
    def mbb(self) -> float | None:
        """The mean in thousandths of a big blind per game; None without a big blind."""
        return None if not self.big_blind else 1_000 * self.mean / self.big_blind

    def __str__(self) -> str:
        mean = round(self.mean, 12)  # differences below this are rounding
        verb = "wins" if mean >= 0 else "loses"
        seats = "both seats" if len(self.by_seat) == 2 else f"all {len(self.by_seat)} seats"
        if self.exact:
            return f"a {verb} {abs(mean):.6g} chips a hand (exact, mean of {seats})"
        half = (self.high - self.low) / 2
        digits = 4
        if 0 < half < math.inf:  # two digits of the uncertainty, and as many of the mean
            digits = min(max(1 - math.floor(math.log10(half)), 0), 6)
        result = f"a {verb} {abs(mean):.{digits}f} ± {half:.{digits}f} chips a hand ({100 * self.confidence:g} %)"
        what = "board" if self.all_hands else "deal"
        deals = f"{self.hands:,} {what}{'s' * (self.hands != 1)} played in {seats}"
        deals += " with all hands" * self.all_hands
        return f"{result}, {deals}"

    def __repr__(self) -> str:
        return f"<Match: {self}>"

    def _repr_html_(self) -> str:
        seats = [(f"won by a in seat {seat}", won) for seat, won in enumerate(self.by_seat)]
        interval = (
            [] if self.exact else [(f"{100 * self.confidence:g} % interval", f"{self.low:.6g} to {self.high:.6g}")]
        )
        return facts_table(
            str(self), [("won by a (chips a hand)", self.mean), *interval, *seats, ("deals", self.hands)]
        )


def match(
    game: Any,
    a: Any,
    b: Any,
    *,
    hands: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    exact: bool | None = None,
    duplicate: bool = True,
    control: Any = None,
    threads: int | None = None,
    progress: bool = False,
    workers: Any = None,
) -> Match:
    """What `a` wins from `b` per hand, averaged over a's seats; with more than two players b has all other seats.

    A player is a `Strategy`, the strategy of a game that is never listed (as `rg.MCCFR(listed=False)` leaves it), or
    any function `player(state, legal_actions)` that returns an action, a probability for each, or
    {action: probability}. A function is handed the whole state: a fair one looks at `game.infoset(state)` only.

    The result is computed exactly where both strategies are known and the game can be listed (up to some 3 million
    histories, with `exact=True` any that fits). Otherwise, or with `exact=False`, `hands` deals are played, each with a
    in every seat; with `duplicate` all seatings of a deal see the same cards and the same draws. The same seed gives
    the same result on any number of threads.

    `control` takes luck out and leaves the mean (AIVAT; Burch et al. 2018), by any values of histories: a `Strategy` by
    what they are worth under it, an array [H] of their worth to player 0 of a zero-sum game for two or [P, H] to each
    player, or `"value"` for the best at hand: the true values of a listed game, else the baselines that a strategy was
    learnt with.

    Strategies by buckets of hold'em that does not fit into memory hand by hand, and with `exact=False` any others by
    buckets, meet on `hands` boards. On each board all hands of both players play at once, so that only the board is
    luck. Their abstractions may differ. `workers=rg.Ray()` divides these boards among the machines of a cluster.

    Of hold'em a function is handed an `rg.poker.HandState` (own cards, board, line of play, pot) and the names of the
    legal actions, and `hands` deals are played one by one. One known strategy is enough for `control="value"` there:
    what is won becomes the mean over all hands that it holds after this line, and the luck of the cards and of its own
    actions is subtracted, valued by who wins at a showdown.

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.Leduc())
    >>> strong, weak = rg.solve(tree, iterations=300).strategy, rg.Strategy.uniform(tree)
    >>> print(rg.match(tree, strong, weak))
    a wins 0.7... chips a hand (exact, mean of both seats)
    >>> played = rg.match(tree, strong, weak, hands=2_000, exact=False, control=strong)
    >>> played.low < rg.match(tree, strong, weak).mean < played.high
    True
    >>> rock, paper = (lambda state, actions: actions[0]), (lambda state, actions: actions[1])
    >>> print(rg.match("rps", rock, paper, hands=100))
    a loses 1.0000 ± 0.0000 chips a hand (95 %), 100 deals played in both seats
    """
    _check(hands, confidence, exact)
    hands, seed, threads = int(hands), checked_seed(seed), checked_threads(threads)
    game = found(game)
    if opens_itself(the_game(game)):
        game = the_game(game)
        _check_same_game(game, a, b)
        blind = getattr(game, "big_blind", None)
        if _is_played(game, a, b, exact):
            _check_here(workers)
            play = _hands_of_holdem(game, a, b, control, seed, duplicate)
            return _summed_up(play, hands, confidence, 1, progress, BATCH_OF_HOLDEM, blind)
        _refuse_options_of_hands(control, duplicate)
        if isinstance(a, MeetsOnBoards) and (exact is False or (exact is None and a.needs_flops)):
            return _on_boards(a.against_on_boards(b, hands, seed, threads, workers, progress), confidence, blind)
        _check_here(workers)
        return _by_strategies(a, b, confidence, blind)
    _check_here(workers)
    seating = Seating(_game_of(game), game if isinstance(game, Tree) else None, a, b)
    seating.check_players()
    seating.check_control(control)
    tree = seating.listed(exact)
    if tree is not None and exact is not False:
        return _computed(tree, *seating.strategies(tree), confidence)
    play = seating.play(tree, control, seed, duplicate)
    return _summed_up(play, hands, confidence, 1 if seating.has_bots else threads, progress)


def _is_played(game: Any, a: Any, b: Any, exact: bool | None) -> bool:
    """Whether hands of hold'em are played one by one: where a function plays, or where that is asked for."""
    from regretless.poker.games import PublicGame

    if not isinstance(game, PublicGame):
        return False
    if all(isinstance(player, SelfMeasured) for player in (a, b)):
        return exact is False and not all(isinstance(player, MeetsOnBoards) for player in (a, b))
    if exact:
        raise OptionError("a function can only be played, not computed; leave exact=True out")
    return True


def _hands_of_holdem(game: Any, a: Any, b: Any, control: Any, seed: int, duplicate: bool) -> Play:
    from regretless.sampling.playing.holdem.played_hands import holdem_play

    return holdem_play(game, a, b, control, seed, duplicate)


def _refuse_options_of_hands(control: Any, duplicate: bool) -> None:
    """Refuse settings of hands that are played one by one, for a match of hold'em that is not."""
    for name, given in (("control", control is not None), ("duplicate", not duplicate)):
        if given:
            raise OptionError(
                f"{name}= is for hands that are played one by one, and between two strategies of hold'em the result is "
                f"exact or on boards with all hands: leave it out"
            )


@runtime_checkable
class MeetsOnBoards(Protocol):
    """A strategy of hold'em by buckets: it plays all hands of a board at once."""

    @property
    def needs_flops(self) -> bool:
        """Whether the game does not fit into memory hand by hand, so that a result is not exact."""

    def against_on_boards(
        self, other: Any, boards: int, seed: int, threads: int | None, workers: Any, progress: bool
    ) -> npt.NDArray[np.float64]:
        """[boards, 2] the winnings against another strategy on drawn boards, in each seat; chips per game."""


def _check_same_game(game: Any, *strategies: Any) -> None:
    """Refuse strategies of hold'em of another game than the one of the match; abstractions and locks may differ."""
    from regretless.poker.abstraction.bucketed_tree import with_abstraction
    from regretless.poker.formats.game_json import same_game
    from regretless.poker.games import PublicGame
    from regretless.poker.tree.public_tree import of_another_game

    for strategy in strategies:
        own = getattr(getattr(strategy, "tree", strategy), "game", None)
        if isinstance(own, PublicGame) and isinstance(game, PublicGame):
            plain, other = (with_abstraction(each.with_locks(()), None) for each in (own, game))
            if not same_game(plain, other):
                raise OptionError(of_another_game(plain, other))


def _check_here(workers: Any) -> None:
    """Refuse machines for a match that is not divided among them."""
    if workers is not None:
        raise OptionError("workers= is for matches on boards, of strategies by buckets: leave it out")


def _on_boards(won: npt.NDArray[np.float64], confidence: float, big_blind: float | None) -> Match:
    """The result of a match on boards [boards, 2]."""
    from scipy.special import stdtrit

    boards, each = len(won), won.mean(axis=1)
    mean, variance = float(each.mean()), float(each.var(ddof=1)) if boards > 1 else 0.0
    error = math.sqrt(variance / boards)
    half = float(stdtrit(boards - 1, (1 + confidence) / 2)) * error if boards > 1 else math.inf
    by_seat = tuple(won.mean(axis=0).tolist())
    return Match(
        mean, mean - half, mean + half, error, by_seat, boards, variance, variance, confidence, exact=False,
        all_hands=True, big_blind=big_blind,
    )  # fmt: skip


@runtime_checkable
class MeetsBySeat(Protocol):
    """A strategy that says what it wins in each seat."""

    def against_by_seat(self, other: Any) -> tuple[float, ...]:
        """The exact winnings against another strategy in each seat, chips per game."""


def _by_strategies(a: Any, b: Any, confidence: float, big_blind: float | None) -> Match:
    """What strategies win that know how to play each other, such as those of hold'em; exact."""
    if not isinstance(a, SelfMeasured) or not isinstance(b, SelfMeasured):
        runs = any(isinstance(getattr(each, "strategy", None), SelfMeasured) for each in (a, b))
        hint = "; of a run pass its .strategy" if runs else ""
        raise OptionError(f"a match of hold'em is between two strategies of the same game, got {a!r} and {b!r}{hint}")
    by_seat = a.against_by_seat(b) if isinstance(a, MeetsBySeat) else (a.against(b),) * 2
    mean = math.fsum(by_seat) / len(by_seat)
    return Match(mean, mean, mean, 0.0, by_seat, 0, 0.0, 0.0, confidence, exact=True, big_blind=big_blind)


def _computed(tree: Tree, a: Strategy, b: Strategy, confidence: float) -> Match:
    by_seat = tuple(value(tree, b.with_player(seat, a), seat) for seat in range(tree.players))
    mean = math.fsum(by_seat) / len(by_seat)
    return Match(mean, mean, mean, 0.0, by_seat, 0, 0.0, 0.0, confidence, exact=True)


def _summed_up(
    play: Play,
    hands: int,
    confidence: float,
    threads: int | None,
    progress: bool,
    batch: int = BATCH,
    big_blind: float | None = None,
) -> Match:
    from scipy.special import stdtrit

    sums = tally(play, hands, threads, progress, batch)
    error = math.sqrt(sums.variance / hands)
    # Student's t: few hands know little about their own variance.
    half = float(stdtrit(hands - 1, (1 + confidence) / 2)) * error if hands > 1 else math.inf
    return Match(
        sums.mean, sums.mean - half, sums.mean + half, error, tuple(sums.by_seat.tolist()), hands, sums.variance,
        sums.plain_variance, confidence, exact=False, big_blind=big_blind,
    )  # fmt: skip


def _game_of(game: Any) -> Game:
    if isinstance(game, Tree):
        return game.game
    if not isinstance(game, Game):
        raise OptionError(f"a Tree, a Game or a name is needed here, got {game!r} of type {type(game).__name__}")
    return game


def _check(hands: Any, confidence: Any, exact: Any) -> None:
    if not whole(hands, least=1):
        raise OptionError(f"hands is a positive whole number, got {quoted(hands)}")
    check_confidence(confidence)
    if exact not in (None, True, False):
        raise OptionError(f"exact is True, False or None, got {quoted(exact)}")
