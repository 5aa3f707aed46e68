"""Solving subgames again: safety on random games and on Leduc, values by hand, and what is refused."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from compare_tables import random_strategy
from conftest import INTERPRETED
from random_games import RandomGame, random_games
from regretless.evaluation.responses import best_response
from regretless.game import CHANCE, TERMINAL
from regretless.subgames.gadget_solving import METHODS, solve_gadget
from regretless.subgames.gadgets import make_gadget
from regretless.subgames.resolving import _patched
from regretless.subgames.subgame import Subgame, closed_subgame, find_histories, subgame_at

SAFE = ("cfr-d", "maxmargin", "reach")


def rough(tree: rg.Tree, seed: int, iterations: int = 3) -> rg.Strategy:
    """A blueprint that is neither optimal nor absurd: CFR for a moment, mixed with noise."""
    learned = rg.solve(tree, rg.CFR, iterations=iterations).strategy.probabilities
    noise = random_strategy(tree, seed).probabilities
    return rg.Strategy.from_plan(tree.labels, 0.7 * learned + 0.3 * noise)


def some_infoset(tree: rg.Tree, seed: int) -> Any:
    keys = list(tree.uniform())
    return random.Random(seed).choice(keys) if keys else None


# -- safety -----------------------------------------------------------------------------------------------------------


def check_safety(tree: rg.Tree, blueprint: rg.Strategy, at: Any) -> None:
    """No safe method raises what the opponent wins by a best response, even before rounding is made up for."""
    before = rg.exploitability(tree, blueprint)
    subgame = subgame_at(tree, at)
    scale = max(1.0, float(np.abs(tree.listing.payoffs).max()))
    for method in SAFE:
        for player in (0, 1):
            gadget = make_gadget(subgame, blueprint, player)
            inside = solve_gadget(gadget, method)
            if inside is not None:
                found = _patched(tree, blueprint, gadget.own, inside)
                lost = [best_response(tree, one, 1 - player).value for one in (blueprint, found)]
                assert lost[1] <= lost[0] + 1e-7 * scale, method
        patched = rg.resolve(tree, blueprint, at, method)
        assert rg.exploitability(tree, patched) <= before + 1e-12 * scale
        outside = ~subgame.infosets[tree.labels.infoset_of_sequence] | (tree.labels.infoset_of_sequence < 0)
        assert np.array_equal(patched.probabilities[outside], blueprint.probabilities[outside])


def check_random_games(seeds: range) -> None:
    for seed in seeds:
        tree = rg.build(RandomGame(seed=seed, depth=4 + seed % 3, chance_moves=seed % 2 == 0))
        at = some_infoset(tree, seed)
        if at is not None:
            check_safety(tree, rough(tree, seed), at)


def test_safe_methods_never_raise_exploitability() -> None:
    check_random_games(range(1_000, 1_004 if INTERPRETED else 1_020))


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize("first", range(0, 1_000, 250))
def test_safe_methods_never_raise_exploitability_on_a_thousand_games(first: int) -> None:
    check_random_games(range(first, first + 250))


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize("at", ["Js", "Js c", "Js cc Ks", "Qh rc Jh r", "Ks crrc Kh"])
def test_leduc(at: str) -> None:
    tree = rg.build("leduc")
    for iterations in (10, 60):
        check_safety(tree, rg.solve(tree, rg.CFR_PLUS, iterations=iterations).strategy, at)


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
def test_the_published_order_on_leduc() -> None:
    """Over all turns of a card: the unsafe method makes some subgames worse, maxmargin improves most of them, and
    reach does at least as well on average."""
    tree = rg.build("leduc")
    blueprint = rg.solve(tree, rg.CFR_PLUS, iterations=40).strategy
    before = rg.exploitability(tree, blueprint)
    states = [f"Js {line} {card}" for line in ("cc", "crc", "rc", "rrc", "crrc") for card in ("Qs", "Ks")]
    after = {
        method: np.array([rg.exploitability(tree, rg.resolve(tree, blueprint, at, method)) for at in states])
        for method in METHODS
    }
    assert after["unsafe"].max() > before
    assert (after["maxmargin"] < before - 1e-6).sum() >= len(states) / 2
    assert after["reach"].mean() <= after["maxmargin"].mean() + 1e-9
    assert after["maxmargin"].mean() <= after["cfr-d"].mean()


# -- the whole game as its own subgame --------------------------------------------------------------------------------


@given(random_games(players=(2,), zero_sum=True), st.integers(0, 99))
def test_the_whole_game_solved_again_is_solved(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    if not tree.infosets:
        return
    blueprint, everywhere = random_strategy(tree, seed), list(tree.uniform())
    assert rg.exploitability(tree, rg.resolve(tree, blueprint, everywhere, "unsafe")) <= 1e-7
    one = rg.resolve(tree, blueprint, everywhere, "unsafe", player=0)
    assert -best_response(tree, one, 1).value == pytest.approx(rg.equilibrium(tree).value, abs=1e-7)
    theirs = tree.labels.player_of_sequence == 1
    assert np.array_equal(one.probabilities[theirs], blueprint.probabilities[theirs])
    whole = closed_subgame(tree, np.ones(tree.histories, bool))
    for method in METHODS:  # with a single group they are all the game itself, but for those that need not improve
        inside = [solve_gadget(gadget, method) for gadget in (make_gadget(whole, blueprint, p) for p in (0, 1))]
        if method != "cfr-d" and all(part is not None for part in inside):
            plan = np.ones(tree.sequences)
            for player in (0, 1):
                plan[make_gadget(whole, blueprint, player).own] = inside[player]
            assert rg.exploitability(tree, rg.Strategy.from_plan(tree.labels, plan)) <= 1e-7, method


# -- values by walking the game ---------------------------------------------------------------------------------------


def best_values(tree: rg.Tree, strategy: rg.Strategy, player: int, root: Any, weight: float) -> float:
    """What `player` wins by a best response from some state on, times a weight, by walking all histories together."""
    game, labels = tree.game, tree.labels

    def value(states: list[tuple[Any, float]]) -> float:
        """Of states that the player cannot tell apart so far, with the weights of chance and the other."""
        total, waiting = 0.0, {}
        pending = list(states)
        while pending:
            state, mass = pending.pop()
            mover = game.player(state)
            if mover == TERMINAL:
                total += mass * game.payoffs(state)[player]
            elif mover == player:
                waiting.setdefault(game.infoset(state), []).append((state, mass))
            else:
                infoset = labels.by_player.get((mover, game.infoset_label(game.infoset(state))) if mover >= 0 else None)
                chances = (
                    game.chance(state) if mover == CHANCE else strategy.probabilities[labels.sequences_of(infoset)]
                )
                for action, p in zip(game.actions(state), chances, strict=True):
                    pending.append((game.play(state, action), mass * float(p)))
        for group in waiting.values():
            options = range(len(game.actions(group[0][0])))
            total += max(value([(game.play(s, game.actions(s)[a]), mass) for s, mass in group]) for a in options)
        return total

    return value([(root, weight)])


@given(random_games(players=(2,), depth=3, zero_sum=True), st.integers(0, 99))
def test_bounds_of_a_history_that_everybody_sees(game: RandomGame, seed: int) -> None:
    """At the root all histories are one group, and its bound is the value of a best response."""
    tree = rg.build(game)
    blueprint = random_strategy(tree, seed)
    subgame = closed_subgame(tree, np.ones(tree.histories, bool))
    for player in (0, 1):
        gadget = make_gadget(subgame, blueprint, player)
        assert gadget.groups == 1 and gadget.weight[0] == 1.0 and gadget.gifts[0] == 0.0
        assert gadget.bound[0] == pytest.approx(best_response(tree, blueprint, 1 - player).value, abs=1e-12)
        assert gadget.bound[0] == pytest.approx(best_values(tree, blueprint, 1 - player, game.root(), 1.0), abs=1e-12)


def test_groups_of_kuhn_are_the_cards_of_the_opponent() -> None:
    """After a pass the first player may hold each card: three groups, each as likely as the deal and the pass."""
    tree = rg.build("kuhn")
    blueprint = rg.Strategy.from_dict(tree, {"J": [0.9, 0.1], "Q": [0.6, 0.4], "K": [0.2, 0.8]}, missing="uniform")
    gadget = make_gadget(subgame_at(tree, "Qp"), blueprint, player=1)
    assert gadget.groups == 3
    np.testing.assert_allclose(gadget.weight, 1 / 3)  # the opponent's own pass does not count
    np.testing.assert_allclose(sorted(gadget.opponent), [0.2, 0.6, 0.9])
    mine = make_gadget(subgame_at(tree, "Qp"), blueprint, player=0)
    np.testing.assert_allclose(sorted(mine.weight), sorted([(0.6 + 0.2) / 6, (0.9 + 0.2) / 6, (0.9 + 0.6) / 6]))


def test_a_gift_is_what_the_opponent_lost_on_the_way() -> None:
    """Player 1 always folds a queen; passing with a king then loses what a bet would have won from it."""
    tree = rg.build("kuhn")
    blueprint = rg.Strategy.from_dict(tree, {"Kb": [0, 1], "Qb": [1, 0], "Jb": [1, 0]}, missing="uniform")
    blueprint = blueprint.with_player(0, rg.Strategy.uniform(tree))
    gadget = make_gadget(subgame_at(tree, "Qp"), blueprint, player=1)
    values = rg.counterfactual_values(tree, best_response(tree, blueprint, 0).strategy, player=0)
    lost = {card: (max(row.values()) - row["pass"]) * 3 for card, row in values.items() if card in "JQK"}
    np.testing.assert_allclose(sorted(gadget.gifts), sorted(lost.values()), atol=1e-12)
    assert max(lost.values()) > 0


# -- where a subgame begins -------------------------------------------------------------------------------------------


@given(random_games(players=(2,)), st.integers(0, 99))
def test_subgames_are_closed(game: RandomGame, seed: int) -> None:
    tree = rg.build(game)
    at = some_infoset(tree, seed)
    if at is None:
        return
    subgame: Subgame = subgame_at(tree, at)
    h = tree.listing
    assert subgame.inside[find_histories(tree, at)].all()
    for number in range(tree.histories):
        children = range(h.first_child[number], h.first_child[number] + h.children[number])
        if subgame.inside[number]:
            assert subgame.inside[list(children)].all()
        if h.mover[number] >= 0:
            assert subgame.inside[number] == subgame.infosets[h.index[number]]


def test_an_infoset_and_a_history_of_its_public_state_mean_the_same() -> None:
    tree = rg.build("leduc")
    by_infoset = subgame_at(tree, "Js cc Ks")
    for at in (("Jh", "Qs", "call", "call", "Ks"), ["Js cc Ks", "Qh cc Ks"], (0, "Js cc Ks")):
        assert np.array_equal(subgame_at(tree, at).inside, by_infoset.inside)
    assert by_infoset.infosets.sum() == 30  # five cards are left, and six infosets follow for each


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"at": "nowhere"}, "no infoset 'nowhere' in this game"),
        ({"at": ("J", "x")}, "after J the actions are Q, K, not 'x'"),
        ({"at": ("J", "Q", "bet", "pass")}, "the game is over after J, Q, bet, pass: nothing is left to solve"),
        ({"at": ("J", "Q", "bet", "pass", "pass")}, "the game is over after J, Q, bet, pass: at goes on with 'pass'"),
        ({"at": []}, "at is empty"),
        ({"at": "Qp", "method": "safe"}, "method is one of unsafe, cfr-d, maxmargin, reach, got 'safe'"),
        ({"at": "Qp", "player": 2}, "player is 0, 1 or None for both, got 2"),
    ],
)
def test_what_cannot_be_meant_is_said(arguments: dict[str, Any], said: str) -> None:
    tree = rg.build("kuhn")
    with pytest.raises(rg.OptionError, match=said):
        rg.resolve(tree, rg.Strategy.uniform(tree), **arguments)


def test_other_games_are_refused() -> None:
    for game, said in (("kuhn:players=3", "has 3 players"), ("battle_of_the_sexes", "payoffs that do not sum to zero")):
        tree = rg.build(game)
        with pytest.raises(rg.OptionError, match=f"resolve needs a two-player zero-sum game; .* {said}"):
            rg.resolve(tree, rg.Strategy.uniform(tree), ())
    tree = rg.build("kuhn")
    with pytest.raises(rg.OptionError, match="a Strategy is needed here, got 'kuhn'"):
        rg.resolve(tree, "kuhn", "Qp")  # type: ignore[arg-type]
    with pytest.raises(rg.OptionError, match="belongs to another game"):
        rg.resolve(tree, rg.Strategy.uniform(rg.build("rps")), "Qp")
    with pytest.raises(rg.OptionError, match="cannot be listed"):
        rg.resolve(rg.poker.FlopHoldem(), rg.Strategy.uniform(tree), "Qp")


def test_where_the_player_never_arrives_nothing_changes() -> None:
    tree = rg.build("kuhn")
    never = rg.Strategy.from_dict(tree, {"J": [0, 1], "Q": [0, 1], "K": [0, 1]}, missing="uniform")  # always bets
    for method in METHODS:
        assert rg.resolve(tree, never, "Qp", method, player=0) == never
