"""Reach, values, leaks and differences: against the library's own functions, slow recursion and published numbers."""

from __future__ import annotations

import numpy as np
import pytest
from explored import exact, solved
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from conftest import built
from random_games import RandomGame
from regretless.apps.views.differences import compare_strategies, distances
from regretless.apps.views.infoset_measures import Measures, matching, names_of, rows_of, shares_at, stored_regret
from regretless.apps.views.leaks import costs, leaks_of

GAMES = ["kuhn", "kuhn:players=3", "leduc", "liars_dice:sides=3", "goofspiel:cards=3", "battle_of_the_sexes"]


def measured(spec: str) -> Measures:
    return Measures(built(spec), solved(spec, 20).strategy)


def reach_by_recursion(game: rg.Game, strategy: rg.Strategy) -> dict[tuple[int, str], float]:
    """How often play comes to each infoset, by walking all histories."""
    total: dict[tuple[int, str], float] = {}
    waiting = [(game.root(), 1.0)]
    while waiting:
        state, chance = waiting.pop()
        mover = game.player(state)
        if mover == rg.TERMINAL:
            continue
        actions = game.actions(state)
        if mover == rg.CHANCE:
            shares = list(game.chance(state))
        else:
            key = (mover, game.infoset_label(game.infoset(state)))
            total[key] = total.get(key, 0.0) + chance
            shares = list(strategy[key].values())
        waiting += [(game.play(state, a), chance * p) for a, p in zip(actions, shares, strict=True)]
    return total


@pytest.mark.parametrize("spec", GAMES)
def test_reach_is_that_of_walking_all_histories(spec: str) -> None:
    measures = measured(spec)
    slow = reach_by_recursion(built(spec).game, measures.strategy)
    labels = measures.tree.labels
    fast = {(int(labels.owner[i]), labels.names[i]): measures.reach[i] for i in range(len(labels.names))}
    assert fast.keys() == slow.keys()
    assert all(fast[key] == pytest.approx(slow[key], abs=1e-14) for key in slow)


@pytest.mark.parametrize("spec", GAMES)
def test_counterfactual_values_are_the_library_s(spec: str) -> None:
    measures = measured(spec)
    tree, strategy = measures.tree, measures.strategy
    for player in range(tree.players):
        expected = rg.counterfactual_values(tree, strategy, player)
        for row in rows_of(strategy, np.flatnonzero(tree.labels.owner == player).tolist(), measures):
            for action in row.actions:
                found = expected[strategy.key(row.number)]
                label = next(name for name in found if str(name) == action.label)
                assert action.counterfactual == pytest.approx(found[label], abs=1e-12)
        assert measures.values[player] == pytest.approx(rg.value(tree, strategy, player), abs=1e-12)


@pytest.mark.parametrize("spec", GAMES)
def test_leaks_add_up_to_what_a_best_response_gains(spec: str) -> None:
    measures = measured(spec)
    tree, strategy = measures.tree, measures.strategy
    assert costs(measures).sum() == pytest.approx(rg.nash_conv(tree, strategy), abs=1e-12)
    for player in range(tree.players):
        leaks = leaks_of(measures, player)
        best = rg.best_response(tree, strategy, player)
        assert leaks.best_value == pytest.approx(best.value, abs=1e-12)
        assert leaks.gain == pytest.approx(leaks.cost[tree.labels.owner == player].sum(), abs=1e-12)
        shown = leaks.page(0, 10_000)
        assert [leak.cost for leak in shown] == sorted((leak.cost for leak in shown), reverse=True)
        for leak in shown:
            chosen = best.strategy.probabilities[tree.labels.sequences_of(leak.infoset)]
            assert leak.values[int(np.argmax(chosen))] == pytest.approx(leak.values[leak.best], abs=1e-9)


@given(st.integers(0, 10_000))
def test_leaks_add_up_on_random_games(seed: int) -> None:
    tree = rg.build(RandomGame(seed))
    measures = Measures(tree, rg.Strategy.uniform(tree))
    assert costs(measures).sum() == pytest.approx(rg.nash_conv(tree, measures.strategy), abs=1e-9)
    assert costs(measures).min(initial=0.0) >= 0


