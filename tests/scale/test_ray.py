"""Solves on a Ray cluster of three nodes on this machine, beside the same solves in one process.

A node is killed in the middle of each kind of work. The cluster starts once for the whole file.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.tree import memory_estimate
from regretless.sampling.infoset_store import TableStore
from regretless.sampling.unlisted_learner import UnlistedLearner
from regretless.sampling.unlisted_problem import Unlisted
from regretless.scale import ray_cluster
from regretless.scale.shards import shard_actors
from regretless.scale.shards.board_shards import ShardLayout, split_boards
from regretless.scale.shards.shard_actors import ShardActors
from regretless.scale.spread_sampling import WalkActor
from regretless.scale.table_merging import merge_changes, with_change

try:
    import ray
    from three_nodes import ThreeNodes
except ImportError:
    warnings.warn("NOTICE: Ray is not installed; tests/scale/test_ray.py is skipped", stacklevel=1)
    pytest.skip("Ray is not installed", allow_module_level=True)

pytestmark = [pytest.mark.full, pytest.mark.skipif(INTERPRETED, reason="workers compile")]


def killing(nodes: ThreeNodes, when: Callable[[], bool]) -> threading.Thread:
    """A thread that kills a node as soon as `when` is true."""

    def wait() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if when():
                nodes.kill()
                return
            time.sleep(0.01)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


# -- without a cluster ------------------------------------------------------------------------------------------------


def test_ray_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(rg.OptionError, match=r"Ray is not installed: pip install 'regretless\[scale\]'"):
        rg.solve_many(["kuhn"], workers=rg.Ray())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"address": "127.0.0.1:1"}, "the Ray cluster at 127.0.0.1:1 cannot be reached"),
        ({"address": "ray://127.0.0.1:1"}, "the Ray cluster at ray://127.0.0.1:1 cannot be reached"),
        ({"address": "head"}, "an address is 'auto', 'host:6379'"),
        ({"address": 6379}, "address is text such as 'auto'"),
        ({"shards": 0}, "shards is a positive whole number"),
        ({"cpus_per_task": -1}, "cpus_per_task is a number from 0 on"),
    ],
)
def test_a_cluster_that_cannot_be_used(
    given: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    began = time.monotonic()
    with pytest.raises(rg.OptionError, match=said):
        rg.solve_many(["kuhn"], folder=tmp_path, workers=rg.Ray(**given))
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (ConnectionError("none"), "no Ray cluster runs on this machine: start one with"),
        (RuntimeError("Version mismatch: Python 3.9"), "the cluster at auto has other versions: Version mismatch"),
        (RuntimeError("gone"), "the cluster at auto does not answer: gone"),
        (ValueError("odd"), "the address 'auto' cannot be used: odd"),
    ],
)
def test_what_ray_says_when_it_connects(raised: Exception, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise raised

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(ray, "init", refuse)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(rg.OptionError, match=said):
        rg.Ray("auto").connect()


def test_workers_of_another_kind() -> None:
    with pytest.raises(rg.OptionError, match=r"workers is a cluster such as rg.Ray\(\) here, got 2"):
        rg.solve("kuhn", workers=2)  # type: ignore[arg-type]


def test_sentences_of_errors() -> None:
    said = ray_cluster.explain
    assert "run out of memory" in said(ray.exceptions.OutOfMemoryError("killed"))
    assert "object store" in said(ray.exceptions.ObjectStoreFullError("full"))
    assert "died" in said(ray.exceptions.WorkerCrashedError())


# -- many solves ------------------------------------------------------------------------------------------------------


def test_another_version_on_a_node(nodes: ThreeNodes, monkeypatch: pytest.MonkeyPatch) -> None:
    rg.Ray().connect()
    monkeypatch.setattr(ray_cluster, "_checked_nodes", set())
    monkeypatch.setattr(ray_cluster, "versions", lambda: {"regretless": "9.9"})
    with pytest.raises(rg.OptionError, match=rf"has regretless {rg.__version__} and this process 9.9"):
        rg.Ray().connect()
    with pytest.raises(rg.OptionError, match=r"node x has no regretless: install regretless 9\.9 on it"):
        ray_cluster._compare_versions("x", {"regretless": "none"}, {"regretless": "9.9"})


def test_many_solves_while_a_node_is_killed(nodes: ThreeNodes, tmp_path: Path) -> None:
    killer = killing(nodes, lambda: len(list(tmp_path.glob("*.run"))) >= 3)
    given: dict[str, Any] = {"iterations": 4_000, "checkpoint_every": 0.1, "folder": tmp_path, "workers": rg.Ray()}
    many = rg.solve_many(["leduc"], "cfr", seeds=range(4), **given)
    killer.join()
    assert len(nodes.others) == 1 and not many.failed
    alone = rg.solve("leduc", "cfr", iterations=4_000)
    assert all(run.strategy == alone.strategy for _, run in many.runs())
    again = rg.solve_many(["leduc"], "cfr", seeds=range(4), **given)
    assert {outcome.status for outcome in again.outcomes} == {"skipped"}


def test_what_fails_is_a_sentence_in_the_table(nodes: ThreeNodes, tmp_path: Path) -> None:
    games = {"typo": "kuhm", "good": "kuhn", "lock": Unsendable()}
    many = rg.solve_many(games, folder=tmp_path, iterations=5, workers=rg.Ray())
    by_name = {outcome.task: outcome.status for outcome in many.outcomes}
    assert "did you mean 'kuhn'" in by_name["typo"] and by_name["good"] == "done"
    assert "cannot be sent to another process" in by_name["lock"]


class Unsendable(rg.games.RockPaperScissors):
    """A game that holds what no other process can have."""

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "lock", threading.Lock())


def test_a_comparison(nodes: ThreeNodes) -> None:
    methods = {"plain": rg.CFR, "plus": rg.CFR_PLUS}
    spread = rg.compare("leduc", methods, iterations=30, workers=rg.Ray())
    alone = rg.compare("leduc", methods, iterations=30)
    for name, run in spread.runs.items():
        assert run.strategy == alone.runs[name].strategy and run.tree is not None
    measured = rg.compare("leduc", methods, iterations=30, strategies=False, workers=rg.Ray())
    assert np.array_equal(measured.runs["plus"].history.exploitability, alone.runs["plus"].history.exploitability)
    with pytest.raises(rg.OptionError, match="strategies=False"):
        _ = measured.runs["plus"].strategy
    with pytest.raises(rg.OptionError, match="callback= cannot be used with workers="):
        rg.compare("leduc", methods, callback=print, workers=rg.Ray())


def test_the_commands(nodes: ThreeNodes, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def command(*words: str) -> tuple[int, str, str]:
        from regretless.apps.cli import main

        with pytest.raises(SystemExit) as ended:
            main(list(words))
        printed = capfd.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    game = tmp_path / "mygame.py"
    game.write_text("import regretless as rg\nclass Own(rg.games.Kuhn):\n    pass\n")
    runs = str(tmp_path / "runs")
    code, out, err = command("solve-many", "--ray", "kuhn", f"{game}:Own", "-n", "20", "-o", runs, "--json")
    assert code == 0, err
    assert [row["status"] for row in json.loads(out)["rows"]] == ["done", "done"]
    code, out, err = command("compare", "kuhn", "-a", "cfr,cfr+", "-n", "20", "--ray", nodes.cluster.address)
    assert code == 0 and "CFR+" in out, err
    code, _, err = command("solve", "kuhn", "-n", "20", "--ray")
    assert code == 2 and "is not spread over machines" in err
    code, _, err = command("solve-many", "kuhn", "--workers", "2", "--ray")
    assert code == 2 and "--workers is for processes of this machine" in err


# -- exact CFR on a public tree ---------------------------------------------------------------------------------------


def flop_holdem() -> PublicGame:
    """Flop hold'em with 12 cards."""
    return PublicGame(Deck("JQKA", "shd"), 2, (3,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(1, 2)))


