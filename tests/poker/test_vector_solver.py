"""Vector CFR on public trees against the same games expanded history by history, number by number."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from expanded import ExpandedGame, SideBySide
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_vectors import SlowVectors, played

import regretless as rg
from conftest import INTERPRETED
from regretless.poker import Deck, Limit, NoLimit, PublicGame, Range
from regretless.variants import VARIANTS

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")

SHORT = Deck("9TJQKA", "shd")
"""The 18 cards of mini flop hold'em."""


def uneven_range(deck: Deck, count: int, seed: int, board: str = "") -> Range:
    """Some hands of two cards with weights that no symmetry of suits leaves alone."""
    generator = np.random.default_rng(seed)
    free = np.flatnonzero(~np.isin(deck.hands(2), deck.cards(board)).any(axis=1))
    weights = np.zeros(len(deck.hands(2)))
    chosen = generator.choice(free, count, replace=False)
    weights[chosen] = generator.integers(1, 9, count) / 8
    return Range(weights, deck)


@cache
def kuhn() -> PublicGame:
    return PublicGame(Deck("JQK", "s"), 1, (), Limit(streets=1, bets=1, caps=1, blinds=(0, 0), ante=1))


@cache
def leduc() -> PublicGame:
    return PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1))


def raked_spot() -> PublicGame:
    """A turn in no-limit: two streets, all-in lines, rake, weights in both ranges; 24 cards."""
    deck, board = Deck("9TJQKA", "shdc"), "As Kd 9h Ts"
    betting = NoLimit(pot=10, stack=23, streets=2, sizes="bet 60%, raise 70%", caps=2, rake=0.06, rake_cap=1.7)
    ranges = (uneven_range(deck, 9, 1, board), uneven_range(deck, 11, 2, board))
    return PublicGame(deck, 2, (1,), betting, board, ranges)


def three_streets() -> PublicGame:
    """A flop in no-limit down to the river: all-in before cards come, and bets of uneven sizes."""
    deck, board = Deck("9TJQKA", "shd"), "As Kd 9h"
    betting = NoLimit(pot=10, stack=17, streets=3, sizes="bet 90%, raise all-in", caps=(1, 1, 2), add_all_in=0)
    return PublicGame(
        deck, 2, (1, 1), betting, board, (uneven_range(deck, 4, 3, board), uneven_range(deck, 5, 4, board))
    )


GAMES: dict[str, Callable[[], PublicGame]] = {
    # Uneven blinds and odd bets, so that no two actions are worth the same: at a tie rounding decides what is played.
    "kuhn": lambda: PublicGame(
        Deck("JQKA", "s"), 1, (), Limit(streets=1, bets=1.3, caps=2, blinds=(0.3, 0.45), ante=1), isomorphism=False
    ),
    "leduc": lambda: PublicGame(
        Deck("JQK", "sh"), 1, (1,), Limit(bets=(2.1, 4.3), caps=2, blinds=(0.3, 0.8), ante=1), isomorphism=False
    ),
    "leduc up to suits": lambda: PublicGame(
        Deck("JQKA", "sh"), 1, (1,), Limit(bets=(2.1, 4.3), caps=2, blinds=(0.3, 0.8), ante=1)
    ),
    "mini flop hold'em, two ranges": lambda: PublicGame(
        SHORT, 2, (3,), Limit(bets=101, caps=(1, 1), blinds=(51, 97)), "",
        (Range.parse("AA,99:0.5", SHORT), Range.parse("AKs,QJs:0.75", SHORT)),
    ),
    "a range that the turn can block": lambda: PublicGame(
        SHORT, 2, (1,), Limit(bets=(10.3, 20.7), caps=2, blinds=(0, 0), pot=31), "Ks Qd 9h",
        (Range.parse("AsAh", SHORT), Range.parse("TT,JJ:0.5,AdTd:0.25", SHORT)),
    ),
    "raked no-limit turn": raked_spot,
    "no-limit flop": three_streets,
    "four streets": lambda: PublicGame(
        Deck("QKA", "sh"), 1, (1, 1, 1),
        Limit(streets=4, bets=(1.1, 2.3, 3.7, 5.9), caps=(1, 0, 1, 1), blinds=(0.3, 0.8)),
    ),
}  # fmt: skip
ITERATIONS = 6