def test_a_perfect_opponent_of_uniform_kuhn() -> None:
    """Uniform play loses 11/12 in all; a perfect player 1 wins 5/12 of it (README's best response)."""
    measures = Measures(built("kuhn"), rg.Strategy.uniform(built("kuhn")))
    second = leaks_of(measures, 1)
    assert second.best_value == pytest.approx(5 / 12)
    by_label = {leak.label: leak for leak in second.page(0, 99)}
    assert by_label["Jb"].actions[by_label["Jb"].best] == "pass"
    assert by_label["Kb"].actions[by_label["Kb"].best] == "bet"
    assert by_label["Kb"].cost == pytest.approx(1 / 6 * 0.5 * (2 - -1))  # half the bets are met by a fold of 3 chips
    often = leaks_of(measures, 1, by="response").page(0, 99)
    assert [leak.response_reach for leak in often] == sorted((leak.response_reach for leak in often), reverse=True)
    assert sum(leak.response_reach for leak in often) == pytest.approx(1.0)  # player 1 moves once in every game


def test_an_equilibrium_leaks_nothing_in_sum() -> None:
    assert costs(exact("kuhn")).sum() == pytest.approx(0, abs=1e-9)
    assert leaks_of(exact("kuhn"), 0).value == pytest.approx(-1 / 18, abs=1e-9)


def test_a_row_of_kuhn_s_equilibrium() -> None:
    """The queen that has passed and faces a bet calls a third more often than the jack bluffs, and loses a chip either
    way (Kuhn 1950)."""
    measures = exact("kuhn")
    infoset = measures.tree.labels.by_player[0, "Qpb"]
    (row,) = rows_of(measures.strategy, [infoset], measures)
    assert [action.label for action in row.actions] == ["pass", "bet"]
    assert row.actions[1].probability == pytest.approx(measures.strategy["J"]["bet"] + 1 / 3, abs=1e-6)
    assert row.value == pytest.approx(-1, abs=1e-6)
    assert all(action.value == pytest.approx(-1, abs=1e-6) for action in row.actions)
    assert all(action.gain == pytest.approx(0, abs=1e-6) for action in row.actions)
    assert row.others_reach == pytest.approx(1 / 6 * (1 / 3 + 1), abs=1e-6)  # against a jack that bluffs, or a king
    assert row.reach == pytest.approx(row.others_reach, abs=1e-6)  # the queen always passes first


def test_regrets_are_the_run_s() -> None:
    run = solved("kuhn")
    regret = stored_regret(run.arrays, run.strategy.labels)
    rows = rows_of(run.strategy, range(12), None, regret)
    for row in rows:
        where = run.strategy.labels.sequences_of(row.number)
        assert [action.regret for action in row.actions] == run.arrays["regret"][where].tolist()
        assert row.value is None
    assert stored_regret({}, run.strategy.labels) is None


def test_shares_at_a_node_are_those_of_all_who_come_there() -> None:
    measures = exact("kuhn")
    labels = measures.tree.labels
    shares = shares_at(measures, [labels.by_player[0, card] for card in "JQK"])
    bets = sum(measures.strategy[card]["bet"] for card in "JQK") / 3
    assert shares == pytest.approx({"pass": 1 - bets, "bet": bets})


def test_searching() -> None:
    labels = built("kuhn").labels
    known = names_of(labels)

    def found(text: str, player: int | None = None) -> list[str]:
        return [str(labels.names[i]) for i in matching(labels, known, text, player)]

    assert found("q") == ["Q", "Qp", "Qb", "Qpb"]  # the whole label first, then in reading order
    assert sorted(found("?b")) == ["Jb", "Kb", "Qb"]
    assert found("*pb", 0) == ["Jpb", "Qpb", "Kpb"]
    assert found("*pb", 1) == []
    assert len(found("")) == 12
    assert found("[a-z]") == []


def test_differences_come_first_where_they_matter() -> None:
    tree = built("kuhn")
    one = rg.Strategy.uniform(tree)
    other = rg.Strategy.from_dict(tree, {"K": [0, 1], "Jpb": [1, 0]}, missing="uniform")
    plain = compare_strategies(one, other, None)
    assert distances(one, other).sum() == pytest.approx(1.0)
    assert {row.label for row in plain.page(0, 9)} == {"K", "Jpb"}
    assert all(row.distance == 0.5 for row in plain.page(0, 9))
    weighted = compare_strategies(one, other, (Measures(tree, one), Measures(tree, other)))
    assert [row.label for row in weighted.page(0, 9)] == ["K", "Jpb"]  # a third of the games come to K
    assert weighted.page(0, 1)[0].weight == pytest.approx(1 / 3)
    assert compare_strategies(one, other, None, player=1).page(0, 9) == []
    assert compare_strategies(one, one, None).mean == 0
    with pytest.raises(rg.OptionError, match="another game"):
        distances(one, rg.Strategy.uniform(built("rps")))
