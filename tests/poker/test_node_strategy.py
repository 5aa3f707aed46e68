"""`run.strategy.at(line, board)`: every hand in the suits that were asked for, and what it expects by brute force."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from expanded import calm_learner
from slow_vectors import SlowVectors, played

import regretless as rg
from conftest import INTERPRETED
from regretless.errors import OptionError
from regretless.poker import Deck, Limit, NoLimit, PublicGame, Range, Spot
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.tree.public_tree import build_public_tree

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")

SHORT = Deck("9TJQKA", "shdc")


def flop(
    isomorphism: bool = True, ranges: tuple[str, str] = ("AA,KK,AK,QJs,T9s:0.5", "QQ,JJ,AQ,KJo:0.75,AKs")
) -> PublicGame:
    """A flop with the turn and no river: two streets, hearts and diamonds and clubs alike on it."""
    chosen = (Range.parse(ranges[0], SHORT), Range.parse(ranges[1], SHORT))
    betting = NoLimit(pot=30, stack=60, streets=2, sizes="bet 50%, raise 60%", caps=2, rake=0.04, rake_cap=3)
    return PublicGame(SHORT, 2, (1,), betting, "As Qs 9s", chosen, isomorphism=isomorphism)


def three_streets(isomorphism: bool = True) -> PublicGame:
    chosen = (Range.parse("AA,KK,QJs", SHORT), Range.parse("QQ,AQ,AKs", SHORT))
    betting = Limit(streets=3, bets=(10, 20, 20), caps=(1, 1, 1), blinds=(0, 0), pot=30)
    return PublicGame(SHORT, 2, (1, 1), betting, "As Qs 9h", chosen, isomorphism=isomorphism)


@cache
def solved(game: str, isomorphism: bool = True) -> PublicStrategy:
    made = {"flop": flop, "three streets": three_streets}[game](isomorphism)
    learner = calm_learner(made, rg.CFR_PLUS)
    learner.advance(8)
    strategy: PublicStrategy = learner.average_strategy()
    return strategy


@cache
def river() -> tuple[Spot, PublicStrategy]:
    """Full ranges in the usual deck, one of them with weights that differ by suits."""
    spot = Spot(
        "Qs Jh 2h 7c 3d", ("22+,A2s+,KJ+,AhKh:0.5", "random"), pot=100, stack=220, sizes="bet 60%, raise all-in"
    )
    run: Any = rg.solve(spot, rg.CFR_PLUS, iterations=12, dtype="float64")
    return spot, run.strategy


def by_name(node: NodeStrategy) -> dict[str, Any]:
    met = (node.weight > 1e-9) & (node.opposing > 1e-9)
    return {
        name: np.array([*node.probabilities[i], *node.action_ev[i], node.ev[i], node.weight[i], node.opposing[i]])
        for i, name in enumerate(node.names)
        if met[i]
    }


@pytest.mark.parametrize(
    ("game", "line", "boards"),
    [
        ("flop", "", [None]),
        ("flop", "check bet", [None, "9sQsAs"]),
        ("flop", "check check /", ["AsQs9sKh", "AsQs9sKd", "AsQs9sKc", "9sAsQsTs", "As Qs 9s 9c"]),
        ("flop", "bet call / check", ["AsQs9sJh", "AsQs9sJd", "AsQs9sAc"]),
        ("three streets", "check check /", ["AsQs9hKd", "AsQs9hKc"]),
        ("three streets", "check check / check check / check", ["AsQs9hKdTc", "AsQs9hKcTd", "AsQs9hTcTd"]),
        ("three streets", "bet call / bet call / bet", ["AsQs9hKcKd", "AsQs9hKdKc", "AsQs9hJdTd", "AsQs9hJcTc"]),
    ],
)
def test_in_any_suits(game: str, line: str, boards: list[str | None]) -> None:
    """Frequencies, weights and expectations of every hand, as without merging suits."""
    for board in boards:
        merged, plain = (solved(game, isomorphism).at(line, board) for isomorphism in (True, False))
        assert merged.names == plain.names and merged.actions == plain.actions and merged.board == plain.board
        one, other = by_name(merged), by_name(plain)
        assert one.keys() == other.keys() and one
        assert max(float(np.abs(one[name] - other[name]).max()) for name in one) < 1e-9
        assert np.abs(merged.others - plain.others).max() < 1e-9


def test_bundles_change_nothing() -> None:
    """On the last street only a bundle of lines is kept at a time; how many lines that are must not be seen."""
    game = three_streets()
    wide, narrow = (build_public_tree(game, bundle_lanes=lanes) for lanes in (1 << 20, 1))
    assert len(wide.betting.bundle_nodes) == 4 < len(narrow.betting.bundle_nodes) - 5
    learners = [rg.CFR_PLUS.learner(tree, rg.Settings(dtype="float64")) for tree in (wide, narrow)]
    for learner in learners:
        learner.advance(4)
    assert all(
        np.array_equal(one, other) for one, other in zip(*(own.arrays().values() for own in learners), strict=True)
    )
    lines = ["check check / check check /", "bet call / check check / bet", "bet call / bet call / check", "check bet"]
    for line in lines:
        board = None if line == "check bet" else "AsQs9hKcTd"
        one, other = (learner.average_strategy().at(line, board) for learner in learners)
        for name in ("probabilities", "ev", "action_ev", "weight", "opposing", "others"):
            assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)


def reach_of(slow: SlowVectors, line: str, player: int, board: tuple[int, ...]) -> tuple[int, np.ndarray]:
    """The node of a line on the first street, and a player's range times what it plays on the way there."""
    tree = slow.tree
    path = [tree.find(line)]
    while path[-1]:
        path.append(int(tree.parent[path[-1]]))
    reach = slow.game.hand_weights()[player].copy()
    for child, node in pairwise(path):
        if tree.kind[node] == player:
            reach *= slow.plays(node, board)[child - int(tree.first_child[node])]
    return path[0], reach


