"""Rounds on vectors of hands: best replies as on the listed game, and a solve that comes to the published value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.evaluation.claim_games import ClaimWalks, hands_of
from regretless.games.claims import ClaimGame
from regretless.games.dudo import Dudo
from regretless.recall.dudo_round import Round

ROUNDS: list[ClaimGame] = [
    rg.games.Dudo(sides=3),
    rg.games.Dudo(dice=(2, 1), sides=2),
    rg.games.Dudo(dice=(1, 2), sides=2),
    rg.games.LiarsDice(sides=3),
    rg.games.LiarsDice(dice=(2, 1), sides=2),
]
LARGER: list[ClaimGame] = [] if INTERPRETED else [rg.games.Dudo(), rg.games.Dudo(dice=(2, 1), sides=3)]

needs_compiler = pytest.mark.skipif(INTERPRETED, reason="compiled games need the compiler")


def dice_lost(lost: int, loser: int) -> float:
    return float(lost if loser else -lost)


def open_problem(walks: ClaimWalks, strategy: rg.Strategy, game: ClaimGame) -> np.ndarray[Any, Any]:
    """A strategy of the listed game in the order of the walks, the slow and obvious way: history by history."""
    numbers = np.zeros(walks.size, walks.dtype)
    waiting = [game.root()]
    while waiting:
        state = waiting.pop()
        mover = game.player(state)
        if mover == rg.TERMINAL:
            continue
        actions = game.actions(state)
        if mover >= 0 and len(actions) > 1:
            hand, claims = game.infoset(state)
            first = walks.place_of(claims) + walks.keys(mover).tolist().index(hand)
            chances = list(strategy[mover, game.infoset_label((hand, claims))].values())
            numbers[first : first + len(actions) * walks.width[mover] : walks.width[mover]] = chances
        waiting += [game.play(state, action) for action in actions]
    return numbers


@pytest.mark.parametrize("game", [*ROUNDS, *(pytest.param(game, marks=pytest.mark.full) for game in LARGER)], ids=repr)
def test_best_replies_to_any_strategy_are_those_of_the_listed_game(game: ClaimGame) -> None:
    tree = rg.build(game)
    strategy = rg.Strategy.from_plan(tree.labels, np.random.default_rng(3).random(tree.sequences) ** 4)
    walks = ClaimWalks.of(game)
    numbers = np.zeros(walks.size), open_problem(walks, strategy, game)
    for who in range(2):
        won, sets = walks.walk(who, numbers, walks.by_tree(), 0.0, False)
        assert won == pytest.approx(rg.best_response(tree, strategy, who).value, abs=1e-12)
        assert sets == 2 ** (walks.claims - 1)


@needs_compiler
@pytest.mark.parametrize("kind", ["average", "current"])
@pytest.mark.parametrize("game", [game for game in ROUNDS + LARGER if isinstance(game, Dudo)], ids=repr)
def test_best_replies_to_a_table_are_those_of_the_listed_game(game: ClaimGame, kind: str) -> None:
    run = rg.solve(game, rg.MCCFR(listed=False, variant=rg.DCFR), iterations=60, seed=4)
    strategy: Any = run.strategy if kind == "average" else run.current
    tree = rg.build(game)
    assert rg.exploitability(game, strategy) == pytest.approx(rg.exploitability(tree, strategy.on(tree)), abs=1e-12)
    assert rg.nash_conv(tree, strategy) == pytest.approx(rg.nash_conv(game, strategy), abs=1e-12)


@pytest.mark.parametrize("recall", [1, 2, 4])
@pytest.mark.parametrize(("dice", "sides"), [((1, 1), 3), ((2, 1), 2), ((1, 2), 2)] + [((1, 1), 4)] * (not INTERPRETED))
def test_best_replies_to_one_who_forgets_are_those_of_the_listed_game(
    dice: tuple[int, int], sides: int, recall: int
) -> None:
    """The round's average, by its own names in the game that remembers everything."""
    played = Round(dice, sides, recall, dice_lost, rg.CFR_PLUS, seed=1)
    played.advance(20)
    game = Dudo(dice, sides)
    tree, walks = rg.build(game), ClaimWalks.of(game)
    table: dict[Any, list[float]] = {}
    waiting = [(game.root(), 0)]
    while waiting:
        state, memory = waiting.pop()
        mover, actions = game.player(state), game.actions(state) if game.player(state) != rg.TERMINAL else ()
        if mover >= 0:
            hand, claims = game.infoset(state)
            side, hands = played.strategies[mover], played.hands[mover]
            begin = side.first[memory] + walks.keys(mover).tolist().index(hand)
            weights = side.average[begin::hands][: len(actions)].astype(float)
            table[mover, game.infoset_label((hand, claims))] = (
                (weights / weights.sum()).tolist() if weights.sum() > 0 else [1 / len(actions)] * len(actions)
            )
        for action in actions:
            there = played.memories.child[memory, action] if mover >= 0 and action < walks.claims else memory
            waiting.append((game.play(state, action), int(there)))
    strategy = rg.Strategy.from_dict(tree, table)
    replies = played.best_replies()
    assert replies.nash_conv == pytest.approx(rg.nash_conv(tree, strategy), abs=1e-9)
    assert replies.first == pytest.approx(rg.best_response(tree, strategy, 0).value, abs=1e-9)