@cache
def expanded(name: str) -> rg.Tree:
    game = GAMES[name]()
    # Where the game is the same in all suits, one of the deals that differ by suits stands for all of them.
    return rg.build(ExpandedGame(game, canonical=name in ("mini flop hold'em, two ranges", "four streets")))


@pytest.mark.parametrize(
    ("game", "variant"),
    [
        *((name, "cfr+") for name in GAMES),
        *(("leduc", name) for name in ("cfr", "linear", "dcfr", "pcfr+", "pdcfr+", "hs-dcfr")),
        *(("raked no-limit turn", name) for name in ("linear", "pdcfr+")),
    ],
)
def test_same_iterates_as_on_the_tree(game: str, variant: str) -> None:
    """Values and best responses after each iteration, and in the end the last iterate and the average."""
    sides = SideBySide(GAMES[game](), expanded(game), VARIANTS[variant])
    for _ in range(ITERATIONS):
        sides.advance()
        assert sides.difference() < 1e-9
    assert sides.strategies_differ() < 1e-9


def test_before_anything_is_averaged() -> None:
    """Iterations that a delay leaves out of the average: till then the strategy is the last iterate."""
    sides = SideBySide(GAMES["leduc"](), expanded("leduc"), rg.CFR_PLUS.replace(delay=3))
    for _ in range(5):
        sides.advance()
        assert sides.difference() < 1e-9
    run: Any = rg.solve(GAMES["leduc"](), rg.CFR_PLUS.replace(delay=3), iterations=2, dtype="float64")
    assert np.array_equal(run.strategy.block(0, 0), run.current.block(0, 0))
    assert len(np.unique(run.strategy.block(0, 0))) > 1


@pytest.mark.parametrize(("game", "name"), [(kuhn(), "kuhn"), (leduc(), "leduc")])
def test_the_games_of_the_library(game: PublicGame, name: str) -> None:
    """The uniform strategy is worth the same, against itself and against best responses, as in `rg.games`."""
    tree = rg.build(rg.games.by_name(name))
    gaps = [rg.best_response(tree, rg.Strategy.uniform(tree), player).value for player in range(2)]
    learner = rg.CFR_PLUS.learner(game.problem(), rg.Settings(dtype="float64"))
    found = learner.values(learner.source)
    assert found[0][0] == pytest.approx(gaps[0], abs=1e-12) and found[1][0] == pytest.approx(gaps[1], abs=1e-12)
    assert found[0][1] == pytest.approx(rg.value(tree, rg.Strategy.uniform(tree)), abs=1e-12)
    assert learner.measure()["nash_conv"] == pytest.approx({"kuhn": 11 / 12, "leduc": 4.747222}[name], abs=1e-6)


@pytest.mark.parametrize(("game", "value"), [(kuhn(), -1 / 18), (leduc(), -0.085606424078)])
def test_known_values(game: PublicGame, value: float) -> None:
    run: Any = rg.solve(game, rg.CFR_PLUS, iterations=2_000, dtype="float64")
    assert run.value == pytest.approx(value, abs=5e-5)
    assert run.history.value_least[-1] <= value <= run.history.value_most[-1]
    assert run.exploitability < 3e-4


def test_mini_flop_holdem_by_brute_force() -> None:
    """All 153 hands, all 816 flops: every value again from matrices of who beats whom."""
    game = PublicGame(SHORT, 2, (3,), Limit(bets=100, caps=(0, 2), blinds=(50, 100)))
    run: Any = rg.solve(game, rg.CFR_PLUS, iterations=4, dtype="float64")
    best = SlowVectors(game, played(run.strategy)).values()
    assert run.nash_conv == pytest.approx(sum(response - own for response, own in best), abs=1e-9)
    assert run.value == pytest.approx(best[0][1], abs=1e-9) and run.value == pytest.approx(-best[1][1], abs=1e-9)