def check_by_brute_force(strategy: PublicStrategy, line: str) -> None:
    """Weights, opposing weights and expectations at a node of the first street."""
    game = strategy.tree.game
    slow, seen = SlowVectors(game, played(strategy)), strategy.at(line)
    board, player = game.first_board, seen.player
    node, mine = reach_of(slow, line, player, board)
    theirs = reach_of(slow, line, 1 - player, board)[1]
    numbers = [game.deck.hand_number(hand) for hand in seen.hands.tolist()]
    assert np.abs(seen.weight - mine[numbers]).max() < 1e-12
    assert np.abs(seen.others - theirs).max() < 1e-12
    opposing = (slow.meet @ theirs)[numbers]
    assert np.abs(seen.opposing - opposing).max() < 1e-9
    met = opposing > 1e-6
    put_in = float(slow.tree.paid[node, player]) + game.betting.pot / 2
    worth = slow.value(player, node, board, theirs)[numbers, 1]
    assert np.abs(seen.ev[met] - (worth[met] / opposing[met] + put_in)).max() < 1e-8
    for action in range(len(seen.actions)):
        worth = slow.value(player, int(slow.tree.first_child[node]) + action, board, theirs)[numbers, 1]
        assert np.abs(seen.action_ev[met, action] - (worth[met] / opposing[met] + put_in)).max() < 1e-8
    assert seen.pot == pytest.approx(game.betting.pot + slow.tree.paid[node].sum())


@pytest.mark.parametrize("line", ["", "bet", "check bet", "check bet all-in"])
def test_river_by_brute_force(line: str) -> None:
    check_by_brute_force(river()[1], line)


@pytest.mark.parametrize("line", ["", "bet", "check bet"])
def test_a_card_to_come_by_brute_force(line: str) -> None:
    check_by_brute_force(solved("flop"), line)


NODES = [
    ("flop", ""),
    ("flop", "bet"),
    ("flop", "check bet"),
    ("flop", "bet call / bet"),
    ("flop", "check check / check"),
]


@pytest.mark.parametrize(("game", "line"), NODES)
def test_expectations_add_up(game: str, line: str) -> None:
    """A node is worth what its actions are worth, folding is worth nothing, and frequencies are means."""
    board = "As Qs 9s Kh" if "/" in line else None
    seen = solved(game).at(line, board)
    met = seen.opposing > 0
    assert np.abs(seen.probabilities.sum(axis=1) - 1).max() < 1e-12
    expected = (seen.probabilities[met] * seen.action_ev[met]).sum(axis=1)
    assert np.abs(seen.ev[met] - expected).max() < 1e-9
    if "fold" in seen.actions:
        assert np.abs(seen.action_ev[met, seen.actions.index("fold")]).max() < 1e-9
    assert sum(seen.frequencies.values()) == pytest.approx(1.0)
    mass = seen.weight * seen.opposing
    for i, action in enumerate(seen.actions):
        assert seen.frequencies[action] == pytest.approx(float(mass @ seen.probabilities[:, i] / mass.sum()))
    assert seen.mean_ev == pytest.approx(float(mass[met] @ seen.ev[met] / mass.sum()))


