"""Rows about the size of regrets: many of CFR+ are zero, so an entropy coder makes their tables small."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import zstandard

import regretless as rg
from regretless.kernels.numpy_matching import matched_groups
from regretless.reproduce.claims import Claim, Expected, Job, Measured
from regretless.reproduce.kept_results import kept_content
from regretless.reproduce.sources import TAMMELIN
from regretless.strategy import uniform_probabilities

__all__ = ["ROWS"]

STEPS = 2**15 - 1
"""Fixed point: the largest regret of CFR+ has this size in steps, so that it takes 16 bits."""
Numbers = npt.NDArray[Any]


def entropy(numbers: Numbers) -> float:
    """Bits for each number of a list, by their frequencies."""
    _, counts = np.unique(numbers, return_counts=True)
    share = counts / counts.sum()
    return float(-(share * np.log2(share)).sum())


def by_neighbouring_hands(tree: rg.Tree) -> Numbers:
    """The sequences of a tree, ordered so that the same action after the same play follows with the next hand.

    A label of Leduc poker begins with the own card; what follows is public. The game's order of cards is by rank.
    """
    labels, numbers = tree.labels, np.arange(tree.sequences)
    keys = []
    for infoset, name in enumerate(labels.names):
        public = str(name).partition(" ")[2]
        mine = numbers[labels.sequences_of(infoset)].tolist()
        keys += [(int(labels.owner[infoset]), public, action, sequence) for action, sequence in enumerate(mine)]
    return np.array([sequence for *_, sequence in sorted(keys)])


def sizes_of(regret: Numbers, step: float, order: Numbers) -> dict[str, float]:
    """Share of zeros, entropy in fixed point, and bits for each number with prediction and an entropy coder.

    The prediction is the number of the neighbouring hand; the coder is zstd at its strongest level, on the four bytes
    of the differences apart.
    """
    given = np.asarray(regret, np.float64)[order]
    fixed = np.rint(given / step).astype(np.int64)
    differences = np.diff(fixed, prepend=0).astype(np.int32)
    folded = np.where(differences < 0, -2 * differences - 1, 2 * differences).astype("<u4")  # small numbers stay small
    planes = np.ascontiguousarray(folded.view(np.uint8).reshape(-1, 4).T).tobytes()
    packed = len(zstandard.ZstdCompressor(level=19).compress(planes))
    return {"zeros": float(np.mean(given == 0)), "entropy": entropy(fixed), "coded": 8 * packed / len(given)}


def regrets_of(job: Job) -> tuple[rg.Tree, dict[str, Numbers]]:
    """Regrets of CFR and CFR+ on Leduc poker with 13 ranks (5 in the small version)."""
    tree = rg.build(rg.games.Leduc(ranks=job.choose(5, 13)))
    regrets = {}
    for name, variant in (("CFR", rg.CFR), ("CFR+", rg.CFR_PLUS)):
        job.progress(name)
        run = rg.solve(tree, variant, iterations=job.choose(300, 1_000), measure="never")
        regrets[name] = np.asarray(run.arrays["regret"])
    return tree, regrets


def leduc_regrets(job: Job) -> Measured:
    """Zeros, entropy and bits of the regrets of CFR and CFR+."""
    tree, regrets = regrets_of(job)
    order = by_neighbouring_hands(tree)
    step = float(np.abs(regrets["CFR+"]).max()) / STEPS
    plain, plus = sizes_of(regrets["CFR"], step, order), sizes_of(regrets["CFR+"], step, order)
    return Measured(
        {
            "zero regrets, CFR+": plus["zeros"],
            "zero regrets, CFR": plain["zeros"],
            "entropy, CFR+ ÷ CFR": plus["entropy"] / plain["entropy"],
            "bits in fixed point, CFR+": plus["entropy"],
            "bits in fixed point, CFR": plain["entropy"],
            "32 bits ÷ coded, CFR+": 32 / plus["coded"],
            "coded, CFR ÷ CFR+": plain["coded"] / plus["coded"],
        }
    )


def fixed_point_quality(job: Job) -> Measured:
    """Exploitability of CFR+'s current strategy from regrets in fixed point, over that from floats."""
    tree, regrets = regrets_of(job)
    labels, regret = tree.labels, regrets["CFR+"]
    owned = labels.infoset_of_sequence >= 0
    uniform = uniform_probabilities(labels)

    def current(numbers: Numbers) -> float:
        probabilities = uniform.copy()
        group = labels.infoset_of_sequence[owned]
        probabilities[owned] = matched_groups(numbers[owned], group, uniform[owned])
        return rg.exploitability(tree, rg.Strategy(labels, probabilities))

    step = np.abs(regret).max() / STEPS
    return Measured({"fixed point ÷ float": current(np.rint(regret / step) * step) / current(regret)})


