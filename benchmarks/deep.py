"""Deep CFR, SD-CFR and NFSP: how fast they walk and learn, how far they get, beside OpenSpiel's PyTorch Deep CFR.

    python -m benchmarks.deep [traversal] [equal_time] [kuhn] [leduc] [ablations] [gpu]

Needs `pip install -e '.[bench,deep]' dm-tree`. Exploitability is the average over players, in chips. Everything on the
CPU runs on one thread. `gpu` needs a GPU and times flop hold'em with the network of the paper.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
import torch

import regretless as rg
from benchmarks.record import circumstances, write
from benchmarks.timing import Row, in_turns, row
from regretless.deep.listed import ListedGame
from regretless.deep.traversal import traverse

EQUAL_TIME = 300.0
"""Seconds for each of two methods that are compared at equal time."""

KUHN_TIME, LEDUC_TIME, ABLATION_TIME = 120.0, 1_800.0, 180.0
"""Seconds for a run on Kuhn and on Leduc, and for each setting that is compared with the usual ones."""

PAPER = {"memory": "reservoir", "refit": "fresh", "schedule": "constant", "steps": 750, "rate": 1e-3}
"""Reservoirs and networks fitted anew every iteration, as published; steps and batches as OpenSpiel recommends."""


class OpenSpielDeepCFR:
    """OpenSpiel's Deep CFR in PyTorch with the settings of its example, and a count of the histories it touches."""

    def __init__(self) -> None:
        import pyspiel
        from open_spiel.python.pytorch import deep_cfr

        self.game, self.nodes = pyspiel.load_game("leduc_poker"), 0
        self.solver = deep_cfr.DeepCFRSolver(
            self.game,
            policy_network_layers=(64,),
            advantage_network_layers=(64,),
            num_traversals=375,
            reinitialize_advantage_networks=True,
            learning_rate=1e-3,
            batch_size_advantage=256,
            batch_size_strategy=256,
            memory_capacity=100_000,
            policy_network_train_steps=2_500,
            advantage_network_train_steps=375,
        )
        plain = self.solver._traverse_game_tree

        def counted(state: Any, player: int) -> Any:
            self.nodes += 1
            return plain(state, player)

        self.solver._traverse_game_tree = counted

    def walk(self, count: int) -> None:
        """So many walks for player 0."""
        for _ in range(count):
            self.solver._traverse_game_tree(self.solver._root_node, 0)

    def solve(self, seconds: float) -> tuple[float, int]:
        """Exploitability after so long, its strategy network included, and how many iterations that were."""
        began, solver = time.perf_counter(), self.solver
        count = 0
        while time.perf_counter() - began < 0.95 * seconds:
            solver._num_iterations = 1
            for player in range(2):
                for _ in range(solver._num_traversals):
                    solver._traverse_game_tree(solver._root_node, player)
                solver._reinitialize_advantage_network(player)
                solver._learn_advantage_network(player)
            solver._iteration += 1
            count += 1
        solver._learn_strategy_network()
        return self.exploitability(), count

    def exploitability(self) -> float:
        """The average over players."""
        import pyspiel
        from open_spiel.python import policy

        table = policy.tabular_policy_from_callable(self.game, self.solver.action_probabilities)
        return float(pyspiel.nash_conv(self.game, policy.python_policy_to_pyspiel_policy(table))) / 2


def traversal() -> list[Row]:
    """Histories touched per second by the walks of Leduc poker, all that goes into memories included."""
    tree = rg.build(rg.games.Leduc())
    game = ListedGame(tree, torch.device("cpu"))
    table = game.by_infoset(rg.Strategy.uniform(tree).probabilities)
    peer, generator = OpenSpielDeepCFR(), torch.Generator().manual_seed(1)

    def ours() -> float:
        began = time.perf_counter()
        walked = traverse(game, 0, 3_000, lambda _, infosets: table[infosets], generator)
        return (time.perf_counter() - began) / walked.nodes

    def theirs() -> float:
        before, began = peer.nodes, time.perf_counter()
        peer.walk(20)
        return (time.perf_counter() - began) / (peer.nodes - before)

    mine, other = in_turns(ours, theirs, rounds=10)
    what = f"walks on Leduc, one history ({1 / mine / 1e6:.3g} M histories/s against {1 / other:,.0f})"
    return [row(what, "OpenSpiel, PyTorch Deep CFR", mine, other, "≥ 50×", other >= 50 * mine)]


def equal_time() -> list[Row]:
    """Exploitability on Leduc after the same wall time on one thread."""
    theirs, iterations = OpenSpielDeepCFR().solve(EQUAL_TIME)
    rows = [{"method": "OpenSpiel, PyTorch Deep CFR", "iterations": iterations, "exploitability": f"{theirs:.4f}"}]
    for name in ("deep-cfr", "sd-cfr"):
        run = rg.solve("leduc", name, seconds=EQUAL_TIME, threads=1, seed=1)
        found = {"method": run.method.name, "iterations": run.iterations, "exploitability": f"{run.exploitability:.4f}"}
        met = "yes" if theirs >= 5 * run.exploitability else "no"
        rows.append({**found, "theirs ÷ ours": f"{theirs / run.exploitability:.3g}", "target": "≥ 5×", "met": met})
    return rows