def spot() -> rg.poker.Spot:
    """A turn and a river, with a locked node."""
    found = rg.poker.Spot("Ks Th 4c 7d", ("AA,KK,QQ,AK", "TT,99,KQ,KJ"), pot=100, stack=200)
    return found.lock("", {"check": 1.0})


CASES = {
    "float32": (flop_holdem, rg.CFR_PLUS),
    "float64": (flop_holdem, rg.PCFR_PLUS),
    "int16": (spot, rg.DCFR),
}


@pytest.mark.parametrize("dtype", CASES)
def test_shards_without_a_cluster(dtype: str) -> None:
    game, variant = CASES[dtype]
    tree = game().problem()
    alone = rg.solve(tree, variant, iterations=4, dtype=dtype)
    for count in (1, 2, 5):
        layouts = split_boards(tree, count)
        boards = [board for layout in layouts for board in layout.roots]
        assert boards == list(range(*tree.book.arrays.street_boards[1:3])) and len(layouts) == count
        whole = {name: np.zeros_like(array) for name, array in alone.arrays.items()}
        trunk = ShardLayout(tree, range(1))
        for layout in (trunk, *layouts):
            layout.paste(layout.cut(alone.arrays), whole)
        assert all(np.array_equal(whole[name], array) for name, array in alone.arrays.items())


