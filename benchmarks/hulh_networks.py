"""Networks on limit hold'em: trained for some seconds, measured on some flops, and played against other strategies.

    python -m benchmarks.hulh_networks FOLDER train SETTING --seconds 240 [--device cuda] [--no-state]
    python -m benchmarks.hulh_networks FOLDER measure SETTING --seconds 120 [--device cuda]
    python -m benchmarks.hulh_networks FOLDER meet SETTING --against FILE.run call … --seconds 60 [--device cuda]
    python -m benchmarks.hulh_networks FOLDER probe SETTING [--boards 48 96] [--device cuda]
    python -m benchmarks.hulh_networks FOLDER keep

SETTING is a name in SETTINGS. `train` writes FOLDER/SETTING-small.run, the networks alone in 16 bits (0.35 MB for Deep
CFR, 7.4 MB for NFSP, at most 14 MB for SD-CFR); measurements and matches read this file and nothing else, so it can be
measured again on another machine. Unless --no-state is given, FOLDER/SETTING.run holds memories as well (up to 5 GB),
and the next `train` goes on from it. `measure` adds flops as long as the seconds last, and goes on from
FOLDER/SETTING.flops. `meet` plays runs in files, or strategies that see no cards: call, raise, uniform. `probe` times a
walk and a fit. Every task writes its rows to FOLDER/networks.json at once, and those of limit hold'em with networks of
full size to results/hulh/networks.json; `keep` copies the rows of a folder from another machine there.

What an iteration should cost on an H200, for each player: 96 boards are 662 million pairs of decision and hand, at 1.1
billion a second (measured on flop hold'em) 0.6 s; 2,000 steps of 10,000 samples are 0.43 s. Measured: 0.97 s. So four
minutes are about 120 iterations over 23,000 boards. More than 103 boards give arrays of more than 2³¹ numbers.

On a CPU everything can be tried with --small (small networks), and with --tiny (a game of eight cards) in seconds.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

import regretless as rg
from benchmarks.deep_runs import NFSP_ADAM
from benchmarks.record import circumstances
from benchmarks.timing import interval
from regretless.deep.playing.network_strategy import NetworkStrategy
from regretless.lookup.methods import method_to_json
from regretless.method import Settings
from regretless.poker import Deck, Limit, PublicGame
from regretless.storage import read_arrays

BEGAN = time.perf_counter()
RESULTS = Path(__file__).parents[1] / "results" / "hulh" / "networks.json"

EARLIER = rg.DeepCFR.recommended(
    game="hulh", strength=True, off_path=1.0, steps=2_000, traversals=300_000, strategy_steps=16_000
)
"""What was best before networks knew expected strength."""
SETTINGS: dict[str, Any] = {
    "deep-cfr": EARLIER,
    "deep-cfr-48": EARLIER.replace(boards=48),
    "deep-cfr-continued": EARLIER.replace(boards=32, steps=500, refit="continued"),
    "deep-cfr-4000": EARLIER.replace(steps=4_000),
    "deep-cfr-expected": rg.DeepCFR.recommended(game="hulh"),
    "deep-cfr-published": rg.DeepCFR.as_published(game="hulh"),
    "sd-cfr": EARLIER.replace(averaging="value-networks"),
    "nfsp": rg.NFSP.as_published(game="hulh"),
    "nfsp-adam": NFSP_ADAM,
}

TINY = PublicGame(
    Deck("JQKA", "sh"), 2, (1, 1, 1), Limit(streets=4, bets=(2, 2, 4, 4), caps=1, blinds=(1, 2)), big_blind=2
)
SMALL_DEEP_CFR = {
    "traversals": 500, "steps": 30, "batch": 128, "widths": (16,), "capacity": 50_000, "strategy_steps": 100,
}  # fmt: skip
SMALL_NFSP = {
    "plays": 64, "every": 64, "batch": 64, "widths": (32,), "response_capacity": 5_000, "average_capacity": 20_000,
}  # fmt: skip

BLIND = {"call": {"call": 1}, "raise": {"raise_": 1}, "uniform": {"fold": 1, "call": 1, "raise_": 1}}

FINISHING = {"cuda": 12.0, "cpu": 3.0}
"""Seconds from the last iteration to the end: the strategy network is fitted and files are written."""

CURVE = ("iteration", "seconds", "nodes", "samples", "loss")

MOST_NETWORKS = 20
"""Networks of each player in a small file of SD-CFR; more of them are thinned out."""


def method_of(given: argparse.Namespace) -> Any:
    """The settings that are asked for, or small ones of the same kind."""
    method = SETTINGS[given.setting]
    if given.small or given.tiny:
        deep = isinstance(method, rg.DeepCFR)
        method = method.replace(**(SMALL_DEEP_CFR if deep else SMALL_NFSP))
        method = method.replace(boards=2) if deep and method.boards else method
    return method.replace(listed=False)


def game_of(given: argparse.Namespace) -> Any:
    """Limit hold'em, or the game to try things with."""
    return TINY if given.tiny else rg.poker.LimitHoldem()


