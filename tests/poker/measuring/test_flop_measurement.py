"""Exploitability flop by flop, compared with the public tree of the same game and with an independent solution."""

from __future__ import annotations

import dataclasses
import math
import pickle
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_buckets import drawn, merged
from slow_poker import score

import regretless as rg
from regretless.errors import FileError, OptionError
from regretless.kernels.constants import DEAL, FOLD
from regretless.poker import Deck, Limit, NoLimit, PublicGame, Range
from regretless.poker.measuring import flop_measurement
from regretless.poker.measuring.bucket_walker import node_tables
from regretless.poker.measuring.flop_estimate import estimated_seconds
from regretless.poker.measuring.flop_measurement import measure_by_flops
from regretless.poker.measuring.trunk import Trunk
from regretless.poker.solving.responses import best_responses

FOUR_STREETS = PublicGame(
    Deck("TJQK", "shd"), 2, (2, 1, 1), Limit(streets=4, bets=(2, 2, 4, 4), caps=(1, 2, 1, 2), blinds=(1, 2)),
    big_blind=2.0,
)  # fmt: skip
TWO_STREETS = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
WITH_RAKE = PublicGame(Deck("TJQK", "sh"), 2, (1, 1), NoLimit(stack=10, streets=3, blinds=(1, 2), rake=0.1))
SHORT = Deck("TJQK", "sh")
WITH_RANGES = dataclasses.replace(
    PublicGame(SHORT, 2, (1, 1), Limit(streets=3, bets=2, caps=1, blinds=(1, 2))),
    ranges=(
        Range.from_weights(np.linspace(0, 1, 28), deck=SHORT),
        Range.from_weights(np.where(np.arange(28) % 3, 1.0, 0.0), deck=SHORT),
    ),
)


@pytest.mark.full
@pytest.mark.parametrize(
    "game",
    [
        merged(TWO_STREETS, (2, 4)),
        merged(WITH_RAKE, (3, 4, 5)),
        merged(WITH_RANGES, (3, 4, 5), "perfect"),
        dataclasses.replace(merged(WITH_RANGES, (3, 4, 5)), isomorphism=False),
    ],
    ids=["two streets", "rake", "ranges", "no isomorphism"],
)
def test_flops_add_up_to_the_public_tree(game: PublicGame) -> None:
    strategy = drawn(game)
    found = measure_by_flops(strategy, dtype="float64", threads=2)
    expected = best_responses(strategy.public)
    assert found.exact and found.low == found.high == float(found)
    assert found.best_responses == pytest.approx([best for best, _ in expected], rel=2e-6)
    if found.values is not None:
        assert found.values == pytest.approx([own for _, own in expected], rel=2e-6)
    assert float(found) == pytest.approx(strategy.public.nash_conv() / 2, rel=2e-6)


@pytest.mark.full
def test_four_streets_add_up_to_the_public_tree() -> None:
    strategy = drawn(merged(FOUR_STREETS, (5, 6, 7, 8)))
    one, two = (measure_by_flops(strategy, threads=threads) for threads in (1, 2))
    assert float(one) == float(two)
    assert float(one) == pytest.approx(strategy.public.nash_conv() / 2, rel=2e-6)
    assert one.mbb == pytest.approx(500 * strategy.public.nash_conv() / 2)


# -- strategies that see no cards ---------------------------------------------------------------------------------


