"""Which variant of CFR solves hold'em spots in the fewest iterations and the least time.

    python -m benchmarks.spot_variants [--write] [--spots 20]

Twenty spots on rivers, turns and flops: dry, paired, monotone and connected boards, short and deep stacks, narrow, wide
and unequal ranges. Each variant runs until 0.1 % of the pot or 400 iterations; exploitability is measured every four
iterations up to 40 and then every tenth more, outside the clock. Medians and geometric means are relative to DCFR.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import regretless as rg
from benchmarks.holdem import IN_POSITION, OUT_OF_POSITION
from benchmarks.record import write
from benchmarks.spots import CALLER, OPENER, WIDE
from benchmarks.timing import Row
from regretless.method import Settings
from regretless.poker.solving.vector_cfr import VectorLearner
from regretless.variants import VARIANTS, Discounted, Polynomial, Ramp, Variant


@dataclass(frozen=True)
class Restarting:
    """The average begins anew at iterations 1, `factor`, `factor`², …; from there iteration t counts t^power."""

    factor: float = 4.0
    power: float = 3.0

    def decay(self, t: Any) -> Any:
        """What the average so far is multiplied by before iterations t are added with weight 1."""
        last = self.factor ** np.floor(np.log(np.maximum(t, 1)) / np.log(self.factor) + 1e-9)
        return np.power((t - last) / (t - last + 1), self.power)


TIGHT = "TT+,AQs+,AKo,KQs,A5s-A4s"
LEVELS = (0.003, 0.001)
MOST = 400

CANDIDATES: dict[str, Variant] = {
    **{name: VARIANTS[name] for name in ("dcfr", "dcfr+", "pcfr+", "pdcfr+", "hs-dcfr", "hs-pcfr+", "cfr+")},
    "dcfr, averages t³": Variant(discount=Discounted(1.5, 0), averaging=Polynomial(3)),
    "dcfr, averages t⁴": Variant(discount=Discounted(1.5, 0), averaging=Polynomial(4)),
    "dcfr 2, averages t⁴": Variant(discount=Discounted(2, 0), averaging=Polynomial(4)),
    "dcfr+, averages t⁶": Variant(discount=Discounted(1.5), floor=True, averaging=Polynomial(6)),
    "dcfr ramp, averages t⁴": Variant(discount=Discounted(Ramp(1, 3), 0), averaging=Polynomial(4)),
    "dcfr, restarts ×4, t³": Variant(discount=Discounted(1.5, 0), averaging=Restarting(4, 3)),
    "dcfr, restarts ×2, t³": Variant(discount=Discounted(1.5, 0), averaging=Restarting(2, 3)),
    "dcfr+, restarts ×4, t³": Variant(discount=Discounted(1.5), floor=True, averaging=Restarting(4, 3)),
    "dcfr 1.25, averages t⁴": Variant(discount=Discounted(1.25, 0), averaging=Polynomial(4)),
}  # fmt: skip

RIVERS: list[tuple[Any, ...]] = [
    ("Qs Jh 2h 7c 3d", (WIDE, WIDE), 100, 300, "bet 50% 100%, raise 60%"),
    ("Ah Kh 8h 4h 2c", (OPENER, CALLER), 200, 900, "bet 33% 75% 150%, raise 60%"),
    ("9s 9d 5c 5h Kd", (CALLER, OPENER), 120, 400, "bet 50%, raise 60%"),
    ("Tc 9c 8d 7h 2s", (WIDE, OPENER), 80, 700, "bet 33% 100%, raise 50% 100%"),
    ("Ks 7d 2c 2h 5s", (TIGHT, WIDE), 300, 300, "bet 50%"),
    ("6s 5s 4d Qh Jc", ("random", "random"), 100, 200, "bet 75%, raise 60%"),
]
TURNS: list[tuple[Any, ...]] = [
    ("Qs Jh 2h 7c", (WIDE, WIDE), 100, 300, "bet 50% 100%, raise 60%"),
    ("Ah Kh 8h 4s", (OPENER, CALLER), 120, 500, "bet 75%, raise 60%"),
    ("9s 9d 5c Kd", (CALLER, OPENER), 60, 300, "bet 33% 75%, raise 60%"),
    ("Tc 9c 8d 7h", (OUT_OF_POSITION, IN_POSITION), 180, 910, "bet 50%, raise 60%"),
    ("Ks 7d 2c 3h", (TIGHT, WIDE), 200, 400, "bet 50% 100%, raise 60%"),
    ("6s 5s 4d Qh", (OPENER, CALLER), 100, 150, "bet 50%"),
    ("Qh 8h 3h Th", (CALLER, OPENER), 100, 600, "bet 33% 100%, raise 60%"),
    ("As Ad 7c 6d", (WIDE, TIGHT), 150, 450, "bet 33%, raise 60%"),
]
FLOPS: list[tuple[Any, ...]] = [
    ("Qs Jh 2h", (OUT_OF_POSITION, IN_POSITION), 180, 300, "bet 50%, raise 60%"),
    ("Qh Jh 2h", (OUT_OF_POSITION, IN_POSITION), 180, 500, "bet 50%, raise 60%"),
    ("8s 8d 3c", (OUT_OF_POSITION, IN_POSITION), 180, 400, "bet 33%, raise 60%"),
    ("Ah Kd 7s", (TIGHT, TIGHT), 400, 800, "bet 50%, raise 60%"),
    ("9h 8h 7h", (TIGHT, OUT_OF_POSITION), 300, 600, "bet 50%"),
    ("Tc 6d 2s", (OUT_OF_POSITION, IN_POSITION), 180, 250, "bet 75%"),
]


def solved(tree: Any, pot: float, variant: Variant) -> tuple[list[float], float]:
    """(iterations to each level, infinite if not reached, and seconds of one iteration)."""
    learner = VectorLearner(tree, variant, Settings(dtype="float32", threads=2, device="cpu"))
    reached = [np.inf] * len(LEVELS)
    times = []
    while learner.iteration < MOST and np.inf in reached:
        count = max(4, learner.iteration // 10)
        began = time.perf_counter()
        learner.advance(count)
        times.append((time.perf_counter() - began) / count)
        share = learner.measure()["exploitability"] / pot
        for at, level in enumerate(LEVELS):
            if share <= level and not np.isfinite(reached[at]):
                reached[at] = learner.iteration
    return reached, float(np.median(times))


def main() -> None:
    """Measure all candidates on all spots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spots", type=int, default=20, help="the number of spots, rivers first")
    parser.add_argument(
        "--only", nargs="*", default=list(CANDIDATES), help="names of variants; dcfr is always measured"
    )
    parser.add_argument("--write", action="store_true", help="keep the table in benchmarks/results")
    given = parser.parse_args()
    chosen = {name: variant for name, variant in CANDIDATES.items() if name == "dcfr" or name in given.only}
    found: dict[str, list[tuple[list[float], float]]] = {name: [] for name in chosen}
    for board, ranges, pot, stack, sizes in (RIVERS + TURNS + FLOPS)[: given.spots]:
        tree = rg.poker.Spot(board, ranges, pot=pot, stack=stack, sizes=sizes).public_tree()
        for name, variant in chosen.items():
            found[name].append(solved(tree, pot, variant))
        to = {name: list(all_of[-1][0]) for name, all_of in found.items()}
        print(board, f"{tree.numbers:,}", to, flush=True)
    rows = table(found)
    if given.write:
        write("spot-variants", rows)
    else:
        print(*rows, sep="\n")


def table(found: dict[str, list[tuple[list[float], float]]]) -> list[Row]:
    """One row for each variant."""
    rows: list[Row] = []
    base = np.array([reached for reached, _ in found["dcfr"]])
    base_time = np.array([each for _, each in found["dcfr"]])
    for name, results in found.items():
        own = np.array([reached for reached, _ in results])
        slower = np.exp(np.mean(np.log(np.array([each for _, each in results]) / base_time)))
        row: Row = {"variant": name, "time of an iteration ÷ DCFR's": f"{slower:.2f}"}
        for at, level in enumerate(LEVELS):
            both = np.isfinite(own[:, at]) & np.isfinite(base[:, at])
            ratio = np.exp(np.mean(np.log(own[both, at] / base[both, at])))
            row |= {
                f"median iterations to {level:.1%}": f"{np.median(own[:, at]):.0f}",
                f"most to {level:.1%}": f"{own[:, at].max():.0f}",
                f"iterations ÷ DCFR's, {level:.1%}": f"{ratio:.2f}",
                f"time ÷ DCFR's, {level:.1%}": f"{ratio * slower:.2f}",
                f"reached {level:.1%}": f"{int(np.isfinite(own[:, at]).sum())} of {len(own)}",
            }
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
