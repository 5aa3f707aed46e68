"""Locks, leaks and differences of solved spots: sums against best responses, and what must not be comparable."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import regretless as rg
from regretless.poker import Deck, NoLimit, PublicGame, Spot
from regretless.poker.studying.board_sweeps import count_nodes, swept_boards
from regretless.poker.studying.differences import check_same_tree
from regretless.poker.tree.board_lookup import find_board

TURN = "Qs Jh 2h 7c"


def spot(**other: Any) -> Spot:
    given = {"board": TURN, "ranges": ("QQ,AK,JTs,98s,AhTh", "77,AQ,T9s,KTs,54s"), "sizes": "bet 75%"} | other
    return Spot(**given, pot=100, stack=100)


@cache
def turn_run() -> rg.Run:
    return rg.solve(spot(), rg.DCFR, iterations=20)  # type: ignore[arg-type]


@cache
def locked_run() -> rg.Run:
    return rg.solve(rg.poker.lock_node(turn_run(), "check", {"AQ": {"check": 1}}), rg.DCFR, iterations=20)  # type: ignore[arg-type]


# -- leaks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["free", "locked"])
def test_leaks_sum_to_what_best_responses_gain(which: str) -> None:
    run = turn_run() if which == "free" else locked_run()
    found = rg.poker.leaks(run)
    for player in range(2):
        assert found.listed(player) == pytest.approx(found.gain(player), abs=2e-5)
    assert found.gain(0) + found.gain(1) == pytest.approx(run.strategy.nash_conv(), abs=1e-9)
    losses = [node.loss for node in found.nodes]
    assert losses == sorted(losses, reverse=True) and len(found.of(0)) + len(found.of(1)) == len(found.nodes)


def test_leaks_sum_on_a_small_deck_with_merged_boards() -> None:
    """Two later streets, boards merged by suits, hands of one card: the weights of boards must be right."""
    betting = NoLimit(stack=20, pot=6, streets=3, sizes="bet 50%, raise all-in")
    for merged in (True, False):
        game = PublicGame(Deck("9TJQK", "sh"), 1, (1, 1), betting, isomorphism=merged)
        run = rg.solve(game, rg.DCFR, iterations=5)  # type: ignore[arg-type]
        found = rg.poker.leaks(run)
        assert found.gain(0) > 0.01
        assert [found.listed(p) for p in (0, 1)] == pytest.approx([found.gain(p) for p in (0, 1)], abs=1e-5)
        reach = sum(node.reach for node in found.nodes if node.line == "")
        assert reach == pytest.approx(1)


def test_a_leak_of_a_locked_node_by_hand() -> None:
    river = spot(board=f"{TURN} 3d", ranges=("QQ", "AQ")).lock("bet 75", {"fold": 1})
    run = rg.solve(river, rg.DCFR, iterations=30)  # type: ignore[arg-type]
    node = run.strategy.at("bet 75")
    found = next(leak for leak in rg.poker.leaks(run).nodes if leak.line == "bet 75")
    chosen = found.hands[0]
    at = node.names.index(chosen.name)
    assert chosen.probabilities == pytest.approx((1, 0, 0)) and chosen.values[0] == pytest.approx(0, abs=1e-4)
    assert chosen.loss_here == pytest.approx(max(chosen.values), abs=1e-4)
    assert chosen.loss == pytest.approx(chosen.loss_here * found.reach * node.mass[at] / node.mass.sum(), rel=1e-4)


def test_one_street_or_one_board() -> None:
    whole = {(node.line, node.board): node.loss for node in rg.poker.leaks(turn_run()).nodes}
    first = rg.poker.leaks(turn_run(), streets=1).nodes
    assert {node.board for node in first} == {"QsJh2h7c"}
    river = rg.poker.leaks(turn_run(), board=f"{TURN} Ad").nodes
    assert len(first) == 8 and river
    for node in (*first, *river):
        assert whole[node.line, node.board] == pytest.approx(node.loss, abs=1e-9)
    with pytest.raises(rg.OptionError, match="4 or 5 cards"):
        rg.poker.leaks(turn_run(), board="Qs Jh")
    with pytest.raises(rg.OptionError, match="from 1 to 2"):
        rg.poker.leaks(turn_run(), streets=3)
    with pytest.raises(rg.OptionError, match="a run of hold'em"):
        rg.poker.leaks(rg.solve(rg.games.Kuhn(), rg.CFR_PLUS, iterations=5))
    tree = turn_run().strategy.tree
    assert count_nodes(tree) == sum(len(board.nodes) for board in swept_boards(tree))


def test_the_new_cards_of_a_board_are_enough() -> None:
    run, whole = turn_run(), f"{TURN} 3d"
    line = "check check"
    short, long = (run.strategy.at(line, board) for board in ("3d", whole))
    assert short.board == long.board == "QsJh2h7c3d" and np.array_equal(short.probabilities, long.probabilities)
    assert run.strategy.waiting(line, "3d").board == "QsJh2h7c3d"
    assert run.strategy.spot(line, "3d").first_board == run.strategy.spot(line, whole).first_board
    found = [[(node.line, node.loss) for node in rg.poker.leaks(run, board=board).nodes] for board in ("3d", whole)]
    assert found[0] == found[1]
    apart = [rg.poker.differences(run, locked_run(), board, values=False).nodes for board in ("3d", whole)]
    assert [node.difference for node in apart[0]] == [node.difference for node in apart[1]]
    locks = [rg.poker.lock_node(run, line, {"AK": {"bet": 1}}, board).locks for board in ("3d", whole)]
    assert locks[0][0].board == locks[1][0].board == "QsJh2h7c3d"
    with pytest.raises(rg.OptionError, match="a board of 5 cards, got 2 cards in '3d 4d'"):
        run.strategy.at(line, "3d 4d")
    with pytest.raises(rg.OptionError, match="the board begins with QsJh2h7c"):
        run.strategy.at(line, "Qs")


# -- locks ------------------------------------------------------------------------------------------------------------


def test_a_locked_node_plays_as_painted_and_as_solved() -> None:
    before = turn_run().strategy.at("")
    game = rg.poker.lock_node(turn_run(), "", {"AK": {"bet": 1}, "AhTh": {"check": 0.25, "all-in": 0.75}})
    after = rg.solve(game, rg.DCFR, iterations=2).strategy.at("")  # type: ignore[arg-type]
    assert after["AhTh"] == pytest.approx({"check": 0.25, "bet 75": 0, "all-in": 0.75})
    assert after["AcKd"]["bet 75"] == pytest.approx(1)
    for name in ("QdQc", "9h8h"):
        assert after[name] == pytest.approx(before[name], abs=2e-4)


def test_a_hand_is_locked_with_those_that_differ_by_suits() -> None:
    game = rg.poker.lock_node(turn_run(), "", {"9c8c": {"bet": 1}})
    node = rg.solve(game, rg.DCFR, iterations=2).strategy.at("")  # type: ignore[arg-type]
    tree = turn_run().strategy.tree
    hands, classes = find_board(tree, 0, None).hands(0)
    of = dict(zip((tree.game.deck.hand_name(hand) for hand in hands.tolist()), classes.tolist(), strict=True))
    for name, kind in of.items():
        if name[0] == "9":
            assert (node[name]["bet 75"] > 0.999) == (kind == of["9c8c"])


def test_locks_on_a_board_and_on_every_board() -> None:
    line, board, other = "check check", f"{TURN} 3d", f"{TURN} 9d"
    changes = {"AK": {"bet": 1}}
    one = rg.poker.lock_node(turn_run(), line, changes, board)
    node = rg.solve(one, rg.DCFR, iterations=3).strategy  # type: ignore[arg-type]
    assert one.locks[0].board == "QsJh2h7c3d" and node.at(line, board).grid()["AKs"]["bet 75"] == pytest.approx(1)
    assert node.at(line, other).grid()["AKs"]["bet 75"] < 0.999
    every = rg.poker.lock_node(turn_run(), line, changes, board, every_board=True)
    node = rg.solve(every, rg.DCFR, iterations=3).strategy  # type: ignore[arg-type]
    assert every.locks[0].board is None and node.at(line, other).grid()["AKs"]["bet 75"] == pytest.approx(1)


def test_single_hands_on_every_board() -> None:
    line, board, other = "check check", f"{TURN} 3d", f"{TURN} 9d"
    changes = {"AK": {"bet": 1}, "AsKs": {"check": 1}}
    every = rg.poker.lock_node(turn_run(), line, changes, board, every_board=True)
    node = rg.solve(every, rg.DCFR, iterations=2).strategy.at(line, other)  # type: ignore[arg-type]
    assert node["AsKs"]["check"] == pytest.approx(1) and node["AhKh"]["bet 75"] == pytest.approx(1)


def test_a_second_lock_replaces_the_first() -> None:
    game = rg.poker.lock_node(locked_run(), "check", {"77": {"check": 1}})
    assert len(game.locks) == 1
    two = rg.poker.lock_node(locked_run(), "", {"QQ": {"check": 1}})
    assert [lock.line for lock in two.locks] == ["check", ""] and not two.with_locks(()).locks
    text = rg.poker.spot_text(two)  # type: ignore[arg-type]
    assert rg.poker.spot_from_text(text).public_tree().fingerprint == two.public_tree().fingerprint


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"55": {"check": 1}}, "no hand of '55'"),
        ({"QQ": {"fold": 1}}, "the actions there are check"),
        ({"QQ": {"check": 0.5}}, "sum to 0.5"),
        ({"zz": {"check": 1}}, "zz"),
    ],
)
def test_wrong_locks(changes: Any, words: str) -> None:
    with pytest.raises(rg.OptionError, match=words):
        rg.poker.lock_node(turn_run(), "", changes)


# -- differences ------------------------------------------------------------------------------------------------------


def test_differences_of_a_locked_solution() -> None:
    found = rg.poker.differences(turn_run(), locked_run(), streets=1)
    locked = next(node for node in found.nodes if node.line == "check")
    one, other = turn_run().strategy.at("check"), locked_run().strategy.at("check")
    reach = [node.mass / turn_run().strategy.tree.normaliser for node in (one, other)]
    apart = 0.5 * np.abs(one.probabilities - other.probabilities).sum(axis=1)
    assert locked.difference == pytest.approx(float((0.5 * (reach[0] + reach[1]) * apart).sum()))
    assert locked.one == pytest.approx(tuple(one.frequencies.values()))
    assert locked.gain(1) == pytest.approx(other.mean_ev - one.mean_ev)
    assert locked.gain(0) == pytest.approx(one.mean_ev - other.mean_ev)
    assert {hand.name[0] for hand in locked.hands} == {"A"}
    assert found.gain(0) == pytest.approx(-found.gain(1), abs=1e-4)
    assert found.gain(1) == pytest.approx(locked_run().strategy.game_values()[1] - turn_run().strategy.game_values()[1])
    by_gain = found.sorted("gain 1").nodes
    weight = [abs(node.gain(1)) * sum(node.reach) for node in by_gain]
    assert weight == sorted(weight, reverse=True)
    with pytest.raises(rg.OptionError, match="sorted by difference"):
        found.sorted("luck")


def test_with_rake_both_players_gain_or_lose() -> None:
    raked = spot(board=f"{TURN} 3d", rake=0.05, rake_cap=3)
    one, other = (rg.solve(game, rg.DCFR, iterations=10) for game in (raked, raked.lock("check", {"check": 1})))  # type: ignore[arg-type]
    found = rg.poker.differences(one, other)
    for node in found.nodes:
        waits = [run.strategy.waiting(node.line).mean_ev for run in (one, other)]
        assert node.ev[1 - node.player] == pytest.approx(waits, nan_ok=True)
        assert np.isnan(node.gain(1)) == np.isnan(node.gain(0)) == (0.0 in node.reach)
    turn = rg.solve(spot(rake=0.05, rake_cap=3), rg.DCFR, iterations=2)  # type: ignore[arg-type]
    nodes = [turn.strategy.node(line) for line in ("", "check", "bet 75")]
    board = find_board(turn.strategy.tree, 0, None)
    at_once = turn.strategy.at_board(nodes, board, waiting=True)
    assert [node.player for node in at_once] == [1, 0, 0] and at_once[0] is turn.strategy.waiting("")


def test_a_solution_does_not_differ_from_itself_and_boards_are_read_in_all() -> None:
    assert rg.poker.differences(turn_run(), turn_run()).nodes == ()
    found = rg.poker.differences(turn_run(), locked_run())
    assert {len(node.board) for node in found.nodes} == {8, 10}
    assert len(found.columns()["gain of player 1"]) == len(found.nodes)


def test_other_ranges_are_compared_by_the_hands_of_both() -> None:
    wider = rg.solve(spot(ranges=("QQ,AK,JTs,98s,AhTh,TT", "77,AQ,T9s,KTs,54s")), rg.DCFR, iterations=20)  # type: ignore[arg-type]
    found = rg.poker.differences(turn_run(), wider, streets=1)
    root = next(node for node in found.nodes if node.line == "")
    assert root.reach == pytest.approx((1, 1)) and not any(hand.name[0] == hand.name[2] == "T" for hand in root.hands)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"sizes": "bet 50%"}, "bet sizes are not the same"),
        ({"board": "Qs Jh 2h 7d"}, "different boards: QsJh2h7c and QsJh2h7d"),
    ],
)
def test_other_trees_are_refused(other: dict[str, Any], words: str) -> None:
    with pytest.raises(rg.OptionError, match=words):
        check_same_tree(turn_run().strategy, spot(**other).public_tree().uniform())


def test_wrong_options_are_answered_by_a_sentence() -> None:
    river = turn_run()
    for wrong in (
        lambda: rg.poker.leaks(river, streets="2"),
        lambda: rg.poker.leaks(river, streets=True),
        lambda: rg.poker.leaks(river, most_hands="x"),
        lambda: rg.poker.differences(river, river, most_hands=-1),
        lambda: rg.poker.lock_node(river, "", "AK"),
        lambda: rg.poker.lock_node(river, 99, {}),
        lambda: rg.poker.leaks("river"),
    ):
        with pytest.raises(rg.OptionError):
            wrong()


def test_runs_with_another_rake_are_not_compared() -> None:
    with pytest.raises(rg.OptionError, match="rake"):
        rg.poker.differences(turn_run(), rg.solve(spot(rake=0.05), rg.DCFR, iterations=2))
