"""Matches: exact ones against plain enumeration, played ones against exact ones; control variates against the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from match_players import by_infoset, pair

import regretless as rg
from conftest import INTERPRETED
from oracle import expected
from random_games import RandomGame
from regretless.sampling.playing.bots import pick, stream_of, uniform
from regretless.sampling.playing.match_play import BATCH, listed_play

HANDS = 100 if INTERPRETED else 20_000

statistical = pytest.mark.skipif(INTERPRETED, reason="many hands take too long where nothing is compiled")


def seat_by_seat(game: rg.Game, a: rg.Strategy, b: rg.Strategy) -> list[float]:
    """What a wins in each seat, by walking all histories."""

    class Seated(dict[Any, list[float]]):
        def __init__(self, seat: int) -> None:
            self.seat = seat

        def __missing__(self, key: tuple[int, Any]) -> list[float]:
            return by_infoset(game, a if key[0] == self.seat else b)(*key)

    return [expected(game, Seated(seat))[seat] for seat in range(game.players)]


# -- exact ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["kuhn", "kuhn:players=3", "battle_of_the_sexes", "leduc"])
def test_exact_matches_are_those_of_enumeration(spec: str) -> None:
    tree, strong, weak = pair(spec)
    seats = seat_by_seat(tree.game, strong, weak)
    result = rg.match(tree, strong, weak)
    assert result.exact and result.hands == 0
    assert result.by_seat == pytest.approx(seats, abs=1e-12)
    assert result.mean == result.low == result.high == pytest.approx(np.mean(seats), abs=1e-12)
    assert result.standard_error == result.variance == 0.0


def test_exact_matches_agree_with_head_to_head(kuhn: rg.Tree) -> None:
    _, strong, weak = pair("kuhn")
    assert rg.match(kuhn, strong, weak).mean == rg.head_to_head(kuhn, strong, weak)
    assert rg.match("kuhn", strong, weak) == rg.match(rg.games.Kuhn(), strong, weak) == rg.match(kuhn, strong, weak)
    assert rg.match(kuhn, weak, strong).mean == pytest.approx(-rg.match(kuhn, strong, weak).mean)


# -- played -----------------------------------------------------------------------------------------------------------


@statistical
@pytest.mark.parametrize("spec", ["kuhn", "kuhn:players=3", "battle_of_the_sexes", "leduc"])
@pytest.mark.parametrize("duplicate", [True, False])
def test_played_matches_meet_the_exact_one(spec: str, duplicate: bool) -> None:
    tree, strong, weak = pair(spec)
    exact = rg.match(tree, strong, weak)
    played = rg.match(tree, strong, weak, hands=HANDS, seed=1, exact=False, duplicate=duplicate)
    assert not played.exact and played.hands == HANDS
    assert abs(played.mean - exact.mean) < 4 * played.standard_error
    assert played.standard_error == pytest.approx((played.variance / HANDS) ** 0.5)
    assert played.mean == pytest.approx(np.mean(played.by_seat))
    error = 4 * played.standard_error * len(played.by_seat) ** 0.5 * 3
    assert played.by_seat == pytest.approx(exact.by_seat, abs=error)


@statistical
def test_uneven_chance_is_drawn_as_often_as_it_should() -> None:
    tree = rg.build(RandomGame(seed=12, players=2, depth=6))
    assert len(set(tree.listing.probability[tree.listing.probability < 1].tolist())) > 3
    uniform = rg.Strategy.uniform(tree)
    other = rg.Strategy.from_plan(tree.labels, np.random.default_rng(0).random(tree.sequences))
    exact = rg.match(tree, other, uniform).mean
    played = rg.match(tree, other, uniform, hands=HANDS, exact=False)
    assert abs(played.mean - exact) < 4 * played.standard_error
    looped = rg.match(tree, other, lambda state, actions: [1 / len(actions)] * len(actions), hands=1_000)
    assert abs(looped.mean - exact) < 4 * looped.standard_error


@statistical
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    tree, strong, weak = pair("leduc")
    truth = rg.match(tree, strong, weak).mean
    results = [rg.match(tree, strong, weak, hands=500, seed=s, exact=False, confidence=0.8) for s in range(100)]
    assert 70 <= sum(r.low < truth < r.high for r in results) <= 90
    wide = rg.match(tree, strong, weak, hands=500, exact=False, confidence=0.99)
    assert wide.low < results[0].low < results[0].high < wide.high


def test_the_kernel_plays_the_hands_of_a_plain_loop() -> None:
    tree, strong, weak = pair("leduc")
    game = tree.game
    row = by_infoset(game, weak)

    def bot(state: Any, actions: Any) -> list[float]:
        return row(game.player(state), game.infoset(state))

    hands = HANDS // 20
    for duplicate in (True, False):
        kernel = rg.match(tree, strong, weak, hands=hands, seed=3, exact=False, duplicate=duplicate)
        loop = rg.match(game, strong, bot, hands=hands, seed=3, duplicate=duplicate)
        assert loop == kernel


@statistical
def test_results_do_not_depend_on_threads_but_on_the_seed() -> None:
    tree, strong, weak = pair("leduc")
    hands = 3 * BATCH + 17
    one = rg.match(tree, strong, weak, hands=hands, exact=False, control=weak, threads=1)
    assert one == rg.match(tree, strong, weak, hands=hands, exact=False, control=weak, threads=3)
    assert one != rg.match(tree, strong, weak, hands=hands, exact=False, control=weak, seed=1)
    won, _ = listed_play(tree, strong, weak, None, 0, True)(0, hands)
    assert one.variance_without_control == pytest.approx(won.mean(axis=1).var(ddof=1), rel=1e-12)


def test_rooms_grow_with_the_number_of_actions() -> None:
    tree = rg.build(rg.games.Matrix(np.arange(200.0).reshape(1, 200).tolist()))
    uniform = rg.Strategy.uniform(tree)
    played = rg.match(tree, uniform, uniform, hands=HANDS, exact=False)
    assert played.mean == 0 and played.by_seat[0] == pytest.approx(99.5, abs=4 * 58 / HANDS**0.5)


# -- variance ---------------------------------------------------------------------------------------------------------


@statistical
def test_duplicate_deals_take_luck_out() -> None:
    tree, strong, weak = pair("leduc")
    plain = rg.match(tree, strong, weak, hands=HANDS, exact=False, duplicate=False)
    assert rg.match(tree, strong, weak, hands=HANDS, exact=False).variance < 0.8 * plain.variance
    assert rg.match(tree, strong, strong, hands=1_000, exact=False).variance == 0.0


@statistical
@pytest.mark.parametrize("spec", ["kuhn", "kuhn:players=3", "battle_of_the_sexes", "leduc"])
def test_true_values_leave_no_variance(spec: str) -> None:
    tree, strong, weak = pair(spec)
    exact = rg.match(tree, strong, weak)
    played = rg.match(tree, strong, weak, hands=1_000, exact=False, control="value")
    assert played.variance < 1e-20 < played.variance_without_control
    assert played.mean == pytest.approx(exact.mean, abs=1e-12)
    assert played.by_seat == pytest.approx(exact.by_seat, abs=1e-12)


@statistical
def test_rough_values_take_luck_out_and_noise_adds_it_but_the_mean_stays() -> None:
    tree, strong, weak = pair("leduc")
    exact = rg.match(tree, strong, weak).mean
    noise = np.random.default_rng(1).normal(0, 5, tree.histories)
    rough = rg.match(tree, strong, weak, hands=HANDS, exact=False, control=rg.Strategy.uniform(tree))
    noisy = rg.match(tree, strong, weak, hands=HANDS, exact=False, control=noise)
    assert rough.variance < 0.5 * rough.variance_without_control
    assert noisy.variance > 2 * noisy.variance_without_control == 2 * rough.variance_without_control
    for result in (rough, noisy):
        assert abs(result.mean - exact) < 4 * result.standard_error
    both = np.stack([noise, -noise])
    assert noisy == rg.match(tree, strong, weak, hands=HANDS, exact=False, control=both)


@pytest.mark.parametrize("spec", ["kuhn", "leduc"])
def test_control_variates_are_those_of_the_paper(spec: str) -> None:
    """Σ σ(a) v(h·a) − v(h·drawn) at every move, walked by hand from the same draws."""
    tree, strong, weak = pair(spec)
    worth = np.random.default_rng(2).normal(0, 1, (2, tree.histories))
    won, added = listed_play(tree, strong, weak, worth, 9, True)(0, 50)
    h, labels = tree.listing, tree.labels
    for number in range(50):
        for seat in range(2):
            cards, draws = stream_of(9, number, 0), stream_of(9, number, 1)
            node, total = 0, 0.0
            while h.mover[node] != rg.TERMINAL:
                first = int(h.first_child[node])
                children = slice(first, first + int(h.children[node]))
                if h.mover[node] == rg.CHANCE:
                    cards = (cards + 0x9E3779B97F4A7C15) % 2**64
                    chances, draw = h.probability[children], uniform(cards)
                else:
                    draws = (draws + 0x9E3779B97F4A7C15) % 2**64
                    strategy = strong if h.mover[node] == seat else weak
                    chances = strategy.probabilities[labels.sequences_of(h.index[node])]
                    draw = uniform(draws)
                node = first + pick(chances.tolist(), draw)
                total += chances @ worth[seat, children] - worth[seat, node]
            assert won[number, seat] == h.payoffs[h.index[node], seat]
            assert added[number, seat] == pytest.approx(total, abs=1e-12)
