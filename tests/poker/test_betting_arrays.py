"""The arrays of a betting tree, checked node by node and terminal by terminal."""

from __future__ import annotations

import numpy as np
import pytest

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.kernels.public.layout import LANE_WIDTH
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.limit import FLOP_HOLDEM, LEDUC, LIMIT_HOLDEM
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.tree_building import count_actions, counted_situations
from regretless.poker.games import Spot
from regretless.poker.tree import memory_estimate
from regretless.poker.tree.betting_arrays import WalkOrder, betting_arrays
from regretless.poker.tree.public_tree import slots_of

THREE_STREETS = NoLimit(pot=10, stack=80, streets=3, sizes="bet 50% 100%, raise 2x all-in, donk 25%", rake=0.05)
RULES = {"leduc": LEDUC, "fhp": FLOP_HOLDEM, "hulh": LIMIT_HOLDEM, "three streets": THREE_STREETS}


def line_root(tree: BettingTree, node: int) -> int:
    while tree.parent[node] >= 0 and tree.kind[tree.parent[node]] != DEAL:
        node = int(tree.parent[node])
    return node


@pytest.mark.parametrize("name", RULES)
def test_nodes_of_a_line_are_contiguous_and_breadth_first(name: str) -> None:
    tree = RULES[name].tree()
    order = WalkOrder(tree)
    assert sorted(order.node.tolist()) == list(range(len(tree)))
    assert np.array_equal(order.number[order.node], np.arange(len(tree)))
    assert np.all(np.diff(tree.street[order.node]) >= 0)
    roots = [line_root(tree, node) for node in order.node.tolist()]
    changes = [at for at in range(len(tree)) if at == 0 or roots[at] != roots[at - 1]]
    assert len(changes) == len(set(roots)) == order.lines[-1]
    assert np.array_equal(np.flatnonzero(order.begins), changes)


@pytest.mark.parametrize("bundle_lanes", [1, 96])
@pytest.mark.parametrize("name", RULES)
def test_each_terminal_has_one_lane(name: str, bundle_lanes: int) -> None:
    """With the row of the opponent's reach and with the payoffs of the tree; padding has no row and no terminal."""
    tree = RULES[name].tree()
    order = WalkOrder(tree)
    arrays = betting_arrays(tree, order, bundle_lanes)
    for player in range(2):
        used = np.flatnonzero(arrays.lane_row[player] >= 0)
        padding = np.flatnonzero(arrays.lane_row[player] < 0)
        assert np.all(arrays.lane_show[player, padding] == -1) and np.all(arrays.lane_win[player, padding] == 0)
        for lanes, kind in ((arrays.lane_show, SHOWDOWN), (arrays.lane_fold, FOLD)):
            ends = lanes[player, used]
            assert sorted(ends[ends >= 0].tolist()) == np.flatnonzero(arrays.kind == kind).tolist()
            rows = arrays.row[1 - player, ends[ends >= 0]]
            assert np.array_equal(rows, arrays.lane_row[player, used[ends >= 0]])
        show = arrays.lane_show[player, used]
        held, node = used[show >= 0], order.node[show[show >= 0]]
        assert np.array_equal(arrays.lane_win[player, held], (tree.win - tree.tie)[node, player])
        assert np.array_equal(arrays.lane_tie[player, held], (tree.tie - tree.lose)[node, player])
        assert np.array_equal(arrays.lane_lose[player, held], tree.lose[node, player])
        fold = arrays.lane_fold[player, used]
        folded = arrays.lane_folded[player, used[fold >= 0]]
        assert np.array_equal(folded, tree.win[order.node[fold[fold >= 0]], player])


@pytest.mark.parametrize("name", RULES)
def test_bundles_hold_whole_vectors_of_their_own_lanes(name: str) -> None:
    tree = RULES[name].tree()
    arrays = betting_arrays(tree, WalkOrder(tree), 8)
    for player in range(2):
        for bundle in range(len(arrays.bundle_nodes) - 1):
            first, end = arrays.bundle_lanes[player, bundle : bundle + 2]
            assert (end - first) % LANE_WIDTH == 0
            show, fold = arrays.lane_show[player, first:end], arrays.lane_fold[player, first:end]
            ends = np.maximum(show, fold)[arrays.lane_row[player, first:end] >= 0]
            assert np.all((arrays.bundle_nodes[bundle] <= ends) & (ends < arrays.bundle_nodes[bundle + 1]))
            assert np.all(np.diff((show >= 0).astype(int)) <= 0)


@pytest.mark.parametrize("name", RULES)
def test_rows_change_where_the_player_acts(name: str) -> None:
    tree = RULES[name].tree()
    order = WalkOrder(tree)
    arrays = betting_arrays(tree, order)
    parent = np.where(tree.parent[order.node] < 0, -1, order.number[tree.parent[order.node]])
    for player in range(2):
        for at in np.flatnonzero(~order.begins).tolist():
            same = arrays.row[player, at] == arrays.row[player, parent[at]]
            assert same == (arrays.kind[parent[at]] != player)


@pytest.mark.parametrize("name", RULES)
def test_actions_are_counted_without_the_tree(name: str) -> None:
    rules = RULES[name]
    situations, nodes = counted_situations(rules)
    assert nodes == len(rules.tree())
    assert np.array_equal(count_actions(situations, rules.streets), slots_of(rules.tree()))


def test_a_game_of_ten_million_nodes_is_refused_before_it_is_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_estimate, "free_memory", lambda: 100_000_000_000)
    sizes = "bet 33% 75%, raise 50% 100%, donk 25%"
    spot = Spot("Qs Jh 2h", ("random", "random"), pot=100, stack=1e6, sizes=sizes)
    with pytest.raises(OptionError, match=r"this game has at least .* infoset-actions, which need .* 100\.00 GB are"):
        memory_estimate.check_game_size(spot)
    memory_estimate.check_game_size(Spot("Qs Jh 2h 3c", ("QQ+", "JJ,TT"), pot=100, stack=100))


def test_a_solve_refuses_it_without_laying_out_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    def laid_out(*_: object) -> None:
        raise AssertionError("the tree was laid out")

    monkeypatch.setattr(memory_estimate, "free_memory", lambda: 100_000_000)
    monkeypatch.setattr(BettingTree, "__init__", laid_out)
    with pytest.raises(OptionError, match=r"this game has at least .* 100 MB are free: take fewer bet sizes"):
        Spot("Qs Jh 2h", ("random", "random"), pot=100, stack=1_000, sizes="bet 33% 75%, raise 60%").public_tree()
