"""Betting trees: counts that others published or that were made by hand, a dealer as oracle, mistakes by sentence."""

from __future__ import annotations

import math
from math import comb
from typing import Any

import numpy as np
import pytest
from betting_dealer import check_payoffs, check_shape, check_tree
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.poker.betting import tree_building
from regretless.poker.betting.betting_tree import BettingTree, StreetCounts
from regretless.poker.betting.limit import FLOP_HOLDEM, KUHN, LEDUC, LIMIT_HOLDEM, Limit
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.betting.situations import successors
from regretless.poker.betting.sizes import Sizes

CLASSES = (169, 1_286_792, 55_190_538, 2_428_287_420)
"""Hole cards with a board, up to suits, on each street: FACTS of hold'em."""


def decisions(tree: BettingTree) -> list[int]:
    return [street.decisions for street in tree.counts]


def actions(tree: BettingTree) -> list[int]:
    return [street.actions for street in tree.counts]


def test_flop_holdem() -> None:
    tree = FLOP_HOLDEM.tree()
    assert tree.counts[0] == StreetCounts(lines=1, decisions=8, actions=21, deals=7, folds=7, showdowns=0)
    flop = StreetCounts(lines=1, decisions=10, actions=26, deals=0, folds=8, showdowns=9)
    assert tree.counts[1] == StreetCounts(*(7 * count for count in flop))
    assert sum(n * c for n, c in zip(decisions(tree), CLASSES, strict=False)) == 90_076_792
    assert sum(n * c for n, c in zip(actions(tree), CLASSES, strict=False)) == 234_199_693
    assert tree.paid[0].tolist() == [50, 100] and tree.kind[0] == 0
    assert tree.kind[tree.find("call check")] == 1


def test_flop_holdem_with_three_bets_on_the_flop() -> None:
    """The reading with 180,154,429 infoset-actions: a bet and two raises on the flop, 20 actions for each line."""
    tree = Limit(caps=(3, 3)).tree()
    assert actions(tree) == [21, 7 * 20]
    assert sum(n * c for n, c in zip(actions(tree), CLASSES, strict=False)) == 180_154_429


def test_limit_holdem() -> None:
    """Johanson, "Measuring the Size of Large No-Limit Poker Games" (2013): 3.19e14 infosets, 1.38e13 canonical."""
    tree = LIMIT_HOLDEM.tree()
    assert decisions(tree) == [8, 70, 630, 5670]
    assert actions(tree) == [21, 182, 1638, 14_742]
    assert [street.lines for street in tree.counts] == [1, 7, 63, 567]
    dealt = np.cumprod([comb(52, 2), comb(50, 3), 47, 46]).tolist()
    assert f"{sum(n * c for n, c in zip(decisions(tree), dealt, strict=True)):.3e}" == "3.194e+14"
    assert f"{sum(n * c for n, c in zip(decisions(tree), CLASSES, strict=True)):.2e}" == "1.38e+13"
    assert len(tree) == 1 + sum(actions(tree)) + 7 + 63 + 567


def test_kuhn_is_the_game_of_that_name() -> None:
    tree, game = KUHN.tree(), rg.build(rg.games.Kuhn())
    assert 3 * sum(decisions(tree)) == game.infosets == 12
    assert 6 * int((tree.kind > DEAL).sum()) == game.terminals == 30
    stakes = np.abs(tree.win[tree.kind > DEAL, 0]).tolist()
    assert sorted(stakes * 6) == sorted(np.abs(game.listing.payoffs[:, 0]).tolist())


def test_leduc_is_the_game_of_that_name() -> None:
    tree, game = LEDUC.tree(), rg.build(rg.games.Leduc())
    assert decisions(tree) == [6, 30] and actions(tree) == [14, 70]
    assert 6 * 6 + 30 * 6 * 5 == game.infosets == 936
    folds, ends = tree.counts[0].folds, tree.counts[1].folds + tree.counts[1].showdowns
    assert 30 * folds + 120 * ends == game.terminals
    showdowns = tree.kind == SHOWDOWN
    stakes = np.concatenate([
        np.repeat(-tree.lose[showdowns, 0], 120),
        np.repeat(tree.paid[(tree.kind > DEAL) & ~showdowns].min(axis=1),
                  np.where(tree.street[(tree.kind > DEAL) & ~showdowns] == 0, 30, 120)),
    ])  # fmt: skip
    payoffs = np.abs(game.listing.payoffs[:, 0])
    for stake in np.unique(stakes):  # ties at a showdown pay nothing
        assert (payoffs == stake).sum() <= (stakes == stake).sum()
    assert (payoffs == 0).sum() == len(stakes) - (payoffs > 0).sum()


