"""Exports: every number read back is the number of the strategy."""

from __future__ import annotations

import csv
import json
import sys

import numpy as np
import pytest

import regretless as rg
from regretless.errors import FileError, OptionError
from regretless.poker import LEDUC, STANDARD, Deck, Limit, PublicGame, Range, Spot
from regretless.poker.formats import exports as exports_module
from regretless.poker.formats.texas_solver import action_names, read_texas_solver

RANGES = ("AcAd,AcKc,AhKh,QdJd,Th9h", "QcQd,AsQs,KsQc,8h7h:0.5")


@pytest.fixture(scope="module")
def strategy():
    spot = Spot("Qs Jh 2h 7c", RANGES, pot=100, stack=150, sizes="bet 50%, raise 60%", add_all_in=0)
    return rg.solve(spot, rg.CFR_PLUS, iterations=20, dtype="float64").strategy


@pytest.fixture(scope="module")
def flop():
    """Limit betting on a flop, as in flop hold'em."""
    ranges = tuple(Range.parse(text) for text in RANGES)
    betting = Limit(streets=1, bets=100, caps=4, blinds=(0, 0), pot=400)
    game = PublicGame(STANDARD, 2, (), betting, board="QsJh2h", ranges=ranges)
    return rg.solve(game, rg.CFR_PLUS, iterations=10, dtype="float64").strategy


def test_a_node_as_a_frame(strategy) -> None:
    node = strategy.at("check")
    frame = node.frame()
    assert list(frame.columns) == ["hand", "class", "weight", "reach", "ev", *(
        f"{kind} {action}" for kind in ("p", "ev") for action in node.actions)]  # fmt: skip
    assert frame["hand"].tolist() == list(node.names) and sorted(node.names) == ["8h7h", "KsQc", "QdQc"]
    assert dict(zip(frame["hand"], frame["class"], strict=True)) == {"8h7h": "87s", "KsQc": "KQo", "QdQc": "QQ"}
    assert frame["reach"].sum() == pytest.approx(1)
    assert frame["p check"].tolist() == node.probabilities[:, 0].tolist()
    assert frame["ev"].tolist() == node.ev.tolist()


