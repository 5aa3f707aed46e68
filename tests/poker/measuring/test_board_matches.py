"""Matches on boards and spots, compared with exact results on the public tree."""

from __future__ import annotations

import dataclasses
from itertools import permutations

import numpy as np
import pytest
from drawn_buckets import drawn, merged
from test_flop_measurement import TWO_STREETS, WITH_RANGES

import regretless as rg
from regretless.errors import OptionError
from regretless.poker import BettingTree, Deck, Limit, LimitHoldem, NoLimit, PublicGame, Spot
from regretless.poker.measuring.board_matches import BoardMatch, match_on_boards
from regretless.poker.measuring.bucket_walker import node_tables

PAIRS = PublicGame(Deck("TJQ", "sh"), 2, (1, 1), Limit(streets=3, bets=2, caps=1, blinds=(1, 2)))


@pytest.mark.full
@pytest.mark.parametrize("game", [TWO_STREETS, PAIRS, WITH_RANGES], ids=["one card", "two cards", "ranges"])
def test_all_boards_together_have_the_exact_result(game: PublicGame) -> None:
    """The strategies have different abstractions."""
    counts = (3, 4, 5)[: len(game.board_cards) + 1]
    a, b = drawn(merged(game, counts)), drawn(merged(game, tuple(c + 1 for c in counts)), seed=5)
    match, tables = BoardMatch(game), (node_tables(a), node_tables(b))
    boards = list(permutations(range(game.deck.size), sum(game.board_cards)))
    won = np.array([match.winnings(board, *tables) for board in boards]).mean()
    assert won == pytest.approx(a.public.against(b.public), abs=2e-6)


@pytest.mark.full
def test_a_match_draws_boards() -> None:
    game = merged(PAIRS, (3, 4, 5))
    a, b = drawn(game), drawn(game, seed=5)
    played = rg.match(PAIRS, a, b, hands=40, exact=False, seed=2, threads=2)
    assert played.all_hands and played.low < a.against(b) < played.high
    assert "40 boards played in both seats with all hands" in str(played)
    again = match_on_boards(a, b, 40, 2, threads=1)
    assert again.mean() == pytest.approx(played.mean, abs=1e-12)
    assert rg.match(PAIRS, a, b).exact and rg.match(PAIRS, a, b).mean == pytest.approx(a.against(b))


def test_other_games_and_other_strategies_are_refused() -> None:
    game = merged(PAIRS, (3, 4, 5))
    with pytest.raises(OptionError, match="different games"):
        match_on_boards(drawn(game), drawn(merged(WITH_RANGES, (3, 4, 5))), 3, 0)
    with pytest.raises(OptionError, match="two strategies that answer board by board"):
        drawn(game).against_on_boards(rg.Strategy.uniform(PAIRS), 3, 0, None)


# -- spots --------------------------------------------------------------------------------------------------------


def subtree(tree: BettingTree, node: int) -> list[int]:
    """The nodes below a node, breadth first."""
    out = [node]
    for each in out:
        first = int(tree.first_child[each])
        out += range(first, first + int(tree.children[each]))
    return out


@pytest.mark.parametrize(
    ("game", "line", "board"),
    [
        (PAIRS, "call check", "Ts"),
        (PAIRS, "raise call / check bet call", "Ts Js"),
        (dataclasses.replace(PAIRS, betting=NoLimit(stack=20, streets=3, blinds=(1, 2))), "call check", "Ts"),
    ],
    ids=["second street", "third street", "no-limit"],
)
def test_a_spot_has_the_ranges_that_arrive(game: PublicGame, line: str, board: str) -> None:
    strategy = drawn(merged(game, (3, 4, 5)), seed=8)
    betting, spot = strategy.tree.betting_tree, strategy.spot(line, board)
    node = betting.find(line)
    assert spot.first_board == game.deck.cards(board)
    below, rest = subtree(betting, node), spot.betting_tree()
    assert rest.kind.tolist() == betting.kind[below].tolist()
    assert rest.win == pytest.approx(betting.win[below]) and rest.lose == pytest.approx(betting.lose[below])
    taken = line.replace("/", "").split()
    for name in ("ThQs", "JhQh"):
        expected, at = [1.0, 1.0], 0
        for step, action in enumerate(taken):
            here = betting.find(" ".join(taken[:step]))
            cards = " ".join(board.split()[: int(betting.street[here])])
            expected[int(betting.kind[here])] *= strategy.at(" ".join(taken[:step]), cards)[name][action]
            at += 1
        hand = game.deck.hands(2).tolist().index(sorted(game.deck.cards(name)))
        found = [float(chosen.weights[hand]) for chosen in spot.ranges if chosen is not None]
        assert at and found == pytest.approx(expected)


