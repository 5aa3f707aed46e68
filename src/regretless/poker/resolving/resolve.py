"""`resolve`: solve a subgame of hold'em again, with all cards, without losing safety."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.gpu.availability import cuda_available
from regretless.kernels.public.layout import SolveState
from regretless.method import Settings
from regretless.poker.cards.deck import CardText
from regretless.poker.measuring.progress import shown
from regretless.poker.quoting import quoted
from regretless.poker.resolving.gadgets import ArrivingRange, ChosenHand, OpponentRoot, TakeOrPlay
from regretless.poker.resolving.resolved import Margins, Resolved
from regretless.poker.resolving.subgame import HoldemSubgame, subgame_after
from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.hand_rows import HoldemStrategy
from regretless.poker.results.later_spots import never_plays
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.solving.cpu_walker import NO_STEP, Walker
from regretless.poker.solving.responses import copy_player
from regretless.poker.solving.vector_cfr import VectorLearner
from regretless.poker.tree.board_lookup import find_board
from regretless.poker.tree.hand_numbers import hand_names, hand_numbers
from regretless.variants import DCFR, Variant

__all__ = ["METHODS", "resolve"]

Array = npt.NDArray[Any]

METHODS = ("unsafe", "cfr-d", "maxmargin")

NEGLIGIBLE = 256
"""Machine epsilons: hands that meet a smaller share of the player's range have values that are mostly rounding."""


def resolve(
    run: Any,
    line: str,
    board: CardText,
    method: str = "maxmargin",
    *,
    player: int | None = None,
    variant: Variant = DCFR,
    iterations: int = 1_000,
    seconds: float | None = None,
    dtype: str = "float32",
    threads: int | None = None,
    device: str = "cpu",
    progress: bool | None = None,
) -> Resolved:
    """A subgame of hold'em solved again with all cards, for both players or for one.

    `run` is a run or a strategy of a whole game: by buckets, card-blind, or on a public tree. The subgame begins where
    the cards of `board` have been dealt after `line`. Players come there as the strategy says.

    | method | |
    |---|---|
    | unsafe | takes it for granted that the opponent comes with the strategy's range; may lose |
    | cfr-d | the opponent's hands may also stop and take what the strategy concedes (Burch, Johanson & Bowling 2014) |
    | maxmargin | improves the worst of the opponent's hands most (Moravčík et al. 2016) |

    The last two are safe: up to the convergence of `iterations`, no hand of the opponent wins more by a best response
    than before. `margins` of the result says exactly how much each hand wins, and `most_lost` bounds what is left.

    >>> import regretless as rg
    >>> deck = rg.poker.Deck("TJQKA", "shd")
    >>> game = rg.poker.PublicGame(deck, 2, (2,), rg.poker.Limit(streets=2, bets=(2, 4), caps=2, blinds=(1, 2)))
    >>> blueprint = rg.poker.card_blind(game, fold=1, call=2, raise_=1)
    >>> better = rg.poker.resolve(blueprint, "call check", "Ts Jh", player=1, iterations=200)
    >>> better.margins[1].smallest > 0
    True
    >>> better.strategy.at("check bet").player
    1
    """
    blueprint = _strategy_of(run)
    _check(method, player, variant, iterations, seconds, threads, device)
    subgame = subgame_after(blueprint, line, board)
    settings = _settings(subgame, dtype, threads, device)
    subgame.check_memory(dtype, bool(variant.predictive))
    chosen = (0, 1) if player is None else (int(player),)
    _check_arriving(subgame, chosen, method)
    exact = "float64" if dtype == "float64" else "float32"
    numbers = subgame.numbers(exact)
    before = _Measured(subgame, numbers, settings.threads)
    out, margins, done, started = numbers.copy(), {}, 0, time.monotonic()
    with shown(progress, "blueprint") as show:
        for turn, one in enumerate(chosen):
            budget = _Budget(iterations, None if seconds is None else seconds / len(chosen))
            share = lambda part, text, turn=turn: show((turn + part) / len(chosen), text)  # noqa: E731
            solved = _Solve(subgame, before, one, method, variant, settings)
            done = max(done, solved.advance(budget, share))
            margins[one] = solved.margins()
            copy_player(subgame.tree, subgame.seats[one], solved.average(), out)
    how = {"dtype": settings.dtype, "threads": settings.threads, "device": settings.device}
    return Resolved(subgame, out, method, margins, done, time.monotonic() - started, variant, how)