def test_without_pandas_a_frame_is_columns(strategy, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    columns = strategy.at("check").frame()
    assert isinstance(columns, dict) and columns["hand"].tolist() == list(strategy.at("check").names)


def test_a_node_as_csv_and_parquet(strategy, tmp_path) -> None:
    node = strategy.at("bet 50")
    node.to_csv(tmp_path / "node.csv")
    rows = list(csv.DictReader((tmp_path / "node.csv").open()))
    assert [row["hand"] for row in rows] == list(node.names)
    for row, chances, values in zip(rows, node.probabilities, node.action_ev, strict=True):
        for action, chance, value in zip(node.actions, chances, values, strict=True):
            assert float(row[f"p {action}"]) == pytest.approx(chance, abs=1e-9)
            assert float(row[f"ev {action}"]) == pytest.approx(value, abs=1e-6)
    parquet = pytest.importorskip("pyarrow.parquet")
    node.to_parquet(tmp_path / "node.parquet")
    table = parquet.read_table(tmp_path / "node.parquet").to_pydict()
    assert table["hand"] == list(node.names)
    assert table["p fold"] == node.probabilities[:, 0].tolist()


def test_without_pyarrow_the_sentence_says_what_to_install(strategy, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match=r"Parquet files need pyarrow.*regretless\[frames\]"):
        strategy.at("").to_parquet(tmp_path / "node.parquet")
    assert not list(tmp_path.iterdir())


def test_values_without_an_opponent_are_empty_in_csv(tmp_path) -> None:
    spot = Spot("Qs Jh 2h 7c 3d", ("AcAd,KcKd", "AcAd"), pot=100, stack=50, sizes="bet all-in")
    node = rg.solve(spot, rg.CFR_PLUS, iterations=2, dtype="float64").strategy.at("")
    node.to_csv(tmp_path / "node.csv")
    rows = {row["hand"]: row for row in csv.DictReader((tmp_path / "node.csv").open())}
    assert rows["AdAc"]["ev"] == "" and rows["AdAc"]["reach"] == "0" and rows["KdKc"]["reach"] == "1"


@pytest.fixture(scope="module")
def subtree(strategy, tmp_path_factory):
    path = tmp_path_factory.mktemp("subtree") / "tree.csv"
    strategy.export(path, line="check")
    return list(csv.DictReader(path.open()))


def test_a_subtree_has_every_decision_below_its_node(strategy, subtree) -> None:
    tree = strategy.tree.betting_tree
    below = {
        tree.line(node) for node in range(len(tree)) if tree.kind[node] < 2 and tree.line(node).startswith("check")
    }
    assert {row["line"] for row in subtree} == below
    river = {(row["board"], row["deals"]) for row in subtree if len(row["board"]) == 10}
    assert sum(int(deals) for _, deals in river) == 48
    assert {row["board"][:8] for row in subtree} == {"QsJh2h7c"}


def test_every_row_of_a_subtree_is_a_number_of_its_node(strategy, subtree) -> None:
    nodes = {}
    for row in subtree[::5]:
        key = (row["line"], row["board"])
        if key not in nodes:
            nodes[key] = strategy.at(*key)
        node = nodes[key]
        assert int(row["player"]) == node.player
        at, action = node.names.index(row["hand"]), node.actions.index(row["action"])
        assert float(row["probability"]) == pytest.approx(node.probabilities[at, action], abs=1e-8)
        assert float(row["weight"]) == pytest.approx(node.weight[at], abs=1e-8)
        if row["action_ev"]:
            assert float(row["action_ev"]) == pytest.approx(node.action_ev[at, action], abs=1e-6)
        else:
            assert np.isnan(node.action_ev[at, action])


def test_parquet_and_csv_of_a_subtree_are_the_same_table(strategy, subtree, tmp_path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    strategy.export(tmp_path / "tree.parquet", line="check", format="parquet")
    table = parquet.read_table(tmp_path / "tree.parquet").to_pydict()
    assert list(table) == list(subtree[0])
    assert table["hand"] == [row["hand"] for row in subtree]
    assert table["probability"] == pytest.approx([float(row["probability"]) for row in subtree], abs=1e-8)


def test_files_give_the_same_exports(tmp_path) -> None:
    spot = Spot("Qs Jh 2h 7c", RANGES, pot=100, stack=150, sizes="bet 50%", add_all_in=0, caps=1)
    run = rg.solve(spot, rg.CFR_PLUS, iterations=5, dtype="float64")
    run.save(tmp_path / "spot.run")
    for format in ("csv", "texassolver"):
        run.strategy.export(tmp_path / "mine", format=format)
        rg.load(tmp_path / "spot.run").strategy.export(tmp_path / "theirs", format=format)
        assert (tmp_path / "mine").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_fewer_streets(strategy, tmp_path) -> None:
    strategy.export(tmp_path / "turn.csv", streets=1)
    assert {row["board"] for row in csv.DictReader((tmp_path / "turn.csv").open())} == {"QsJh2h7c"}


def test_small_games_are_exported_too(tmp_path) -> None:
    leduc = rg.solve(PublicGame(Deck("JQK", "sh"), 1, (1,), LEDUC), rg.CFR_PLUS, iterations=5, dtype="float64")
    leduc.strategy.export(tmp_path / "leduc.csv")
    rows = list(csv.DictReader((tmp_path / "leduc.csv").open()))
    assert {row["class"] for row in rows} == {"J", "Q", "K"}
    assert {(row["board"], row["deals"]) for row in rows if row["board"]} == {("Js", "2"), ("Qs", "2"), ("Ks", "2")}


def walk(node: dict, path: tuple[str, ...] = ()):
    yield path, node
    for name, child in {**node.get("childrens", {}), **node.get("dealcards", {})}.items():
        yield from walk(child, (*path, name))


@pytest.fixture(scope="module")
def dump(strategy, tmp_path_factory):
    path = tmp_path_factory.mktemp("dump") / "dump.json"
    strategy.export(path, format="texassolver")
    return path


def test_texas_solver_has_its_layout(dump) -> None:
    root = json.loads(dump.read_text())
    assert root["node_type"] == "action_node" and root["player"] == 1
    assert root["actions"] == ["CHECK", "BET 50.000000"]
    answer = root["childrens"]["BET 50.000000"]
    assert answer["player"] == 0 and answer["actions"][0] == "CALL" and answer["actions"][-1] == "FOLD"
    assert "FOLD" not in answer["childrens"]
    deal = answer["childrens"]["CALL"]
    assert deal["node_type"] == "chance_node" and deal["deal_number"] == 48 == len(deal["dealcards"])
    assert not {"Qs", "Jh", "2h", "7c"} & set(deal["dealcards"])
    for _, node in walk(root):
        if node["node_type"] == "chance_node":
            assert set(node) == {"node_type", "deal_number"} | ({"dealcards"} if node["deal_number"] else set())
        else:
            assert node["strategy"]["actions"] == node["actions"]
            assert set(node) - {"childrens"} == {"node_type", "player", "actions", "strategy"}
            assert node.get("childrens", {"": ""})
            for row in node["strategy"]["strategy"].values():
                assert len(row) == len(node["actions"]) and sum(row) == pytest.approx(1, abs=1e-5)


def test_texas_solver_has_our_probabilities_on_every_board(strategy, dump) -> None:
    """Every decision of the dump, by way of the names that we would type."""
    tree = strategy.tree.betting_tree
    seen, at = 0, {}
    for path, node in walk(json.loads(dump.read_text())):
        if node["node_type"] != "action_node":
            continue
        place, board = 0, "QsJh2h7c"
        for step in path:
            if tree.kind[place] == 2:
                board, place = board + step, int(tree.first_child[place])
            else:
                names = dict(action_names(strategy, place))
                place = int(tree.first_child[place]) + names[step]
        key = (place, board)
        if seen % 6 == 0:
            ours = at.setdefault(key, strategy.at(place, board))
            order = [ours.actions[index] for _, index in action_names(strategy, place)]
            assert set(node["strategy"]["strategy"]) == set(ours.names)
            assert node["player"] == 1 - ours.player
            for hand, row in node["strategy"]["strategy"].items():
                assert row == pytest.approx([ours[hand][action] for action in order], abs=1e-6)
        seen += 1
    assert seen > 300


def test_texas_solver_reads_back(strategy, dump) -> None:
    node = strategy.at("check bet 50 call / check", board="Qs Jh 2h 7c 3d")
    table = read_texas_solver(dump, ["CHECK", "BET 50.000000", "CALL", "3d", "CHECK"])
    for hand, row in table.items():
        assert list(row.values()) == pytest.approx(list(node[hand].values()), abs=1e-6)
    with pytest.raises(OptionError, match="'BET 51' is not in the dump there; the next steps are CHECK"):
        read_texas_solver(dump, ["BET 51"])
    with pytest.raises(OptionError, match="there is no decision there"):
        read_texas_solver(dump, ["CHECK", "CHECK"])
    with pytest.raises(FileError, match="cannot read"):
        read_texas_solver(dump.parent / "nothing.json")


def test_texas_solver_of_limit_betting_has_amounts(flop, tmp_path) -> None:
    """Bets and raises are what a player will have put in on the street."""
    flop.export(tmp_path / "flop.json", format="texassolver")
    root = json.loads((tmp_path / "flop.json").read_text())
    assert root["actions"] == ["CHECK", "BET 100.000000"]
    node = root["childrens"]["CHECK"]["childrens"]["BET 100.000000"]
    assert node["actions"] == ["CALL", "RAISE 200.000000", "FOLD"]
    assert node["childrens"]["RAISE 200.000000"]["actions"] == ["CALL", "RAISE 300.000000", "FOLD"]


def test_texas_solver_ends_where_it_is_told(strategy, tmp_path) -> None:
    strategy.export(tmp_path / "turn.json", format="texassolver", streets=1)
    deal = json.loads((tmp_path / "turn.json").read_text())["childrens"]["CHECK"]["childrens"]["CHECK"]
    assert deal == {"deal_number": 0, "node_type": "chance_node"}


def test_wrong_exports_are_named(strategy, tmp_path, monkeypatch) -> None:
    with pytest.raises(OptionError, match="no export to 'cvs': did you mean 'csv'"):
        strategy.export(tmp_path / "x", format="cvs")
    with pytest.raises(OptionError, match="1 street or more, got streets=0"):
        strategy.export(tmp_path / "x", streets=0)
    leduc = rg.solve(PublicGame(Deck("JQK", "sh"), 1, (1,), LEDUC), rg.CFR_PLUS, iterations=1, dtype="float64").strategy
    with pytest.raises(OptionError, match="TexasSolver has hands of two cards and one card"):
        leduc.export(tmp_path / "x", format="texassolver")
    monkeypatch.setattr(exports_module, "MOST_ROWS", 100)
    with pytest.raises(OptionError, match=r"at least [\d,]+ rows, and the limit is 100: begin later"):
        strategy.export(tmp_path / "x")
    assert not list(tmp_path.iterdir())