def test_river_with_one_size_by_hand() -> None:
    """Pot 100, stack 100: check, bet 50 or shove; a raise is all-in. Actions of each decision node, by what is behind:

    check 3 (bet 3, shove over it 2, shove 2), bet 3 (shove over it 2), shove 2, and 3 at the root: 20 of 8 nodes.
    """
    tree = NoLimit(pot=100, stack=100, sizes="bet 50%, raise all-in").tree()
    assert tree.outline().splitlines() == [
        "player 0 to act, paid 0 and 0",
        "  check: player 1 to act, paid 0 and 0",
        "    check: showdown for 50",
        "    bet 50: player 0 to act, paid 0 and 50",
        "      fold: player 1 wins 50",
        "      call: showdown for 100",
        "      all-in: player 1 to act, paid 100 and 50",
        "        fold: player 0 wins 100",
        "        call: showdown for 150",
        "    all-in: player 0 to act, paid 0 and 100",
        "      fold: player 1 wins 50",
        "      call: showdown for 150",
        "  bet 50: player 1 to act, paid 50 and 0",
        "    fold: player 0 wins 50",
        "    call: showdown for 100",
        "    all-in: player 0 to act, paid 50 and 100",
        "      fold: player 1 wins 100",
        "      call: showdown for 150",
        "  all-in: player 1 to act, paid 100 and 0",
        "    fold: player 0 wins 50",
        "    call: showdown for 150",
    ]
    assert tree.counts == (StreetCounts(lines=1, decisions=8, actions=20, deals=0, folds=6, showdowns=7),)


def test_the_small_blind_acts_first_then_last() -> None:
    tree = NoLimit(stack=1000, blinds=(5, 10), streets=2, sizes="bet pot, raise pot").tree()
    assert tree.actions[0] == ("fold", "call", "raise to 30")
    assert tree.actions[tree.find("call")] == ("check", "raise to 30")
    assert tree.kind[tree.find("call check")] == 1
    assert tree.actions[tree.find("raise call")] == ("check", "bet 60")
    assert tree.paid[tree.find("raise to 30, raise to 90")].tolist() == [30, 90]


def test_all_in_runs_out_the_board() -> None:
    tree = NoLimit(pot=10, stack=10, streets=3, sizes="bet all-in").tree()
    end = tree.find("all-in call")
    above = [int(tree.parent[end])]
    above.append(int(tree.parent[above[0]]))
    assert tree.kind[[end, *above]].tolist() == [SHOWDOWN, DEAL, DEAL]
    assert tree.street[[end, *above]].tolist() == [2, 1, 0]
    assert tree.find(tree.line(above[1])) == end and tree.line(end) == "all-in call"
    assert tree.win[end].tolist() == [15, 15]


def offered(line: str, **rules: Any) -> tuple[str, ...]:
    tree = NoLimit(**{"pot": 100, "stack": 1000, "add_all_in": 0} | rules).tree()
    return tree.actions[tree.find(line)]


def test_what_is_offered() -> None:
    assert offered("", sizes="bet 33% 75% 120c") == ("check", "bet 33", "bet 75", "bet 120")
    assert offered("bet 50", sizes="bet 50%, raise 50% 3x 400c") == (
        "fold", "call", "raise to 150", "raise to 400"
    )  # fmt: skip
    assert offered("bet 50", sizes="bet 50%, raise 50% 3x 400c", merge=0) == offered(
        "b50", sizes="bet 50%, raise 3x 400c"
    )
    assert offered("", sizes="bet 29%", chip=5) == ("check", "bet 30")
    assert offered("", sizes="bet 29%", chip=5, min_bet=40) == ("check", "bet 40")
    assert offered("", sizes="bet 1/3 pot") == ("check", "bet 33.33")
    assert offered("", sizes="bet 50% all-in") == ("check", "bet 50", "all-in")
    assert offered("", sizes="bet 50%", stack=58) == ("check", "all-in")  # 50 of 58 is more than 85 %
    assert offered("", sizes="bet 50%", stack=60) == ("check", "bet 50")
    assert offered("", sizes="bet 50%", stack=150, add_all_in=1.5) == ("check", "bet 50", "all-in")
    assert offered("", sizes="bet 50%", stack=151, add_all_in=1.5) == ("check", "bet 50")
    assert offered("", sizes="bet none", stack=10, add_all_in=1.5) == ("check",)


