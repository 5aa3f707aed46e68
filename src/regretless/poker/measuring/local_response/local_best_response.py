"""`local_best_response`: a lower bound on exploitability for strategies too large to be measured.

V. Lisý and M. Bowling, "Equilibrium Approximation Quality of Current No-Limit Poker Bots", 2017. Deviation: the paper
plays sampled hands; here all hands of both players play on each drawn board, so that only the board is luck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.display.html_tables import facts_table
from regretless.errors import OptionError
from regretless.method import processors
from regretless.methods.checks import check_confidence, checked_seed, checked_threads, whole
from regretless.poker.abstraction.bucketed_tree import with_abstraction
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.formats.game_json import same_game
from regretless.poker.games import PublicGame
from regretless.poker.measuring.flops import is_zero_sum
from regretless.poker.measuring.local_response.local_responses import PASSIVE, DealtBoard, LocalResponder
from regretless.poker.measuring.local_response.range_lookups import RangeLookup, range_lookup_of
from regretless.poker.measuring.progress import shown
from regretless.poker.quoting import quoted
from regretless.poker.tree.public_tree import of_another_game
from regretless.problem import found, the_game
from regretless.threads import run_together

__all__ = ["LocalBestResponse", "local_best_response"]

Array = npt.NDArray[Any]

Deals = Callable[[list[int], int], list[tuple[int, ...]]]
"""From the cards that are left and a number of cards to the deals that are played."""

KINDS = ("fold", "call", "raise")
MOST_BOARDS = 100_000
"""Boards of a game that are enumerated with boards=None."""


@dataclass(frozen=True, repr=False)
class LocalBestResponse:
    """What a local best response wins from a strategy: the strategy is at least this exploitable; chips per game.

    `str()` gives a sentence: "exploitable by at least 121.3 ± 9.4 mbb/g (95 %), 200 boards with all hands in both
    seats".
    """

    mean: float
    """The lower bound: winnings averaged over both seats, less what the strategy itself wins where there is rake."""
    low: float
    """The lower end of the confidence interval …"""
    high: float
    """… and the upper one."""
    standard_error: float
    by_seat: tuple[float, float]
    """What it wins in each seat."""
    boards: int
    confidence: float
    exact: bool
    """Whether all boards of the game were played, so that nothing is luck."""
    big_blind: float | None

    @property
    def mbb(self) -> float | None:
        """The lower bound in thousandths of a big blind per game; None without a big blind."""
        return None if not self.big_blind else 1_000 * self.mean / self.big_blind

    def __str__(self) -> str:
        unit, scale = ("chips a game", 1.0) if not self.big_blind else ("mbb/g", 1_000 / self.big_blind)
        boards = f"{self.boards:,} board{'s' * (self.boards != 1)} with all hands in both seats"
        known = "exploitable by at least" if self.mean > 0 else "no lower bound was found: a local best response wins"
        if self.exact:
            every = "the only" if self.boards == 1 else "all"
            return f"{known} {scale * self.mean:,.6g} {unit} ({every} {boards.removeprefix('1 ')})"
        half = scale * (self.high - self.low) / 2
        digits = max(1 - math.floor(math.log10(half)), 0) if 0 < half < math.inf else 3
        found = f"{scale * self.mean:,.{digits}f} ± {half:,.{digits}f} {unit}"
        return f"{known} {found} ({100 * self.confidence:g} %), {boards}"

    def __repr__(self) -> str:
        return f"<LocalBestResponse: {self}>"

    def _repr_html_(self) -> str:
        seats = [(f"won in seat {seat}", won) for seat, won in enumerate(self.by_seat)]
        interval = [(f"{100 * self.confidence:g} % interval", f"{self.low:.6g} to {self.high:.6g}")]
        facts = [
            ("lower bound (chips a game)", self.mean),
            *interval[: not self.exact],
            *seats,
            ("boards", self.boards),
        ]
        return facts_table(str(self), facts)


def local_best_response(
    game: Any,
    strategy: Any,
    *,
    boards: int | None = 200,
    seed: int = 0,
    actions: Sequence[str] = KINDS,
    first_street: int | str = 0,
    confidence: float = 0.95,
    threads: int | None = None,
    progress: bool = False,
) -> LocalBestResponse:
    """A lower bound on the exploitability of a strategy of hold'em, limit or no-limit, with a confidence interval.

    A local best response knows the strategy. From it follow the probabilities of all hands of the opponent. At each of
    its decisions it takes the action that is worth most if both players check or call from then on, where a bet first
    wins the pot from the hands that fold to it (Lisý & Bowling 2017). It needs the strategy only on boards that are
    drawn, so it works where best responses cannot be computed. A best response wins at least as much, often far more.

    strategy: one by buckets, one on a public tree, or any object with `game`, `betting_tree` and
    `probabilities_on(nodes, board)`, which gives an array [actions, hands of the deck] for each of some nodes of the
    betting tree. boards: how many are drawn; on each all hands of both players play, in both seats. A game that has no
    more boards than that is measured on all of them, exactly; None: all boards of a game with few cards.

    actions: what the response may do besides checking and calling: "fold", "raise" (all bets and raises of the betting
    tree), or names such as "all-in". first_street: the number or the name of a street; on those before it checks and
    calls. Any choice of the two gives a lower bound. The same seed gives the same result on any number of threads.

    >>> import regretless as rg
    >>> rules = rg.poker.Limit(streets=3, bets=(2, 2, 4), caps=2, blinds=(1, 2))
    >>> game = rg.poker.PublicGame(rg.poker.Deck("9TJQKA", "sh"), 2, (3, 1), rules)
    >>> caller = rg.poker.card_blind(game, call=1)
    >>> found = rg.poker.local_best_response(game, caller, boards=50)
    >>> found.boards, 0 < found.low < found.mean < found.high, found.low < rg.exploitability(game, caller)
    (50, True, True)
    """
    lookup = range_lookup_of(strategy)
    _check_game(game, lookup)
    if boards is not None and not whole(boards, least=1):
        raise OptionError(f"boards is a positive whole number, or None for all boards, got {quoted(boards)}")
    check_confidence(confidence)
    seed, threads = checked_seed(seed), checked_threads(threads)
    responder = LocalResponder(lookup, _actions(lookup.betting_tree, actions), _street(lookup.game, first_street))
    play = _Play(responder, seed)
    if boards is None or play.all_boards <= min(boards, MOST_BOARDS):
        return _result(play.on_all()[None], play.all_boards, confidence, lookup.game, exact=True)
    boards = int(boards)
    won, team = np.zeros((boards, len(play.walks))), max(1, min(threads or processors(), boards))
    with shown(progress, "first board") as show:

        def work(number: int) -> None:
            for at in range(number, boards, team):
                won[at] = play.on_drawn(at)
                if number == 0:
                    show((at + 1) / boards, f"{at + 1:,} of {boards:,} boards")

        run_together(work, team)
    return _result(won, boards, confidence, lookup.game, exact=False)


class _Play:
    """A responder in both seats, and the boards. The first street is walked once."""

    def __init__(self, responder: LocalResponder, seed: int) -> None:
        self.responder, self.game, self.seed = responder, responder.lookup.game, seed
        first = DealtBoard(responder.hands, self.game.first_board, sum(self.game.board_cards))
        self.left = [card for card in range(self.game.deck.size) if card not in first.cards]
        self.walks = [(seat, True) for seat in range(2)]
        if not is_zero_sum(responder.tree):  # what the strategy wins from itself is not 0
            self.walks += [(seat, False) for seat in range(2)]
        self.trunks = [responder.street(seat, 0, first, responder.start(seat), way) for seat, way in self.walks]

    @property
    def all_boards(self) -> int:
        """Boards of the game, as they are dealt street by street."""
        left, count = len(self.left), 1
        for cards in self.game.board_cards:
            count, left = count * math.comb(left, cards), left - cards
        return count

    def on_drawn(self, number: int) -> Array:
        """[walks] what is won on a drawn board; it depends on the seed and this number alone."""
        draw = np.random.default_rng([self.seed, number])
        coming = iter(draw.choice(self.left, sum(self.game.board_cards), replace=False).tolist())
        return self._won(self._dealt(self.game.first_board, 0, lambda left, size: [tuple(islice(coming, size))]))

    def on_all(self) -> Array:
        """[walks] what is won over all boards."""
        if self.all_boards > MOST_BOARDS:
            raise OptionError(
                f"the game has {self.all_boards:,} boards: give a number of boards to draw, such as boards=200"
            )
        return self._won(self._dealt(self.game.first_board, 0, lambda left, size: list(combinations(left, size))))

    def _dealt(self, cards: tuple[int, ...], street: int, deals: Deals) -> DealtBoard:
        """A board and the boards that follow it."""
        sizes = self.game.board_cards[street:]
        board = DealtBoard(self.responder.hands, cards, sum(sizes))
        if sizes:
            left = [card for card in self.left if card not in cards]
            board.following = [self._dealt((*cards, *more), street + 1, deals) for more in deals(left, sizes[0])]
        return board

    def _won(self, board: DealtBoard) -> Array:
        """[walks] the winnings of the response in both seats, and with rake of the strategy itself."""
        return np.array([
            won + self.responder.after(seat, 0, board, deals, way)
            for (seat, way), (won, deals) in zip(self.walks, self.trunks, strict=True)
        ])  # fmt: skip


def _result(won: Array, boards: int, confidence: float, game: PublicGame, exact: bool) -> LocalBestResponse:
    """The result from winnings [observations, walks]: of the response in both seats, and of the strategy itself."""
    from scipy.special import stdtrit

    each = (won[:, :2].sum(axis=1) - won[:, 2:].sum(axis=1)) / 2
    mean, error = float(each.mean()), 0.0 if exact else math.inf
    half = error
    if len(each) > 1:
        error = float(each.std(ddof=1)) / math.sqrt(len(each))
        half = float(stdtrit(len(each) - 1, (1 + confidence) / 2)) * error
    first, second = won[:, :2].mean(axis=0).tolist()
    return LocalBestResponse(
        mean, mean - half, mean + half, error, (first, second), boards, confidence, exact, game.big_blind
    )


def _check_game(game: Any, lookup: RangeLookup) -> None:
    """Refuse a game other than that of the strategy, and hands that are not compared here."""
    other = the_game(found(game))
    if not isinstance(other, PublicGame):
        raise OptionError(f"a local best response needs a game of hold'em, got {quoted(game)}")
    if not same_game(with_abstraction(lookup.game, None), with_abstraction(other, None)):
        raise OptionError(of_another_game(lookup.game, other))
    if other.hand_size > 2:
        raise OptionError(f"a local best response is for hands of one or two cards, this game has {other.hand_size}")


def _actions(tree: BettingTree, actions: Any) -> tuple[str, ...]:
    names = {name for node in tree.actions for name in node}
    known = sorted({*KINDS, *(name for name in names if name not in PASSIVE)})
    given = tuple(actions) if isinstance(actions, list | tuple) else (actions,)
    for name in given:
        if name not in known:
            raise OptionError(f"actions are some of {', '.join(known[:20])}; got {quoted(name)}")
    return given


def _street(game: PublicGame, street: Any) -> int:
    count, names = len(game.board_cards) + 1, game.street_names
    if isinstance(street, str) and street in names:
        return names.index(street)
    if isinstance(street, bool) or not isinstance(street, int) or not 0 <= street < count:
        offered = f" or one of {', '.join(names)}" if names else ""
        raise OptionError(f"first_street is a number from 0 to {count - 1}{offered}, got {quoted(street)}")
    return street
