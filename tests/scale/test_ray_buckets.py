"""Card abstractions on a Ray cluster of three nodes: sampled solves, exploitability by flops, matches by boards."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import command
from test_abstract_command import RULES

import regretless as rg
from conftest import INTERPRETED
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.measuring.flop_measurement import measure_by_flops
from regretless.poker.solving.buckets import bucket_external
from regretless.poker.solving.buckets.bucket_learner import SampledBuckets
from regretless.scale import ray_cluster
from regretless.scale.ray_tasks import sendable
from regretless.scale.spread_buckets import BucketActor, SpreadBuckets
from regretless.storage import read_header

try:
    import ray
    from three_nodes import ThreeNodes
except ImportError:
    warnings.warn("NOTICE: Ray is not installed; tests/scale/test_ray_buckets.py is skipped", stacklevel=1)
    pytest.skip("Ray is not installed", allow_module_level=True)

pytestmark = [pytest.mark.full, pytest.mark.skipif(INTERPRETED, reason="workers compile")]

CARDS = PublicGame(Deck("TJQKA", "sh"), 2, (1, 1), Limit(streets=3, bets=2, caps=1, blinds=(1, 2)))
"""Three streets, ten cards."""

METHODS = {
    "public chance": rg.MCCFR("public-chance", rg.LINEAR_CFR, boards=4, traversals=7),
    "external": rg.MCCFR("external", rg.LINEAR_CFR, traversals=5 * bucket_external.CHUNK // 2, prune=300.0),
}


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> PublicGame:
    """With an abstraction that is a view of a file, as large ones are."""
    path = tmp_path_factory.mktemp("abstraction") / "ten.abs"
    rg.poker.abstract(CARDS, buckets=(9, 8, 7), seed=2).save(path)
    return replace(CARDS, abstraction=rg.poker.load_abstraction(path))


def same_arrays(one: rg.Run, other: rg.Run) -> None:
    assert set(one.arrays) == set(other.arrays)
    for name, array in one.arrays.items():
        assert np.array_equal(array, other.arrays[name]), name


# -- sampled solves ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_sums_of_pieces_are_those_of_one_process(game: PublicGame, name: str) -> None:
    method, settings = METHODS[name], rg.Settings(seed=4, dtype="float64")
    alone = method.learner(game.problem(), settings)
    assert isinstance(alone, SampledBuckets)
    alone.advance(2)
    alone.iteration, regret = 3, alone.tables.regret.copy()
    pieces = alone.plan.pieces
    actors = [BucketActor(game, method, settings) for _ in range(2)]
    for turn, changed in enumerate(alone.plan.turns):
        before = alone.tables.average.copy()
        alone.walk_pieces(turn, range(pieces), 0.5)
        parts = [
            actor.walk(regret, 3, turn, share, 0.5)
            for actor, share in zip(actors, (range(2), range(2, pieces)), strict=True)
        ]
        gain, average = actors[0].add(*parts)
        assert np.allclose(gain, alone.tables.gain[changed.learned], rtol=1e-9, atol=1e-9) and gain.any()
        assert np.allclose(average, (alone.tables.average - before)[changed.averaged], rtol=1e-9, atol=1e-9)
        assert all(part.any() for found in parts for part in found)
        alone.tables.gain[:] = 0


@pytest.mark.parametrize("name", METHODS)
def test_a_sampled_solve_while_a_node_is_killed(nodes: ThreeNodes, game: PublicGame, name: str, tmp_path: Path) -> None:
    method, path = METHODS[name], tmp_path / "ten.run"
    given: dict[str, Any] = {"iterations": 12, "measure": 4, "seed": 3}
    alone = rg.solve(game, method, **given)

    def kill(snapshot: rg.Snapshot) -> bool:
        if snapshot.iteration == 4:
            nodes.kill()
        return False

    spread = rg.solve(game, method, workers=rg.Ray(shards=3), callback=kill, **given)
    assert len(nodes.others) == 1
    rg.solve(game, method, workers=rg.Ray(shards=3), checkpoint=path, **{**given, "iterations": 5})
    again = rg.resume(path, iterations=7, measure=4, game=game, workers=rg.Ray(shards=3))  # on two nodes
    same_arrays(again, spread)
    for name, array in alone.arrays.items():
        assert np.allclose(array, spread.arrays[name], rtol=1e-3, atol=1e-3 * np.abs(array).max()), name
    assert np.isclose(spread.exploitability, alone.exploitability, rtol=1e-3)


def test_from_one_machine_to_a_cluster_and_back(nodes: ThreeNodes, game: PublicGame, tmp_path: Path) -> None:
    method, path = METHODS["public chance"], tmp_path / "ten.run"
    alone = rg.solve(game, method, iterations=9, seed=1)
    rg.solve(game, method, iterations=3, seed=1, checkpoint=path)
    rg.resume(path, iterations=3, game=game, workers=rg.Ray(shards=2), checkpoint=path)
    back = rg.resume(path, iterations=3, game=game)
    assert back.iterations == 9
    assert np.allclose(back.arrays["regret"], alone.arrays["regret"], rtol=1e-3, atol=1e-2)


def test_bytes_of_an_iteration(nodes: ThreeNodes, game: PublicGame) -> None:
    """Regrets go to every actor and one sum comes back; the abstraction was sent when actors were made."""
    for name, parts in (("public chance", (1, 2)), ("external", (2, 2))):
        learner = rg.Ray(shards=3).learner(METHODS[name], game.problem(), rg.Settings(dtype="float32"))
        assert isinstance(learner, SpreadBuckets)
        learner.advance(2)
        numbers, (down, up) = 4 * learner.tree.infoset_actions, parts
        assert learner.sent == 2 * down * 3 * numbers and learner.received == 2 * up * numbers
        assert isinstance(learner.actors.made_of[0], ray.ObjectRef)


DRIVER = """
import pickle, sys
import regretless as rg
game, path, address = pickle.load(open(sys.argv[1], "rb")), sys.argv[2], sys.argv[3]
method = rg.MCCFR("public-chance", rg.LINEAR_CFR, boards=4, traversals=7)
rg.solve(game, method, iterations=1_000_000, seed=5, measure="never", checkpoint=path, checkpoint_every=0.2,
         workers=rg.Ray(address, shards=2))
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_driver_that_is_stopped_or_killed(nodes: ThreeNodes, game: PublicGame, sent: int, tmp_path: Path) -> None:
    method = METHODS["public chance"]
    sendable_game, path = tmp_path / "game", tmp_path / "driver.run"
    sendable_game.write_bytes(pickle.dumps(sendable(game)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(sendable_game), str(path), nodes.cluster.address], env=environment
    )
    end = time.monotonic() + 90
    while not (path.exists() and read_header(path)["iterations"] > 2) and time.monotonic() < end:
        time.sleep(0.05)
    driver.send_signal(sent)
    driver.wait(60)
    done = rg.load(path, game=game).iterations
    assert done > 2
    resumed = rg.resume(path, iterations=3, game=game, workers=rg.Ray(shards=2))
    same_arrays(resumed, rg.solve(game, method, iterations=done + 3, seed=5, workers=rg.Ray(shards=2)))