class BlindResponse:
    """The best response to a card-blind strategy: a decision process of one player with all hands equally likely.

    The other player's hand is independent of the betting. So a state is the betting node, the own hand and the board,
    and the value of a showdown is the mean over all hands that the other player can hold.
    """

    def __init__(self, game: PublicGame, weights: tuple[float, float, float], player: int) -> None:
        self.game, self.betting, self.player = game, game.betting_tree(), player
        self.weights = weights
        self.dealt = [0, *np.cumsum(game.board_cards).tolist()]
        self.scored = cache(lambda cards: score(game.deck, list(cards)))

    def value(self) -> float:
        hands = list(combinations(range(self.game.deck.size), 2))
        return sum(self.at(0, hand, ()) for hand in hands) / len(hands)

    def at(self, node: int, hand: tuple[int, ...], board: tuple[int, ...]) -> float:
        betting, kind = self.betting, int(self.betting.kind[node])
        children = range(int(betting.first_child[node]), int(betting.first_child[node] + betting.children[node]))
        if kind == FOLD:
            return float(betting.win[node, self.player])
        if kind == DEAL:
            count = self.game.board_cards[int(betting.street[node])]
            left = [c for c in range(self.game.deck.size) if c not in hand and c not in board]
            deals = list(combinations(left, count))
            return sum(self.at(children[0], hand, tuple(sorted(board + deal))) for deal in deals) / len(deals)
        if kind > DEAL:
            return self.showdown(node, hand, board)
        values = [self.at(child, hand, board) for child in children]
        if kind == self.player:
            return max(values)
        names = betting.actions[node]
        fold, call, raise_ = self.weights
        chances = [fold if n == "fold" else call if n in ("check", "call") else raise_ for n in names]
        if not sum(chances):
            chances = [float(n in ("check", "call")) for n in names]
        return sum(c * v for c, v in zip(chances, values, strict=True)) / sum(chances)

    def showdown(self, node: int, hand: tuple[int, ...], board: tuple[int, ...]) -> float:
        won, tied, lost = self.shares(hand, board)
        table = self.betting
        payoff = (table.win[node, self.player], table.tie[node, self.player], table.lose[node, self.player])
        return float(won * payoff[0] + tied * payoff[1] + lost * payoff[2])

    def shares(self, hand: tuple[int, ...], board: tuple[int, ...]) -> tuple[float, float, float]:
        mine = self.scored(tuple(sorted(hand + board)))
        left = [c for c in range(self.game.deck.size) if c not in hand and c not in board]
        others = [self.scored(tuple(sorted(pair + board))) for pair in combinations(left, 2)]
        better, same = sum(o < mine for o in others), sum(o == mine for o in others)
        return better / len(others), same / len(others), (len(others) - better - same) / len(others)


SMALL = PublicGame(
    Deck("JQK", "sh"), 2, (1, 1), Limit(streets=3, bets=(2, 4, 4), caps=(1, 1, 1), blinds=(1, 2)), big_blind=2.0
)


@pytest.mark.full
@pytest.mark.parametrize("weights", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1), (1, 2, 3)])
def test_card_blind_strategies_have_an_independent_solution(weights: tuple[float, float, float]) -> None:
    fold, call, raise_ = weights
    strategy = rg.poker.card_blind(SMALL, fold=fold, call=call, raise_=raise_)
    found = measure_by_flops(strategy, dtype="float64")
    expected = [BlindResponse(SMALL, weights, player).value() for player in range(2)]
    assert found.best_responses == pytest.approx(expected, rel=1e-6)
    assert rg.exploitability(SMALL, strategy) == pytest.approx(sum(expected) / 2, rel=1e-6)


@pytest.mark.full
def test_card_blind_strategies_of_limit_holdem() -> None:
    game = rg.poker.LimitHoldem()
    strategy = rg.poker.card_blind(game, fold=1)
    assert strategy.at("")["AsKh"] == {"fold": 1.0, "call": 0.0, "raise": 0.0}
    assert strategy.at("call")["AsKh"] == {"check": 1.0, "raise": 0.0}
    uniform = rg.Strategy.uniform("hulh")
    assert uniform.at("raise raise")["2c2d"] == pytest.approx({"fold": 1 / 3, "call": 1 / 3, "raise": 1 / 3})
    assert uniform.at("call check", "Qs Jh 2h")["AsKh"] == {"check": 0.5, "bet": 0.5}
    sizes = rg.poker.card_blind(rg.poker.Holdem(stack=2_000, sizes="bet 50% 100%, raise 100%"), call=1, raise_=1)
    assert sizes.at("call check", "Qs Jh 2h")["AsKh"]["check"] == 0.5


