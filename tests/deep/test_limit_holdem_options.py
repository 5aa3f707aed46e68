"""Every option of deep methods on limit hold'em: it works as on flop hold'em, or the refusal says why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import regretless as rg
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.pytorch import torch_device
from regretless.deep.walks.board_walks import sample_boards, walk_boards
from regretless.errors import OptionError
from regretless.poker import Deck, Limit, PublicGame

torch = pytest.importorskip("torch")

FLOP = PublicGame(Deck("9TJQKA", "sh"), 2, (3,), Limit(streets=2, bets=2, caps=2, blinds=(1, 2)), big_blind=2)
"""Two streets, as flop hold'em has them."""
GAMES = {"flop": FLOP, "limit": rg.poker.LimitHoldem()}
DEEP = rg.DeepCFR(traversals=3, steps=2, batch=16, widths=(8,), strategy_steps=3)
NFSP = rg.NFSP(plays=8, every=8, batch=8, widths=(8,), response_capacity=500, average_capacity=500)


def own_network(features: int, heads: int) -> Any:
    return torch.nn.Sequential(torch.nn.Linear(features, 8), torch.nn.ReLU(), torch.nn.Linear(8, heads))


WORKING: list[rg.DeepCFR | rg.NFSP] = [
    *(
        DEEP.replace(**changes)
        for changes in (
            {"boards": 1}, {"boards": 1, "refit": "recursive"},
            {"boards": 1, "averaging": "value-networks", "strength": True},
            {"boards": 1, "strength": "expected", "off_path": 0.1},
            {"schedule": "cosine"}, {"schedule": "constant"}, {"anneal_after": 0}, {"clip": 0}, {"ema": 0.9},
            {"scaled": False}, {"network": "perceptron"}, {"network": "residual"}, {"network": "holdem"},
            {"network": own_network}, {"strength": True}, {"refit": "fresh"}, {"refit": "recursive"},
            {"memory": "reservoir"}, {"memory": "window"}, {"linear": False}, {"fallback": "uniform"},
            {"averaging": "value-networks"}, {"averaging": "value-networks", "network": own_network}, {"listed": False},
        )
    ),
    *(
        NFSP.replace(**changes)
        for changes in (
            {}, {"optimiser": "sgd"}, {"anticipation": 0}, {"anticipation": 1}, {"exploration": 0}, {"widths": ()},
            {"widths": (8, 8)}, {"listed": False},
        )
    ),
]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("method", WORKING, ids=lambda method: method.name)
def test_options_that_work_on_both(game: str, method: rg.DeepCFR | rg.NFSP) -> None:
    run = rg.solve(GAMES[game], method, iterations=2, seed=1, threads=1)
    assert np.allclose(run.strategy.at("").probabilities.sum(1), 1, atol=1e-5)


REFUSED = [
    (DEEP.replace(boards="all"), {}, "boards='all' walks every board in every iteration, and hulh has too many"),
    (DEEP.replace(boards="all", memory="merged", floor=1.0), {}, "boards='all' walks every board"),
    (DEEP.replace(memory="merged"), {}, "memory='merged' follows the same infosets in all iterations"),
    (DEEP.replace(floor=1.0), {}, "floor= cuts the mean advantages of memory='merged', .* leave it out here"),
    (DEEP.replace(targets="strategies"), {}, "targets='strategies' and predictive= use the means .* leave them out"),
    (DEEP.replace(predictive=1.0), {}, "targets='strategies' and predictive= use the means"),
    (DEEP.replace(listed=True), {}, "listed=True lays out all boards, but hulh has .* without listed= cards are dealt"),
    (NFSP.replace(listed=True), {}, "listed=True lays out all boards, but hulh has"),
    (DEEP, {"until": 0.1}, "nothing is known during a solve .*measures a finished run flop by flop"),
    (DEEP, {"fixed": {0: None}}, "networks of both players walk hold'em, so that none can be held fixed"),
]
"""What flop hold'em takes and limit hold'em does not."""


@pytest.mark.parametrize(("method", "options", "said"), REFUSED, ids=range(len(REFUSED)))
def test_refusals_say_why(method: rg.DeepCFR | rg.NFSP, options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        rg.solve(rg.poker.LimitHoldem(), method, iterations=1, threads=1, **options)


@pytest.mark.parametrize("method", [DEEP, NFSP, DEEP.replace(listed=False)], ids=["deep-cfr", "nfsp", "dealt"])
def test_locked_nodes_are_refused_also_where_boards_are_laid_out(method: rg.DeepCFR | rg.NFSP) -> None:
    with pytest.raises(OptionError, match="networks cannot play fixed strategies at single nodes"):
        rg.solve(FLOP.lock("", {"fold": 1.0}), method, iterations=1, threads=1)


def test_boards_leave_no_samples_where_the_other_player_always_folds() -> None:
    game = HoldemGame(FLOP, torch_device("cpu"))
    generator = torch.Generator().manual_seed(1)

    def folds(infosets: Any) -> Any:
        """The first legal action: to fold where that is possible."""
        first = game.allowed.cumsum(1).eq(1).float() * game.allowed
        return lambda decisions: first[decisions][:, None].expand(-1, len(infosets), -1)

    walked = walk_boards(game, 1, sample_boards(game, 2, generator), 50, [folds, folds], generator)
    assert len(walked.advantages.infosets) == 0 and len(walked.strategies[0].infosets) == 50
    other = walk_boards(game, 0, sample_boards(game, 2, generator), 50, [folds, folds], generator)
    assert len(other.advantages.infosets) == 50