@pytest.mark.parametrize("dtype", CASES)
@pytest.mark.parametrize("few", [0, shard_actors.INLINE])  # values are added from shard to shard, or by the driver
def test_the_same_bits_as_one_process(
    nodes: ThreeNodes, dtype: str, few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_actors, "INLINE", few)
    make, variant = CASES[dtype]
    game, path = make(), tmp_path / "holdem.run"
    alone = rg.solve(game, variant, iterations=9, dtype=dtype)
    began = rg.solve(game, variant, iterations=5, dtype=dtype, workers=rg.Ray(shards=2), checkpoint=path)
    assert began.settings["dtype"] == dtype
    spread = rg.resume(path, iterations=4, workers=rg.Ray(shards=3))
    same_bits(spread, alone)
    if dtype == "float32":
        found = rg.exploitability(game, spread.strategy, workers=rg.Ray(shards=2))
        assert found == rg.exploitability(game, alone.strategy) == alone.exploitability


def same_bits(spread: rg.Run, alone: rg.Run) -> None:
    assert set(spread.arrays) == set(alone.arrays)
    for name, array in alone.arrays.items():
        assert np.array_equal(spread.arrays[name], array), name
    assert np.array_equal(spread.history.exploitability, alone.history.exploitability)


def test_a_node_is_killed_in_the_middle_of_an_exact_solve(
    nodes: ThreeNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_actors, "INLINE", 0)
    rebuilt: list[int] = []
    original = ShardActors.give_state

    def noted(self: ShardActors, at: int, actor: Any) -> None:
        rebuilt.append(at)
        original(self, at, actor)

    monkeypatch.setattr(ShardActors, "give_state", noted)
    alone = rg.solve(flop_holdem(), rg.DCFR, iterations=300, measure=100)
    path = tmp_path / "holdem.run"

    def kill(snapshot: rg.Snapshot) -> bool:  # after a checkpoint at 100: rebuilt from it and from requests
        if snapshot.iteration == 200:
            nodes.kill()
        return False

    spread = rg.solve(
        flop_holdem(), rg.DCFR, iterations=300, measure=100, workers=rg.Ray(shards=3), callback=kill,
        checkpoint=path, checkpoint_every=0.1,
    )  # fmt: skip
    assert rebuilt and len(nodes.others) == 1
    same_bits(spread, alone)
    assert np.array_equal(rg.load(path).arrays["regret"], alone.arrays["regret"])


