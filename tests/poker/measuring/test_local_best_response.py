"""Local best responses, compared with an obvious recursion and with exact best responses."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from slow_local_response import SlowLocalResponse
from test_board_matches import PAIRS
from test_flop_measurement import TWO_STREETS, WITH_RAKE, WITH_RANGES, drawn, merged

import regretless as rg
from regretless.errors import OptionError
from regretless.poker import Deck, NoLimit, PublicGame, local_best_response
from regretless.poker.measuring.local_response.range_lookups import range_lookup_of
from regretless.poker.measuring.runouts import EnumeratedRunouts, HandCards, PreflopRunouts, runouts_on
from regretless.poker.solving.responses import best_responses

ALL = ("fold", "call", "raise")
NO_LIMIT = PublicGame(Deck("TJQ", "sh"), 2, (1, 1), NoLimit(stack=14, streets=3, blinds=(1, 2)), big_blind=2.0)
GAMES = {"one card": TWO_STREETS, "limit": PAIRS, "ranges": WITH_RANGES, "no-limit": NO_LIMIT}


@pytest.mark.parametrize("name", GAMES)
def test_all_boards_have_the_value_of_the_obvious_recursion(name: str) -> None:
    game = GAMES[name]
    strategy = drawn(merged(game, (3, 4, 5)[: len(game.board_cards) + 1]))
    found = local_best_response(game, strategy, boards=None)
    slow = [SlowLocalResponse(strategy, seat, ALL).value() for seat in range(2)]
    assert found.exact and found.by_seat == pytest.approx(slow, abs=1e-9)
    assert found.mean == pytest.approx(sum(slow) / 2, abs=1e-9)
    best = [value for value, _ in best_responses(strategy.public)]
    assert all(lower <= upper + 1e-6 for lower, upper in zip(found.by_seat, best, strict=True))
    assert found.mean <= rg.exploitability(game, strategy) + 1e-6


@pytest.mark.parametrize(
    ("actions", "street"), [(("fold", "call"), 0), (ALL, 1), (("fold", "all-in"), 0), ((), 0)], ids=str
)
def test_fewer_actions_and_later_streets(actions: tuple[str, ...], street: int) -> None:
    strategy = drawn(merged(NO_LIMIT, (3, 4, 5)), seed=4)
    found = local_best_response(NO_LIMIT, strategy, boards=None, actions=actions, first_street=street)
    slow = [SlowLocalResponse(strategy, seat, actions, street).value() for seat in range(2)]
    assert found.by_seat == pytest.approx(slow, abs=1e-9)


def test_with_rake_the_strategy_itself_does_not_win_nothing() -> None:
    strategy = drawn(merged(WITH_RAKE, (3, 4, 5)))
    found = local_best_response(WITH_RAKE, strategy, boards=None)
    own = strategy.public.game_values()
    assert found.mean == pytest.approx((sum(found.by_seat) - own.sum()) / 2, abs=1e-5)
    assert 0 < found.mean < rg.exploitability(WITH_RAKE, strategy)


def test_strategies_hand_by_hand_and_other_objects_are_asked_in_the_same_way() -> None:
    strategy = drawn(merged(PAIRS, (3, 4, 5)))
    expected = local_best_response(PAIRS, strategy, boards=None).by_seat
    assert local_best_response(PAIRS, strategy.public, boards=None).by_seat == pytest.approx(expected, abs=1e-6)

    class Asked:
        """What a network would offer."""

        game, betting_tree = PAIRS, PAIRS.betting_tree()

        def probabilities_on(self, nodes: Any, board: Any) -> Any:
            return range_lookup_of(strategy).probabilities_on(nodes, board)

    assert local_best_response(PAIRS, Asked(), boards=None).by_seat == pytest.approx(expected, abs=1e-12)


def test_drawn_boards_surround_the_exact_value_on_any_number_of_threads() -> None:
    strategy = drawn(merged(PAIRS, (3, 4, 5)))
    exact = local_best_response(PAIRS, strategy, boards=None)
    one = local_best_response(PAIRS, strategy, boards=25, seed=5, threads=1)
    two = local_best_response(PAIRS, strategy, boards=25, seed=5, threads=2)
    assert one == two and not one.exact
    assert one.low < exact.mean < one.high and one.standard_error > 0
    assert "25 boards with all hands in both seats" in str(one) and "±" in str(one)
    assert "(all 30 boards" in str(exact)
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.full
def test_many_boards_are_unbiased() -> None:
    """The mean of many draws is the exact value, within four standard errors."""
    strategy = drawn(merged(WITH_RANGES, (3, 4, 5)))
    exact = local_best_response(WITH_RANGES, strategy, boards=None).mean
    found = [local_best_response(WITH_RANGES, strategy, boards=50, seed=seed) for seed in range(30)]
    error = np.mean([each.standard_error for each in found]) / np.sqrt(len(found))
    assert not found[0].exact and abs(np.mean([each.mean for each in found]) - exact) < 4 * error < 0.1 * exact


def test_a_game_with_few_boards_is_measured_on_all_of_them() -> None:
    strategy = drawn(merged(PAIRS, (3, 4, 5)))
    exact = local_best_response(PAIRS, strategy, boards=None)
    assert local_best_response(PAIRS, strategy, boards=30) == local_best_response(PAIRS, strategy) == exact
    assert not local_best_response(PAIRS, strategy, boards=29).exact
    river = PublicGame(Deck("TJQK", "sh"), 2, (), NoLimit(stack=10, streets=1, pot=4))
    found = local_best_response(river, rg.poker.card_blind(river, call=1), boards=10)
    assert found.exact and found.boards == 1 and found.standard_error == 0
    assert str(found).endswith("(the only board with all hands in both seats)")


def test_winnings_below_zero_are_no_bound() -> None:
    found = local_best_response(PAIRS, rg.poker.card_blind(PAIRS, call=1), boards=None)
    assert str(found).startswith("exploitable by at least")
    lost, sampled = dataclasses.replace(found, mean=-0.5), dataclasses.replace(found, mean=0.0, exact=False)
    for each in (lost, sampled):
        assert str(each).startswith("no lower bound was found: a local best response wins")


def test_before_the_flop_the_table_of_all_ins_serves() -> None:
    """The shares of the stored table, compared with boards that are drawn."""
    hands = HandCards(rg.poker.STANDARD, 2)
    table = runouts_on(hands, (), 5)
    assert isinstance(table, PreflopRunouts)
    draw = np.random.default_rng(2)
    boards = [tuple(draw.choice(52, 5, replace=False).tolist()) for _ in range(3_000)]
    classes = draw.random((2, 169))[:, table.classes]
    close = EnumeratedRunouts(hands, boards, exact=False).shares(classes)
    for mine, theirs in zip(table.shares(classes), close, strict=True):
        assert np.abs(mine - theirs).max() < 0.05 and np.abs(mine - theirs).mean() < 0.01


@pytest.mark.full
def test_always_call_at_limit_holdem() -> None:
    """A best response wins 1163.48 mbb/g (Johanson et al. 2011); a local one must not win more."""
    game = rg.poker.LimitHoldem()
    found = local_best_response(game, rg.poker.card_blind(game, call=1), boards=40, seed=1)
    assert found.mbb is not None and 900 < found.mbb < 1163.48 + 3 * found.standard_error * 10


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"boards": 0}, "boards is a positive whole number"),
        ({"seed": -1}, "seed is a whole number"),
        ({"confidence": 1.0}, "confidence is a probability"),
        ({"confidence": True}, "confidence is a probability"),
        ({"threads": 0}, "threads is a positive"),
        ({"actions": ("limp",)}, "actions are some of bet, call, fold, raise; got .limp"),
        ({"first_street": 3}, "first_street is a number from 0 to 2"),
        ({"first_street": "sixth"}, "first_street is a number from 0 to 2"),
    ],
    ids=str,
)
def test_mistakes_are_named(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(OptionError, match=problem):
        local_best_response(PAIRS, rg.poker.card_blind(PAIRS, call=1), **given)


def test_other_games_and_objects_are_refused() -> None:
    caller = rg.poker.card_blind(PAIRS, call=1)
    other = dataclasses.replace(PAIRS, big_blind=3.0)
    with pytest.raises(OptionError, match="another game"):
        local_best_response(other, caller)
    with pytest.raises(OptionError, match="needs a game of hold'em"):
        local_best_response("kuhn", caller)
    with pytest.raises(OptionError, match=r"probabilities_on\(nodes, board\)"):
        local_best_response(PAIRS, {})
    with pytest.raises(OptionError, match="boards: give a number of boards to draw"):
        game = rg.poker.LimitHoldem()
        local_best_response(game, rg.poker.card_blind(game, call=1), boards=None)