# -- measuring --------------------------------------------------------------------------------------------------------


def test_flops_while_a_node_is_killed(
    nodes: ThreeNodes, game: PublicGame, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    strategy = rg.solve(game, METHODS["public chance"], iterations=5).strategy
    alone = measure_by_flops(strategy)
    path = tmp_path / "ten.flops"
    rg.exploitability(game, strategy, flops=2, checkpoint=path)  # some flops of the file are of one machine
    real = rg.Ray.flop_values
    taken: list[int] = []

    def killing(self: rg.Ray, *given: Any) -> Any:
        for number, found in real(self, *given):
            if not taken:
                nodes.kill()
            taken.append(number)
            yield number, found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rg.Ray, "flop_values", killing)
        spread = rg.exploitability(game, strategy, workers=rg.Ray(), checkpoint=path, progress=True)
    assert len(nodes.others) == 1 and len(set(taken)) == len(taken) < alone.flops
    assert spread == alone and spread.best_responses == alone.best_responses  # type: ignore[attr-defined]
    assert spread == rg.exploitability(game, strategy, checkpoint=path)  # nothing is left to do
    assert spread == pytest.approx(rg.exploitability(game, strategy), rel=1e-5)
    sampled = rg.exploitability(game, strategy, flops=3, values=True, workers=rg.Ray(shards=2))
    one = rg.exploitability(game, strategy, flops=3, values=True)
    assert sampled == one and sampled.values == one.values  # type: ignore[attr-defined]