def _strategy_of(run: Any) -> HoldemStrategy:
    strategy = run if isinstance(run, BoardStrategy | PublicStrategy) else getattr(run, "strategy", run)
    if not isinstance(strategy, BoardStrategy | PublicStrategy):
        raise OptionError(
            f"rg.poker.resolve takes a run or a strategy of hold'em, got {quoted(run)}; rg.resolve takes listed games"
        )
    return strategy


def _check(method: Any, player: Any, variant: Any, iterations: Any, seconds: Any, threads: Any, device: Any) -> None:
    if method not in METHODS:
        listed = " (rg.resolve has reach, for games that can be listed)" if method == "reach" else ""
        raise OptionError(f"method is one of {', '.join(METHODS)}, got {quoted(method)}{listed}")
    if player is not None and (isinstance(player, bool) or player not in (0, 1)):
        raise OptionError(f"player is 0, 1 or None for both, got {quoted(player)}")
    if not isinstance(variant, Variant):
        raise OptionError(f"variant is a variant of CFR such as rg.CFR_PLUS, got {quoted(variant)}")
    for name, number in (("iterations", iterations), ("threads", 1 if threads is None else threads)):
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < 1:
            raise OptionError(f"{name} is a whole number from 1 on, got {quoted(number)}")
    if iterations <= variant.delay:
        raise OptionError(f"{variant.name} averages from iteration {variant.delay + 1} on, got {iterations=}")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0):
        raise OptionError(f"seconds is a positive number, got {quoted(seconds)}")
    if device not in ("cpu", "cuda"):
        raise OptionError(f"device is 'cpu' or 'cuda', got {quoted(device)}")
    if device == "cuda" and (missing := cuda_available()):
        raise OptionError(missing)


def _settings(subgame: HoldemSubgame, dtype: str, threads: int | None, device: str) -> Settings:
    precisions = subgame.tree.capabilities.precisions or ()
    if dtype not in precisions:
        raise OptionError(f"dtype is one of {', '.join(precisions)}, got {quoted(dtype)}")
    return Settings(dtype=dtype, threads=threads or subgame.tree.default_threads, device=device)


def _check_arriving(subgame: HoldemSubgame, players: tuple[int, ...], method: str) -> None:
    """Refuse a player who never comes to the subgame, and a rake, which no gadget accounts for."""
    betting = subgame.blueprint.tree.betting_tree
    needed = (0, 1) if method == "unsafe" else players
    for player in needed:
        if not subgame.reach[subgame.seats[player]].any():
            why = ": there is nothing to solve again" if player in players else ": take method='maxmargin'"
            raise OptionError(f"player {player} {never_plays(betting, subgame.place.node)}{why}")
    if method != "unsafe" and getattr(subgame.tree.game.betting, "rake", False):
        raise OptionError(f"{method} needs payoffs that sum to zero, and this game has a rake: take method='unsafe'")


@dataclass(frozen=True)
class _Budget:
    iterations: int
    seconds: float | None


class _Measured:
    """Best-response values of both seats against the blueprint."""

    def __init__(self, subgame: HoldemSubgame, numbers: Array, threads: int) -> None:
        tree = subgame.tree
        walker = Walker(tree, numbers.dtype.name, threads)
        state = SolveState(numbers, None, numbers, None, np.zeros(tree.boards, np.int64), None)
        self.values = []
        for seat in range(2):
            walker.enter_with(1 - seat, subgame.by_class(1 - seat, subgame.reach[1 - seat]))
            self.values.append(responded(walker, subgame, seat, state, numbers))


