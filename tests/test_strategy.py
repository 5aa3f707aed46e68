"""A strategy as a mapping, as tables and as files."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from compare_tables import random_strategy
from conftest import built
from random_games import RandomGame, random_games
from regretless.evaluation.responses import plan_of


@pytest.fixture(scope="module")
def strategy(kuhn: rg.Tree) -> rg.Strategy:
    return random_strategy(kuhn, 1)


# -- a mapping --------------------------------------------------------------------------------------------------------


def test_mapping(kuhn: rg.Tree, strategy: rg.Strategy) -> None:
    assert len(strategy) == 12
    assert list(strategy)[:3] == ["J", "Qp", "Jpb"]
    assert "K" in strategy
    assert (0, "K") in strategy
    assert (1, "K") not in strategy
    assert "X" not in strategy
    assert ["unhashable"] not in strategy
    assert strategy["K"] == strategy[0, "K"]
    assert list(strategy["K"]) == ["pass", "bet"]
    assert strategy.get("X") is None
    assert dict(strategy)["Jpb"] == strategy["Jpb"]
    for distribution in strategy.values():
        assert sum(distribution.values()) == pytest.approx(1.0)
        assert all(type(p) is float for p in distribution.values())
    assert repr(strategy) == "<Strategy of 2 players at 12 infosets>"


def test_equality(kuhn: rg.Tree, leduc: rg.Tree, strategy: rg.Strategy) -> None:
    assert strategy == random_strategy(kuhn, 1)
    assert strategy != random_strategy(kuhn, 2)
    assert strategy != rg.Strategy.uniform(leduc)
    assert strategy != "strategy"
    with pytest.raises(TypeError, match="unhashable"):
        hash(strategy)


def test_nothing_can_be_changed(strategy: rg.Strategy) -> None:
    with pytest.raises(ValueError, match="read-only"):
        strategy.probabilities[0] = 3
    with pytest.raises(TypeError):
        strategy["K"] = {}  # type: ignore[index]


class Mirror(rg.Game):
    """Both players see the same words."""

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return rg.TERMINAL if len(state) == 2 else len(state)

    def actions(self, state: str) -> str:
        return "HT"

    def play(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> str:
        return "choose"

    def payoffs(self, state: str) -> tuple[int, int]:
        return (1, -1) if state[0] == state[1] else (-1, 1)


def test_a_label_that_players_share() -> None:
    tree = rg.build(Mirror())
    strategy = rg.Strategy.from_dict(tree, {(0, "choose"): [1, 0], (1, "choose"): {"T": 1}})
    assert list(strategy) == [(0, "choose"), (1, "choose")]
    assert strategy[1, "choose"] == {"H": 0.0, "T": 1.0}
    assert "choose" not in strategy
    with pytest.raises(KeyError, match=r"players \[0, 1\] share the infoset label 'choose'; ask for \(0, 'choose'\)"):
        strategy["choose"]
    assert rg.solve(tree, iterations=10).strategy[0, "choose"] == {"H": 0.5, "T": 0.5}


def test_an_unknown_label_is_answered_with_a_near_one(strategy: rg.Strategy, leduc: rg.Tree) -> None:
    with pytest.raises(KeyError, match="no infoset 'Kbp' in this strategy; did you mean 'K"):
        strategy["Kbp"]
    with pytest.raises(KeyError, match="no infoset 7 in this strategy; known: J, "):
        strategy[7]
    with pytest.raises(KeyError) as error:
        rg.Strategy.uniform(leduc)["?"]
    assert len(str(error.value)) < 500


# -- from_dict --------------------------------------------------------------------------------------------------------


def test_from_dict_there_and_back(kuhn: rg.Tree, strategy: rg.Strategy) -> None:
    again = rg.Strategy.from_dict(kuhn, strategy)
    np.testing.assert_allclose(again.probabilities, strategy.probabilities, rtol=1e-15)


def test_from_dict_fills_what_is_missing(kuhn: rg.Tree) -> None:
    given = rg.Strategy.from_dict(kuhn, {"K": {"bet": 1.0}, (1, "Jb"): np.array([1.0, 0.0])}, missing="uniform")
    assert given["K"] == {"pass": 0.0, "bet": 1.0}
    assert given["Jb"] == {"pass": 1.0, "bet": 0.0}
    assert given["Q"] == {"pass": 0.5, "bet": 0.5}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"K": [0.5, 0.5]}, "says nothing about infoset 'J'; add it or pass missing='uniform'"),
        ({"Kk": [0.5, 0.5]}, "no infoset 'Kk'"),
        ({"K": {"raise": 1.0}}, r"infoset 'K' has actions \['pass', 'bet'\], not 'raise'"),
        ({"K": [1.0]}, "infoset 'K' has 2 actions, got 1 numbers"),
        ({"K": [0.5, 0.6]}, r"infoset 'K': \[0.5, 0.6\] are not probabilities that sum to one"),
        ({"K": [1.5, -0.5]}, "are not probabilities"),
        ({"K": [float("nan"), 1]}, "are not probabilities"),
    ],
)
def test_from_dict_errors(kuhn: rg.Tree, table: dict[str, object], said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        rg.Strategy.from_dict(kuhn, table)  # type: ignore[arg-type]


def test_from_dict_knows_two_ways_to_treat_missing_infosets(kuhn: rg.Tree) -> None:
    with pytest.raises(rg.OptionError, match="missing is 'error' or 'uniform', got 'ignore'"):
        rg.Strategy.from_dict(kuhn, {}, missing="ignore")


def test_wrong_size(kuhn: rg.Tree) -> None:
    with pytest.raises(rg.OptionError, match="has 26 numbers, got 3"):
        rg.Strategy(kuhn.labels, np.ones(3))


# -- from_plan --------------------------------------------------------------------------------------------------------


@given(random_games(), st.integers(0, 99), st.floats(0.01, 100))
def test_a_plan_amounts_to_its_behaviour(game: RandomGame, seed: int, scale: float) -> None:
    tree = rg.build(game)
    strategy = random_strategy(tree, seed)
    again = rg.Strategy.from_plan(tree.labels, plan_of(tree, strategy) * scale)
    np.testing.assert_allclose(again.probabilities, strategy.probabilities, atol=1e-12)


def test_where_a_plan_never_arrives_it_is_uniform(kuhn: rg.Tree) -> None:
    betting = rg.Strategy.from_dict(kuhn, {"J": [0, 1], "Q": [0, 1], "K": [0, 1]}, missing="uniform")
    never = rg.Strategy.from_plan(kuhn.labels, plan_of(kuhn, betting))
    assert never["Jpb"] == {"pass": 0.5, "bet": 0.5}


# -- using one --------------------------------------------------------------------------------------------------------


def test_purify(kuhn: rg.Tree) -> None:
    table = {"K": [0.0005, 0.9995], "J": [0.3, 0.7], "Q": [0.5, 0.5]}
    strategy = rg.Strategy.from_dict(kuhn, table, missing="uniform")
    cleaned = strategy.purify()
    assert cleaned["K"] == {"pass": 0.0, "bet": 1.0}
    assert cleaned["J"] == strategy["J"]
    hard = strategy.purify(0.6)
    assert hard["J"] == {"pass": 0.0, "bet": 1.0}
    assert hard["Q"] == {"pass": 1.0, "bet": 0.0}
    assert strategy.purify(0) == strategy
    assert strategy.purify(1) == strategy.most_likely()
    for threshold in (-0.1, 1.1, float("nan")):
        with pytest.raises(rg.OptionError, match="a threshold is a probability from 0 to 1"):
            strategy.purify(threshold)


def test_purify_rescales() -> None:
    tree = built("rps")
    table = {"player 0": [0.6, 0.2, 0.2], "player 1": [0.05, 0.38, 0.57]}
    cleaned = rg.Strategy.from_dict(tree, table).purify(0.1)
    assert list(cleaned["player 1"].values()) == pytest.approx([0, 0.4, 0.6])


def test_most_likely(strategy: rg.Strategy) -> None:
    pure = strategy.most_likely()
    for key, distribution in strategy.items():
        best = max(distribution, key=lambda action: distribution[action])
        assert pure[key] == {action: float(action == best) for action in distribution}


def test_sample_frequencies() -> None:
    tree = built("rps")
    strategy = rg.Strategy.from_dict(tree, {"player 0": [0.5, 0.2, 0.3], "player 1": [1, 0, 0]})
    rng = np.random.default_rng(0)
    counts = Counter(strategy.sample("player 0", rng) for _ in range(4_000))
    for action, probability in strategy["player 0"].items():
        deviation = 4 * (probability * (1 - probability) * 4_000) ** 0.5
        assert abs(counts[action] - 4_000 * probability) < deviation
    assert {strategy.sample((1, "player 1"), rng) for _ in range(50)} == {"rock"}
    same = [[strategy.sample("player 0", np.random.default_rng(7)) for _ in range(3)] for _ in range(2)]
    assert same[0] == same[1]


def test_with_player(kuhn: rg.Tree, kuhn3: rg.Tree, strategy: rg.Strategy) -> None:
    uniform = rg.Strategy.uniform(kuhn)
    mixed = uniform.with_player(1, strategy)
    assert mixed["K"] == uniform["K"]
    assert mixed["Kb"] == strategy["Kb"]
    with pytest.raises(rg.OptionError, match="belongs to another game: it has 12 infosets"):
        uniform.with_player(1, rg.Strategy.uniform(kuhn3))
    with pytest.raises(rg.OptionError, match="players 0 to 1, not 2"):
        uniform.with_player(2, strategy)


def test_strategies_of_equal_trees_mix(strategy: rg.Strategy) -> None:
    twin = rg.build(rg.games.Kuhn())
    assert rg.Strategy.uniform(twin).with_player(0, strategy)["K"] == strategy["K"]


# -- tables and files -------------------------------------------------------------------------------------------------


def test_table(strategy: rg.Strategy) -> None:
    rows = strategy.table()
    assert len(rows) == 24
    assert rows[0] == {"player": 0, "infoset": "J", "action": "pass", "probability": strategy["J"]["pass"]}


def test_csv(strategy: rg.Strategy, tmp_path: Path) -> None:
    strategy.to_csv(tmp_path / "s.csv")
    with (tmp_path / "s.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["probability"]) for row in rows] == [row["probability"] for row in strategy.table()]
    assert rows[0]["infoset"] == "J"


def test_json(strategy: rg.Strategy, tmp_path: Path) -> None:
    strategy.to_json(tmp_path / "s.json")
    read = json.loads((tmp_path / "s.json").read_text())
    assert set(read) == {"0", "1"}
    assert read["0"]["K"] == strategy["K"]
    assert read["1"]["Kb"] == strategy["Kb"]


def test_parquet(strategy: rg.Strategy, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    strategy.to_parquet(tmp_path / "s.parquet")
    rows = parquet.read_table(tmp_path / "s.parquet").to_pylist()
    assert rows == strategy.table()


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames(strategy: rg.Strategy, kind: str) -> None:
    pytest.importorskip(kind)
    frame = strategy.frame(kind)  # type: ignore[arg-type]
    assert list(frame.columns) == ["player", "infoset", "action", "probability"]
    assert list(frame["probability"]) == [row["probability"] for row in strategy.table()]


def test_frames_that_are_not_there(strategy: rg.Strategy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(rg.OptionError, match="'pandas' or 'polars', not 'spark'"):
        strategy.frame("spark")  # type: ignore[arg-type]
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(rg.OptionError, match=r"pandas is not installed; pip install 'regretless\[frames\]'"):
        strategy.frame()
    with pytest.raises(rg.OptionError, match="polars is not installed"):
        strategy.frame("polars")
    with pytest.raises(rg.OptionError, match="pyarrow is not installed"):
        strategy.to_parquet(tmp_path / "s.parquet")
    assert list(tmp_path.iterdir()) == []


def test_save_and_load(strategy: rg.Strategy, tmp_path: Path) -> None:
    strategy.save(tmp_path / "s.strategy")
    for again in (rg.Strategy.load(tmp_path / "s.strategy"), rg.load(tmp_path / "s.strategy")):
        assert isinstance(again, rg.Strategy)
        assert again == strategy
        assert list(again) == list(strategy)


def test_a_loaded_strategy_fits_its_tree(kuhn: rg.Tree, strategy: rg.Strategy, tmp_path: Path) -> None:
    strategy.save(tmp_path / "s.strategy")
    again = rg.Strategy.load(tmp_path / "s.strategy")
    assert rg.value(kuhn, again) == rg.value(kuhn, strategy)


def test_strategies_of_a_graph_are_laid_out_as_the_tree(kuhn: rg.Tree) -> None:
    run = rg.solve("kuhn", rg.FSICFR(), iterations=3)
    strategy = run.strategy
    same = rg.Strategy.from_dict(kuhn, {name: list(strategy[name].values()) for name in strategy})
    assert not np.array_equal(strategy.labels.first, kuhn.labels.first)
    assert strategy == same and same == strategy
    assert rg.exploitability(kuhn, strategy) == pytest.approx(run.exploitability, rel=1e-12)
    assert rg.Strategy.uniform(kuhn).with_player(0, strategy)["Q"] == strategy["Q"]