def test_nearly_equal_sizes_are_merged() -> None:
    """The pots that 50 % and 55 % make differ by 155/150 - 1 = 3.3 %, those of 33 % and 40 % by 5.3 %."""
    assert offered("", sizes="bet 50% 55%") == ("check", "bet 55")
    assert offered("", sizes="bet 33% 40%") == ("check", "bet 33", "bet 40")
    assert offered("", sizes="bet 50% 50.001%", merge=0) == ("check", "bet 50", "bet 50.001")
    assert offered("", sizes="bet 50.001% 50.002%", merge=0) == ("check", "bet 50.001", "bet 50.002")


def test_least_raises() -> None:
    """A raise adds at least what the last bet or raise added: 50 over 50, then 100 over that."""
    rules = {"sizes": "bet 50%, raise 1.1x 60c", "merge": 0}
    assert offered("bet", **rules) == ("fold", "call", "raise to 100")
    assert offered("bet raise", **rules) == ("fold", "call", "raise to 150")
    assert offered("bet 50 r", sizes="bet 50%, raise 3x") == ("fold", "call", "raise to 450")
    tree = NoLimit(stack=1000, blinds=(50, 100), sizes="raise 1.5x").tree()
    assert tree.actions[0] == ("fold", "call", "raise to 200")


def test_geometric_bets_get_all_chips_in_on_the_last_street() -> None:
    """Pot 100, stack 400: the pot grows to 900 in two streets, by 3 each, so a bet is the pot."""
    tree = NoLimit(pot=100, stack=400, streets=2, sizes="bet e, raise none", add_all_in=0).tree()
    assert tree.actions[0] == ("check", "bet 100")
    assert tree.actions[tree.find("bet call")] == ("check", "all-in")
    assert offered("", stack=400, sizes="bet 2e") == ("check", "bet 100")
    assert offered("", stack=400, sizes="bet 1e") == ("check", "all-in")


def test_caps_count_bets_and_raises() -> None:
    assert offered("bet 33 raise", caps=2) == ("fold", "call")
    assert offered("", caps=0) == ("check",)
    tree = NoLimit(stack=10_000, blinds=(50, 100), streets=2, caps=(1, 0), sizes="raise 3x").tree()
    assert tree.actions[tree.find("raise")] == ("fold", "call") and tree.actions[tree.find("raise call")] == ("check",)


def test_donk_bets_have_their_own_sizes() -> None:
    sizes = Sizes(bets="50%", raises="3x", donks="25%")
    tree = NoLimit(pot=100, stack=10_000, streets=2, sizes=sizes, add_all_in=0).tree()
    assert tree.actions[tree.find("check bet call")] == ("check", "bet 50")  # 25 % of 200: player 1 bet last
    assert tree.actions[tree.find("check bet call / check")] == ("check", "bet 100")
    assert tree.actions[tree.find("bet call")] == ("check", "bet 100")  # player 0 bet last
    assert tree.actions[tree.find("bet raise call")] == ("check", "bet 100")
    assert tree.actions[tree.find("check check")] == ("check", "bet 50")
    never = NoLimit(pot=100, stack=100, streets=2, sizes="bet 10%, donk none").tree()
    assert never.actions[never.find("check bet 10 call")] == ("check",)


def test_sizes_by_street_and_player() -> None:
    small, large = Sizes(bets="25%"), Sizes(bets="100%")
    tree = NoLimit(pot=100, stack=10_000, streets=2, sizes=[(small, large), "bet 60%"]).tree()
    assert tree.actions[0] == ("check", "bet 25") and tree.actions[tree.find("check")] == ("check", "bet 100")
    assert tree.actions[tree.find("x x")] == tree.actions[tree.find("x x x")] == ("check", "bet 60")


def test_rake() -> None:
    """5 % of the pot without the uncalled bet, at most 8: bet 50 into 100 and fold: 5; call: 10, so 8."""
    tree = NoLimit(pot=100, stack=100, sizes="bet 50%", rake=0.05, rake_cap=8).tree()
    assert tree.win[tree.find("bet fold")].tolist() == [45, -50]
    showdown = tree.find("bet 50 call")
    outcomes = (tree.win, tree.tie, tree.lose)
    assert [array[showdown, 0] for array in outcomes] == [92, -4, -100]
    check_payoffs(tree, 100, 0.05, 8)
    blinds = NoLimit(stack=100, blinds=(1, 2), streets=2, rake=0.05).tree()
    assert blinds.win[blinds.find("fold"), 1] == 1  # no flop, no drop
    check_payoffs(blinds, 0, 0.05, free=1)


