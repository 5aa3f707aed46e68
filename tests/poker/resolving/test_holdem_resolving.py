"""Subgames of hold'em solved again, beside the linear programs of `rg.resolve` and exact best responses."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import numpy as np
import pytest
from drawn_buckets import drawn, merged
from expanded import ExpandedGame, public_table

import regretless as rg
from regretless.errors import OptionError
from regretless.poker import Deck, Limit, LimitHoldem, NoLimit, PublicGame, Resolved
from regretless.poker.resolving.resolve import METHODS
from regretless.poker.resolving.subgame import subgame_after
from regretless.poker.solving.responses import best_responses
from regretless.subgames.gadgets import Gadget, make_gadget
from regretless.subgames.subgame import subgame_at

EIGHT = PublicGame(
    Deck("TJQK", "sh"), 2, (1,), Limit(streets=2, bets=(2, 4), caps=(1, 2), blinds=(1, 2)), isomorphism=False
)
TWELVE = PublicGame(Deck("TJQK", "shd"), 2, (2, 1), Limit(streets=3, bets=(2, 2, 4), caps=(1, 1, 2), blinds=(1, 2)))
NO_LIMIT = PublicGame(
    Deck("TJQK", "sh"), 2, (1, 1), NoLimit(stack=20, streets=3, blinds=(1, 2), sizes="bet 100%, raise all-in")
)
LINE, BOARD = "call check", "Js"
ITERATIONS = 1_000
CONVERGED = 2e-3
"""Chips: margins after this number of iterations are off by less."""


@cache
def rough_run() -> rg.Run:
    """A blueprint that is neither optimal nor absurd."""
    return rg.solve(EIGHT, rg.CFR, iterations=4, dtype="float64")


@cache
def listed() -> tuple[rg.Tree, rg.Strategy, list[Any]]:
    """The same game and blueprint as a tree of histories, and the infosets where the subgame begins."""
    tree = rg.build(ExpandedGame(EIGHT))
    strategy = on_tree(tree, rough_run().strategy)
    node, cards = EIGHT.betting_tree().find(LINE), EIGHT.deck.cards(BOARD)
    return tree, strategy, [key for key in tree.labels.by_player if key[1][0] == node and key[1][2] == cards]


def on_tree(tree: rg.Tree, strategy: Any) -> rg.Strategy:
    """A strategy of the public tree as one of the tree of histories."""
    labels, out = tree.labels, tree.uniform().probabilities.copy()
    for key, row in public_table(strategy, list(labels.by_player)).items():
        out[labels.sequences_of(labels.by_player[key])] = row
    return rg.Strategy(labels, out)


def gadget(strategy: rg.Strategy, player: int) -> Gadget:
    tree, _, at = listed()
    return make_gadget(subgame_at(tree, at), strategy, player)


@cache
def resolved(method: str, player: int) -> Resolved:
    return rg.poker.resolve(rough_run(), LINE, BOARD, method, player=player, iterations=ITERATIONS, dtype="float64")


@pytest.mark.parametrize("player", [0, 1])
def test_values_of_hands_are_those_of_the_linear_program(player: int) -> None:
    """B(h) / w(h) of every hand, before, and V(h) / w(h) after; groups of the program have no names, so sorted."""
    _, blueprint, _ = listed()
    known = gadget(blueprint, player)
    found = resolved("maxmargin", player)
    margins = found.margins[player]
    assert np.sort(margins.before) == pytest.approx(np.sort(known.bound / known.weight), abs=1e-9)
    assert np.sort(margins.mass) * margins.chance == pytest.approx(np.sort(known.weight), abs=1e-12)
    after = gadget(on_tree(listed()[0], found.spliced()), player)
    assert np.sort(margins.after) == pytest.approx(np.sort(after.bound / after.weight), abs=1e-9)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("method", METHODS)
def test_methods_reach_the_optimum_of_the_linear_program(method: str, player: int) -> None:
    tree, blueprint, at = listed()
    exact = gadget(rg.resolve(tree, blueprint, at, method, player=player), player)
    before, found = gadget(blueprint, player), resolved(method, player).margins[player]
    if method == "unsafe":
        expected = float(before.opponent @ exact.bound) / float(before.opponent @ before.weight)
        assert found.value_after == pytest.approx(expected, abs=CONVERGED)
    elif method == "cfr-d":  # the blueprint is an optimum too: no hand wins more
        assert found.smallest > -CONVERGED
    else:
        assert found.smallest == pytest.approx(((before.bound - exact.bound) / before.weight).min(), abs=CONVERGED)


@pytest.mark.parametrize("method", ["cfr-d", "maxmargin"])
def test_a_spliced_strategy_has_the_best_responses_of_the_tree_of_histories(method: str) -> None:
    tree, blueprint, _ = listed()
    for player in (0, 1):
        found = resolved(method, player)
        spliced = found.spliced()
        patched, inside = on_tree(tree, spliced), gadget(blueprint, player).own
        changed = np.flatnonzero(np.abs(patched.probabilities - blueprint.probabilities) > 1e-12)
        assert len(changed) and np.isin(changed, inside).all()
        value = best_responses(spliced)[1 - player][0]
        assert value == pytest.approx(rg.best_response(tree, patched, 1 - player).value, abs=1e-9)
        assert value <= best_responses(rough_run().strategy)[1 - player][0] + found.margins[player].most_lost + 1e-9


# -- whole games with buckets -----------------------------------------------------------------------------------------


CASES = [
    (merged(TWELVE, (3, 5, 6)), "call check", "Ts Jh"),
    (merged(TWELVE, (3, 5, 6)), "raise call / check bet call", "Ts Jh Jd"),
    (merged(TWELVE, (3, 5, 6)), "call check / check check", "Ts Td Jh"),
    (merged(NO_LIMIT, (3, 5, 6)), "call check / check check", "Ts Jh"),
]


@pytest.mark.parametrize(("game", "line", "board"), CASES, ids=["flop", "turn", "suits in order", "no-limit"])
def test_safe_methods_do_not_raise_what_the_opponent_wins_in_the_whole_game(
    game: PublicGame, line: str, board: str
) -> None:
    blueprint = drawn(game, seed=8)
    before = best_responses(blueprint.public)
    for method in ("cfr-d", "maxmargin"):
        found = rg.poker.resolve(blueprint, line, board, method, iterations=300)
        after = best_responses(found.spliced())
        for player, margins in found.margins.items():
            assert margins.most_lost < 1e-4
            allowed = 24 * margins.most_lost + 1e-5  # merged boards are all replaced
            assert after[1 - player][0] <= before[1 - player][0] + allowed


def test_unsafe_resolving_can_be_worse() -> None:
    """Hands that seldom come by the blueprint come once nothing holds them off; safe methods hold them off."""
    game = PublicGame(TWELVE.deck, 2, (2,), Limit(streets=2, bets=(2, 4), caps=(1, 2), blinds=(1, 2)))
    blueprint = rg.solve(game, rg.CFR_PLUS, iterations=140, dtype="float64").strategy  # not moved by rounding
    wins = best_responses(blueprint)[0][0]
    change = {}
    for method in METHODS:
        found = rg.poker.resolve(blueprint, "raise call", "Qs Ks", method, player=1, iterations=300)
        change[method] = best_responses(found.spliced())[0][0] - wins
        assert (found.margins[1].smallest < -0.1) == (method == "unsafe")
    assert change["unsafe"] > 3e-4
    assert change["cfr-d"] < 1e-5 and change["maxmargin"] < 1e-5


@pytest.mark.parametrize(("game", "line", "board"), CASES[1:], ids=["turn", "suits in order", "no-limit"])
def test_the_strategy_of_the_subgame_is_one_of_the_spot(game: PublicGame, line: str, board: str) -> None:
    blueprint = drawn(game, seed=8)
    found = rg.poker.resolve(blueprint, line, board, iterations=50)
    spot = blueprint.spot(line, board)
    assert [w.tolist() for w in found.game.hand_weights()] == [w.tolist() for w in spot.hand_weights()]
    values = best_responses(found.blueprint), best_responses(found.strategy)
    for player, margins in found.margins.items():
        assert margins.value_before == pytest.approx(values[0][1 - player][0], abs=1e-4)
        assert margins.value_after == pytest.approx(values[1][1 - player][0], abs=1e-4)
    node = found.strategy.at("check")
    again = blueprint.at(line + " check", board)
    here = np.isin(again.names, node.names)
    assert node.weight == pytest.approx(again.weight[here], abs=1e-6) and node.actions == again.actions


def test_merged_suits_change_nothing() -> None:
    blueprint = drawn(merged(TWELVE, (3, 5, 6)), seed=8)
    apart = dataclasses.replace(blueprint.tree.game, isomorphism=False)
    other: Any = apart.problem().strategy({"average": blueprint.source}, "average")
    for method in ("cfr-d", "maxmargin"):
        one, two = (
            rg.poker.resolve(each, "call check", "Ts Th", method, player=0, iterations=200).margins[0]
            for each in (blueprint, other)
        )
        assert one.names == two.names and one.before == pytest.approx(two.before, abs=1e-5)
        assert one.smallest == pytest.approx(two.smallest, abs=0.02)


def test_suits_that_only_the_set_of_cards_merges_are_kept_apart() -> None:
    """Exchanging s and d keeps the cards Ts Td Jh Jd… as a set where it exchanges a flop card with the turn."""
    blueprint = drawn(merged(TWELVE, (3, 5, 6)), seed=8)
    exchanged = subgame_after(blueprint, "call check / check check", "Ts Jh Td")
    assert not exchanged.tree.game.isomorphism
    assert subgame_after(blueprint, "call check / check check", "Ts Td Jh").tree.game.isomorphism


def test_a_run_of_the_public_tree_and_one_by_buckets_agree() -> None:
    blueprint = drawn(merged(TWELVE, (3, 5, 6)), seed=8)
    one, two = (
        rg.poker.resolve(each, "raise call / check check", "Ts Jh Qd", player=1, iterations=20)
        for each in (blueprint, blueprint.public)
    )
    assert np.array_equal(one.numbers, two.numbers) and np.array_equal(one.margins[1].after, two.margins[1].after)


def test_no_limit_spots_have_the_player_out_of_position_first() -> None:
    strategy = rg.poker.card_blind(rg.poker.Holdem(stack=1_000, sizes="bet 100%"), fold=1, call=2, raise_=1)
    line, board = "call check / check check / check check", "Qs Jh 2h 7c 3d"
    found = rg.poker.resolve(strategy, line, board, player=0, iterations=60)
    assert isinstance(found.game, rg.poker.Spot) and found.strategy.at("").player == 0
    margins, before = found.margins[0], best_responses(found.blueprint)
    assert margins.value_before == pytest.approx(before[0][0], abs=1e-3)  # player 1 sits first in the spot
    assert margins.smallest > 0 and margins["AsAd"] > 0
    first, second = found.blueprint.at(""), found.strategy.at("")
    assert np.abs(first.probabilities - second.probabilities).max() < 1e-6
    assert margins.frame() is not None and "maxmargin" in repr(found)
    with pytest.raises(OptionError, match="no margin of 'QsQd'"):
        margins["QsQd"]
    with pytest.raises(OptionError, match="no margin of 5"):
        margins[5]  # type: ignore[index]


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "board", "more", "problem"),
    [
        ("raise call / bet bet", "Qs Jh 2h 7c", {}, "possible there: fold, call, raise"),
        ("call", "", {}, "in the middle of a street"),
        ("raise call", "Qs Jh", {}, "a board of 3 cards, got 2"),
        ("raise call", "Qs Jh 2h", {"method": "reach"}, "rg.resolve has reach"),
        ("raise call", "Qs Jh 2h", {"method": "best"}, "one of unsafe, cfr-d, maxmargin, got 'best'"),
        ("raise call", "Qs Jh 2h", {"player": 2}, "player is 0, 1 or None"),
        ("raise call", "Qs Jh 2h", {"iterations": 0}, "iterations is a whole number from 1 on"),
        ("raise call", "Qs Jh 2h", {"seconds": -1}, "seconds is a positive number"),
        ("raise call", "Qs Jh 2h", {"variant": "cfr+"}, "variant is a variant of CFR"),
        ("raise call", "Qs Jh 2h", {"device": "tpu"}, "device is 'cpu' or 'cuda'"),
        ("raise call / bet call / check check", "Qs Jh 2h 7c 3d", {"dtype": "float8"}, "dtype is one of"),
    ],
)
def test_bad_questions_have_one_sentence(line: str, board: str, more: dict[str, Any], problem: str) -> None:
    strategy = rg.poker.card_blind(LimitHoldem(), call=1, raise_=1)
    with pytest.raises(OptionError, match=problem) as error:
        rg.poker.resolve(strategy, line, board, **more)
    assert "\n" not in str(error.value)


def test_other_games_are_refused() -> None:
    with pytest.raises(OptionError, match=r"rg\.resolve takes listed games"):
        rg.poker.resolve(rg.build("kuhn").uniform(), "pass", "")
    leduc = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
    with pytest.raises(OptionError, match="hands of two cards"):
        rg.poker.resolve(rg.poker.card_blind(leduc, call=1), "check check", "Js")
    raked = PublicGame(Deck("TJQK", "sh"), 2, (1, 1), NoLimit(stack=10, streets=3, blinds=(1, 2), rake=0.1))
    strategy = rg.poker.card_blind(raked, call=1, raise_=1)
    with pytest.raises(OptionError, match="this game has a rake"):
        rg.poker.resolve(strategy, "call check / check check", "Ts Jh")
    folds = rg.poker.card_blind(LimitHoldem(), call=1)
    with pytest.raises(OptionError, match=r"player 0 never plays 'raise call / check check' .* nothing to solve again"):
        rg.poker.resolve(folds, "raise call / check check", "Qs Jh 2h 7c", player=0)
    with pytest.raises(OptionError, match=r"player 0 never plays .* take method='maxmargin'"):
        rg.poker.resolve(folds, "raise call / check check", "Qs Jh 2h 7c", "unsafe", player=1)


def test_a_subgame_that_does_not_fit_is_refused_before_it_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    from regretless.poker.resolving import subgame
    from regretless.poker.tree import memory_estimate

    strategy = rg.poker.card_blind(LimitHoldem(), call=1, raise_=1)
    monkeypatch.setattr(memory_estimate, "available_memory", lambda: 10**9)
    with pytest.raises(OptionError, match=r"need .* GB even as int16, and 1.00 GB are free"):
        rg.poker.resolve(strategy, "raise call", "Qs Jh 2h")
    monkeypatch.setattr(subgame, "free_memory", lambda: 10**7)
    with pytest.raises(OptionError, match=r"this subgame needs .* as float32 .* and 10 MB are free"):
        rg.poker.resolve(strategy, "raise call / check check", "Qs Jh 2h 7c")
