"""FSICFR beside textbook recursion: the same numbers, in every variant and on every kind of graph."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from forgetful import Pile, Weather
from slow_recursion import SlowRecursion

import regretless as rg
from regretless.game import Game
from regretless.lookup.methods import method_by_name
from regretless.method import Settings
from regretless.recall.deal_blocks import blocks_of
from regretless.recall.graph import SHARED, graph_of

TOGETHER = [(0, 1)]

GAMES: list[tuple[Game, Sequence[Sequence[int]]]] = [
    # and who updates together, in turn: players who share infosets do
    (rg.games.Dudo(sides=2, recall=1), TOGETHER),
    (rg.games.Dudo(sides=3, recall=2), TOGETHER),
    (rg.games.Dudo(dice=(2, 1), sides=2, recall=1), [(0,), (1,)]),
    (rg.games.LiarDie(sides=3, recall=1), TOGETHER),
    (rg.games.LiarDie(sides=3, recall=2), TOGETHER),
    (rg.games.LiarDie(sides=2), [(0,), (1,)]),
    (rg.games.Kuhn(), [(0,), (1,)]),
    (rg.games.Kuhn(players=3), [(0,), (1,), (2,)]),
    (rg.games.BattleOfTheSexes(), [(0,), (1,)]),
    (Pile(7), TOGETHER),
    (Weather(), [(0,), (1,), (2,)]),
]

VARIANTS = {
    "cfr": rg.CFR,
    "cfr+, delayed": rg.CFR_PLUS.replace(delay=3),
    "linear": rg.LINEAR_CFR,
    "dcfr": rg.DCFR,
    "pdcfr+": rg.PDCFR_PLUS,
}


def assert_same(strategy: rg.Strategy, game: Game, found: dict, tolerance: float = 1e-10) -> None:
    assert len(found) == len(strategy)
    for key, row in found.items():
        player, seen = key if game.perfect_recall else (SHARED, key)
        name = game.infoset_label(seen)
        mine = strategy[(player, name) if game.perfect_recall else name]
        for action, probability in row.items():
            assert mine[game.action_label(action)] == pytest.approx(probability, abs=tolerance), (name, action)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize(("game", "turns"), GAMES, ids=lambda given: repr(given)[:40])
def test_the_numbers_are_those_of_recursion(game: Game, turns: Sequence[Sequence[int]], variant: rg.Variant) -> None:
    run = rg.solve(game, rg.FSICFR(variant=variant, listed=False), iterations=7)
    assert_same(run.strategy, game, SlowRecursion(game, variant, turns).run(7))


@pytest.mark.parametrize(("game", "turns"), GAMES[-4:], ids=lambda given: repr(given)[:40])
def test_players_may_also_update_at_once(game: Game, turns: Sequence[Sequence[int]]) -> None:
    variant = rg.DCFR.replace(alternating=False)
    run = rg.solve(game, rg.FSICFR(variant=variant, listed=False), iterations=7)
    assert_same(run.strategy, game, SlowRecursion(game, variant, [range(game.players)]).run(7))


@pytest.mark.parametrize("game", [rg.games.Dudo(recall=2), rg.games.LiarDie(sides=4, recall=2), Weather()], ids=repr)
def test_merged_positions_and_compiled_recursion_agree(game: Game) -> None:
    one, other = (
        rg.solve(game, rg.FSICFR(merge=merge, variant=rg.DCFR, listed=False), iterations=6) for merge in (True, False)
    )
    assert np.max(np.abs(one.arrays["regret"] - other.arrays["regret"])) < 1e-12
    assert np.max(np.abs(one.strategy.probabilities - other.strategy.probabilities)) < 1e-12
    assert one.value == pytest.approx(other.value, abs=1e-12)


@pytest.mark.parametrize("game", [rg.games.Dudo(sides=3, recall=2), rg.games.Kuhn()], ids=repr)
@pytest.mark.parametrize("variant", [rg.CFR, rg.DCFR.replace(alternating=False)], ids=["in turn", "at once"])
def test_a_vector_of_deals_and_single_positions_agree(game: Game, variant: rg.Variant) -> None:
    graph = graph_of(game)
    assert blocks_of(graph) is not None
    vector, single = (rg.FSICFR(variant=variant, listed=False).learner(graph, Settings()) for _ in range(2))
    from regretless.recall.graph_learner import _reach

    single.sweeps.blocks, single.sweeps.reach = None, _reach(graph.form)
    for learner in (vector, single):
        learner.advance(20)
    assert np.max(np.abs(vector.learned.regret - single.learned.regret)) < 1e-12
    assert vector.measure()["local_regret"] == pytest.approx(single.measure()["local_regret"], abs=1e-12)
    assert vector.measure()["value"] == pytest.approx(single.measure()["value"], abs=1e-12)


@pytest.mark.parametrize("game", [rg.games.Kuhn(), rg.games.Leduc(), rg.games.LiarDie(sides=3)], ids=repr)
def test_with_perfect_recall_it_is_cfr(game: Game) -> None:
    tree = rg.build(game)
    usual, ours = rg.solve(tree, rg.CFR, iterations=20), rg.solve(tree, rg.FSICFR(), iterations=20)
    for key in usual.strategy:
        assert ours.strategy[key] == pytest.approx(usual.strategy[key], abs=1e-9)
    assert ours.exploitability == pytest.approx(usual.exploitability, abs=1e-9)


def test_visits_are_positions_and_not_histories() -> None:
    game = rg.games.Dudo(sides=4, recall=2)
    counts = {
        merge: rg.solve(game, rg.FSICFR(merge=merge, listed=False), iterations=3).history["nodes"][-1] / 3
        for merge in (True, False)
    }
    assert counts[False] == 2 * 8_181  # every history, for each player
    assert counts[True] == len(blocks_of(graph_of(game)).mover) == 73


def test_dudo_with_three_claims_has_the_figures_of_the_issue() -> None:
    graph = graph_of(rg.games.Dudo(recall=3))
    blocks = blocks_of(graph)
    assert blocks is not None
    assert 294_883 / len(blocks.mover) > 600
    assert (graph.positions, graph.edges, len(blocks.mover), len(blocks.child)) == (17_539, 57_138, 487, 1_586)


# -- chance drawn ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [rg.games.Dudo(sides=3, recall=2), rg.games.LiarDie(sides=3, recall=2)], ids=repr)
def test_sampled_regrets_are_right_on_average(game: Game) -> None:
    graph = graph_of(game)
    exact = rg.FSICFR(listed=False).learner(graph, Settings())
    exact.advance(1)
    drawn = rg.FSICFR(chance="sampled", listed=False).learner(graph, Settings(seed=1))
    blank = {name: array.copy() for name, array in drawn.arrays().items()}
    total, draws = np.zeros_like(exact.learned.regret), 20_000
    for number in range(draws):
        drawn.restore(blank, number)  # the first iteration once more, with other draws
        drawn.advance(1)
        total += drawn.learned.regret
    assert np.max(np.abs(total / draws - exact.learned.regret)) < 0.02


@pytest.mark.parametrize("game", [rg.games.Dudo(sides=3, recall=2), rg.games.LiarDie(sides=3, recall=2)], ids=repr)
@pytest.mark.parametrize("variant", [rg.CFR, rg.LINEAR_CFR, rg.CFR_PLUS], ids=["cfr", "linear", "cfr+"])
def test_sampled_runs_come_near_and_repeat(game: Game, variant: rg.Variant) -> None:
    method = rg.FSICFR(chance="sampled", variant=variant, reset=0.25)
    one, other = (rg.solve(game, method, iterations=20_000, seed=5) for _ in range(2))
    assert one.strategy == other.strategy
    assert one.exploitability < 0.05
    assert rg.solve(game, method, iterations=20, seed=6).strategy != rg.solve(game, method, iterations=20).strategy


# -- averages that begin anew, and files ------------------------------------------------------------------------------


def test_the_average_begins_anew() -> None:
    game = rg.games.LiarDie(sides=3, recall=2)
    run = rg.solve(game, rg.FSICFR(reset=0.5), iterations=10)
    assert run.method.reset == 5
    assert_same(run.strategy, game, SlowRecursion(game, rg.CFR, TOGETHER).run(10, reset=5))
    assert run.strategy == rg.solve(game, rg.FSICFR(reset=5), iterations=10).strategy


@pytest.mark.parametrize(
    "method",
    [rg.FSICFR(variant=rg.DCFR, reset=0.5), rg.FSICFR(variant=rg.PCFR_PLUS), rg.FSICFR(chance="sampled", reset=12)],
    ids=lambda method: method.name,
)
@pytest.mark.parametrize("spec", ["dudo:sides=3,recall=2", "liar_die:sides=3,recall=2"])
def test_resumed_runs_are_bit_for_bit_the_same(spec: str, method: rg.FSICFR, tmp_path: Path) -> None:
    whole = rg.solve(spec, method, iterations=20, seed=3)
    part = rg.solve(spec, method, iterations=20, seed=3, callback=lambda s: s.iteration == 7)
    assert part.iterations == 7
    part.save(tmp_path / "part.run")
    assert rg.load(tmp_path / "part.run").strategy == part.strategy
    resumed = rg.resume(tmp_path / "part.run")
    assert resumed.iterations == 20 and resumed.method == whole.method
    for name, array in whole.arrays.items():
        assert np.array_equal(array, resumed.arrays[name]), name
    assert resumed.history["exploitability"].tolist() == whole.history["exploitability"].tolist()


def test_a_run_of_another_game_is_not_resumed(tmp_path: Path) -> None:
    rg.solve("dudo:sides=2,recall=1", rg.FSICFR(), iterations=5).save(tmp_path / "x.run")
    with pytest.raises(rg.FileError, match="that game is not the same"):
        rg.resume(tmp_path / "x.run", iterations=5, game=rg.games.Dudo(sides=2, recall=2))


def test_settings_at_the_command_line() -> None:
    given = method_by_name("fsicfr:chance=sampled,variant=linear,reset=0.5,merge=no,listed=yes")
    assert given == rg.FSICFR("sampled", rg.LINEAR_CFR, 0.5, merge=False, listed=True)
    assert method_by_name("fsicfr:reset=500").reset == 500


# -- what is measured -------------------------------------------------------------------------------------------------


def test_without_a_twin_the_local_regret_is_measured() -> None:
    run = rg.solve(Pile(6), rg.FSICFR(variant=rg.DCFR), iterations=500)
    assert set(run.history["exact"]) == {0.0}
    assert np.isnan(run.exploitability) and np.isnan(run.nash_conv)
    assert "exploitability unknown" in repr(run)
    assert 0 <= run.history["local_regret"][-1] < 1e-3
    assert "local regret" in run.plot().axes[0].get_ylabel()
    assert run.value == pytest.approx(-1, abs=1e-3)  # six sticks are lost for the player who begins


def test_local_regret_bounds_nash_conv_where_nothing_is_forgotten() -> None:
    for seed in range(5):
        method = rg.FSICFR(chance="sampled")
        exact = rg.solve(rg.games.Kuhn(), method, iterations=30, seed=seed)
        local = rg.solve(rg.games.Kuhn(), method.replace(listed=False), iterations=30, seed=seed)
        assert exact.strategy == local.strategy
        assert 2 * local.history["local_regret"][-1] >= exact.nash_conv - 1e-12
        assert exact.value == pytest.approx(local.value, abs=1e-12)


# -- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (lambda: rg.FSICFR(chance="smapled"), "unknown chance 'smapled'"),
        (lambda: rg.FSICFR(variant="cfr"), "variant is rg.CFR"),
        (lambda: rg.FSICFR(reset=-1), "reset is a part of the run such as 0.5"),
        (lambda: rg.FSICFR(reset=1.5), "a whole number of iterations, got 1.5"),
        (lambda: rg.FSICFR(merge=2), "merge is True or False"),
        (lambda: rg.FSICFR(chance="sampled", variant=rg.PCFR_PLUS), "which sampling does not see"),
        (lambda: rg.solve("dudo:recall=1", rg.FSICFR(reset=0.5), seconds=1), "whose length is not known"),
        (lambda: rg.solve("kuhn", rg.FSICFR(), iterations=2, fixed={0: [1]}), "FSICFR moves all players"),
        (lambda: rg.solve("kuhn", rg.FSICFR(), iterations=2, dtype="float32"), "computes in float64 only"),
        (lambda: rg.solve(Pile(), rg.FSICFR(), until=0.1), "until= needs exploitability"),
        (lambda: rg.solve(Pile(), rg.FSICFR(listed=True), iterations=2), "has no remembering()"),
        (lambda: rg.solve(3, rg.FSICFR(), iterations=2), "a Game, a Tree or a Graph is needed here, got 3"),
        (lambda: rg.solve(rg.games.Dudo(recall=3)), "forgets on purpose .* solve it with rg.FSICFR()"),
        (lambda: method_by_name("fsicfr:chance=x"), "unknown chance 'x'"),
        (lambda: method_by_name("fsicfr:merge=maybe"), "merge is yes or no, got 'maybe'"),
        (lambda: method_by_name("fsicfr:epsilon=1"), "'epsilon=1' is no setting of fsicfr; its settings are chance"),
    ],
)
def test_mistakes_end_in_a_sentence(mistake, sentence: str) -> None:
    with pytest.raises(rg.RegretlessError, match=sentence):
        mistake()


def test_files_that_call_the_local_regret_exploitability_are_read_right(tmp_path: Path) -> None:
    """The first version of run files kept it in the column exploitability."""
    path = tmp_path / "pile.run"
    run = rg.solve(Pile(6), rg.FSICFR(), iterations=3)
    old = [{k: v for k, v in row.items() if k != "local_regret"} for row in run.history.rows()]
    for row, new in zip(old, run.history.rows(), strict=True):
        row["exploitability"] = row["nash_conv"] = new["local_regret"]
    dataclasses.replace(run, history=rg.History(old)).save(path)
    loaded = rg.load(path)
    assert np.isnan(loaded.exploitability)
    assert np.array_equal(loaded.history["local_regret"], run.history["local_regret"])
