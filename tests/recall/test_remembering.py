"""A strategy that forgets in the real game: exact, by hand and by lifting it to the twin with perfect recall."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from forgetful import Pile

import regretless as rg
from regretless.game import Game

THREE = rg.games.Dudo(sides=3, recall=1)


def by_hand(game: Game, strategy: rg.Strategy, tree: rg.Tree) -> dict[Any, Any]:
    """What a forgetful strategy plays at every infoset of the twin, from walking both games through every history."""
    twin, table = tree.game, {}
    stack = [(game.root(), twin.root())]
    while stack:
        state, real = stack.pop()
        mover = twin.player(real)
        assert mover == game.player(state)
        if mover == rg.TERMINAL:
            assert tuple(game.payoffs(state)) == tuple(twin.payoffs(real))
            continue
        if mover >= 0:
            name = game.infoset_label(game.infoset(state))
            played = strategy[(mover, name) if (mover, name) in strategy else name]
            assert table.setdefault((mover, twin.infoset_label(twin.infoset(real))), played) == played
        for action in twin.actions(real):
            stack.append((game.play(state, action), twin.play(real, action)))
    return table


@pytest.mark.parametrize(
    "game",
    [rg.games.Dudo(sides=3, recall=1), rg.games.Dudo(sides=3, recall=2), rg.games.LiarDie(sides=4, recall=2),
     rg.games.LiarDie(sides=4, recall=1), rg.games.Dudo(dice=(2, 1), sides=2, recall=2)],
    ids=repr,
)  # fmt: skip
def test_lifting_is_walking_both_games(game: Game) -> None:
    run = rg.solve(game, rg.FSICFR(), iterations=20)
    tree = rg.build(game.remembering())
    lifted = rg.remembered(run, game, tree=tree)
    walked = rg.Strategy.from_dict(tree, by_hand(game, run.strategy, tree))
    assert np.allclose(lifted.probabilities, walked.probabilities, rtol=0, atol=1e-14)
    assert rg.remembered(run.strategy, game) == lifted
    assert run.exploitability == pytest.approx(rg.exploitability(tree, lifted), abs=1e-12)
    assert run.nash_conv == pytest.approx(2 * run.exploitability, abs=1e-12)
    assert run.value == pytest.approx(rg.value(tree, lifted), abs=1e-12)
    local = rg.solve(game, rg.FSICFR(listed=False), iterations=20)
    assert local.value == pytest.approx(run.value, abs=1e-12)


def test_forgetting_costs_less_the_more_is_remembered() -> None:
    costs = [
        rg.solve(rg.games.Dudo(sides=3, recall=m), rg.FSICFR(variant=rg.DCFR), iterations=2_000).exploitability
        for m in (1, 2, 3)
    ]
    assert costs[0] > 2 * costs[1] > 4 * costs[2] > 0


def test_full_recall_by_another_name() -> None:
    game = rg.games.Dudo(sides=2, recall=4)
    assert game.perfect_recall
    assert rg.solve(game, rg.FSICFR(variant=rg.DCFR), iterations=500).exploitability < 1e-3


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (lambda run: rg.remembered(run, rg.games.Dudo(sides=3, recall=2)), "with another recall"),
        (lambda run: rg.remembered(rg.solve(rg.games.Dudo(sides=3, recall=2), rg.FSICFR(), iterations=2),
                                   rg.games.Dudo(sides=3, recall=1)), "with another recall"),
        (lambda run: rg.remembered(run, Pile()), "does not know its twin"),
        (lambda run: rg.remembered("kuhn", rg.games.Dudo(recall=1)), "a Strategy or a Run is needed here, got 'kuhn'"),
        (lambda run: rg.remembered(run, THREE, tree=rg.build(rg.games.Kuhn())), "not played alike"),
        (lambda run: rg.remembered(run, THREE, tree=rg.build(rg.games.Kuhn(3))), "its twin 3"),
        (lambda run: rg.exploitability("dudo:sides=3", run.strategy), "the strategy belongs to another game"),
    ],
)  # fmt: skip
def test_mistakes_end_in_a_sentence(mistake: Any, sentence: str) -> None:
    run = rg.solve(rg.games.Dudo(sides=3, recall=1), rg.FSICFR(), iterations=2)
    with pytest.raises(rg.RegretlessError, match=sentence):
        mistake(run)


def test_shared_infosets_in_tables_and_files(tmp_path: Any) -> None:
    run = rg.solve(rg.games.Dudo(sides=2, recall=1), rg.FSICFR(), iterations=5)
    strategy = run.strategy
    assert {row["player"] for row in strategy.table()} == {-1, 0, 1}
    strategy.save(tmp_path / "x.strategy")
    assert rg.Strategy.load(tmp_path / "x.strategy") == strategy
    strategy.to_json(tmp_path / "x.json")
    assert '"shared"' in (tmp_path / "x.json").read_text()
    assert np.allclose([sum(strategy[key].values()) for key in strategy], 1.0)
    assert len(strategy) == 10 and next(iter(strategy)) == "2"
    assert strategy.purify(0.3).most_likely()["2"] is not None