def responded(walker: Any, subgame: HoldemSubgame, seat: int, state: Any, source: Any) -> Array:
    """[classes] the values of a seat's best response."""
    count = int(subgame.tree.book.arrays.count[seat, 0])
    root = walker.walk(seat, state, source, False, NO_STEP)
    return np.array(root.value[0][:count], np.float64)


class _Solve:
    """Vector CFR in a subgame whose opponent enters through the root of a method."""

    def __init__(
        self,
        subgame: HoldemSubgame,
        before: _Measured,
        player: int,
        method: str,
        variant: Variant,
        settings: Settings,
    ) -> None:
        self.subgame, self.player = subgame, player
        self.seat = subgame.seats[player]
        self.other = 1 - self.seat
        self.bound: Array = before.values[self.other]  # [classes] B(h)
        self.arriving = subgame.by_class(self.other, subgame.arriving(self.other))  # [classes] w(h)
        epsilon = np.finfo(np.float64 if settings.dtype == "float64" else np.float32).eps
        self.possible = self.arriving > NEGLIGIBLE * epsilon * float(subgame.reach[self.seat].sum())
        self.learner = VectorLearner(subgame.tree, variant, settings)
        self.learner.walker.enter_with(self.seat, subgame.by_class(self.seat, subgame.reach[self.seat]))
        self.root = self._root(method)

    def _root(self, method: str) -> OpponentRoot:
        subgame, book = self.subgame, self.subgame.tree.book
        if method == "unsafe":
            return ArrivingRange(subgame.by_class(self.other, subgame.reach[self.other]))
        if method == "cfr-d":
            return TakeOrPlay(self.bound, book.weight[self.other])
        begin, count = int(book.arrays.begin[self.other, 0]), int(book.arrays.count[self.other, 0])
        return ChosenHand(self.bound, self.arriving, book.arrays.size[begin : begin + count], self.possible)

    def advance(self, budget: _Budget, show: Callable[[float, str], None]) -> int:
        """Run iterations and return their number."""
        learner, started = self.learner, time.monotonic()
        for step in learner.variant.steps(1, budget.iterations):
            learner.iteration += 1
            learner.walker.set_phase(learner.iteration)
            for seat in range(2):
                if seat == self.seat:
                    learner.walker.enter_with(self.other, self.root.reach())
                root = learner.walker.walk(seat, learner.numbers, learner.source, True, step)
                if seat == self.other:
                    self.root.learn(np.array(root.value[0][: len(self.bound)], np.float64), step)
            spent = time.monotonic() - started
            part = learner.iteration / budget.iterations
            show(part, f"player {self.player}: {learner.iteration:,} of {budget.iterations:,} iterations")
            if budget.seconds is not None and spent >= budget.seconds and learner.iteration > learner.variant.delay:
                break
        return learner.iteration

    def average(self) -> Array:
        """[numbers of the tree] the average strategy, of which the player's part counts."""
        return np.asarray(self.learner.arrays()["average"])

    def margins(self) -> Margins:
        """What the opponent wins by a best response, before and now."""
        subgame, other, numbers = self.subgame, self.other, self.learner.numbers
        after = responded(self.learner.walker, subgame, other, numbers, numbers.average)
        hands, classes = find_board(subgame.tree, 0, None).hands(other)
        kept = self.possible[classes]
        number, classes = hand_numbers(subgame.tree, hands[kept]), classes[kept]
        game, arriving = subgame.tree.game, self.arriving[classes]
        weight = game.hand_weights()[other][number]
        return Margins(
            player=self.player,
            names=tuple(hand_names(game.deck, game.hand_size)[number].tolist()),
            before=self.bound[classes] / arriving,
            after=after[classes] / arriving,
            mass=weight * arriving,
            arriving=subgame.reach[other][number] / weight,
            chance=subgame.chance,
        )