def test_hands_sum_to_the_value_of_the_game() -> None:
    """Player 0 opens, so its hands at the beginning are the whole game."""
    game, learner = flop(), calm_learner(flop(), rg.CFR_PLUS)
    learner.advance(8)
    seen = solved("flop").at("")
    assert seen.mean_ev - game.betting.pot / 2 == pytest.approx(learner.measure()["value"], abs=1e-9)
    spot, strategy = river()
    run = rg.solve(spot, rg.CFR_PLUS, iterations=12, dtype="float64")
    assert strategy.at("").mean_ev - 50 == pytest.approx(run.value, abs=1e-9)


def test_hands_without_an_opponent() -> None:
    """The aces in one's hand are all that the other could hold: no weight opposes, and nothing is expected."""
    game = Spot("Qs Jh 2h 7c 3d", ("AsAh,KK", "AsAh,AsAd,AhAc"), pot=10, stack=20)
    run: Any = rg.solve(game, rg.CFR_PLUS, iterations=5, dtype="float64")
    seen = run.strategy.at("")
    at = seen.names.index("AsAh")
    assert seen.opposing[at] == 0.0 and np.isnan(seen.ev[at]) and np.isnan(seen.action_ev[at]).all()
    assert np.isfinite(seen.mean_ev) and seen["AhAs"] == seen["AsAh"]


def test_a_board_that_blocks_a_whole_range() -> None:
    """The player to act has no hand: no frequencies, and the other player has no opponent."""
    chosen = (Range.parse("AsAh", SHORT), Range.parse("TT,JJ:0.5", SHORT))
    game = PublicGame(SHORT, 2, (1,), Limit(bets=(10, 20), caps=1, blinds=(0, 0), pot=30), "Ks Qd 9h", chosen)
    run: Any = rg.solve(game, rg.CFR_PLUS, iterations=3, dtype="float64")
    mine, theirs = (run.strategy.at(line, "KsQd9hAs") for line in ("check check /", "check check / check"))
    assert len(mine) == 0 and mine.frequencies == {"check": 0.0, "bet": 0.0} and np.isnan(mine.mean_ev)
    assert not theirs.opposing.any() and np.isnan(theirs.ev).all() and len(theirs) == 12
    with pytest.raises(OptionError, match="the board blocks the whole range"):
        mine["AsAh"]


def test_reading_a_node() -> None:
    seen = solved("flop").at("check check / check", "As Qs 9s Kh")
    assert (seen.player, seen.board, seen.line) == (1, "AsQs9sKh", "check check / check")
    assert len(seen) == len(seen.names) == len(seen.hands) and "AcKc" in seen.names and "AsKs" not in seen.names
    assert seen["AcKc"] == seen["KcAc"] == seen[" kCaC "] and set(seen["AcKc"]) == set(seen.actions)
    assert repr(seen).startswith("<player 1 at 'check check / check' on AsQs9sKh: check ")
    assert repr(solved("flop")).startswith("<PublicStrategy of poker: ")


@pytest.mark.parametrize(
    ("line", "board", "sentence"),
    [
        ("bet fold", None, "there is no decision after 'bet 15 fold': the hand is over there"),
        ("bet call / bet call", None, "there is no decision"),
        ("raise", None, "'raise' at the beginning is no action; possible there: check, bet 15"),
        ("check check /", None, "this node has a board of 4 cards, got no board"),
        ("check check /", "As Qs 9s", "a board of 4 cards, got 3 cards in 'As Qs 9s'"),
        ("", "As Qs 9h", "the board begins with AsQs9s, got AsQs9h"),
        ("check check /", "Kh As Qs 9s", "the board begins with AsQs9s, got KhAsQs9s"),
        ("check check /", "As Qs 9s As", "As is twice in"),
        ("check check /", "As Qs 9s 2h", "'2h' in 'As Qs 9s 2h' is not in this deck"),
        ("check check /", "As Qs 9s Xx", "is no card"),
    ],
)
def test_mistakes(line: str, board: str | None, sentence: str) -> None:
    with pytest.raises(OptionError) as raised:
        solved("flop").at(line, board)
    assert sentence in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("hand", ["AsKs", "Ac", "", "nonsense", "2h2d", "QdJd"])
def test_hands_that_are_not_there(hand: str) -> None:
    with pytest.raises(OptionError, match=r"there is no hand .* here on AsQs9s"):
        solved("flop").at("bet")[hand]
