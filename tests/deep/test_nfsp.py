"""Neural fictitious self-play: it converges on Kuhn, learns what it should, and goes on bit for bit."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from two_pieces import goes_on_bit_for_bit  # noqa: E402

import regretless as rg  # noqa: E402
from regretless.deep.games.listed_game import ListedGame  # noqa: E402
from regretless.deep.learners.listed_nfsp import ListedFictitiousPlayer  # noqa: E402
from regretless.deep.memories.transitions import TransitionMemory  # noqa: E402
from regretless.deep.walks.selfplay import Decisions, play_games  # noqa: E402

CPU = torch.device("cpu")
SMALL = rg.NFSP(plays=64, every=32, batch=32, response_capacity=200, average_capacity=300, target_every=3, widths=(16,))


@pytest.mark.full
def test_kuhn_gets_near_an_equilibrium() -> None:
    method = rg.NFSP(plays=1_024, every=512, batch=256, response_capacity=30_000, widths=(32,))
    run = rg.solve(rg.games.Kuhn(), method, iterations=250, seed=2)
    assert run.history["exploitability"][0] > 0.25
    assert run.exploitability < 0.15
    assert set(run.history) >= {"nodes", "samples", "loss", "response_loss"}


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_runs_go_on_bit_for_bit(optimiser: str, tmp_path: Path) -> None:
    method = SMALL.replace(optimiser=optimiser)
    whole, _, resumed = goes_on_bit_for_bit(rg.games.Kuhn(), method, (5, 4), tmp_path, seed=3)
    assert whole.strategy == resumed.strategy and whole.current == resumed.current


def test_a_best_response_to_a_fixed_player_is_found() -> None:
    tree = rg.build(rg.games.Kuhn())
    uniform = rg.Strategy.uniform(tree)
    method = rg.NFSP(plays=512, every=128, batch=256, response_capacity=20_000, anticipation=1.0, widths=(32,))
    run = rg.solve(tree, method, iterations=120, seed=1, fixed={1: uniform})
    assert run.current.with_player(0, uniform) == uniform
    best = rg.best_response(tree, uniform, 0).value
    assert rg.value(tree, run.current.with_player(1, uniform)) > best - 0.08


def test_transitions_hold_the_latest_and_what_followed() -> None:
    game = ListedGame(rg.build(rg.games.Kuhn()), CPU)
    memory = TransitionMemory(game, 5)
    following = torch.tensor([2, -1, -1, -1])
    memory.add(
        Decisions(torch.arange(4).int(), torch.tensor([0, 1, 0, 1]), torch.arange(4), following, torch.ones(4)), 2.0
    )
    assert memory.rewards[:4].tolist() == [0.0, 0.5, 0.5, 0.5]
    assert memory.following[:4].tolist()[0] == 2 and memory.ended[:4].tolist() == [False, True, True, True]
    one = Decisions(
        torch.full((3,), 7).int(), torch.zeros(3).long(), torch.arange(3), torch.full((3,), -1), torch.ones(3)
    )
    memory.add(one, 1.0)
    assert len(memory) == 5 and memory.infosets.tolist() == [7, 7, 2, 3, 7]


def test_only_best_responses_are_imitated() -> None:
    game = ListedGame(rg.build(rg.games.Kuhn()), CPU)
    player = ListedFictitiousPlayer(game, SMALL, 0, 0, 2.0)
    policy = game.by_infoset(rg.Strategy.uniform(game.tree).probabilities)
    decisions, _ = play_games(game, 40, lambda _, i, __: policy[i], torch.Generator().manual_seed(1))
    responds = torch.arange(40) < 10
    player.store(decisions[0], responds, torch.Generator().manual_seed(1))
    mine = decisions[0].plays < 10
    assert len(player.transitions) == len(decisions[0].plays) == player.decisions
    assert player.imitated.infosets[: len(player.imitated)].tolist() == decisions[0].infosets[mine].tolist()
    assert player.imitated.targets[: len(player.imitated)].argmax(1).tolist() == decisions[0].heads[mine].tolist()
    player.learn(torch.Generator().manual_seed(2))
    assert player.updates == player.decisions // 32 * 2


def test_stops_by_time_and_writes_checkpoints(tmp_path: Path) -> None:
    place = tmp_path / "nfsp.run"
    began = time.perf_counter()
    run = rg.solve(rg.games.Kuhn(), SMALL, seconds=0.7, seed=1, progress=True, checkpoint=place)
    assert run.stopped == "seconds"
    assert 0.7 <= run.seconds <= time.perf_counter() - began  # counted from the call
    loaded = rg.load(place)
    assert isinstance(loaded, rg.Run) and loaded.iterations == run.iterations and loaded.strategy == run.strategy