@pytest.mark.parametrize(("sides", "value"), [(2, 1 / 2), (3, 1 / 9)] + [(6, -7 / 258)] * (not INTERPRETED))
def test_a_round_comes_to_its_published_value(sides: int, value: float) -> None:
    solved = rg.solve_round(rg.games.Dudo(sides=sides), until=2e-3)
    low, high = solved.value
    assert solved.exploitability <= 2e-3 and low - 1e-6 <= value <= high + 1e-6
    assert solved.exploitability == pytest.approx((high - low) / 2)
    assert np.all(solved.history["value_low"] <= value + 1e-6) and np.all(value - 1e-6 <= solved.history["value_high"])


@needs_compiler
def test_two_dice_each_come_to_the_value_of_the_linear_program() -> None:
    game = rg.games.Dudo(dice=(2, 2), sides=2)
    solved = rg.solve_round(game, iterations=300)
    low, high = solved.value
    assert low - 1e-6 <= rg.equilibrium(rg.build(game)).value <= high + 1e-6 and high - low < 1e-3


@needs_compiler
def test_the_numbers_do_not_depend_on_threads() -> None:
    """16 claims are shared between threads: cut at the frontier or walked in one go."""
    one, two = (rg.solve_round(rg.games.Dudo(dice=(2, 2), sides=4), iterations=3, threads=n) for n in (1, 2))
    assert one.walks.threads == 1 and two.walks.threads == 2
    np.testing.assert_array_equal(one.average, two.average)
    assert one.history["exploitability"].tolist() == two.history["exploitability"].tolist()


@needs_compiler
def test_a_solved_round_plays() -> None:
    game = rg.games.Dudo(sides=4)
    solved, tree = rg.solve_round(game, iterations=50), rg.build(game)
    exact = rg.solve(tree, rg.CFR_PLUS, iterations=2_000).strategy
    state = game.root()
    for face in "12":
        state = game.play(state, next(a for a in game.actions(state) if game.action_label(a) == f"roll {face}"))
    chances = solved.at(state)
    assert sum(chances.values()) == pytest.approx(1) and list(chances) == list(exact["1"])
    played = rg.match(game, solved, exact, hands=400, seed=1)
    assert abs(played.mean) < 4 * played.standard_error + 0.02


def test_hands_and_their_odds() -> None:
    matching, odds = hands_of(2, 6)
    assert matching.shape == (6, 21) and odds.sum() == pytest.approx(1)


def test_mistakes_in_a_sentence() -> None:
    with pytest.raises(rg.OptionError, match=r"Dudo or rg.games.LiarsDice is needed here"):
        rg.solve_round(rg.games.Kuhn())  # type: ignore[arg-type]
    with pytest.raises(rg.OptionError, match=r"without recall=, got Dudo"):
        rg.solve_round(rg.games.Dudo(recall=2))
    with pytest.raises(rg.OptionError, match=r"make 2\^36 sets of claims, too many"):
        rg.solve_round(rg.games.Dudo(dice=(3, 3)))
    with pytest.raises(rg.OptionError, match="until is a positive number, got -1"):
        rg.solve_round(rg.games.Dudo(), until=-1)
    with pytest.raises(rg.OptionError, match="at least 1 iteration"):
        rg.solve_round(rg.games.Dudo(), iterations=0)


@needs_compiler
def test_a_table_of_another_game() -> None:
    strategy = rg.solve(rg.games.Dudo(sides=3), rg.MCCFR(listed=False), iterations=5).strategy
    with pytest.raises(rg.OptionError, match=r"the strategy is of Dudo.*sides=3.*, not of Dudo.*sides=4"):
        rg.exploitability(rg.games.Dudo(sides=4), strategy)
