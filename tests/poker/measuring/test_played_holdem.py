"""Matches of hold'em that are played hand by hand, compared with exact results."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from drawn_buckets import drawn, merged

import regretless as rg
from conftest import INTERPRETED
from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.poker import Deck, HandState, Limit, LimitHoldem, NoLimit, PublicGame, Range
from regretless.poker.results.bucket_strategy import BucketStrategy
from regretless.poker.results.hand_lookups import lookup_of
from regretless.sampling.playing.holdem.hand_players import StrategyPlayer
from regretless.sampling.playing.holdem.known_hands import KnownHand, KnownRange
from regretless.sampling.playing.holdem.played_hands import holdem_play

PAIRS = PublicGame(Deck("TJQ", "sh"), 2, (1, 1), Limit(streets=3, bets=2, caps=1, blinds=(1, 2)), big_blind=2)
NO_LIMIT = dataclasses.replace(PAIRS, betting=NoLimit(stack=8, streets=3, blinds=(1, 2), sizes="bet 100%", rake=0.05))
RANGES = dataclasses.replace(
    PAIRS, ranges=(Range.parse("QQ:0.5,QJ,TT", PAIRS.deck), Range.parse("QJ,QT,JJ:0.25", PAIRS.deck))
)

compiled = pytest.mark.skipif(INTERPRETED, reason="a million showdowns are slow in Python")

Function = Callable[[HandState, Sequence[str]], Any]


def two(game: PublicGame) -> tuple[BucketStrategy, BucketStrategy]:
    return drawn(merged(game, (3, 4, 5))), drawn(merged(game, (2, 3, 4)), seed=5)


def asked(strategy: BucketStrategy) -> Function:
    """A function that plays a strategy."""
    lookup = lookup_of(strategy)
    return lambda state, legal: lookup.probabilities(state.node, state.cards, state.board_cards)


@pytest.mark.parametrize("game", [PAIRS, NO_LIMIT, RANGES], ids=["limit", "no-limit with rake", "ranges"])
def test_the_mean_with_less_luck_is_exact(game: PublicGame) -> None:
    """Over all deals and all actions, each with its probability: there is no bias."""
    a, b = two(game)
    exact = a.against_by_seat(b)
    setting, betting = KnownRange(game, game.betting_tree()), game.betting_tree()
    known, cards = StrategyPlayer(a), game.deck.hands(2)
    weights, total, means = game.hand_weights(), 0.0, [0.0, 0.0]
    for hands in [(h, k) for h in range(15) for k in range(15) if not set(cards[h]) & set(cards[k])]:
        weight = float(weights[0][hands[0]] * weights[1][hands[1]])
        left = set(range(6)) - {*cards[hands[0]].tolist(), *cards[hands[1]].tolist()}
        for board in permutations(left, 2) if weight else ():
            total += weight
            for seat in range(2):
                hand = KnownHand(setting, seat, hands[1 - seat], ())
                means[seat] += weight * mean_below(hand, 0, hands, board, betting, known, b)
    assert np.array(means) / total == pytest.approx(exact, abs=1e-6)


def mean_below(
    hand: KnownHand, node: int, hands: Sequence[int], board: tuple[int, ...], tree: Any, known: Any, other: Any
) -> float:
    """The mean, over all actions below a node, of what a hand counts for the known player."""
    kind, street, child = int(tree.kind[node]), int(tree.street[node]), int(tree.first_child[node])
    if kind > DEAL:
        return float(hand.won(node)[hand.seat]) - hand.luck
    if kind == DEAL:
        after = copy.copy(hand)
        after.deal(node, board[: street + 1])
        return mean_below(after, child, hands, board, tree, known, other)
    mean, own = 0.0, kind == hand.seat
    rows = known.rows(node, street, board[:street]) if own else other.hand_probabilities(node, board[:street])
    for action, probability in enumerate(rows[:, hands[kind]].tolist()):
        if probability:
            after = copy.copy(hand)
            if own:
                after.act(node, action, rows)
            mean += probability * mean_below(after, child + action, hands, board, tree, known, other)
    return mean


@pytest.mark.parametrize("control", [None, "value"])
def test_played_against_a_function(control: str | None) -> None:
    a, b = two(PAIRS)
    played = rg.match(PAIRS, a, asked(b), hands=200, seed=2, control=control)
    error = played.standard_error
    assert abs(played.mean - a.against(b)) < 4 * error and not played.exact and played.hands == 200
    assert played.mbb == pytest.approx(500 * played.mean) and "200 deals played in both seats" in str(played)
    assert rg.match(PAIRS, a, asked(b), hands=200, seed=2, control=control) == played
    assert rg.match(PAIRS, a, asked(b), hands=200, seed=3, control=control) != played
    back = rg.match(PAIRS, asked(b), a, hands=200, seed=2, control=control)
    assert back.mean == pytest.approx(-played.mean) and back.variance == pytest.approx(played.variance)


@compiled
def test_control_leaves_less_luck() -> None:
    game = PublicGame(Deck("9TJQKA", "sh"), 2, (3, 1), Limit(streets=3, bets=(2, 2, 4), caps=2, blinds=(1, 2)))
    strategy = rg.poker.card_blind(game, fold=1, call=4, raise_=2)
    found = rg.match(game, strategy, asked(strategy), hands=300, seed=1, control="value", duplicate=False)
    plain = rg.match(game, strategy, asked(strategy), hands=300, seed=1, duplicate=False)
    assert found.variance_without_control == pytest.approx(plain.variance)
    assert found.variance < 0.3 * plain.variance and found.low < 0 < found.high


def test_duplicate_deals_have_the_same_cards_in_both_seats() -> None:
    seen: list[tuple[int, int, str]] = []

    def watches(state: HandState, legal: Sequence[str]) -> str:
        seen.append((state.number, state.player, state.hand))
        return "call" if "call" in legal else "check"

    def cards(duplicate: bool) -> tuple[dict[int, str], dict[int, str]]:
        seen.clear()
        rg.match(PAIRS, watches, rg.poker.card_blind(PAIRS, call=1), hands=30, duplicate=duplicate)
        first, second = ({number: hand for number, at, hand in seen if at == player} for player in range(2))
        return first, second

    strategy = rg.poker.card_blind(PAIRS, call=1, raise_=1)
    assert cards(True) == cards(True) != cards(False)
    same = rg.match(PAIRS, strategy, asked(strategy), hands=50)  # the same draws for the actions, too
    assert same.mean == same.variance == 0


def test_what_a_function_sees() -> None:
    states: list[HandState] = []

    def raises(state: HandState, legal: Sequence[str]) -> str:
        states.append(state)
        assert tuple(legal) == state.actions
        return legal[-1]

    rg.match(LimitHoldem(), rg.poker.card_blind(LimitHoldem(), call=1), raises, hands=1, seed=1)
    state = next(state for state in states if state.street == 1 and state.player == 1)
    assert state.actions == ("check", "bet") and state.line == "call raise call" and state.to_call == 0
    assert state.paid == (200, 200) and state.pot == 400 and state.stack is None
    assert len(state.hand) == 4 and len(state.board) == 6 and state.game.deck.cards(state.board) == state.board_cards
    assert repr(state).endswith("after 'call raise call': check, bet>")


def test_strategies_of_different_kinds_and_of_your_own_are_played() -> None:
    a, b = two(PAIRS)
    exact = a.against(b)

    class Ranges:
        """Answers for all hands at once."""

        game, betting_tree = PAIRS, PAIRS.betting_tree()

        def probabilities_on(self, nodes: Sequence[int], board: tuple[int, ...]) -> list[Any]:
            return [b.hand_probabilities(node, board) for node in nodes]

    class Hands:
        """Answers for one hand."""

        game, betting_tree = PAIRS, PAIRS.betting_tree()
        probabilities = staticmethod(b.probabilities)

    function = rg.match(PAIRS, a, asked(b), hands=60)
    for other in (Ranges(), Hands(), b.public):
        assert rg.match(PAIRS, a, other, hands=60, exact=False) == function
    for one in (a, a.public):
        played = rg.match(PAIRS, one, b.public, hands=150, exact=False, control="value")
        assert abs(played.mean - exact) < 4 * played.standard_error
    with pytest.raises(OptionError, match="another game"):
        rg.match(NO_LIMIT, asked(b), Ranges(), hands=2)
    backwards = rg.match(PAIRS, Ranges(), asked(a), hands=150, control="value")
    assert abs(backwards.mean + exact) < 4 * backwards.standard_error


WRONG: list[tuple[Any, str]] = [
    (lambda state, legal: "rise", r"player b answered 'rise' where .* are legal \(with \w{4} .*\): return one of them"),
    (lambda state, legal: "fold" if "fold" not in legal else "call", r"answered 'fold' where check, raise are legal"),
    (lambda state, legal: [1.0], r"answered \[1.0\] where"),
    (lambda state, legal: {"call": math.nan}, r"answered {'call': nan} where"),
    (lambda state, legal: None, r"answered None where"),
    (lambda state, legal: 1 / 0, r"player b raised ZeroDivisionError: division by zero \(with \w{4} "),
    (lambda state: "call", r"player b raised TypeError: "),
    (3, r"between strategies of the same game or functions player\(state, legal_actions\), got 3 as b"),
]


@pytest.mark.parametrize(("player", "said"), WRONG)
def test_wrong_answers_are_a_sentence(player: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said) as error:
        rg.match(PAIRS, rg.poker.card_blind(PAIRS, call=1), player, hands=5)
    assert "\n" not in str(error.value)


def test_options_that_mean_nothing_are_refused() -> None:
    a, b = two(PAIRS)
    caller: Function = lambda state, legal: {"call": 1.0, "check": 1.0}  # noqa: E731
    for call, said in (
        (lambda: rg.match(PAIRS, a, caller, exact=True), "a function can only be played"),
        (lambda: rg.match(PAIRS, a, caller, workers=rg.Ray()), "workers= is for matches on boards"),
        (lambda: rg.match(PAIRS, a, caller, control="valu"), "control of played hands of hold'em is 'value'"),
        (lambda: rg.match(PAIRS, caller, caller, control="value"), "control needs to know one of the two strategies"),
        (lambda: rg.match(PAIRS, a, b, control="value"), "control= is for hands that are played one by one"),
        (lambda: rg.match(PAIRS, a, b, duplicate=False), "duplicate= is for hands that are played one by one"),
        (lambda: rg.match(NO_LIMIT, a, caller), "another game"),
    ):
        with pytest.raises(OptionError, match=said):
            call()


@compiled
def test_before_the_flop_of_holdem_the_luck_of_the_cards_is_taken_out() -> None:
    """Known from the table of all-ins: a caller and a strategy that looks at no cards differ by the cards alone."""
    game = LimitHoldem()
    strategy = rg.poker.card_blind(game, call=2, raise_=1)
    caller: Function = lambda state, legal: "call" if "call" in legal else "check"  # noqa: E731
    found = rg.match(game, strategy, caller, hands=12, control="value", duplicate=False)
    assert found.variance < 0.2 * found.variance_without_control


def test_deals_depend_on_seed_and_number_alone() -> None:
    a, b = two(PAIRS)
    play = holdem_play(PAIRS, a, asked(b), "value", 7, True)
    whole, parts = play(0, 6), [play(0, 2), play(2, 6)]
    assert np.array_equal(whole[0], np.concatenate([won for won, _ in parts]))
    assert np.allclose(whole[1], np.concatenate([added for _, added in parts]))