@pytest.mark.parametrize(
    "game",
    [
        PublicGame(Deck("9TJQKA", "sh"), 3, (1,), Limit(bets=(2, 4), caps=2, blinds=(1, 2))),
        PublicGame(Deck("9TJQKA", "sh"), 3, (2,), Limit(bets=(2, 4), caps=1, blinds=(1, 2)), "Ts"),
        PublicGame(Deck("TJQKA", "sh"), 4, (1,), Limit(bets=(2, 4), caps=2, blinds=(1, 2)), isomorphism=False),
    ],
    ids=["three cards", "three cards beside a board", "four cards"],
)
def test_hands_of_three_and_four_cards(game: PublicGame) -> None:
    """Card removal by sums over pairs and triples of cards.

    Iterates are not compared: hands of so few cards meet opponents who never come, and then what is zero on a tree is
    what rounding leaves of a sum over subsets.
    """
    run: Any = rg.solve(game, rg.CFR_PLUS, iterations=5, dtype="float64")
    best = SlowVectors(game, played(run.strategy)).values()
    assert run.nash_conv == pytest.approx(sum(response - own for response, own in best), abs=1e-9)
    assert run.value == pytest.approx(best[0][1], abs=1e-9)


def any_game(seed: int) -> PublicGame:
    """Some deck, hands, board, streets, betting and (for two cards) ranges that go together."""
    generator = np.random.default_rng(seed)
    streets = int(generator.integers(1, 4))
    deck = Deck("TJQKA"[: generator.integers(4, 6)], "shd"[: generator.integers(1, 4 if streets < 3 else 3)])
    hand_size = min(int(generator.integers(1, 4)), deck.size // 2)
    most = min(deck.size - 2 * hand_size, 7 - hand_size, 4)
    streets = min(streets, most + 1)
    dealt = (1,) * (streets - 1)
    first = generator.choice(deck.size, int(generator.integers(0, most - len(dealt) + 1)), replace=False)
    betting: Any = Limit(
        streets=streets, bets=tuple(generator.uniform(1, 9, streets)), caps=1, ante=1, blinds=(0, 0),
        first=tuple(generator.integers(0, 2, streets)),
    )  # fmt: skip
    if generator.random() < 0.5:
        sizes = "bet 60%, raise 70%" if streets < 3 else "bet 120%"
        betting = NoLimit(stack=9, streets=streets, sizes=sizes, ante=1, blinds=(0.5, 1), caps=1, rake=0.03)
    ranges: Any = (None, None)
    if hand_size == 2 and len(first) == 0 and deck.size >= 8:
        ranges = tuple(uneven_range(deck, len(deck.hands(2)) // 2, seed + player) for player in range(2))
    symmetric = bool(generator.random() < 0.7)
    return PublicGame(deck, hand_size, dealt, betting, tuple(first), ranges, isomorphism=symmetric)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=20)
def test_any_strategy_of_any_game(seed: int) -> None:
    """Values and best responses of random strategies in random games, by brute force."""
    game = any_game(seed)
    learner = rg.CFR_PLUS.learner(game.problem(), rg.Settings(dtype="float64"))
    learner.numbers.average[:] = np.random.default_rng(seed).exponential(size=learner.public.numbers) ** 3
    expected = SlowVectors(game, played(learner.average_strategy())).values()
    assert np.abs(np.array(learner.values(learner.numbers.average)) - expected).max() < 1e-9


@pytest.mark.full
@pytest.mark.parametrize("isomorphism", [True, False])
def test_mini_flop_holdem_on_the_tree(isomorphism: bool) -> None:
    """All 153 hands and one card as the flop, so that the tree has 1.2 million histories even up to suits."""
    game = PublicGame(SHORT, 2, (1,), Limit(bets=101, caps=1, blinds=(51, 97)), isomorphism=isomorphism)
    tree = rg.build(ExpandedGame(game, canonical=True))
    for variant in (rg.CFR_PLUS, rg.PDCFR_PLUS):
        sides = SideBySide(game, tree, variant)
        for _ in range(ITERATIONS):
            sides.advance()
            assert sides.difference() < 1e-9
        assert sides.strategies_differ() < 1e-9