# -- rows --------------------------------------------------------------------------------------------------------------


def about(given: argparse.Namespace) -> dict[str, Any]:
    """The circumstances of a row, and what it is about."""
    device = torch.cuda.get_device_name() if given.device == "cuda" else "cpu"
    found = {"setting": given.setting, "seed": given.seed, "device": device, "torch": torch.__version__}
    purified = {"purified below": given.purify} if given.purify else {}
    return found | purified | circumstances() | ({"note": given.note} if given.note else {})


def add(given: argparse.Namespace, part: str, row: dict[str, Any], told: dict[str, Any]) -> None:
    """Keep a row; `told` has its circumstances. A row with the same "when" is replaced."""
    spent = {"clock, s": round(since(), 1), "processor, s": round(time.process_time(), 1)}
    whole = row | spent | ({"GPU, s": round(since(), 1)} if given.device == "cuda" else {}) | told
    merge(given.folder / RESULTS.name, {part: [whole]})
    if not (given.small or given.tiny or part == "probes"):
        merge(RESULTS, {part: [whole]})
    print(json.dumps(row | spent), flush=True)


def merge(path: Path, found: dict[str, list[dict[str, Any]]]) -> None:
    """Write rows beside those that a file has."""
    kept: dict[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for part, rows in found.items():
        by_time = {row["when"]: row for row in [*kept.get(part, []), *rows]}
        kept[part] = [by_time[when] for when in sorted(by_time)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def since() -> float:
    """Seconds since this program began."""
    return time.perf_counter() - BEGAN


# -- tasks -------------------------------------------------------------------------------------------------------------


def train(given: argparse.Namespace) -> None:
    """Learn until the seconds are over, from the state in the folder if there is one."""
    told, state, method = marked(given), given.folder / f"{given.setting}.run", method_of(given)
    options: dict[str, Any] = {
        "seconds": max(0.5, given.seconds - since() - FINISHING[given.device]), "threads": given.threads,
        "device": given.device, "callback": say, "measure": 1.3,
    }  # fmt: skip
    if state.exists():
        run = rg.resume(state, **options)
    else:
        run = rg.solve(game_of(given), method, seed=given.seed, **options)
    ended = since()
    thinned(run).save(small_file(given), compact=True)
    flops_file(given).unlink(missing_ok=True)  # they are those of other weights
    if not given.no_state:
        run.save(state)
    row = {
        "game": run.game, "method": run.method.name, "iterations": run.iterations,
        "seconds of all pieces": round(run.seconds, 1), "samples": int(run.history["samples"][-1]),
        "small file, bytes": small_file(given).stat().st_size, "solve, s": round(ended, 1),
        "settings": method_to_json(run.method),
        "curve": {name: [float(f"{number:.6g}") for number in run.history[name].tolist()] for name in CURVE},
    }  # fmt: skip
    add(given, "training", row | gpu_memory(given), told)


def say(snapshot: rg.Snapshot) -> None:
    """Print a line for each measurement, which counts samples and computes nothing."""
    loss = snapshot.measured.get("loss", np.nan)
    print(f"iteration {snapshot.iteration:,}, {snapshot.seconds:.1f} s, loss {loss:.6g}", flush=True)


def thinned(run: rg.Run) -> rg.Run:
    """The run with at most MOST_NETWORKS networks of SD-CFR: each stands for those since the one before it."""
    arrays = dict(run.arrays)
    for player in range(2):
        weights, shares = (f"average_{player}_{part}" for part in ("weights", "shares"))
        count = len(arrays.get(shares, ()))
        if count <= MOST_NETWORKS:
            continue
        ends = np.linspace(0, count, MOST_NETWORKS + 1).astype(int)[1:]
        arrays[weights] = arrays[weights][ends - 1]
        arrays[shares] = np.diff(np.cumsum(arrays[shares])[ends - 1], prepend=0.0)
    return dataclasses.replace(run, arrays=arrays)


def measure(given: argparse.Namespace) -> None:
    """Exploitability from a random sample of flops, which grows while there is time: the first flops stay the same."""
    told, strategy, game = marked(given), own_strategy(given), game_of(given)
    run: Any = rg.load(small_file(given))
    file, flops, each = flops_file(given), 2, 0.0
    while True:
        began, before = since(), measured_in(file)
        found: Any = rg.exploitability(
            game, strategy, flops=flops, seed=given.seed, device=given.device, threads=given.threads, checkpoint=file,
            progress=False,
        )  # fmt: skip
        row = {
            "iterations": run.iterations, "flops": flops, "mbb/g": round(found.mbb, 2),
            **interval(found, game.big_blind),
            "best responses, chips": [round(value, 4) for value in found.best_responses], "exact": found.exact,
        }  # fmt: skip
        add(given, "exploitability", row, told)
        new = measured_in(file) - before
        each = (since() - began) / new if new else each
        more = int(0.9 * (given.seconds - since()) / each) if each else int(since() < given.seconds)
        more = min(more, flops, given.flops - flops)
        if found.exact or more < 1:
            return
        flops += more


def flops_file(given: argparse.Namespace) -> Path:
    """Where the flops that were measured are."""
    purified = f"-{given.purify:g}" if given.purify else ""
    return Path(given.folder) / f"{given.setting}{purified}.flops"


def measured_in(file: Path) -> int:
    """Flops in a file."""
    return len(read_arrays(file)[0]["flops"]) if file.exists() else 0


def meet(given: argparse.Namespace) -> None:
    """Matches on drawn boards with all hands, against each opponent for an equal share of the time."""
    strategy, game = own_strategy(given), game_of(given)
    for number, name in enumerate(given.against):
        told, other = marked(given), opponent(name, game, given)
        boards, before = max(4, given.threads), since()
        rg.match(game, strategy, other, hands=boards, seed=given.seed, threads=given.threads, exact=False)
        each = (since() - before) / boards
        share = (given.seconds - since()) / (len(given.against) - number)
        boards = int(min(given.hands, max(boards, 0.9 * share / each)))
        won: Any = rg.match(
            game, strategy, other, hands=boards, seed=given.seed, threads=given.threads, exact=False
        )  # fmt: skip
        row = {"opponent": Path(name).stem, "boards": boards, "mbb/g": round(won.mbb, 2)}
        add(given, "matches", row | interval(won, game.big_blind), told)


def probe(given: argparse.Namespace) -> None:
    """Seconds of a walk and of a step for one player, with networks that have been fitted."""
    for boards in given.boards:
        told, method = marked(given), method_of(given)
        steps = 30 if given.small or given.tiny else 500
        method = method.replace(boards=boards, steps=steps, strategy_steps=1)
        learner: Any = method.learner(
            method.open(game_of(given)), Settings(dtype="float32", seed=1, threads=given.threads, device=given.device)
        )
        learner.advance(1)  # kernels are compiled
        walk = timed(partial(learner.walk, 0, torch.Generator(learner.game.device)), given)
        both = timed(partial(learner.advance, 1), given)
        step = max(0.0, both - 2 * walk) / (2 * steps)
        row = {"boards": boards, "walk, s": round(walk, 3), "step, ms": round(1_000 * step, 3), **gpu_memory(given)}
        add(given, "probes", row, told)
        del learner


def timed(work: Any, given: argparse.Namespace) -> float:
    """Seconds of some work, on the device too."""
    began = time.perf_counter()
    work()
    if given.device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - began


def gpu_memory(given: argparse.Namespace) -> dict[str, float]:
    """The most memory of the GPU that was taken at once."""
    return {"GPU memory, GB": round(torch.cuda.max_memory_allocated() / 1e9, 1)} if given.device == "cuda" else {}


def keep(given: argparse.Namespace) -> None:
    """Copy the rows of a folder to the results."""
    merge(RESULTS, json.loads((given.folder / RESULTS.name).read_text(encoding="utf-8")))


# -- strategies --------------------------------------------------------------------------------------------------------


def marked(given: argparse.Namespace) -> dict[str, Any]:
    """The circumstances of a new row, and a mark that no other row has."""
    return {"when": time.time_ns()} | about(given)


def small_file(given: argparse.Namespace) -> Path:
    """Where the networks of a setting are."""
    return Path(given.folder) / f"{given.setting}-small.run"


def strategy_in(path: Path, given: argparse.Namespace) -> Any:
    """The average strategy of a run; networks are read on the device that is asked for."""
    run: Any = rg.load(path)
    strategy = run.strategy
    return strategy.on(given.device) if isinstance(strategy, NetworkStrategy) else strategy


def own_strategy(given: argparse.Namespace) -> Any:
    """The strategy of the setting, purified if that is asked for."""
    strategy = strategy_in(small_file(given), given)
    return strategy.purify(given.purify) if given.purify else strategy


def opponent(name: str, game: Any, given: argparse.Namespace) -> Any:
    """A strategy that sees no cards, or that of a file."""
    return rg.poker.card_blind(game, **BLIND[name]) if name in BLIND else strategy_in(Path(name), given)


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("task", choices=("train", "measure", "meet", "probe", "keep"))
    parser.add_argument("setting", nargs="?", choices=SETTINGS, default="deep-cfr")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the whole task, from the start of the program")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--no-state", action="store_true", help="train: write no file to go on from")
    parser.add_argument("--flops", type=int, default=200, help="measure: flops at most")
    parser.add_argument("--against", nargs="*", default=["call"], help="meet: files of runs, or call, raise, uniform")
    parser.add_argument("--hands", type=int, default=2_000, help="meet: boards at most")
    parser.add_argument("--boards", type=int, nargs="*", default=[48, 96], help="probe: boards of a walk")
    parser.add_argument("--purify", type=float, default=0.0, help="measure, meet: drop less likely actions")
    parser.add_argument("--small", action="store_true", help="small networks and memories")
    parser.add_argument("--tiny", action="store_true", help="the same, on a game of eight cards")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--note")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    {"train": train, "measure": measure, "meet": meet, "probe": probe, "keep": keep}[given.task](given)


if __name__ == "__main__":
    main()