def test_a_cluster_without_memory(nodes: ThreeNodes, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = flop_holdem().problem()
    little = [{"Alive": True, "Resources": {"memory": 1e5, "CPU": 1}}] * 3
    monkeypatch.setattr(ray, "nodes", lambda: little)
    monkeypatch.setattr(ray_cluster, "_check_versions", lambda *_: None)
    with pytest.raises(rg.OptionError, match=r"a shard needs .* and the largest node offers 100 KB"):
        rg.solve(tree, rg.CFR_PLUS, iterations=1, workers=rg.Ray(shards=2))
    with pytest.raises(rg.OptionError, match="300 KB are free"):
        rg.solve(flop_holdem(), rg.CFR_PLUS, iterations=1, workers=rg.Ray(shards=2))


def test_a_game_that_is_larger_than_the_memory_of_the_driver(
    nodes: ThreeNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_estimate, "available_memory", lambda: 1_000)
    with pytest.raises(rg.OptionError, match="1 KB are free"):
        rg.solve(flop_holdem(), rg.CFR_PLUS, iterations=1)
    run = rg.solve(flop_holdem(), rg.CFR_PLUS, iterations=1, workers=rg.Ray(shards=2), measure="never")
    assert run.iterations == 1 and run.arrays["regret"].any()


# -- sampled CFR ------------------------------------------------------------------------------------------------------

DUDO = rg.games.Dudo(sides=3)


def walks(**changes: Any) -> rg.MCCFR:
    return replace(rg.MCCFR(listed=False, variant=rg.LINEAR_CFR, traversals=60), **changes)


@pytest.mark.parametrize("variant", [rg.CFR, rg.LINEAR_CFR], ids=lambda variant: str(variant.name))
def test_merged_tables_are_the_table_of_one_process(variant: rg.Variant) -> None:
    method, settings = walks(variant=variant), rg.Settings(seed=5)
    alone, whole = (UnlistedLearner(Unlisted(DUDO), method, settings) for _ in range(2))
    actors, merged = [WalkActor(DUDO, method, settings, share) for share in (range(25), range(25, 60))], None
    alone.advance(10)
    for iteration in range(1, 11):
        for player in range(2):
            merged = merge_changes([actor.walk(iteration, player, merged) for actor in actors], parts=2)
            whole.store.restore(with_change(whole.store.arrays(), merged))
        whole.walks.end_iteration(iteration)
    found, expected = table_values(whole.store.arrays()), table_values(alone.store.arrays())
    assert set(found) == set(expected)
    assert all(np.allclose(found[key], values, rtol=1e-9, atol=1e-9) for key, values in expected.items())


def table_values(arrays: dict[str, Any]) -> dict[tuple[int, ...], Any]:
    """Regrets and averages by key, owner and action list."""
    store = TableStore.from_arrays(arrays)
    keys, slot, owner, action_list, actions = store.rows()
    lists = store.action_lists()
    return {
        (*keys[i].tolist(), int(owner[i]), *lists[action_list[i]]): store.values[slot[i] : slot[i] + 2 * actions[i]]
        for i in range(store.infosets)
    }


def test_sampled_cfr_while_a_node_is_killed(nodes: ThreeNodes, tmp_path: Path) -> None:
    method, path = walks(), tmp_path / "dudo.run"

    def kill(snapshot: rg.Snapshot) -> bool:
        if snapshot.iteration == 40:
            nodes.kill()
        return False

    given: dict[str, Any] = {"iterations": 80, "measure": 40, "seed": 3}
    spread = rg.solve(DUDO, method, workers=rg.Ray(shards=3), callback=kill, **given)
    assert len(nodes.others) == 1
    rg.solve(DUDO, method, workers=rg.Ray(shards=3), checkpoint=path, **{**given, "iterations": 50})
    again = rg.resume(path, iterations=30, measure=40, game=DUDO, workers=rg.Ray(shards=3))
    for name, array in again.arrays.items():
        assert np.array_equal(spread.arrays[name], array), name
    alone = rg.solve(DUDO, method, **given)
    assert np.isclose(rg.exploitability(DUDO, spread.strategy), rg.exploitability(DUDO, alone.strategy), rtol=1e-6)


# -- Deep CFR ---------------------------------------------------------------------------------------------------------


WALKED: dict[str, Any] = {"iterations": 12, "measure": 4, "seed": 3}


def same_with_a_node_killed(nodes: ThreeNodes, method: Any) -> rg.Run:
    """A run on two shards, which has the bits of one during which a node is killed."""

    def kill(snapshot: rg.Snapshot) -> bool:
        if snapshot.iteration == 4:
            nodes.kill()
        return False

    spread = rg.solve("kuhn", method, workers=rg.Ray(shards=2), **WALKED)
    again = rg.solve("kuhn", method, workers=rg.Ray(shards=2), callback=kill, **WALKED)
    assert len(nodes.others) == 1
    for name, array in again.arrays.items():
        assert np.array_equal(spread.arrays[name], array), name
    return spread


def test_deep_cfr_while_a_node_is_killed(nodes: ThreeNodes) -> None:
    pytest.importorskip("torch")
    method = rg.SD_CFR.replace(traversals=90, steps=30, batch=64, widths=(16,))
    spread = same_with_a_node_killed(nodes, method)
    alone = [rg.solve("kuhn", method, **{**WALKED, "seed": seed}).exploitability for seed in range(3)]
    assert 0.5 * min(alone) < spread.exploitability < 2 * max(alone)


def test_nfsp_while_a_node_is_killed(nodes: ThreeNodes) -> None:
    pytest.importorskip("torch")
    method = rg.NFSP(plays=90, batch=32, widths=(16,), response_capacity=4_000, average_capacity=20_000)
    spread = same_with_a_node_killed(nodes, method)
    alone = [rg.solve("kuhn", method, **{**WALKED, "seed": seed}) for seed in range(3)]
    visited = [run.history["nodes"][-1] for run in alone]
    assert 0.9 * min(visited) < spread.history["nodes"][-1] < 1.1 * max(visited)
    known = [run.exploitability for run in alone]
    assert 0.5 * min(known) < spread.exploitability < 2 * max(known)


# -- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "method", "said"),
    [
        ("kuhn", rg.CFR, "CFR on a tree is not spread over machines"),
        (flop_holdem(), replace(rg.CFR, alternating=False), "updates players in turn"),
        (DUDO, walks(variant=rg.DCFR), "regrets of DCFR depend on their order"),
        (DUDO, walks(sampling="outcome", baseline="infoset"), "baseline= and prune= are for one machine"),
        (DUDO, walks(traversals=1), "a cluster divides the walks of an iteration"),
        ("kuhn", rg.DeepCFR(baseline="history"), "boards= and baseline= of deep methods"),
        (DUDO, rg.DeepCFR(listed=False), "numbers the infosets of a game that is not listed"),
    ],
)
def test_what_is_not_spread(nodes: ThreeNodes, game: Any, method: Any, said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        rg.solve(game, method, iterations=1, workers=rg.Ray())
