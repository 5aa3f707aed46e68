"""Hands as a dealer plays them, compared with betting trees and with PokerKit, and bets that a tree does not have."""

from __future__ import annotations

import random

import numpy as np
import pytest

from regretless.apps.acpc.translation import TreeFollower, nearest_size
from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.poker import LIMIT_HOLDEM, Limit, NoLimit
from regretless.poker.betting.hand_play import HandPlay, Move, read_move

NO_LIMIT = NoLimit(stack=20_000, streets=4, blinds=(50, 100), sizes="bet 50% 100%, raise 100%")
SHORT = NoLimit(stack=1_000, streets=2, blinds=(50, 100), sizes="bet 50% 100%, raise 100%", chip=1)


@pytest.mark.parametrize("rules", [LIMIT_HOLDEM, SHORT, Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1)])
def test_lines_of_a_tree_are_hands(rules) -> None:
    """Each line of a tree has the same movers, chips, streets and ends."""
    tree, follower, draw = rules.tree(), None, random.Random(1)
    follower = TreeFollower(tree, isinstance(rules, Limit))
    for _ in range(300):
        node, hand = 0, HandPlay.begin(rules)
        while tree.kind[node] < DEAL:
            assert not hand.over and hand.mover == tree.kind[node] and hand.street == tree.street[node]
            assert hand.situation.paid == pytest.approx(tuple(tree.paid[node]))
            action = draw.randrange(len(tree.actions[node]))
            move = follower.move_of(node, action, hand)
            assert follower.action_of(node, hand, move, draw.random()) == action
            node, hand = follower.after(node, action), hand.play(move)
        assert hand.over and hand.situation.kind == tree.kind[node]
        assert min(hand.situation.paid) == pytest.approx(float(-tree.lose[node].min()))
        assert HandPlay.begin(rules).replay(hand.betting).situation == hand.situation


def test_streets_are_slashes_and_all_in_deals_the_rest() -> None:
    hand = HandPlay.begin(NO_LIMIT).replay("r20000c///")
    assert hand.situation.kind == SHOWDOWN and hand.situation.paid == (20_000, 20_000) and hand.street == 3
    folded = HandPlay.begin(NO_LIMIT).replay("r300c/cr600f")
    assert (folded.situation.kind, folded.situation.folder, min(folded.situation.paid)) == (FOLD, 1, 300)


@pytest.mark.parametrize(
    ("betting", "bounds"),
    [
        ("", (200, 20_000)),  # the big blind twice
        ("r300", (500, 20_000)),  # as much as the raise before
        ("r300r1000", (1_700, 20_000)),
        ("r300c/", (400, 20_000)),  # a bet is at least a big blind
        ("r19950", (20_000, 20_000)),  # less than a raise is left
        ("r20000", None),
    ],
)
def test_legal_raises(betting, bounds) -> None:
    hand = HandPlay.begin(NO_LIMIT).replay(betting)
    assert hand.raise_bounds == bounds


def test_moves_are_corrected() -> None:
    hand = HandPlay.begin(NO_LIMIT).replay("r300")
    assert hand.legal(Move("r", 301)) == Move("r", 500)
    assert hand.legal(Move("r", 1e9)) == Move("r", 20_000)
    assert hand.legal(Move("r")) == Move("r", 500)
    assert hand.legal(Move("f")) == Move("f")
    assert hand.play(Move("c")).legal(Move("f")) == Move("c")
    capped = HandPlay.begin(LIMIT_HOLDEM).replay("rrr")
    assert capped.legal(Move("r")) == Move("c")


@pytest.mark.parametrize(
    ("rules", "betting", "message"),
    [
        (LIMIT_HOLDEM, "rrrr", "where the game allows no raise"),
        (LIMIT_HOLDEM, "r300", "has no amount"),
        (LIMIT_HOLDEM, "rc", "should be 'rc/'"),
        (LIMIT_HOLDEM, "r/c", "cannot be read from character 2"),
        (LIMIT_HOLDEM, "cc/f", "no bet to fold to"),
        (LIMIT_HOLDEM, "fc", "where it is over"),
        (LIMIT_HOLDEM, "cx", "cannot be read from character 2"),
        (NO_LIMIT, "r", "to more than 100"),
        (NO_LIMIT, "r100", "to more than 100"),
        (NO_LIMIT, "r20001", "at most 20000"),
        (NO_LIMIT, "c" * 20_000, "at most 10,000 characters"),
    ],
)
def test_betting_that_cannot_be(rules, betting, message) -> None:
    with pytest.raises(OptionError, match=message):
        HandPlay.begin(rules).replay(betting)


def test_moves_as_text() -> None:
    assert str(Move("r", 300.0)) == "r300" and read_move("r300") == Move("r", 300.0)
    assert read_move("r") == Move("r") and read_move("c") == Move("c")
    assert all(read_move(text) is None for text in ("", "x", "cc", "r-1", "r1.5", "rr", "r" + 14 * "1", "r٣"))


def test_pseudo_harmonic_mapping() -> None:
    """The probabilities of the paper; at x = (A + B + 2AB)/(A + B + 2) both sizes are equally likely."""
    low, high = 0.5, 2.0
    middle = (low + high + 2 * low * high) / (low + high + 2)
    draws = (np.arange(1000) + 0.5) / 1000
    assert np.mean([nearest_size(middle, [low, high], draw) == 0 for draw in draws]) == pytest.approx(0.5, abs=2e-3)
    for share in (0.6, 1.0, 1.9):
        lower = np.mean([nearest_size(share, [low, high], draw) == 0 for draw in draws])
        assert lower == pytest.approx((high - share) * (1 + low) / ((high - low) * (1 + share)), abs=2e-3)
    assert nearest_size(0.1, [low, high], 0.99) == 0 and nearest_size(5.0, [low, high], 0.0) == 1


def test_a_raise_keeps_its_share_of_the_pot() -> None:
    tree = NO_LIMIT.tree()
    follower = TreeFollower(tree, limit=False)
    hand = HandPlay.begin(NO_LIMIT).replay("r250")
    node = follower.after(0, list(tree.actions[0]).index("raise to 300"))
    pot = list(tree.actions[node]).index("raise to 900")
    assert follower.move_of(node, pot, hand) == Move("r", 750.0)