def test_limit_with_stacks_and_other_seats() -> None:
    tree = Limit(stack=250).tree()
    assert tree.actions[tree.find("raise")] == ("fold", "call", "all-in")
    check_tree(tree, Limit(stack=250))
    reverse = Limit(blinds=(100, 50), first=(1, 0))
    check_tree(reverse.tree(), reverse)
    odd = Limit(blinds=(100, 50), first=(0, 0))  # the larger blind first: it may check
    assert odd.tree().actions[0] == ("check", "raise")
    check_tree(odd.tree(), odd)


@pytest.mark.parametrize(
    "rules", [FLOP_HOLDEM, KUHN, LEDUC, Limit(streets=3, bets=(1, 2, 3), caps=(0, 1, 2))], ids=repr
)
def test_limit_trees_at_the_dealers_table(rules: Limit) -> None:
    check_tree(rules.tree(), rules)
    check_payoffs(rules.tree(), 0)


SHARES = st.sampled_from(["25%", "1/3 pot", "50%", "75%", "pot", "150%", "e", "7c", "all-in"])
RAISES = st.one_of(SHARES, st.sampled_from(["2x", "2.5x", "4x", "30c"]))
SIZES = st.builds(
    Sizes,
    bets=st.lists(SHARES, max_size=2),
    raises=st.lists(RAISES, max_size=2),
    donks=st.none() | st.lists(SHARES, max_size=1),
)


@st.composite
def no_limit(draw: st.DrawFn) -> NoLimit:
    streets = draw(st.integers(1, 3))
    blinds = draw(st.sampled_from([(0, 0), (0, 0), (1, 2), (2, 1), (3, 3)]))
    pot = draw(st.integers(1, 60)) if not any(blinds) else 0
    return NoLimit(
        stack=draw(st.integers(8, 120)),
        pot=pot,
        streets=streets,
        sizes=draw(st.one_of(SIZES, st.lists(st.tuples(SIZES, SIZES), min_size=streets, max_size=streets))),
        blinds=blinds,
        ante=draw(st.sampled_from([0, 0.5])),
        caps=draw(st.sampled_from([1, 2])),
        all_in_from=draw(st.sampled_from([0.5, 0.85, 1.0])),
        add_all_in=draw(st.sampled_from([0, 1.5, np.inf])),
        chip=draw(st.sampled_from([None, 1])),
        min_bet=draw(st.sampled_from([None, 2])),
        rake=draw(st.sampled_from([0, 0.05])),
    )


@given(no_limit())
def test_no_limit_trees_at_the_dealers_table(rules: NoLimit) -> None:
    nodes = tree_building.count_nodes(tree_building.list_situations(rules))
    tree = rules.tree()
    assert len(tree) == nodes
    assert tree.paid.max() <= rules.stack
    if nodes < 1500:
        check_tree(tree, rules)
    else:
        check_shape(tree)
    check_payoffs(tree, rules.pot, rules.rake, free=int(any(rules.blinds) or rules.ante > 0))


def test_lines_are_read_with_tolerance() -> None:
    tree = NoLimit(pot=100, stack=1000, streets=2, sizes="bet 50% 100%, raise 3x all-in").tree()
    goal = tree.find("check bet 50 call / check bet 100 raise to 300 all-in")
    assert tree.line(goal) == "check bet 50 call / check bet 100 raise to 300 all-in"
    for line in (
        "x b50 c x b100 r300 a",
        "xb50cxb100r300a",
        "k 50 c / k 100 300 jam",
        "check-bet-50-call/check-bet-100-raise-to-300-all-in",
        "CHECK, bet 50, call; check > bet 100 > raise 300 > ALL IN",
    ):
        assert tree.find(line) == goal, line
    assert tree.find("") == tree.find(" / ") == 0 and tree.line(0) == ""
    limit = LIMIT_HOLDEM.tree()
    assert limit.line(limit.find("crrc/rc/cc/")) == "call raise raise call / bet call / check check"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("check call", "'call' after 'check' is no action; possible there: check, bet 50, bet 100"),
        ("bet", "'bet' at the beginning could mean 'bet 50' or 'bet 100'"),
        ("bet 70", "'bet 70' at the beginning is no action; possible there: check, bet 50, bet 100"),
        ("check check check", "goes on with 'check' after 'check check', but there the hand is over"),
        ("check!", "has '!' in it"),
    ],
)
def test_lines_that_lead_nowhere(line: str, sentence: str) -> None:
    tree = NoLimit(pot=100, stack=1000, sizes="bet 50% 100%").tree()
    with pytest.raises(OptionError) as caught:
        tree.find(line)
    assert sentence in str(caught.value)