def test_a_spot_of_no_limit_holdem_begins_with_the_player_out_of_position() -> None:
    game = rg.poker.Holdem(stack=2_000, sizes="bet 100%, raise 100%")
    strategy = rg.poker.card_blind(game, fold=1, call=1, raise_=2)
    spot = strategy.spot("raise call", "Qs Jh 2h")
    assert isinstance(spot, Spot) and spot.pot == 600 and spot.betting.chips == 1_700
    hand = game.deck.hands(2).tolist().index(sorted(game.deck.cards("AsKh")))
    found = [float(chosen.weights[hand]) for chosen in spot.ranges if chosen is not None]
    assert found == pytest.approx([0.25, 0.5])


def test_a_spot_takes_other_sizes() -> None:
    sizes = "bet 50% 75% 120%, raise 3x"
    strategy = rg.poker.card_blind(rg.poker.Holdem(stack=2_000, sizes="bet 100%"), fold=1, call=1, raise_=2)
    coarse, fine = (strategy.spot("call check", "Qs Jh 2h", sizes=given) for given in (None, sizes))
    assert coarse.betting_tree().actions[0] == ("check", "bet 200")
    assert fine.betting_tree().actions[0] == ("check", "bet 100", "bet 150", "bet 240")
    assert isinstance(fine, Spot) and fine.pot == 200 and fine.betting.least_bet == 100
    pairs = dataclasses.replace(PAIRS, betting=NoLimit(stack=20, streets=3, blinds=(1, 2)))
    small = drawn(merged(pairs, (3, 4, 5)), seed=8).spot("call check", "Ts", sizes="bet 50%")
    assert small.betting_tree().actions[0] == ("check", "bet 2") and small.ranges[0] is not None
    with pytest.raises(OptionError, match="is a limit game, whose bets have one size: leave out sizes="):
        rg.poker.card_blind(LimitHoldem(), call=1).spot("call check", "Qs Jh 2h", sizes=sizes)


def test_spots_begin_where_cards_are_dealt() -> None:
    strategy = rg.poker.card_blind(LimitHoldem(), call=1)
    assert strategy.spot("call check", "Qs Jh 2h").pot == 200
    for line, board, problem in (
        ("call", "", "in the middle of a street"),
        ("fold", "", "end of a hand"),
        ("call check", "Qs Jh", "a board of 3 cards, got 2"),
        ("raise call", "Qs Jh 2h", "player 0 never plays"),
    ):
        with pytest.raises(OptionError, match=problem):
            strategy.spot(line, board)


def test_games_with_the_same_name_are_told_apart() -> None:
    other = dataclasses.replace(TWO_STREETS, betting=Limit(streets=2, bets=(3, 6)))
    a, b = rg.poker.card_blind(TWO_STREETS, call=1), rg.poker.card_blind(other, call=1)
    for call in (lambda: rg.match(TWO_STREETS, a, b), lambda: rg.exploitability(other, a)):
        with pytest.raises(rg.OptionError, match=r"another game with the name|different games"):
            call()


def test_the_game_of_a_match_is_that_of_both_strategies() -> None:
    other = dataclasses.replace(TWO_STREETS, betting=Limit(streets=2, bets=(3, 6)))
    a, b = rg.poker.card_blind(TWO_STREETS, call=1), rg.Strategy.uniform(TWO_STREETS)
    won = rg.match(TWO_STREETS, a, b).mean
    locked = merged(TWO_STREETS.lock("", {"fold": 1.0}), (2, 3))  # neither locks nor buckets are rules of the game
    assert rg.match(locked, a, b).mean == rg.head_to_head(TWO_STREETS, a, b) == won
    for call in (
        lambda: rg.match(other, a, b),
        lambda: rg.match(other, a, a, exact=False, hands=2),
        lambda: rg.match(other, b, b),
        lambda: rg.head_to_head(other, a, b),
    ):
        with pytest.raises(OptionError, match="another game with the name"):
            call()
    with pytest.raises(OptionError, match="of hulh, not of poker"):
        rg.match(TWO_STREETS, a, rg.poker.card_blind(LimitHoldem(), call=1))


def test_a_run_is_no_strategy() -> None:
    run = rg.solve(TWO_STREETS, rg.DCFR, iterations=1)
    with pytest.raises(OptionError, match=r"of a run pass its \.strategy"):
        rg.match(TWO_STREETS, run, run)
    with pytest.raises(OptionError, match=r"a Strategy is needed here, got <Run of .*; pass its \.strategy"):
        rg.exploitability(TWO_STREETS, run)  # type: ignore[arg-type]


@pytest.mark.full
def test_the_abstraction_of_the_game_does_not_matter() -> None:
    game = dataclasses.replace(TWO_STREETS, abstraction=rg.poker.abstract(TWO_STREETS, buckets=2))
    found = rg.exploitability(game, rg.poker.card_blind(game, call=1e308, raise_=1e308))
    assert found == rg.exploitability(TWO_STREETS, rg.poker.card_blind(TWO_STREETS, call=1, raise_=1))
