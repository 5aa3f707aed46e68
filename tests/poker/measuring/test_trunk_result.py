"""Tables by flop and by line, compared with values of the whole game and with plain sums over hands."""

from __future__ import annotations

import pickle
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_board_matches import PAIRS
from test_flop_measurement import TWO_STREETS, WITH_RAKE, WITH_RANGES, drawn, merged

from regretless.errors import FileError, OptionError
from regretless.poker import Range

GAMES = {"one card": TWO_STREETS, "two cards": PAIRS, "ranges": WITH_RANGES, "rake": WITH_RAKE}


def measured(name: str, **settings: Any) -> tuple[Any, Any]:
    game = GAMES[name]
    strategy = drawn(merged(game, (3, 4, 5)[: len(game.board_cards) + 1]))
    return strategy, strategy.exploitability_by_flops(dtype="float64", **settings)


@pytest.mark.parametrize("name", GAMES)
def test_values_on_flops_make_up_the_value_of_the_game(name: str) -> None:
    strategy, found = measured(name, values=True)
    trunk, own = found.trunk, strategy.public.game_values()
    assert trunk.value == pytest.approx(own, abs=1e-5) and found.values == trunk.value
    without = strategy.exploitability_by_flops(dtype="float64")
    assert float(without) == pytest.approx(float(found), abs=1e-12)
    assert without.trunk.flops["gives_away"] == pytest.approx(trunk.flops["gives_away"], abs=1e-9)
    if name != "rake":
        assert "value_0" not in without.trunk.flops and without.values is None
        low, high = trunk.bounds
        assert low <= own[0] <= high and high - low == pytest.approx(2 * float(found), abs=1e-9)
    game, tree = GAMES[name], strategy.tree.betting_tree
    weights = [w / 1.0 for w in game.hand_weights()]
    hands = game.deck.hands(game.hand_size).tolist()
    pairs = sum(
        weights[0][i] * weights[1][j]
        for i, mine in enumerate(hands) for j, theirs in enumerate(hands) if not {*mine} & {*theirs}
    )  # fmt: skip
    ended = 0.0  # what player 0 wins in hands that end before the flop
    for line, (mine, theirs) in trunk.reach.items():
        node = tree.find(line)
        if tree.kind[node] == 3 and tree.street[node] == 0:
            met = sum(
                mine[i] * theirs[j]
                for i, one in enumerate(hands) for j, other in enumerate(hands) if not {*one} & {*other}
            )  # fmt: skip
            ended += float(tree.win[node, 0]) * met / pairs
    lines = trunk.lines
    assert (np.isnan(lines["value_0"]) == (lines["probability"] == 0)).all()
    assert ended + np.nansum(lines["probability"] * lines["value_0"]) == pytest.approx(own[0], abs=1e-5)
    flops = trunk.flops
    # A flop is dealt with the probability of its deals times the share of pairs that it leaves.
    seen = flops["seen"] * dealt(game, flops, weights, hands, pairs)
    assert seen.sum() == pytest.approx(lines["probability"].sum(), abs=1e-9)
    assert ended + seen @ flops["value_0"] == pytest.approx(own[0], abs=1e-5)


def dealt(game: Any, flops: Any, weights: Any, hands: Any, pairs: float) -> Any:
    """[flops] the probability of each flop, pair of hands by pair of hands."""
    left = game.deck.size - 2 * game.hand_size
    count = sum(1 for _ in combinations(range(left), game.board_cards[0]))
    out = []
    for name, deals in zip(flops["flop"], flops["deals"], strict=True):
        cards = set(game.deck.cards(str(name)))
        met = sum(
            weights[0][i] * weights[1][j]
            for i, mine in enumerate(hands) for j, theirs in enumerate(hands)
            if not {*mine} & {*theirs} and not cards & {*mine, *theirs}
        )  # fmt: skip
        out.append(deals * met / pairs / count)
    return np.array(out)