def kuhn() -> list[Row]:
    """Default settings on Kuhn poker."""
    rows = []
    for name, target in (("deep-cfr", 0.02), ("sd-cfr", 0.02), ("nfsp", 0.06)):
        for seed in (1, 2, 3):
            run = rg.solve("kuhn", name, seconds=KUHN_TIME, threads=1, seed=seed)
            reached = run.history["seconds"][run.history["exploitability"] <= target]
            first = f"{reached[0]:.1f} s" if len(reached) else "never"
            gap = f"{run.exploitability:.4f}"
            met = "yes" if run.exploitability <= target else "no"
            rows.append(
                {"method": run.method.name, "seed": seed, "exploitability": gap, "target": target, "met": met,
                 "at target first after": first}
            )  # fmt: skip
    return rows


def leduc() -> list[Row]:
    """Curves on Leduc poker: exploitability at some iterations and the seconds they took."""
    rows = []
    for name in ("sd-cfr", "deep-cfr"):
        run = rg.solve("leduc", name, seconds=LEDUC_TIME, threads=1, seed=1)
        rows += curve(run, 12)
    return rows


def curve(run: rg.Run, points: int) -> list[Row]:
    """Some rows of a run's history, evenly spaced in log iterations."""
    history = run.history
    wanted = np.unique(np.geomspace(1, run.iterations, points).astype(int))
    places = np.unique(np.searchsorted(history["iteration"], wanted).clip(max=len(history["iteration"]) - 1))
    return [
        {
            "method": run.method.name,
            "iteration": int(history["iteration"][at]),
            "seconds": f"{history['seconds'][at]:.1f}",
            "exploitability": f"{history['exploitability'][at]:.4f}",
            "histories touched": f"{history['nodes'][at]:,.0f}",
            "loss": f"{history['loss'][at]:.3g}",
        }
        for at in places
    ]


ABLATIONS: dict[str, dict[str, Any]] = {
    "as usual": {},
    "reservoir of a million": {"memory": "reservoir"},
    "reservoir of 100,000": {"memory": "reservoir", "capacity": 100_000},
    "window of 100,000": {"memory": "window", "capacity": 100_000},
    "fitted anew, 500 steps": {"refit": "fresh", "steps": 500},
    "as published": PAPER,
    "as published, cosine": {**PAPER, "schedule": "cosine"},
    "as published, weights averaged": {**PAPER, "ema": 0.99},
    "not linear": {"linear": False},
    "uniform fallback": {"fallback": "uniform"},
    "residual network": {"network": "residual"},
    "300 traversals": {"traversals": 300},
    "10,000 traversals": {"traversals": 10_000},
    "20 steps": {"steps": 20},
    "200 steps": {"steps": 200},
    "width 32": {"widths": (32, 32, 32)},
    "width 128": {"widths": (128, 128, 128)},
}
"""Changes of SD-CFR's usual settings."""


def ablations() -> list[Row]:
    """SD-CFR on Leduc poker with one thing changed at a time, the same seconds each."""
    rows = []
    for name, changes in ABLATIONS.items():
        run = rg.solve("leduc", rg.SD_CFR.replace(**changes), seconds=ABLATION_TIME, threads=1, seed=1)
        found = {"setting": name, "seconds": ABLATION_TIME, "iterations": run.iterations}
        rows.append({**found, "exploitability": f"{run.exploitability:.4f}"})
    return rows


def gpu() -> list[Row]:
    """Flop hold'em on a GPU: one step of training with the paper's network, and the walks of one player."""
    from benchmarks.deep_gpu import step_seconds, walk_seconds

    step, walks = step_seconds(), walk_seconds()
    return [
        {"what": "a step, batch 10,000 of a memory of 40 million, network of the paper", "ms": f"{1e3 * step:.3f}",
         "target": "≤ 0.25 ms", "met": "yes" if step <= 0.25e-3 else "no"},
        {"what": "10,000 walks of one player, networks asked at every level", "ms": f"{1e3 * walks:.1f}",
         "target": "≤ 50 ms", "met": "yes" if walks <= 50e-3 else "no"},
    ]  # fmt: skip


def main() -> None:
    torch.set_num_threads(1)
    works = {f.__name__: f for f in (traversal, equal_time, kuhn, leduc, ablations, gpu)}
    for name in sys.argv[1:] or ["traversal", "equal_time", "kuhn"]:
        write(f"deep-{name.replace('_', '-')}", works[name](), circumstances())


if __name__ == "__main__":
    main()