def test_nodes_that_do_not_exist() -> None:
    with pytest.raises(OptionError, match="node 9 does not exist: the tree has 9 nodes"):
        KUHN.tree().line(9)


def test_the_tree_as_text() -> None:
    tree = FLOP_HOLDEM.tree()
    assert str(tree) == tree.summary()
    assert [line.split() for line in tree.summary().splitlines()] == [
        ["street", "lines", "decisions", "actions", "deals", "folds", "showdowns"],
        ["0", "1", "8", "21", "7", "7", "0"],
        ["1", "7", "70", "182", "0", "56", "63"],
        ["all", "8", "78", "203", "7", "63", "63"],
    ]
    assert repr(tree) == "<BettingTree: 211 nodes, 78 decisions, 2 streets>"
    assert tree.outline(3).splitlines()[-1] == "… 208 more nodes"
    assert tree.nbytes == 211 * (1 + 1 + 4 + 4 + 4 + 1 + 8 * 8)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"stack": 100, "blinds": (50, 100)}, "needs a stack above the 100 chips of the ante and the larger blind"),
        ({"stack": 100, "pot": -1}, "needs pot to be a number of at least 0 of chips, got pot=-1"),
        ({"stack": 100}, "needs a pot, blinds or an ante"),
        ({"stack": 0, "pot": 1}, "needs stack to be a positive number of chips, got stack=0"),
        ({"stack": float("nan"), "pot": 1}, "got stack=nan"),
        ({"stack": 100, "pot": 1, "streets": 5}, "needs 1 to 4 streets, got streets=5"),
        ({"stack": 100, "pot": 1, "caps": -1}, "whole numbers of at least 0, got caps=-1"),
        ({"stack": 100, "pot": 1, "caps": (1, 2)}, "one for each of the 1, got caps=(1, 2)"),
        ({"stack": 100, "pot": 1, "first": 2}, "to be player 0 or 1, got first=2"),
        ({"stack": 100, "pot": 1, "blinds": 5}, "as (50, 100), got blinds=5"),
        ({"stack": 100, "pot": 1, "sizes": "bet much"}, "the bet size 'much' cannot be read"),
        ({"stack": 100, "pot": 1, "sizes": ["bet 1%"] * 2}, "for each of the 1, got 2"),
        ({"stack": 100, "pot": 1, "rake": 5}, "share of the pot below 1 (0.05 for 5 %), got 5"),
        ({"stack": 100, "pot": 1, "all_in_from": 0}, "above 0 and up to 1, got 0"),
        ({"stack": 100, "pot": 1, "add_all_in": -1}, "0 for never, got -1"),
        ({"stack": 100, "pot": 1, "chip": 0}, "needs chip to be a positive number of chips, got chip=0"),
        ({"stack": 100, "pot": 1, "min_bet": True}, "got min_bet=True"),
    ],
)
def test_impossible_no_limit_rules(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        NoLimit(**wrong)
    assert str(caught.value).startswith(("NoLimit needs", "the bet size", "sizes are needed"))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"bets": 0}, "needs bets to be a positive number of chips, got bets=0"),
        ({"bets": (1, 2, 3)}, "one for each of the 2, got bets=(1, 2, 3)"),
        ({"caps": 1.5}, "got caps=1.5"),
        ({"stack": 80}, "got stack=80"),
        ({"blinds": (0, 0)}, "nothing to win"),
    ],
)
def test_impossible_limit_rules(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        Limit(**wrong)
    assert sentence in str(caught.value)


def test_trees_that_are_too_large_are_refused_before_they_are_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="has 17,221 nodes, more than the limit of 10,000: offer fewer sizes"):
        LIMIT_HOLDEM.tree(limit=10_000)
    wide = Limit(streets=4, caps=40)  # 81 lines and 242 actions on every street, one more action before the flop
    nodes = 1 + 243 + (1 + 242) * (81 + 81**2 + 81**3)
    with pytest.raises(OptionError, match=f"has {nodes:,} nodes, more than the limit of 50,000,000"):
        wide.tree()
    monkeypatch.setattr(tree_building, "MOST_SITUATIONS", 1000)
    with pytest.raises(OptionError, match="more than 1,000 different situations"):
        wide.tree()


