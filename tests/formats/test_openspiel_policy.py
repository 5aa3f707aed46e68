"""Strategies as OpenSpiel's policies: OpenSpiel finds them as exploitable as we and the literature do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from regretless.errors import OptionError
from regretless.evaluation.responses import nash_conv
from regretless.formats.openspiel_policy import from_openspiel, to_openspiel
from regretless.game import CHANCE, TERMINAL
from regretless.games import Kuhn
from regretless.games.openspiel import OpenSpiel
from regretless.strategy import Strategy
from regretless.tree import build

pytestmark = pytest.mark.peer
pytest.importorskip("pyspiel")
theirs: Any = pytest.importorskip("open_spiel.python.algorithms.exploitability")
policies: Any = pytest.importorskip("open_spiel.python.policy")


def uniform(game: OpenSpiel) -> Any:
    """The uniform strategy in plain dicts: all that is asked of a strategy is `strategy[player, label]`."""
    table = {}
    waiting = [game.root()]
    while waiting:
        state = waiting.pop()
        if (mover := game.player(state)) == TERMINAL:
            continue
        moves = game.actions(state)
        if mover != CHANCE:
            table[mover, game.infoset(state)] = {move.label: 1 / len(moves) for move in moves}
        waiting += [game.play(state, move) for move in moves]
    return table


@pytest.mark.parametrize(("name", "published"), [("kuhn_poker", 11 / 12), ("leduc_poker", 4.747222)])
def test_uniform_play_is_as_exploitable_as_published(name: str, published: float) -> None:
    game = OpenSpiel(name)
    policy = to_openspiel(uniform(game), game)
    assert theirs.nash_conv(game.loaded, policy) == pytest.approx(published, abs=1e-6)


def test_the_equilibrium_of_kuhn_cannot_be_exploited() -> None:
    bets = {"0": 1 / 3, "1": 0, "2": 1, "0pb": 0, "1pb": 2 / 3, "2pb": 1}  # α = 1/3
    answers = {"0p": 1 / 3, "1p": 0, "2p": 1, "0b": 0, "1b": 1 / 3, "2b": 1}
    strategy: Any = {
        (player, label): {"Pass": 1 - bet, "Bet": bet}
        for player, table in enumerate((bets, answers))
        for label, bet in table.items()
    }
    game = OpenSpiel("kuhn_poker")
    policy = to_openspiel(strategy, game)
    assert theirs.nash_conv(game.loaded, policy) == pytest.approx(0, abs=1e-12)


def test_a_strategy_of_another_game_is_refused() -> None:
    with pytest.raises(OptionError, match="it is a strategy of another game"):
        to_openspiel(uniform(OpenSpiel("leduc_poker")), OpenSpiel("kuhn_poker"))
    with pytest.raises(OptionError, match=r"Kuhn\(players=2\) is no game of OpenSpiel"):
        to_openspiel(uniform(OpenSpiel("kuhn_poker")), Kuhn())  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "matrix_rps", "kuhn_poker(players=3)"])
def test_our_exploitability_is_theirs_there_and_back(name: str) -> None:
    game = OpenSpiel(name)
    tree = build(game)
    plan = np.random.default_rng(1).random(tree.sequences)
    for strategy in (Strategy.uniform(tree), Strategy.from_plan(tree.labels, plan)):
        policy = to_openspiel(strategy, game)
        assert theirs.nash_conv(game.loaded, policy) == pytest.approx(nash_conv(tree, strategy), abs=1e-9)
        back = from_openspiel(policy, tree)
        assert np.allclose(back.probabilities, strategy.probabilities, rtol=0, atol=1e-15)


def test_any_policy_of_theirs_becomes_a_strategy() -> None:
    tree = build(OpenSpiel("kuhn_poker"))
    strategy = from_openspiel(policies.FirstActionPolicy(tree.game.loaded), tree)  # type: ignore[attr-defined]
    assert dict(strategy[0, "0"]) == {"Pass": 1.0, "Bet": 0.0}
    with pytest.raises(OptionError, match="no game of OpenSpiel"):
        from_openspiel(policies.FirstActionPolicy(tree.game.loaded), build(Kuhn()))  # type: ignore[attr-defined]