def test_a_match_on_boards(nodes: ThreeNodes, game: PublicGame) -> None:
    one, other = (rg.solve(game, METHODS["public chance"], iterations=n).strategy for n in (1, 6))
    alone = rg.match(game, one, other, hands=50, exact=False, seed=3)
    assert rg.match(game, one, other, hands=50, exact=False, seed=3, workers=rg.Ray()) == alone
    with pytest.raises(rg.OptionError, match="workers= is for matches on boards"):
        rg.match(game, one, other, workers=rg.Ray())
    with pytest.raises(rg.OptionError, match="workers= is for matches on boards"):
        rg.match("kuhn", rg.Strategy.uniform(rg.build("kuhn")), rg.Strategy.uniform(rg.build("kuhn")), workers=rg.Ray())


def test_the_commands(nodes: ThreeNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.game").write_text(RULES)
    assert command("abstract", "small.game", "-o", "a.abs", "--buckets", "4", "-q").code == 0
    game, address = "small.game:abstraction=a.abs", nodes.cluster.address
    words = ("-a", "mccfr:sampling=public-chance,boards=2,traversals=4", "-o", "a.run", "-q", "--ray", address)
    solved = command("solve", game, "-n", "4", *words)
    assert solved.code == 0, solved.err
    resumed = command("solve", game, "-n", "6", "--resume", *words)
    assert resumed.code == 0, resumed.err
    measured = command("measure", "a.run", "--game", game, "--flops", "3", "--json", "--ray", address)
    alone = command("measure", "a.run", "--game", game, "--flops", "3", "--json")
    assert measured.code == 0, measured.err
    assert json.loads(measured.out) == json.loads(alone.out)
    match = ("match", game, "a.run", "a.run", "--boards", "20", "--json")
    played = command(*match, "--ray", address)
    assert played.code == 0, played.err
    assert json.loads(played.out) == json.loads(command(*match).out) and json.loads(played.out)["hands"] == 20
    refused = command("measure", "a.run", "--game", game, "--lbr", "--ray", address)
    assert refused.code == 2 and "--ray does not go together with --lbr" in refused.err
    refused = command("solve", "fhp", "-n", "1", "--device", "cuda", "--ray", address)
    assert refused.code == 2 and "gpus_per_task=1 is more than any node has" in refused.err


# -- refused ----------------------------------------------------------------------------------------------------------


def test_what_is_refused(nodes: ThreeNodes, game: PublicGame, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(said: str, method: Any = METHODS["public chance"], **cluster: Any) -> None:
        with pytest.raises(rg.OptionError, match=said):
            rg.solve(game, method, iterations=1, workers=rg.Ray(**cluster))

    refused("CFR-BR on a bucketed tree is not spread over machines", rg.CFRBR())
    refused("solved with sampling='public-chance' or 'external'", rg.MCCFR("outcome"))
    refused("prune= on a game with an abstraction", METHODS["public chance"].replace(prune=1.0))
    refused("gpus_per_task=1 is more than any node has: the largest one has 0 GPUs", gpus_per_task=1)
    refused("cpus_per_task=8 is more than any node has: the largest one has 1 processors", cpus_per_task=8)
    strategy = rg.solve(game, METHODS["public chance"], iterations=1).strategy
    with pytest.raises(rg.OptionError, match=r"needs GPUs for its tasks: give rg.Ray\(gpus_per_task=1\)"):
        rg.exploitability(game, strategy, device="cuda", workers=rg.Ray())


def test_a_cluster_without_memory(nodes: ThreeNodes, game: PublicGame, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = game.problem()
    monkeypatch.setattr(ray, "nodes", lambda: [{"Alive": True, "Resources": {"memory": 1e3, "CPU": 1}}] * 3)
    monkeypatch.setattr(ray_cluster, "_check_versions", lambda *_: None)
    with pytest.raises(rg.OptionError, match="the largest node offers 1 KB: take fewer buckets, or larger machines"):
        rg.solve(tree, METHODS["public chance"], iterations=1, workers=rg.Ray(shards=2))


def test_an_actor_that_cannot_start(nodes: ThreeNodes, game: PublicGame) -> None:
    """Its sentence is that of the actor, after one attempt."""
    learner = rg.Ray(shards=2).learner(METHODS["public chance"], game.problem(), rg.Settings())
    assert isinstance(learner, SpreadBuckets)
    with pytest.raises(rg.OptionError, match="solved with sampling='public-chance' or 'external', not with 'outcome'"):
        learner.actors.made_of = (learner.actors.made_of[0], rg.MCCFR("outcome"), rg.Settings())
        learner.actors.rebuild(0)
        learner.advance(1)