HUGE = {
    "8 bet sizes and 6 raises": {
        "pot": 100,
        "stack": 1e9,
        "streets": 3,
        "caps": 6,
        "sizes": "bet 10% 20% 33% 50% 75% 100% 150% 200%, raise 2x 2.5x 3x 3.5x 4x 5x 6x 8x",
    },
    "a pot of a millionth": {"pot": 1e-6, "stack": 1e12, "streets": 3},
    "raises by one chip": {"pot": 1, "stack": 1e12, "streets": 2, "chip": 1, "sizes": "bet 1c, raise 1c"},
}


@pytest.mark.parametrize("rules", HUGE.values(), ids=HUGE)
def test_huge_trees_are_refused_after_bounded_work(rules: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def counted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return successors(*arguments)

    monkeypatch.setattr(tree_building, "successors", counted)
    with pytest.raises(OptionError, match=r"the betting tree has (about|more than) .*: offer fewer sizes"):
        NoLimit(**rules).tree()
    assert calls <= tree_building.MOST_SITUATIONS + 100_000


def test_estimates_are_unbiased_enough_to_trust() -> None:
    rules = NoLimit(pot=100, stack=1_000, streets=2, sizes="bet 50% 100%, raise 2.5x 4x")
    nodes = tree_building.count_nodes(tree_building.list_situations(rules))
    assert nodes / 2 < tree_building.estimated_nodes(rules, probes=2_000) < 2 * nodes
    assert tree_building.estimated_nodes(rules) == tree_building.estimated_nodes(rules)


def test_a_tree_that_does_not_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_building, "available_memory", lambda: 1_000_000)
    with pytest.raises(OptionError, match=r"has 17,221 nodes, which need 0\.0 GB, and 0\.0 GB are free: offer fewer"):
        LIMIT_HOLDEM.tree()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"pot": 1e-300, "stack": 1e300}, "pot to be 0 or from 0.000001 to 1,000,000,000,000 chips, got pot=1e-300"),
        ({"pot": 1, "stack": 1e300}, "stack to be from 0.000001 to 1,000,000,000,000 chips, got stack=1e+300"),
        ({"pot": 1, "stack": 10**400}, "got stack=1000"),
        ({"pot": 1, "stack": 10**5_000}, "got stack=a value of type int that is too long to show"),
        ({"pot": 1, "stack": math.inf}, "got stack=inf"),
        ({"pot": 1, "stack": None}, "needs stack to be a positive number of chips, got stack=None"),
        ({"pot": math.nan, "stack": 1}, "got pot=nan"),
        ({"pot": 1, "stack": 1, "add_all_in": 10**400}, "0 for never, got 1000"),
        ({"pot": 1, "stack": 1, "merge": 10**400}, "needs merge to be a number of at least 0 of the pot"),
        ({"pot": 1, "stack": 1, "caps": [1] * 100_000}, "or one for each of the 1, got caps=[1, 1,"),
    ],
)
def test_numbers_have_limits(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        NoLimit(**wrong)
    assert sentence in str(caught.value) and len(str(caught.value)) < 300


def test_a_game_without_stacks_needs_caps() -> None:
    with pytest.raises(OptionError, match="needs a stack where caps allow more than 255 bets on a street, got"):
        Limit(caps=256)
    assert len(Limit(streets=1, caps=1_000, stack=1_000).tree()) < 100
    with pytest.raises(OptionError, match="got caps=a value of type int that is too long to show"):
        Limit(caps=10**5_000)


def test_lines_that_no_person_writes() -> None:
    tree = FLOP_HOLDEM.tree()
    with pytest.raises(OptionError, match="a line of play has at most 10,000 characters, got 1,000,000"):
        tree.find("c" * 1_000_000)
    with pytest.raises(OptionError, match=r"a line of play is a text like .*, got 7"):
        tree.find(7)  # type: ignore[arg-type]
    with pytest.raises(OptionError) as caught:
        tree.find("call " * 1_000)
    assert len(str(caught.value)) < 300