def test_best_responses_win_at_least_what_the_strategy_wins() -> None:
    for table in (measured("two cards", values=True)[1].trunk.flops, measured("rake")[1].trunk.lines):
        played = ~np.isnan(table["gives_away"])
        for player in range(2):
            assert (table[f"best_response_{player}"] >= table[f"value_{player}"] - 1e-9)[played].all()
        given_away = table["gives_away"][played]  # nothing after both are all-in
        assert (given_away > -1e-9).all() and given_away.max() > 0.1


def test_ranges_tables_and_files(tmp_path: Path) -> None:
    strategy, found = measured("two cards")
    trunk = found.trunk
    opened = trunk.ranges("raise")
    assert isinstance(opened[0], Range)
    expected = [strategy.at("").probabilities[at, 2] for at in range(15)]
    assert opened[0].weights == pytest.approx(expected, abs=1e-6) and opened[1].weights == pytest.approx(np.ones(15))
    with pytest.raises(OptionError, match="there is no line 'limp'"):
        trunk.ranges("limp")
    with pytest.raises(OptionError, match="there is no line 5"):
        trunk.ranges(5)
    with pytest.raises(OptionError, match="no column 'bogus': columns are flop, deals, weight"):
        trunk.flops["bogus"]
    assert "bogus" not in trunk.flops and trunk.flops.get("bogus") is None
    assert trunk.flops["weight"].sum() == pytest.approx(1) and len(trunk.flops.rows()) == len(trunk.flops["flop"])
    trunk.flops.to_csv(tmp_path / "flops.csv")
    header, *rows = (tmp_path / "flops.csv").read_text().splitlines()
    assert header == "flop,deals,weight,seen,best_response_0,best_response_1,gives_away"
    assert len(rows) == len(trunk.flops["flop"]) and rows[0].startswith("Ts,")
    assert len(trunk.lines.frame()["line"]) == len(trunk.lines["line"]) and "rows of" in repr(trunk.lines)
    assert "lines to the second street" in str(trunk) and "the value of the game is between" in str(trunk)
    again = pickle.loads(pickle.dumps(found))
    assert again.trunk.flops["seen"] == pytest.approx(trunk.flops["seen"]) and again.trunk.bounds == trunk.bounds


def test_a_sample_has_the_flops_that_were_drawn(tmp_path: Path) -> None:
    strategy, found = measured("ranges", flops=3, seed=2, checkpoint=tmp_path / "a.flops")
    assert found.trunk.bounds is None and 1 <= len(found.trunk.flops["flop"]) <= 3
    with pytest.raises(FileError, match="another strategy, game or precision"):
        strategy.exploitability_by_flops(dtype="float64", flops=3, checkpoint=tmp_path / "a.flops", values=True)
    with pytest.raises(OptionError, match="values is True or False"):
        strategy.exploitability_by_flops(values=7)


@pytest.mark.parametrize("name", ["ranges", "rake"])
def test_the_values_of_a_sample_are_an_estimate_with_an_interval(name: str) -> None:
    strategy, every = measured(name, values=True)
    assert every.value_intervals == tuple((value, value) for value in every.values)
    assert "estimate" not in str(every.trunk)
    covered, samples = 0, 20
    for seed in range(samples):
        found = strategy.exploitability_by_flops(dtype="float64", flops=3, seed=seed, values=True)
        (low, high), lines = found.value_intervals[0], found.trunk.lines
        assert low <= found.values[0] <= high and found.trunk.value_intervals == found.value_intervals
        if name != "rake":
            assert sum(found.values) == pytest.approx(0, abs=1e-12)
            assert np.nansum(np.abs(lines["value_0"] + lines["value_1"])) == pytest.approx(0, abs=1e-9)
        assert sum(found.best_responses) - sum(found.values) == pytest.approx(found.low + found.high, abs=1e-9)
        covered += low <= every.values[0] <= high
    assert covered >= 0.7 * samples, f"{covered} of {samples} intervals hold the value"
    assert "±" in str(found.trunk) and "(estimate)" in str(found.trunk)