def flop_holdem(job: Job) -> Measured:
    """Sizes of saved tables of flop hold'em, from the kept benchmark."""
    rows = kept_content("benchmarks/results/packed-runs.json")["rows"]

    def share(numbers: str, codec: str) -> float:
        row = next(row for row in rows if row["numbers"] == numbers and row["codec"] == codec)
        return float(row["size"].rstrip("%")) / 100

    codec = "zstd 1, bytes sorted"
    return Measured(
        {
            "32 bits ÷ packed, CFR+": 1 / share("CFR+, float32", codec),
            "32 bits ÷ packed, DCFR": 1 / share("DCFR, float32", codec),
            "32 bits ÷ packed, 16-bit steps": 2 / share("DCFR, int16", codec),
        }
    )


PAGE = "cfr-plus.md"

ROWS = (
    Claim(
        "regret-entropy", TAMMELIN, "§4", "Many regrets of CFR+ are zero, so they have less entropy than CFR's",
        "rg.solve(rg.games.Leduc(ranks=13), rg.CFR_PLUS).arrays['regret']",
        (
            Expected("zero regrets, CFR+", 0.2, "≥", printed="many"),
            Expected("zero regrets, CFR", 0.05, "≤", printed="few"),
            Expected("entropy, CFR+ ÷ CFR", 1, "≤", printed="reduced"),
            Expected("bits in fixed point, CFR+", 32, "≤", printed="≤ 32 bits"),
            Expected("bits in fixed point, CFR", 32, "≤", printed="≤ 32 bits"),
            Expected("32 bits ÷ coded, CFR+", 2, "≥", printed="high"),
            Expected("coded, CFR ÷ CFR+", 1, "≥", printed="larger"),
        ),
        leduc_regrets, minutes=1, page=PAGE,
        why="The paper gives no ratio. It uses an arithmetic coder with context models of its own; we use zstd.",
    ),
    Claim(
        "fixed-point-regrets", TAMMELIN, "§4", "Regrets can be kept in fixed point without harm",
        "regret matching on rounded regrets, Leduc poker with 13 ranks",
        (Expected("fixed point ÷ float", 1, tolerance=0.05, quick_tolerance=0.05, printed="no harm"),),
        fixed_point_quality, minutes=1, page=PAGE,
    ),
    Claim(
        "flop-holdem-compression", TAMMELIN, "§4", "Tables of large poker games compress well",
        "python -m benchmarks.packed_runs",
        (
            Expected("32 bits ÷ packed, CFR+", 1.5, "≥", printed="high"),
            Expected("32 bits ÷ packed, DCFR", 1, "≥", printed="lower"),
            Expected("32 bits ÷ packed, 16-bit steps", 2, "≥", printed="high"),
        ),
        flop_holdem, kept="benchmarks/results/packed-runs.json", needs="10 minutes and 3 GB", page=PAGE,
        why="Whole tables of flop hold'em, regrets and averages together and lossless, by zstd at its fastest level.",
    ),
)  # fmt: skip