@pytest.mark.parametrize("weights", [{}, {"fold": -1}, {"call": math.nan}, {"raise_": "1"}])
def test_wrong_probabilities_are_refused(weights: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"probability"):
        rg.poker.card_blind(SMALL, **weights)


def test_card_blind_needs_a_game_of_holdem() -> None:
    with pytest.raises(OptionError, match="needs a game of hold'em"):
        rg.poker.card_blind(rg.games.Kuhn(), call=1)  # type: ignore[arg-type]


# -- samples of flops ---------------------------------------------------------------------------------------------


@pytest.mark.full
def test_samples_estimate_what_all_flops_give(tmp_path: Path) -> None:
    """Over many samples the mean error is within its own uncertainty and intervals cover the exact result."""
    game = merged(
        PublicGame(Deck("9TJQKA", "sh"), 2, (1, 1), Limit(streets=3, bets=2, caps=1, blinds=(1, 2))), (9, 9, 9)
    )
    strategy = drawn(dataclasses.replace(game, isomorphism=False))
    path = tmp_path / "all.flops"
    exact = float(measure_by_flops(strategy, checkpoint=path))
    samples = [measure_by_flops(strategy, flops=8, seed=seed, checkpoint=path) for seed in range(150)]
    errors = np.array([float(one) - exact for one in samples])
    assert abs(errors.mean()) < 4 * errors.std() / math.sqrt(len(errors)) + 0.002
    assert np.mean([one.low <= exact <= one.high for one in samples]) > 0.85
    assert np.mean([one.standard_error for one in samples]) == pytest.approx(errors.std(), rel=0.35)


def test_a_sample_says_what_it_is() -> None:
    strategy = drawn(merged(WITH_RANGES, (3, 4, 5)))
    found: Any = rg.exploitability(strategy.tree.game, strategy, flops=3, seed=1)
    assert not found.exact and found.flops == 3 and found.low < found < found.high
    assert "3 flops drawn at random" in str(found) and "±" in str(found)
    many: Any = rg.exploitability(strategy.tree.game, strategy, flops=4, seed=1)  # some are drawn twice
    different = len(many.trunk.flops["flop"])
    assert different < many.flops == 4 and f"4 flops drawn at random, {different} of them different" in str(many)
    again = pickle.loads(pickle.dumps(found))
    assert again == found and again.low == found.low
    with pytest.raises(AttributeError, match="cannot be changed"):
        found.low = 0.0
    assert "exact" in str(rg.exploitability(strategy.tree.game, strategy, flops=10_000))


# -- files --------------------------------------------------------------------------------------------------------


def test_a_measurement_goes_on_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strategy, path = drawn(merged(WITH_RANGES, (3, 4, 5))), tmp_path / "some.flops"
    whole = measure_by_flops(strategy)
    part = measure_by_flops(strategy, flops=3, checkpoint=path)
    assert not part.exact
    calls = []
    values = flop_measurement.FlopGame.values
    monkeypatch.setattr(flop_measurement.FlopGame, "values", lambda self, f: calls.append(f) or values(self, f))
    found = measure_by_flops(strategy, checkpoint=path)
    assert float(found) == float(whole) and 0 < len(calls) < whole.flops
    calls.clear()
    assert float(measure_by_flops(strategy, checkpoint=path)) == float(whole) and not calls


