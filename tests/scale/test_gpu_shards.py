"""Shards on GPUs beside one process, in Numba's CUDA simulator: in this process, and as actors of a cluster.

The simulator must be asked for before Numba is imported, so this file runs itself in a process of its own, with the
compiler off. Ray is told of two GPUs that are not there; its workers inherit the simulator.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless as rg
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.solving.cuda_walker import Launch
from regretless.poker.tree.public_tree import PublicTree
from regretless.scale.shards import sharded_learner
from regretless.scale.shards.board_shards import ShardLayout, StateFormat, WalkRequest
from regretless.scale.shards.gpu_shards import CudaShard
from regretless.scale.shards.shard_actors import ShardActor, ShardActors

SIMULATED = bool(os.environ.get("NUMBA_ENABLE_CUDASIM"))
in_the_simulator = pytest.mark.skipif(not SIMULATED, reason="runs in a process of its own")
LAUNCH = Launch(4, 2, 4_096, 2)

GAMES = {
    "two streets": PublicGame(
        Deck("QK", "shd"), 2, (1,), Limit(streets=2, bets=(2, 4), caps=1, blinds=(0, 0), ante=1), isomorphism=False
    ),
    "three streets": PublicGame(
        Deck("QK", "sh"), 1, (1, 1), Limit(streets=3, bets=(1, 2, 3), caps=(1, 0, 1), blinds=(0, 0), ante=1)
    ),
}


@pytest.mark.skipif(SIMULATED, reason="this is the process of its own")
@pytest.mark.full
def test_in_the_simulator() -> None:
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    words = ["-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", "-n", "0", "-m", "full or not full"]
    run = subprocess.run(
        [sys.executable, *words, str(Path(__file__))],
        env=environment, capture_output=True, text=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-4_000:] + run.stderr[-2_000:]


class ShardsHere:
    """The shards of a solve in this process."""

    snapshot_due = False

    def __init__(
        self,
        cluster: Any,
        tree: PublicTree,
        layouts: Sequence[ShardLayout],
        kind: StateFormat,
        shapes: Mapping[str, Any],
    ) -> None:
        self.layouts = layouts
        self.shards = [CudaShard(tree, layout.roots, kind, launch=LAUNCH) for layout in layouts]
        self.snapshot = {name: np.zeros(shape, dtype) for name, (shape, dtype) in shapes.items()}

    def walk(self, request: WalkRequest, zeros: Any) -> Any:
        sums = zeros.copy()
        for shard in self.shards:
            shard.walk(request)
            assert np.array_equal(shard.add(request.player, zeros), shard.values(len(zeros))[0])
            sums += shard.values(len(zeros))[0]
        return sums

    def take_snapshot(self) -> Mapping[str, Any]:
        for layout, shard in zip(self.layouts, self.shards, strict=True):
            layout.paste(shard.arrays(), self.snapshot)
        return self.snapshot

    def restore(self, arrays: Mapping[str, Any]) -> None:
        for layout, shard in zip(self.layouts, self.shards, strict=True):
            shard.load(layout.cut(arrays))
        self.snapshot = {name: np.array(array) for name, array in arrays.items()}

    def close(self) -> None:
        """Nothing."""


class TwoShards:
    """Stands for a cluster."""

    def connect(self) -> None:
        """Nothing."""

    def actors(self, _ray: object, _most: int) -> int:
        return 2


@in_the_simulator
@pytest.mark.parametrize("variant", [rg.CFR_PLUS, rg.PCFR_PLUS], ids=lambda variant: str(variant.name))
@pytest.mark.parametrize("name", GAMES)
def test_shards_beside_one_process(name: str, variant: rg.Variant, monkeypatch: pytest.MonkeyPatch) -> None:
    sys.setswitchinterval(1e-5)
    monkeypatch.setattr(sharded_learner, "ShardActors", ShardsHere)
    tree, settings = GAMES[name].problem(), rg.Settings(dtype="float64", device="cuda")
    alone = rg.solve(tree, variant, iterations=3, dtype="float64")
    first, second = (
        sharded_learner.ShardedLearner(TwoShards(), tree, variant, settings)  # type: ignore[arg-type]
        for _ in range(2)
    )
    first.advance(2)
    second.restore(first.arrays(), 2)
    second.advance(1)
    found = second.arrays()
    for key, array in alone.arrays.items():
        assert np.abs(found[key] - array).max() <= 1e-12 * max(np.abs(array).max(), 1), key
    assert second.measure()["exploitability"] == pytest.approx(alone.exploitability, rel=1e-9)


class SimulatedActor(ShardActor):
    """With a few threads: the simulator runs each as a thread of Python."""

    def __init__(self, *made_of: Any) -> None:
        sys.setswitchinterval(1e-5)
        Launch.__new__.__defaults__ = tuple(LAUNCH)  # type: ignore[attr-defined]
        super().__init__(*made_of)
        assert os.environ["CUDA_VISIBLE_DEVICES"] in ("0", "1")  # a GPU of its own


@in_the_simulator
def test_actors_with_a_gpu_each(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    ray.init(address="local", num_cpus=3, num_gpus=2, include_dashboard=False, log_to_driver=False)
    try:
        monkeypatch.setattr(ShardActors, "actor_class", SimulatedActor)
        game, cluster = GAMES["two streets"], rg.Ray(gpus_per_task=1)
        assert cluster.at_once(100) == 2  # by GPUs, not by processors
        alone = rg.solve(game, rg.CFR_PLUS, iterations=2, dtype="float64")
        spread = rg.solve(game, rg.CFR_PLUS, iterations=2, dtype="float64", device="cuda", workers=cluster)
        assert np.abs(spread.arrays["regret"] - alone.arrays["regret"]).max() < 1e-12
        assert spread.exploitability == pytest.approx(alone.exploitability, rel=1e-9)
        with pytest.raises(rg.OptionError, match="gpus_per_task=1 reserves GPUs for device='cuda': give both"):
            rg.solve(game, rg.CFR_PLUS, iterations=1, workers=cluster)
        with pytest.raises(rg.OptionError, match="16-bit numbers need device='cpu'"):
            rg.solve(game, rg.CFR_PLUS, iterations=1, dtype="int16", device="cuda", workers=cluster)
        with pytest.raises(rg.OptionError, match="gpus_per_task=3 is more than any node has: the largest one has 2"):
            rg.solve(game, rg.CFR_PLUS, iterations=1, device="cuda", workers=rg.Ray(gpus_per_task=3))
    finally:
        ray.shutdown()