def test_an_interrupted_measurement_keeps_its_flops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strategy, path = drawn(merged(WITH_RANGES, (3, 4, 5))), tmp_path / "some.flops"
    values, calls = flop_measurement.FlopGame.values, []

    def interrupted(self: Any, flop: Any) -> Any:
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(flop)
        return values(self, flop)

    monkeypatch.setattr(flop_measurement.FlopGame, "values", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure_by_flops(strategy, checkpoint=path)
    monkeypatch.setattr(flop_measurement.FlopGame, "values", values)
    assert float(measure_by_flops(strategy, checkpoint=path)) == float(measure_by_flops(strategy))


def test_files_of_other_strategies_and_damaged_files_are_refused(tmp_path: Path) -> None:
    game, path = merged(WITH_RANGES, (3, 4, 5)), tmp_path / "some.flops"
    measure_by_flops(drawn(game), flops=2, checkpoint=path)
    with pytest.raises(FileError, match="another strategy"):
        measure_by_flops(drawn(game, seed=4), checkpoint=path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FileError):
        measure_by_flops(drawn(game), checkpoint=path)


# -- messages -----------------------------------------------------------------------------------------------------


def test_long_measurements_say_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    strategy = drawn(merged(WITH_RANGES, (3, 4, 5)))
    monkeypatch.setattr(flop_measurement, "ANNOUNCED_FROM", 0.0)
    count = measure_by_flops(strategy).flops
    before, after = capsys.readouterr().err.splitlines()
    assert before.startswith(f"{count} flops take about 0 s")
    assert after.startswith(f"after the first flop, the other {count - 1} take about")
    measure_by_flops(strategy, progress=True)
    monkeypatch.setattr(flop_measurement, "LONGEST", 0.0)
    monkeypatch.setattr(flop_measurement.FlopGame, "values", None)  # it is refused before the first flop
    with pytest.raises(OptionError, match=f"^{count} flops take about 0 s on this machine: give checkpoint=FILE"):
        measure_by_flops(strategy)


def test_the_time_of_limit_holdem_is_estimated_from_its_size() -> None:
    """A flop takes about 60 processor seconds (docs/results/hulh.md), 1,755 of them 29 hours."""
    game = rg.poker.card_blind(rg.poker.LimitHoldem(), call=1).flop_game("float32", 1, "cpu")
    hours = estimated_seconds(game, range(1_755)) / 3_600  # type: ignore[operator]
    assert 20 < hours < 40
    game.threads = 2
    assert estimated_seconds(game, range(1_755)) == pytest.approx(1_800 * hours)
    game.device = "cuda"
    assert estimated_seconds(game, range(1_755)) is None


@pytest.mark.parametrize(
    "settings",
    [
        {"flops": 1},
        {"flops": True},
        {"flops": 2.5},
        {"seed": -1},
        {"threads": 0},
        {"dtype": "int8"},
        {"progress": "yes"},
        {"confidence": 2},
        {"confidence": "x"},
        {"confidence": True},
        {"checkpoint": 5},
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(settings))):
        rg.exploitability(SMALL, rg.poker.card_blind(SMALL, call=1), **settings)


def test_settings_of_flops_are_for_buckets_alone() -> None:
    with pytest.raises(OptionError, match="flops= is for strategies"):
        rg.exploitability(TWO_STREETS, rg.Strategy.uniform(TWO_STREETS), flops=3)
    one_street = PublicGame(Deck("JQK", "s"), 1, (), Limit(streets=1, bets=1, caps=1, blinds=(0, 0), ante=1))
    with pytest.raises(OptionError, match="no flops"):
        rg.exploitability(one_street, rg.poker.card_blind(one_street, call=1), flops=3)


def test_always_fold_gives_750_mbb_away_before_the_flop() -> None:
    """The figure of Johanson et al. 2011, Table 1: mean of 100 chips as the big blind and 50 as the small blind."""
    game = rg.poker.LimitHoldem()
    tables = node_tables(rg.poker.card_blind(game, fold=1))
    trunk = Trunk(game, game.betting_tree(), (tables, tables))
    lines = np.zeros((len(trunk.deals), 1_326))  # a line to the flop wins at most the same 100 chips
    won = [trunk.worth(player, trunk.values(player, lines)) for player in range(2)]
    assert won == pytest.approx([100, 50], abs=1e-9)
    assert 1_000 * sum(won) / 2 / 100 == pytest.approx(750, abs=1e-8)
